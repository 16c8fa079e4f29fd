//! Plans of formulas.

use quadscan_kernels::monte_carlo::formula::Formula as Hole;
use quadscan_kernels::monte_carlo::integrand::{IntegrandKernels, Kernels};

use super::{LatticeOptions, PointSet, QuasiMonteCarlo, Vegas, VegasOptions};
use crate::Result;
use crate::device::Module;
use crate::integrate::Formula;

impl Vegas {
    /// A plan for integrals of a formula [of 1 to 32 variables](Formula::of_variables), over finite
    /// boxes of as many dimensions; [`Formula::over_finite_box`] makes them of others. The module has to
    /// have the `functions_formula_f64` of our own kernels, too.
    ///
    /// # Errors
    ///
    /// As [`Vegas::new`]; [`Error::Argument`](crate::Error::Argument) for a formula without variables
    /// of a box, [`Error::NoManifest`](crate::Error::NoManifest) for a module that no artifact is
    /// behind.
    ///
    /// ```
    /// use quadscan::device::{Artifact, Device, DeviceChoice};
    /// use quadscan::integrate::{Formula, SamplingStatus, Vegas, VegasOptions};
    ///
    /// # fn main() -> quadscan::Result<()> {
    /// let device = Device::open(DeviceChoice::Auto)?;
    /// # /*
    /// let module = device.load(&Artifact::embedded()?)?;
    /// # */ let folder = std::env::var("QUADSCAN_ARTIFACT").expect("`cargo xtask test` sets it");
    /// # let module = device.load(&unsafe { Artifact::read(folder) }?)?;
    /// // A quarter of a disc, whose edge is no plane.
    /// let formula = Formula::of_variables("if(x^2 + y^2 < r^2, 1, 0)", &["x", "y"])?;
    /// let parameters = formula.parameters_by_name(&[("r", 1.0)])?;
    /// let options = VegasOptions { relative: 0.01, evaluations: 1 << 12, training: 2, ..VegasOptions::default() };
    /// let mut plan = Vegas::of_formula(&module, &formula, options)?;
    /// let of = plan.integrate(&[(0.0, 1.0); 2], &parameters)?;
    /// assert_eq!(of.status, SamplingStatus::Converged);
    /// assert!((of.value - std::f64::consts::FRAC_PI_4).abs() <= 5.0 * of.sigma);
    /// # Ok(())
    /// # }
    /// ```
    pub fn of_formula(module: &Module, formula: &Formula, options: VegasOptions) -> Result<Self> {
        let (module, kernels) = of_formula(module, formula)?;
        Self::new(&module, kernels, options)
    }
}

impl<P: PointSet> QuasiMonteCarlo<P> {
    /// A plan for integrals of a formula, as [`Vegas::of_formula`].
    ///
    /// # Errors
    ///
    /// As [`QuasiMonteCarlo::new`] and [`Vegas::of_formula`].
    pub fn of_formula(module: &Module, formula: &Formula, options: LatticeOptions) -> Result<Self> {
        let (module, kernels) = of_formula(module, formula)?;
        Self::new(&module, kernels, options)
    }
}

/// The module with the formula in it, and its kernels.
fn of_formula(module: &Module, formula: &Formula) -> Result<(Module, Kernels)> {
    let variables = formula.expect_variables()?;
    let kernels = Hole::KERNELS.of_dimensions(variables);
    Ok((formula.over_box(module, kernels.sample())?, kernels))
}
