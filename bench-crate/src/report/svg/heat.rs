//! A heat map: cells of a matrix, coloured by their value on a log scale.

use maud::{Markup, html};

use super::super::words::{short, shorter};
use super::scale::{Kind, Scale, extent, is_drawable};
use super::{Chart, Frame, SMALLER, Swatch, label, palette, px};
use crate::export::Grid;
use crate::grouping::distinct;

/// A cell of the matrix.
pub(in crate::report) struct Cell {
    pub(in crate::report) row: String,
    pub(in crate::report) column: String,
    /// Its value; without one the cell is crossed out.
    pub(in crate::report) value: Option<f64>,
    /// What it says when it is pointed at.
    pub(in crate::report) note: String,
}

/// A matrix whose places may be empty.
pub(in crate::report) struct HeatMap {
    /// What rows are called by.
    pub(in crate::report) rows: &'static str,
    /// What columns are called by.
    pub(in crate::report) columns: &'static str,
    /// The unit of the values.
    pub(in crate::report) unit: &'static str,
    /// The cells that there are.
    pub(in crate::report) cells: Vec<Cell>,
}

/// Names without repetition: numbers rising, others as they come.
fn sorted<'a>(names: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
    let mut names = distinct(names.map(String::as_str));
    names.sort_by_key(|name| name.parse::<u64>().unwrap_or_default());
    names
}

/// A value with fewer and fewer letters.
fn texts(value: f64) -> [String; 3] {
    let least = shorter(value);
    let pointed = match least.strip_prefix("0.") {
        Some(decimals) => format!(".{decimals}"),
        None => least.clone(),
    };
    [short(value), least, pointed]
}

/// Where the cells are.
struct Places<'a> {
    rows: Vec<&'a str>,
    columns: Vec<&'a str>,
    /// What they are called, in lines.
    row_names: Vec<Vec<String>>,
    column_names: Vec<Vec<String>>,
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl HeatMap {
    fn values(&self) -> impl Iterator<Item = f64> {
        self.cells.iter().filter_map(|cell| cell.value)
    }

    /// The cell with the least value, of several the first.
    fn best(&self) -> Option<&Cell> {
        let valued = self
            .cells
            .iter()
            .filter_map(|cell| Some((cell.value?, cell)));
        let least = valued.min_by(|a, b| a.0.total_cmp(&b.0));
        least.map(|(_, cell)| cell)
    }

    /// The names of rows and columns that have cells.
    fn sides(&self) -> (Vec<&str>, Vec<&str>) {
        (
            sorted(self.cells.iter().map(|cell| &cell.row)),
            sorted(self.cells.iter().map(|cell| &cell.column)),
        )
    }

    /// The values as a table of texts.
    pub(in crate::report) fn matrix(&self, text: fn(f64) -> String) -> Grid {
        let (rows, columns) = self.sides();
        let value = |row: &str, column: &str| {
            let is_it = |cell: &&Cell| (&*cell.row, &*cell.column) == (row, column);
            let value = self.cells.iter().find(is_it).and_then(|cell| cell.value);
            value.map(text).unwrap_or_default()
        };
        let names = columns.iter().map(|column| match column.parse::<u64>() {
            Ok(_) => format!("{column} {}", self.columns),
            Err(_) => (*column).to_owned(),
        });
        let row = |row: &&str| {
            let values = columns.iter().map(|column| value(row, column));
            [(*row).to_owned()].into_iter().chain(values).collect()
        };
        Grid {
            header: [self.rows.to_owned()].into_iter().chain(names).collect(),
            rows: rows.iter().map(row).collect(),
        }
    }

    fn places(&self, frame: Frame) -> Places<'_> {
        let (rows, columns) = self.sides();
        let broken = |names: &[&str], width| -> Vec<Vec<String>> {
            names.iter().map(|name| frame.lines(name, width)).collect()
        };
        let most = |names: &[Vec<String>]| names.iter().map(Vec::len).max().unwrap_or(1) as f64;
        let row_names = broken(&rows, 0.36 * frame.width);
        let longest = row_names
            .iter()
            .flatten()
            .map(|line| frame.text_width(line));
        let left = longest.fold(0.0, f64::max) + 6.0;
        let width = (frame.width - left - 1.0) / columns.len().max(1) as f64;
        let line = frame.font + 1.0;
        let height: f64 = if frame.is_narrow() { 18.0 } else { 23.0 };
        let column_names = broken(&columns, width);
        Places {
            left,
            top: line * (1.0 + most(&column_names)) + 10.0,
            width,
            height: height.max(line * most(&row_names) + 2.0),
            rows,
            columns,
            row_names,
            column_names,
        }
    }

    fn cell(&self, frame: Frame, places: &Places<'_>, scale: Scale, cell: &Cell) -> Markup {
        let place = |of: &[&str], name: &str| of.iter().take_while(|&&other| other != name).count();
        let x = places.left + places.width * place(&places.columns, &cell.column) as f64;
        let y = places.top + places.height * place(&places.rows, &cell.row) as f64;
        let (width, height) = (places.width - 1.0, places.height - 1.0);
        let Some(value) = cell.value.filter(|&value| is_drawable(value)) else {
            return html! {
                g class="missing" {
                    rect x=(px(x)) y=(px(y)) width=(px(width)) height=(px(height)) {}
                    path d={ "M" (px(x)) " " (px(y)) "L" (px(x + width)) " " (px(y + height)) } {}
                    title { (cell.note) }
                }
            };
        };
        // The least time is the lightest.
        let place = 1.0 - scale.place(value);
        let text = texts(value)
            .into_iter()
            .find(|text| frame.text_width(text) * SMALLER <= width);
        html! {
            g {
                rect class="mark" x=(px(x)) y=(px(y)) width=(px(width)) height=(px(height)) fill=(palette::scale(place)) {
                    title { (cell.note) }
                }
                @if let Some(text) = text {
                    text class="in-cell" x=(px(x + width / 2.0)) y=(px(y + height / 2.0 + frame.font * 0.3)) text-anchor="middle" fill=(palette::ink_on(place)) { (text) }
                }
                @if self.best().is_some_and(|best| std::ptr::eq(best, cell)) {
                    rect class="best" x=(px(x)) y=(px(y)) width=(px(width)) height=(px(height)) fill="none" {}
                }
            }
        }
    }

    /// The scale with its ends, under the cells.
    fn key(&self, frame: Frame, top: f64) -> Markup {
        const PARTS: usize = 40;
        let (low, high) = extent(self.values()).unwrap_or_default();
        let slow = format!("{} {}", short(high), self.unit);
        let fast = format!("{} {}", short(low), self.unit);
        let left = frame.text_width(&slow) + 6.0;
        let width = (frame.width - left - frame.text_width(&fast) - 8.0).clamp(20.0, 220.0);
        let part = width / PARTS as f64;
        let base = top + frame.font * 0.9;
        html! {
            (label(0.0, base, "start", "tick", &slow))
            @for index in 0..PARTS {
                rect x=(px(left + part * index as f64)) y=(px(top)) width=(px(part + 0.5)) height=(px(frame.font)) fill=(palette::scale(index as f64 / (PARTS - 1) as f64)) {}
            }
            (label(left + width + 6.0, base, "start", "tick", &fast))
        }
    }
}

/// A name in lines, of which the last is at `y`.
fn text(frame: Frame, anchor: &str, lines: &[String], x: f64, y: f64) -> Markup {
    html! {
        @for (above, line) in lines.iter().rev().enumerate() {
            (label(x, y - above as f64 * (frame.font + 1.0), anchor, "tick", line))
        }
    }
}

impl Chart for HeatMap {
    fn draw(&self, frame: Frame) -> (f64, Markup) {
        let places = self.places(frame);
        let bottom = places.top + places.height * places.rows.len() as f64;
        let key = bottom + 8.0;
        let height = key + frame.font + 4.0;
        let Some(scale) = Scale::exact(Kind::Decades, self.values()) else {
            return (height, html! {});
        };
        let across = format!("{} →   {} ↓   {}", self.columns, self.rows, self.unit);
        let drawn = html! {
            (label(frame.width, frame.font, "end", "axis", &across))
            @for (index, lines) in places.column_names.iter().enumerate() {
                @let x = places.left + places.width * (index as f64 + 0.5);
                (text(frame, "middle", lines, x, places.top - 5.0))
            }
            @for (index, lines) in places.row_names.iter().enumerate() {
                @let middle = places.top + places.height * (index as f64 + 0.5);
                @let below = (lines.len() - 1) as f64 * (frame.font + 1.0) / 2.0;
                (text(frame, "end", lines, places.left - 5.0, middle + frame.font * 0.35 + below))
            }
            @for cell in &self.cells { (self.cell(frame, &places, scale, cell)) }
            (self.key(frame, key))
        };
        (height, drawn)
    }

    fn legend(&self) -> Vec<(Swatch, String)> {
        Vec::new()
    }
}
