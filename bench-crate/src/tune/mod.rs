//! `quadscan tune ARTIFACT --out RECORD`: times the candidates of a sweep beside each other,
//! each checked before, and writes the record. `cargo xtask tune` builds their kernels, whose
//! source `--kernels` prints, and keeps the table that `--table RECORD` prints.
//!
//! - `candidates`: the shapes that are compared; `candidate`: one of them and its launches.
//! - `kernels`: the source of their kernels. Pure.
//! - `record`: what is written; `choose`: from it to the rows of the table. Pure.
//!
//! The arrays and the expected results are `workload`'s, the times `measure`'s.

pub mod candidate;
pub mod candidates;
mod choose;
pub mod kernels;
pub mod record;

#[cfg(test)]
mod tests;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use candidate::{Algorithm, Candidate, Ready};
use quadscan_kernels::scan::tuned::ROWS;
use quadscan_kernels::scan::tuning;
use record::{Measured, Record, Row};

use crate::cli::TuneArguments;
use crate::device::choice;
use crate::error::{Error, Result};
use crate::files;
use crate::grouping::distinct;
use crate::table::list::refused;
use crate::timing::{Rule, device as timing};
use crate::workload::Workload;
use crate::workload::memory::{Memory, Size, Turn, rotated_bytes};
use quadscan::device::{Artifact, Device, Module};

/// How the table begins.
const HEAD: &str = "\
//! What `cargo xtask tune scan` found: the constants of scans, a row a width class.
//!
//! The whole file is written by that command; what a row means, and which one holds for a class
//! that has none, is in [`tuning`](super::tuning).

use super::tuning::{Row, Stream, Thresholds, Tile};

/// Where and when they were measured.
pub const SWEPT: &str = ";

/// Numbers of elements, as powers of two: of the kernels whose tiles are in registers, and
/// of the one for large arrays, which begins where the others end, so that it is known
/// where it becomes the fastest.
struct Sizes {
    registers: &'static [u32],
    lookahead: &'static [u32],
}

const ALL: Sizes = Sizes {
    registers: &[10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22],
    lookahead: &[16, 17, 18, 19, 20, 21, 22, 23, 24, 26, 28],
};

const QUICK: Sizes = Sizes {
    registers: &[10, 14, 18, 20],
    lookahead: &[18, 20, 22, 26],
};

/// On a device without a timer, which is slow: a few tiles.
const CHECKED: Sizes = Sizes {
    registers: &[10],
    lookahead: &[15],
};

/// The classes of a quick sweep: bytes of an element and of a result.
const QUICK_CLASSES: [(usize, usize); 3] = [(1, 1), (4, 4), (8, 8)];

impl Sizes {
    fn has(&self, algorithm: Algorithm, exponent: u32) -> bool {
        match algorithm {
            Algorithm::Lookahead => self.lookahead.contains(&exponent),
            _ => self.registers.contains(&exponent),
        }
    }
}

/// Samples of a time: few, since there are many times.
fn rule(quick: bool) -> Rule {
    Rule {
        min_samples: if quick { 3 } else { 5 },
        max_samples: 9,
        target_error: 0.005,
        budget: Duration::from_millis(100),
    }
}

/// Sweeps, and writes the record. Whether all results were right; `say` hears a sentence
/// about each class, and about what was wrong.
///
/// # Errors
///
/// [`Error::Argument`] for a file that cannot be written; those of [`Artifact::read`] and
/// [`Device::open`]; the device's.
pub fn tune(
    artifact: &Path,
    out: &Path,
    arguments: &TuneArguments,
    say: &mut dyn FnMut(&str),
) -> Result<bool> {
    expect_writable(out)?;
    // SAFETY: `cargo xtask tune` made the folder of the sources of this program; what is
    // launched is what they describe.
    let artifact = unsafe { Artifact::read(artifact) }?;
    let device = Device::open(choice(&arguments.device)?)?;
    let module = device.load(&artifact)?;
    let record = sweep(&module, &candidates::all(), arguments.quick, say)?;
    let wrong = record.candidates.iter().flat_map(|one| {
        let entry = &one.candidate.entry;
        let wrong = one
            .times
            .iter()
            .filter_map(|row| Some((row.n, row.wrong.as_ref()?)));
        wrong.map(move |(n, wrong)| format!("{entry} of {n} elements: {wrong}"))
    });
    let wrong: Vec<String> = wrong.collect();
    wrong.iter().for_each(|sentence| say(sentence));
    write(out, &record)?;
    Ok(wrong.is_empty())
}

/// What `--kernels` and `--table` print, where one of them is asked for.
///
/// # Errors
///
/// [`Error::Argument`] for a record that is none, and for one that gives no table.
pub fn text(arguments: &TuneArguments) -> Result<Option<String>> {
    if arguments.kernels {
        return Ok(Some(kernels::source(&candidates::all())));
    }
    let Some(path) = &arguments.table else {
        return Ok(None);
    };
    let refuse = |problem: String| refused("--table", format!("{}: {problem}", path.display()));
    let text = fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
    let record: Record = serde_json::from_str(&text)
        .map_err(|error| refuse(format!("is not a record of `quadscan tune`: {error}")))?;
    let before = match record.quick {
        // It has not all classes.
        true => choose::present(&record, &ROWS),
        false => ROWS.to_vec(),
    };
    let rows = choose::rows(&record, &before).map_err(refuse)?;
    let swept = format!("{}, {}", record.device, record.date);
    Ok(Some(source(&swept, &rows)))
}

/// The table.
fn source(swept: &str, rows: &[tuning::Row]) -> String {
    let count = rows.len();
    let of = |row: &tuning::Row| format!("    {row:?},\n");
    let rows: String = rows.iter().map(of).collect();
    let rows = rows.replace(", lookahead", ",\n        lookahead");
    let rows = rows.replace(", sm_90", ",\n        sm_90");
    format!(
        "{HEAD}{swept:?};\n\n/// The rows.\n#[rustfmt::skip]\n\
         pub const ROWS: [Row; {count}] = [\n{rows}];\n"
    )
}

/// Err where no record could be written: before a sweep, which takes minutes.
fn expect_writable(path: &Path) -> Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let problem = match (folder.is_dir(), path.is_dir()) {
        (true, false) => return Ok(()),
        (true, true) => "is a folder",
        (false, _) => "is in a folder that does not exist",
    };
    let problem = format!("{} {problem}, allowed is a file to write", path.display());
    Err(refused("--out", problem))
}

/// The record as a file, whole or not at all.
fn write(path: &Path, record: &Record) -> Result<()> {
    let refuse = |problem: String| refused("--out", format!("{}: {problem}", path.display()));
    let text = serde_json::to_string_pretty(record).map_err(|error| refuse(error.to_string()))?;
    let written = files::replace(path, (text + "\n").as_bytes());
    written.map_err(|error| refuse(error.to_string()))
}

fn sweep(
    module: &Module,
    candidates: &[Candidate],
    quick: bool,
    say: &mut dyn FnMut(&str),
) -> Result<Record> {
    let mut record = begin(module, candidates, quick);
    let has_timer = module.device().properties().has_timer;
    let sizes = match (has_timer, quick) {
        (false, _) => &CHECKED,
        (true, true) => &QUICK,
        (true, false) => &ALL,
    };
    let class_of = |one: &Candidate| (one.element, one.result);
    let classes = distinct(candidates.iter().map(class_of)).into_iter();
    for class in classes.filter(|class| !quick || QUICK_CLASSES.contains(class)) {
        let begin = Instant::now();
        let (element, result) = class;
        let mut able = Vec::new();
        let of_class = candidates.iter().enumerate();
        for (index, one) in of_class.filter(|(_, one)| class_of(one) == class) {
            match one.refusal(module)? {
                None => able.push((index, one)),
                Some(why) => {
                    say(&format!("left out: {why}"));
                    record.left_out.push(why);
                }
            }
        }
        for exponent in 10..=28 {
            let competing = able.iter().copied();
            let competing = competing.filter(|(_, one)| sizes.has(one.algorithm, exponent));
            match beside(module, competing, 1 << exponent, &rule(quick)) {
                Ok(rows) => {
                    for (index, row) in rows {
                        record.candidates[index].times.push(row);
                    }
                }
                Err(Error::Quadscan(error @ quadscan::Error::OutOfMemory { .. })) => {
                    let what = format!("{element} to {result} bytes, 2^{exponent}: {error}");
                    say(&what);
                    record.left_out.push(what);
                }
                Err(error) => return Err(error),
            }
        }
        let seconds = begin.elapsed().as_secs_f64();
        say(&format!("{element} to {result} bytes: {seconds:.1} s"));
    }
    record.candidates.retain(|one| !one.times.is_empty());
    Ok(record)
}

/// A record without times.
fn begin(module: &Module, candidates: &[Candidate], quick: bool) -> Record {
    let properties = module.device().properties();
    let parts = module
        .manifest()
        .into_iter()
        .flat_map(|module| &module.parts);
    Record {
        tuned: "scan".to_owned(),
        device: properties.name.clone(),
        compute_capability: properties.compute_capability,
        driver: properties.driver.clone(),
        date: humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string(),
        revision: option_env!("QUADSCAN_GIT_REVISION").map(str::to_owned),
        quick,
        ptx: parts
            .filter_map(|part| Some((part.name.clone(), part.sha256.clone()?)))
            .collect(),
        left_out: Vec::new(),
        candidates: candidates
            .iter()
            .map(|candidate| Measured {
                candidate: candidate.clone(),
                times: Vec::new(),
            })
            .collect(),
    }
}

/// Those of the competing candidates that can scan `n` elements here, with their indices: all
/// checked, and those that are right timed beside each other.
fn beside<'c>(
    module: &Module,
    competing: impl Iterator<Item = (usize, &'c Candidate)>,
    n: u64,
    rule: &Rule,
) -> Result<Vec<(usize, Row)>> {
    let mut ready = Vec::new();
    for (index, candidate) in competing {
        ready.extend(candidate.ready(module, n)?.map(|one| (index, one)));
    }
    let Some((_, first)) = ready.first() else {
        return Ok(Vec::new());
    };
    let (element, result) = (first.candidate.element, first.candidate.result);
    let stand_in = first.candidate.stand_in();
    let workload = stand_in.and_then(|of| Some((Workload::by_name(of.workload)?, of.type_)));
    let (workload, element) = workload.ok_or_else(|| {
        let problem =
            format!("has candidates for {element} to {result} bytes, which nothing checks");
        refused("ARTIFACT", problem)
    })?;
    let size = Size {
        workload,
        element,
        n,
        segment: 1,
    };
    let device = module.device();
    let is_timed = device.properties().has_timer;
    let rotated = if is_timed { rotated_bytes(device) } else { 0 };
    let memory = Memory::new(device, size, rotated)?;
    let mut rows = Vec::new();
    for (_, one) in &ready {
        memory.restore()?;
        one.launch(module, &memory.call(0))?;
        rows.push(Row {
            n,
            median_us: None,
            noise: None,
            samples: 0,
            method: None,
            wrong: memory.difference()?,
        });
    }
    if is_timed {
        times(module, &memory, &ready, rule, &mut rows)?;
    }
    let indices = ready.iter().map(|(index, _)| *index);
    Ok(indices.zip(rows).collect())
}

/// Fills in the times of what is right.
fn times(
    module: &Module,
    memory: &Memory,
    ready: &[(usize, Ready<'_>)],
    rule: &Rule,
    rows: &mut [Row],
) -> Result<()> {
    let right = ready
        .iter()
        .zip(rows)
        .filter(|(_, row)| row.wrong.is_none());
    let (right, rows): (Vec<_>, Vec<_>) = right.unzip();
    let works = right.iter().map(|(_, one)| {
        let turn = Turn::default();
        move || one.launch(module, &memory.call(memory.next(&turn)))
    });
    let mut works: Vec<_> = works.collect();
    let launches = works.iter_mut().map(|work| work as timing::Launch<'_>);
    let mut launches: Vec<timing::Launch<'_>> = launches.collect();
    let measured = timing::kernels_and_methods(rule, module.device(), &mut launches)?;
    for (row, measured) in rows.into_iter().zip(measured) {
        row.median_us = Some(1e3 * measured.timing.median_ms);
        row.noise = Some(measured.timing.noise);
        row.samples = measured.timing.samples_ms.len();
        row.method = Some(measured.method.to_string());
    }
    Ok(())
}
