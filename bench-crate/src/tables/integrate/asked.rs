//! What the command line asks of the tables of integrals, checked against what there is.

use crate::error::Result;
use crate::peers::operation::Element;
use crate::tables::workload::Asked as Arrays;
use crate::tables::workload::asked::{ALL, check, objection};
use crate::workload::integrals::kinds::{Kind, Method};
use crate::workload::integrals::single::Single;
use quadscan::integrate::names::{name_of, rules};

/// The types of integrals, in the order of their rows.
const TYPES: [Element; 2] = [Element::F64, Element::F32];

/// Lists as they were typed, and a tolerance that is a number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    /// Names of integrands and kinds, or `all`.
    pub integrands: Option<Vec<String>>,
    /// Names of rules, or `all`.
    pub rules: Option<Vec<String>>,
    /// The tolerance of batches.
    pub tolerance: Option<f64>,
}

/// The names of `own` that a list has, in their own order, or `None` without a list. Err when
/// it names what neither table has, or nothing of this one.
fn chosen(
    argument: &str,
    list: Option<&Vec<String>>,
    table: &str,
    own: &[String],
    others: &[String],
) -> Result<Option<Vec<String>>> {
    let Some(list) = list else { return Ok(None) };
    let known: Vec<&str> = std::iter::once(ALL)
        .chain(own.iter().chain(others).map(String::as_str))
        .collect();
    check(argument, list, &known)?;
    let is_asked = |name: &&String| list.iter().any(|asked| asked == ALL || asked == *name);
    let found: Vec<String> = own.iter().filter(is_asked).cloned().collect();
    if found.is_empty() {
        let problem = format!(
            "has none of the table {table}, allowed there are {ALL}, {}",
            own.join(", ")
        );
        return Err(objection(argument, problem));
    }
    Ok(Some(found))
}

fn names<T>(all: &[T], name: impl Fn(&T) -> &'static str) -> Vec<String> {
    all.iter().map(|one| name(one).to_owned()).collect()
}

impl Asked {
    /// The integrands of one integral.
    pub(super) fn integrands(&self, table: &str) -> Result<Option<Vec<String>>> {
        let (own, others) = (singles(), kinds());
        chosen(
            "--integrands",
            self.integrands.as_ref(),
            table,
            &own,
            &others,
        )
    }

    /// The kinds of batches.
    pub(super) fn kinds(&self, table: &str) -> Result<Option<Vec<String>>> {
        let (own, others) = (kinds(), singles());
        chosen(
            "--integrands",
            self.integrands.as_ref(),
            table,
            &own,
            &others,
        )
    }

    /// The rules of one integral.
    pub(super) fn rules(&self, table: &str) -> Result<Option<Vec<String>>> {
        let (own, others) = (composite(), methods());
        chosen("--rules", self.rules.as_ref(), table, &own, &others)
    }

    /// The rules of batches.
    pub(super) fn methods(&self, table: &str) -> Result<Option<Vec<String>>> {
        let (own, others) = (methods(), composite());
        chosen("--rules", self.rules.as_ref(), table, &own, &others)
    }
}

fn singles() -> Vec<String> {
    names(Single::ALL, |single| single.name)
}

fn kinds() -> Vec<String> {
    names(Kind::ALL, |kind| kind.name)
}

fn composite() -> Vec<String> {
    rules().map(name_of).collect()
}

fn methods() -> Vec<String> {
    names(&Method::ALL, |method| method.name())
}

/// The types that are asked for and that integrals have. Err when these are none.
pub(super) fn types(arrays: &Arrays, table: &str) -> Result<Vec<Element>> {
    let Some(list) = &arrays.types else {
        return Ok(TYPES.to_vec());
    };
    check("--types", list, &Element::ALL.map(Element::name))?;
    let is_asked = |element: &Element| list.iter().any(|name| name == element.name());
    let found: Vec<Element> = TYPES.into_iter().filter(is_asked).collect();
    if found.is_empty() {
        let allowed = TYPES.map(Element::name).join(", ");
        let problem = format!("has no type of {table}, allowed are {allowed}");
        return Err(objection("--types", problem));
    }
    Ok(found)
}
