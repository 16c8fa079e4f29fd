//! What the command line asks of the tables of whole arrays, checked against what there is.

use super::{DEFAULT, Workloads};
use crate::error::{Error, Result};
use crate::peers::operation::{Element, Form};
use crate::tables::Table;
use crate::workload::{Family, Workload};
use quadscan::scan::Algorithm;

/// Everything of a list.
pub(in crate::tables) const ALL: &str = "all";

/// Elements of a segment where nothing else is said.
const SEGMENT: u64 = 32;

/// Lists as they were typed, but for the sizes, which are checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Numbers of elements, strips or items.
    pub sizes: Option<Vec<u64>>,
    /// Names of workloads, or `all`.
    pub operations: Option<Vec<String>>,
    /// Names of types.
    pub types: Option<Vec<String>>,
    /// Names of algorithms beside the plan's choice, or `all`.
    pub algorithms: Option<Vec<String>>,
    /// Elements of a segment, or with one key.
    pub segment: Option<u64>,
}

pub(in crate::tables) fn objection(argument: &str, problem: String) -> Error {
    Error::Argument {
        argument: argument.to_owned(),
        problem,
    }
}

/// Err when a list names what is not `known`, or something twice.
pub(in crate::tables) fn check(argument: &str, list: &[String], known: &[&str]) -> Result<()> {
    for (index, name) in list.iter().enumerate() {
        let allowed = known.join(", ");
        if !known.contains(&name.as_str()) {
            let problem = format!("`{name}` is unknown, allowed are {allowed}");
            return Err(objection(argument, problem));
        }
        if list[..index].contains(name) {
            return Err(objection(
                argument,
                format!("names {name} twice, once is allowed"),
            ));
        }
    }
    Ok(())
}

impl Asked {
    /// The sizes that were named. Err when one is more than `most`, which is as many as a
    /// table has.
    pub(in crate::tables) fn sizes_up_to(
        &self,
        table: &str,
        most: u64,
    ) -> Result<Option<Vec<u64>>> {
        let too_many = |sizes: &&Vec<u64>| sizes.iter().find(|&&n| n > most).copied();
        match self.sizes.as_ref().and_then(|sizes| too_many(&sizes)) {
            None => Ok(self.sizes.clone()),
            Some(n) => {
                let problem =
                    format!("{n} is more than {table} has, allowed there are 1 to {most}");
                Err(objection("--sizes", problem))
            }
        }
    }

    /// Elements of a segment, or with one key.
    pub(super) fn segment(&self) -> u64 {
        self.segment.unwrap_or(SEGMENT)
    }

    /// What a table has of the operations, each with what it has of the types, in the
    /// order of the rows. Err when that is nothing.
    pub(super) fn workloads(
        &self,
        table: &Workloads,
    ) -> Result<Vec<(&'static Workload, Vec<Element>)>> {
        let found = self.operations(table)?;
        let known = Element::ALL.map(Element::name);
        if let Some(types) = &self.types {
            check("--types", types, &known)?;
        }
        let is_asked = |element: &Element| {
            let types = self.types.as_ref();
            types.is_none_or(|types| types.iter().any(|name| name == element.name()))
        };
        let with_types = found.iter().map(|workload| {
            let elements = workload.elements.iter().copied();
            (*workload, elements.filter(is_asked).collect::<Vec<_>>())
        });
        let with_types: Vec<_> = with_types.filter(|(_, types)| !types.is_empty()).collect();
        if with_types.is_empty() {
            let names: Vec<&str> = found.iter().map(|workload| workload.name).collect();
            let types = known.into_iter().filter(|name| {
                let has = |workload: &&Workload| {
                    workload
                        .elements
                        .iter()
                        .any(|element| element.name() == *name)
                };
                found.iter().copied().any(|workload| has(&workload))
            });
            let allowed: Vec<&str> = types.collect();
            let problem = format!(
                "has no type of {}, allowed are {}",
                names.join(", "),
                allowed.join(", ")
            );
            return Err(objection("--types", problem));
        }
        Ok(with_types)
    }

    fn operations(&self, table: &Workloads) -> Result<Vec<&'static Workload>> {
        let Some(asked) = &self.operations else {
            return Ok(Workload::of(table.family).take(1).collect());
        };
        let names = Workload::ALL.iter().map(|workload| workload.name);
        let known: Vec<&str> = [ALL].into_iter().chain(names).collect();
        check("--operations", asked, &known)?;
        let is_asked = |workload: &&Workload| {
            asked
                .iter()
                .any(|name| name == ALL || name == workload.name)
        };
        let found: Vec<_> = Workload::of(table.family).filter(is_asked).collect();
        if found.is_empty() {
            let names: Vec<&str> = Workload::of(table.family).map(|one| one.name).collect();
            let problem = format!(
                "has none of the table {}, allowed there are {ALL}, {}",
                table.name(),
                names.join(", ")
            );
            return Err(objection("--operations", problem));
        }
        Ok(found)
    }

    /// The algorithms of a workload's rows: the plan's choice, and those asked for.
    pub(super) fn algorithms_of(&self, workload: &Workload) -> Result<Vec<&'static str>> {
        let mut algorithms = vec![DEFAULT];
        let Some(asked) = &self.algorithms else {
            return Ok(algorithms);
        };
        let all = Algorithm::ALL.map(Algorithm::name);
        let known: Vec<&str> = [ALL].into_iter().chain(all).collect();
        check("--algorithms", asked, &known)?;
        let has_choice = workload.family == Family::Scan
            && matches!(workload.form, Form::Inclusive | Form::Exclusive);
        if has_choice {
            let is_asked = |name: &&str| asked.iter().any(|asked| asked == ALL || asked == name);
            algorithms.extend(all.into_iter().filter(is_asked));
        }
        Ok(algorithms)
    }
}
