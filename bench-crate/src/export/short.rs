//! The short form of a table: what its declaration ([`Short`](crate::table::Short)) shows of the
//! rows, fitted to a terminal. For all tables; nothing here knows one by name.
//!
//! Digits are left out before columns are put into bands below each other, and rows that are short
//! stand in panels beside each other.

use super::fit::{bands, columns, wrapped};
use super::reasons;
use crate::number::rounded;
use crate::record::{Record, Value};
use crate::table::{Column, Shown, Table};

/// The room that a table has.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Columns of the terminal.
    pub width: usize,
    /// Lines, title and header included; three at least.
    pub lines: usize,
}

/// Rows that are not put into panels.
const FEW: usize = 8;

/// Between panels.
const BETWEEN: &str = "   ";

/// The digits that numbers may have, and the blanks between columns: the first that fit are taken.
const TRIED: [(usize, usize); 8] = [
    (usize::MAX, 2),
    (usize::MAX, 1),
    (5, 2),
    (5, 1),
    (4, 2),
    (4, 1),
    (3, 2),
    (3, 1),
];

/// A table in its short form, line ends included.
pub fn short(table: &Table, records: &[Record], room: Room) -> String {
    let sheet = Sheet::of(table, records);
    let mut lines = wrapped(&sheet.title, room.width);
    let body = sheet.lines(room.width);
    let (has_room, left) = (room.lines.saturating_sub(lines.len()), body.len());
    if left <= has_room {
        lines.extend(body);
    } else {
        let shown = has_room.saturating_sub(1);
        lines.extend(body.into_iter().take(shown));
        let more = left - shown;
        lines.push(format!(
            "... {more} more lines: `bench {}`, or --full-tables",
            table.name
        ));
    }
    let lines = lines.iter().map(|line| line.trim_end().to_owned() + "\n");
    lines.collect()
}

/// A column of the short form.
struct Strip {
    /// What several columns have in common; empty where they have nothing.
    over: String,
    name: String,
    /// Texts, and whether they may be rounded.
    cells: Vec<(String, bool)>,
}

/// What is shown of a table.
struct Sheet {
    title: String,
    columns: Vec<Strip>,
    /// The first columns, which name a row.
    keys: usize,
    /// Lines of a row.
    each: usize,
}

/// A row of the table, with the texts that are shown.
struct Row<'a> {
    record: &'a Record,
    texts: Vec<String>,
}

impl Row<'_> {
    fn value(&self, axis: &str) -> String {
        self.record
            .cell
            .get(axis)
            .map(ToString::to_string)
            .unwrap_or_default()
    }
}

impl Sheet {
    fn of(table: &Table, records: &[Record]) -> Self {
        let all = table.columns_of(records);
        let shown = shown(table, &all, records);
        let rows = rows(table, &all, &shown, records);
        if rows.is_empty() {
            return Sheet::nothing(table, records);
        }
        let across = table.short.across;
        let down = table
            .axes
            .iter()
            .map(|of| of.axis.name)
            .filter(|name| *name != across);
        let (down, constant): (Vec<&str>, Vec<&str>) = down.partition(|axis| {
            rows.iter()
                .any(|row| row.value(axis) != rows[0].value(axis))
        });
        let mut title = title(table, &shown, &down);
        if rows.len() < records.len() && !table.short.only.is_empty() {
            title += &format!("; {} of {} rows", rows.len(), records.len());
        }
        let constant = constant
            .iter()
            .map(|axis| format!("{axis}={}", rows[0].value(axis)));
        let constant: Vec<String> = constant.collect();
        if !constant.is_empty() {
            title += &format!("; {}", constant.join(", "));
        }
        let mut sheet = Sheet {
            title,
            columns: Vec::new(),
            keys: down.len(),
            each: if table.short.is_stacked {
                shown.len()
            } else {
                1
            },
        };
        sheet.fill(&rows, &down, across, &shown);
        sheet
    }

    /// Why nothing is shown.
    fn nothing(table: &Table, records: &[Record]) -> Self {
        let why = reasons(records.iter()).join("; ");
        let why = if why.is_empty() {
            "nothing was measured".to_owned()
        } else {
            why
        };
        Sheet {
            title: format!("{}: {why}", table.name),
            columns: Vec::new(),
            keys: 0,
            each: 1,
        }
    }

    /// Puts the columns in: those that name a row, and what is shown of each value across.
    fn fill(&mut self, rows: &[Row<'_>], down: &[&str], across: &str, shown: &[Shown]) {
        let key = |row: &Row<'_>| down.iter().map(|axis| row.value(axis)).collect::<Vec<_>>();
        let mut keys: Vec<Vec<String>> = Vec::new();
        for row in rows {
            if !keys.contains(&key(row)) {
                keys.push(key(row));
            }
        }
        for (index, axis) in down.iter().enumerate() {
            // A row's name stands on its first line.
            let blank = || std::iter::repeat_n((String::new(), false), self.each - 1);
            let cells = keys
                .iter()
                .flat_map(|key| [(key[index].clone(), false)].into_iter().chain(blank()));
            let (over, name) = (String::new(), (*axis).to_owned());
            let cells = cells.collect();
            self.columns.push(Strip { over, name, cells });
        }
        let text = |of: &[String], value: &str, part: usize| {
            let is_it = |row: &&Row<'_>| row.value(across) == value && key(row) == *of;
            let row = rows.iter().find(is_it);
            let text = row.map(|row| row.texts[part].clone()).unwrap_or_default();
            (text, shown[part].is_rounded)
        };
        let parts: Vec<usize> = (0..shown.len()).collect();
        for value in values(rows, across) {
            for part in parts.chunks(self.each) {
                let cells = keys
                    .iter()
                    .flat_map(|key| part.iter().map(|&part| text(key, &value, part)));
                let label = shown[part[0]].label.to_owned();
                let (over, name) = match (value.is_empty(), parts.len() == self.each) {
                    (true, _) => (String::new(), label),
                    (_, true) => (String::new(), value.clone()),
                    _ => (value.clone(), label),
                };
                let cells = cells.collect();
                self.columns.push(Strip { over, name, cells });
            }
        }
    }

    /// Header and rows in the width.
    fn lines(&self, width: usize) -> Vec<String> {
        if self.columns.is_empty() {
            return Vec::new();
        }
        let fits = |&(digits, gap): &(usize, usize)| {
            let sum: usize = self.widths(digits, gap).iter().sum();
            sum <= width + gap
        };
        let (digits, gap) = TRIED.into_iter().find(fits).unwrap_or((3, 1));
        let widths = self.widths(digits, gap);
        let keys: Vec<usize> = (0..self.keys).collect();
        let bands = bands(&widths, &keys, width + gap);
        match bands.as_slice() {
            [one] => self.panels(&self.band(one, digits, &widths), width),
            several => several
                .iter()
                .flat_map(|band| self.band(band, digits, &widths))
                .collect(),
        }
    }

    fn has_two_headers(&self) -> bool {
        self.columns.iter().any(|column| !column.over.is_empty())
    }

    /// The width of each column, with the blanks before it.
    fn widths(&self, digits: usize, gap: usize) -> Vec<usize> {
        let of = |column: &Strip| {
            let cells = column.cells.iter().map(|cell| columns(&told(cell, digits)));
            gap + cells
                .chain([columns(&column.name)])
                .max()
                .unwrap_or_default()
        };
        let mut widths: Vec<usize> = self.columns.iter().map(of).collect();
        for group in self.groups(&(0..widths.len()).collect::<Vec<_>>()) {
            let sum: usize = group.iter().map(|&column| widths[column]).sum();
            let over = gap + columns(&self.columns[group[0]].over);
            widths[group[0]] += over.saturating_sub(sum);
        }
        widths
    }

    /// Neighbours with a name in common.
    fn groups(&self, band: &[usize]) -> Vec<Vec<usize>> {
        let over = |column: usize| &self.columns[column].over;
        let is_one = |a: &usize, b: &usize| !over(*a).is_empty() && over(*a) == over(*b);
        band.chunk_by(is_one).map(<[usize]>::to_vec).collect()
    }

    /// Some columns as lines.
    fn band(&self, band: &[usize], digits: usize, widths: &[usize]) -> Vec<String> {
        let line = |text: &dyn Fn(&Strip) -> String| {
            let texts = band.iter().map(|&column| {
                let width = widths[column];
                format!("{:>width$}", text(&self.columns[column]))
            });
            texts.collect::<String>()
        };
        let mut lines = Vec::new();
        if self.has_two_headers() {
            let groups = self.groups(band).into_iter().map(|group| {
                let width: usize = group.iter().map(|&column| widths[column]).sum();
                format!("{:>width$}", self.columns[group[0]].over)
            });
            lines.push(groups.collect());
        }
        lines.push(line(&|column| column.name.clone()));
        let count = self.columns.first().map_or(0, |column| column.cells.len());
        lines.extend((0..count).map(|row| line(&|column| told(&column.cells[row], digits))));
        // The blanks before the first column.
        let gap = lines
            .iter()
            .map(|line| columns(line) - columns(line.trim_start()))
            .min();
        let cut = |line: &String| line.chars().skip(gap.unwrap_or_default()).collect();
        lines.iter().map(cut).collect()
    }

    /// The rows in panels beside each other, each below the header, where there are many and the
    /// width has room.
    fn panels(&self, lines: &[String], width: usize) -> Vec<String> {
        let header = 1 + usize::from(self.has_two_headers());
        let (header, rows) = lines.split_at(header);
        let wide = lines
            .iter()
            .map(|line| columns(line))
            .max()
            .unwrap_or_default();
        let most = (width + BETWEEN.len()) / (wide + BETWEEN.len());
        let units = rows.len() / self.each.max(1);
        if most < 2 || units <= FEW {
            return lines.to_vec();
        }
        let height = units.div_ceil(most) * self.each;
        let panels: Vec<Vec<&String>> = rows
            .chunks(height)
            .map(|rows| header.iter().chain(rows).collect())
            .collect();
        let line = |row: usize| {
            let parts = panels.iter().filter_map(|panel| panel.get(row));
            parts
                .map(|part| format!("{part:>wide$}"))
                .collect::<Vec<_>>()
                .join(BETWEEN)
        };
        (0..header.len() + height).map(line).collect()
    }
}

/// A cell's text with so many digits.
fn told((text, is_rounded): &(String, bool), digits: usize) -> String {
    match is_rounded {
        true => rounded(text, digits),
        false => text.clone(),
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
fn values(rows: &[Row<'_>], across: &str) -> Vec<String> {
    let mut values: Vec<Option<&Value>> = Vec::new();
    for value in rows.iter().map(|row| row.record.cell.get(across)) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values.sort_by_key(|value| match value {
        Some(Value::Number(number)) => *number,
        _ => 0,
    });
    values
        .iter()
        .map(|value| value.map(ToString::to_string).unwrap_or_default())
        .collect()
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
