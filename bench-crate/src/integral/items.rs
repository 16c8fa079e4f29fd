//! The items of a request: limits and parameters of each, one for all or from the columns of
//! a file.

use super::given::{Column, Common, Given};
use super::method::Method;
use super::number::{self, Number};
use super::refused;
use crate::error::Result;
use quadscan::integrate::Kernels;

/// The most items of a batch.
pub(super) const MAX_ITEMS: usize = 1 << 24;

/// Limits and parameters, and where they were read.
#[derive(Clone, Debug)]
pub(super) struct Items<R> {
    /// An item's lower limit each.
    pub(super) from: Vec<R>,
    /// An item's upper limit each.
    pub(super) to: Vec<R>,
    /// An item's parameters each, one item's after another's.
    pub(super) parameters: Vec<R>,
    /// Item and line from which on lines follow each other; nothing where there are none.
    lines: Vec<(usize, u64)>,
}

/// Where an item is in a file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// A line of text, from 1.
    Line(u64),
    /// A row of an array, from 0.
    Row(usize),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}"),
            Place::Row(row) => write!(f, "row {row}"),
        }
    }
}

/// Makes items of rows.
pub(super) struct Collector<'a, R> {
    columns: Vec<Column>,
    common: Common<R>,
    method: &'a Method<R>,
    most: usize,
    items: Items<R>,
}

/// Names of the columns that a batch of this integrand may have, in the order of arrays.
pub(super) fn column_names<R: Number>(of: &Kernels<R>) -> Vec<&'static str> {
    ["from", "to"]
        .into_iter()
        .chain(of.parameters.iter().copied())
        .collect()
}

impl<'a, R: Number> Collector<'a, R> {
    /// For a file with columns of these names; or what is wrong with them.
    pub(super) fn new(
        given: Given<R>,
        of: &Kernels<R>,
        method: &'a Method<R>,
        names: &[&str],
    ) -> std::result::Result<Self, String> {
        let columns = columns(&given, of, names)?;
        let common = given.complete(of, &columns);
        Ok(Self {
            common: common.map_err(|problem| format!("has {problem}"))?,
            columns,
            method,
            most: MAX_ITEMS,
            items: Items {
                from: Vec::new(),
                to: Vec::new(),
                parameters: Vec::new(),
                lines: Vec::new(),
            },
        })
    }

    /// The same with room for fewer items.
    #[cfg(test)]
    pub(super) fn with_most(self, most: usize) -> Self {
        Self { most, ..self }
    }

    /// How many columns a row has.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// Makes an item of a row, or says what is wrong with it.
    pub(super) fn push(&mut self, row: &[R], place: Place) -> std::result::Result<(), String> {
        let n = self.items.from.len();
        if n >= self.most {
            let has = format!("more than {}", self.most);
            return Err(number_of_items(&has, self.most));
        }
        let first = self.items.parameters.len();
        let (mut from, mut to) = (self.common.from, self.common.to);
        self.items.parameters.extend(&self.common.parameters);
        for (column, &value) in self.columns.iter().zip(row) {
            match column {
                Column::From => from = value,
                Column::To => to = value,
                Column::Parameter(_) if value.to_f64().is_nan() => {
                    return Err("a parameter is NaN, allowed are numbers".to_owned());
                }
                Column::Parameter(k) => self.items.parameters[first + k] = value,
            }
        }
        if let Some((name, problem)) = self.method.objection(from, to) {
            return Err(format!("{name} {problem}"));
        }
        self.items.from.push(from);
        self.items.to.push(to);
        if let Place::Line(line) = place {
            let lines = &mut self.items.lines;
            let next = lines.last().map(|&(item, first)| first + (n - item) as u64);
            if next != Some(line) {
                lines.push((n, line));
            }
        }
        Ok(())
    }

    /// The items; nothing where there are none.
    pub(super) fn items(self) -> Option<Items<R>> {
        (!self.items.from.is_empty()).then_some(self.items)
    }
}

/// What columns of these names have; or what is wrong with them.
fn columns<R: Number>(
    given: &Given<R>,
    of: &Kernels<R>,
    names: &[&str],
) -> std::result::Result<Vec<Column>, String> {
    let known = column_names(of);
    let mut columns = Vec::new();
    for name in names {
        let column = match known.iter().position(|known| known == name) {
            Some(0) => Column::From,
            Some(1) => Column::To,
            Some(k) => Column::Parameter(k - 2),
            None => {
                let (name, allowed) = (number::shown(name), known.join(", "));
                return Err(format!("has a column `{name}`, allowed are {allowed}"));
            }
        };
        if columns.contains(&column) {
            return Err(format!("has two columns `{name}`, allowed is one"));
        }
        if let Some(argument) = given.gives(column) {
            return Err(format!(
                "has a column `{name}`, which {argument} gives as well, allowed is one of them"
            ));
        }
        columns.push(column);
    }
    Ok(columns)
}

/// That a file has no items, or more than `most`, and `has` so many.
pub(super) fn number_of_items(has: &str, most: usize) -> String {
    format!("has {has} items, allowed are 1 to {most}")
}

impl<R: Number> Items<R> {
    /// The only item of a request without a file.
    pub(super) fn alone(given: Given<R>, of: &Kernels<R>, method: &Method<R>) -> Result<Self> {
        let common = given.complete(of, &[]);
        let common =
            common.map_err(|problem| refused("--parameters", format!("have {problem}")))?;
        if let Some((limit, problem)) = method.objection(common.from, common.to) {
            return Err(refused(&format!("--{limit}"), problem));
        }
        Ok(Self {
            from: vec![common.from],
            to: vec![common.to],
            parameters: common.parameters,
            lines: Vec::new(),
        })
    }

    /// How many.
    pub(super) fn len(&self) -> usize {
        self.from.len()
    }

    /// The parameters of an item.
    pub(super) fn parameters_of(&self, item: usize) -> &[R] {
        let each = self.parameters.len() / self.len().max(1);
        &self.parameters[item * each..(item + 1) * each]
    }

    /// Where an item is in its file.
    pub(super) fn place(&self, item: usize) -> Place {
        let after = self.lines.partition_point(|&(first, _)| first <= item);
        match self.lines[..after].last() {
            Some(&(first, line)) => Place::Line(line + (item - first) as u64),
            None => Place::Row(item),
        }
    }
}
