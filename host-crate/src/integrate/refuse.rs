//! What integrals refuse before anything is launched.

use quadscan_kernels::integrate::composite::MAX_STRIPS;
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
