//! `quadscan bench`: the whole run, from the command line to the exit code.
//!
//! Read [`bench()`] from top to bottom: check the request, open the measuring
//! process, open the folder, measure every cell, print, compare. What is done for
//! one cell is in `run`.

mod baseline;
mod chosen;
pub mod console;
mod paths;
mod peers;
mod preview;
mod processes;
pub mod progress;
pub mod request;
mod run;
pub(crate) mod store;
pub mod timed;

use std::path::PathBuf;

use crate::cli::BenchArguments;
use crate::error::{Error, Result};
use crate::export::{self, Format};
use crate::modules;
use crate::record::{Cell, DeviceInfo, Record, Status};
use crate::report;
use crate::table::column::{Column, KERNEL_COLD};
use crate::table::{Peers, Table};
use crate::worker::Executor;
use crate::worker::child::{Child, Program, Start};
use crate::worker::protocol::Greeting;
use quadscan::device::{Artifact, DeviceChoice};

use baseline::Side;
use console::Console;
use request::Request;
use run::{Measuring, Run};
use store::Store;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything was measured and right: exit code 0.
    Fine,
    /// A result was wrong, a cell failed, or a baseline was missed: exit code 1.
    /// Also when results could not be written, which the console knows.
    Wrong,
}

/// Carries out `quadscan bench`. Err when the request cannot be carried out.
pub fn bench(arguments: &BenchArguments, console: &mut dyn Console) -> Result<Outcome> {
    let mut request = Request::new(arguments)?;
    if arguments.list {
        match arguments.tables.is_empty() {
            true => console.result(&preview::all()),
            false => preview::list(&request, console),
        }
        return Ok(Outcome::Fine);
    }
    if let Some(folder) = &request.artifact {
        // SAFETY: nothing is launched from it; this only tells early whether the
        // folder can be read.
        unsafe { Artifact::read(folder) }?;
    }
    let modules = request.modules();
    request.artifact = modules::folder(request.artifact.as_deref(), request.device, &modules)?;
    if arguments.dry_run {
        let (device, notices) = open_device(&request, 1)?;
        request.adapt(device.info());
        notices.iter().for_each(|notice| console.notice(notice));
        return Ok(preview::dry_run(&request, device, console));
    }
    warn_of_unused(arguments, &request, console);
    let baseline = match &request.baseline {
        Some(name) => Some(store::read_baseline(&request.out, name)?),
        None => None,
    };
    let (device, notices) = open_device(&request, request.processes)?;
    request.adapt(device.info());
    let (peers, of_peers) = peers::open(&request, &device, console);
    let identity = request.identity(&peers.describe());
    let store = Store::open(&request.out, &identity, device.info())?;
    store
        .warnings()
        .iter()
        .for_each(|warning| console.notice(&format!("warning: {warning}")));
    notices.iter().for_each(|notice| console.notice(notice));
    of_peers.iter().for_each(|notice| console.notice(notice));
    if request.cold && device.info().is_some_and(DeviceInfo::is_emulated) {
        console.notice("--cold has no effect on the emulator, which has no times");
    }
    if request.one_by_one && device.info().is_some_and(DeviceInfo::is_emulated) {
        console.notice("--one-by-one has no effect on the emulator, whose launches always wait");
    }
    let mut run = Run::new(&request, device, store, peers);

    let mut measured: Vec<(&Table, Vec<Record>)> = Vec::new();
    for (index, (table, cells)) in request.tables.iter().enumerate() {
        let records = run.table(table, cells, console)?;
        if request.format != Format::Json {
            console.result(&text_of(&request, table, &records, index > 0));
        }
        remark(&request, &(table.summary)(&records), console);
        measured.push((table, records));
        if console.is_lost() {
            // The rows that are measured are kept, and the next run prints them.
            return Ok(Outcome::Wrong);
        }
    }
    console.finish();
    if request.format == Format::Json {
        console.result(&json_of(&request, &measured));
    }
    if console.is_lost() {
        return Ok(Outcome::Wrong);
    }
    let mut store = run.into_store();
    let page = keep_results(&store, &request, &measured)?;
    let all: Vec<Record> = measured
        .into_iter()
        .flat_map(|(_, records)| records)
        .collect();
    let missed = request.baseline.as_ref().zip(baseline);
    let missed = missed.is_some_and(|(name, baseline)| {
        is_missed(&request, &store, name, &baseline, &all, console)
    });
    if let Some(name) = &request.save {
        store.save_baseline(name, &all)?;
        let is_failed = |record: &&Record| record.status == Status::Failed;
        if let Some(sentence) = baseline::of_failed(name, all.iter().filter(is_failed).count()) {
            console.notice(&sentence);
        }
    }
    // Last: a run that is interrupted before is gone on with, and says all of it.
    store.finish()?;
    console.notice(&format!("report: {}", page.display()));
    let failed = all.iter().any(|record| record.status == Status::Failed);
    Ok(if failed || missed {
        Outcome::Wrong
    } else {
        Outcome::Fine
    })
}

/// A file of CSV a table, and the page of all that the folder has, whose name is
/// returned.
fn keep_results(
    store: &Store,
    request: &Request,
    measured: &[(&Table, Vec<Record>)],
) -> Result<PathBuf> {
    for (table, records) in measured {
        let columns = export::select(table.columns_of(records), Format::Csv, false);
        let text = export::render(Format::Csv, &columns, records);
        store.keep(&format!("{}.csv", table.name), &text)?;
    }
    store.keep(report::FILE, &report::page_of(&request.out)?)
}

/// Says how the run compares with its baseline, and whether it falls short of it.
fn is_missed(
    request: &Request,
    store: &Store,
    name: &str,
    baseline: &[Record],
    all: &[Record],
    console: &mut dyn Console,
) -> bool {
    if baseline.iter().any(|record| record.run == store.run()) {
        // A run of `--save` that was interrupted after it was saved, gone on with.
        let sentence = format!("baseline `{name}` is this very run: nothing is compared");
        remark(request, &[sentence], console);
        return false;
    }
    let comparison = baseline::compare_runs(name, request.margin, baseline, all);
    match request.format {
        Format::Markdown => console.result(&format!("\n{}", comparison.markdown())),
        Format::Table => console.result(&format!("\n{}\n", comparison.lines().join("\n"))),
        _ => remark(request, &comparison.lines(), console),
    }
    comparison.is_missed()
}

/// Lists and rows that no selected table has a use for are not an error, but said.
fn warn_of_unused(arguments: &BenchArguments, request: &Request, console: &mut dyn Console) {
    type Has = fn(&Table, &Cell) -> bool;
    let uses = |has: &dyn Fn(&Table, &Cell) -> bool| {
        let mut tables = request.tables.iter();
        tables.any(|(table, cells)| cells.iter().any(|cell| has(table, cell)))
    };
    let mut warn = |name: &str| {
        console.notice(&format!("warning: {name} has no effect on these tables"));
    };
    for (option, _) in &request.asked().lists {
        let has = |table: &Table, cell: &Cell| {
            let mut axes = table.axes.iter().map(|of| of.axis);
            axes.any(|axis| axis.option == option && cell.get(axis.name).is_some())
        };
        if !uses(&has) {
            warn(&format!("--{option}"));
        }
    }
    for (name, _) in &request.asked().axes {
        if !uses(&|_, cell| cell.get(name).is_some()) {
            warn(&format!("--axis {name}"));
        }
    }
    let is_of_plans: Has = |table, _| {
        matches!(
            table.peers,
            Peers::Arrays | Peers::Integral | Peers::Integrals
        )
    };
    let has_cold: Has = |table, _| {
        let columns = table.columns.iter().copied().flatten();
        columns.into_iter().any(|column| column.name == KERNEL_COLD)
    };
    let named = |word: &'static str| {
        move |_: &Table, cell: &Cell| {
            cell.text("algorithm")
                .is_some_and(|name| name.contains(word))
        }
    };
    let whole_scan: Has = |_, cell| {
        cell.text("algorithm").is_some()
            && cell.get("operation").is_none()
            && cell.get("step").is_none()
    };
    for (name, given, is_used) in [
        (
            "--cub",
            arguments.cub.is_some(),
            uses(&|table, _| table.peers == Peers::Arrays),
        ),
        ("--padded", arguments.padded, uses(&named("padded"))),
        (
            "--scattered",
            arguments.scattered,
            uses(&named("scattered")),
        ),
        ("--concurrent", arguments.concurrent, uses(&whole_scan)),
        ("--one-by-one", arguments.one_by_one, uses(&is_of_plans)),
        (
            "--cold",
            arguments.cold,
            !request.published && uses(&has_cold),
        ),
    ] {
        if given && !is_used {
            warn(name);
        }
    }
    if arguments.margin.is_some() && arguments.baseline.is_none() {
        console.notice("warning: --margin has no effect without --baseline");
    }
}

/// The measuring process, or why there is none, and sentences for people: which
/// device it is, and why; and why its clocks are not known. Err when a device was asked for by name and is not there,
/// or cannot run the PTX.
fn open_device(request: &Request, processes: u32) -> Result<(Measuring, Vec<String>)> {
    let nothing = |reason: String| {
        let notice = format!("{reason}; the columns of the device stay empty");
        Ok((Measuring::Nothing(reason), vec![notice]))
    };
    if !request.uses_device() {
        return nothing("no table asks for a device".into());
    }
    let start = Child::start(program(request)?).map_err(|problem| Error::Worker { problem })?;
    match start {
        Start::Ready(child, greeting) => {
            let mut notices = vec![introduction(request.device, &greeting)];
            notices.extend(greeting.no_clocks.clone());
            // An emulated device has no times that could differ.
            let processes = match greeting.device.is_emulated() {
                true => 1,
                false => processes,
            };
            let executor: Box<dyn Executor> = match processes {
                1 => child,
                several => {
                    let pool = processes::pool(&program(request)?, *child, &greeting, several);
                    notices.extend(pool.1);
                    Box::new(pool.0)
                }
            };
            let info = Box::new(greeting.device);
            Ok((Measuring::Device(executor, info), notices))
        }
        Start::NoDevice(reason) if request.device == DeviceChoice::Auto => {
            nothing(format!("no device: {reason}"))
        }
        Start::NoDevice(reason) => Err(Error::Argument {
            argument: "--device".into(),
            problem: format!(
                "{} cannot be had: {reason}; --device auto takes the emulator instead",
                request.device
            ),
        }),
        Start::Refused(problem) => Err(Error::Refused { problem }),
    }
}

/// Which device measures, and why this one.
fn introduction(asked: DeviceChoice, greeting: &Greeting) -> String {
    let why = match (&greeting.no_gpu, asked) {
        (Some(reason), _) => format!("since there is no GPU ({reason})"),
        (None, DeviceChoice::Auto) => "the first GPU of this machine".to_owned(),
        (
            None,
            DeviceChoice::Emulator {
                schedule: Some(seed),
            },
        ) => {
            format!("as asked for, with schedule {seed}")
        }
        (None, _) => "as asked for".to_owned(),
    };
    let info = &greeting.device;
    let what = if info.is_emulated() {
        "; it gives results and counts, and no times"
    } else {
        ""
    };
    format!("device: {}, {why}{what}", info.name)
}

/// The measuring program: this one, as `quadscan worker`, unless another is named.
fn program(request: &Request) -> Result<Program> {
    let executable = match &request.worker {
        Some(program) => program.clone(),
        None => std::env::current_exe().map_err(|e| Error::Worker {
            problem: e.to_string(),
        })?,
    };
    let device = request.device.to_string();
    let mut arguments = vec!["worker".into(), "--device".into(), device.into()];
    if let DeviceChoice::Emulator {
        schedule: Some(seed),
    } = request.device
    {
        arguments.extend(["--schedule".into(), seed.to_string().into()]);
    }
    if let Some(folder) = &request.artifact {
        arguments.extend(["--artifact".into(), folder.into()]);
    }
    let modules: Vec<String> = request.modules().into_iter().collect();
    if !modules.is_empty() {
        arguments.extend(["--modules".into(), modules.join(",").into()]);
    }
    if request.one_by_one {
        arguments.push("--one-by-one".into());
    }
    Ok(Program::new(executable, arguments))
}

/// All tables as one array: every record whole, or its published columns alone.
fn json_of(request: &Request, measured: &[(&Table, Vec<Record>)]) -> String {
    if !request.published {
        let all: Vec<&Record> = measured.iter().flat_map(|(_, records)| records).collect();
        return export::render_json(&all);
    }
    let tables: Vec<(Vec<Column>, &[Record])> = measured
        .iter()
        .map(|(table, records)| {
            let columns = export::select(table.columns_of(records), request.format, true);
            (columns, records.as_slice())
        })
        .collect();
    export::render_json_columns(&tables)
}

/// A finished table as text; after the first one an empty line divides them.
fn text_of(request: &Request, table: &Table, records: &[Record], divided: bool) -> String {
    let columns = export::select(table.columns_of(records), request.format, request.published);
    let mut text = String::new();
    if divided {
        text.push('\n');
    }
    if request.format == Format::Markdown {
        text.push_str(&section(table, &columns, records));
    } else if request.format == Format::Table {
        text.push_str(&format!("{}: {}\n", table.name, table.about));
    }
    if request.format != Format::Markdown {
        text.push_str(&export::render(request.format, &columns, records));
    }
    if request.format.has_room_for_words() {
        for note in export::footnotes(records) {
            text.push_str(&format!("\n{note}\n"));
        }
        if !request.published {
            text.push_str(&below(request.format, table, records));
        }
    }
    text
}

/// A table as a section of Markdown: where its rows are from, and the rows, folded
/// away where they are many.
fn section(table: &Table, columns: &[Column], records: &[Record]) -> String {
    /// What somebody who reads a pull request scrolls over.
    const MANY: usize = 20;
    let rows = export::render(Format::Markdown, columns, records);
    let rows = match records.len() {
        0..=MANY => rows,
        many => {
            format!("<details><summary>{many} rows</summary>\n\n{rows}\n</details>\n")
        }
    };
    let from = Side::of(records).describe();
    format!("## {}\n\n{}: {from}\n\n{rows}", table.name, table.about)
}

/// What a form with room for words has below a table: its matrices and paragraphs.
fn below(format: Format, table: &Table, records: &[Record]) -> String {
    let matrices = (table.matrices)(records).into_iter();
    let matrices = matrices.map(|matrix| export::render_matrix(format, &matrix));
    let notes = (table.notes)(records).into_iter().map(|note| match format {
        // Two products in a paragraph would be emphasis.
        Format::Markdown => note.replace('*', "\\*") + "\n",
        _ => note + "\n",
    });
    matrices
        .chain(notes)
        .map(|part| format!("\n{part}"))
        .collect()
}

/// Lines that are no rows: among the results where the form has room for words,
/// else beside them.
fn remark(request: &Request, lines: &[String], console: &mut dyn Console) {
    for line in lines {
        if request.format.has_room_for_words() {
            console.result(&format!("\n{line}\n"));
        } else {
            console.notice(line);
        }
    }
}

#[cfg(test)]
mod tests;
