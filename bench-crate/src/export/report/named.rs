//! The figures whose rows are named: `mapping`, a time a way of laying strips out,
//! `limits`, a figure of the device a row, and the times of the scans of `activity`.

use super::figure::{Figure, Grid};
use super::machines::Machine;
use super::svg::Swatch;
use super::svg::rows::{Row, Rows};
use super::sweep::{Clock, KERNEL, SPAN, distinct, no_times, whose};
use super::words::{grouped, short};
use crate::number;
use crate::record::{Record, Status};
use crate::tables::{self, limits};

/// A row's name, and its value in each machine that has it.
struct Named {
    name: String,
    values: Vec<(usize, f64)>,
}

/// Rows of all machines by name, in the order of their first appearance.
fn by_name(
    machines: &[&Machine],
    table: &str,
    entry: impl Fn(&Record) -> Option<(String, f64)>,
) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    for (index, machine) in machines.iter().enumerate() {
        for (name, value) in machine.rows(table).iter().filter_map(&entry) {
            match found.iter_mut().find(|named| named.name == name) {
                // Rows of one launch have its time each.
                Some(named) if named.values.iter().any(|known| known.0 == index) => {}
                Some(named) => named.values.push((index, value)),
                None => found.push(Named {
                    name,
                    values: vec![(index, value)],
                }),
            }
        }
    }
    found
}

/// A chart of named rows with its table.
fn chart(machines: &[&Machine], named: &[Named], unit: &str) -> (Rows, Grid) {
    let several = machines.len() > 1;
    let mut data = Grid::new(&["what", "machine", unit]);
    let mut rows = Vec::new();
    for one in named {
        for &(index, value) in &one.values {
            let machine = machines[index].name.clone();
            rows.push(Row {
                name: one.name.clone(),
                whose: whose(machines, index),
                value,
                look: Swatch::Bar(index),
            });
            let text = number::significant(value);
            data.rows.push(vec![one.name.clone(), machine, text]);
        }
    }
    let mut chart = Rows {
        unit: unit.to_owned(),
        rows,
        legend: Vec::new(),
    };
    if chart.is_logarithmic() {
        chart.rows.iter_mut().for_each(|row| {
            if let Swatch::Bar(index) = row.look {
                row.look = Swatch::Series(index);
            }
        });
    }
    if several {
        chart.legend = machines
            .iter()
            .enumerate()
            .map(|(index, machine)| (Swatch::Bar(index), machine.name.clone()))
            .collect();
    }
    (chart, data)
}

fn figure(machines: &[&Machine], named: &[Named], unit: &str, title: String, why: &str) -> Figure {
    let (chart, data) = chart(machines, named, unit);
    if chart.is_empty() {
        return Figure::absent(title, why);
    }
    let said: Vec<String> = chart
        .rows
        .iter()
        .map(|row| {
            let said = format!("{}: {} {unit}", row.whole_name(), short(row.value));
            said.trim_end().to_owned()
        })
        .collect();
    let scale = if chart.is_logarithmic() {
        "The scale is logarithmic."
    } else {
        "Bars start at 0."
    };
    Figure {
        alt: format!("{title}. {}.", said.join("; ")),
        caption: scale.to_owned(),
        title,
        body: Ok(Box::new(chart)),
        data,
    }
}

/// The parts of a mapping's cell as its name.
fn mapping_name(record: &Record) -> String {
    let parts = ["mapping", "partials", "finish"].map(|axis| record.cell.text(axis));
    let parts: Vec<&str> = parts.into_iter().flatten().collect();
    parts.join(", ").replace('_', " ")
}

/// Why machines have no times in a table.
fn reasons(machines: &[&Machine], table: &str) -> String {
    let reasons: Vec<String> = machines
        .iter()
        .filter_map(|machine| no_times(machine, machine.rows(table)))
        .collect();
    if reasons.is_empty() {
        "No row has a time.".to_owned()
    } else {
        reasons.join(" ")
    }
}

/// The kernel's time of each mapping and the span's beside it, for each number of
/// strips, blocks and threads.
pub(super) fn mapping(machines: &[&Machine]) -> Vec<Vec<Figure>> {
    let kind = |row: &Record| {
        let number = |axis| row.cell.number(axis);
        (
            number("strips").unwrap_or(0),
            number("blocks"),
            number("threads"),
        )
    };
    let rows = || machines.iter().flat_map(|machine| machine.rows("mapping"));
    distinct(rows().map(kind))
        .into_iter()
        .map(|sort| {
            let of = |clock: Clock| {
                let named = by_name(machines, "mapping", |row| {
                    let ms = clock.ms(row).filter(|_| kind(row) == sort)?;
                    Some((mapping_name(row), ms))
                });
                let shape = match (sort.1, sort.2) {
                    (Some(blocks), Some(threads)) => format!(", {blocks} × {threads}"),
                    _ => String::new(),
                };
                let strips = grouped(sort.0);
                let title = format!("Mappings, {}: {strips} strips{shape}", clock.name);
                figure(machines, &named, "ms", title, &reasons(machines, "mapping"))
            };
            vec![of(KERNEL), of(SPAN)]
        })
        .collect()
}

/// A machine whose scans are compared as they were measured: where a row is of a
/// whole scan, the rows of its steps, measured at another time, are left out.
fn of_one_launch(machine: &Machine) -> Machine {
    let of = |row: &Record| {
        let algorithm = row.cell.text("algorithm");
        (row.cell.number("n"), algorithm.map(str::to_owned))
    };
    let is_whole = |row: &Record| {
        let timed = row.ms("kernel").or(row.ms("kernel_beside")).is_some();
        row.cell.get("step").is_none() && row.status == Status::Ok && timed
    };
    let rows = machine.rows("activity");
    let whole: Vec<_> = rows.iter().filter(|row| is_whole(row)).map(of).collect();
    let compared = |row: &Record| row.cell.get("step").is_none() || !whole.contains(&of(row));
    Machine {
        name: machine.name.clone(),
        device: machine.device.clone(),
        tables: vec![(
            "activity".to_owned(),
            rows.iter().filter(|row| compared(row)).cloned().collect(),
        )],
    }
}

/// The times of the scans, alone and beside a second kernel; no figure where none
/// was measured.
pub(super) fn scans(machines: &[&Machine]) -> Vec<Figure> {
    type Part = (&'static str, &'static str);
    const PARTS: [Part; 4] = [
        ("alone", "kernel"),
        ("beside", "kernel_beside"),
        ("companion", "companion"),
        ("companion, beside", "companion_beside"),
    ];
    const ABOUT: &str = "Alone: the scan by itself. Beside: while a second kernel, its companion, \
                         runs. The companion's times are told the same way.";
    let machines: Vec<Machine> = machines.iter().map(|m| of_one_launch(m)).collect();
    let machines: Vec<&Machine> = machines.iter().collect();
    let rows = || machines.iter().flat_map(|machine| machine.rows("activity"));
    let of_size = |n: u64| {
        let mut named: Vec<Named> = Vec::new();
        for (part, metric) in PARTS {
            let clock = Clock {
                name: part,
                note: "",
                metric,
            };
            let found = by_name(&machines, "activity", |row| {
                let ms = clock.ms(row).filter(|_| row.cell.number("n") == Some(n))?;
                let algorithm = row.cell.text("algorithm")?.replace('_', "-");
                Some((format!("{algorithm}: {part}"), ms))
            });
            named.extend(found);
        }
        let title = format!("Times of scans of {n} elements");
        let mut figure = (!named.is_empty()).then(|| figure(&machines, &named, "ms", title, ""))?;
        figure.caption = format!("{ABOUT} {}", figure.caption);
        Some(figure)
    };
    let sizes = distinct(rows().filter_map(|row| row.cell.number("n")));
    sizes.into_iter().filter_map(of_size).collect()
}

/// The text of a row in a column of its table; empty where there is no such column.
fn text(row: &Record, column: &str) -> String {
    let columns = tables::by_name(&row.table).map_or(Vec::new(), |table| table.columns_of(&[]));
    let column = columns.iter().find(|known| known.name == column);
    column.map(|column| column.text(row)).unwrap_or_default()
}

/// What the device was measured to do at most, a figure a unit.
pub(super) fn limits(machines: &[&Machine]) -> Vec<Figure> {
    let limit = |row: &Record| {
        if row.status != Status::Ok {
            return None;
        }
        let name = row.cell.text("limit")?.replace('_', " ");
        Some((name, text(row, "unit"), limits::value(row)?))
    };
    let rows = || machines.iter().flat_map(|machine| machine.rows("limits"));
    let units = distinct(rows().filter_map(limit).map(|(_, unit, _)| unit));
    if units.is_empty() {
        let why = reasons(machines, "limits");
        return vec![Figure::absent("Measured limits of the device", why)];
    }
    units
        .into_iter()
        .map(|of| {
            let named = by_name(machines, "limits", |row| {
                let (name, _, value) = limit(row).filter(|(_, unit, _)| *unit == of)?;
                Some((name, value))
            });
            let title = match of.as_str() {
                "" => "Measured limits of the device".to_owned(),
                unit => format!("Measured limits of the device, {unit}"),
            };
            figure(machines, &named, &of, title, "")
        })
        .collect()
}
