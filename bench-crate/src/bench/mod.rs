//! `quadscan bench`: the whole run, from the command line to the exit code.
//!
//! Read [`bench()`] from top to bottom: check the request, start the measuring processes, open
//! the folder, measure every cell, print, keep, compare. What is done for one cell is in `run`.

mod baseline;
mod chosen;
mod compared;
pub mod console;
mod names;
mod paths;
mod peers;
mod preview;
pub mod progress;
mod ranks;
mod render;
pub mod request;
mod run;
mod side;
mod store;
pub mod timed;
mod unused;
mod verdict;
mod workers;

use std::sync::Arc;

use crate::about::SCHEMA;
use crate::cli::BenchArguments;
use crate::error::Result;
use crate::ranks::Ranks;
use crate::record::{Record, Status};
use crate::table::Table;

use console::Console;
use peers::Peers;
use render::Rendering;
use request::Request;
use run::Run;
use store::Store;
use workers::Workers;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything was measured and right: exit code 0.
    Fine,
    /// A result was wrong, a cell failed, or a baseline was missed: exit code 1.
    /// Also when results could not be written, which the console knows.
    Wrong,
}

/// Carries out `quadscan bench`, on one process. Err when the request cannot be carried out.
pub fn bench(arguments: &BenchArguments, console: &mut dyn Console) -> Result<Outcome> {
    bench_of(arguments, Arc::new(Ranks::alone()), console)
}

/// The same on several processes, of which the first one keeps and prints what all have measured.
///
/// # Errors
///
/// As [`bench()`], and for one process with `--ranks`.
pub fn bench_of(
    arguments: &BenchArguments,
    ranks: Arc<Ranks>,
    console: &mut dyn Console,
) -> Result<Outcome> {
    if arguments.schema {
        if ranks.is_first() {
            console.result(SCHEMA);
        }
        return Ok(Outcome::Fine);
    }
    let asked = ranks::expect_several(arguments, &ranks);
    let mut request = ranks.agree(asked.and_then(|()| Request::new(arguments)))?;
    request.device = ranks.device(request.device);
    if ranks.is_first() {
        say(console, unused::renamed(arguments));
        unused::warn(arguments, &request, console);
        if arguments.list {
            return Ok(preview::list(&request, console));
        }
    }
    if arguments.list {
        return Ok(Outcome::Fine);
    }
    ranks.agree(request.find_modules())?;
    if arguments.dry_run {
        let said = match ranks.is_first() {
            true => preview::dry_run(request, console),
            false => Ok(Outcome::Fine),
        };
        return ranks.agree(said);
    }
    let baseline = ranks.agree(request.read_baseline())?;
    let started = Workers::start(&request, request.processes);
    let (mut workers, introduction) = ranks.agree(started)?;
    if !ranks.is_first() {
        ranks::serve(&ranks, |job, patience| workers.carry_out(job, patience));
        return Ok(Outcome::Fine);
    }
    let workers = workers.among(&ranks);
    if workers.is_emulated() {
        request.adapt_to_emulator();
    }
    let (peers, missing) = Peers::open(&request, &workers, console);
    let mut identity = request.identity(&peers.describe());
    if !ranks.is_alone() {
        identity.push_str(&format!(" ranks={}", ranks.size()));
    }
    let mut store = Store::open(&request.out, &identity, workers.device().ok())?;
    say(console, store.warnings());
    say(console, introduction.iter().chain(&missing));
    say(console, unused::on_device(&request, &workers));

    let mut run = Run::new(&request, workers, peers, &store);
    let mut rendering = Rendering::new(&request, console.width());
    let mut measured: Vec<(&Table, Vec<Record>)> = Vec::new();
    for (table, cells) in &request.tables {
        let records = run.table(table, cells, &mut store, console)?;
        rendering.table(table, &records, console);
        if console.is_lost() {
            // The rows that are measured are kept, and the next run prints them.
            return Ok(Outcome::Wrong);
        }
        measured.push((table, records));
    }
    console.finish();
    render::json(&request, &measured, console);
    if console.is_lost() {
        return Ok(Outcome::Wrong);
    }

    // The measuring processes end.
    drop(run);
    let page = store.keep_results(&measured)?;
    let verdict = rendering.verdict(&measured, &page);
    let records: Vec<Record> = measured.into_iter().flat_map(|of| of.1).collect();
    if let Some(summary) = ranks::summary(&request, &records) {
        console.result(&summary);
    }
    let is_missed = baseline
        .is_some_and(|then| baseline::is_missed(&request, store.run(), &then, &records, console));
    if let Some(name) = &request.save {
        store.save_baseline(name, &records)?;
        say(console, baseline::of_failed(name, &records));
    }
    match verdict {
        Some(verdict) => console.result(&verdict),
        None => say(console, [format!("report: {}", page.display())]),
    }
    if console.is_lost() {
        return Ok(Outcome::Wrong);
    }
    // Last: a run that is interrupted before this is resumed, and prints everything.
    store.finish()?;
    let is_wrong = records.iter().any(|record| record.status == Status::Failed);
    Ok(match is_wrong || is_missed {
        true => Outcome::Wrong,
        false => Outcome::Fine,
    })
}

/// Says sentences to the person who runs it.
fn say(console: &mut dyn Console, sentences: impl IntoIterator<Item = impl AsRef<str>>) {
    for sentence in sentences {
        console.notice(sentence.as_ref());
    }
}

#[cfg(test)]
mod tests;
