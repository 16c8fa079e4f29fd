//! What figures are of: a table's rows, divided as its figures are.

use super::machines::{Machine, Measured};
use super::words::list;
use crate::grouping::rising;
use crate::number;
use crate::record::Record;
use crate::table::Table;
use crate::table::published::{Published, STRIPS};

/// What figures are of: the rows of a table that have the same numbers of some axes, of all
/// machines that have any.
pub(super) struct Subject<'a> {
    pub(super) table: &'static Table,
    /// As titles have it.
    pub(super) name: String,
    pub(super) measured: Vec<Measured<'a>>,
}

impl<'a> Subject<'a> {
    /// The strips of the rows.
    pub(super) fn strips(&self) -> Option<u64> {
        self.measured.first()?.rows.first()?.cell.number("strips")
    }

    /// The page's own sweep, where it has as many strips.
    pub(super) fn published(&self) -> Option<&'static Published> {
        let published = self.table.figures.published;
        published.filter(|_| self.strips() == Some(STRIPS))
    }

    /// What each machine gave, without repetition: the names of the machines that gave it, and
    /// what they gave. Machines that gave nothing are left out.
    pub(super) fn alike<T: PartialEq>(
        &self,
        gave: impl Fn(&Measured<'a>) -> Option<T>,
    ) -> Vec<(String, T)> {
        let mut alike: Vec<(Vec<&str>, T)> = Vec::new();
        for one in &self.measured {
            let Some(given) = gave(one) else { continue };
            match alike.iter_mut().find(|group| group.1 == given) {
                Some(group) => group.0.push(one.name()),
                None => alike.push((vec![one.name()], given)),
            }
        }
        let named = alike
            .into_iter()
            .map(|(names, given)| (list(&names), given));
        named.collect()
    }
}

/// A table's rows, divided as its figures are.
pub(super) fn subjects<'a>(table: &'static Table, machines: &[&'a Machine]) -> Vec<Subject<'a>> {
    let by = table.figures.by;
    let key = |row: &Record| {
        by.iter()
            .map(|axis| row.cell.number(axis))
            .collect::<Vec<_>>()
    };
    let rows = machines.iter().flat_map(|machine| machine.rows(table.name));
    let keys = rising(rows.map(key));
    let several = keys.len() > 1;
    let subject = |wanted: &Vec<Option<u64>>| {
        let measured = machines
            .iter()
            .filter_map(|machine| Measured::new(machine, table.name, |row| key(row) == *wanted));
        let mut subject = Subject {
            table,
            name: table.name.to_owned(),
            measured: measured.collect(),
        };
        if let Some(strips) = subject.strips().filter(|_| several) {
            subject.name += &format!(", {} strips", number::grouped(strips));
        }
        subject
    };
    keys.iter().map(subject).collect()
}
