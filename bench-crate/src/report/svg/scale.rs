//! Scales: from a value to a place between 0 and 1, and the marks of an axis.

use super::super::words::{power, short};

/// A logarithmic scale over positive numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::report) struct Log {
    low: f64,
    high: f64,
}

/// What can stand on a logarithmic axis: a finite number above 0.
pub(in crate::report) fn is_drawable(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

/// The smallest and the largest of the values that are drawable; `None` without any.
pub(in crate::report) fn extent(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let values = values
        .filter(|&value| is_drawable(value))
        .map(|value| (value, value));
    values.reduce(|all, one| (all.0.min(one.0), all.1.max(one.1)))
}

impl Log {
    /// A scale from the smallest to the largest of the values. `None` where none
    /// of them is a finite number above 0.
    pub(in crate::report) fn exact(values: impl Iterator<Item = f64>) -> Option<Self> {
        let (low, high) = extent(values)?;
        Some(Log {
            low: low.log10(),
            high: high.log10(),
        })
    }

    /// As [`Log::exact`], with room at both ends; never of no width.
    pub(in crate::report) fn roomy(values: impl Iterator<Item = f64>) -> Option<Self> {
        let Log { low, high } = Self::exact(values)?;
        let width = high - low;
        // As wide as it takes to hold a 1, a 2 or a 5 of some decade.
        let room = (width * 0.05).max(0.15).max((0.7 - width) / 2.0);
        Some(Log {
            low: low - room,
            high: high + room,
        })
    }

    /// 0 at the smallest value, 1 at the largest; 0 on a scale of no width.
    pub(in crate::report) fn place(&self, value: f64) -> f64 {
        let width = self.high - self.low;
        if width <= 0.0 {
            return 0.0;
        }
        ((value.log10() - self.low) / width).clamp(0.0, 1.0)
    }

    fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value.log10())
    }

    /// Decades, or 1, 2 and 5 of each where there are few of them; at most about
    /// `most` marks.
    pub(in crate::report) fn decimal_marks(&self, most: usize) -> Vec<(f64, String)> {
        let decades = self.low.floor() as i32..=self.high.ceil() as i32;
        let marks = |digits: &'static [f64], text: fn(f64) -> String| {
            let decade = |exponent| {
                digits
                    .iter()
                    .map(move |digit| digit * 10_f64.powi(exponent))
            };
            let values = decades
                .clone()
                .flat_map(decade)
                .filter(|&value| self.holds(value));
            let values: Vec<f64> = values.collect();
            let stride = values.len().div_ceil(most).max(1);
            let count = values.len();
            let marks = values.into_iter().step_by(stride);
            (count, marks.map(|value| (value, text(value))).collect())
        };
        match marks(&[1.0], power) {
            (3.., decades) => decades,
            _ => marks(&[1.0, 2.0, 5.0], short).1,
        }
    }
}

/// Marks of an axis from 0: steps of 1, 2 or 5 times a power of ten, up to `high`.
pub(in crate::report) fn linear_marks(high: f64, most: usize) -> Vec<f64> {
    if !is_drawable(high) {
        return vec![0.0];
    }
    let rough = high / most.max(1) as f64;
    let decade = 10_f64.powf(rough.log10().floor());
    let mut steps = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|digit| digit * decade);
    let step = steps.find(|&step| step >= rough).unwrap_or(rough);
    let marks = (0..=most).map(|index| index as f64 * step);
    marks
        .take_while(|&mark| mark <= high * (1.0 + 1e-9))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_scale_puts_the_geometric_mean_in_the_middle() {
        let scale = Log::exact([1.0, 100.0].into_iter());
        let place = |value| scale.map(|scale| scale.place(value));
        assert_eq!(place(1.0), Some(0.0));
        assert_eq!(place(10.0), Some(0.5));
        assert_eq!(place(100.0), Some(1.0));
    }

    #[test]
    fn what_no_logarithm_has_is_left_out() {
        let values = [0.0, -1.0, f64::NAN, f64::INFINITY];
        assert_eq!(Log::exact(values.into_iter()), None);
        assert_eq!(Log::roomy([].into_iter()), None);
    }

    #[test]
    fn one_value_alone_has_a_scale_with_marks() {
        let Some(scale) = Log::roomy([3.0].into_iter()) else {
            panic!("no scale")
        };
        assert!((scale.place(3.0) - 0.5).abs() < 1e-9);
        assert!(!scale.decimal_marks(6).is_empty());
    }

    #[test]
    fn many_decades_are_marked_by_some_of_them() {
        let Some(scale) = Log::exact([1e-12, 1e12].into_iter()) else {
            panic!("no scale")
        };
        let marks = scale.decimal_marks(6);
        assert!((3..=7).contains(&marks.len()), "{marks:?}");
    }

    #[test]
    fn linear_marks_are_round_and_start_at_0() {
        assert_eq!(linear_marks(32.0, 4), [0.0, 10.0, 20.0, 30.0]);
        assert_eq!(linear_marks(0.9, 3), [0.0, 0.5]);
        assert_eq!(linear_marks(0.0, 3), [0.0]);
    }
}
