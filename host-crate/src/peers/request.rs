//! What `quadscan peers` asks for, checked: each objection is one sentence.

use std::path::PathBuf;

use super::operation::{Element, Operation};
use crate::cli::PeersArguments;
use crate::device::DeviceChoice;
use crate::error::{Error, Result};

/// The most elements.
const MOST_ELEMENTS: u64 = 1 << 33;

/// Sizes of `A..B` where nothing else is said.
const SIZES: &str = "2^10..2^30";

/// Operations where nothing else is said.
const KINDS: &str = "inclusive_sum,copy";

/// Elements of a segment where nothing else is said.
const RUN: u64 = 32;

/// A request that can be carried out, as far as the command line tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Where.
    pub device: DeviceChoice,
    /// Numbers of elements.
    pub sizes: Vec<u64>,
    /// What.
    pub operations: Vec<Operation>,
    /// Elements of a segment, or of one key.
    pub run: u64,
    /// Exactly so many samples.
    pub repeat: Option<u32>,
    /// The folder of another CUB beside the toolkit's.
    pub cub: Option<PathBuf>,
    /// The folder of the peers' source.
    pub peers: PathBuf,
    /// Where libraries are kept.
    pub out: PathBuf,
    /// What runs the script.
    pub python: PathBuf,
}

fn objection(argument: &str, problem: String) -> Error {
    Error::Argument {
        argument: argument.to_owned(),
        problem,
    }
}

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
    (1..=MOST_ELEMENTS).contains(&n).then_some(n)
}

/// Sizes divided by commas, and all powers of two of `2^A..2^B`.
fn sizes(text: &str) -> Result<Vec<u64>> {
    let refused = |item: &str| {
        let allowed = "allowed are numbers of elements from 1 to 2^33, such as 1000, 2^20, \
                       2^20+3 or 2^10..2^30";
        objection("--sizes", format!("`{item}` is no size, {allowed}"))
    };
    let mut sizes = Vec::new();
    for item in text.split(',') {
        let found = match item.split_once("..") {
            None => vec![size(item).ok_or_else(|| refused(item))?],
            Some((first, last)) => {
                let power = |text: &str| size(text).filter(|n| n.is_power_of_two());
                let ends = power(first).zip(power(last)).filter(|(a, b)| a <= b);
                let (first, last) = ends.ok_or_else(|| refused(item))?;
                let doubled = |n: &u64| Some(2 * n).filter(|&n| n <= last);
                std::iter::successors(Some(first), doubled).collect()
            }
        };
        sizes.extend(found);
    }
    Ok(sizes)
}

/// What is in the lists of kinds and of types. The copy has no type.
fn operations(kinds: &str, types: Option<&str>) -> Result<Vec<Operation>> {
    let kinds: Vec<&str> = kinds.split(',').collect();
    let mut known: Vec<String> = Operation::all().map(Operation::kind).collect();
    known.dedup();
    for kind in &kinds {
        if *kind != "all" && !known.iter().any(|known| known == kind) {
            let allowed = known.join(", ");
            let problem = format!("`{kind}` is unknown, allowed are all, {allowed}");
            return Err(objection("--operations", problem));
        }
    }
    let types = types.map(|types| types.split(',').collect::<Vec<_>>());
    for name in types.iter().flatten() {
        if !Element::ALL.iter().any(|element| element.name() == *name) {
            let allowed = Element::ALL.map(Element::name).join(", ");
            let problem = format!("`{name}` is unknown, allowed are {allowed}");
            return Err(objection("--types", problem));
        }
    }
    let is_asked = |operation: &Operation| {
        let kind = operation.kind();
        let of_type = |element: Element| {
            types
                .as_ref()
                .is_none_or(|types| types.contains(&element.name()))
        };
        kinds.iter().any(|asked| *asked == "all" || *asked == kind)
            && operation.element().is_none_or(of_type)
    };
    let found: Vec<Operation> = Operation::all().filter(is_asked).collect();
    if found.is_empty() {
        let problem = format!("has no type of {}", kinds.join(", "));
        return Err(objection("--types", problem));
    }
    Ok(found)
}

/// A number from 1 to 2^31 - 1.
fn count(argument: &str, text: Option<&str>) -> Result<Option<u32>> {
    const MOST: u32 = i32::MAX as u32;
    let of = |text: &str| {
        let fits = |&n: &u32| (1..=MOST).contains(&n);
        let number = whole(text).and_then(|n| u32::try_from(n).ok()).filter(fits);
        number.ok_or_else(|| objection(argument, format!("`{text}` is no number from 1 to {MOST}")))
    };
    text.map(of).transpose()
}

impl Request {
    /// Checks the command line.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`], [`Error::UnknownDevice`].
    pub fn new(arguments: &PeersArguments) -> Result<Self> {
        let unknown = |_| {
            objection(
                "--device",
                format!(
                    "`{}` is unknown, allowed are auto, cuda and cuda:N",
                    arguments.device
                ),
            )
        };
        let device: DeviceChoice = arguments.device.parse().map_err(unknown)?;
        if let DeviceChoice::Emulator { .. } = device {
            let problem = "emulator has no times, allowed are auto, cuda and cuda:N";
            return Err(objection("--device", problem.to_owned()));
        }
        let kinds = arguments.operations.as_deref().unwrap_or(KINDS);
        Ok(Request {
            device,
            sizes: sizes(arguments.sizes.as_deref().unwrap_or(SIZES))?,
            operations: operations(kinds, arguments.types.as_deref())?,
            run: count("--segment", arguments.segment.as_deref())?.map_or(RUN, u64::from),
            repeat: count("--repeat", arguments.repeat.as_deref())?,
            cub: arguments.cub.clone(),
            peers: arguments.peers.clone(),
            out: arguments.out.clone(),
            python: arguments.python.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser;

    fn request(arguments: &[&str]) -> std::result::Result<Request, String> {
        let line = [&["quadscan", "peers"], arguments].concat();
        match Cli::try_parse_from(line).map(|cli| cli.command) {
            Ok(Command::Peers(arguments)) => {
                Request::new(&arguments).map_err(|error| error.to_string())
            }
            other => panic!("{other:?}"),
        }
    }

    fn names(arguments: &[&str]) -> String {
        let request = request(arguments).unwrap_or_else(|e| panic!("{e}"));
        let names: Vec<String> = request.operations.iter().map(ToString::to_string).collect();
        names.join(" ")
    }

    #[test]
    fn sizes_are_numbers_powers_and_ranges_of_powers() {
        let sizes = |text: &str| request(&["--sizes", text]).map(|request| request.sizes);
        assert_eq!(
            sizes("1000,2^20,2^20+3"),
            Ok(vec![1000, 1 << 20, (1 << 20) + 3])
        );
        assert_eq!(sizes("2^3..2^6"), Ok(vec![8, 16, 32, 64]));
        assert_eq!(sizes("2^33"), Ok(vec![1 << 33]));
        assert_eq!(request(&[]).map(|request| request.sizes.len()), Ok(21));
        for wrong in [
            "", "0", "x", "2^", "2^34", "2^64", "2^3..2^2", "3..9", "1,,2", "-1", "2^3+",
        ] {
            let problem = sizes(wrong).err().unwrap_or_default();
            assert!(problem.starts_with("--sizes `"), "{wrong}: {problem}");
            assert!(
                problem.ends_with("such as 1000, 2^20, 2^20+3 or 2^10..2^30"),
                "{problem}"
            );
        }
    }

    #[test]
    fn operations_are_kinds_of_all_types_or_of_the_named_ones() {
        assert_eq!(
            names(&["--types", "f32,u8_u32"]),
            "inclusive_sum_u8_u32 inclusive_sum_f32 copy"
        );
        assert_eq!(
            names(&["--operations", "inclusive_min"]),
            "inclusive_min_i32 inclusive_min_f32"
        );
        assert_eq!(
            names(&["--operations", "all", "--types", "f64x2"]),
            "inclusive_affine_f64x2 exclusive_affine_f64x2 copy"
        );
        let all = request(&["--operations", "all"]).map(|request| request.operations.len());
        assert_eq!(all, Ok(Operation::all().count()));
    }

    #[test]
    fn what_is_unknown_is_named_with_what_is_allowed() {
        let problem = |arguments: &[&str]| request(arguments).err().unwrap_or_default();
        assert_eq!(
            problem(&["--types", "i32,f8"]),
            "--types `f8` is unknown, allowed are u8, i8, u8_u32, u16, i16, f16, bf16, i32, \
             u32, f32, i64, u64, f64, f64x2"
        );
        let unknown = problem(&["--operations", "inclusive_xor"]);
        let start = "--operations `inclusive_xor` is unknown, allowed are all, inclusive_sum, ";
        assert!(unknown.starts_with(start), "{unknown}");
        assert_eq!(
            problem(&["--operations", "inclusive_min", "--types", "f64"]),
            "--types has no type of inclusive_min"
        );
        assert_eq!(
            problem(&["--segment", "0"]),
            "--segment `0` is no number from 1 to 2147483647"
        );
        assert_eq!(
            problem(&["--repeat", "x"]),
            "--repeat `x` is no number from 1 to 2147483647"
        );
        assert_eq!(
            problem(&["--device", "emulator"]),
            "--device emulator has no times, allowed are auto, cuda and cuda:N"
        );
        assert_eq!(
            problem(&["--device", "gpu"]),
            "--device `gpu` is unknown, allowed are auto, cuda and cuda:N"
        );
    }
}
