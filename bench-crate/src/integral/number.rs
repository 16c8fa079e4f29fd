//! Numbers of the two precisions: from text and to text.

use std::str::FromStr;

use quadscan::integrate::{Entry, Kernels, Real};

/// `f32` or `f64`, as the command line and files have them.
pub(super) trait Number: Real + FromStr {
    /// The integrand in this precision.
    fn kernels(entry: &Entry) -> Kernels<Self>;
}

impl Number for f32 {
    fn kernels(entry: &Entry) -> Kernels<f32> {
        entry.f32
    }
}

impl Number for f64 {
    fn kernels(entry: &Entry) -> Kernels<f64> {
        entry.f64
    }
}

/// The number that a text is, which is infinite or NaN only where the text says so; or what
/// is wrong with it.
pub(super) fn parse<R: Number>(text: &str) -> Result<R, String> {
    let Ok(value) = text.parse::<R>() else {
        return Err(format!("`{}` is not a number", shown(text)));
    };
    let has_digits = text.bytes().any(|byte| byte.is_ascii_digit());
    if has_digits && !value.is_number() {
        return Err(too_large::<R>(text));
    }
    Ok(value)
}

/// The nearest number, or what is wrong with that.
pub(super) fn nearest<R: Number>(value: f64) -> Result<R, String> {
    let nearest = R::from_f64(value);
    if value.is_finite() && !nearest.is_number() {
        return Err(too_large::<R>(&text(value)));
    }
    Ok(nearest)
}

fn too_large<R: Number>(text: &str) -> String {
    format!("`{}` is too large for {}", shown(text), R::NAME)
}

/// A text of a file as a sentence can have it: on one line, and not too long.
pub(super) fn shown(text: &str) -> String {
    const LENGTH: usize = 40;
    let plain = text.chars().map(|character| match character {
        control if control.is_control() => char::REPLACEMENT_CHARACTER,
        other => other,
    });
    let mut shown: String = plain.take(LENGTH).collect();
    if text.chars().nth(LENGTH).is_some() {
        shown += "...";
    }
    shown
}

/// Whether it is no number at all.
pub(super) fn is_nan<R: Real>(value: R) -> bool {
    value.to_f64().is_nan()
}

/// The fewest digits that are this number and no other of its precision.
pub(super) fn text<R: Real>(value: R) -> String {
    format!("{value:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_infinite_only_where_its_text_says_so() {
        assert_eq!(parse::<f64>("-1.5e3"), Ok(-1500.0));
        assert_eq!(parse::<f64>("-inf"), Ok(f64::NEG_INFINITY));
        assert_eq!(parse::<f32>("+infinity"), Ok(f32::INFINITY));
        assert!(parse::<f64>("nan").is_ok_and(f64::is_nan));
        for text in ["", "x", "1,5", "0x10", "pi", "1 2"] {
            assert_eq!(parse::<f64>(text), Err(format!("`{text}` is not a number")));
        }
        let sentence = "`1e39` is too large for f32";
        assert_eq!(parse::<f32>("1e39"), Err(sentence.to_owned()));
        assert_eq!(nearest::<f32>(1e39), Err(sentence.to_owned()));
        assert_eq!(parse::<f64>("1e39"), Ok(1e39));
        assert!(parse::<f64>("-1e309").is_err());
        assert_eq!(nearest::<f32>(f64::INFINITY), Ok(f32::INFINITY));
    }

    /// 0.1 and 16777216 are known to have these shortest forms; 2^-1074 is the least number.
    #[test]
    fn text_has_the_digits_that_are_needed_and_no_more() {
        assert_eq!([text(0.1f32), text(0.1f64)], ["0.1", "0.1"]);
        assert_eq!(text(f64::from(0.1f32)), "0.10000000149011612");
        assert_eq!([text(1e300), text(5e-324)], ["1e300", "5e-324"]);
        assert_eq!([text(f64::NEG_INFINITY), text(f64::NAN)], ["-inf", "NaN"]);
    }
}
