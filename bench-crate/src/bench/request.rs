//! What the command line asks for, checked: everything that can be refused is
//! refused here, before anything is measured or written.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use super::{chosen, compared, names, paths, store};
use crate::axes::{ALGORITHMS, Values};
use crate::cli::BenchArguments;
use crate::device::choice as device_choice;
use crate::error::Result;
use crate::export::Format;
use crate::modules;
use crate::record::{Cell, Record};
use crate::table::list::{self, refused};
use crate::table::{Asked, Extent, Table};
use crate::tables;
use quadscan::device::{Artifact, DeviceChoice};

/// The most samples.
const MOST_SAMPLES: u64 = 10_000;

/// The longest limit for a cell: a day.
const LONGEST_CELL: u64 = 86_400;

/// A checked request.
pub struct Request {
    /// The tables, in the order given, with their cells.
    pub tables: Vec<(&'static Table, Vec<Cell>)>,
    /// Whether tables were named.
    pub names_tables: bool,
    /// The device, as it was asked for.
    pub device: DeviceChoice,
    /// Published columns alone.
    pub published: bool,
    /// Tables in their short form, for a terminal: nobody asked for all of one.
    pub is_short: bool,
    /// Exactly this many samples.
    pub repeat: Option<u32>,
    /// Kernels with a cold cache too.
    pub cold: bool,
    /// Launches wait until the one before has ended: programmatic dependent launch is off.
    pub no_pdl: bool,
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
    /// The folder of another CUB.
    pub cub: Option<PathBuf>,
    /// The Python of CuPy and PyTorch.
    pub python: Option<PathBuf>,
    /// What is asked of the tables.
    asked: Asked,
    /// The limit that was given.
    pub cell_timeout: Option<Duration>,
    /// The measuring program, when it is not this one.
    pub worker: Option<PathBuf>,
}

/// `--peers sweep-f64` asks for a table, not for a folder of that name.
fn tables_and_peers(arguments: &BenchArguments) -> (Vec<String>, Option<PathBuf>) {
    let mut names = arguments.tables.clone();
    let named = arguments.peers.as_ref().and_then(|folder| folder.to_str());
    match named.filter(|name| chosen::is_table(name)) {
        Some(table) => {
            names.insert(0, table.to_owned());
            (names, Some(crate::peers::FOLDER.into()))
        }
        None => (names, arguments.peers.clone()),
    }
}

/// The device, with the schedule that only the emulator has.
fn device(arguments: &BenchArguments) -> Result<DeviceChoice> {
    let text = &arguments.device;
    let choice = device_choice(text)?;
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

/// What is asked of these tables.
fn asked(arguments: &BenchArguments, tables: &[&'static Table]) -> Result<Asked> {
    let extent = match (arguments.quick, arguments.full) {
        (true, _) => Extent::Quick,
        (_, true) => Extent::Full,
        _ => Extent::Default,
    };
    let names = tables::axis_names();
    let axes = arguments.axes.named.iter().map(|text| {
        let pair = text.split_once('=');
        let pair = pair.filter(|(name, _)| names.contains(name));
        pair.map(|(name, list)| (name.to_owned(), list.to_owned()))
            .ok_or_else(|| {
                let names = names.join(", ");
                let problem = format!(
                    "`{text}` names no axis, allowed are NAME=LIST of {names}, such as n=1000"
                );
                refused("--axis", problem)
            })
    });
    let asked = Asked {
        extent,
        published: arguments.published,
        flags: arguments.axes.flags.clone(),
        lists: arguments.axes.lists.clone(),
        axes: axes.collect::<Result<_>>()?,
        known: tables::known(&tables::all()),
        offered: tables::known(tables),
    };
    asked.check()?;
    Ok(asked)
}

/// Err when algorithms beside the plan's were asked for, and no cell is of one.
fn check_algorithms(asked: &Asked, tables: &[(&'static Table, Vec<Cell>)]) -> Result<()> {
    // A list by the axis's name is of every table that has an axis of that name.
    let is_of_the_name = |(table, _): &(&Table, Vec<Cell>)| {
        let mut axes = table.axes.iter().map(|of| of.axis);
        axes.any(|axis| axis.name == ALGORITHMS.name && *axis != ALGORITHMS)
    };
    let is_by_name = asked.axes.iter().any(|(name, _)| name == ALGORITHMS.name);
    if !asked.has(&ALGORITHMS) || is_by_name && tables.iter().any(is_of_the_name) {
        return Ok(());
    }
    for (table, cells) in tables {
        let Some(of) = table.axes.iter().find(|of| *of.axis == ALGORITHMS) else {
            continue;
        };
        let named = asked.names(of, table.name)?.unwrap_or_default();
        let is_named = |cell: &Cell| {
            let algorithm = cell.text(ALGORITHMS.name);
            algorithm.is_some_and(|algorithm| named.iter().any(|name| name == algorithm))
        };
        if cells.iter().any(is_named) {
            return Ok(());
        }
    }
    let problem = "has no place in these tables, allowed is it in scan, for operations that \
                   are no segmented scans";
    let argument = match is_by_name {
        true => format!("--axis {}", ALGORITHMS.name),
        false => ALGORITHMS.argument(),
    };
    Err(refused(&argument, problem.to_owned()))
}

impl Request {
    /// Checks the command line. Err in one sentence that names the argument and
    /// what it may be.
    pub fn new(arguments: &BenchArguments) -> Result<Self> {
        let (names, peers) = tables_and_peers(arguments);
        let chosen = chosen::tables(&names, arguments.published, arguments.list)?;
        let asked = asked(arguments, &chosen)?;
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
        let number = |argument, text: &Option<String>, most| {
            let text = text.as_ref();
            text.map(|text| list::number(argument, text, 1..=most))
                .transpose()
        };
        let repeat = number("--repeat", &arguments.repeat, MOST_SAMPLES)?;
        let repeat = repeat.and_then(|samples| u32::try_from(samples).ok());
        let cell_timeout = number("--cell-timeout", &arguments.cell_timeout, LONGEST_CELL)?;
        let cell_timeout = cell_timeout.map(Duration::from_secs);
        compared::check_names(arguments)?;
        paths::check(arguments)?;
        let tables = chosen.into_iter();
        let tables: Vec<(&'static Table, Vec<Cell>)> = tables
            .map(|table| Ok((table, table.selected(&asked)?)))
            .collect::<Result<_>>()?;
        check_algorithms(&asked, &tables)?;
        names::check(&asked)?;
        Ok(Request {
            tables,
            names_tables: !names.is_empty(),
            device,
            published: arguments.published,
            is_short: names.is_empty() && !arguments.full_tables && !arguments.published,
            repeat,
            cold: arguments.cold,
            no_pdl: arguments.no_pdl || arguments.one_by_one,
            format,
            out: arguments.out.clone(),
            save: arguments.save.clone(),
            baseline: arguments.baseline.clone(),
            margin: compared::margin(arguments)?,
            processes: compared::processes(arguments)?,
            artifact: arguments.artifact.clone(),
            // Another CUB is a peer.
            peers: peers.or_else(|| arguments.cub.as_ref().map(|_| crate::peers::FOLDER.into())),
            cub: arguments.cub.clone(),
            python: arguments.python.clone(),
            asked,
            cell_timeout,
            worker: arguments.worker.clone(),
        })
    }

    /// Finds the PTX that its cells need, or has it made.
    pub(super) fn find_modules(&mut self) -> Result<()> {
        if let Some(folder) = &self.artifact {
            // SAFETY: nothing is launched from it; this only tells early whether the
            // folder can be read.
            unsafe { Artifact::read(folder) }?;
        }
        let modules = self.modules();
        self.artifact = modules::folder(self.artifact.as_deref(), self.device, &modules)?;
        Ok(())
    }

    /// The baseline to compare with, and its name.
    pub(super) fn read_baseline(&self) -> Result<Option<(String, Vec<Record>)>> {
        let read = |name: &String| Ok((name.clone(), store::read_baseline(&self.out, name)?));
        self.baseline.as_ref().map(read).transpose()
    }

    /// Leaves out what takes the emulator long, where nobody has named it.
    pub(super) fn adapt_to_emulator(&mut self) {
        for (table, cells) in &mut self.tables {
            let mut axes = table.axes.iter().map(|of| of.axis);
            let is_named = axes.any(|axis| axis.values == Values::Sizes && self.asked.has(axis));
            cells.retain(|cell| is_named || table.is_for_emulator(cell));
        }
    }

    /// Cells of all tables.
    pub fn cell_count(&self) -> usize {
        self.tables.iter().map(|(_, cells)| cells.len()).sum()
    }

    /// Whether the device has anything to do.
    pub fn uses_device(&self) -> bool {
        self.tables
            .iter()
            .any(|(table, cells)| cells.iter().any(table.is_for_device))
    }

    /// How long a cell may take on a device, with a timer or without: as given, else what its
    /// table says.
    pub fn patience(&self, table: &Table, cell: &Cell, has_timer: bool) -> Duration {
        let of_table = || (table.patience)(cell, has_timer);
        self.cell_timeout.unwrap_or_else(of_table)
    }

    /// The modules of our PTX that its cells launch kernels of.
    pub(crate) fn modules(&self) -> BTreeSet<String> {
        let of = |(table, cells): &(&'static Table, Vec<Cell>)| {
            let cells = cells.iter().filter(|cell| (table.is_for_device)(cell));
            cells.flat_map(table.modules).collect::<Vec<_>>()
        };
        self.tables.iter().flat_map(of).collect()
    }

    /// What is asked of the tables.
    pub(super) fn asked(&self) -> &Asked {
        &self.asked
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
                    .map(move |cell| format!("{} {}", table.name, cell.describe()))
            })
            .collect();
        format!(
            "device={:?} repeat={:?} processes={} cold={} no_pdl={} published={} peers={peers} cells={}",
            self.device,
            self.repeat,
            self.processes,
            self.cold,
            self.no_pdl,
            self.published,
            cells.join(";")
        )
    }
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
