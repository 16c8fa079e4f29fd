//! What the command line asks of the tables: how far sizes go, and lists of values of axes.

use super::TableAxis;
use super::list::{self, ALL, refused};
use crate::axes::{Axis, Flag, OPTIONS, SIZES_IN_STRIPS, Values};
use crate::error::{Error, Result};

/// How far the sizes go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// Up to 2^20.
    Quick,
    /// Up to 2^24.
    #[default]
    Default,
    /// Up to 2^30.
    Full,
}

impl Extent {
    /// The exponent of the largest size.
    pub fn exponent(self) -> u32 {
        match self {
            Extent::Quick => 20,
            Extent::Default => 24,
            Extent::Full => 30,
        }
    }
}

/// Names of axes' values.
pub type Names = Vec<(&'static Axis, Vec<String>)>;

/// What the command line asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    /// How far the sizes go where none is named.
    pub extent: Extent,
    /// The published cells alone.
    pub published: bool,
    /// Options that add rows, without dashes.
    pub flags: Vec<String>,
    /// Lists by their options, without dashes, as they were typed.
    pub lists: Vec<(String, String)>,
    /// Lists by the names of axes, as `--axis` has them.
    pub axes: Vec<(String, String)>,
    /// The names that any table has of each of its axes.
    pub known: Names,
    /// Those of the requested tables, which are offered in the place of unknown ones.
    pub offered: Names,
}

impl Asked {
    /// Err when a list is none of its axis's values, whatever the tables have of it; names are
    /// the tables'.
    pub(crate) fn check(&self) -> Result<()> {
        for (option, text) in &self.lists {
            let argument = format!("--{option}");
            let axis = OPTIONS.iter().find(|axis| axis.option == option.as_str());
            axis.map_or(Ok(Vec::new()), |axis| numbers(axis, &argument, text))?;
        }
        for (index, (name, text)) in self.axes.iter().enumerate() {
            let argument = format!("--axis {name}");
            // Tables have different values under one name: some table has to take it.
            let of_name = OPTIONS.iter().copied().chain([&SIZES_IN_STRIPS]);
            let of_name = of_name.filter(|axis| axis.name == name);
            let mut checked = of_name.map(|axis| numbers(axis, &argument, text));
            let first = checked.next().unwrap_or_else(|| Ok(Vec::new()));
            if first.is_err() && !checked.any(|checked| checked.is_ok()) {
                return first.map(drop);
            }
            if self.axes[..index].iter().any(|(other, _)| other == name) {
                return Err(twice(&argument));
            }
        }
        Ok(())
    }

    /// Whether rows are asked for that a table has where they are.
    pub fn is_set(&self, flag: &Flag) -> bool {
        self.flags.iter().any(|option| option == flag.option)
    }

    /// The same with other options that add rows.
    #[must_use]
    pub fn with_flags(&self, flags: Vec<String>) -> Self {
        Asked {
            flags,
            ..self.clone()
        }
    }

    /// The list of an axis with the argument that it was given by. Err when there are two.
    pub(super) fn text(&self, axis: &Axis) -> Result<Option<(String, &str)>> {
        let by_name = self.axes.iter().find(|(name, _)| name == axis.name);
        let by_name = by_name.map(|(name, text)| (format!("--axis {name}"), text.as_str()));
        let by_option = self.lists.iter().find(|(option, _)| option == axis.option);
        let by_option = by_option.map(|(option, text)| (format!("--{option}"), text.as_str()));
        match (by_name, by_option) {
            (Some((argument, _)), Some(_)) => Err(twice(&argument)),
            (by_name, by_option) => Ok(by_name.or(by_option)),
        }
    }

    /// Whether there is a list for an axis.
    pub(crate) fn has(&self, axis: &Axis) -> bool {
        !matches!(self.text(axis), Ok(None))
    }

    /// The numbers that are asked of an axis. Err when one is more than a table has.
    pub fn numbers(&self, of: &TableAxis, table: &str) -> Result<Option<Vec<u64>>> {
        let Some((argument, text)) = self.text(of.axis)? else {
            return Ok(None);
        };
        let numbers = numbers(of.axis, &argument, text)?;
        match numbers.iter().find(|&&number| number > of.most) {
            None => Ok(Some(numbers)),
            Some(number) => {
                let most = of.most;
                let problem = format!("{number} is too large for {table}, allowed are 1 to {most}");
                Err(refused(&argument, problem))
            }
        }
    }

    /// The names that are asked of an axis, in the table's own order. Err when the list names
    /// what no table has, or nothing of this one.
    pub fn names(&self, of: &TableAxis, table: &str) -> Result<Option<Vec<String>>> {
        let Some((argument, text)) = self.text(of.axis)? else {
            return Ok(None);
        };
        let own = of.names();
        let by_name = self.axes.iter().any(|(name, _)| name == of.axis.name);
        // A list by a name is of every axis of that name.
        let is_meant = |axis: &Axis| axis == of.axis || by_name && axis.name == of.axis.name;
        let all = |names: &Names| {
            let meant = names.iter().filter(|(axis, _)| is_meant(axis));
            let mut all: Vec<String> = Vec::new();
            for name in meant.flat_map(|(_, names)| names).chain(&own) {
                if !all.contains(name) {
                    all.push(name.clone());
                }
            }
            all
        };
        let (known, offered) = (all(&self.known), all(&self.offered));
        let asked = list::names(&argument, text, &known, &offered)?;
        let is_asked = |name: &String| asked.iter().any(|asked| asked == ALL || asked == name);
        let found: Vec<String> = own.iter().filter(|name| is_asked(name)).cloned().collect();
        if found.is_empty() {
            let own = own.join(", ");
            let problem = format!("has no value for the table {table}, allowed are {ALL}, {own}");
            return Err(refused(&argument, problem));
        }
        Ok(Some(found))
    }

    /// The tolerance that is asked for.
    pub fn tolerance(&self, of: &TableAxis) -> Result<Option<f64>> {
        let asked = self.text(of.axis)?;
        let number = asked.map(|(argument, text)| list::tolerance(&argument, text));
        number.transpose()
    }
}

fn twice(argument: &str) -> Error {
    refused(argument, "is given twice, once is allowed".to_owned())
}

/// The numbers of a list, which an axis of names or tolerances has not.
fn numbers(axis: &Axis, argument: &str, text: &str) -> Result<Vec<u64>> {
    match axis.values {
        Values::Numbers(most) => list::numbers(argument, text, 1..=most),
        Values::Number(most) => Ok(vec![list::number(argument, text, 1..=most)?]),
        Values::Powers(most) => list::powers_of_two(argument, text, most),
        Values::Sizes => list::sizes(argument, text),
        Values::Tolerance => list::tolerance(argument, text).map(|_| Vec::new()),
        Values::Names => Ok(Vec::new()),
    }
}
