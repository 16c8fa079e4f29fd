//! Which integrands there are: by name, and as a list.

use super::number::{Number, text};
use super::refused;
use crate::cli::IntegrateArguments;
use crate::error::Result;
use crate::export::{Format, Grid};
use crate::spelling;
use quadscan::integrate::{Entry, Kernels, MAX_PARAMETERS};
use quadscan_kernels::integrate::catalogue::{CATALOGUE, FORMULAS};
use quadscan_kernels::integrate::launch::NamedFormula;

/// The columns of the list.
const COLUMNS: [&str; 6] = ["name", "formula", "parameters", "from", "to", "breaks"];

/// What has a name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Known {
    /// An integrand with kernels of its own,
    Kernels(&'static Entry),
    /// and a formula.
    Formula(&'static NamedFormula),
}

impl Known {
    fn name(self) -> &'static str {
        match self {
            Known::Kernels(entry) => entry.f64.name,
            Known::Formula(formula) => formula.name,
        }
    }
}

/// All of them, in the order of their list.
fn all() -> impl Iterator<Item = Known> + Clone {
    let formulas = FORMULAS.iter().map(Known::Formula);
    CATALOGUE.iter().map(Known::Kernels).chain(formulas)
}

/// The integrand of this name. Err with those that there are.
pub(super) fn by_name(name: Option<&str>) -> Result<Known> {
    let known = || all().map(Known::name);
    let meant = name.and_then(|name| spelling::meant(name, known()));
    let found = all().find(|known| Some(known.name()) == meant);
    found.ok_or_else(|| {
        let problem = match name {
            Some(name) => spelling::unknown(name, known()),
            None => "is missing".to_owned(),
        };
        let known: Vec<&str> = known().collect();
        refused(
            "--integrand",
            format!("{problem}, allowed are {}", known.join(", ")),
        )
    })
}

/// The list, or the line of the one integrand that is named.
pub(super) fn list(arguments: &IntegrateArguments, format: Format) -> Result<String> {
    let entries: Vec<Known> = match &arguments.integrand {
        Some(name) => vec![by_name(Some(name))?],
        None => all().collect(),
    };
    let rows: Vec<Vec<String>> = entries.into_iter().map(row_of).collect();
    let grid = Grid::new(&COLUMNS, rows);
    // What people read fits a terminal, programs find the same columns always.
    let grid = match format {
        Format::Table => grid.without_empty_columns(),
        _ => grid,
    };
    Ok(grid.render(format))
}

fn row_of(known: Known) -> Vec<String> {
    match known {
        Known::Kernels(entry) => row(&entry.f64),
        Known::Formula(of) => vec![
            of.name.to_owned(),
            of.formula.to_owned(),
            of.parameters.join(", "),
            text(of.limits.0),
            text(of.limits.1),
            String::new(),
        ],
    }
}

fn row(of: &Kernels<f64>) -> Vec<String> {
    let breaks: Vec<String> = (0..of.breaks).map(|index| break_point(of, index)).collect();
    vec![
        of.name.to_owned(),
        of.formula.to_owned(),
        of.parameters.join(", "),
        text(of.limits.0),
        text(of.limits.1),
        breaks.join(", "),
    ]
}

/// A break point in words: a number, the name of a parameter, or that it depends on them.
fn break_point<R: Number>(of: &Kernels<R>, index: usize) -> String {
    // Numbers that no catalogue has.
    let probe = |seed: f64| -> [R; MAX_PARAMETERS] {
        std::array::from_fn(|k| R::from_f64(seed + 0.0625 * (k + 1) as f64))
    };
    let probes = [probe(1.03125), probe(5.015625)];
    let [one, other] = [0, 1].map(|of_probe| (of.break_point)(index, &probes[of_probe]));
    let is_parameter = |k: &usize| one == probes[0][*k] && other == probes[1][*k];
    match (0..of.parameters.len()).find(is_parameter) {
        Some(k) => of.parameters[k].to_owned(),
        None if one == other => text(one),
        None => format!("of {}", of.parameters.join(" and ")),
    }
}

#[cfg(test)]
mod tests {
    use quadscan_kernels::integrate::catalogue::GenzOscillatory;

    use super::*;
    use quadscan::integrate::IntegrandKernels;

    /// Expected: the catalogue's source.
    #[test]
    fn the_list_says_what_the_catalogue_says() {
        let rows: Vec<Vec<String>> = all().map(row_of).collect();
        let line = |name: &str| {
            let row = rows.iter().find(|row| row[0] == name);
            row.map(|row| row[1..].join(" | ")).unwrap_or_default()
        };
        assert_eq!(line("runge"), "1 / (1 + x^2) |  | 0.0 | inf | ");
        assert_eq!(
            line("genz_gaussian"),
            "exp(-a^2 (x - u)^2) | a, u | 0.0 | 1.0 | "
        );
        assert_eq!(rows.len(), CATALOGUE.len() + FORMULAS.len());
    }

    #[test]
    fn a_break_is_a_number_a_parameter_or_of_several() {
        let mut of = GenzOscillatory::KERNELS;
        of.break_point = |_, parameters| parameters[1];
        assert_eq!(break_point::<f64>(&of, 0), "u");
        of.break_point = |_, parameters| parameters[0] + parameters[1];
        assert_eq!(break_point::<f64>(&of, 0), "of a and u");
        of.break_point = |_, _| 0.1;
        assert_eq!(break_point::<f64>(&of, 0), "0.1");
    }
}
