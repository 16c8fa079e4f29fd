//! What the tests of batches of integrals have in common, whatever the rule.

use quadscan::device::{EMULATOR, Module, ViewMut};
use quadscan::integrate::{CONVERGED, Items, Kernels, Outcome, Real};
use quadscan_tests::integrals;
use quadscan_tests::probes::operands::Random;
use quadscan_tests::suite::{Bench, Outcome as Conclusion};

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
    let is_within = error <= of.error + 4.0 * f64::EPSILON * exact.abs() && of.error.is_finite();
    let is_right = of.status != CONVERGED || error <= 10.0 * tolerance * size;
    let complaint = format!("{name} {parameters:?}, {tolerance:e}: {of:?}, not {exact:?}");
    ((!is_right).then_some(complaint), is_within)
}

/// The families and how many parameters each has, in the order in which members are drawn; what
/// else has parameters follows.
const DRAWN: [(&str, usize); 9] = [
    ("power_log", 1),
    ("bessel", 1),
    ("genz_oscillatory", 2),
    ("genz_product_peak", 2),
    ("genz_corner_peak", 1),
    ("genz_gaussian", 2),
    ("genz_continuous", 2),
    ("genz_discontinuous", 2),
    ("planck", 1),
];

/// Members of families, and how many of a thousand have to do what.
pub(crate) struct Families {
    /// The seed of their parameters.
    pub(crate) seed: u64,
    /// How many of each; of a thousand a quarter on the emulator.
    pub(crate) members: usize,
    /// A member's parameters.
    pub(crate) parameters: fn(&str, usize, &mut Random) -> Vec<f64>,
    /// Tolerances, relative.
    pub(crate) tolerances: &'static [f64],
    /// How many members of a family converge at least.
    pub(crate) converge: fn(&str, f64) -> usize,
    /// How many errors are within their estimates at least.
    pub(crate) within: usize,
}

impl Families {
    /// None that converged is wrong, and so many converge and have errors within their
    /// estimates, by `integrate`, which takes a module, kernels of it, a tolerance, and items.
    pub(crate) fn hold(
        &self,
        bench: &Bench,
        mut integrate: impl FnMut(
            &Module,
            Kernels<f64>,
            f64,
            &Items<'_, f64>,
            ViewMut<'_, Outcome<f64>>,
        ) -> quadscan::Result<()>,
    ) -> Conclusion {
        let all = bench.integrands()?;
        let is_emulated = bench.device.properties().kind == EMULATOR;
        let members = match self.members {
            1000 if is_emulated => 250,
            members => members,
        };
        let mut random = Random::named(self.seed, "families");
        let more = all
            .iter()
            .map(|(_, entry)| (entry.f64.name, entry.f64.parameters.len()));
        let more = more.filter(|&(name, each)| each > 0 && DRAWN.iter().all(|of| of.0 != name));
        for (name, each) in DRAWN.into_iter().chain(more) {
            let given: Vec<f64> = (0..members)
                .flat_map(|_| (self.parameters)(name, each, &mut random))
                .collect();
            let Some((module, entry)) = all.iter().find(|(_, entry)| entry.f64.name == name) else {
                // The kernels of the tests were not built.
                continue;
            };
            let of = entry.f64;
            let parameters = bench.device.upload(&given)?;
            let items = Items::between(of.limits.0, of.limits.1).with_each(&parameters);
            for &tolerance in self.tolerances {
                let found = outcomes(bench, members, |output| {
                    integrate(module, of, tolerance, &items, output)
                })?;
                let (mut within, mut converged) = (0, 0);
                for (of_item, given) in found.iter().zip(given.chunks(each)) {
                    let (wrong, is_within) = judged(of.name, of_item, given, tolerance);
                    assert_eq!(wrong, None);
                    within += usize::from(is_within);
                    converged += usize::from(of_item.status == CONVERGED);
                }
                let least = (self.converge)(name, tolerance);
                assert!(
                    within * 1000 >= members * self.within,
                    "{name} {tolerance:e}: {within} of {members} within"
                );
                assert!(
                    converged * 1000 >= members * least,
                    "{name} {tolerance:e}: {converged} of {members} converged"
                );
            }
        }
        Ok(())
    }
}
