//! A time by blocks and threads: a heat map a machine, and one of the published sweep.

use super::figure::Figure;
use super::subject::Subject;
use super::svg::heat::{Cell, HeatMap};
use super::words::{note, place, shape, short};
use crate::number;
use crate::table::figure::{SPAN, Time};

/// The machines' maps; beside the span's the published one.
pub(super) fn figures(subject: &Subject<'_>, time: Time) -> Vec<Figure> {
    let name = &subject.name;
    let of_machines = subject.measured.iter().map(|one| {
        let title = format!("{name}, {}: {}", one.name(), time.name);
        if let Some(reason) = one.no_times() {
            return Figure::absent(title, reason);
        }
        let cells = one.rows.iter().filter_map(|row| {
            let value = time.ms(row);
            let says = match value {
                Some(ms) => format!("{} ms", number::milliseconds(ms)),
                None => row.reason.clone().unwrap_or_else(|| "no time".into()),
            };
            Some((shape(row)?, value, format!("{}: {says}", place(row))))
        });
        figure(title, time, cells.map(cell).collect())
            .unwrap_or_else(|title| Figure::absent(title, format!("{}: not measured.", one.name())))
    });
    let published = subject.published().filter(|_| time.metric == SPAN.metric);
    let of_page = published.and_then(|sweep| {
        let title = format!("{name}, {}: published {}", sweep.device, time.name);
        let cells = sweep.spans().into_iter();
        let cells = cells.map(|(shape, ms)| (shape, Some(ms), note(sweep, shape, ms)));
        figure(title, time, cells.map(cell).collect()).ok()
    });
    of_machines.chain(of_page).collect()
}

fn cell(((blocks, threads), value, note): ((u32, u32), Option<f64>, String)) -> Cell {
    Cell {
        row: blocks,
        column: threads,
        value,
        note,
    }
}

/// Err with the title where no cell has a time.
fn figure(title: String, time: Time, cells: Vec<Cell>) -> Result<Figure, String> {
    let timed = || cells.iter().filter_map(|cell| Some((cell.value?, cell)));
    let told =
        |(ms, cell): (f64, &Cell)| format!("{} ms at {} × {}", short(ms), cell.row, cell.column);
    let fast = timed().min_by(|a, b| a.0.total_cmp(&b.0));
    // Of several that are equally slow the first.
    let slow = timed().rev().max_by(|a, b| a.0.total_cmp(&b.0));
    let Some((fast, slow)) = fast.zip(slow) else {
        return Err(title);
    };
    let (fast, slow) = (told(fast), told(slow));
    let crossed = match cells.len() - timed().count() {
        0 => String::new(),
        n => format!(" {n} cells that were tried and have no time are crossed out."),
    };
    let (name, note) = (time.name, time.note);
    let map = HeatMap {
        rows: "blocks",
        columns: "threads",
        across: "threads of a block",
        unit: "ms",
        cells,
    };
    Ok(Figure {
        alt: format!(
            "Heat map of the {name} by blocks, down, and threads of a block, across, on a \
             logarithmic scale: from {slow} to {fast}.{crossed}"
        ),
        caption: format!(
            "Blocks down, threads across, ms; lighter is faster. The fastest cell, {fast}, is \
             framed; the slowest is {slow}. Cells that are not there were not measured.{crossed}\
             {note}"
        ),
        data: map.matrix(number::milliseconds),
        body: Ok(Box::new(map)),
        title,
    })
}
