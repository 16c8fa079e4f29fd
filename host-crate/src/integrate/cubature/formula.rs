//! Plans of formulas.

use quadscan_kernels::cubature::formula::Formula as Hole;
use quadscan_kernels::cubature::integrand::IntegrandKernels;
use quadscan_kernels::cubature::region::MAX_DIMENSIONS;

use super::{Cubature, CubatureOptions};
use crate::device::Module;
use crate::integrate::Formula;
use crate::{Error, Result};

impl Cubature {
    /// A plan for integrals of a formula [of several variables](Formula::of_variables), over finite
    /// boxes; [`Formula::over_finite_box`] makes them of others. The module has to have the
    /// `functions_formula_f64` of our own kernels, too. An outcome has the bits of the same function in
    /// Rust.
    ///
    /// # Errors
    ///
    /// As [`Cubature::new`]; [`Error::Argument`] for a formula without variables of a box,
    /// [`Error::NoManifest`] for a module that no artifact is behind.
    ///
    /// ```
    /// use quadscan::device::{Artifact, Device, DeviceChoice};
    /// use quadscan::integrate::{Cubature, CubatureOptions, Formula, Status};
    ///
    /// # fn main() -> quadscan::Result<()> {
    /// let device = Device::open(DeviceChoice::Auto)?;
    /// # /*
    /// let module = device.load(&Artifact::embedded()?)?;
    /// # */ let folder = std::env::var("QUADSCAN_ARTIFACT").expect("`cargo xtask test` sets it");
    /// # let module = device.load(&unsafe { Artifact::read(folder) }?)?;
    /// // exp(-k (x^2 + y^2)) over the half plane above 0.
    /// let formula = Formula::of_variables("exp(-k*(x^2 + y^2))", &["x", "y"])?;
    /// let (formula, limits) =
    ///     formula.over_finite_box(&[(-f64::INFINITY, f64::INFINITY), (0.0, f64::INFINITY)])?;
    /// let mut plan = Cubature::of_formula(&module, &formula, CubatureOptions::default())?;
    /// let of = plan.integrate(&limits, &formula.parameters_by_name(&[("k", 2.0)])?)?;
    /// assert_eq!(of.status, Status::Converged);
    /// assert!((of.value - std::f64::consts::PI / 4.0).abs() <= of.error);
    /// # Ok(())
    /// # }
    /// ```
    pub fn of_formula(
        module: &Module,
        formula: &Formula,
        options: CubatureOptions,
    ) -> Result<Self> {
        let variables = formula.expect_variables()?;
        if variables > MAX_DIMENSIONS {
            let problem = format!(
                "has {variables} variables, allowed are up to {MAX_DIMENSIONS}; of up to 32 are \
                 Vegas, Lattice and Sobol"
            );
            return Err(Error::argument("formula", problem));
        }
        let module = formula.over_box(module, Hole::KERNELS.rule())?;
        Ok(Self {
            variables: Some(variables),
            ..Self::new(&module, Hole::KERNELS, options)?
        })
    }
}
