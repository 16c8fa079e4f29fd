//! What the command line asks of the tables of whole arrays, and of those of integrals in the
//! same words: lists, and numbers of elements, `1000,2^20+3,2^10..2^30`. Which names there are is the tables'.

use super::list;
use super::request::refused;
use crate::cli::BenchArguments;
use crate::error::Result;
use crate::record::Key;
use crate::tables::integrate;
use crate::tables::workload::{Asked, is_default};

/// The most elements, strips or items of any table.
const MOST: u64 = 1 << 40;

/// The largest tolerance of an integral.
const LARGEST_TOLERANCE: f64 = 0.1;

/// The most elements of a segment: offsets and keys are counted in 32 bits.
const MOST_OF_SEGMENT: u64 = 1 << 31;

fn whole(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

/// `1000`, `2^20` or `2^20+3`.
fn size(text: &str) -> Option<u64> {
    let n = match text.strip_prefix("2^") {
        None => whole(text)?,
        Some(rest) => {
            let (power, more) = rest.split_once('+').unwrap_or((rest, "0"));
            let power = u32::try_from(whole(power)?).ok()?;
            1_u64.checked_shl(power)?.checked_add(whole(more)?)?
        }
    };
    (1..=MOST).contains(&n).then_some(n)
}

/// The items of a list.
pub(super) fn list(text: &Option<String>) -> Option<Vec<String>> {
    let items = |text: &String| text.split(',').map(str::to_owned).collect();
    text.as_ref().map(items)
}

/// What is asked of the tables of integrals alone.
pub(super) fn of_integrals(arguments: &BenchArguments) -> Result<integrate::Asked> {
    Ok(integrate::Asked {
        integrands: list(&arguments.integrands),
        rules: list(&arguments.rules),
        tolerance: arguments.tolerance.as_deref().map(tolerance).transpose()?,
    })
}

/// A number above 0 and up to [`LARGEST_TOLERANCE`].
fn tolerance(text: &str) -> Result<f64> {
    let number: Option<f64> = text.parse().ok();
    let allowed = number.filter(|&number| number > 0.0 && number <= LARGEST_TOLERANCE);
    allowed.ok_or_else(|| {
        let problem = format!(
            "`{text}` is no tolerance, allowed are numbers above 0 and up to \
             {LARGEST_TOLERANCE}, such as 1e-10"
        );
        refused("--tolerance", problem)
    })
}

/// The lists of the command line, of which sizes and segments are checked.
pub(super) fn asked(arguments: &BenchArguments) -> Result<Asked> {
    let segment = |text: &String| list::number("--segment", text, 1..=MOST_OF_SEGMENT);
    Ok(Asked {
        sizes: arguments.sizes.as_deref().map(sizes).transpose()?,
        operations: list(&arguments.operations),
        types: list(&arguments.types),
        algorithms: list(&arguments.algorithms),
        segment: arguments.segment.as_ref().map(segment).transpose()?,
    })
}

/// Err when algorithms were asked for, and no cell is of one.
pub(super) fn check_algorithms<'k>(
    arguments: &BenchArguments,
    mut cells: impl Iterator<Item = &'k Key>,
) -> Result<()> {
    let is_named = |key: &Key| key.operation.is_some() && !is_default(key);
    if arguments.algorithms.is_none() || cells.any(is_named) {
        return Ok(());
    }
    let problem = "has no place in these tables, allowed is it in scan, for operations that \
                   are no segmented scans";
    Err(refused("--algorithms", problem.to_owned()))
}

/// Sizes divided by commas, and all powers of two of `2^A..2^B`; none twice.
fn sizes(text: &str) -> Result<Vec<u64>> {
    let objection = |item: &str, what: &str| {
        let allowed = "allowed are numbers from 1 to 2^40, such as 1000, 2^20, 2^20+3 or \
                       2^10..2^30";
        refused("--sizes", format!("`{item}` {what}, {allowed}"))
    };
    let mut sizes = Vec::new();
    for item in text.split(',') {
        let no_size = || objection(item, "is no size");
        let found = match item.split_once("..") {
            None => vec![size(item).ok_or_else(no_size)?],
            Some((first, last)) => {
                let power = |text: &str| size(text).filter(|n| n.is_power_of_two());
                let ends = power(first).zip(power(last)).filter(|(a, b)| a <= b);
                let (first, last) = ends.ok_or_else(no_size)?;
                let doubled = |n: &u64| Some(2 * n).filter(|&n| n <= last);
                std::iter::successors(Some(first), doubled).collect()
            }
        };
        for n in found {
            if sizes.contains(&n) {
                return Err(objection(text, &format!("names {n} twice")));
            }
            sizes.push(n);
        }
    }
    Ok(sizes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> std::result::Result<Vec<u64>, String> {
        sizes(text).map_err(|error| error.to_string())
    }

    #[test]
    fn sizes_are_numbers_powers_and_ranges_of_powers_in_the_order_given() {
        assert_eq!(
            of("1000,2^20,2^20+3"),
            Ok(vec![1000, 1 << 20, (1 << 20) + 3])
        );
        assert_eq!(of("2^3..2^6,1"), Ok(vec![8, 16, 32, 64, 1]));
        assert_eq!(of("2^40"), Ok(vec![1 << 40]));
    }

    #[test]
    fn what_is_no_size_is_quoted_with_what_is_allowed() {
        for text in [
            "",
            "0",
            "-1",
            "2^41",
            "2^40+1",
            "1e3",
            "2^",
            "2^3+",
            "2^3..",
            "2^6..2^3",
            "3..9",
            "99999999999999999999",
            "2^99999999999",
        ] {
            let sentence = of(text).err().unwrap_or_default();
            let start = format!("--sizes `{text}` is no size, allowed are numbers from 1 to 2^40");
            assert!(sentence.starts_with(&start), "{sentence}");
        }
        let sentence = of("8,2^3").err().unwrap_or_default();
        assert!(
            sentence.starts_with("--sizes `8,2^3` names 8 twice, "),
            "{sentence}"
        );
    }
    #[test]
    fn a_tolerance_is_a_small_positive_number() {
        assert_eq!(tolerance("1e-10").ok(), Some(1e-10));
        for text in ["0", "-1e-3", "nan", "inf", "0.2", "x", ""] {
            let sentence = tolerance(text).err().map(|error| error.to_string());
            let expected = format!(
                "--tolerance `{text}` is no tolerance, allowed are numbers above 0 and up to \
                 0.1, such as 1e-10"
            );
            assert_eq!(sentence, Some(expected));
        }
    }
}
