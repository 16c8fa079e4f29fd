//! What iterations say together.

use cuda_std::GpuFloat;

/// Rounding of a mean, in units of the root of the mean square.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// What the standard error of a mean is at least, for that mean and the mean square: what rounding
/// leaves; where squares underflow, the root of the largest of which that can be. 0 where all were 0.
pub(super) fn least_sigma(mean: f64, square: f64) -> f64 {
    match () {
        _ if mean == 0.0 && square == 0.0 => 0.0,
        _ if square < f64::MIN_POSITIVE => f64::MIN_POSITIVE.sqrt(),
        _ => ROUNDING * square.sqrt(),
    }
}

/// An iteration's estimate and its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Iteration {
    pub(super) value: f64,
    pub(super) sigma: f64,
}

/// Iterations together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Together {
    pub(super) value: f64,
    pub(super) sigma: f64,
    /// A degree of freedom.
    pub(super) chi_square: f64,
    /// Whether they differ by no more than chance.
    pub(super) agree: bool,
}

/// How many standard deviations agreeing iterations are above the mean, in one of a hundred integrals.
const ONE_OF_A_HUNDRED: f64 = 2.326_347_874_040_841;

/// The mean of iterations, and chi square of their differences.
///
/// They have as many samples of the same grid each, so the mean is plain. Weights by the inverses of their
/// variances (Lepage, 2021, section 2.3) would favour those that met less of the function: their
/// variances are small too. An iteration that saw nothing, whose standard error is 0, disagrees with
/// those that did.
pub(super) fn together(iterations: &[Iteration]) -> Together {
    let count = iterations.len() as f64;
    let largest = iterations.iter().map(|one| one.sigma).fold(0.0, f64::max);
    let value = iterations.iter().map(|one| one.value / count).sum::<f64>();
    if largest == 0.0 {
        return Together {
            value,
            sigma: 0.0,
            chi_square: 0.0,
            agree: true,
        };
    }
    let square = |one: &Iteration| (one.sigma / largest) * (one.sigma / largest);
    let sigma = largest * iterations.iter().map(square).sum::<f64>().sqrt() / count;
    let seen = || iterations.iter().filter(|one| one.sigma > 0.0);
    let off = |one: &Iteration| (one.value - value) / one.sigma;
    let all: f64 = seen().map(|one| off(one) * off(one)).sum();
    let degrees = (count - 1.0).max(1.0);
    let chi_square = all / degrees;
    // The cube root of chi square is nearly normal (Wilson and Hilferty, The distribution of
    // chi-square, 1931): by the function of kernels, with the same bits on every host.
    let spread = 2.0 / (9.0 * degrees);
    let above = (GpuFloat::cbrt(chi_square) - (1.0 - spread)) / spread.sqrt();
    Together {
        value,
        sigma,
        chi_square,
        agree: above <= ONE_OF_A_HUNDRED && seen().count() == iterations.len(),
    }
}
