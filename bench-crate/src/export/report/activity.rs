//! The figures of `activity`: active warps in each step, an algorithm a panel.

use super::alike::{alike, names};
use super::figure::{Figure, Grid};
use super::machines::Machine;
use super::svg::bars::{Bars, Panel};
use super::sweep::distinct;
use super::words::count;
use crate::record::Record;
use crate::tables::activity::PUBLISHED_ELEMENTS;

/// What a step did: its number, threads and warps.
type Step = (u32, u32, u32);

/// The steps of each scan that all rows of are there: number of elements,
/// algorithm, steps.
fn scans(rows: &[Record]) -> Vec<(u64, String, Vec<Step>)> {
    let of = |row: &Record| {
        let algorithm = row.cell.text("algorithm")?.to_owned();
        Some((row.cell.number("n")?, algorithm))
    };
    let mut found: Vec<(u64, String, Vec<Step>)> = Vec::new();
    for row in rows {
        let Some((n, algorithm)) = of(row) else {
            continue;
        };
        let step = || {
            let count = |metric: &str| u32::try_from(row.metrics.count(metric)?).ok();
            Some((
                row.cell.small("step")?,
                count("active_threads")?,
                count("active_warps")?,
            ))
        };
        let place = found
            .iter()
            .position(|scan| (scan.0, &*scan.1) == (n, &*algorithm));
        match (place, step()) {
            (Some(place), Some(step)) => found[place].2.push(step),
            (None, Some(step)) => found.push((n, algorithm, vec![step])),
            (_, None) => {}
        }
    }
    found
}

/// `work_efficient` as people write it.
fn readable(algorithm: &str) -> String {
    algorithm.replace('_', "-")
}

/// A scan's totals in words.
fn totals(scan: &(u64, String, Vec<Step>)) -> String {
    let threads: u32 = scan.2.iter().map(|step| step.1).sum();
    let warps: u32 = scan.2.iter().map(|step| step.2).sum();
    format!(
        "{}: {}, {threads} active threads and {warps} active warps in all",
        readable(&scan.1),
        count(scan.2.len(), "step")
    )
}

/// The totals of the scans of the published size, a sentence each, and how many
/// other sizes there are: their totals are in the figures.
pub(super) fn sentences(rows: &[Record]) -> Vec<String> {
    let scans = scans(rows);
    let published = PUBLISHED_ELEMENTS;
    let mut said: Vec<String> = scans
        .iter()
        .filter(|scan| scan.0 == published)
        .map(|scan| format!("A scan of {} elements, {}.", scan.0, totals(scan)))
        .collect();
    let others = distinct(scans.iter().map(|scan| scan.0).filter(|&n| n != published));
    match (others.len(), others.first()) {
        (0, _) | (_, None) => {}
        (1, Some(n)) => said.push(format!("Scans of {n} elements are in the figures.")),
        (sizes, Some(_)) => {
            said.push(format!("Scans of {sizes} other sizes are in the figures."));
        }
    }
    said
}

/// A figure a number of elements, and one a machine where machines differ.
pub(super) fn figures(machines: &[&Machine]) -> Vec<Figure> {
    let sizes = distinct(machines.iter().flat_map(|machine| {
        let rows = machine.rows("activity").iter();
        rows.filter_map(|row| row.cell.number("n"))
    }));
    let mut figures = Vec::new();
    for n in sizes {
        let found = alike(machines, |machine| {
            let mut scans = scans(machine.rows("activity"));
            scans.retain(|scan| scan.0 == n);
            (!scans.is_empty()).then_some(scans)
        });
        figures.extend(
            found
                .iter()
                .map(|(whose, scans)| figure(n, &names(whose), scans)),
        );
    }
    let silent: Vec<&Machine> = machines
        .iter()
        .copied()
        .filter(|machine| scans(machine.rows("activity")).is_empty())
        .collect();
    figures.extend(silent.iter().map(|machine| {
        let reasons = machine.rows("activity").iter();
        let reason = reasons
            .filter_map(|row| row.reason.as_deref())
            .next()
            .unwrap_or("no row of it counts any");
        Figure::absent(
            format!("Active warps in each step, {}", machine.name),
            format!("{}: no steps were counted; {reason}.", machine.name),
        )
    }));
    figures
}

fn figure(n: u64, whose: &str, scans: &[(u64, String, Vec<Step>)]) -> Figure {
    let panels: Vec<Panel> = scans
        .iter()
        .enumerate()
        .map(|(series, scan)| Panel {
            title: format!("{}: active warps by step", readable(&scan.1)),
            series,
            bars: scan.2.iter().map(|step| bar(&scan.1, *step)).collect(),
        })
        .collect();
    let mut data = Grid::new(&["algorithm", "step", "active threads", "active warps"]);
    for (_, algorithm, steps) in scans {
        data.rows.extend(steps.iter().map(|(step, threads, warps)| {
            let mut row = vec![algorithm.clone()];
            row.extend([step, threads, warps].map(u32::to_string));
            row
        }));
    }
    let said: Vec<String> = scans.iter().map(totals).collect();
    let chart = Bars { panels };
    let title = format!("Active warps in each step of a scan of {n} elements");
    if chart.is_empty() {
        return Figure::absent(title, format!("{whose}: no warp was active."));
    }
    Figure {
        title,
        alt: format!("Bars, one a step, for each algorithm. {}.", said.join("; ")),
        caption: format!("{}. Measured on {whose}.", said.join("; ")),
        body: Ok(Box::new(chart)),
        data,
    }
}

fn bar(algorithm: &str, (step, threads, warps): Step) -> (String, f64, String) {
    let note = format!(
        "{}, step {step}: {} and {}",
        readable(algorithm),
        count(threads as usize, "thread"),
        count(warps as usize, "warp")
    );
    (step.to_string(), f64::from(warps), note)
}
