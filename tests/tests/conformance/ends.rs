//! What lies between the end of an interval and the outermost node of a rule.

use quadscan::integrate::{Adaptive, CONVERGED, Formula, Items, Options};
use quadscan_tests::suite::{Bench, Outcome};

/// Members of Genz's families whose corner or jump no node sees: rules alone are off by up to 10^8
/// tolerances there. Closed forms.
pub(crate) fn a_corner_next_to_the_end_of_an_interval_is_seen(bench: &Bench) -> Outcome {
    let corner = |k: f64, u: f64| (2.0 - (-k * u).exp() - (-k * (1.0 - u)).exp()) / k;
    let jump = |k: f64, u: f64| (k * u / 100.0).exp_m1() * 100.0 / k;
    let corners = [
        (621.304, 0.414078194),
        (89.35001, 0.20702864),
        (707.59, 0.999973),
        (37.86, 0.00102),
    ];
    let jumps = [
        (621.304, 0.414078194),
        (735.5274, 0.9993445),
        (457.07, 0.062371),
        (546.97, 0.0044498),
    ];
    type Exact = fn(f64, f64) -> f64;
    let families: [(&str, Exact, _); 2] = [
        ("exp(-k*abs(x - u))", corner, corners),
        ("if(x < u, exp(k*x/100), 0)", jump, jumps),
    ];
    for (text, exact, members) in families {
        let formula = Formula::with_parameters(text, &["k", "u"])?;
        let mut plan = Adaptive::<f64>::of_formula(&bench.module, &formula, Options::default())?;
        let parameters = members.map(|(k, u)| [k, u]).concat();
        let parameters = bench.device.upload(&parameters)?;
        let found = plan.outcomes(&Items::between(0.0, 1.0).with_each(&parameters))?;
        for (of, (k, u)) in found.iter().zip(members) {
            let off = (of.value / exact(k, u) - 1.0).abs();
            assert!(
                off <= 1e-9 && of.status == CONVERGED,
                "{text}, {k}, {u}: {off:e} {of:?}"
            );
        }
    }
    Ok(())
}
