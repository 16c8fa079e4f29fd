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

/// A number with at most so many significant digits, those before its point aside; from 100000 on
/// with a letter for the power of 1000. What is no number stays as it is.
pub fn rounded(text: &str, digits: usize) -> String {
    const LARGE: f64 = 1e5;
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    let Some(number) = number.filter(|_| text.len() > digits) else {
        return text.to_owned();
    };
    let is_large = number.abs() >= LARGE;
    let powers = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")].into_iter();
    let mut powers = powers.filter(|(power, _)| is_large && number.abs() >= *power);
    let (power, letter) = powers.next().unwrap_or((1.0, ""));
    let number = number / power;
    let magnitude = if number == 0.0 {
        0
    } else {
        number.abs().log10().floor() as i32
    };
    let decimals = (digits as i32 - 1 - magnitude).clamp(0, MOST_DECIMALS) as usize;
    let short = trimmed(&format!("{number:.decimals$}")) + letter;
    if short.len() < text.len() {
        short
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
    fn a_number_is_rounded_where_that_makes_it_shorter() {
        for (text, digits, short) in [
            ("0.061333", 3, "0.0613"),
            ("9591.1", 3, "9591"),
            ("7.37", 3, "7.37"),
            ("16777216", 3, "16.8M"),
            ("123456", 3, "123k"),
            ("20401094656", 3, "20.4G"),
            ("7", 3, "7"),
            ("0.061333", usize::MAX, "0.061333"),
            ("work_efficient", 3, "work_efficient"),
            ("", 3, ""),
        ] {
            assert_eq!(rounded(text, digits), short);
        }
    }

    #[test]
    fn long_numbers_are_grouped() {
        assert_eq!(grouped(9999), "9999");
        assert_eq!(grouped(16777216), "16\u{202f}777\u{202f}216");
    }
}
