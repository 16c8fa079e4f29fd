//! The published tables, as they stand in `data/`: which cells they have, and the
//! figures that are printed beside ours.
//!
//! Nothing measured or computed is ever replaced by a figure from here.

use std::sync::LazyLock;

/// A published table: text cells under named columns.
pub struct Published {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Published {
    /// The tables are part of the program; their shape is checked by the tests.
    fn parse(text: &str) -> Self {
        let mut lines = text
            .lines()
            .map(|line| line.split(',').map(str::to_owned).collect::<Vec<String>>());
        Published {
            columns: lines.next().unwrap_or_default(),
            rows: lines.collect(),
        }
    }

    /// The names of the columns, in order.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The rows, in order.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|cells| Row { table: self, cells })
    }

    /// The figure of `column` in the row whose columns have the values of `key`;
    /// empty when there is no such row or the page has no figure there.
    pub fn figure(&self, key: &[(&str, String)], column: &str) -> String {
        self.rows()
            .find(|row| key.iter().all(|(name, value)| row.text(name) == value))
            .map(|row| row.text(column).to_owned())
            .unwrap_or_default()
    }
}

/// A row of a published table.
pub struct Row<'a> {
    table: &'a Published,
    cells: &'a [String],
}

impl<'a> Row<'a> {
    /// The text under `column`, empty when there is none.
    pub fn text(&self, column: &str) -> &'a str {
        self.table
            .columns
            .iter()
            .position(|name| name == column)
            .and_then(|index| self.cells.get(index))
            .map_or("", String::as_str)
    }

    /// The number under `column`, where there is one.
    pub fn number<T: std::str::FromStr>(&self, column: &str) -> Option<T> {
        self.text(column).parse().ok()
    }
}

macro_rules! data {
    ($(#[$doc:meta])* $name:ident, $file:literal) => {
        $(#[$doc])*
        pub static $name: LazyLock<Published> = LazyLock::new(|| {
            Published::parse(include_str!(concat!("../../data/", $file)))
        });
    };
}

data! {
    /// precision,strips,pi
    ACCURACY, "accuracy_strips.csv"
}
data! {
    /// algorithm,step,active_threads,active_warps, for 1024 elements
    ACTIVITY, "scan_activity_n1024.csv"
}
data! {
    /// GeForce 8800 GT, 65536*256 strips, five times each
    SWEEP_F32, "sweep_f32_geforce_8800gt.csv"
}
data! {
    /// Tesla S2050, 65536*256 strips
    SWEEP_F64, "sweep_f64_tesla_s2050.csv"
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
            assert_eq!(table.columns().len(), columns);
            assert_eq!(table.rows.len(), rows);
            assert!(table.rows.iter().all(|cells| cells.len() == columns));
        }
    }

    #[test]
    fn a_figure_is_found_by_its_key_and_a_question_mark_is_empty() {
        let key = |blocks: u32, threads: u32| {
            [
                ("blocks", blocks.to_string()),
                ("threads", threads.to_string()),
            ]
        };
        assert_eq!(SWEEP_F64.figure(&key(64, 256), "gpu_ms"), "2.64");
        assert_eq!(SWEEP_F64.figure(&key(1, 1024), "gpu_ms"), "");
        assert_eq!(SWEEP_F64.figure(&key(3, 3), "gpu_ms"), "");
    }
}
