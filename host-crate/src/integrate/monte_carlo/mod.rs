//! Integrals over boxes of up to 32 dimensions: by random points that adapt, by lattices and by Sobol
//! points.

mod formula;
mod lattice;
mod samples;
mod statistics;
#[cfg(test)]
mod tests;
mod vegas;

use quadscan_kernels::monte_carlo::integrand::{Kernels, Parameters};

use super::sorted::Sorted;
use crate::{Error, Result};

pub use lattice::{
    Lattice, LatticeOptions, PointSet, QuasiMonteCarlo, Rank1, Scrambled, Sobol, SobolOptions,
};
pub use vegas::{Vegas, VegasOptions};

/// How an integral by random points ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SamplingStatus {
    /// The standard error is within the tolerance, and the iterations agree.
    Converged,
    /// The allowed iterations or points were not enough; value and standard error are those reached.
    OutOfRoom,
    /// The iterations differ by more than their standard errors tell, as agreeing ones do in one of a
    /// hundred integrals: the standard error is not to be believed. More evaluations an iteration help
    /// where some part of the function is hardly ever met.
    Disagree,
    /// The function was 0 at every point: either it is 0, or no point met what there is of it.
    Unseen,
    /// The function is infinite or NaN somewhere, or its sums overflow, or the product of the box's
    /// widths is not a normal number: there is no value.
    NotFinite,
}

/// What came of an integral by random points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The integral; NaN where there is none.
    pub value: f64,
    /// Its standard error: with probability 0.68 the integral is no farther off.
    pub sigma: f64,
    /// Chi square of the iterations that count, a degree of freedom: about 1 where they agree. 0
    /// where there is one, and of replicates.
    pub chi_square: f64,
    /// Evaluations of the function up to the iteration at which it ended, those that do not count among
    /// them; more may have been launched.
    pub evaluations: u64,
    /// Iterations that count, or replicates.
    pub iterations: u32,
    /// How it ended.
    pub status: SamplingStatus,
}

impl Estimate {
    /// That of an integral between equal limits.
    const NOTHING: Self = Self {
        value: 0.0,
        sigma: 0.0,
        chi_square: 0.0,
        evaluations: 0,
        iterations: 0,
        status: SamplingStatus::Converged,
    };

    /// That of a function that is not finite.
    const fn not_finite(evaluations: u64, iterations: u32) -> Self {
        Self {
            value: f64::NAN,
            sigma: f64::INFINITY,
            chi_square: f64::NAN,
            evaluations,
            iterations,
            status: SamplingStatus::NotFinite,
        }
    }
}

/// Refuses what is not a box of an integrand's dimensions, and parameters that are no numbers.
fn sorted(kernels: &Kernels, limits: &[(f64, f64)], parameters: &Parameters) -> Result<Sorted> {
    let (dimensions, least, most) = (limits.len(), kernels.least, kernels.most);
    if !(least..=most).contains(&dimensions) {
        let allowed = match least == most {
            true => most.to_string(),
            false => format!("{least} to {most}"),
        };
        let problem = format!(
            "are {dimensions}, allowed for {} are {allowed}",
            kernels.name
        );
        return Err(Error::argument("limits", problem));
    }
    Sorted::new(limits, parameters)
}

/// An option outside of what is allowed.
fn within<T: PartialOrd + std::fmt::Display>(
    name: &str,
    given: T,
    [least, most]: [T; 2],
) -> Result<()> {
    // NaN is refused as well.
    if given >= least && given <= most {
        return Ok(());
    }
    let problem = format!("is {given}, allowed are {least} to {most}");
    Err(Error::argument(name, problem))
}
