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
}

impl Kind {
    /// Where a value stands: equal distances of these are equal in the drawing.
    fn position(self, value: f64) -> f64 {
        match self {
            Kind::Decades => value.log10(),
            Kind::Doublings => value.log2(),
            Kind::FromZero => value,
        }
    }
}

/// The scale of an axis: positions of its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::report) struct Scale {
    kind: Kind,
    low: f64,
    high: f64,
}

/// What can be drawn on every scale: a finite number above 0.
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
    /// From the smallest to the largest of the values. `None` where none of them is drawable.
    pub(in crate::report) fn exact(kind: Kind, values: impl Iterator<Item = f64>) -> Option<Self> {
        let (low, high) = extent(values)?;
        let (low, high) = (kind.position(low), kind.position(high));
        Some(Scale { kind, low, high })
    }

    /// The same with room at its ends; never of no width.
    pub(in crate::report) fn new(kind: Kind, values: impl Iterator<Item = f64>) -> Option<Self> {
        let Scale { low, high, .. } = Self::exact(kind, values)?;
        let width = high - low;
        let (below, above) = match kind {
            // As wide as it takes to hold a 1, a 2 or a 5 of some decade.
            Kind::Decades => {
                let room = (width * 0.05).max(0.15).max((0.7 - width) / 2.0);
                (room, room)
            }
            Kind::Doublings => (0.4, 0.4),
            Kind::FromZero => (low, 0.05 * high),
        };
        let (low, high) = (low - below, high + above);
        Some(Scale { kind, low, high })
    }

    /// 0 at its beginning, 1 at its end; 0 on a scale of no width.
    pub(in crate::report) fn place(&self, value: f64) -> f64 {
        let width = self.high - self.low;
        if width <= 0.0 {
            return 0.0;
        }
        ((self.kind.position(value) - self.low) / width).clamp(0.0, 1.0)
    }

    /// At most `most` marks; powers of ten, or 1, 2 and 5 of each where there are few of them.
    pub(in crate::report) fn marks(&self, most: usize) -> Vec<(f64, String)> {
        match self.kind {
            Kind::Decades => match self.decimal(&[1.0]) {
                decades if decades.len() >= 3 => thinned(decades, most, power),
                _ => thinned(self.decimal(&[1.0, 2.0, 5.0]), most, short),
            },
            Kind::Doublings => {
                let exponents = self.low.ceil() as i32..=self.high.floor() as i32;
                let values = exponents.map(|exponent| 2_f64.powi(exponent));
                let text = |value: f64| format!("2{}", raised(value.log2().round() as i32));
                thinned(values.collect(), most, text)
            }
            Kind::FromZero => thinned(self.rounded(most), most + 1, short),
        }
    }

    /// These digits of each decade that it holds.
    fn decimal(&self, digits: &[f64]) -> Vec<f64> {
        let decades = self.low.floor() as i32..=self.high.ceil() as i32;
        let values = decades.flat_map(|exponent| {
            let decade = 10_f64.powi(exponent);
            digits.iter().map(move |digit| digit * decade)
        });
        let is_held = |value: &f64| (self.low..=self.high).contains(&value.log10());
        values.filter(is_held).collect()
    }

    /// Multiples of 1, 2 or 5 times a power of ten.
    fn rounded(&self, most: usize) -> Vec<f64> {
        let rough = self.high / most as f64;
        let decade = 10_f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * decade);
        let step = steps.into_iter().find(|&step| step >= rough);
        let multiples = (0..=most).map(|index| index as f64 * step.unwrap_or(rough));
        multiples.take_while(|&value| value <= self.high).collect()
    }
}

/// Some of the values, evenly apart, with their texts.
fn thinned(values: Vec<f64>, most: usize, text: fn(f64) -> String) -> Vec<(f64, String)> {
    let stride = values.len().div_ceil(most).max(1);
    let kept = values.into_iter().step_by(stride);
    kept.map(|value| (value, text(value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(kind: Kind, values: &[f64]) -> Option<Scale> {
        Scale::new(kind, values.iter().copied())
    }

    fn texts(kind: Kind, values: &[f64], most: usize) -> Vec<String> {
        let marks = scale(kind, values).map(|scale| scale.marks(most));
        let marks = marks.into_iter().flatten();
        marks.map(|(_, text)| text).collect()
    }

    #[test]
    fn a_log_scale_puts_the_geometric_mean_in_the_middle() {
        let scale = Scale::exact(Kind::Decades, [1.0, 100.0].into_iter());
        let place = |value| scale.map(|scale| scale.place(value));
        assert_eq!(place(1.0), Some(0.0));
        assert_eq!(place(10.0), Some(0.5));
        assert_eq!(place(100.0), Some(1.0));
    }

    #[test]
    fn what_no_logarithm_has_is_left_out() {
        let values = [0.0, -1.0, f64::NAN, f64::INFINITY];
        for kind in [Kind::Decades, Kind::Doublings, Kind::FromZero] {
            assert_eq!(scale(kind, &values), None);
            assert_eq!(scale(kind, &[]), None);
        }
    }

    #[test]
    fn one_value_alone_has_a_scale_with_marks() {
        for kind in [Kind::Decades, Kind::Doublings] {
            let place = scale(kind, &[4.0]).map(|scale| scale.place(4.0));
            assert!(
                place.is_some_and(|place| (place - 0.5).abs() < 1e-9),
                "{place:?}"
            );
            assert!(!texts(kind, &[4.0], 6).is_empty());
        }
    }

    #[test]
    fn many_decades_are_marked_by_some_of_them() {
        let marks = texts(Kind::Decades, &[1e-12, 1e12], 6);
        assert!((3..=7).contains(&marks.len()), "{marks:?}");
    }

    #[test]
    fn doublings_are_marked_by_powers_of_two() {
        let sizes = [1024.0, 1_073_741_824.0];
        assert_eq!(
            texts(Kind::Doublings, &sizes, 5),
            ["2¹⁰", "2¹⁵", "2²⁰", "2²⁵", "2³⁰"]
        );
        assert_eq!(texts(Kind::Doublings, &[1024.0], 5), ["2¹⁰"]);
    }

    #[test]
    fn linear_marks_are_round_and_start_at_0() {
        assert_eq!(texts(Kind::FromZero, &[32.0], 4), ["0", "10", "20", "30"]);
        assert_eq!(texts(Kind::FromZero, &[0.9], 3), ["0", "0.5"]);
    }
}
