//! The tables: a file each declares its axes and columns, and measures a cell.
//!
//! To add one, add a file here and name it in [`all`]. `docs/tables/axes.md` follows from it.

pub(crate) mod accuracy;
pub(crate) mod activity;
pub(crate) mod arrays;
mod cubature;
mod faults;
mod functions;
mod integral;
pub(crate) mod integrals;
mod kernels;
pub(crate) mod limits;
mod mapping;
mod monte_carlo;
#[cfg(test)]
#[path = "tests/page.rs"]
mod page_tests;
mod quarter_circle;
mod rounding;
pub(crate) mod sweep;
#[cfg(test)]
#[path = "tests/testing.rs"]
mod testing;

use crate::grouping::distinct;
use crate::table::{Names, Table};

/// The tables that are offered, in the order in which they are printed.
pub fn all() -> Vec<&'static Table> {
    vec![
        &activity::TABLE,
        &sweep::F64,
        &sweep::F32,
        &accuracy::TABLE,
        &mapping::TABLE,
        &limits::TABLE,
        &arrays::SCAN,
        &arrays::REDUCE,
        &arrays::SELECT,
        &integral::TABLE,
        &integrals::TABLE,
        &cubature::TABLE,
        &monte_carlo::TABLE,
        &kernels::TABLE,
        &functions::TABLE,
    ]
}

/// A table by the name that is typed: the offered ones, and `faults`, which is
/// documented but not part of a benchmark.
pub fn by_name(name: &str) -> Option<&'static Table> {
    let all = all().into_iter().chain([&faults::TABLE]);
    all.into_iter().find(|table| table.name == name)
}

/// The axes of tables, each with the names that a table has of it, in the order of the tables.
pub fn known(tables: &[&'static Table]) -> Names {
    let axes = tables.iter().flat_map(|table| table.axes);
    axes.map(|of| (of.axis, of.names())).collect()
}

/// The names of all axes that have options or take `--axis`, in the order of the tables.
pub fn axis_names() -> Vec<&'static str> {
    let axes = all().into_iter().flat_map(|table| table.axes);
    distinct(axes.map(|of| of.axis.name))
}

/// The name of the tables of integrals together.
pub const GROUP: &str = "integrate";

/// The tables of a name that stands for several.
pub fn group(name: &str) -> Option<[&'static str; 2]> {
    (name == GROUP).then_some([integral::TABLE.name, integrals::TABLE.name])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Asked;
    use std::collections::BTreeSet;

    /// Whether a cell may have a value of an axis: those that are declared, that of reductions by
    /// the plan's choice, and those of `faults`, which has no options.
    fn has(table: &Table, axis: &str) -> bool {
        let is_declared = table.axes.iter().any(|of| of.axis.name == axis);
        is_declared
            || matches!(
                (table.name, axis),
                ("reduce" | "select", "algorithm") | ("faults", _)
            )
    }

    #[test]
    fn every_table_is_found_by_its_name_and_says_what_it_is() {
        let names: BTreeSet<&str> = all().iter().map(|table| table.name).collect();
        assert_eq!(names.len(), all().len());
        for table in all().into_iter().chain([&faults::TABLE]) {
            assert!(
                !table.name.is_empty() && !table.about.is_empty(),
                "{}",
                table.name
            );
            let found = by_name(table.name).map(|found| (found.name, found.about));
            assert_eq!(found, Some((table.name, table.about)));
        }
        assert!(by_name("flights").is_none() && !names.contains("faults"));
    }

    #[test]
    fn every_column_has_a_name_of_its_own_and_says_what_it_is() {
        for table in all().into_iter().chain([&faults::TABLE]) {
            let columns = table.columns_of(&[]);
            let names: BTreeSet<&str> = columns.iter().map(|column| &*column.name).collect();
            assert_eq!(names.len(), columns.len(), "{}: {names:?}", table.name);
            assert!(names.iter().all(|name| !name.is_empty()), "{}", table.name);
            for column in &columns {
                assert!(!column.about().is_empty(), "{} {}", table.name, column.name);
            }
        }
    }

    #[test]
    fn every_cell_is_another_one_of_the_tables_axes() {
        for table in all().into_iter().chain([&faults::TABLE]) {
            let cells = table.selected(&Asked::default()).expect("the usual cells");
            let described: BTreeSet<String> = cells.iter().map(|cell| cell.describe()).collect();
            assert!(
                !cells.is_empty() && described.len() == cells.len(),
                "{}",
                table.name
            );
            for pair in described.iter().flat_map(|cell| cell.split(' ')) {
                let axis = pair.split_once('=').expect("an axis with its value").0;
                assert!(has(table, axis), "{}: {pair}", table.name);
            }
        }
    }

    #[test]
    fn the_name_of_both_tables_of_integrals_stands_for_them() {
        assert_eq!(group("integrate"), Some(["integral", "integrals"]));
        assert_eq!(group("integral"), None);
    }
}
