//! What iterations say together.

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

/// The mean of iterations, each weighted by the inverse of its variance, and chi square of their
/// differences (Lepage, 2021, equations 29 to 31). One that saw nothing, whose standard error is
/// 0, has no weight, but disagrees with those that did.
pub(super) fn together(iterations: &[Iteration]) -> Together {
    let seen = || iterations.iter().filter(|one| one.sigma > 0.0);
    let weight = |one: &Iteration| 1.0 / (one.sigma * one.sigma);
    // Relative to the best, so that squares do not overflow.
    let best = seen().map(|one| one.sigma).fold(f64::INFINITY, f64::min);
    let scaled = |one: &Iteration| {
        weight(&Iteration {
            sigma: one.sigma / best,
            ..*one
        })
    };
    let weights: f64 = seen().map(scaled).sum();
    if weights == 0.0 {
        return Together {
            value: 0.0,
            sigma: 0.0,
            chi_square: 0.0,
            agree: true,
        };
    }
    let value = seen().map(|one| one.value * scaled(one)).sum::<f64>() / weights;
    let sigma = best / weights.sqrt();
    let all: f64 = seen()
        .map(|one| {
            let off = (one.value - value) / one.sigma;
            off * off
        })
        .sum();
    let degrees = seen().count() as f64 - 1.0;
    let chi_square = if degrees > 0.0 { all / degrees } else { 0.0 };
    // The cube root of chi square is nearly normal (Wilson and Hilferty, The distribution of
    // chi-square, 1931).
    let spread = 2.0 / (9.0 * degrees.max(1.0));
    let above = (chi_square.cbrt() - (1.0 - spread)) / spread.sqrt();
    let agree = above <= ONE_OF_A_HUNDRED && seen().count() == iterations.len();
    Together {
        value,
        sigma,
        chi_square,
        agree,
    }
}
