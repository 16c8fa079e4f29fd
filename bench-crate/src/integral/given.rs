//! What the command line gives of the items: `--from`, `--to` and `--parameters`.

use super::integrand::Integrand;
use super::number::Number;
use super::refused;
use crate::cli::IntegrateArguments;
use crate::error::Result;
use quadscan::integrate::Real;

/// What of an item a column has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    /// Its lower limit.
    From,
    /// Its upper limit.
    To,
    /// Its parameter of this index.
    Parameter(usize),
}

/// What the command line gives, and what it leaves open.
#[derive(Clone, Debug)]
pub(super) struct Given<R> {
    from: Option<R>,
    to: Option<R>,
    /// One for each of the integrand's.
    parameters: Vec<Option<R>>,
}

/// What holds for all items, where no column says otherwise.
#[derive(Clone, Debug)]
pub(super) struct Common<R> {
    pub(super) from: R,
    pub(super) to: R,
    /// One for each of the integrand's; 0 where a column has it.
    pub(super) parameters: Vec<R>,
}

impl<R: Number> Given<R> {
    /// What the command line says.
    pub(super) fn new(arguments: &IntegrateArguments, of: &Integrand<R>) -> Result<Self> {
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
    pub(super) fn none(of: &Integrand<R>) -> Self {
        Self {
            from: None,
            to: None,
            parameters: vec![None; of.parameters.len()],
        }
    }

    /// All that holds for items of a file with these columns. Err with the parameters that
    /// nobody gives.
    pub(super) fn complete(
        self,
        of: &Integrand<R>,
        columns: &[Column],
    ) -> std::result::Result<Common<R>, String> {
        let is_missing =
            |k: &usize| self.parameters[*k].is_none() && !columns.contains(&Column::Parameter(*k));
        let missing = (0..of.parameters.len()).filter(is_missing);
        let missing: Vec<&str> = missing.map(|k| of.parameters[k].as_str()).collect();
        if !missing.is_empty() {
            let (has, all) = (missing.join(" and no "), of.parameters.join(", "));
            return Err(format!("no {has}, {} needs {all}", of.name));
        }
        let own = of
            .limits
            .map_or((None, None), |(from, to)| (Some(from), Some(to)));
        for (name, given, own, column) in [
            ("from", self.from, own.0, Column::From),
            ("to", self.to, own.1, Column::To),
        ] {
            let is_needed = of.limit_names().contains(&name);
            if is_needed && given.or(own).is_none() && !columns.contains(&column) {
                return Err(format!("no {name}, {} has no limits of its own", of.name));
            }
        }
        let value = |given: &Option<R>| given.unwrap_or(R::ZERO);
        Ok(Common {
            from: self.from.or(own.0).unwrap_or(R::ZERO),
            to: self.to.or(own.1).unwrap_or(R::ZERO),
            parameters: self.parameters.iter().map(value).collect(),
        })
    }

    /// The argument that gives what a column has, if one does.
    pub(super) fn gives(&self, column: Column) -> Option<&'static str> {
        let (argument, given) = match column {
            Column::From => ("--from", self.from),
            Column::To => ("--to", self.to),
            Column::Parameter(k) => ("--parameters", self.parameters[k]),
        };
        given.map(|_| argument)
    }
}

/// A value for each parameter of an integrand, without a file.
pub(super) fn all_parameters<R: Number>(text: Option<&str>, of: &Integrand<R>) -> Result<Vec<R>> {
    let given = match text {
        Some(text) => parameters(text, of)?,
        None => vec![None; of.parameters.len()],
    };
    let missing = given
        .iter()
        .zip(&of.parameters)
        .find(|(value, _)| value.is_none());
    match missing {
        None => Ok(given.into_iter().flatten().collect()),
        Some((_, name)) => {
            let all = of.parameters.join("=NUMBER,");
            Err(refused(
                "--parameters",
                format!("have no {name}, allowed are {all}=NUMBER"),
            ))
        }
    }
}

/// A limit as it is typed.
fn limit<R: Number>(argument: &str, text: &Option<String>) -> Result<Option<R>> {
    let Some(text) = text else { return Ok(None) };
    let problem = match R::parse(text) {
        Ok(value) if !Real::is_nan(value) => return Ok(Some(value)),
        Ok(_) => format!("`{text}` is not a limit"),
        Err(problem) => problem,
    };
    let problem = format!("{problem}, allowed are numbers, inf and -inf");
    Err(refused(argument, problem))
}

/// `1,2`, in the integrand's order, or `u=2,a=1`, of which some may be missing.
fn parameters<R: Number>(text: &str, of: &Integrand<R>) -> Result<Vec<Option<R>>> {
    let names = &of.parameters[..];
    let object = |problem: String| {
        let allowed = match names {
            [] => format!("{} has none", of.name),
            _ => {
                let all = names.join("=NUMBER,");
                format!("allowed are those of {}: {all}=NUMBER", of.name)
            }
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
            Some((name, value)) => match names.iter().position(|known| *known == name.trim()) {
                Some(index) => (index, value.trim()),
                None => return Err(object(format!("`{}` is unknown", name.trim()))),
            },
            None if is_in_order => (index, *item),
            None => return Err(object(format!("`{item}` has no name"))),
        };
        let value = R::parse(value).map_err(object)?;
        if !value.is_number() {
            return Err(object(format!("`{item}` is not finite")));
        }
        if found[index].replace(value).is_some() {
            return Err(object(format!("{} is given twice", names[index])));
        }
    }
    Ok(found)
}
