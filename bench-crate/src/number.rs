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
    trimmed(&format!("{value:.decimals$}"))
}

/// Without zeros at the end of its decimals.
pub fn trimmed(text: &str) -> String {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text.to_owned()
    }
}

/// A time in ms.
pub fn milliseconds(ms: f64) -> String {
    significant(ms)
}

/// A whole number with a thin blank between groups of three digits; from 10000 on.
pub fn grouped(value: u64) -> String {
    let digits = value.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// A number of things: `1 row`, `2 rows`.
pub fn count(number: usize, thing: &str) -> String {
    match number {
        1 => format!("1 {thing}"),
        n => format!("{n} {thing}s"),
    }
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

    #[test]
    fn long_numbers_are_grouped() {
        assert_eq!(grouped(9999), "9999");
        assert_eq!(grouped(16777216), "16\u{202f}777\u{202f}216");
    }
}
