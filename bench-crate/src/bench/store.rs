//! Where records are kept: `records.jsonl`, one line a record, written through as
//! soon as it is measured; `run.json`, which says what the last run in this
//! folder was to measure; `baselines/NAME.jsonl`.
//!
//! A run that was interrupted is resumed by the next one in the same folder with
//! the same request, by the same revision of the program, on the same processor
//! and device with the same PTX; anything else starts a new run, whose records
//! follow the older ones.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::record::{DeviceInfo, HostInfo, Record, Status};

/// `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Run {
    run: String,
    request: String,
    device: Option<String>,
    ptx_sha256: Option<String>,
    /// This program and the processor, whose times and answers are in the rows too.
    host: HostInfo,
    finished: bool,
}

/// An open folder of records. No other run writes to it meanwhile.
pub(super) struct Store {
    folder: PathBuf,
    records: File,
    run: Run,
    resumed: Vec<Record>,
    warnings: Vec<String>,
}

fn unwritable<'a>(folder: &'a Path, path: &'a Path) -> impl Fn(io::Error) -> Error + 'a {
    move |source| Error::Unwritable {
        folder: folder.into(),
        path: path.into(),
        source,
    }
}

/// A name that no other run has: when it began, and the process.
fn run_name() -> String {
    let now = humantime::format_rfc3339_nanos(std::time::SystemTime::now());
    format!("{now}-{}", std::process::id())
}

/// Writes a whole file or nothing.
fn replace(folder: &Path, path: &Path, bytes: &[u8]) -> Result<()> {
    let draft = path.with_extension("new");
    fs::write(&draft, bytes).map_err(unwritable(folder, &draft))?;
    fs::rename(&draft, path).map_err(unwritable(folder, path))
}

/// What a file of records holds.
struct Parsed {
    records: Vec<Record>,
    /// Bytes up to the end of the last whole line. What follows was being written
    /// when the writer ended.
    whole: usize,
    /// Whole lines that are no records of this program.
    foreign: usize,
}

fn parse(text: &[u8]) -> Parsed {
    let whole = text
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |end| end + 1);
    let mut records = Vec::new();
    let mut foreign = 0;
    for line in text[..whole].split_inclusive(|&byte| byte == b'\n') {
        match serde_json::from_slice(line) {
            Ok(record) => records.push(record),
            Err(_) => foreign += 1,
        }
    }
    Parsed {
        records,
        whole,
        foreign,
    }
}

/// The records of a file that a run may be writing to, and what was wrong with
/// it, a sentence each: a torn last line and lines that are no records are left
/// out.
pub(crate) fn read(path: &Path) -> io::Result<(Vec<Record>, Vec<String>)> {
    let text = fs::read(path)?;
    let parsed = parse(&text);
    let mut warnings = Vec::new();
    if parsed.whole < text.len() {
        warnings.push(format!(
            "{}: its torn last line is left out",
            path.display()
        ));
    }
    if parsed.foreign > 0 {
        let lines = no_records(parsed.foreign);
        warnings.push(format!("{}: {lines}, left out", path.display()));
    }
    Ok((parsed.records, warnings))
}

/// `1 line is no record`, `2 lines are no records`.
fn no_records(lines: usize) -> String {
    match lines {
        1 => "1 line is no record".to_owned(),
        n => format!("{n} lines are no records"),
    }
}

impl Store {
    /// Opens or creates a folder. Err when it cannot be written, or when another
    /// run is writing to it.
    pub(super) fn open(folder: &Path, request: &str, device: Option<&DeviceInfo>) -> Result<Self> {
        fs::create_dir_all(folder).map_err(unwritable(folder, folder))?;
        let path = folder.join("records.jsonl");
        let mut records = OpenOptions::new()
            .create(true)
            .read(true)
            .append(true)
            .open(&path)
            .map_err(unwritable(folder, &path))?;
        match records.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Argument {
                    argument: "--out".into(),
                    problem: format!(
                        "{} is in use by another run, allowed is a folder of its own",
                        folder.display()
                    ),
                });
            }
            Err(TryLockError::Error(source)) => return Err(unwritable(folder, &path)(source)),
        }
        let mut text = Vec::new();
        records
            .read_to_end(&mut text)
            .map_err(unwritable(folder, &path))?;
        let old = parse(&text);
        let mut warnings = Vec::new();
        if old.whole < text.len() {
            records
                .set_len(old.whole as u64)
                .map_err(unwritable(folder, &path))?;
            warnings.push(format!("{}: its torn last line is dropped", path.display()));
        }
        if old.foreign > 0 {
            let lines = no_records(old.foreign);
            warnings.push(format!("{}: {lines}, ignored and kept", path.display()));
        }

        let mut run = Run {
            run: run_name(),
            request: request.to_owned(),
            device: device.map(|info| info.name.clone()),
            ptx_sha256: device.map(|info| info.ptx_sha256.clone()),
            host: HostInfo::current(),
            finished: false,
        };
        let last: Option<Run> = fs::read(folder.join("run.json"))
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok());
        if let Some(last) = last {
            let interrupted = Run {
                run: last.run.clone(),
                ..run.clone()
            };
            if last == interrupted {
                run.run = last.run;
            }
        }
        let resumed = old
            .records
            .into_iter()
            .filter(|record| record.run == run.run && record.status != Status::Failed)
            .collect();
        let store = Store {
            folder: folder.to_owned(),
            records,
            run,
            resumed,
            warnings,
        };
        store.write_run()?;
        Ok(store)
    }

    fn write_run(&self) -> Result<()> {
        let path = self.folder.join("run.json");
        let mut text = serde_json::to_vec_pretty(&self.run)
            .map_err(|e| unwritable(&self.folder, &path)(e.into()))?;
        text.push(b'\n');
        replace(&self.folder, &path, &text)
    }

    /// The run's name, which its records carry.
    pub(super) fn run(&self) -> &str {
        &self.run.run
    }

    /// What was wrong with the old records, a sentence each.
    pub(super) fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Rows of this run that an interrupted process has measured already.
    pub(super) fn resumed(&self) -> &[Record] {
        &self.resumed
    }

    /// Keeps a record. It is in the file when this returns.
    pub(super) fn append(&mut self, record: &Record) -> Result<()> {
        let path = self.folder.join("records.jsonl");
        let failed = unwritable(&self.folder, &path);
        let mut line = serde_json::to_vec(record).map_err(|e| failed(e.into()))?;
        line.push(b'\n');
        self.records.write_all(&line).map_err(failed)
    }

    /// Says that every cell was measured: the next run is a new one.
    pub(super) fn finish(&mut self) -> Result<()> {
        self.run.finished = true;
        self.write_run()
    }

    /// Keeps a file of results beside the records, in place of what was there.
    pub(super) fn keep(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.folder.join(name);
        replace(&self.folder, &path, text.as_bytes())?;
        Ok(path)
    }

    /// Keeps records under a name, in place of what was there.
    pub(super) fn save_baseline(&self, name: &str, records: &[Record]) -> Result<()> {
        let path = baseline_path(&self.folder, name);
        let folder = self.folder.join("baselines");
        fs::create_dir_all(&folder).map_err(unwritable(&self.folder, &folder))?;
        let mut text = Vec::new();
        for record in records {
            serde_json::to_writer(&mut text, record)
                .map_err(|e| unwritable(&self.folder, &path)(e.into()))?;
            text.push(b'\n');
        }
        replace(&self.folder, &path, &text)
    }
}

fn baseline_path(folder: &Path, name: &str) -> PathBuf {
    folder.join("baselines").join(format!("{name}.jsonl"))
}

/// Whether there is a baseline of that name.
pub(super) fn has_baseline(folder: &Path, name: &str) -> bool {
    baseline_path(folder, name).is_file()
}

/// The records of a baseline. Err when there is none of that name.
pub(super) fn read_baseline(folder: &Path, name: &str) -> Result<Vec<Record>> {
    let path = baseline_path(folder, name);
    let text = fs::read(&path).map_err(|e| Error::Argument {
        argument: "--baseline".into(),
        problem: format!(
            "`{name}` cannot be read from {}: {e}; --save NAME makes one",
            path.display()
        ),
    })?;
    let parsed = parse(&text);
    let problem = if parsed.foreign > 0 {
        no_records(parsed.foreign)
    } else if parsed.whole < text.len() {
        "its last line is torn".to_owned()
    } else {
        return Ok(parsed.records);
    };
    Err(Error::Records { path, problem })
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
