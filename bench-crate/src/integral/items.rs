//! The items of a request: limits and parameters of each, one for all or from the columns of
//! a file.

use rayon::prelude::*;

use super::given::{Column, Common, Given};
use super::integrand::Integrand;
use super::method::Method;
use super::number::Number;
use super::refused;
use super::transform::Transform;
use crate::columns::number::shown;
use crate::columns::{Block, Heading, Problem};
use crate::error::Result;
use quadscan::integrate::Real;

/// Rows that a core reads at a time.
const PIECE: usize = 1 << 10;

/// Limits and parameters.
#[derive(Clone, Debug)]
pub(super) struct Items<R> {
    /// An item's lower limit each.
    pub(super) from: Vec<R>,
    /// An item's upper limit each.
    pub(super) to: Vec<R>,
    /// An item's parameters each, one item's after another's.
    pub(super) parameters: Vec<R>,
}

/// What a file's columns have of its items.
pub(super) struct Layout<'a, R> {
    /// For each column of the file.
    columns: Vec<Option<Column>>,
    /// Their names.
    names: Vec<String>,
    common: Common<R>,
    method: &'a Method<R>,
    transform: Option<Transform<R>>,
}

/// Names of the columns that items of this integrand may have, in the order of arrays.
pub(super) fn column_names<R: Number>(of: &Integrand<R>) -> Vec<&str> {
    let limits = of.limit_names().iter().copied();
    limits
        .chain(of.parameters.iter().map(String::as_str))
        .collect()
}

impl<'a, R: Number> Layout<'a, R> {
    /// Of a file with these columns; or what is wrong with them.
    pub(super) fn new(
        given: Given<R>,
        of: &Integrand<R>,
        method: &'a Method<R>,
        headings: &[Heading],
    ) -> std::result::Result<Self, String> {
        let names: Vec<String> = headings.iter().map(|of| of.name.clone()).collect();
        let columns = columns(&given, of, &names)?;
        let known: Vec<Column> = columns.iter().copied().flatten().collect();
        let common = given.complete(of, &known);
        Ok(Self {
            common: common.map_err(|problem| format!("has {problem}"))?,
            columns,
            names,
            method,
            transform: of.transform.clone(),
        })
    }

    /// Those of the file's columns that say nothing of items, and are passed on.
    pub(super) fn passed(&self) -> impl Iterator<Item = usize> {
        let is_passed = |column: &usize| self.columns[*column].is_none();
        (0..self.columns.len()).filter(is_passed)
    }

    /// The items of rows, which all cores read. Err with the first row that is none.
    pub(super) fn items(&self, block: &Block) -> std::result::Result<Items<R>, Problem> {
        let rows = (0..block.rows()).into_par_iter().step_by(PIECE);
        let pieces: Vec<_> = rows.map(|first| self.piece(block, first)).collect();
        let mut items = Items {
            from: Vec::new(),
            to: Vec::new(),
            parameters: Vec::new(),
        };
        for piece in pieces {
            let Items {
                from,
                to,
                parameters,
            } = piece?;
            items.from.extend(from);
            items.to.extend(to);
            items.parameters.extend(parameters);
        }
        Ok(items)
    }

    /// The items of up to [`PIECE`] rows from this one on.
    fn piece(&self, block: &Block, first: usize) -> std::result::Result<Items<R>, Problem> {
        let n = PIECE.min(block.rows() - first);
        let mut items = Items {
            from: vec![self.common.from; n],
            to: vec![self.common.to; n],
            parameters: self.common.parameters.repeat(n),
        };
        let each = self.common.parameters.len();
        for item in 0..n {
            let row = first + item;
            let at = |problem: String| Problem::At(block.place(row), problem);
            for (k, column) in self.columns.iter().enumerate() {
                let Some(column) = column else { continue };
                let value: R = block.number(k, &self.names[k], row)?;
                match column {
                    Column::From => items.from[item] = value,
                    Column::To => items.to[item] = value,
                    Column::Parameter(_) if Real::is_nan(value) => {
                        return Err(at("a parameter is NaN, allowed are numbers".to_owned()));
                    }
                    Column::Parameter(k) => items.parameters[item * each + k] = value,
                }
            }
            let limits = (items.from[item], items.to[item]);
            if let Some((name, problem)) = self.method.objection(limits.0, limits.1) {
                return Err(at(format!("{name} {problem}")));
            }
            let transform = self.transform.as_ref();
            if let Some(problem) =
                transform.and_then(|of| of.objection(limits, items.parameters_of(item)))
            {
                return Err(at(problem));
            }
        }
        Ok(items)
    }
}

/// What columns of these names have; or what is wrong with them.
fn columns<R: Number>(
    given: &Given<R>,
    of: &Integrand<R>,
    names: &[String],
) -> std::result::Result<Vec<Option<Column>>, String> {
    let (known, results) = (column_names(of), of.results());
    let mut columns = Vec::new();
    for name in names {
        let column = match known.iter().position(|known| known == name) {
            Some(k) if k >= of.limit_names().len() => {
                Some(Column::Parameter(k - of.limit_names().len()))
            }
            Some(0) => Some(Column::From),
            Some(_) => Some(Column::To),
            None => None,
        };
        if results.contains(name) {
            return Err(format!(
                "has a column `{name}`, which the results have as well, allowed are other names"
            ));
        }
        if let Some(argument) = column.and_then(|column| given.gives(column)) {
            return Err(format!(
                "has a column `{name}`, which {argument} gives as well, allowed is one of them"
            ));
        }
        columns.push(column);
    }
    match (names.first(), columns.iter().any(Option::is_some)) {
        (Some(name), false) => {
            let (name, allowed) = (shown(name), known.join(", "));
            Err(format!("has a column `{name}`, allowed are {allowed}"))
        }
        _ => Ok(columns),
    }
}

impl<R: Number> Items<R> {
    /// The only item of a request without a file.
    pub(super) fn alone(given: Given<R>, of: &Integrand<R>, method: &Method<R>) -> Result<Self> {
        let common = given.complete(of, &[]);
        let common = common.map_err(|problem| {
            let limit = ["from", "to"].into_iter().find(|name| {
                let own = problem
                    .strip_prefix("no ")
                    .and_then(|rest| rest.strip_prefix(name));
                own.is_some_and(|rest| rest.starts_with(", "))
            });
            match limit {
                Some(name) => {
                    let problem = format!("is missing, {} has no limits of its own", of.name);
                    refused(&format!("--{name}"), problem)
                }
                None if of.over.is_some() => {
                    refused("--over and --parameters", format!("have {problem}"))
                }
                None => refused("--parameters", format!("have {problem}")),
            }
        })?;
        if let Some((limit, problem)) = method.objection(common.from, common.to) {
            return Err(refused(&format!("--{limit}"), problem));
        }
        let limits = (common.from, common.to);
        let transform = of.transform.as_ref().and_then(|transform| {
            let problem = transform.objection(limits, &common.parameters)?;
            Some((transform.argument(), problem))
        });
        if let Some((argument, problem)) = transform {
            return Err(refused(argument, format!("has no value: {problem}")));
        }
        Ok(Self {
            from: vec![common.from],
            to: vec![common.to],
            parameters: common.parameters,
        })
    }

    /// What is integrated in the place of items.
    pub(super) fn transformed(&self, by: &Transform<R>) -> Result<Self> {
        let mut all = Self {
            from: Vec::new(),
            to: Vec::new(),
            parameters: Vec::new(),
        };
        for item in 0..self.len() {
            let limits = (self.from[item], self.to[item]);
            let (limits, parameters) = by.item(limits, self.parameters_of(item))?;
            all.from.push(limits.0);
            all.to.push(limits.1);
            all.parameters.extend(parameters);
        }
        Ok(all)
    }

    /// The same items in f64.
    pub(super) fn to_f64(&self) -> Items<f64> {
        let all = |values: &[R]| values.iter().map(|value| value.to_f64()).collect();
        Items {
            from: all(&self.from),
            to: all(&self.to),
            parameters: all(&self.parameters),
        }
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
}
