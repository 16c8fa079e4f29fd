//! The short form of a table: what its declaration ([`Short`](crate::table::Short)) shows of the
//! rows, as a sheet for a terminal. For all tables; nothing here knows one by name.

use super::fit::wrapped;
use super::reasons;
use super::sheet::{Sheet, Strip};
use crate::grouping::distinct;
use crate::record::{Record, Value};
use crate::table::column::optional;
use crate::table::{Column, Shown, Table};

/// The room that a table has.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Columns of the terminal.
    pub width: usize,
    /// Lines, title and header included.
    pub lines: usize,
}

/// A table in its short form, line ends included.
pub fn short(table: &Table, records: &[Record], room: Room) -> String {
    let all = table.columns_of(records);
    let shown = shown(table, &all, records);
    let rows = rows(table, &all, &shown, records);
    let Some(first) = rows.first() else {
        return wrapped(&nothing(table, records), room.width).join("\n") + "\n";
    };
    let axes = table.axes.iter().map(|of| of.axis.name);
    let down = axes.filter(|axis| *axis != table.short.across);
    let (down, constant): (Vec<&str>, Vec<&str>) =
        down.partition(|axis| rows.iter().any(|row| row.value(axis) != first.value(axis)));
    let mut title = vec![title(table, &shown, &down)];
    if rows.len() < records.len() && !table.short.only.is_empty() {
        title.push(format!("{} of {} rows", rows.len(), records.len()));
    }
    let constant = constant
        .iter()
        .map(|axis| format!("{axis}={}", first.value(axis)));
    let constant = constant.collect::<Vec<_>>().join(", ");
    title.extend((!constant.is_empty()).then_some(constant));
    let title = title.join("; ");
    let body = sheet(table, &rows, &down, &shown).lines(room.width);
    let lines = limited(wrapped(&title, room.width), body, room.lines, table);
    let lines = lines.iter().map(|line| line.trim_end().to_owned() + "\n");
    lines.collect()
}

/// Why nothing is shown of a table.
fn nothing(table: &Table, records: &[Record]) -> String {
    match reasons(records.iter()).as_slice() {
        [] => format!("{}: nothing was measured", table.name),
        reasons => format!("{}: {}", table.name, reasons.join("; ")),
    }
}

/// Title and body in so many lines. What has no room is counted.
fn limited(mut lines: Vec<String>, body: Vec<String>, most: usize, table: &Table) -> Vec<String> {
    let (room, count) = (most.saturating_sub(lines.len()), body.len());
    let told = if count > room {
        room.saturating_sub(1)
    } else {
        count
    };
    lines.extend(body.into_iter().take(told));
    let more = count - told;
    let name = table.name;
    let note = || format!("... {more} more lines: `bench {name}`, or --full-tables");
    lines.extend((more > 0).then(note));
    lines
}

/// A row of the table, with the texts that are shown.
struct Row<'a> {
    record: &'a Record,
    texts: Vec<String>,
}

impl Row<'_> {
    fn value(&self, axis: &str) -> String {
        optional(self.record.cell.get(axis))
    }

    fn values(&self, axes: &[&str]) -> Vec<String> {
        axes.iter().map(|axis| self.value(axis)).collect()
    }
}

/// The columns that name a row, and of each value across what is shown.
fn sheet(table: &Table, rows: &[Row<'_>], down: &[&str], shown: &[Shown]) -> Sheet {
    let short = &table.short;
    let each = if short.is_stacked { shown.len() } else { 1 };
    let names = distinct(rows.iter().map(|row| row.values(down)));
    let mut columns = Vec::new();
    for (index, axis) in down.iter().enumerate() {
        // A row's name stands on its first line.
        let cell = |(line, name): (usize, &Vec<String>)| match line {
            0 => (name[index].clone(), false),
            _ => (String::new(), false),
        };
        let lines = names
            .iter()
            .flat_map(|name| (0..each).map(move |line| (line, name)));
        columns.push(Strip::new("", axis, lines.map(cell)));
    }
    let parts: Vec<usize> = (0..shown.len()).collect();
    for value in across(rows, short.across) {
        for part in parts.chunks(each) {
            let lines = names
                .iter()
                .flat_map(|name| part.iter().map(move |part| (name, *part)));
            let cells = lines.map(|(name, part)| {
                let is_it =
                    |row: &&Row<'_>| row.value(short.across) == value && row.values(down) == *name;
                let text = rows.iter().find(is_it).map(|row| &row.texts[part]);
                (optional(text), shown[part].is_rounded)
            });
            let (over, name) = match (value.as_str(), shown[part[0]].label) {
                ("", label) => ("", label),
                (value, _) if parts.len() == each => ("", value),
                (value, label) => (value, label),
            };
            columns.push(Strip::new(over, name, cells));
        }
    }
    let keys = down.len();
    Sheet {
        columns,
        keys,
        each,
    }
}

fn text_of(all: &[Column], name: &str, record: &Record) -> String {
    let column = all.iter().find(|column| column.name == name);
    column.map(|column| column.text(record)).unwrap_or_default()
}

/// What is shown of these rows.
fn shown(table: &Table, all: &[Column], records: &[Record]) -> Vec<Shown> {
    let has = |name: &str| {
        let mut texts = records.iter().map(|record| text_of(all, name, record));
        texts.any(|text| !text.is_empty())
    };
    let is_beside = |one: &Shown| one.beside.is_empty() || has(one.beside);
    let shown = table.short.shown.iter().copied();
    let shown = shown.filter(|one| has(one.column) && !has(one.instead_of));
    shown.filter(is_beside).collect()
}

/// The rows that have something to show.
fn rows<'a>(table: &Table, all: &[Column], shown: &[Shown], records: &'a [Record]) -> Vec<Row<'a>> {
    let has = |record: &&Record| !text_of(all, table.short.only, record).is_empty();
    let is_limited = records.iter().any(|record| has(&record));
    let chosen = records.iter().filter(|record| !is_limited || has(record));
    let rows = chosen.map(|record| Row {
        record,
        texts: shown
            .iter()
            .map(|one| text_of(all, one.column, record))
            .collect(),
    });
    rows.filter(|row| row.texts.iter().any(|text| !text.is_empty()))
        .collect()
}

/// The values across, numbers in their order; one that is empty where none stand across.
fn across(rows: &[Row<'_>], across: &str) -> Vec<String> {
    let mut values = distinct(rows.iter().map(|row| row.record.cell.get(across)));
    values.sort_by_key(|value| match value {
        Some(Value::Number(number)) => *number,
        _ => 0,
    });
    values.into_iter().map(optional).collect()
}

/// What the table is; of a matrix what its cells hold.
fn title(table: &Table, shown: &[Shown], down: &[&str]) -> String {
    let short = &table.short;
    if short.across.is_empty() {
        return format!("{}: {}", table.name, table.about);
    }
    let labels: Vec<&str> = shown.iter().map(|one| one.label).collect();
    let axes = [down.join(", "), short.across.to_owned()];
    let axes = axes.iter().filter(|names| !names.is_empty());
    let axes = axes.map(String::as_str).collect::<Vec<_>>().join(" and ");
    match labels.split_first() {
        Some((first, [])) => format!("{}: {first} by {axes}", table.name),
        Some((first, more)) if short.is_stacked => {
            format!(
                "{}: {first} by {axes}, below it {}",
                table.name,
                more.join(" and ")
            )
        }
        _ => format!("{}: {} by {axes}", table.name, labels.join(" and ")),
    }
}

#[cfg(test)]
#[path = "short_tests.rs"]
mod tests;
