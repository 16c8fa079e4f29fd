//! What the command line asks of a comparison: the names of baselines, the margin,
//! and how many processes measure.

use crate::cli::BenchArguments;
use crate::error::Result;
use crate::table::list::{self, refused};
use crate::timing::comparison::MARGIN;

/// The most measuring processes: each holds a context on the device.
const MOST_PROCESSES: u64 = 32;

/// Measuring processes of a run that is to be compared: with sixteen then and sixteen
/// now, no single process sets the interval of a row, be it one of ten or of a thousand.
pub(super) const COMPARED_PROCESSES: u32 = 16;

/// The longest name of a baseline: with what follows it, a file name everywhere.
const LONGEST_NAME: usize = 100;

/// `--save` and `--baseline`.
pub(super) fn check_names(arguments: &BenchArguments) -> Result<()> {
    check_name("--save", &arguments.save)?;
    check_name("--baseline", &arguments.baseline)?;
    match (&arguments.save, &arguments.baseline) {
        (Some(save), Some(baseline)) if save == baseline => Err(refused(
            "--save",
            format!(
                "`{save}` is the baseline to compare with, which it would replace, allowed is \
                 another name"
            ),
        )),
        _ => Ok(()),
    }
}

fn check_name(argument: &str, name: &Option<String>) -> Result<()> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let is_good = |name: &str| {
        (1..=LONGEST_NAME).contains(&name.len())
            && name.bytes().all(allowed)
            && !name.starts_with('.')
    };
    match name {
        Some(name) if !is_good(name) => Err(refused(
            argument,
            format!(
                "`{name}` is not a name, allowed are 1 to {LONGEST_NAME} of A-Z a-z 0-9 . _ - \
                 without a dot in front"
            ),
        )),
        _ => Ok(()),
    }
}

/// `--margin`, as a part.
pub(super) fn margin(arguments: &BenchArguments) -> Result<f64> {
    match &arguments.margin {
        Some(text) => list::percentage("--margin", text),
        None => Ok(MARGIN),
    }
}

/// `--processes`.
pub(super) fn processes(arguments: &BenchArguments) -> Result<u32> {
    match &arguments.processes {
        Some(text) => {
            let number = list::number("--processes", text, 1..=MOST_PROCESSES)?;
            Ok(u32::try_from(number).unwrap_or(1))
        }
        None if arguments.save.is_some() || arguments.baseline.is_some() => Ok(COMPARED_PROCESSES),
        None => Ok(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(save: Option<&str>, baseline: Option<&str>) -> String {
        let arguments = BenchArguments {
            save: save.map(str::to_owned),
            baseline: baseline.map(str::to_owned),
            ..BenchArguments::default()
        };
        let refused = check_names(&arguments).err();
        refused.map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn names_of_baselines_are_file_names_in_their_folder() {
        let long = "a".repeat(101);
        for name in ["", "../x", "a b", "a/b", "ä", ".", "..", ".hidden", &long] {
            for (argument, said) in [
                ("--save", names(Some(name), None)),
                ("--baseline", names(None, Some(name))),
            ] {
                let sentence = format!(
                    "{argument} `{name}` is not a name, allowed are 1 to 100 of A-Z a-z 0-9 . _ - \
                     without a dot in front"
                );
                assert_eq!(said, sentence);
            }
        }
        for name in ["h200_v1.0-a", "a", &long[1..]] {
            assert_eq!(names(Some(name), None), "");
        }
    }

    #[test]
    fn a_baseline_is_not_replaced_by_the_run_that_is_compared_with_it() {
        assert_eq!(
            names(Some("x"), Some("x")),
            "--save `x` is the baseline to compare with, which it would replace, allowed is \
             another name"
        );
        assert_eq!(names(Some("x"), Some("y")), "");
    }
}
