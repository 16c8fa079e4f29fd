//! Active warps in each step of the scans of one size, an algorithm a panel.

use super::figure::Figure;
use super::subject::Subject;
use super::svg::Swatch;
use super::svg::panels::{Axis, Panel, Panels, Point, Series};
use super::svg::scale::Kind;
use crate::export::Grid;
use crate::grouping::groups;
use crate::number::count;
use crate::record::Record;
use crate::tables::activity::step_count;

/// What a step did: its number, threads and warps.
type Step = (u32, u32, u32);

/// The measured steps of a scan, by its algorithm, and whether they are all that it has.
pub(super) type Scan = (String, Vec<Step>, bool);

/// The scans that have counted steps.
pub(super) fn scans(rows: &[Record]) -> Option<Vec<Scan>> {
    let step = |row: &Record| {
        let count = |metric: &str| u32::try_from(row.metrics.count(metric)?).ok();
        let algorithm = row.cell.text("algorithm")?.to_owned();
        let counts = (count("active_threads")?, count("active_warps")?);
        let step = (row.cell.small("step")?, counts.0, counts.1);
        Some((algorithm, step, step_count(&row.cell)))
    };
    let of_algorithms = groups(rows.iter().filter_map(step), |step| step.0.clone()).into_iter();
    let scans = of_algorithms.map(|(name, steps)| {
        let is_whole = steps.iter().all(|step| step.2 == Some(steps.len()));
        (name, steps.into_iter().map(|s| s.1).collect(), is_whole)
    });
    let scans: Vec<Scan> = scans.collect();
    (!scans.is_empty()).then_some(scans)
}

/// `work_efficient` as people write it.
fn readable(algorithm: &str) -> String {
    algorithm.replace('_', "-")
}

/// A scan's totals in words; of some of its steps no totals.
pub(super) fn totals((algorithm, steps, is_whole): &Scan) -> String {
    let threads: u32 = steps.iter().map(|step| step.1).sum();
    let warps: u32 = steps.iter().map(|step| step.2).sum();
    let (algorithm, steps) = (readable(algorithm), count(steps.len(), "step"));
    if !is_whole {
        return format!("{algorithm}: {steps} of all were measured");
    }
    format!("{algorithm}: {steps}, {threads} active threads and {warps} active warps in all")
}

/// A figure of all machines that counted the same.
pub(super) fn figures(subject: &Subject<'_>) -> Vec<Figure> {
    let title = "Active warps in each step of a scan";
    let n = subject
        .measured
        .iter()
        .flat_map(|one| &one.rows)
        .find_map(|row| row.cell.number("n"));
    let n = n.map_or(String::new(), |n| format!(" of {n} elements"));
    let counted = subject.alike(|one| scans(&one.rows)).into_iter();
    let drawn = counted.map(|(machines, scans)| figure(format!("{title}{n}"), &machines, &scans));
    drawn.flatten().collect()
}

fn figure(title: String, machines: &str, scans: &[Scan]) -> Option<Figure> {
    let panel = |(number, (algorithm, steps, _)): (usize, &Scan)| Panel {
        // With blanks, at which a narrow panel breaks it.
        title: algorithm.replace('_', " "),
        series: vec![Series {
            name: String::new(),
            look: Swatch::Joined(number),
            points: steps.iter().map(|step| point(algorithm, *step)).collect(),
        }],
    };
    let chart = Panels {
        across: Axis("step", Kind::FromZero),
        up: Axis("active warps", Kind::FromZero),
        panels: scans.iter().enumerate().map(panel).collect(),
    };
    if chart.is_empty() {
        return None;
    }
    let rows = scans.iter().flat_map(|(algorithm, steps, _)| {
        let counts = |&(step, threads, warps): &Step| [step, threads, warps].map(|n| n.to_string());
        steps
            .iter()
            .map(move |step| [&[algorithm.clone()][..], &counts(step)].concat())
    });
    let header = ["algorithm", "step", "active threads", "active warps"];
    let told: Vec<String> = scans.iter().map(totals).collect();
    let told = told.join("; ");
    Some(Figure {
        file: "",
        title,
        alt: format!("Active warps against steps, a panel for each algorithm. {told}."),
        caption: format!("{told}. Measured on {machines}."),
        data: Grid::new(&header, rows.collect()),
        chart: Box::new(chart),
    })
}

fn point(algorithm: &str, (step, threads, warps): Step) -> Point {
    let (threads, active) = (
        count(threads as usize, "thread"),
        count(warps as usize, "warp"),
    );
    let algorithm = readable(algorithm);
    Point {
        x: f64::from(step),
        y: f64::from(warps),
        note: format!("{algorithm}, step {step}: {threads} and {active}"),
    }
}
