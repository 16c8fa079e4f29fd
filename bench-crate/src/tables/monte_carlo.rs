//! `monte-carlo`: integrals over the unit cube in 9 to 20 dimensions, by integrand, dimensions, rule and
//! tolerance; with `--peers --python` beside m-Cubes, vegas and Cuba. Every estimate is compared
//! with the closed form, in units of its standard error.
//!
//! The integrands are formulas. On the emulator a row has all but times, in up to three dimensions.

use super::cubature::{asked, formula, of_peer, panel, peers, shown, skips, tolerance};
use crate::axes::{Axis, INTEGRANDS, RULES, TOLERANCE, Values, own};
use crate::measure::Bench;
use crate::modules;
use crate::record::{Cell, Time};
use crate::table::column::{
    CONDITIONS, MORE, OUTCOME, Show, axis, count, decimals, derived, ms, noise, number, of,
    optional, scientific,
};
use crate::table::figure::{Figure, Figures, Lines};
use crate::table::peers::names;
use crate::table::source::{self, Source};
use crate::table::{Table, TableAxis, values};
use crate::timing::host;
use crate::workload::boxes::Boxed;
use quadscan::Result as Done;
use quadscan::device::Module;
use quadscan::integrate::{
    Estimate, Formula, Lattice, LatticeOptions, SamplingStatus, Sobol, Vegas, VegasOptions,
};
use quadscan_kernels::monte_carlo::integrand::Parameters;
use quadscan_kernels::monte_carlo::sizes::MAX_DIMENSIONS;

/// How many variables.
const DIMENSIONS: Axis = own("dimensions", Values::Numbers(MAX_DIMENSIONS as u64));
/// As many, where none are named.
const USUAL: [u64; 3] = [9, 16, 20];

const VEGAS: &str = "vegas";
const LATTICE: &str = "lattice";
const SOBOL: &str = "sobol";

/// What is timed beside ours.
const CODES: &str = "m-Cubes,vegas,Cuba Vegas,Cuba Suave,Cuba Divonne";

/// Tolerances where none is named.
const TOLERANCES: [&str; 4] = ["1e-2", "1e-3", "1e-4", "1e-5"];

/// Evaluations an iteration of the first round of vegas, of the last one, and how many times those of
/// the round before.
const ROUNDS: [u64; 2] = [1 << 16, 1 << 28];
const STEP: u64 = 8;
/// Those of the one round on the emulator.
const FEW: u64 = 1 << 9;

/// An error of more standard errors is no chance.
const CHANCE: f64 = 6.0;

/// An integral is shown whose standard error is no more tolerances, of the closed form, and whose error
/// is no more.
const SHOWN: [f64; 2] = [1.1, 5.0];

/// The table.
pub(crate) const TABLE: Table = Table {
    name: "monte-carlo",
    about: "integrals over boxes of many dimensions, with --peers --python beside m-Cubes, vegas and Cuba",
    axes: &[
        TableAxis::of(&INTEGRANDS)
            .known(|| Boxed::MANY.iter().map(|of| of.name.to_owned()).collect()),
        TableAxis::of(&DIMENSIONS).usual(|_, _| values(USUAL)),
        TableAxis::of(&RULES).known(|| [VEGAS, LATTICE, SOBOL].map(str::to_owned).to_vec()),
        TableAxis::of(&TOLERANCE).usual(|_, _| values(TOLERANCES.map(str::to_owned))),
    ],
    columns: &[
        &[
            axis("integrand"),
            axis("dimensions"),
            axis("rule"),
            axis("tolerance"),
            ms("ms", "kernel"),
            noise("noise_percent", "kernel"),
            number("value", "value", Show::Exact).detail(),
            scientific("claim", 1),
            scientific("true_error", 1),
            of("pull", "error in units of the standard error", |record| {
                decimals(record.metrics.number("pull"), 2)
            }),
            count("evaluations"),
            derived(
                "g_evaluations_per_s",
                "evaluations per second, in 10^9",
                Show::Significant,
                |record| crate::table::peers::rate(record, "evaluations", "kernel"),
            ),
            of("ended", "how the integral ended", |record| {
                optional(record.metrics.text("ended"))
            }),
            MORE,
        ],
        &CONDITIONS,
        &OUTCOME,
    ],
    more_columns: |records| {
        names(records)
            .iter()
            .flat_map(|name| of_peer(name))
            .collect()
    },
    peers: &[Source::Script(source::Script {
        what: "m-Cubes, vegas and Cuba",
        without_python: Some(
            "no peer of monte-carlo is timed: --python names a Python for its script",
        ),
        time: |of, cells| {
            // They stand beside one of our rules: vegas, or the first one that is asked for.
            let has = |rule: &str| cells.iter().any(|cell| cell.text("rule") == Some(rule));
            let first = cells.first().and_then(|cell| cell.text("rule"));
            let rule = if has(VEGAS) { Some(VEGAS) } else { first };
            let is_first = |cell: &&&Cell| cell.text("rule") == rule;
            let cells: Vec<&Cell> = cells.iter().filter(is_first).copied().collect();
            peers::timed(of, &cells, Some(CODES))
        },
    })],
    modules: |_| vec![modules::of_integrand("formula"), modules::of_samples()],
    measure,
    patience: |_, _| std::time::Duration::from_secs(600),
    figures: Figures {
        claims: &[Figure::Lines(TIMES)],
        ..Figures::of(&[])
    },
    ..Table::EMPTY
};

/// Digits against time.
const TIMES: Lines = Lines {
    file: "monte-carlo",
    title: "Time of an integral over a box of many dimensions",
    caption: "Lower is better. A line ends where a code does not come to the tolerance, or is off by \
              more than five of it.",
    x: |row| Some((1.0 / tolerance(&row.cell)?).round()),
    across: "1 / relative tolerance of the standard error",
    is_decimal: true,
    up: "ms",
    is_logarithmic: true,
    panel,
    values: |row| {
        let own = format!("quadscan {}", row.cell.text("rule").unwrap_or_default());
        shown(row, own, |tolerance, error, claim| {
            let is_claimed = claim.is_some_and(|claim| claim <= SHOWN[0] * tolerance);
            is_claimed && error <= SHOWN[1] * tolerance
        })
    },
    better: f64::min,
    alone: &[],
};

/// What integrates to a tolerance.
enum Plan {
    /// Round after round, each of more evaluations, until one is within it.
    Vegas(Vec<Vegas>),
    Lattice(Lattice),
    Sobol(Sobol),
}

impl Plan {
    /// Of so few rounds as are needed, with kernels loaded and room made.
    fn new(module: &Module, formula: &Formula, rule: &str, relative: f64) -> Done<Self> {
        let options = LatticeOptions {
            relative,
            ..LatticeOptions::default()
        };
        let mut plan = match rule {
            LATTICE => Plan::Lattice(Lattice::of_formula(module, formula, options)?),
            SOBOL => Plan::Sobol(Sobol::of_formula(module, formula, options)?),
            _ => {
                let [mut evaluations, last] = match module.device().properties().has_timer {
                    true => ROUNDS,
                    false => [FEW; 2],
                };
                let mut rounds = Vec::new();
                while evaluations <= last {
                    let options = VegasOptions {
                        relative,
                        evaluations,
                        ..VegasOptions::default()
                    };
                    let mut round = Vegas::of_formula(module, formula, options)?;
                    let ended = round.integrate(&cube(formula), &NO_PARAMETERS)?.status;
                    rounds.push(round);
                    if ended == SamplingStatus::Converged {
                        break;
                    }
                    evaluations *= STEP;
                }
                Plan::Vegas(rounds)
            }
        };
        plan.run(&cube(formula))?;
        Ok(plan)
    }

    /// The estimate, and the evaluations of all rounds.
    fn run(&mut self, limits: &[(f64, f64)]) -> Done<Option<(Estimate, u64)>> {
        let of = match self {
            Plan::Lattice(plan) => plan.integrate(limits, &NO_PARAMETERS)?,
            Plan::Sobol(plan) => plan.integrate(limits, &NO_PARAMETERS)?,
            Plan::Vegas(rounds) => {
                let (mut all, mut last) = (0, None);
                for round in rounds {
                    let of = round.integrate(limits, &NO_PARAMETERS)?;
                    all += of.evaluations;
                    last = Some((of, all));
                }
                return Ok(last);
            }
        };
        Ok(Some((of, of.evaluations)))
    }
}

const NO_PARAMETERS: Parameters = [[0.0; MAX_DIMENSIONS]; 2];

/// The unit cube of a formula's variables.
fn cube(formula: &Formula) -> Vec<(f64, f64)> {
    vec![(0.0, 1.0); formula.variables().len()]
}

fn measure(cell: &Cell, bench: &mut Bench<'_>) -> Done<()> {
    let of = |cell: &Cell| Some((asked(cell)?, cell.text("rule")?.to_owned()));
    let ((of, dimensions, exact, relative), rule) = cell.read(of)?;
    if skips(bench, dimensions) {
        return Ok(());
    }
    let formula = formula(of, dimensions)?;
    let mut plan = Plan::new(bench.module(), &formula, &rule, relative)?;
    let limits = cube(&formula);
    let Some((found, evaluations)) = plan.run(&limits)? else {
        return Ok(());
    };
    let (scale, error) = (exact.abs(), found.value - exact);
    bench.put("value", Some(found.value));
    bench.put("claim", Some(found.sigma / scale));
    bench.put("true_error", Some(error.abs() / scale));
    bench.put("pull", Some(error / found.sigma));
    bench.put("evaluations", Some(evaluations));
    bench.put("ended", Some(ended(found.status)));
    let wrong = objection(of.name, &found, exact);
    if bench.expect(wrong) && bench.is_timed() {
        let (last, timing) = host::time(&bench.rule(), || plan.run(&limits));
        last.transpose()?;
        let time = timing.map(|timing| Time {
            timing,
            method: Some("all rounds, by the host's clock".to_owned()),
            peer: None,
        });
        bench.put("kernel", time);
    }
    Ok(())
}

/// What is wrong with a result: that there is none, or that its standard error is not to be believed
/// and nothing says so.
fn objection(name: &str, found: &Estimate, exact: f64) -> Option<String> {
    let (value, sigma, error) = (found.value, found.sigma, (found.value - exact).abs());
    match found.status {
        SamplingStatus::NotFinite => Some(format!("{name}: the value is not finite")),
        SamplingStatus::Disagree | SamplingStatus::Unseen => None,
        _ if error <= CHANCE * sigma => None,
        _ => Some(format!(
            "{name}: {value:e} is off by {error:.1e}, and its standard error is {sigma:.1e}"
        )),
    }
}

/// How an integral ended, in a word.
fn ended(status: SamplingStatus) -> &'static str {
    match status {
        SamplingStatus::Converged => "converged",
        SamplingStatus::OutOfRoom => "out_of_room",
        SamplingStatus::Disagree => "disagree",
        SamplingStatus::Unseen => "unseen",
        SamplingStatus::NotFinite => "not_finite",
    }
}

#[cfg(test)]
#[path = "monte_carlo_tests.rs"]
mod tests;
