//! Numbers that a rule is asked with, as they are typed.

use std::ops::RangeInclusive;

use quadscan_kernels::integrate::chunks::MAX_STRIPS;

use super::number::Number;
use super::refused;
use crate::cli::IntegrateArguments;
use crate::error::Result;
use crate::table::list;

/// The least relative tolerance over boxes, in epsilons: claims have 8 and two for each dimension.
pub(super) const ROUNDING_OF_BOXES: f64 = 12.0;

/// A whole number in a range, where one is given.
pub(super) fn small(
    argument: &str,
    given: &Option<String>,
    all: RangeInclusive<u32>,
    default: u32,
) -> Result<u32> {
    let Some(text) = given else {
        return Ok(default);
    };
    let range = u64::from(*all.start())..=u64::from(*all.end());
    let value = list::number(argument, text, range)?;
    Ok(u32::try_from(value).unwrap_or(default))
}

/// The most evaluations, where they are given.
pub(super) fn evaluations(
    arguments: &IntegrateArguments,
    allowed: RangeInclusive<u64>,
) -> Result<Option<u64>> {
    let Some(text) = &arguments.evaluations else {
        return Ok(None);
    };
    let given = list::size(text).filter(|given| allowed.contains(given));
    given.map(Some).ok_or_else(|| {
        let (least, most, rule) = (allowed.start(), allowed.end(), arguments.rule());
        let most = match most.is_power_of_two() {
            true => format!("2^{}", most.ilog2()),
            false => most.to_string(),
        };
        let problem = format!(
            "`{text}` is not a number of evaluations, allowed for {rule} are {least} to {most}, \
             such as 10000 or 2^30"
        );
        refused("--evaluations", problem)
    })
}

/// What chooses random numbers, where it is given.
pub(super) fn seed(arguments: &IntegrateArguments) -> Result<Option<u64>> {
    let Some(text) = &arguments.seed else {
        return Ok(None);
    };
    let problem = || {
        format!(
            "`{text}` is no seed, allowed are whole numbers up to {}",
            u64::MAX
        )
    };
    let seed = text.parse().map_err(|_| refused("--seed", problem()))?;
    Ok(Some(seed))
}

/// The tolerances of a standard error.
pub(super) fn of_samples(arguments: &IntegrateArguments, default: f64) -> Result<(f64, f64)> {
    tolerances(arguments, default, ROUNDING_OF_BOXES)
}

/// `1000` or `2^20`.
pub(super) fn strips(arguments: &IntegrateArguments) -> Result<u64> {
    let Some(text) = &arguments.strips else {
        let problem = format!("is missing, {} needs it: from 1 to 2^40", arguments.rule());
        return Err(refused("--strips", problem));
    };
    let problem = match list::size(text) {
        Some(strips) if (1..=MAX_STRIPS).contains(&strips) => return Ok(strips),
        Some(_) => "is out of range",
        None => "is not a number of strips",
    };
    let most = MAX_STRIPS.ilog2();
    let allowed = format!("allowed are 1 to 2^{most}, such as 1000 or 2^20");
    Err(refused(
        "--strips",
        format!("`{text}` {problem}, {allowed}"),
    ))
}

/// The absolute tolerance and the relative one, of which `least` epsilons can be reached.
pub(super) fn tolerances<R: Number>(
    arguments: &IntegrateArguments,
    default: R,
    least: f64,
) -> Result<(R, R)> {
    let one = |argument: &str, given: &Option<String>| {
        let Some(text) = given else { return Ok(None) };
        let value = R::parse(text).ok();
        let value = value.filter(|value| *value >= R::ZERO && value.is_number());
        let problem = || format!("`{text}` is not a tolerance, allowed are 0 and positive numbers");
        value.map(Some).ok_or_else(|| refused(argument, problem()))
    };
    let absolute = one("--absolute", &arguments.absolute)?.unwrap_or(R::ZERO);
    let relative = one("--tolerance", &arguments.tolerance)?;
    // Who names but the absolute one wants no other.
    let relative = relative.unwrap_or(match arguments.absolute {
        Some(_) => R::ZERO,
        None => default,
    });
    let least = least * R::EPSILON.to_f64();
    if absolute == R::ZERO && relative.to_f64() < least {
        let (given, rule) = (
            arguments.tolerance.as_deref().unwrap_or("0"),
            arguments.rule(),
        );
        // Two digits, and no less.
        let (name, least) = (R::TYPE_NAME, 1.06 * least);
        let problem = format!(
            "`{given}` is less than {rule} can reach in {name}, allowed are {least:.1e} and more, \
             or a positive --absolute beside it"
        );
        return Err(refused("--tolerance", problem));
    }
    Ok((absolute, relative))
}

/// Numbers divided by commas.
pub(super) fn breaks<R: Number>(arguments: &IntegrateArguments) -> Result<Vec<R>> {
    let Some(text) = &arguments.breaks else {
        return Ok(Vec::new());
    };
    let one = |item: &str| match R::parse(item) {
        Ok(value) if value.is_number() => Ok(value),
        Ok(_) => Err(format!("`{item}` is not a point")),
        Err(problem) => Err(problem),
    };
    let all: std::result::Result<Vec<R>, String> = text.split(',').map(one).collect();
    all.map_err(|problem| {
        let problem = format!("{problem}, allowed are finite numbers, such as 0.25,0.5");
        refused("--break", problem)
    })
}
