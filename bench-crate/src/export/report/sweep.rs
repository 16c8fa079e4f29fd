//! The figures of a sweep: heat maps by blocks and threads, time against
//! blocks * threads, and the device beside the host.

use super::figure::{Figure, Grid};
use super::machines::Machine;
use super::published::{PublishedSweep, STRIPS};
use super::svg::Swatch;
use super::svg::heat::{Cell, HeatMap};
use super::svg::rows::{Row, Rows};
use super::svg::scale::{Log, is_drawable};
use super::words::{grouped, short};
use crate::number;
use crate::record::{Record, Status};
use crate::table::column::optional;

/// One of the times of a cell.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    /// In the middle of a sentence: `the kernel's time`.
    pub(super) name: &'static str,
    /// What it is, as a sentence; empty where the name says it.
    pub(super) note: &'static str,
    /// Its metric.
    pub(super) metric: &'static str,
}

pub(super) const KERNEL: Clock = Clock {
    name: "time of the kernel",
    note: "",
    metric: "kernel",
};

pub(super) const SPAN: Clock = Clock {
    name: "time of the span",
    note: " The span is the copy in, the kernel and the copy out.",
    metric: "gpu",
};

impl Clock {
    /// ms, where it was measured and the row is right. A row without a device is
    /// skipped and has the host's times all the same.
    pub(super) fn ms(self, record: &Record) -> Option<f64> {
        let counts = match record.status {
            Status::Ok => true,
            Status::Skipped => record.device.is_none(),
            Status::Failed => false,
        };
        if !counts {
            return None;
        }
        let ms = record.ms(self.metric)?;
        is_drawable(ms).then_some(ms)
    }

    /// The row with the least time.
    pub(super) fn best(self, rows: &[Record]) -> Option<(f64, &Record)> {
        let timed = rows.iter().filter_map(|row| Some((self.ms(row)?, row)));
        timed.min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

/// A table, or its rows of one size.
pub(super) struct Subject<'a> {
    pub(super) table: &'a str,
    /// As titles have it.
    pub(super) name: String,
    /// Strips of all of its rows.
    pub(super) strips: u64,
}

impl Subject<'_> {
    /// What was published about it.
    pub(super) fn published(&self) -> Option<PublishedSweep> {
        PublishedSweep::of(self.table).filter(|_| self.strips == STRIPS)
    }
}

/// blocks and threads of a row.
pub(super) fn shape(record: &Record) -> Option<(u32, u32)> {
    Some((record.cell.small("blocks")?, record.cell.small("threads")?))
}

/// `64 × 256`.
pub(super) fn place(record: &Record) -> String {
    let part = |axis| optional(record.cell.get(axis));
    format!("{} × {}", part("blocks"), part("threads"))
}

/// The values without repetition, in order of size.
pub(super) fn distinct<T: Ord>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// The numbers of strips that the rows have.
pub(super) fn strips(rows: &[Record]) -> Vec<u64> {
    distinct(rows.iter().filter_map(|row| row.cell.number("strips")))
}

/// The rows with a number of strips.
pub(super) fn with_strips(rows: &[Record], strips: u64) -> Vec<Record> {
    let same = |row: &&Record| row.cell.number("strips") == Some(strips);
    rows.iter().filter(same).cloned().collect()
}

/// Why rows have no time of the device, in a sentence; `None` when one has.
pub(super) fn no_times(machine: &Machine, rows: &[Record]) -> Option<String> {
    let timed = |row: &Record| KERNEL.ms(row).or(SPAN.ms(row)).is_some();
    if rows.iter().any(timed) {
        return None;
    }
    let name = &machine.name;
    let emulated = machine
        .device
        .as_ref()
        .is_some_and(|info| info.is_emulated());
    Some(if rows.is_empty() {
        format!("{name}: this table was not measured.")
    } else if emulated {
        format!("{name} runs the kernels on the CPU: it has results and counts, and no times.")
    } else {
        match rows.iter().find_map(|row| row.reason.as_deref()) {
            Some(reason) => format!("{name}: no times of a device; {reason}."),
            None => format!("{name}: no times of a device are in the records."),
        }
    })
}

/// A matrix of texts: blocks down, threads across.
fn matrix(cells: &[(u32, u32, Option<f64>)]) -> (Vec<u32>, Vec<u32>, Grid) {
    let blocks = distinct(cells.iter().map(|cell| cell.0));
    let threads = distinct(cells.iter().map(|cell| cell.1));
    let mut grid = Grid::new(&["blocks"]);
    grid.header
        .extend(threads.iter().map(|t| format!("{t} threads")));
    for &b in &blocks {
        let text = |t: &u32| {
            let cell = cells.iter().find(|cell| (cell.0, cell.1) == (b, *t));
            let value = cell.and_then(|cell| cell.2);
            value.map(number::milliseconds).unwrap_or_default()
        };
        let mut row = vec![b.to_string()];
        row.extend(threads.iter().map(text));
        grid.rows.push(row);
    }
    (blocks, threads, grid)
}

/// A heat map of cells: blocks, threads, ms, note.
fn heat_map(title: String, clock: Clock, cells: Vec<(u32, u32, Option<f64>, String)>) -> Figure {
    let plain: Vec<(u32, u32, Option<f64>)> = cells.iter().map(|c| (c.0, c.1, c.2)).collect();
    let (blocks, threads, data) = matrix(&plain);
    let index = |of: &[u32], value: u32| of.iter().position(|&other| other == value);
    let chart = HeatMap {
        cells: cells
            .iter()
            .filter_map(|(b, t, value, note)| {
                Some(Cell {
                    row: index(&blocks, *b)?,
                    column: index(&threads, *t)?,
                    value: *value,
                    note: note.clone(),
                })
            })
            .collect(),
        rows: ("blocks".into(), texts(&blocks)),
        columns: ("threads of a block".into(), texts(&threads)),
        unit: "ms".into(),
    };
    let ends = |pick: fn(f64, f64) -> bool| {
        plain
            .iter()
            .filter_map(|&(b, t, value)| Some((b, t, value?)))
            .reduce(|a, c| if pick(c.2, a.2) { c } else { a })
            .map(|(b, t, ms)| format!("{} ms at {b} × {t}", short(ms)))
            .unwrap_or_default()
    };
    let (fast, slow) = (ends(|a, b| a < b), ends(|a, b| a > b));
    let missing = plain.iter().filter(|cell| cell.2.is_none()).count();
    let crossed = match missing {
        0 => String::new(),
        n => format!(" {n} cells that were tried and have no time are crossed out."),
    };
    Figure {
        alt: format!(
            "Heat map of the {} by blocks, down, and threads of a block, across, on a \
             logarithmic scale: from {slow} to {fast}.{crossed}",
            clock.name
        ),
        caption: format!(
            "Blocks down, threads across, ms; lighter is faster. The fastest cell, {fast}, is \
             framed; the slowest is {slow}. Cells that are not there were not measured.{crossed}{}",
            clock.note
        ),
        title,
        body: Ok(Box::new(chart)),
        data,
    }
}

fn texts(values: &[u32]) -> Vec<String> {
    values.iter().map(u32::to_string).collect()
}

/// A machine's heat map of one of its times.
pub(super) fn machines_heat_map(machine: &Machine, subject: &Subject<'_>, clock: Clock) -> Figure {
    let title = format!("{}, {}: {}", subject.name, machine.name, clock.name);
    let rows = machine.rows(subject.table);
    if let Some(reason) = no_times(machine, rows) {
        return Figure::absent(title, reason);
    }
    let cells: Vec<(u32, u32, Option<f64>, String)> = rows
        .iter()
        .filter_map(|row| {
            let (blocks, threads) = shape(row)?;
            let value = clock.ms(row);
            let says = match value {
                Some(ms) => format!("{} ms", number::milliseconds(ms)),
                None => row.reason.clone().unwrap_or_else(|| "no time".into()),
            };
            Some((blocks, threads, value, format!("{}: {says}", place(row))))
        })
        .collect();
    if cells.iter().all(|cell| cell.2.is_none()) {
        return Figure::absent(title, format!("{}: not measured.", machine.name));
    }
    heat_map(title, clock, cells)
}

/// The published sweep as a heat map.
pub(super) fn published_heat_map(subject: &Subject<'_>, published: &PublishedSweep) -> Figure {
    let cells = published
        .cells
        .iter()
        .map(|&cell| (cell.0, cell.1, Some(cell.2), published.note(cell)));
    let title = format!(
        "{}, {}: published {}",
        subject.name, published.device, SPAN.name
    );
    heat_map(title, SPAN, cells.collect())
}

/// The best times of the device beside those of the host, of every machine.
pub(super) fn device_and_host(machines: &[&Machine], subject: &Subject<'_>) -> Figure {
    let title = format!("{}: device and host", subject.name);
    /// Its name, the metric, and whether a cell's shape belongs to it.
    type Contender = (&'static str, &'static str, bool);
    let clocks: [Contender; 6] = [
        ("host, the page's loop", "host", false),
        ("host, the best it can do", "host_best", false),
        ("device, best span", "gpu", true),
        ("device, best kernel", "kernel", true),
        ("device, nvcc's best kernel", "nvcc_kernel", true),
        ("device, nvcc's best, our form", "nvcc_dyadic_kernel", true),
    ];
    let mut rows = Vec::new();
    let mut data = Grid::new(&["what", "machine", "ms", "blocks × threads"]);
    for (name, metric, has_shape) in clocks {
        for (index, machine) in machines.iter().enumerate() {
            let clock = Clock {
                name,
                note: "",
                metric,
            };
            let Some((ms, row)) = clock
                .best(machine.rows(subject.table))
                .map(|(ms, row)| (ms, if has_shape { place(row) } else { String::new() }))
            else {
                continue;
            };
            rows.push(Row {
                name: name.to_owned(),
                whose: whose(machines, index),
                value: ms,
                look: Swatch::Series(index),
            });
            let ms = number::milliseconds(ms);
            data.rows
                .push(vec![name.into(), machine.name.clone(), ms, row]);
        }
    }
    if rows.is_empty() {
        return Figure::absent(title, "No machine has a time in this table.");
    }
    let published = subject.published();
    push_published(&mut rows, &mut data, published.as_ref());
    let words: Vec<String> = rows
        .iter()
        .map(|row| format!("{}: {} ms", row.whole_name(), short(row.value)))
        .collect();
    let mut legend: Vec<(Swatch, String)> = machines
        .iter()
        .enumerate()
        .map(|(index, machine)| (Swatch::Series(index), machine.name.clone()))
        .collect();
    if let Some(published) = &published {
        legend.push((
            Swatch::Published(0),
            format!("{}, published", published.device),
        ));
    }
    Figure {
        title,
        alt: format!("Times beside each other. {}.", words.join("; ")),
        caption: format!(
            "The best cell of each, {} strips. The host's times are for the whole sum too.",
            grouped(subject.strips)
        ),
        body: Ok(Box::new(Rows {
            unit: "ms".into(),
            rows,
            legend,
        })),
        data,
    }
}

/// A machine's name where there are several.
pub(super) fn whose(machines: &[&Machine], index: usize) -> String {
    match machines {
        [_] => String::new(),
        several => several[index].name.clone(),
    }
}

fn push_published(rows: &mut Vec<Row>, data: &mut Grid, published: Option<&PublishedSweep>) {
    let Some(published) = published else {
        return;
    };
    let best = published.best();
    let entries = [
        ("host, published", published.host_ms, String::new()),
        (
            "best span, published",
            best.map(|cell| cell.2),
            best.map(|(b, t, _)| format!("{b} × {t}"))
                .unwrap_or_default(),
        ),
    ];
    for (name, ms, at) in entries {
        let Some(ms) = ms else { continue };
        rows.push(Row {
            name: format!("{}, {name}", published.device),
            whose: String::new(),
            value: ms,
            look: Swatch::Published(0),
        });
        let device = published.device.to_owned();
        data.rows
            .push(vec![name.into(), device, number::milliseconds(ms), at]);
    }
}

/// Where a number of threads stands among all that a sweep has, from 0 to 1.
pub(super) fn scale_of_threads(threads: &[u32]) -> impl Fn(u32) -> f64 {
    let scale = Log::exact(threads.iter().map(|&t| f64::from(t)));
    move |t| scale.map_or(0.0, |scale| scale.place(f64::from(t)))
}
