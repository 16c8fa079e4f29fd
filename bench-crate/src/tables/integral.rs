//! `integral`: one integral by a composite rule, over integrands, rules, types and strips.
//!
//! Nothing of it was published. What is timed is what an application gets: a plan's launches,
//! recorded in a graph (`docs/measurement.md`), beside the peers' in CUDA C++, each compared with
//! what the rule gives before. On the emulator a row has the result compared and the launch
//! counted.

mod figures;

use quadscan_kernels::integrate::chunks::MAX_STRIPS;

use crate::axes::{INTEGRANDS, RULES, SIZES_IN_STRIPS, TYPES};
use crate::measure::{Bench, Contest};
use crate::modules;
use crate::peers::integral::{Peer as Library, Request};
use crate::record::{Cell, Record, Value};
use crate::table::column::{
    CONDITIONS, COUNTS, MORE, OUTCOME, Show, axis, count, derived, noise, number, scientific, us,
};
use crate::table::source::{self, Source};
use crate::table::{Extent, Table, TableAxis, peers, values};
use crate::workload::integrals::single::{
    LIMITS, Single, evaluations, plain_bound, relative_bound,
};
use quadscan::Result as Done;
use quadscan::device::{Buffer, Device, Module};
use quadscan::integrate::formula::Number;
use quadscan::integrate::names::{name_of, rule_by_name, rules};
use quadscan::integrate::{Composite, Kernels, Parameters, Rule};

/// The table.
pub(crate) const TABLE: Table = Table {
    name: "integral",
    about: "one integral by a composite rule, with --peers beside CUDA C++",
    axes: &[
        TableAxis::of(&INTEGRANDS)
            .known(|| Single::ALL.iter().map(|one| one.name.to_owned()).collect()),
        TableAxis::of(&RULES)
            .known(|| rules().map(name_of).collect())
            .usual(|_, cell| usual_rules(cell)),
        TableAxis::of(&TYPES).known(|| TYPE_NAMES.map(str::to_owned).to_vec()),
        TableAxis::of(&SIZES_IN_STRIPS)
            .up_to(MAX_STRIPS)
            .usual(|asked, _| values(usual_sizes(asked.extent).iter().copied()))
            .emulated_up_to(1 << 16),
    ],
    columns: &[
        &[
            axis("integrand"),
            axis("rule"),
            axis("type"),
            axis("strips"),
            us("us", "kernel"),
            noise("noise_percent", "kernel"),
            derived(
                "g_strips_per_s",
                "strips per second, in 10^9",
                Show::Significant,
                |record| rate(record, 1),
            ),
            count("evaluations").detail(),
            derived(
                "g_evaluations_per_s",
                "evaluations per second, in 10^9",
                Show::Significant,
                |record| rate(record, record.metrics.count("evaluations")?),
            ),
            number("value", "value", Show::Exact).detail(),
            number("expected", "expected", Show::Exact).detail(),
            scientific("relative_error", 1),
            count("ulps"),
            MORE,
        ],
        &COUNTS,
        // It reads nothing that a cache could hold.
        &CONDITIONS,
        &OUTCOME,
    ],
    more_columns: peers::columns,
    peers: &[Source::Library(source::Library {
        folder: "integrate",
        what: "rules in CUDA C++",
        without: "rules in CUDA C++ are not timed",
        takes_cub: false,
    })],
    is_of_plans: true,
    modules: |cell| {
        cell.text("integrand")
            .map(modules::of_integrand)
            .into_iter()
            .collect()
    },
    measure,
    weight: |cell, _| cell.number("strips").unwrap_or_default() as f64,
    summary: peers::lines,
    figures: figures::FIGURES,
    ..Table::EMPTY
};

/// The types of integrals, in the order of their rows.
pub(super) const TYPE_NAMES: [&str; 2] = ["f64", "f32"];

/// The rule that every integrand is integrated by where none is named,
const USUAL: &str = "trapezoid";

/// and the rules that the first is integrated by besides.
const OF_THE_FIRST: [&str; 5] = [
    "midpoint",
    "simpson",
    "gauss-legendre-2",
    "gauss-legendre-5",
    "gauss-legendre-16",
];

/// Numbers of strips where none is named.
fn usual_sizes(extent: Extent) -> &'static [u64] {
    const ALL: &[u64] = &[1 << 16, 1 << 24, 1 << 30, 1 << 34];
    match extent {
        Extent::Quick => &[1 << 16, 1 << 20],
        Extent::Default => &ALL[..3],
        Extent::Full => ALL,
    }
}

/// So many a strip, in 10^9 a second.
fn rate(record: &Record, each: u64) -> Option<f64> {
    let number = record.cell.number("strips")? as f64 * each as f64;
    Some(1e-6 * number / record.ms("kernel")?)
}

/// The rules that an integrand is integrated by where none are named.
fn usual_rules(cell: &Cell) -> Vec<Value> {
    let first = Single::ALL.first().map(|one| one.name);
    let more = OF_THE_FIRST
        .iter()
        .filter(|_| cell.text("integrand") == first);
    values(std::iter::once(USUAL).chain(more.copied()))
}

/// Which integral.
#[derive(Clone, Copy)]
struct Integral {
    single: &'static Single,
    rule: Rule,
    strips: u64,
}

impl Integral {
    fn of(cell: &Cell) -> Option<Self> {
        Some(Integral {
            single: Single::by_name(cell.text("integrand")?)?,
            rule: rule_by_name(cell.text("rule")?)?,
            strips: cell.number("strips")?,
        })
    }

    fn request(&self) -> Request {
        Request {
            limits: LIMITS,
            parameters: self.single.parameters(),
            strips: self.strips,
        }
    }

    fn name(&self) -> String {
        format!("{} by {}", self.single.name, name_of(self.rule))
    }
}

fn measure(cell: &Cell, bench: &mut Bench<'_>) -> Done<()> {
    let of = |cell: &Cell| {
        let integral = Integral::of(cell)?;
        let is_known = TYPE_NAMES.contains(&cell.text("type")?);
        is_known.then_some((integral, integral.single.entry()?))
    };
    let (integral, entry) = cell.read(of)?;
    match cell.text("type") {
        Some("f32") => measured::<f32>(bench, entry.f32, integral),
        _ => measured::<f64>(bench, entry.f64, integral),
    }
}

fn measured<R: Number>(bench: &mut Bench<'_>, kernels: Kernels<R>, integral: Integral) -> Done<()> {
    let module = bench.module().clone();
    let mut ours = Ours::new(&module, kernels, &integral)?;
    ours.launch(&integral)?;
    let found = value(&ours.output)?;
    let expected = integral.single.expected(integral.rule, integral.strips);
    if !compare::<R>(bench, &integral, found, expected) || !bench.is_timed() {
        return Ok(());
    }
    time_with_peers(bench, &integral, &mut ours, expected)
}

/// Times ours beside those of the peers whose results are right.
fn time_with_peers<R: Number>(
    bench: &mut Bench<'_>,
    integral: &Integral,
    ours: &mut Ours<R>,
    expected: f64,
) -> Done<()> {
    let device = bench.device().clone();
    // SAFETY: the run has built it from `peers/integrate`, or has been told that it did.
    let libraries = bench.libraries(|path| unsafe { Library::load(path) });
    let mut peers = Vec::new();
    for library in &libraries {
        match Contestant::<R>::new(&device, library, integral, expected) {
            Ok(Ok(contestant)) => peers.extend(contestant),
            Ok(Err(problem)) => bench.without_peer(problem),
            Err(error) if error.is_context_lost() => return Err(error),
            Err(error) => bench.without_peer(error),
        }
    }
    let mut contest = Contest::default();
    contest.ours("kernel", || ours.launch(integral));
    for peer in &peers {
        contest.peer(peer.library.interface.peer(), || {
            peer.launch(&device, integral)
        });
    }
    bench.time_all(&bench.rule(), contest)
}

/// Our plan of an integral.
struct Ours<R: Number> {
    plan: Composite<R>,
    parameters: Parameters<R>,
    output: Buffer<R>,
}

impl<R: Number> Ours<R> {
    fn new(module: &Module, kernels: Kernels<R>, integral: &Integral) -> Done<Self> {
        Ok(Ours {
            plan: Composite::new(module, kernels, integral.strips)?,
            parameters: integral.single.parameters().map(R::from_f64),
            output: module.device().alloc_zeroed(1)?,
        })
    }

    fn launch(&mut self, integral: &Integral) -> Done<()> {
        let limits = (R::from_f64(LIMITS.0), R::from_f64(LIMITS.1));
        let own = &self.parameters[..integral.single.parameter_count()];
        let Ours { plan, output, .. } = self;
        plan.integrate(integral.rule, integral.strips, limits, own, output)
    }
}

/// The number of a buffer that has one.
fn value<R: Number>(buffer: &Buffer<R>) -> Done<f64> {
    let mut value = [R::ZERO];
    buffer.copy_to(&mut value)?;
    Ok(value[0].to_f64())
}

/// Puts in how far a result is from what it should be; whether that is near enough.
fn compare<R: Number>(
    bench: &mut Bench<'_>,
    integral: &Integral,
    found: f64,
    expected: f64,
) -> bool {
    let is_double = size_of::<R>() == 8;
    // A number's neighbours differ by one in their bits, as long as the sign is the same.
    let bits = |number: f64| match is_double {
        true => number.to_bits(),
        false => u64::from((number as f32).to_bits()),
    };
    let is_comparable =
        found.is_finite() && found.is_sign_negative() == expected.is_sign_negative();
    let error = (found - expected).abs() / expected.abs();
    let ulps = is_comparable.then(|| bits(found).abs_diff(bits(expected)));
    bench.put("value", Some(found));
    bench.put("expected", Some(expected));
    bench.put("relative_error", Some(error));
    bench.put("ulps", ulps);
    bench.put("evaluations", Some(evaluations(integral.rule)));
    let promised = integral.single.ulps(integral.rule, integral.strips);
    let (is_right, allowed) = match promised.filter(|_| !is_double) {
        Some(most) => (ulps.is_some_and(|ulps| ulps <= most), format!("{most} ulp")),
        None => {
            let bound = relative_bound(is_double);
            (error <= bound, format!("{bound:e} of it"))
        }
    };
    bench.expect((!is_right).then(|| {
        format!(
            "{}: {found:e}, where the rule gives {expected:e}, and {allowed} is allowed",
            integral.name()
        )
    }))
}

/// A peer whose result is right, as far as a plain sum can be.
struct Contestant<'a, R: Number> {
    library: &'a Library,
    name: String,
    scratch: Buffer<u8>,
    output: Buffer<R>,
}

impl<'a, R: Number> Contestant<'a, R> {
    /// Launches a peer once and compares its result. `None` when it has not the integral; the
    /// inner Err says what is wrong.
    fn new(
        device: &Device,
        library: &'a Library,
        integral: &Integral,
        expected: f64,
    ) -> Done<std::result::Result<Option<Self>, String>> {
        let Some(name) = library.integral::<R>(integral.single.name, &name_of(integral.rule))
        else {
            return Ok(Ok(None));
        };
        let contestant = Contestant {
            library,
            scratch: library.scratch(device)?,
            output: device.alloc_zeroed(1)?,
            name,
        };
        contestant.launch(device, integral)?;
        let found = value(&contestant.output)?;
        let bound = plain_bound(
            size_of::<R>() == 8,
            integral.strips,
            evaluations(integral.rule),
        );
        let error = (found - expected).abs() / expected.abs();
        if error <= bound {
            return Ok(Ok(Some(contestant)));
        }
        Ok(Err(format!(
            "{} of {} is wrong and not timed: {found:e}, where the rule gives {expected:e}, and \
             {bound:.1e} of it is allowed",
            contestant.name,
            library.interface.name()
        )))
    }

    fn launch(&self, device: &Device, integral: &Integral) -> Done<()> {
        let request = integral.request();
        // SAFETY: the buffers are this contestant's own, whose launches are one after the
        // other, and the output is of the name's type. A device gives nothing back while one
        // of its graphs lives.
        unsafe {
            self.library
                .enqueue(device, &self.name, &self.scratch, &request, &self.output)
        }
    }
}

#[cfg(test)]
#[path = "integral_tests.rs"]
mod tests;
