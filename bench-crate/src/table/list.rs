//! Lists and single values on the command line: `1,8,16`, `1000,2^20+3,2^10..2^30`, `runge,planck`.

use std::ops::RangeInclusive;

use crate::error::{Error, Result};
use crate::spelling;

/// The most elements, strips or items of any table.
const MOST: u64 = 1 << 40;

/// The largest tolerance of an integral.
const LARGEST_TOLERANCE: f64 = 0.1;

/// Everything of a list of names.
pub(crate) const ALL: &str = "all";

/// An argument that cannot be carried out.
pub(crate) fn refused(argument: &str, problem: String) -> Error {
    Error::Argument {
        argument: argument.to_owned(),
        problem,
    }
}

fn objection(argument: &str, text: &str, range: &RangeInclusive<u64>, what: &str) -> Error {
    let (least, most) = (range.start(), range.end());
    refused(
        argument,
        format!("`{text}` {what}, allowed are {least} to {most}"),
    )
}

/// One whole number in `range`.
pub(crate) fn number(argument: &str, text: &str, range: RangeInclusive<u64>) -> Result<u64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty();
    match text.parse::<u64>() {
        Ok(value) if digits && range.contains(&value) => Ok(value),
        _ if digits => Err(objection(argument, text, &range, "is out of range")),
        _ => Err(objection(argument, text, &range, "is not a whole number")),
    }
}

/// A percentage from 0 to 100 as a part.
pub(crate) fn percentage(argument: &str, text: &str) -> Result<f64> {
    let plain = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    match text.parse::<f64>() {
        Ok(percent) if plain && percent <= 100.0 => Ok(percent / 100.0),
        _ => Err(refused(
            argument,
            format!("`{text}` is not a percentage, allowed are 0 to 100, such as 2 or 0.5"),
        )),
    }
}

/// Numbers in `range`, divided by commas, and all powers of two of `2^A..2^B`, in the order given,
/// none twice.
pub(crate) fn numbers(argument: &str, text: &str, range: RangeInclusive<u64>) -> Result<Vec<u64>> {
    let mut values = Vec::new();
    for item in text.split(',') {
        let found = expanded(item)
            .ok_or_else(|| objection(argument, item, &range, "is not a whole number"))?;
        for value in found {
            if !range.contains(&value) {
                return Err(objection(argument, item, &range, "is out of range"));
            }
            if values.contains(&value) {
                let problem = format!("names {value} twice");
                return Err(objection(argument, text, &range, &problem));
            }
            values.push(value);
        }
    }
    Ok(values)
}

/// Powers of two from 2 to `most`; otherwise as [`numbers`].
pub(crate) fn powers_of_two(argument: &str, text: &str, most: u64) -> Result<Vec<u64>> {
    let values = numbers(argument, text, 2..=most)?;
    match values.iter().find(|value| !value.is_power_of_two()) {
        None => Ok(values),
        Some(value) => Err(refused(
            argument,
            format!("`{value}` is not a power of two, allowed are those from 2 to {most}"),
        )),
    }
}

/// A number of digits, or [`u64::MAX`] in its place where it is larger.
fn whole(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u64::MAX))
}

/// `1000`, `2^20` or `2^20+3`, or [`u64::MAX`] in its place where it is larger.
pub(crate) fn size(text: &str) -> Option<u64> {
    let Some(rest) = text.strip_prefix("2^") else {
        return whole(text);
    };
    let (power, more) = rest.split_once('+').unwrap_or((rest, "0"));
    let power = u32::try_from(whole(power)?).unwrap_or(u32::MAX);
    Some(2_u64.saturating_pow(power).saturating_add(whole(more)?))
}

/// A size, or all powers of two of `2^A..2^B`.
fn expanded(item: &str) -> Option<Vec<u64>> {
    let Some((first, last)) = item.split_once("..") else {
        return size(item).map(|n| vec![n]);
    };
    let power = |text: &str| size(text).filter(|n| n.is_power_of_two() || *n == u64::MAX);
    let (first, last) = power(first).zip(power(last)).filter(|(a, b)| a <= b)?;
    let doubled = |n: &u64| n.checked_mul(2).filter(|&n| n <= last);
    Some(std::iter::successors(Some(first), doubled).collect())
}

/// Sizes divided by commas, and all powers of two of `2^A..2^B`; none twice.
pub(crate) fn sizes(argument: &str, text: &str) -> Result<Vec<u64>> {
    let objection = |item: &str, what: &str| {
        let allowed = "allowed are numbers from 1 to 2^40, such as 1000, 2^20, 2^20+3 or \
                       2^10..2^30";
        refused(argument, format!("`{item}` {what}, {allowed}"))
    };
    let mut sizes = Vec::new();
    for item in text.split(',') {
        let is_size = |found: &Vec<u64>| found.iter().all(|n| (1..=MOST).contains(n));
        let found = expanded(item).filter(is_size);
        let found = found.ok_or_else(|| objection(item, "is not a size"))?;
        for n in found {
            if sizes.contains(&n) {
                return Err(objection(text, &format!("names {n} twice")));
            }
            sizes.push(n);
        }
    }
    Ok(sizes)
}

/// A number above 0 and up to [`LARGEST_TOLERANCE`].
pub(crate) fn tolerance(argument: &str, text: &str) -> Result<f64> {
    let number: Option<f64> = text.parse().ok();
    let allowed = number.filter(|&number| number > 0.0 && number <= LARGEST_TOLERANCE);
    allowed.ok_or_else(|| {
        let problem = format!(
            "`{text}` is not a tolerance, allowed are numbers above 0 and up to \
             {LARGEST_TOLERANCE}, such as 1e-10"
        );
        refused(argument, problem)
    })
}

/// Names divided by commas. Err when one is not `known`, with what is `offered`, or when one is
/// there twice.
pub(crate) fn names(
    argument: &str,
    text: &str,
    known: &[String],
    offered: &[String],
) -> Result<Vec<String>> {
    let allowed = |names| std::iter::once(ALL).chain(<[String]>::iter(names).map(String::as_str));
    let mut names: Vec<String> = Vec::new();
    for typed in text.split(',') {
        let name = spelling::meant(typed, allowed(known)).ok_or_else(|| {
            let unknown = spelling::unknown(typed, allowed(offered));
            let allowed: Vec<&str> = allowed(offered).collect();
            refused(
                argument,
                format!("{unknown}, allowed are {}", allowed.join(", ")),
            )
        })?;
        if names.iter().any(|other| other == name) {
            let problem = format!("names {name} twice, once is allowed");
            return Err(refused(argument, problem));
        }
        names.push(name.to_owned());
    }
    Ok(names)
}
#[cfg(test)]
mod tests {
    use super::*;

    fn threads(text: &str) -> std::result::Result<Vec<u64>, String> {
        numbers("--threads", text, 1..=1024).map_err(|error| error.to_string())
    }

    #[test]
    fn a_list_keeps_its_order() {
        assert_eq!(threads("8,1,1024"), Ok(vec![8, 1, 1024]));
    }

    #[test]
    fn numbers_are_written_as_sizes_are() {
        assert_eq!(
            threads("3,2^5+1,2^8..2^10"),
            Ok(vec![3, 33, 256, 512, 1024])
        );
        for (text, problem) in [
            ("2^11", "`2^11` is out of range"),
            ("2^9..2^11", "`2^9..2^11` is out of range"),
            ("2^41", "`2^41` is out of range"),
            ("2^64+1", "`2^64+1` is out of range"),
            ("2^9..2^99", "`2^9..2^99` is out of range"),
            ("512,2^8..2^9", "`512,2^8..2^9` names 512 twice"),
            ("2^", "`2^` is not a whole number"),
            ("3..8", "`3..8` is not a whole number"),
        ] {
            let sentence = format!("--threads {problem}, allowed are 1 to 1024");
            assert_eq!(threads(text), Err(sentence));
        }
    }

    #[test]
    fn a_percentage_is_a_plain_number_up_to_100() {
        for (text, part) in [("0", 0.0), ("2", 0.02), ("0.5", 0.005), ("100", 1.0)] {
            assert_eq!(percentage("--margin", text).ok(), Some(part));
        }
        for text in [
            "", ".", "-1", "+1", "2%", "1e1", "nan", "inf", "100.1", "1.2.3",
        ] {
            let problem = percentage("--margin", text).map_err(|error| error.to_string());
            let sentence = format!(
                "--margin `{text}` is not a percentage, allowed are 0 to 100, such as 2 or 0.5"
            );
            assert_eq!(problem, Err(sentence));
        }
    }

    #[test]
    fn an_objection_names_the_argument_and_the_range() {
        for (text, sentence) in [
            ("0", "--threads `0` is out of range, allowed are 1 to 1024"),
            (
                "1,1025",
                "--threads `1025` is out of range, allowed are 1 to 1024",
            ),
            (
                "99999999999999999999",
                "--threads `99999999999999999999` is out of range, allowed are 1 to 1024",
            ),
            (
                "8,8",
                "--threads `8,8` names 8 twice, allowed are 1 to 1024",
            ),
            (
                "8,",
                "--threads `` is not a whole number, allowed are 1 to 1024",
            ),
            (
                "",
                "--threads `` is not a whole number, allowed are 1 to 1024",
            ),
            (
                "-1",
                "--threads `-1` is not a whole number, allowed are 1 to 1024",
            ),
            (
                "+8",
                "--threads `+8` is not a whole number, allowed are 1 to 1024",
            ),
            (
                "1 8",
                "--threads `1 8` is not a whole number, allowed are 1 to 1024",
            ),
        ] {
            assert_eq!(threads(text), Err(sentence.to_owned()));
        }
    }

    #[test]
    fn scans_are_of_powers_of_two_that_one_block_holds() {
        let with =
            |list: &str| powers_of_two("--elements", list, 2048).map_err(|error| error.to_string());
        let all: Vec<u64> = (1..=11).map(|log| 1 << log).collect();
        assert_eq!(with("2,4,8,16,32,64,128,256,512,1024,2048"), Ok(all));
        assert_eq!(
            with("1024,1000"),
            Err("--elements `1000` is not a power of two, allowed are those from 2 to 2048".into())
        );
        for (list, item) in [("1", "1"), ("0", "0"), ("8,4096", "4096")] {
            let sentence = format!("--elements `{item}` is out of range, allowed are 2 to 2048");
            assert_eq!(with(list), Err(sentence));
        }
    }

    fn of(text: &str) -> std::result::Result<Vec<u64>, String> {
        sizes("--sizes", text).map_err(|error| error.to_string())
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
            let start =
                format!("--sizes `{text}` is not a size, allowed are numbers from 1 to 2^40");
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
        assert_eq!(tolerance("--tolerance", "1e-10").ok(), Some(1e-10));
        for text in ["0", "-1e-3", "nan", "inf", "0.2", "x", ""] {
            let sentence = tolerance("--tolerance", text)
                .err()
                .map(|error| error.to_string());
            let expected = format!(
                "--tolerance `{text}` is not a tolerance, allowed are numbers above 0 and up to \
                 0.1, such as 1e-10"
            );
            assert_eq!(sentence, Some(expected));
        }
    }

    #[test]
    fn names_are_known_ones_and_none_is_there_twice() {
        let known = ["runge", "planck"].map(str::to_owned);
        let of = |text: &str| {
            names("--integrands", text, &known, &known).map_err(|error| error.to_string())
        };
        assert_eq!(
            of("planck,runge"),
            Ok(vec!["planck".to_owned(), "runge".to_owned()])
        );
        assert_eq!(of("Planck").ok(), None);
        let sentence = "--integrands `rnuge` is unknown, a similar name is `runge`, allowed are \
                        all, runge, planck";
        assert_eq!(of("rnuge"), Err(sentence.to_owned()));
        assert_eq!(
            of("gauss"),
            Err("--integrands `gauss` is unknown, allowed are all, runge, planck".to_owned())
        );
        assert_eq!(
            of("runge,runge"),
            Err("--integrands names runge twice, once is allowed".to_owned())
        );
    }
}
