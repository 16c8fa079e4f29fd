//! What integrals refuse before anything is launched.

use std::ops::RangeInclusive;

use quadscan_kernels::integrate::chunks::MAX_STRIPS;
use quadscan_kernels::integrate::rules::{MAX_POINTS, MIN_POINTS};

use super::subject::Subject;
use super::{MAX_PARAMETERS, Parameters, Real, Rule};
use crate::{Error, Result};

/// A number of strips that a rule, or a plan for `most`, does not have.
pub(super) fn strips(strips: u64, most: u64) -> Result<()> {
    if (1..=most).contains(&strips) {
        return Ok(());
    }
    let whose = if most == MAX_STRIPS {
        ""
    } else {
        " for this plan"
    };
    let problem = format!("is {strips}, allowed are 1 to {most}{whose}");
    Err(Error::argument("strips", problem))
}

/// A number of points that no rule has.
pub(super) fn rule(rule: Rule) -> Result<()> {
    match rule {
        Rule::GaussLegendre(points) => within("points", points, MIN_POINTS..=MAX_POINTS),
        _ => Ok(()),
    }
}

/// Limits that equal strips cannot lie between.
pub(super) fn limits<R: Real>((from, to): (R, R)) -> Result<()> {
    for (name, limit) in [("from", from), ("to", to)] {
        if !limit.is_number() {
            let problem = format!("is {limit:?}, a composite rule allows finite numbers");
            return Err(Error::argument(name, problem));
        }
    }
    if !(to - from).is_number() {
        let problem = format!(
            "is {to:?}, which is farther from {from:?} than {} can represent",
            R::TYPE_NAME
        );
        return Err(Error::argument("to", problem));
    }
    Ok(())
}

/// The parameters as kernels take them; one for each that the integrand has.
pub(super) fn parameters<R: Real>(of: &Subject, given: &[R]) -> Result<Parameters<R>> {
    let names = &of.parameters[..];
    if given.len() != names.len() {
        let problem = match names {
            [] => format!("are {}, {} has none", given.len(), of.name),
            _ => format!(
                "are {}, {} has {}: {}",
                given.len(),
                of.name,
                names.len(),
                names.join(", ")
            ),
        };
        return Err(Error::argument("parameters", problem));
    }
    let mut all = [R::ZERO; MAX_PARAMETERS];
    all[..given.len()].copy_from_slice(given);
    Ok(all)
}

/// A launch that a kernel does not have.
pub(super) fn shape(blocks: u32, warps: u32, most: u32) -> Result<()> {
    if blocks == 0 {
        return Err(Error::argument("blocks", "is 0, allowed are 1 and more"));
    }
    within("warps", warps, 1..=most)
}

/// Tolerances that nothing can be within.
pub(super) fn tolerances<R: Real>(absolute: R, relative: R) -> Result<()> {
    for (name, tolerance) in [("absolute", absolute), ("relative", relative)] {
        // NaN is refused as well.
        if !(tolerance >= R::ZERO && tolerance.is_number()) {
            let problem = format!("is {tolerance:?}, allowed are 0 and positive numbers");
            return Err(Error::argument(name, problem));
        }
    }
    if absolute == R::ZERO && relative == R::ZERO {
        let problem = "and absolute are 0, and one of them has to be positive";
        return Err(Error::argument("relative", problem));
    }
    Ok(())
}

/// A number that is not allowed.
pub(super) fn within(name: &str, given: u32, allowed: RangeInclusive<u32>) -> Result<()> {
    if allowed.contains(&given) {
        return Ok(());
    }
    let (least, most) = allowed.into_inner();
    let problem = format!("is {given}, allowed are {least} to {most}");
    Err(Error::argument(name, problem))
}

/// Break points that are none.
pub(super) fn breaks<R: Real>(breaks: &[R]) -> Result<()> {
    match breaks.iter().position(|point| !point.is_number()) {
        None => Ok(()),
        Some(index) => {
            let problem = format!("has {:?} at {index}, allowed are numbers", breaks[index]);
            Err(Error::argument("breaks", problem))
        }
    }
}

/// An array that has not `each` elements for each of `n` items.
pub(super) fn elements(name: &str, found: usize, n: usize, each: usize) -> Result<()> {
    if n.checked_mul(each) == Some(found) {
        return Ok(());
    }
    let of = if each == 1 {
        format!("one for each of {n} outcomes")
    } else {
        format!("{each} for each of {n} outcomes")
    };
    let problem = format!("has {found} elements, allowed are {of}");
    Err(Error::argument(name, problem))
}
