//! Numbers and lists as the report's sentences and marks have them.

/// A number with three significant digits, no exponent between 1e-4 and 1e6.
pub(super) fn short(value: f64) -> String {
    digits(value, 3)
}

/// A number with two significant digits, for narrow places.
pub(super) fn shorter(value: f64) -> String {
    digits(value, 2)
}

fn digits(value: f64, significant: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let magnitude = value.abs().log10().floor() as i32;
    if !(-4..6).contains(&magnitude) {
        let text = format!("{value:.*e}", significant as usize - 1);
        return match text.split_once('e') {
            Some((digits, exponent)) if digits.contains('.') => {
                let digits = digits.trim_end_matches('0').trim_end_matches('.');
                format!("{digits}e{exponent}")
            }
            _ => text,
        };
    }
    let decimals = (significant - 1 - magnitude).max(0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A power of ten as a mark: in digits from 0.001 to 1000, else as 10 with an
/// exponent.
pub(super) fn power(value: f64) -> String {
    let exponent = value.log10().round() as i32;
    if (-3..=3).contains(&exponent) {
        return short(value);
    }
    format!("10{}", superscript(exponent))
}

/// An exponent in raised digits.
fn superscript(exponent: i32) -> String {
    exponent
        .to_string()
        .chars()
        .map(|c| match c {
            '-' => '⁻',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            '0' => '⁰',
            // U+2074 is the raised 4; 4 to 9 follow each other.
            digit => char::from_u32(0x2070 + (digit as u32 - '0' as u32)).unwrap_or(digit),
        })
        .collect()
}

/// A whole number with a thin blank between groups of three digits; from 10000 on.
pub(super) fn grouped(value: u64) -> String {
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
pub(super) fn count(number: usize, thing: &str) -> String {
    match number {
        1 => format!("1 {thing}"),
        n => format!("{n} {thing}s"),
    }
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn list(items: &[&str]) -> String {
    match items {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// How many times as large: three digits below 10, whole numbers from there.
pub(super) fn factor(ratio: f64) -> String {
    if ratio < 1.0 {
        short(ratio)
    } else if ratio < 10.0 {
        format!("{ratio:.2}")
    } else {
        grouped(ratio.round() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_three_digits() {
        for (value, text) in [
            (930.63, "931"),
            (0.017958, "0.018"),
            (0.0123456, "0.0123"),
            (12345.6, "12346"),
            (1.5e-9, "1.5e-9"),
            (5e-7, "5e-7"),
            (0.0, "0"),
        ] {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn powers_far_from_1_are_written_with_an_exponent() {
        assert_eq!(power(1000.0), "1000");
        assert_eq!(power(0.01), "0.01");
        assert_eq!(power(1e6), "10⁶");
        assert_eq!(power(1e-12), "10⁻¹²");
    }

    #[test]
    fn a_small_ratio_keeps_its_digits() {
        assert_eq!(factor(0.00123), "0.00123");
        assert_eq!((factor(3.2), factor(12.4)), ("3.20".into(), "12".into()));
    }

    #[test]
    fn long_numbers_are_grouped() {
        assert_eq!(grouped(9999), "9999");
        assert_eq!(grouped(16777216), "16\u{202f}777\u{202f}216");
    }

    #[test]
    fn lists_end_with_and() {
        assert_eq!(list(&["a"]), "a");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
    }
}
