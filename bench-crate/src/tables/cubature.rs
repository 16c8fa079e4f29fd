//! `cubature`: integrals over the unit cube, each to a tolerance, by integrand, dimensions and
//! tolerance; with `--peers --python` beside PAGANI, SciPy, vegas and Cuba. Every claim is compared
//! with the closed form.
//!
//! The integrands are formulas. On the emulator a row has all but times, in up to three dimensions.

pub(super) mod peers;

use std::time::{Duration, Instant};

use crate::axes::{Axis, INTEGRANDS, TOLERANCE, Values, own};
use crate::error::Result;
use crate::measure::Bench;
use crate::modules;
use crate::number;
use crate::record::{Cell, Record, Status, Time};
use crate::table::column::{
    CONDITIONS, Column, MORE, OUTCOME, Show, axis, count, decimals, derived, ms, noise, number, of,
    optional, scientific, with,
};
use crate::table::figure::{Figure, Figures, Lines};
use crate::table::list::refused;
use crate::table::peers::{head, names, peer, ratio};
use crate::table::source::{self, Source};
use crate::table::{Table, TableAxis, values};
use crate::timing::{Rule, host};
use crate::workload::boxes::Boxed;
use quadscan::Result as Done;
use quadscan::integrate::{Cubature, CubatureOptions, Cubed, Formula, Status as Ended};
use quadscan_kernels::cubature::integrand::Parameters;
use quadscan_kernels::cubature::region::{MAX_DIMENSIONS, MIN_DIMENSIONS};

/// How many variables.
const DIMENSIONS: Axis = own("dimensions", Values::Numbers(MAX_DIMENSIONS as u64));

/// Tolerances where none is named: those of the comparison of PAGANI.
const TOLERANCES: [&str; 7] = ["1e-3", "1e-4", "1e-5", "1e-6", "1e-7", "1e-8", "1e-9"];

/// The most dimensions on the emulator.
const EMULATED: usize = 3;

/// A first integral that takes longer is timed a second time and no more.
const LONG: Duration = Duration::from_secs(1);

/// What closed forms may be off.
const ROUNDING: f64 = 1e-13;

/// The table.
pub(crate) const TABLE: Table = Table {
    name: "cubature",
    about: "integrals over boxes, with --peers --python beside PAGANI, SciPy, vegas and Cuba",
    axes: &[
        TableAxis::of(&INTEGRANDS)
            .known(|| Boxed::ALL.iter().map(|of| of.name.to_owned()).collect()),
        TableAxis::of(&DIMENSIONS).usual(|_, cell| {
            let of = cell.text("integrand").and_then(Boxed::by_name);
            values(of.map(|of| of.dimensions as u64))
        }),
        TableAxis::of(&TOLERANCE).usual(|_, _| values(TOLERANCES.map(str::to_owned))),
    ],
    columns: &[
        &[
            axis("integrand"),
            axis("dimensions"),
            axis("tolerance"),
            ms("ms", "kernel"),
            noise("noise_percent", "kernel"),
            number("value", "value", Show::Exact).detail(),
            scientific("claim", 1),
            scientific("true_error", 1),
            count("evaluations"),
            derived(
                "g_evaluations_per_s",
                "evaluations per second, in 10^9",
                Show::Significant,
                |record| crate::table::peers::rate(record, "evaluations", "kernel"),
            ),
            count("regions"),
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
        what: "PAGANI, SciPy, vegas and Cuba",
        without_python: Some(
            "no peer of cubature is timed: --python names a Python for its script",
        ),
        time: |of, cells| peers::timed(of, cells, None),
    })],
    fits,
    modules: |_| vec![modules::of_integrand("formula"), modules::of_boxes()],
    measure,
    patience: |_, _| Duration::from_secs(600),
    figures: Figures {
        claims: &[Figure::Lines(TIMES)],
        ..Figures::of(&[])
    },
    ..Table::EMPTY
};

/// Time against the tolerance, of what holds its claim.
const TIMES: Lines = Lines {
    file: "cubature",
    title: "Time of an integral over a box",
    caption: "Lower is better. Only integrals within their tolerance are shown: a line ends where a \
              code gives up or is off by more.",
    x: |row| Some((1.0 / tolerance(&row.cell)?).round()),
    across: "1 / relative tolerance",
    is_decimal: true,
    up: "ms",
    is_logarithmic: true,
    panel,
    values: |row| {
        shown(row, "quadscan".to_owned(), |tolerance, error, _| {
            error <= tolerance
        })
    },
    better: f64::min,
    alone: &[],
};

/// A panel an integral.
pub(super) fn panel(row: &Record) -> String {
    let name = row.cell.text("integrand").unwrap_or_default();
    let dimensions = row.cell.number("dimensions").unwrap_or_default();
    format!("{}, {dimensions} dimensions", name.replace('_', " "))
}

/// Our time, by this name, and those of peers, whose tolerance, true error and claim are such.
pub(super) fn shown(
    row: &Record,
    own: String,
    is_such: impl Fn(f64, f64, Option<f64>) -> bool,
) -> Vec<(String, f64)> {
    let number = |name: &str| row.metrics.number(name);
    let is_ours = row.status == Status::Ok;
    let ours = is_ours.then(|| {
        let numbers = ["true_error", "claim"].map(number);
        (own, row.ms("kernel"), numbers)
    });
    let theirs = row.metrics.peers().map(|(peer, timing)| {
        let numbers = peers::metrics(&peer.name).map(|name| number(&name));
        (peer.name.clone(), Some(timing.median_ms), numbers)
    });
    let all = ours.into_iter().chain(theirs);
    all.filter_map(|(name, ms, [error, claim])| {
        let is_shown = is_such(tolerance(&row.cell)?, error?, claim);
        is_shown.then_some((name, ms?))
    })
    .collect()
}

/// An integrand of so many variables.
pub(super) fn formula(of: &Boxed, dimensions: usize) -> Done<Formula> {
    let names = Boxed::variables(dimensions);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Ok(Formula::of_variables(&of.formula(dimensions), &names)?)
}

/// Whether a row is left out, since it is emulated.
pub(super) fn skips(bench: &mut Bench<'_>, dimensions: usize) -> bool {
    let skips = !bench.device().properties().has_timer && dimensions > EMULATED;
    if skips {
        bench.skip(format!(
            "the emulator takes minutes in more than {EMULATED} dimensions; \
             `--axis dimensions=2` measures two"
        ));
    }
    skips
}

/// A peer's time, that in units of ours, its claim and its true error.
pub(super) fn of_peer(name: &str) -> [Column; 4] {
    let head = head(name);
    let (timed, compared) = (name.to_owned(), name.to_owned());
    let [error, claim] = peers::metrics(name);
    let shown = |metric: String| {
        move |record: &Record| {
            let number = record.metrics.number(&metric);
            optional(number.map(|number| format!("{number:.1e}")))
        }
    };
    [
        with(format!("{head}_ms"), "a peer's time, ms", move |record| {
            let ms = peer(record, &timed).map(|timing| timing.median_ms);
            optional(ms.map(number::milliseconds))
        }),
        with(
            format!("{head}_ratio"),
            "its time in units of ours",
            move |record| decimals(ratio(record, peer(record, &compared)), 2),
        ),
        with(
            format!("{head}_claim"),
            "the relative error that it claims",
            shown(claim),
        ),
        with(
            format!("{head}_error"),
            "its true relative error",
            shown(error),
        ),
    ]
}

/// The tolerance of a cell.
pub(super) fn tolerance(cell: &Cell) -> Option<f64> {
    cell.text("tolerance")?.parse().ok()
}

/// Err for a cube of too few dimensions.
fn fits(_: &Table, cell: &Cell) -> Result<()> {
    match cell.number("dimensions") {
        Some(dimensions) if dimensions < MIN_DIMENSIONS as u64 => {
            let allowed = format!("allowed are {MIN_DIMENSIONS} to {MAX_DIMENSIONS}");
            let problem = format!("{dimensions} is too small for cubature, {allowed}");
            Err(refused("--axis dimensions", problem))
        }
        _ => Ok(()),
    }
}

/// A cell's integrand, dimensions, closed form and tolerance.
pub(super) fn asked(cell: &Cell) -> Option<(&'static Boxed, usize, f64, f64)> {
    let of = Boxed::by_name(cell.text("integrand")?)?;
    let dimensions = usize::try_from(cell.number("dimensions")?).ok()?;
    Some((of, dimensions, of.exact(dimensions)?, tolerance(cell)?))
}

fn measure(cell: &Cell, bench: &mut Bench<'_>) -> Done<()> {
    let (of, dimensions, exact, relative) = cell.read(asked)?;
    if skips(bench, dimensions) {
        return Ok(());
    }
    let formula = formula(of, dimensions)?;
    let options = CubatureOptions {
        relative,
        ..CubatureOptions::default()
    };
    let mut plan = Cubature::of_formula(bench.module(), &formula, options)?;
    let (limits, parameters) = (vec![(0.0, 1.0); dimensions], Parameters::default());
    // The first call loads kernels and makes room.
    plan.integrate(&limits, &parameters)?;
    let start = Instant::now();
    let found = plan.integrate(&limits, &parameters)?;
    let rule = match start.elapsed() > LONG {
        true => Rule::new(bench.sampling().repeat.or(Some(2))),
        false => bench.rule(),
    };
    let scale = exact.abs();
    let error = (found.value - exact).abs();
    bench.put("value", Some(found.value));
    bench.put("claim", Some(found.error / scale));
    bench.put("true_error", Some(error / scale));
    bench.put("evaluations", Some(found.evaluations));
    bench.put("regions", Some(found.regions as u64));
    bench.put("ended", Some(ended(found.status)));
    let wrong = objection(of.name, &found, exact);
    if bench.expect(wrong) && bench.is_timed() {
        let (last, timing) = host::time(&rule, || plan.integrate(&limits, &parameters));
        last.transpose()?;
        let time = timing.map(|timing| Time {
            timing,
            method: Some("a call, by the host's clock".to_owned()),
            peer: None,
        });
        bench.put("kernel", time);
    }
    Ok(())
}

/// What is wrong with a result: that there is none, or that its claim does not hold.
fn objection(name: &str, found: &Cubed, exact: f64) -> Option<String> {
    if found.status == Ended::NotFinite {
        return Some(format!("{name}: the value is not finite"));
    }
    let (value, claim, error) = (found.value, found.error, (found.value - exact).abs());
    let is_claimed = error <= claim + ROUNDING * exact.abs();
    (!is_claimed)
        .then(|| format!("{name}: {value:e} is off by {error:.1e}, and claims {claim:.1e}"))
}

/// How an integral ended, in a word.
fn ended(status: Ended) -> &'static str {
    match status {
        Ended::Converged => "converged",
        Ended::OutOfRoom => "out_of_room",
        Ended::Roundoff => "roundoff",
        Ended::NotFinite => "not_finite",
    }
}

#[cfg(test)]
#[path = "cubature_tests.rs"]
mod tests;
