//! `LIST` and single numbers on the command line: `1,8,16`.

use std::ops::RangeInclusive;

use crate::error::{Error, Result};

fn objection(argument: &str, text: &str, range: &RangeInclusive<u64>, what: &str) -> Error {
    Error::Argument {
        argument: argument.to_owned(),
        problem: format!(
            "`{text}` {what}, allowed are {} to {}",
            range.start(),
            range.end()
        ),
    }
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
pub(super) fn percentage(argument: &str, text: &str) -> Result<f64> {
    let plain = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    match text.parse::<f64>() {
        Ok(percent) if plain && percent <= 100.0 => Ok(percent / 100.0),
        _ => Err(Error::Argument {
            argument: argument.to_owned(),
            problem: format!("`{text}` is no percentage, allowed are 0 to 100, such as 2 or 0.5"),
        }),
    }
}

/// Numbers in `range`, divided by commas, in the order given, none twice.
pub(super) fn numbers(argument: &str, text: &str, range: RangeInclusive<u64>) -> Result<Vec<u64>> {
    let mut values = Vec::new();
    for item in text.split(',') {
        let value = number(argument, item, range.clone())?;
        if values.contains(&value) {
            return Err(objection(
                argument,
                text,
                &range,
                &format!("names {value} twice"),
            ));
        }
        values.push(value);
    }
    Ok(values)
}

/// Powers of two from 2 to `most`; otherwise as [`numbers`].
pub(super) fn powers_of_two(argument: &str, text: &str, most: u32) -> Result<Vec<u32>> {
    let mut values = Vec::new();
    for value in numbers(argument, text, 2..=most.into())? {
        match u32::try_from(value) {
            Ok(value) if value.is_power_of_two() => values.push(value),
            _ => {
                return Err(Error::Argument {
                    argument: argument.to_owned(),
                    problem: format!(
                        "`{value}` is no power of two, allowed are those from 2 to {most}"
                    ),
                });
            }
        }
    }
    Ok(values)
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
    fn a_percentage_is_a_plain_number_up_to_100() {
        for (text, part) in [("0", 0.0), ("2", 0.02), ("0.5", 0.005), ("100", 1.0)] {
            assert_eq!(percentage("--margin", text).ok(), Some(part));
        }
        for text in [
            "", ".", "-1", "+1", "2%", "1e1", "nan", "inf", "100.1", "1.2.3",
        ] {
            let problem = percentage("--margin", text).map_err(|error| error.to_string());
            let sentence = format!(
                "--margin `{text}` is no percentage, allowed are 0 to 100, such as 2 or 0.5"
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
        let all: Vec<u32> = (1..=11).map(|log| 1 << log).collect();
        assert_eq!(with("2,4,8,16,32,64,128,256,512,1024,2048"), Ok(all));
        assert_eq!(
            with("1024,1000"),
            Err("--elements `1000` is no power of two, allowed are those from 2 to 2048".into())
        );
        for (list, item) in [("1", "1"), ("0", "0"), ("8,4096", "4096")] {
            let sentence = format!("--elements `{item}` is out of range, allowed are 2 to 2048");
            assert_eq!(with(list), Err(sentence));
        }
    }
}
