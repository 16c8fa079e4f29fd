//! A sheet: columns of texts, of which the first name a row, laid out in a width.
//!
//! Digits are left out before columns are put into bands below each other, and rows that are short
//! stand in panels beside each other.

use super::fit::{bands, columns};
use crate::number::rounded;

/// Rows that are not put into panels.
const FEW: usize = 8;

/// Between panels.
const BETWEEN: &str = "   ";

/// The digits that numbers may have, and the blanks between columns: the first that fit are taken.
const TRIED: [(usize, usize); 6] = [
    (usize::MAX, 2),
    (usize::MAX, 1),
    (5, 1),
    (4, 2),
    (4, 1),
    (3, 1),
];

/// A column of a sheet.
pub(super) struct Strip {
    /// What several columns have in common; empty where they have nothing.
    over: String,
    name: String,
    /// Texts, and whether they may be rounded.
    cells: Vec<(String, bool)>,
}

impl Strip {
    /// With its name and what stands over that.
    pub(super) fn new(over: &str, name: &str, cells: impl Iterator<Item = (String, bool)>) -> Self {
        Strip {
            over: over.to_owned(),
            name: name.to_owned(),
            cells: cells.collect(),
        }
    }
}

/// Columns of equally many texts.
pub(super) struct Sheet {
    pub(super) columns: Vec<Strip>,
    /// The first columns, which name a row.
    pub(super) keys: usize,
    /// Lines of a row.
    pub(super) each: usize,
}

impl Sheet {
    /// Header and rows in the width.
    pub(super) fn lines(&self, width: usize) -> Vec<String> {
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
