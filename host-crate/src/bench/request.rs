//! What the command line asks for, checked: everything that can be refused is
//! refused here, before anything is measured or written.

use std::path::PathBuf;
use std::time::Duration;

use quadscan_kernels::scan::MAX_ELEMENTS;

use super::baseline::asked;
use super::list;
use crate::cli::BenchArguments;
use crate::device::DeviceChoice;
use crate::error::{Error, Result};
use crate::export::Format;
use crate::record::Key;
use crate::tables::{self, Extent, Selection, Table};
use crate::worker::protocol::Task;

/// The most strips: their index is a `u32` in the kernels, and the end of the
/// last sub-range has to be one too.
pub const MOST_STRIPS: u64 = 1 << 31;

/// The most blocks.
const MOST_BLOCKS: u64 = tables::sweep::MOST_PARTIALS;

/// The most threads of a block, on every CUDA device.
const MOST_THREADS: u64 = 1024;

/// The most samples.
const MOST_SAMPLES: u64 = 10_000;

/// The longest limit for a cell: a day.
const LONGEST_CELL: u64 = 86_400;

/// A checked request.
pub struct Request {
    /// The tables, in the order given, with their cells.
    pub tables: Vec<(&'static dyn Table, Vec<Key>)>,
    /// The device, as it was asked for.
    pub device: DeviceChoice,
    /// Published columns alone.
    pub published: bool,
    /// Exactly this many samples.
    pub repeat: Option<u32>,
    /// Kernels with a cold cache too.
    pub cold: bool,
    /// Form of the results.
    pub format: Format,
    /// Folder for the records.
    pub out: PathBuf,
    /// Keep as a baseline.
    pub save: Option<String>,
    /// Compare with a baseline.
    pub baseline: Option<String>,
    /// Changes within this part are none.
    pub margin: f64,
    /// Processes that measure each cell on a device with times.
    pub processes: u32,
    /// Folder of the PTX.
    pub artifact: Option<PathBuf>,
    /// Folder of the peers' source, when it was named: what is missing is said then.
    pub peers: Option<PathBuf>,
    /// The limit that was given.
    pub cell_timeout: Option<Duration>,
    /// The measuring program, when it is not this one.
    pub worker: Option<PathBuf>,
}

fn refused(argument: &str, problem: String) -> Error {
    Error::Argument {
        argument: argument.to_owned(),
        problem,
    }
}

fn known_tables() -> String {
    let names: Vec<&str> = tables::all().iter().map(|table| table.name()).collect();
    names.join(", ")
}

/// Without names all tables, of which some have no place beside `published`.
fn select_tables(names: &[String], published: bool) -> Result<Vec<&'static dyn Table>> {
    let is_offered = |table: &&dyn Table| !published || table.is_published();
    if names.is_empty() {
        return Ok(tables::all().into_iter().filter(is_offered).collect());
    }
    let mut selected: Vec<&'static dyn Table> = Vec::new();
    for name in names {
        let table = tables::by_name(name).ok_or_else(|| {
            refused(
                "TABLE",
                format!("`{name}` is unknown, known are {}", known_tables()),
            )
        })?;
        if selected.iter().any(|other| other.name() == table.name()) {
            return Err(refused(
                "TABLE",
                format!("`{name}` is named twice, once is allowed"),
            ));
        }
        if !is_offered(&table) {
            let offered = tables::all().into_iter().filter(is_offered);
            let names: Vec<&str> = offered.map(|table| table.name()).collect();
            return Err(refused(
                "TABLE",
                format!(
                    "`{name}` has no published figures, allowed beside --published are {}",
                    names.join(", ")
                ),
            ));
        }
        selected.push(table);
    }
    Ok(selected)
}

/// `--peers sweep-f64` asks for a table, not for a folder of that name.
fn tables_and_peers(arguments: &BenchArguments) -> (Vec<String>, Option<PathBuf>) {
    let mut names = arguments.tables.clone();
    let named = arguments.peers.as_ref().and_then(|folder| folder.to_str());
    match named.filter(|name| tables::by_name(name).is_some()) {
        Some(table) => {
            names.insert(0, table.to_owned());
            (names, Some(super::PEERS.into()))
        }
        None => (names, arguments.peers.clone()),
    }
}

/// The device, with the schedule that only the emulator has.
fn device(arguments: &BenchArguments) -> Result<DeviceChoice> {
    let text = &arguments.device;
    let choice = text.parse().map_err(|_| {
        refused(
            "--device",
            format!("`{text}` is unknown, allowed are auto, cuda, cuda:N and emulator"),
        )
    })?;
    let Some(seed) = &arguments.schedule else {
        return Ok(choice);
    };
    match choice {
        DeviceChoice::Emulator { .. } => {
            let seed = list::number("--schedule", seed, 0..=u64::MAX)?;
            Ok(DeviceChoice::Emulator {
                schedule: Some(seed),
            })
        }
        _ => Err(refused(
            "--schedule",
            format!("is for the emulator alone, allowed with --device emulator and not {text}"),
        )),
    }
}

fn check_name(argument: &str, name: &Option<String>) -> Result<()> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    match name {
        Some(name) if name.is_empty() || !name.bytes().all(allowed) => Err(refused(
            argument,
            format!("`{name}` is no name, allowed are one or more of A-Z a-z 0-9 . _ -"),
        )),
        _ => Ok(()),
    }
}

/// A list that fits into u32.
fn small_numbers(argument: &str, text: &Option<String>, most: u64) -> Result<Option<Vec<u32>>> {
    let Some(text) = text else { return Ok(None) };
    let values = list::numbers(argument, text, 1..=most)?;
    Ok(Some(
        values
            .into_iter()
            .filter_map(|value| u32::try_from(value).ok())
            .collect(),
    ))
}

fn selection(arguments: &BenchArguments) -> Result<Selection> {
    let strips = match &arguments.strips {
        Some(text) => Some(list::numbers("--strips", text, 1..=MOST_STRIPS)?),
        None => None,
    };
    let extent = match (arguments.quick, arguments.full) {
        (true, _) => Extent::Quick,
        (_, true) => Extent::Full,
        _ => Extent::Default,
    };
    Ok(Selection {
        extent,
        published: arguments.published,
        strips,
        blocks: small_numbers("--blocks", &arguments.blocks, MOST_BLOCKS)?,
        threads: small_numbers("--threads", &arguments.threads, MOST_THREADS)?,
        elements: match &arguments.elements {
            Some(text) => Some(list::powers_of_two(
                "--elements",
                text,
                MAX_ELEMENTS as u32,
            )?),
            None => None,
        },
        padded: arguments.padded,
        scattered: arguments.scattered,
        concurrent: arguments.concurrent,
    })
}

impl Request {
    /// Checks the command line. Err in one sentence that names the argument and
    /// what it may be.
    pub fn new(arguments: &BenchArguments) -> Result<Self> {
        let selection = selection(arguments)?;
        let device = device(arguments)?;
        let format = Format::by_name(&arguments.format).ok_or_else(|| {
            refused(
                "--format",
                format!(
                    "`{}` is unknown, allowed are table, csv, markdown and json",
                    arguments.format
                ),
            )
        })?;
        let repeat = match &arguments.repeat {
            Some(text) => u32::try_from(list::number("--repeat", text, 1..=MOST_SAMPLES)?).ok(),
            None => None,
        };
        let cell_timeout = match &arguments.cell_timeout {
            Some(text) => Some(Duration::from_secs(list::number(
                "--cell-timeout",
                text,
                1..=LONGEST_CELL,
            )?)),
            None => None,
        };
        check_name("--save", &arguments.save)?;
        check_name("--baseline", &arguments.baseline)?;
        let (names, peers) = tables_and_peers(arguments);
        let tables = select_tables(&names, selection.published)?
            .into_iter()
            .map(|table| Ok((table, table.cells(&selection)?)))
            .collect::<Result<_>>()?;
        Ok(Request {
            tables,
            device,
            published: arguments.published,
            repeat,
            cold: arguments.cold,
            format,
            out: arguments.out.clone(),
            save: arguments.save.clone(),
            baseline: arguments.baseline.clone(),
            margin: asked::margin(arguments)?,
            processes: asked::processes(arguments)?,
            artifact: arguments.artifact.clone(),
            peers,
            cell_timeout,
            worker: arguments.worker.clone(),
        })
    }

    /// Cells of all tables.
    pub fn cell_count(&self) -> usize {
        self.tables.iter().map(|(_, cells)| cells.len()).sum()
    }

    /// Whether the device has anything to do.
    pub fn uses_device(&self) -> bool {
        self.tables
            .iter()
            .any(|(table, cells)| cells.iter().any(|key| table.task(key).is_some()))
    }

    /// How long a cell may take on a device: as given, else a minute and, for
    /// kernels with few threads, thirty launches at 1 us a strip and thread. A
    /// device without a timer launches once, and runs one warp after the other:
    /// 10 us a strip and warp.
    pub fn limit(&self, task: &Task, has_timer: bool) -> Duration {
        const MINUTE: Duration = Duration::from_secs(60);
        self.cell_timeout.unwrap_or_else(|| match task {
            Task::QuarterCircle {
                strips,
                blocks,
                threads,
                ..
            } => {
                let (blocks, threads) = (u64::from(*blocks), u64::from(*threads));
                let strips_a_thread = strips / (blocks * threads).max(1);
                let warps = blocks * threads.div_ceil(32);
                let micros = if has_timer { 30 } else { 10 * warps };
                MINUTE + Duration::from_micros(micros * strips_a_thread)
            }
            Task::Activity { .. }
            | Task::Concurrent { .. }
            | Task::Limit { .. }
            | Task::Diagnostic { .. } => MINUTE,
        })
    }

    /// Everything that decides what is measured, as text: two runs with the same
    /// text measure the same. `peers` names what is timed beside our kernels.
    pub fn identity(&self, peers: &str) -> String {
        let cells: Vec<String> = self
            .tables
            .iter()
            .flat_map(|(table, cells)| {
                cells
                    .iter()
                    .map(move |key| format!("{} {}", table.name(), key.describe()))
            })
            .collect();
        format!(
            "device={:?} repeat={:?} processes={} cold={} published={} peers={peers} cells={}",
            self.device,
            self.repeat,
            self.processes,
            self.cold,
            self.published,
            cells.join(";")
        )
    }
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
