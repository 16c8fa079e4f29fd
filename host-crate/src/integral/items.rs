//! The items of a request: limits and parameters of each, from the command line and from the
//! columns of a file.

use super::method::Method;
use super::number::{self, Number};
use super::refused;
use crate::cli::IntegrateArguments;
use crate::error::Result;
use crate::integrate::Kernels;

/// The most items of a batch.
pub(super) const MAX_ITEMS: usize = 1 << 24;

/// What holds for all items whose file does not say otherwise.
#[derive(Clone, Debug)]
pub(super) struct Given<R> {
    from: Option<R>,
    to: Option<R>,
    /// One for each of the integrand's.
    parameters: Vec<Option<R>>,
}

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

/// What of an item a column has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    From,
    To,
    Parameter(usize),
}

/// Makes items of rows.
pub(super) struct Collector<'a, R> {
    columns: Vec<Column>,
    from: R,
    to: R,
    parameters: Vec<R>,
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

impl<R: Number> Given<R> {
    /// What the command line says.
    pub(super) fn new(arguments: &IntegrateArguments, of: &Kernels<R>) -> Result<Self> {
        Ok(Self {
            from: limit("--from", &arguments.from)?,
            to: limit("--to", &arguments.to)?,
            parameters: match &arguments.parameters {
                Some(text) => parameters(text, of)?,
                None => vec![None; of.parameters.len()],
            },
        })
    }

    /// Nothing but the integrand's own limits.
    #[cfg(test)]
    pub(super) fn none(of: &Kernels<R>) -> Self {
        Self {
            from: None,
            to: None,
            parameters: vec![None; of.parameters.len()],
        }
    }

    /// The only item of a request without a file.
    pub(super) fn alone(self, of: &Kernels<R>, method: &Method<R>) -> Result<Items<R>> {
        let mut collector = Collector::new(self, of, method, &[])
            .map_err(|problem| refused("--parameters", problem))?;
        if let Some((name, problem)) = method.objection(collector.from, collector.to) {
            return Err(refused(&format!("--{name}"), problem));
        }
        match collector.push(&[], None) {
            Ok(()) => Ok(collector.items),
            Err(problem) => Err(refused("--rule", problem)),
        }
    }
}

/// A limit as it is typed.
fn limit<R: Number>(argument: &str, text: &Option<String>) -> Result<Option<R>> {
    let Some(text) = text else { return Ok(None) };
    let problem = match number::parse::<R>(text) {
        // NaN is not equal to itself.
        Ok(value) if value == value => return Ok(Some(value)),
        Ok(_) => format!("`{text}` is no limit"),
        Err(problem) => problem,
    };
    let problem = format!("{problem}, allowed are numbers, inf and -inf");
    Err(refused(argument, problem))
}

/// `1,2`, in the integrand's order, or `u=2,a=1`, of which some may be missing.
fn parameters<R: Number>(text: &str, of: &Kernels<R>) -> Result<Vec<Option<R>>> {
    let names = of.parameters;
    let object = |problem: String| {
        let allowed = match names {
            [] => format!("{} has none", of.name),
            _ => format!(
                "allowed are those of {}: {}",
                of.name,
                names
                    .iter()
                    .map(|name| format!("{name}=NUMBER"))
                    .collect::<Vec<_>>()
                    .join(",")
            ),
        };
        refused("--parameters", format!("{problem}, {allowed}"))
    };
    let mut found = vec![None; names.len()];
    let items: Vec<&str> = text.split(',').collect();
    let is_in_order = items.iter().all(|item| !item.contains('='));
    if is_in_order && items.len() != names.len() {
        return Err(object(format!("`{text}` are {}", items.len())));
    }
    for (index, item) in items.iter().enumerate() {
        let (index, value) = match item.split_once('=') {
            Some((name, value)) => match names.iter().position(|known| known == &name.trim()) {
                Some(index) => (index, value.trim()),
                None => return Err(object(format!("`{}` is unknown", name.trim()))),
            },
            None if is_in_order => (index, *item),
            None => return Err(object(format!("`{item}` has no name"))),
        };
        let value = number::parse::<R>(value).map_err(object)?;
        if !value.is_number() {
            return Err(object(format!("`{item}` is not finite")));
        }
        if found[index].replace(value).is_some() {
            return Err(object(format!("{} is given twice", names[index])));
        }
    }
    Ok(found)
}

impl<'a, R: Number> Collector<'a, R> {
    /// For a file with columns of these names; or what is wrong with them. `rest` has what
    /// holds for all.
    pub(super) fn new(
        rest: Given<R>,
        of: &Kernels<R>,
        method: &'a Method<R>,
        names: &[&str],
    ) -> std::result::Result<Self, String> {
        let known = column_names(of);
        let mut columns = Vec::new();
        for name in names {
            let Some(index) = known.iter().position(|known| known == name) else {
                let allowed = known.join(", ");
                return Err(format!("has a column `{name}`, allowed are {allowed}"));
            };
            let (column, argument, is_given) = match index {
                0 => (Column::From, "--from", rest.from.is_some()),
                1 => (Column::To, "--to", rest.to.is_some()),
                k => {
                    let is_given = rest.parameters[k - 2].is_some();
                    (Column::Parameter(k - 2), "--parameters", is_given)
                }
            };
            if columns.contains(&column) {
                return Err(format!("has two columns `{name}`, allowed is one"));
            }
            if is_given {
                return Err(format!(
                    "has a column `{name}`, which {argument} gives as well, allowed is one of them"
                ));
            }
            columns.push(column);
        }
        let missing: Vec<&str> = (0..of.parameters.len())
            .filter(|&k| rest.parameters[k].is_none() && !columns.contains(&Column::Parameter(k)))
            .map(|k| of.parameters[k])
            .collect();
        if !missing.is_empty() {
            let (has, all) = (missing.join(" and no "), of.parameters.join(", "));
            let be = if names.is_empty() { "have" } else { "has" };
            return Err(format!("{be} no {has}, {} needs {all}", of.name));
        }
        Ok(Self {
            columns,
            from: rest.from.unwrap_or(of.limits.0),
            to: rest.to.unwrap_or(of.limits.1),
            parameters: rest
                .parameters
                .iter()
                .map(|given| given.unwrap_or(R::ZERO))
                .collect(),
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
    pub(super) fn push(
        &mut self,
        row: &[R],
        place: Option<Place>,
    ) -> std::result::Result<(), String> {
        let n = self.items.from.len();
        if n >= self.most {
            let has = format!("more than {}", self.most);
            return Err(number_of_items(&has, self.most));
        }
        let first = self.items.parameters.len();
        let (mut from, mut to) = (self.from, self.to);
        self.items.parameters.extend_from_slice(&self.parameters);
        for (column, &value) in self.columns.iter().zip(row) {
            match column {
                Column::From => from = value,
                Column::To => to = value,
                Column::Parameter(k) => self.items.parameters[first + k] = value,
            }
        }
        if let Some((name, problem)) = self.method.objection(from, to) {
            return Err(format!("{name} {problem}"));
        }
        self.items.from.push(from);
        self.items.to.push(to);
        if let Some(Place::Line(line)) = place {
            let expected = self
                .items
                .lines
                .last()
                .map(|&(item, first)| first + (n - item) as u64);
            if expected != Some(line) {
                self.items.lines.push((n, line));
            }
        }
        Ok(())
    }

    /// The items; nothing where there are none.
    pub(super) fn items(self) -> Option<Items<R>> {
        (!self.items.from.is_empty()).then_some(self.items)
    }
}

/// That a file has no items, or more than `most`, and `has` so many.
pub(super) fn number_of_items(has: &str, most: usize) -> String {
    format!("has {has} items, allowed are 1 to {most}")
}

impl<R: Number> Items<R> {
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
