//! Scales: from a value to a place between 0 and 1, and the marks of an axis.

use super::super::words::{power, raised, short};

/// What an axis is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum Kind {
    /// Logarithmic, marked by powers of ten.
    Decades,
    /// Logarithmic, marked by powers of two.
    Doublings,
    /// From 0 on.
    FromZero,
    /// Whole numbers, a band each.
    Steps,
}

/// The scale of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::report) enum Scale {
    /// Marked by powers of ten.
    Decades(Log),
    /// Marked by powers of two.
    Doublings(Log),
    /// From the first number to the second.
    Linear(f64, f64),
}

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

impl Scale {
    /// A scale that holds the values. `None` where none of them is a finite number above 0.
    pub(in crate::report) fn new(kind: Kind, values: impl Iterator<Item = f64>) -> Option<Self> {
        let values: Vec<f64> = values.collect();
        let (low, high) = extent(values.iter().copied())?;
        Some(match kind {
            Kind::Decades => Scale::Decades(Log::roomy(values.into_iter())?),
            Kind::Doublings => Scale::Doublings(Log::exact([low / 1.3, 1.3 * high].into_iter())?),
            Kind::FromZero => Scale::Linear(0.0, 1.05 * high),
            Kind::Steps => Scale::Linear(low - 0.5, high + 0.5),
        })
    }

    /// 0 at its beginning, 1 at its end.
    pub(in crate::report) fn place(&self, value: f64) -> f64 {
        match *self {
            Scale::Decades(log) | Scale::Doublings(log) => log.place(value),
            Scale::Linear(low, high) => ((value - low) / (high - low)).clamp(0.0, 1.0),
        }
    }

    /// The width of a band around a whole number.
    pub(in crate::report) fn band(&self) -> f64 {
        match *self {
            Scale::Linear(low, high) => 1.0 / (high - low),
            Scale::Decades(_) | Scale::Doublings(_) => 0.0,
        }
    }

    /// At most about `most` marks.
    pub(in crate::report) fn marks(&self, most: usize) -> Vec<(f64, String)> {
        match *self {
            Scale::Decades(log) => log.decimal_marks(most),
            Scale::Doublings(log) => log.binary_marks(most),
            Scale::Linear(low, high) => linear_marks(low, high, most),
        }
    }
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

    /// Powers of two, evenly apart.
    fn binary_marks(&self, most: usize) -> Vec<(f64, String)> {
        let exponent = |decades: f64| decades / 2_f64.log10();
        let (first, last) = (exponent(self.low).ceil() as i32, exponent(self.high) as i32);
        let stride = (last - first + 1)
            .max(1)
            .unsigned_abs()
            .div_ceil(most as u32);
        let marks = (first..=last).step_by(stride.max(1) as usize);
        marks
            .map(|power| (2_f64.powi(power), format!("2{}", raised(power))))
            .collect()
    }
}

/// Marks from `low` to `high` at steps of 1, 2 or 5 times a power of ten; whole numbers where
/// `low` is a half.
fn linear_marks(low: f64, high: f64, most: usize) -> Vec<(f64, String)> {
    let rough = (high - low) / most.max(1) as f64;
    let decade = 10_f64.powf(rough.log10().floor());
    let mut steps = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|digit| digit * decade);
    let is_of_steps = low > 0.0;
    let is_enough = |&step: &f64| step >= rough && (!is_of_steps || step >= 1.0);
    let step = steps.find(is_enough).unwrap_or(rough.max(1.0));
    let first = if is_of_steps { low.ceil() } else { low };
    let marks = (0..=most).map(|index| first + index as f64 * step);
    marks
        .take_while(|&mark| mark <= high * (1.0 + 1e-9))
        .map(|mark| (mark, short(mark)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(marks: Vec<(f64, String)>) -> Vec<String> {
        marks.into_iter().map(|(_, text)| text).collect()
    }

    fn scale(kind: Kind, values: &[f64]) -> Scale {
        Scale::new(kind, values.iter().copied()).expect("there are values to draw")
    }

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
        assert_eq!(Scale::new(Kind::FromZero, values.into_iter()), None);
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
    fn doublings_are_marked_by_powers_of_two() {
        let sizes = scale(Kind::Doublings, &[1024.0, 1_073_741_824.0]);
        assert_eq!(texts(sizes.marks(5)), ["2¹⁰", "2¹⁵", "2²⁰", "2²⁵", "2³⁰"]);
        let one = scale(Kind::Doublings, &[1024.0]);
        assert_eq!(texts(one.marks(5)), ["2¹⁰"]);
        assert!((one.place(1024.0) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn linear_marks_are_round_and_start_at_0() {
        let marks = |high, most| texts(linear_marks(0.0, high, most));
        assert_eq!(marks(32.0, 4), ["0", "10", "20", "30"]);
        assert_eq!(marks(0.9, 3), ["0", "0.5"]);
    }

    #[test]
    fn steps_have_bands_and_whole_numbers() {
        let steps = scale(Kind::Steps, &[1.0, 4.0]);
        assert_eq!(steps.band(), 0.25);
        assert_eq!(steps.place(1.0), 0.125);
        assert_eq!(texts(steps.marks(19)), ["1", "2", "3", "4"]);
    }
}
