//! Kernels whose integrand is a hole, of up to 32 variables: as those of
//! [`integrate::formula`](crate::integrate::formula), whose elementary functions a formula takes.
//!
//! The hole `formula_at` is given `x0` to `x31`, a coordinate each, and the parameters `p0` to `p7`,
//! the first numbers of the integrand's [`Parameters`]. `formula_dimensions` makes how many
//! coordinates there are: so the code for the others is none, and a formula of few variables is as
//! fast as an integrand with [`Integrand::MOST`] as many. As they are compiled, the kernels integrate
//! `x0` in no dimensions.

use super::integrand::{Integrand, Parameters, Point};
use super::sizes::MAX_DIMENSIONS;

/// What is typed: `of_formula` of `quadscan::integrate::Vegas`, `Lattice` and `Sobol` puts it in.
#[derive(Clone, Copy, Debug)]
pub struct Formula;

impl Integrand for Formula {
    const MOST: usize = MAX_DIMENSIONS;
    const IS_TYPED: bool = true;

    /// On the host, where kernels have no PTX, NaN.
    #[cfg(not(target_os = "cuda"))]
    fn at(_: &Point, _: usize, _: &Parameters) -> f64 {
        f64::NAN
    }

    #[cfg(target_os = "cuda")]
    #[inline(always)]
    fn at(x: &Point, _: usize, [parameters, _]: &Parameters) -> f64 {
        let [p0, p1, p2, p3, p4, p5, p6, p7, ..] = *parameters;
        let parameters = &[p0, p1, p2, p3, p4, p5, p6, p7];
        crate::integrate::formula::hole!(
            "formula_at" "f64" reg64 f64 parameters,
            ("x0" = x[0], "x1" = x[1], "x2" = x[2], "x3" = x[3], "x4" = x[4], "x5" = x[5],
             "x6" = x[6], "x7" = x[7], "x8" = x[8], "x9" = x[9], "x10" = x[10], "x11" = x[11],
             "x12" = x[12], "x13" = x[13], "x14" = x[14], "x15" = x[15], "x16" = x[16],
             "x17" = x[17], "x18" = x[18], "x19" = x[19], "x20" = x[20], "x21" = x[21],
             "x22" = x[22], "x23" = x[23], "x24" = x[24], "x25" = x[25], "x26" = x[26],
             "x27" = x[27], "x28" = x[28], "x29" = x[29], "x30" = x[30], "x31" = x[31]),
            "mov.f64 formula_at, x0"
        )
    }

    #[cfg(target_os = "cuda")]
    #[inline(always)]
    fn dimensions(_: u32) -> usize {
        crate::integrate::formula::constant_hole!("formula_dimensions") as usize
    }
}

crate::monte_carlo_kernels! { formula = Formula }
