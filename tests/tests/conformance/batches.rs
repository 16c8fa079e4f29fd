//! What the statements on batches of integrals have in common, whatever the rule.

use quadscan::device::ViewMut;
use quadscan::integrate::{CONVERGED, Outcome, Real};
use quadscan_tests::integrals;
use quadscan_tests::suite::Bench;

/// An outcome of nothing, between which and what a launch writes there are no doubts.
pub(crate) fn nothing<R: Real>() -> Outcome<R> {
    Outcome {
        value: R::from_f64(-77.0),
        error: R::from_f64(-77.0),
        at: R::from_f64(-77.0),
        evaluations: 77,
        status: 77,
        padding: [77; 2],
    }
}

/// The outcomes of `n` items that `integrate` writes, and that nothing is written beside them.
pub(crate) fn outcomes<R: Real>(
    bench: &Bench,
    n: usize,
    integrate: impl FnOnce(ViewMut<'_, Outcome<R>>) -> quadscan::Result<()>,
) -> quadscan::Result<Vec<Outcome<R>>> {
    let mut output = bench.device.upload(&vec![nothing(); n + 2])?;
    integrate(output.slice_mut(1..=n)?)?;
    let mut all = output.to_vec()?;
    let beside = (all.remove(0), all.pop());
    assert_eq!(beside, (nothing(), Some(nothing())), "written beside");
    Ok(all)
}

/// What is wrong with an outcome, if anything: one that converged is off by 10 times the
/// tolerance at most. Whether the error is within its estimate stands beside.
pub(crate) fn judged(
    name: &str,
    of: &Outcome<f64>,
    parameters: &[f64],
    tolerance: f64,
) -> (Option<String>, bool) {
    let exact = integrals::exact(name, parameters).expect("has a closed form");
    let size = integrals::magnitude(name, parameters).unwrap_or(exact.abs());
    let error = (of.value - exact).abs();
    // The closed form has been rounded, too.
    let is_within = error <= of.error + 4.0 * f64::EPSILON * exact.abs();
    let is_right = of.status != CONVERGED || error <= 10.0 * tolerance * size;
    let complaint = format!("{name} {parameters:?}, {tolerance:e}: {of:?}, not {exact:?}");
    ((!is_right).then_some(complaint), is_within)
}
