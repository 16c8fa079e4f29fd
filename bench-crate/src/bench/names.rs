//! Names in the lists of options, also of those that no table of the request uses.

use crate::axes::{Axis, Values};
use crate::error::Result;
use crate::grouping::distinct;
use crate::table::{Asked, TableAxis, list};
use crate::tables;

/// Err when a list of names has one that no table knows: also that of an option which has no
/// effect on the tables of the request.
pub(super) fn check(asked: &Asked) -> Result<()> {
    let axes = tables::all().into_iter().flat_map(|table| table.axes);
    let axes: Vec<&TableAxis> = axes.filter(|of| of.axis.values == Values::Names).collect();
    let check = |argument: &str, text: &str, is_meant: &dyn Fn(&Axis) -> bool| {
        let meant = axes.iter().filter(|of| is_meant(of.axis));
        let known = distinct(meant.flat_map(|of| of.names()));
        match known.is_empty() {
            true => Ok(()),
            false => list::names(argument, text, &known, &known).map(drop),
        }
    };
    for (option, text) in &asked.lists {
        check(&format!("--{option}"), text, &|axis| axis.option == option)?;
    }
    for (name, text) in &asked.axes {
        check(&format!("--axis {name}"), text, &|axis| axis.name == name)?;
    }
    Ok(())
}
