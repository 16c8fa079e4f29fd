//! A table's cells: the product of its axes' values, those that are asked for or the usual ones.

use super::list::refused;
use super::{Asked, Table, TableAxis, list};
use crate::axes::Values;
use crate::error::{Error, Result};
use crate::record::{Cell, Value};

/// The usual values of an axis, for a cell that has values of the axes before it.
pub type Usual = fn(&Asked, &Cell) -> Vec<Value>;

/// Numbers or names as values.
pub fn values<T: Into<Value>>(of: impl IntoIterator<Item = T>) -> Vec<Value> {
    of.into_iter().map(Into::into).collect()
}

impl Table {
    /// The cells that are asked for, in the order of their rows: the table's, less those that
    /// lists of filters leave out.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] when a value does not fit the table.
    pub fn selected(&self, asked: &Asked) -> Result<Vec<Cell>> {
        let mut cells = match self.cells {
            Some(own) => own(self, asked)?,
            None => self.product(asked)?,
        };
        for of in self.axes.iter().filter(|of| of.is_filter) {
            if of.names().is_empty() {
                self.leave_numbers(asked, of, &mut cells)?;
            } else {
                self.leave_names(asked, of, &mut cells)?;
            }
        }
        Ok(cells)
    }

    /// Leaves the cells whose name is asked for. Err when none is left.
    fn leave_names(&self, asked: &Asked, of: &TableAxis, cells: &mut Vec<Cell>) -> Result<()> {
        let Some(names) = asked.names(of, self.name)? else {
            return Ok(());
        };
        let name = |cell: &Cell| cell.text(of.axis.name).map(str::to_owned);
        let mut allowed: Vec<String> = cells.iter().filter_map(name).collect();
        allowed.dedup();
        cells.retain(|cell| name(cell).is_some_and(|name| names.contains(&name)));
        if !cells.is_empty() {
            return Ok(());
        }
        let (table, allowed) = (self.name, allowed.join(", "));
        let problem = format!("has none of the rows of {table} here, which are of {allowed}");
        Err(list::refused(&of.axis.argument(), problem))
    }

    /// Leaves the cells whose number is asked for. Err when none is left.
    fn leave_numbers(&self, asked: &Asked, of: &TableAxis, cells: &mut Vec<Cell>) -> Result<()> {
        let Some(numbers) = asked.numbers(of, self.name)? else {
            return Ok(());
        };
        let number = |cell: &Cell| cell.number(of.axis.name);
        let most = cells.iter().filter_map(number).max().unwrap_or_default();
        cells.retain(|cell| number(cell).is_some_and(|n| numbers.contains(&n)));
        if !cells.is_empty() {
            return Ok(());
        }
        let (table, option) = (self.name, of.axis.option);
        let problem =
            format!("has no value for the table {table}, whose {option} go up to {most} here");
        Err(list::refused(&of.axis.argument(), problem))
    }

    /// Every value of an axis with every value of the others; inner axes change fastest. A cell
    /// has its values in the order of the axes.
    fn product(&self, asked: &Asked) -> Result<Vec<Cell>> {
        let of_rank = |is_inner| self.axes.iter().filter(move |of| of.is_inner == is_inner);
        let mut cells = vec![Cell::default()];
        for of in of_rank(false).chain(of_rank(true)) {
            let named = match of.is_filter {
                true => None,
                false => self.named(asked, of)?,
            };
            let with_values = |cell: Cell| {
                let usual = || match of.usual {
                    Some(usual) => usual(asked, &cell),
                    None => values(of.names()),
                };
                let values = named.clone().unwrap_or_else(usual).into_iter();
                let cells = values.map(|value| cell.clone().with(of.axis.name, value));
                cells.collect::<Vec<_>>()
            };
            cells = cells.into_iter().flat_map(with_values).collect();
        }
        let in_order = |cell: Cell| {
            let pairs = self.axes.iter().map(|of| of.axis.name);
            pairs.fold(Cell::default(), |ordered, name| match cell.get(name) {
                Some(value) => ordered.with(name, value.clone()),
                None => ordered,
            })
        };
        let cells: Vec<Cell> = cells.into_iter().map(in_order).collect();
        let mut fit = cells.iter().map(|cell| (self.fits)(self, cell));
        fit.try_for_each(|fits| fits.map_err(|error| self.blamed(asked, error)))?;
        Ok(cells)
    }

    /// The error with the list that was given, where it names one that was not.
    fn blamed(&self, asked: &Asked, error: Error) -> Error {
        let given = |of: &TableAxis| asked.text(of.axis).ok()?.map(|(argument, _)| argument);
        let given: Vec<String> = self.axes.iter().filter_map(given).collect();
        match (error, given.first()) {
            (Error::Argument { argument, problem }, Some(first)) if !given.contains(&argument) => {
                refused(first, format!("does not fit: {argument} {problem}"))
            }
            (error, _) => error,
        }
    }

    /// The values of an axis that are asked for.
    fn named(&self, asked: &Asked, of: &TableAxis) -> Result<Option<Vec<Value>>> {
        Ok(match of.axis.values {
            Values::Names => asked.names(of, self.name)?.map(values),
            Values::Tolerance => {
                let tolerance = asked.tolerance(of)?;
                tolerance.map(|tolerance| values([format!("{tolerance:e}")]))
            }
            _ => asked.numbers(of, self.name)?.map(values),
        })
    }
}
