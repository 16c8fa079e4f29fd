//! Numbers, cells and lists as the report's sentences and marks have them.

use crate::number;
use crate::record::Record;
use crate::table::column::optional;
use crate::table::published::Published;

/// Blocks and threads of a row.
pub(super) fn shape(record: &Record) -> Option<(u32, u32)> {
    Some((record.cell.small("blocks")?, record.cell.small("threads")?))
}

/// `64 × 256`.
pub(super) fn place(record: &Record) -> String {
    let part = |axis| optional(record.cell.get(axis));
    format!("{} × {}", part("blocks"), part("threads"))
}

/// What a cell of a published sweep says.
pub(super) fn note(sweep: &Published, (blocks, threads): (u32, u32), ms: f64) -> String {
    let (device, ms) = (sweep.device, short(ms));
    format!("{device}, {blocks} × {threads}: {ms} ms, published")
}

/// A number with three significant digits, no exponent between 1e-4 and 1e6.
pub(super) fn short(value: f64) -> String {
    digits(value, 3)
}

/// A number with two significant digits, for narrow places.
pub(super) fn shorter(value: f64) -> String {
    digits(value, 2)
}

fn digits(value: f64, significant: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let magnitude = value.abs().log10().floor() as i32;
    if (-4..6).contains(&magnitude) {
        let decimals = (significant as i32 - 1 - magnitude).max(0) as usize;
        return number::trimmed(&format!("{value:.decimals$}"));
    }
    let text = format!("{value:.*e}", significant - 1);
    match text.split_once('e') {
        Some((digits, exponent)) => format!("{}e{exponent}", number::trimmed(digits)),
        None => text,
    }
}

/// A power of ten as a mark: in digits from 0.001 to 1000, else as 10 with an
/// exponent.
pub(super) fn power(value: f64) -> String {
    let exponent = value.log10().round() as i32;
    if (-3..=3).contains(&exponent) {
        return short(value);
    }
    format!("10{}", raised(exponent))
}

/// An exponent in raised digits.
pub(super) fn raised(exponent: i32) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raised = |c: char| c.to_digit(10).map_or('⁻', |digit| RAISED[digit as usize]);
    exponent.to_string().chars().map(raised).collect()
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
    match ratio {
        small if small < 1.0 => short(small),
        small if small < 10.0 => format!("{small:.2}"),
        large => number::grouped(large.round() as u64),
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
    fn lists_end_with_and() {
        assert_eq!(list(&["a"]), "a");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
    }
}
