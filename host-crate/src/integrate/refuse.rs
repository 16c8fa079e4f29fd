//! What integrals refuse before anything is launched.

use quadscan_kernels::integrate::chunks::MAX_STRIPS;
use quadscan_kernels::integrate::rules::{MAX_POINTS, MIN_POINTS};

use super::{Kernels, MAX_PARAMETERS, Parameters, Real, Rule};
use crate::device::{Device, Module};
use crate::{Error, Result};

/// An argument that is not allowed.
pub(super) fn argument(argument: &str, problem: String) -> Error {
    Error::Argument {
        argument: argument.to_owned(),
        problem,
    }
}

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
    Err(argument("strips", problem))
}

/// A number of points that no rule has.
pub(super) fn rule(rule: Rule) -> Result<()> {
    match rule {
        Rule::GaussLegendre(points) if !(MIN_POINTS..=MAX_POINTS).contains(&points) => {
            let problem = format!("is {points}, allowed are {MIN_POINTS} to {MAX_POINTS}");
            Err(argument("points", problem))
        }
        _ => Ok(()),
    }
}

/// Limits that equal strips cannot lie between.
pub(super) fn limits<R: Real>((from, to): (R, R)) -> Result<()> {
    for (name, limit) in [("from", from), ("to", to)] {
        if !limit.is_number() {
            let problem = format!("is {limit:?}, a composite rule allows finite numbers");
            return Err(argument(name, problem));
        }
    }
    if !(to - from).is_number() {
        let problem = format!(
            "is {to:?}, which is farther from {from:?} than {} can say",
            R::NAME
        );
        return Err(argument("to", problem));
    }
    Ok(())
}

/// The parameters as kernels take them; one for each that the integrand has.
pub(super) fn parameters<R: Real>(of: &Kernels<R>, given: &[R]) -> Result<Parameters<R>> {
    let names = of.parameters;
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
        return Err(argument("parameters", problem));
    }
    let mut all = [R::ZERO; MAX_PARAMETERS];
    all[..given.len()].copy_from_slice(given);
    Ok(all)
}

/// A launch that a kernel does not have.
pub(super) fn shape(blocks: u32, warps: u32, most: u32) -> Result<()> {
    if blocks == 0 {
        return Err(argument("blocks", "is 0, allowed are 1 and more".into()));
    }
    if !(1..=most).contains(&warps) {
        let problem = format!("is {warps}, allowed are 1 to {most}");
        return Err(argument("warps", problem));
    }
    Ok(())
}

/// Tolerances that nothing can be within.
pub(super) fn tolerances<R: Real>(absolute: R, relative: R) -> Result<()> {
    for (name, tolerance) in [("absolute", absolute), ("relative", relative)] {
        // NaN is refused as well.
        if !(tolerance >= R::ZERO && tolerance.is_number()) {
            let problem = format!("is {tolerance:?}, allowed are 0 and positive numbers");
            return Err(argument(name, problem));
        }
    }
    if absolute == R::ZERO && relative == R::ZERO {
        let problem = "and absolute are 0, and one of them has to be positive".into();
        return Err(argument("relative", problem));
    }
    Ok(())
}

/// A number of intervals that there is no room for.
pub(super) fn intervals(intervals: u32, most: u32) -> Result<()> {
    if (1..=most).contains(&intervals) {
        return Ok(());
    }
    let problem = format!("is {intervals}, allowed are 1 to {most}");
    Err(argument("intervals", problem))
}

/// A last level that there is no table for, or that nothing can be told from.
pub(super) fn levels(levels: u32, least: u32, most: u32) -> Result<()> {
    if (least..=most).contains(&levels) {
        return Ok(());
    }
    let problem = format!("is {levels}, allowed are {least} to {most}");
    Err(argument("levels", problem))
}

/// Break points that are none.
pub(super) fn breaks<R: Real>(breaks: &[R]) -> Result<()> {
    match breaks.iter().position(|point| !point.is_number()) {
        None => Ok(()),
        Some(index) => {
            let problem = format!("has {:?} at {index}, allowed are numbers", breaks[index]);
            Err(argument("breaks", problem))
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
    Err(argument(name, problem))
}

/// Memory of another device than the module's.
pub(super) fn foreign(module: &Module, entry: &str, argument: &str, owner: &Device) -> Result<()> {
    let device = module.device();
    if owner == device {
        return Ok(());
    }
    Err(Error::ForeignBuffer {
        kernel: entry.to_owned(),
        argument: argument.to_owned(),
        owner: owner.label(),
        device: device.label(),
    })
}
