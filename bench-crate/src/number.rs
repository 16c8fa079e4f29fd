//! Numbers as text: five significant digits, no exponent, no trailing zeros.

/// Digits that a time is known to, at best.
const SIGNIFICANT: i32 = 5;

/// At most this many decimals: below a picosecond nothing is known.
const MOST_DECIMALS: i32 = 9;

/// A number with five significant digits.
pub fn significant(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let magnitude = value.abs().log10().floor() as i32;
    let decimals = (SIGNIFICANT - 1 - magnitude).clamp(0, MOST_DECIMALS) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A time in ms.
pub fn milliseconds(ms: f64) -> String {
    significant(ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_digits_are_kept_and_no_zeros_behind_them() {
        for (value, text) in [
            (0.0245678, "0.024568"),
            (1249.0, "1249"),
            (479.1, "479.1"),
            (2.64, "2.64"),
            (123456.7, "123457"),
            (0.000001234567, "0.000001235"),
            (0.0, "0"),
        ] {
            assert_eq!(significant(value), text);
        }
    }
}
