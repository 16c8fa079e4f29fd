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
use crate::export::{self, Format};
use crate::files;
use crate::record::file::{End, Parsed};
use crate::record::{DeviceInfo, HostInfo, Record, SCHEMA, Status};
use crate::report;
use crate::table::Table;

/// `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Run {
    /// The form of its records; programs before the second one did not say it.
    #[serde(default)]
    schema: u32,
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
    files::replace(path, bytes).map_err(unwritable(folder, path))
}

/// Makes the file of records end with a line, which the next record follows; what was done.
fn end_line(file: &mut File, old: &Parsed) -> io::Result<Option<&'static str>> {
    match old.end {
        End::Clean | End::Foreign => Ok(None),
        End::Open => file
            .write_all(b"\n")
            .map(|()| Some("its last line had no end and has one now")),
        End::Torn => file
            .set_len(old.whole as u64)
            .map(|()| Some("its torn last line is dropped")),
    }
}

impl Store {
    /// Opens or creates a folder. Err when it cannot be written, or when another
    /// run is writing to it.
    pub(super) fn open(folder: &Path, request: &str, device: Option<&DeviceInfo>) -> Result<Self> {
        fs::create_dir_all(folder).map_err(unwritable(folder, folder))?;
        let path = folder.join("records.jsonl");
        let last = folder.join("run.json");
        for file in [&path, &last] {
            files::expect_file(file).map_err(unwritable(folder, file))?;
        }
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
        let old = Parsed::of(&text);
        let mut warnings = Vec::new();
        if old.end == End::Foreign {
            let problem = "its last line has no end and is not a record, and a record would be \
                           added to it: end it, or name another folder with --out";
            let problem = problem.to_owned();
            return Err(Error::Records { path, problem });
        }
        let done = end_line(&mut records, &old).map_err(unwritable(folder, &path))?;
        warnings.extend(done.map(|done| format!("{}: {done}", path.display())));
        if let Some(lines) = old.no_records() {
            warnings.push(format!("{}: {lines}, ignored and kept", path.display()));
        }

        let mut run = Run {
            schema: SCHEMA,
            run: run_name(),
            request: request.to_owned(),
            device: device.map(|info| info.name.clone()),
            ptx_sha256: device.map(|info| info.ptx_sha256.clone()),
            host: HostInfo::current(),
            finished: false,
        };
        let last: Option<Run> = fs::read(last)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok());
        if let Some(last) = last {
            let interrupted = Run {
                run: last.run.clone(),
                ..run.clone()
            };
            if last == interrupted {
                run.run = last.run;
            } else if last.schema != SCHEMA && !last.finished {
                warnings.push(format!(
                    "{}: the interrupted run {} is of another version of quadscan and cannot be \
                     resumed; its records are kept, and a new run begins",
                    folder.display(),
                    last.run
                ));
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
    pub(super) fn warnings(&self) -> impl Iterator<Item = String> {
        let warnings = self.warnings.iter();
        warnings.map(|warning| format!("warning: {warning}"))
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

    /// Keeps a file of CSV a table, and the page of all that the folder has, whose name is
    /// returned.
    pub(super) fn keep_results(&self, measured: &[(&Table, Vec<Record>)]) -> Result<PathBuf> {
        for (table, records) in measured {
            let columns = export::select(table.columns_of(records), Format::Csv, false);
            let text = export::render(Format::Csv, &columns, records);
            self.keep(&format!("{}.csv", table.name), &text)?;
        }
        self.keep(report::FILE, &report::page_of(&self.folder)?)
    }

    /// Keeps a file of results beside the records, in place of what was there.
    fn keep(&self, name: &str, text: &str) -> Result<PathBuf> {
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
    let text = files::expect_file(&path).and_then(|()| fs::read(&path));
    let text = text.map_err(|e| Error::Argument {
        argument: "--baseline".into(),
        problem: format!(
            "`{name}` cannot be read from {}: {e}; --save NAME makes one",
            path.display()
        ),
    })?;
    let parsed = Parsed::of(&text);
    let problem = if let Some(lines) = parsed.no_records() {
        lines
    } else if parsed.end == End::Torn {
        "its last line is torn".to_owned()
    } else {
        return Ok(parsed.records);
    };
    Err(Error::Records { path, problem })
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
