//! A heat map: cells of a matrix, coloured by their value on a log scale.

use maud::{Markup, html};

use super::super::words::{short, shorter};
use super::scale::{Log, is_drawable};
use super::{Chart, Frame, SMALLER, Swatch, label, palette, px};

/// A cell of the matrix.
pub(in super::super) struct Cell {
    /// From 0, down.
    pub(in super::super) row: usize,
    /// From 0, across.
    pub(in super::super) column: usize,
    /// Its value; without one the cell is crossed out.
    pub(in super::super) value: Option<f64>,
    /// What it says when it is pointed at.
    pub(in super::super) note: String,
}

/// A matrix whose places may be empty.
pub(in super::super) struct HeatMap {
    /// Names of the rows, and what they count.
    pub(in super::super) rows: (String, Vec<String>),
    /// Names of the columns, and what they count.
    pub(in super::super) columns: (String, Vec<String>),
    /// The cells that there are.
    pub(in super::super) cells: Vec<Cell>,
    /// The unit of the values.
    pub(in super::super) unit: String,
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
struct Grid {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl HeatMap {
    fn values(&self) -> impl Iterator<Item = f64> {
        self.cells.iter().filter_map(|cell| cell.value)
    }

    /// `None` where no cell has a value.
    pub(in super::super) fn scale(&self) -> Option<Log> {
        Log::exact(self.values())
    }

    fn grid(&self, frame: Frame) -> Grid {
        let longest = self.rows.1.iter().map(|name| frame.text_width(name));
        let left = longest.fold(0.0, f64::max) + 6.0;
        let columns = self.columns.1.len().max(1) as f64;
        Grid {
            left,
            top: 2.0 * frame.font + 12.0,
            width: (frame.width - left - 1.0) / columns,
            height: if frame.is_narrow() { 18.0 } else { 23.0 },
        }
    }

    fn cell(&self, frame: Frame, grid: &Grid, scale: Log, cell: &Cell) -> Markup {
        let x = grid.left + grid.width * cell.column as f64;
        let y = grid.top + grid.height * cell.row as f64;
        let (width, height) = (grid.width - 1.0, grid.height - 1.0);
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
        let best = self.values().fold(f64::INFINITY, f64::min);
        html! {
            g {
                rect class="mark" x=(px(x)) y=(px(y)) width=(px(width)) height=(px(height)) fill=(palette::scale(place)) {
                    title { (cell.note) }
                }
                @if let Some(text) = text {
                    text class="in-cell" x=(px(x + width / 2.0)) y=(px(y + height / 2.0 + frame.font * 0.3)) text-anchor="middle" fill=(palette::ink_on(place)) { (text) }
                }
                @if value <= best {
                    rect class="best" x=(px(x)) y=(px(y)) width=(px(width)) height=(px(height)) fill="none" {}
                }
            }
        }
    }

    /// The scale with its ends, under the cells.
    fn key(&self, frame: Frame, top: f64) -> Markup {
        const PARTS: usize = 40;
        let (low, high) = self
            .values()
            .filter(|&value| is_drawable(value))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        let slow = format!("{} {}", short(high), self.unit);
        let fast = format!("{} {}", short(low), self.unit);
        let left = frame.text_width(&slow) + 6.0;
        let width = (frame.width - left - frame.text_width(&fast) - 8.0).min(220.0);
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

impl Chart for HeatMap {
    fn draw(&self, frame: Frame) -> (f64, Markup) {
        let grid = self.grid(frame);
        let bottom = grid.top + grid.height * self.rows.1.len() as f64;
        let key = bottom + 8.0;
        let height = key + frame.font + 4.0;
        let Some(scale) = self.scale() else {
            return (height, html! {});
        };
        let across = format!("{} →   {} ↓", self.columns.0, self.rows.0);
        let drawn = html! {
            (label(grid.left, frame.font, "start", "axis", &across))
            @for (index, name) in self.columns.1.iter().enumerate() {
                (label(grid.left + grid.width * (index as f64 + 0.5), grid.top - 5.0, "middle", "tick", name))
            }
            @for (index, name) in self.rows.1.iter().enumerate() {
                (label(grid.left - 5.0, grid.top + grid.height * (index as f64 + 0.5) + frame.font * 0.35, "end", "tick", name))
            }
            @for cell in &self.cells { (self.cell(frame, &grid, scale, cell)) }
            (self.key(frame, key))
        };
        (height, drawn)
    }

    fn legend(&self) -> Vec<(Swatch, String)> {
        Vec::new()
    }
}
