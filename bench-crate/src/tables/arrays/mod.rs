//! `scan`, `reduce` and `select`: operations on whole arrays, by type and size, beside a copy of as
//! many bytes and beside peers.
//!
//! What is timed is what an application gets: a plan's launches, recorded in a graph
//! (`docs/measurement.md`), each checked before, the peers' too. On the emulator a row has the result
//! compared and the launch counted. `means` has geometric means, `figures` what the report draws.

mod figures;
mod means;
mod packages;

use crate::axes::{ALGORITHMS, OPERATIONS, SEGMENT, SIZES, TYPES};
use crate::error::Result;
use crate::measure::{Bench, Contest};
use crate::peers::contestant::Contestant;
use crate::peers::library::Peer as Library;
use crate::record::{Cell, Record, Status};
use crate::table::column::{
    CONDITIONS, COUNTS, Column, MORE, OUTCOME, Show, axis, count, derived, noise, of, optional, us,
};
use crate::table::list::refused;
use crate::table::peers::{self, rate};
use crate::table::source::{self, Source};
use crate::table::{Asked, Table, TableAxis};
use crate::workload::memory::{Memory, Size, Turn, rotated_bytes};
use crate::workload::operation::{Element, Form};
use crate::workload::{Family, Workload, ours};
use quadscan::device::Module;
use quadscan::scan::Algorithm;
use quadscan::{Error, Result as Done};

/// Prefix scans.
pub(crate) const SCAN: Table = Table {
    name: "scan",
    about: "prefix scans of whole arrays, beside a copy and with --peers beside CUB",
    axes: &[
        OPERATION.known(|| names(Family::Scan)),
        TYPE,
        TableAxis::of(&ALGORITHMS).known(algorithms),
        SIZE,
        TableAxis::of(&SEGMENT),
    ],
    cells: Some(|table, asked| cells(Family::Scan, table, asked)),
    figures: figures::SCAN,
    ..ARRAYS
};

/// Reductions.
pub(crate) const REDUCE: Table = Table {
    name: "reduce",
    about: "reductions of whole arrays, beside a copy and with --peers beside CUB",
    axes: &[
        OPERATION.known(|| names(Family::Reduce)),
        TYPE,
        SIZE,
        TableAxis::of(&SEGMENT),
    ],
    cells: Some(|table, asked| cells(Family::Reduce, table, asked)),
    figures: figures::REDUCE,
    ..ARRAYS
};

/// Selections.
pub(crate) const SELECT: Table = Table {
    name: "select",
    about: "selections from whole arrays, beside a copy and with --peers beside CUB",
    axes: &[OPERATION.known(|| names(Family::Select)), TYPE, SIZE],
    cells: Some(|table, asked| cells(Family::Select, table, asked)),
    figures: figures::SELECT,
    peers: &[CUB],
    ..ARRAYS
};

const OPERATION: TableAxis = TableAxis::of(&OPERATIONS);
const TYPE: TableAxis = TableAxis::of(&TYPES).known(|| Element::ALL.map(type_name).to_vec());
const SIZE: TableAxis = TableAxis::of(&SIZES).up_to(1 << 33).emulated_up_to(1 << 16);

/// What they have in common.
const ARRAYS: Table = Table {
    columns: &[
        &[
            axis("algorithm"),
            axis("type"),
            axis("n"),
            axis("operation"),
            axis("segment"),
            of("chosen", "the algorithm that the plan chose", |record| {
                let chosen = record.metrics.text("chosen");
                optional(chosen.filter(|_| is_default(&record.cell)))
            }),
            count("bytes").detail(),
            us("us", "kernel"),
            noise("noise_percent", "kernel"),
            derived(
                "gb_per_s",
                "`bytes` in `kernel`, GB/s",
                Show::Fixed(1),
                |record| rate(record, "bytes", "kernel"),
            ),
            us("copy_us", "copy").detail(),
            derived(
                "percent_of_copy",
                "our rate, in percent of the copy's",
                Show::Fixed(1),
                percent_of_copy,
            ),
            MORE,
        ],
        &COUNTS,
        // Without the times with a cold cache: every launch's is.
        &CONDITIONS,
        &OUTCOME,
    ],
    more_columns: |records| {
        let mut columns: Vec<Column> = peers::columns(records);
        let about = "the time of the faster CUB divided by ours";
        columns.push(derived("cub_ratio", about, Show::Fixed(3), means::of_cub));
        columns
    },
    peers: &[CUB, PACKAGES],
    is_of_plans: true,
    modules: |cell| {
        let of = asked_for(cell).map(|(size, algorithm)| ours::modules(&size, algorithm));
        of.unwrap_or_default()
    },
    measure,
    weight: |cell, _| cell.number("n").unwrap_or_default() as f64,
    summary: means::lines,
    ..Table::EMPTY
};

/// CUB's scans, reductions and selections, of the toolkit's CUB and of another one.
const CUB: Source = Source::Library(source::Library {
    folder: "scan",
    what: "CUB's scans",
    without: "CUB is not timed",
    takes_cub: true,
});

/// CuPy's and PyTorch's.
const PACKAGES: Source = Source::Script(source::Script {
    what: "CuPy and PyTorch",
    without_python: None,
    time: packages::time,
});

/// The algorithm of rows that leave it to the plan.
const DEFAULT: &str = "default";

/// Elements of a segment where nothing else is said.
const USUAL_SEGMENT: u64 = 32;

fn type_name(element: Element) -> String {
    element.name().to_owned()
}

fn names(family: Family) -> Vec<String> {
    Workload::of(family)
        .map(|one| one.name.to_owned())
        .collect()
}

fn algorithms() -> Vec<String> {
    Algorithm::ALL.map(|one| one.name().to_owned()).to_vec()
}

/// A cell's workload and type.
fn workload(cell: &Cell) -> Option<(&'static Workload, Element)> {
    let workload = Workload::by_name(cell.text("operation")?)?;
    Some((workload, Element::by_name(cell.text("type")?)?))
}

/// Whether a cell leaves the algorithm to the plan.
fn is_default(cell: &Cell) -> bool {
    cell.text("algorithm") == Some(DEFAULT)
}

/// Our rate, in percent of the copy's.
fn percent_of_copy(record: &Record) -> Option<f64> {
    let ours = rate(record, "bytes", "kernel")?;
    Some(100.0 * ours / rate(record, "copy_bytes", "copy")?)
}

/// What a table has of the operations that are asked for, each with what it has of the types, in
/// the order of the rows. Err when that is nothing.
fn workloads(
    family: Family,
    table: &Table,
    asked: &Asked,
) -> Result<Vec<(&'static Workload, Vec<Element>)>> {
    let found: Vec<&Workload> = match table.names(asked, &OPERATIONS)? {
        None => Workload::of(family).take(1).collect(),
        Some(names) => Workload::of(family)
            .filter(|one| names.iter().any(|name| name == one.name))
            .collect(),
    };
    let types = table.names(asked, &TYPES)?;
    let is_asked = |element: &Element| {
        let types = types.as_ref();
        types.is_none_or(|types| types.iter().any(|name| name == element.name()))
    };
    let with_types = found.iter().map(|workload| {
        let elements = workload.elements.iter().copied();
        (*workload, elements.filter(is_asked).collect::<Vec<_>>())
    });
    let with_types: Vec<_> = with_types.filter(|(_, types)| !types.is_empty()).collect();
    if !with_types.is_empty() {
        return Ok(with_types);
    }
    let has = |element: &Element| found.iter().any(|one| one.elements.contains(element));
    let allowed: Vec<&str> = Element::ALL
        .iter()
        .filter(|one| has(one))
        .map(|one| one.name())
        .collect();
    let names: Vec<&str> = found.iter().map(|workload| workload.name).collect();
    let problem = format!(
        "has no type of {}, allowed are {}",
        names.join(", "),
        allowed.join(", ")
    );
    Err(refused("--types", problem))
}

fn cells(family: Family, table: &Table, asked: &Asked) -> Result<Vec<Cell>> {
    let usual = (10..=asked.extent.exponent()).map(|power| 1 << power);
    let sizes = table.numbers(asked, &SIZES)?;
    let sizes: Vec<u64> = sizes.unwrap_or_else(|| usual.collect());
    let segment = match family {
        Family::Select => None,
        _ => table.numbers(asked, &SEGMENT)?,
    };
    let segment = segment
        .and_then(|list| list.first().copied())
        .unwrap_or(USUAL_SEGMENT);
    let further = match family {
        Family::Scan => table.names(asked, &ALGORITHMS)?.unwrap_or_default(),
        Family::Reduce | Family::Select => Vec::new(),
    };
    let mut cells = Vec::new();
    for (workload, elements) in workloads(family, table, asked)? {
        let has_choice = matches!(workload.form, Form::Inclusive | Form::Exclusive);
        let further = further.iter().filter(|_| has_choice).map(String::as_str);
        let algorithms: Vec<&str> = [DEFAULT].into_iter().chain(further).collect();
        for element in elements {
            for &n in &sizes {
                let cell = |algorithm: &&str| {
                    let cell = Cell::default().with("operation", workload.name);
                    let cell = cell.with("type", element.name());
                    let cell = cell.with("algorithm", *algorithm).with("n", n);
                    match workload.has_segments() {
                        true => cell.with("segment", segment),
                        false => cell,
                    }
                };
                cells.extend(algorithms.iter().map(cell));
            }
        }
    }
    Ok(cells)
}

/// What a cell asks for.
fn asked_for(cell: &Cell) -> Option<(Size, Option<Algorithm>)> {
    let (workload, element) = workload(cell)?;
    let size = Size {
        workload,
        element,
        n: cell.number("n")?,
        segment: cell.number("segment").unwrap_or(1),
    };
    let name = cell.text("algorithm")?;
    let algorithm = Algorithm::ALL.into_iter().find(|one| one.name() == name);
    (is_default(cell) || algorithm.is_some()).then_some((size, algorithm))
}

/// Why there are no offsets of so many elements, if there are none.
fn too_many(size: &Size) -> Option<String> {
    let is_too_many = size.segments() > 0 && u32::try_from(size.n).is_err();
    is_too_many.then(|| {
        format!(
            "the offsets of {} have 32 bits, and count up to {} elements",
            size.workload.name,
            u32::MAX
        )
    })
}

fn measure(cell: &Cell, bench: &mut Bench<'_>) -> Done<()> {
    let (size, algorithm) = cell.read(asked_for)?;
    if let Some(missing) = too_many(&size) {
        bench.skip(missing);
        return Ok(());
    }
    let module = bench.module().clone();
    let device = module.device();
    let rotated = u64::from(bench.is_timed()) * rotated_bytes(device);
    let memory = Memory::new(device, size, rotated)?;
    bench.put("bytes", Some(size.moved()));
    let mut ours = our_launch(bench, &module, &memory, algorithm)?;
    let chosen = ours.as_ref().and_then(|ours| ours.algorithm(memory.size()));
    bench.put("chosen", chosen);
    if !bench.is_timed() || bench.found().status == Status::Failed {
        return Ok(());
    }
    // SAFETY: the run has built it from `peers/scan`, or has been told that it did.
    let libraries = bench.libraries(|path| unsafe { Library::load(path) });
    let mut peers = Vec::new();
    for library in &libraries {
        peers.extend(checked(bench, &memory, library)?);
    }
    match bench.found().status {
        Status::Failed => Ok(()),
        _ => time(bench, &memory, ours.as_deref_mut(), &peers),
    }
}

/// Our launch, if there is one; whether its result is right is known then.
fn our_launch(
    bench: &mut Bench<'_>,
    module: &Module,
    memory: &Memory,
    algorithm: Option<Algorithm>,
) -> Done<Option<Box<dyn ours::Launch>>> {
    let workload = memory.size().workload.name;
    let launched = ours::plan(module, memory.size(), algorithm).and_then(|plan| {
        let Some(mut plan) = plan else {
            return Ok(None);
        };
        plan.launch(memory, 0)?;
        Ok(Some(plan))
    });
    match launched {
        Ok(Some(plan)) => {
            let wrong = memory.difference()?;
            bench.expect(wrong.map(|wrong| format!("{workload}: {wrong}")));
            Ok(Some(plan))
        }
        Ok(None) => {
            let element = memory.size().element.name();
            bench.skip(format!("quadscan has no {workload} of {element}"));
            Ok(None)
        }
        // It says what rules the algorithm out: operator, device, addresses or elements.
        Err(error @ Error::Argument { .. }) if algorithm.is_some() => {
            bench.skip(error.to_string());
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// A peer whose result is right. What it has not is no matter.
fn checked<'a>(
    bench: &mut Bench<'_>,
    memory: &Memory,
    library: &'a Library,
) -> Done<Option<Contestant<'a>>> {
    match Contestant::new(library, memory) {
        Ok(Some(Ok(contestant))) => return Ok(Some(contestant)),
        Ok(Some(Err(wrong))) => {
            bench.expect(Some(wrong));
        }
        Ok(None) => {}
        Err(error) if error.is_context_lost() => return Err(error),
        Err(error) => bench.without_peer(error),
    }
    Ok(None)
}

/// Times all of them, a sample of each in every round.
fn time(
    bench: &mut Bench<'_>,
    memory: &Memory,
    ours: Option<&mut (dyn ours::Launch + 'static)>,
    peers: &[Contestant<'_>],
) -> Done<()> {
    let module = &bench.module().clone();
    let mut contest = Contest::default();
    if let Some(ours) = ours {
        let turn = Turn::default();
        contest.ours("kernel", move || ours.launch(memory, memory.next(&turn)));
    }
    let turn = Turn::default();
    contest.ours("copy", move || memory.copy(module, memory.next(&turn)));
    for contestant in peers {
        let (turn, peer) = (Turn::default(), contestant.peer().interface.peer());
        contest.peer(peer, move || contestant.launch(memory, memory.next(&turn)));
    }
    bench.time_all(&bench.rule(), contest)?;
    bench.put("copy_bytes", Some(memory.size().copy_moved()));
    Ok(())
}

#[cfg(test)]
mod tests;
