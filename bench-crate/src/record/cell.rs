//! What names a row within its table: a value for each of the table's axes.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::ordered::Ordered;
use quadscan::{Error, Result};

/// A value of an axis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A whole number.
    Number(u64),
    /// A name.
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => number.fmt(f),
            Value::Text(text) => text.fmt(f),
        }
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Value::Number(number)
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Value::Number(number.into())
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Text(text)
    }
}

/// Axes with their values, in the order of the table's axes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cell(Ordered<Value>);

impl Cell {
    /// The cell with a value of one axis more.
    #[must_use]
    pub fn with(mut self, axis: &str, value: impl Into<Value>) -> Self {
        self.0.set(axis, value.into());
        self
    }

    /// The cell without an axis.
    #[must_use]
    pub fn without(mut self, axis: &str) -> Self {
        self.0.remove(axis);
        self
    }

    /// The value of an axis, where the cell has it.
    pub fn get(&self, axis: &str) -> Option<&Value> {
        self.0.get(axis)
    }

    /// The number of an axis.
    pub fn number(&self, axis: &str) -> Option<u64> {
        match self.get(axis)? {
            Value::Number(number) => Some(*number),
            Value::Text(_) => None,
        }
    }

    /// The number of an axis whose numbers have 32 bits.
    pub fn small(&self, axis: &str) -> Option<u32> {
        self.number(axis)?.try_into().ok()
    }

    /// The name of an axis.
    pub fn text(&self, axis: &str) -> Option<&str> {
        match self.get(axis)? {
            Value::Text(text) => Some(text),
            Value::Number(_) => None,
        }
    }

    /// How many axes it has.
    pub fn axes(&self) -> usize {
        self.0.iter().count()
    }

    /// The axes with their values, as `name=value` divided by blanks.
    pub fn describe(&self) -> String {
        let pairs = self.0.iter().map(|(axis, value)| format!("{axis}={value}"));
        pairs.collect::<Vec<_>>().join(" ")
    }

    /// What `read` makes of the cell. Err when it makes nothing: it is no cell of the table.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`].
    pub fn read<T>(&self, read: impl FnOnce(&Cell) -> Option<T>) -> Result<T> {
        read(self).ok_or_else(|| Error::Argument {
            argument: "cell".to_owned(),
            problem: format!("`{}` is unknown to the measuring process", self.describe()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_told_in_the_order_of_its_axes_and_is_the_same_in_any() {
        let cell = Cell::default().with("strips", 64_u64).with("type", "f64");
        let turned = Cell::default().with("type", "f64").with("strips", 64_u64);
        assert_eq!(cell.describe(), "strips=64 type=f64");
        assert_eq!(cell, turned);
        assert_ne!(cell, turned.without("type"));
        assert_eq!(
            (cell.number("strips"), cell.text("strips")),
            (Some(64), None)
        );
    }

    #[test]
    fn what_no_table_knows_is_told_in_words() {
        let cell = Cell::default().with("rule", "none");
        let read = cell
            .read(|cell| cell.number("n"))
            .map_err(|error| error.to_string());
        assert_eq!(
            read,
            Err("cell `rule=none` is unknown to the measuring process".to_owned())
        );
    }
}
