//! The published tables, as they stand in `data/`: which cells they have, and the
//! figures that are printed beside ours.
//!
//! Nothing measured or computed is ever replaced by a figure from here.

use crate::record::Cell;
use crate::timing::Timing;

/// A published table: text cells under named columns, joined with records by axes.
#[derive(Debug)]
pub struct Published {
    /// Lines of cells divided by commas; no cell has one in it.
    text: &'static str,
    /// The axes that its rows are found by: columns of the same names.
    join: &'static [&'static str],
    /// The one value of an axis that it has no column of.
    only: Option<(&'static str, u64)>,
    /// The device that a sweep is of, as the page names it; empty of other tables.
    pub device: &'static str,
    /// Columns of a sweep with times of the span, ms.
    pub gpu: &'static [&'static str],
    /// Columns of a sweep with times of the loop on the host, ms.
    pub host: &'static [&'static str],
}

/// A published table that is no sweep, and has no text.
const EMPTY: Published = Published {
    text: "",
    join: &[],
    only: None,
    device: "",
    gpu: &[],
    host: &[],
};

/// By precision and strips.
pub static ACCURACY: Published = Published {
    text: include_str!("../../data/accuracy_strips.csv"),
    join: &["precision", "strips"],
    ..EMPTY
};

/// By algorithm and step, for 1024 elements.
pub static ACTIVITY: Published = Published {
    text: include_str!("../../data/scan_activity_n1024.csv"),
    join: &["algorithm", "step"],
    only: Some(("n", 1024)),
    ..EMPTY
};

/// Strips of the published sweeps.
pub const STRIPS: u64 = 65536 * 256;

/// GeForce 8800 GT, five times each, by blocks and threads.
pub static SWEEP_F32: Published = Published {
    text: include_str!("../../data/sweep_f32_geforce_8800gt.csv"),
    join: &["blocks", "threads"],
    only: Some(("strips", STRIPS)),
    device: "GeForce 8800 GT",
    gpu: &["gpu_ms_1", "gpu_ms_2", "gpu_ms_3", "gpu_ms_4", "gpu_ms_5"],
    host: &["cpu_ms_1", "cpu_ms_2", "cpu_ms_3", "cpu_ms_4", "cpu_ms_5"],
};

/// Tesla S2050, by blocks and threads.
pub static SWEEP_F64: Published = Published {
    text: include_str!("../../data/sweep_f64_tesla_s2050.csv"),
    join: &["blocks", "threads"],
    only: Some(("strips", STRIPS)),
    device: "Tesla S2050",
    gpu: &["gpu_ms"],
    host: &["host_ms"],
};

/// A row of a published table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    header: &'static str,
    cells: &'static str,
}

impl Row {
    /// The text under `column`, empty when there is none.
    pub fn text(&self, column: &str) -> &'static str {
        let mut columns = self.header.split(',');
        let place = columns.position(|name| name == column);
        let cell = place.and_then(|place| self.cells.split(',').nth(place));
        cell.unwrap_or_default()
    }

    /// The number under `column`, where there is one.
    pub fn number<T: std::str::FromStr>(&self, column: &str) -> Option<T> {
        self.text(column).parse().ok()
    }
}

impl Published {
    /// The names of the columns, in order.
    pub fn columns(&self) -> impl Iterator<Item = &'static str> {
        self.header().split(',')
    }

    fn header(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default()
    }

    /// The rows, in order.
    pub fn rows(&self) -> impl Iterator<Item = Row> {
        let header = self.header();
        let lines = self.text.lines().skip(1);
        lines.map(move |cells| Row { header, cells })
    }

    /// The row of a cell, where it was published.
    pub fn row(&self, cell: &Cell) -> Option<Row> {
        let is_another = |(axis, value)| cell.number(axis) != Some(value);
        if self.only.is_some_and(is_another) {
            return None;
        }
        let is_equal = |axis: &&str, row: &Row| {
            let value = cell.get(axis).map(ToString::to_string);
            value.as_deref() == Some(row.text(axis))
        };
        self.rows()
            .find(|row| self.join.iter().all(|axis| is_equal(axis, row)))
    }

    /// The median of times in some columns of rows, ms.
    pub fn median(&self, rows: impl Iterator<Item = Row>, columns: &[&str]) -> Option<f64> {
        let times = rows.flat_map(|row| columns.iter().filter_map(move |name| row.number(name)));
        Timing::from_samples(times.collect()).map(|timing| timing.median_ms)
    }

    /// The spans of a sweep by blocks and threads, ms; the median where there are several times.
    pub fn spans(&self) -> Vec<((u32, u32), f64)> {
        let spans = self.rows().filter_map(|row| {
            let shape = (row.number("blocks")?, row.number("threads")?);
            Some((shape, self.median([row].into_iter(), self.gpu)?))
        });
        spans.collect()
    }

    /// The cell of a sweep with the least time.
    pub fn best(&self) -> Option<((u32, u32), f64)> {
        self.spans().into_iter().min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The loop of a sweep on the page's host, ms: the median of all rows.
    pub fn host_ms(&self) -> Option<f64> {
        self.median(self.rows(), self.host)
    }

    /// The figure of `column` in the row of a cell; empty when there is no such row or the page
    /// has no figure there.
    pub fn figure(&self, cell: &Cell, column: &str) -> &'static str {
        self.row(cell).map_or("", |row| row.text(column))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_cell_for_every_column() {
        for (table, columns, rows) in [
            (&ACCURACY, 3, 10),
            (&ACTIVITY, 4, 29),
            (&SWEEP_F32, 14, 13),
            (&SWEEP_F64, 4, 100),
        ] {
            assert_eq!(table.columns().count(), columns);
            assert_eq!(table.rows().count(), rows);
            let cells = |row: Row| row.cells.split(',').count();
            assert!(table.rows().map(cells).all(|cells| cells == columns));
        }
    }

    #[test]
    fn a_figure_is_found_by_its_cell_and_a_question_mark_is_empty() {
        let gpu_ms = |strips: u64, blocks: u64, threads: u64| {
            let cell = Cell::default().with("strips", strips);
            let cell = cell.with("blocks", blocks).with("threads", threads);
            SWEEP_F64.figure(&cell, "gpu_ms")
        };
        assert_eq!(gpu_ms(STRIPS, 64, 256), "2.64");
        assert_eq!(gpu_ms(STRIPS, 1, 1024), "");
        assert_eq!(gpu_ms(STRIPS, 3, 3), "");
        assert_eq!(gpu_ms(1 << 20, 64, 256), "");
    }
}
