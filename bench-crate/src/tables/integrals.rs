//! `integrals`: batches of integrals, each to a tolerance, by kind, rule, type and items, beside
//! SciPy's. Every outcome is compared with its closed form before the batch is timed.
//!
//! Nothing of it was published. On the emulator a row has the outcomes compared and the launch
//! counted.

mod scipy;

use bytemuck::Zeroable;

use super::integral::TYPE_NAMES;
use crate::axes::{INTEGRANDS, RULES, SIZES, TOLERANCE, TYPES};
use crate::error::Result;
use crate::measure::Bench;
use crate::modules;
use crate::number;
use crate::record::{Cell, Record, Status};
use crate::table::column::{
    CONDITIONS, COUNTS, Column, MORE, OUTCOME, Show, axis, count, decimals, derived, fixed, noise,
    scientific, us, with,
};
use crate::table::figure::{Bars, Figure, Figures};
use crate::table::list::refused;
use crate::table::peers::{self, head};
use crate::table::source::{self, Source};
use crate::table::{Extent, Table, TableAxis, values};
use crate::workload::integrals::kinds::{Kind, LIMITS, MOST_ITEMS, Method};
use quadscan::Result as Done;
use quadscan::device::{Buffer, Module};
use quadscan::integrate::formula::Number;
use quadscan::integrate::{
    Adaptive, CONVERGED, GaussKronrod, Items, Kernels, Options, Outcome, TanhSinh, TanhSinhOptions,
};

/// The table.
pub(crate) const TABLE: Table = Table {
    name: "integrals",
    about: "batches of integrals, each to a tolerance, with --peers --python beside SciPy",
    axes: &[
        TableAxis::of(&INTEGRANDS)
            .known(|| Kind::ALL.iter().map(|kind| kind.name.to_owned()).collect()),
        TableAxis::of(&RULES).known(Method::names).usual(|_, cell| {
            let kind = cell.text("integrand").and_then(Kind::by_name);
            let methods = kind.map_or(&[][..], |kind| kind.methods);
            values(methods.iter().map(|method| method.name()))
        }),
        TableAxis::of(&TYPES).known(|| TYPE_NAMES.map(str::to_owned).to_vec()),
        TableAxis::of(&SIZES)
            .up_to(MOST_ITEMS)
            .usual(|asked, _| values(usual_sizes(asked.extent).iter().copied()))
            .emulated_up_to(1 << 10),
        TableAxis::of(&TOLERANCE).usual(|_, cell| {
            let (usual, _) = usual_tolerance(cell.text("type").unwrap_or_default());
            values([format!("{usual:e}")])
        }),
    ],
    columns: &[
        &[
            axis("integrand"),
            axis("rule"),
            axis("type"),
            axis("n"),
            axis("tolerance"),
            us("us", "kernel"),
            noise("noise_percent", "kernel"),
            derived(
                "integrals_per_s",
                "integrals a second",
                Show::Fixed(0),
                |record| per_second(record, record.ms("kernel")),
            ),
            fixed("evaluations", 1),
            count("converged"),
            count("unconverged"),
            scientific("largest_error", 1),
            MORE,
        ],
        &COUNTS,
        &CONDITIONS,
        &OUTCOME,
    ],
    more_columns: |records| {
        let names = peers::names(records);
        let mut columns: Vec<Column> = names.iter().flat_map(|name| of_peer(name)).collect();
        let about = "the time of the fastest peer on the host's cores, divided by ours";
        columns.push(derived("cpu_ratio", about, Show::Fixed(1), of_cpu));
        columns
    },
    peers: &[Source::Script(source::Script {
        what: "SciPy",
        without_python: Some("SciPy is not timed: --python names a Python that has it"),
        time: scipy::time,
    })],
    is_of_plans: true,
    fits,
    modules: |cell| {
        let kind = cell.text("integrand").and_then(Kind::by_name);
        let entry = kind.and_then(Kind::entry);
        let module = entry.map(|entry| modules::of_integrand(entry.f64.name));
        module.into_iter().collect()
    },
    measure,
    // An integral has some hundred evaluations.
    weight: |cell, _| 100.0 * cell.number("n").unwrap_or_default() as f64,
    summary: peers::lines,
    figures: Figures {
        by: &["n"],
        claims: &[Figure::Bars(RATES)],
        ..Figures::of(&[])
    },
    ..Table::EMPTY
};

/// Integrals a second, beside SciPy and CuPy.
const RATES: Bars = Bars {
    file: "integrals",
    title: |row| match row.cell.number("n") {
        Some(n) => format!("Integrals per second, {} at once", number::grouped(n)),
        None => String::new(),
    },
    unit: |_| "integrals/s",
    values: &[|row| {
        let part = |axis| row.cell.text(axis).unwrap_or_default().replace('_', " ");
        let name = ["integrand", "rule", "type"].map(part).join(", ");
        let ours = ("quadscan".to_owned(), row.ms("kernel"));
        let peers = row.metrics.peers();
        let peers = peers.map(|(peer, timing)| (peer.name.clone(), Some(timing.median_ms)));
        let peers: Vec<_> = peers.collect();
        // What stands beside nothing shows nothing.
        let ours = (row.status == Status::Ok && !peers.is_empty()).then_some(ours);
        let all = ours.into_iter().chain(peers);
        let rate = |(series, ms)| Some((name.clone(), series, per_second(row, ms)?));
        all.filter_map(rate).collect()
    }],
    caption: "Further to the right is better. All are to the same tolerance; SciPy runs on the \
              host's cores, with cupy on the device.",
};

/// Of a peer's name where it runs on the device.
const ON_THE_DEVICE: &str = "cupy";

/// How far an item that converged may be off, in units of the tolerance: what the tests of
/// batches demand.
const ALLOWED: f64 = 10.0;

/// Numbers of items where none is named.
fn usual_sizes(extent: Extent) -> &'static [u64] {
    const ALL: &[u64] = &[1 << 10, 1 << 20, 1 << 24];
    match extent {
        Extent::Quick => &[1 << 10, 1 << 16],
        Extent::Default => &ALL[..2],
        Extent::Full => ALL,
    }
}

/// The tolerance of a type where none is named, and its epsilon.
fn usual_tolerance(element: &str) -> (f64, f64) {
    match element {
        "f32" => (1e-5, f32::EPSILON.into()),
        _ => (1e-10, f64::EPSILON),
    }
}

/// The tolerance of a cell.
fn tolerance(cell: &Cell) -> Option<f64> {
    cell.text("tolerance")?.parse().ok()
}

/// Err when the rule of a cell cannot give its tolerance in its type.
fn fits(_: &Table, cell: &Cell) -> Result<()> {
    let text = |axis| cell.text(axis).unwrap_or_default();
    let (rule, element) = (text("rule"), text("type"));
    let (_, epsilon) = usual_tolerance(element);
    let least = Method::by_name(rule).map_or(0.0, |method| method.least_tolerance(epsilon));
    match tolerance(cell) {
        Some(tolerance) if tolerance < least => {
            let problem = format!(
                "{tolerance:e} is less than {rule} can reach in {element}, allowed are {:.1e} to \
                 0.1",
                // Two digits, and no less.
                1.06 * least
            );
            Err(refused("--tolerance", problem))
        }
        _ => Ok(()),
    }
}

/// Items of a record in a time, a second.
fn per_second(record: &Record, ms: Option<f64>) -> Option<f64> {
    Some(1e3 * record.cell.number("n")? as f64 / ms?)
}

/// What a peer does in a second, and its time in units of ours: above 1 ours is faster.
fn of_peer(name: &str) -> [Column; 2] {
    let head = head(name);
    let (timed, compared) = (name.to_owned(), name.to_owned());
    [
        with(
            format!("{head}_per_s"),
            "a peer's integrals a second",
            move |record| {
                let ms = peers::peer(record, &timed).map(|timing| timing.median_ms);
                decimals(per_second(record, ms), 0)
            },
        ),
        with(
            format!("{head}_ratio"),
            "its time in units of ours",
            move |record| decimals(peers::ratio(record, peers::peer(record, &compared)), 1),
        ),
    ]
}

/// The ratio to the fastest peer on the host's cores.
fn of_cpu(record: &Record) -> Option<f64> {
    let peers = record.metrics.peers();
    let on_host = peers.filter(|(peer, _)| !peer.name.ends_with(ON_THE_DEVICE));
    let fastest = on_host
        .map(|(_, timing)| timing)
        .min_by(|a, b| a.median_ms.total_cmp(&b.median_ms));
    peers::ratio(record, fastest)
}

/// Which batch.
#[derive(Clone, Copy)]
struct Batch {
    kind: &'static Kind,
    method: Method,
    items: u64,
    tolerance: f64,
}

impl Batch {
    fn of(cell: &Cell) -> Option<Self> {
        Some(Batch {
            kind: Kind::by_name(cell.text("integrand")?)?,
            method: Method::by_name(cell.text("rule")?)?,
            items: cell.number("n")?,
            tolerance: tolerance(cell)?,
        })
    }
}

fn measure(cell: &Cell, bench: &mut Bench<'_>) -> Done<()> {
    let of = |cell: &Cell| {
        let batch = Batch::of(cell)?;
        let is_known = TYPE_NAMES.contains(&cell.text("type")?);
        is_known.then_some((batch, batch.kind.entry()?))
    };
    let (batch, entry) = cell.read(of)?;
    match cell.text("type") {
        Some("f32") => measured(bench, entry.f32, batch),
        _ => measured(bench, entry.f64, batch),
    }
}

/// A plan of either kind of rules.
enum Plan<R: Number> {
    Adaptive(Adaptive<R>),
    TanhSinh(TanhSinh<R>),
}

impl<R: Number> Plan<R> {
    fn new(module: &Module, kernels: Kernels<R>, batch: &Batch) -> Done<Self> {
        let relative = R::from_f64(batch.tolerance);
        let absolute = if batch.kind.is_absolute {
            relative
        } else {
            R::ZERO
        };
        let adaptive = |rule| {
            let options = Options {
                rule,
                absolute,
                relative,
                ..Options::default()
            };
            Adaptive::new(module, kernels, options).map(Plan::Adaptive)
        };
        match batch.method {
            Method::G7K15 => adaptive(GaussKronrod::G7K15),
            Method::G10K21 => adaptive(GaussKronrod::G10K21),
            Method::TanhSinh => {
                let options = TanhSinhOptions {
                    absolute,
                    relative,
                    ..TanhSinhOptions::default()
                };
                TanhSinh::new(module, kernels, options).map(Plan::TanhSinh)
            }
        }
    }

    fn launch(&mut self, items: &Items<'_, R>, output: &mut Buffer<Outcome<R>>) -> Done<()> {
        match self {
            Plan::Adaptive(plan) => plan.integrate(items, output),
            Plan::TanhSinh(plan) => plan.integrate(items, output),
        }
    }
}

fn measured<R: Number>(bench: &mut Bench<'_>, kernels: Kernels<R>, batch: Batch) -> Done<()> {
    let module = bench.module().clone();
    let device = module.device();
    // An item's parameters one after another; those behind the first are 0.
    let each = kernels.parameters.len();
    let mut parameters = vec![R::ZERO; batch.items as usize * each];
    for (item, own) in (0..).zip(parameters.chunks_exact_mut(each)) {
        own[0] = R::from_f64(batch.kind.parameter(item));
    }
    let given = device.upload(&parameters)?;
    let items = Items::between(R::from_f64(LIMITS.0), R::from_f64(LIMITS.1)).with_each(&given);
    let mut plan = Plan::new(&module, kernels, &batch)?;
    let mut output = device.alloc_zeroed(batch.items as usize)?;
    plan.launch(&items, &mut output)?;
    let mut outcomes = vec![Outcome::zeroed(); batch.items as usize];
    output.copy_to(&mut outcomes)?;
    let first = parameters.iter().step_by(each).map(|a| a.to_f64());
    if judge(bench, &batch, first.zip(&outcomes)) && bench.is_timed() {
        bench.time(&mut || plan.launch(&items, &mut output))?;
    }
    Ok(())
}

/// Puts in how a batch ended; whether the item that is off the most is near enough.
fn judge<'a, R: Number>(
    bench: &mut Bench<'_>,
    batch: &Batch,
    outcomes: impl Iterator<Item = (f64, &'a Outcome<R>)>,
) -> bool {
    let (mut converged, mut unconverged, mut evaluations) = (0_u64, 0_u64, 0_u64);
    let mut worst: Option<(f64, f64, f64, f64)> = None;
    for (a, outcome) in outcomes {
        evaluations += u64::from(outcome.evaluations);
        if outcome.status != CONVERGED {
            unconverged += 1;
            continue;
        }
        converged += 1;
        let exact = batch.kind.exact(a);
        let found = outcome.value.to_f64();
        let error = (found - exact).abs() / (batch.tolerance * batch.kind.scale(exact));
        // What is no number is further off than anything.
        let error = if error.is_nan() { f64::INFINITY } else { error };
        if worst.is_none_or(|(largest, ..)| error > largest) {
            worst = Some((error, a, found, exact));
        }
    }
    bench.put("converged", Some(converged));
    bench.put("unconverged", Some(unconverged));
    bench.put(
        "evaluations",
        Some(evaluations as f64 / batch.items.max(1) as f64),
    );
    bench.put("largest_error", worst.map(|(error, ..)| error));
    let named = format!("{} by {}", batch.kind.name, batch.method.name());
    let wrong = worst.filter(|(error, ..)| *error > ALLOWED);
    let wrong = wrong.map(|(error, a, found, exact)| {
        format!(
            "{named}: {found:e} for a = {a}, where {exact:e} is right: {error:.1} tolerances, \
             and {ALLOWED} are allowed"
        )
    });
    let none = || {
        let is_none = converged == 0 && unconverged > 0;
        is_none.then(|| format!("{named}: none of {unconverged} items converged"))
    };
    bench.expect(wrong.or_else(none))
}

#[cfg(test)]
#[path = "integrals_tests.rs"]
mod tests;
