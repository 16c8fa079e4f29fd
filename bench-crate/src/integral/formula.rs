//! `quadscan formula`: a formula's values and derivatives at points, computed on the host, or what
//! a device is given of it.

use quadscan::device::DeviceChoice;
use quadscan::integrate::{Formula, Point};

use super::integrand::Integrand;
use super::number::{Number, text};
use super::{given, refused, request};
use crate::cli::FormulaArguments;
use crate::error::{Error, Result};
use crate::export::Grid;
use crate::ranks::Ranks;
use crate::{device, modules};

/// What `quadscan formula` prints; which device there is it tells `say`.
///
/// # Errors
///
/// [`Error::Formula`] and [`Error::Argument`] for what cannot be carried out.
pub fn formula(arguments: &FormulaArguments, say: &mut dyn FnMut(&str)) -> Result<String> {
    modules::expect_artifact(arguments.artifact.as_deref())?;
    let parsed = parsed(arguments)?;
    match request::precision(&arguments.precision)? {
        request::Precision::F32 => of::<f32>(arguments, parsed, say),
        request::Precision::F64 => of::<f64>(arguments, parsed, say),
    }
}

/// Err when the command line asks for what cannot be carried out.
///
/// # Errors
///
/// As [`formula`].
pub fn check(arguments: &FormulaArguments) -> Result<()> {
    let parsed = parsed(arguments)?;
    let is_known = request::precision(&arguments.precision).map(drop);
    match arguments.ptx {
        true => is_known,
        false => is_known.and_then(|()| values::<f64>(arguments, parsed).map(drop)),
    }
}

fn parsed(arguments: &FormulaArguments) -> Result<Formula> {
    Formula::parse(&arguments.text).map_err(|error| Error::Formula {
        argument: "TEXT".to_owned(),
        error,
    })
}

fn of<R: Number>(
    arguments: &FormulaArguments,
    formula: Formula,
    say: &mut dyn FnMut(&str),
) -> Result<String> {
    match arguments.ptx {
        true => ptx::<R>(arguments, &formula, say),
        false => values::<R>(arguments, formula),
    }
}

/// A row a point: x, the value, and the derivatives by x and by each parameter.
fn values<R: Number>(arguments: &FormulaArguments, formula: Formula) -> Result<String> {
    let format = request::format_by_name(&arguments.format)?;
    let points = points::<R>(arguments)?;
    let of = Integrand::<R>::of_formula(formula.clone());
    let parameters = given::all_parameters(arguments.parameters.as_deref(), &of)?;
    let by: Vec<&str> = ["x"]
        .into_iter()
        .chain(of.parameters.iter().map(String::as_str))
        .collect();
    let slopes = by.iter().map(|by| formula.derivative(by));
    let slopes: quadscan::Result<Vec<Formula>> = slopes.collect();
    let all: Vec<Formula> = [formula].into_iter().chain(slopes?).collect();
    let named = by.iter().map(|by| format!("d/d{by}"));
    let header: Vec<String> = ["x".to_owned(), "value".to_owned()]
        .into_iter()
        .chain(named)
        .collect();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let row = |&x: &R| {
        // There are no limits.
        let at = Point {
            x,
            from_lower: R::from_f64(f64::INFINITY),
            to_upper: R::from_f64(f64::INFINITY),
        };
        let values = all.iter().map(|formula| formula.eval(at, &parameters));
        [x].into_iter().chain(values).map(text).collect()
    };
    Ok(Grid::new(&header, points.iter().map(row).collect()).render(format))
}

/// `0.5,1` or `x=0.5,1`.
fn points<R: Number>(arguments: &FormulaArguments) -> Result<Vec<R>> {
    let allowed = "allowed are numbers, such as 0.5,1";
    let Some(list) = &arguments.at else {
        return Err(refused("--at", format!("is missing, {allowed}")));
    };
    let items = list.trim().strip_prefix("x=").unwrap_or(list).split(',');
    let parsed = items.map(|item| R::parse(item.trim()));
    let parsed: std::result::Result<Vec<R>, String> = parsed.collect();
    parsed.map_err(|problem| refused("--at", format!("{problem}, {allowed}")))
}

/// How many instructions of each kind, and the PTX.
fn ptx<R: Number>(
    arguments: &FormulaArguments,
    formula: &Formula,
    say: &mut dyn FnMut(&str),
) -> Result<String> {
    let needed = [modules::of_integrand("formula")];
    let artifact = arguments.artifact.as_deref();
    let (module, notice) = device::load(DeviceChoice::Auto, artifact, &needed, &Ranks::alone())?;
    say(&notice);
    let entry = format!("values_formula_{}", R::TYPE_NAME);
    let ptx = formula.ptx::<R>(&module, &entry)?;
    let counts = formula.instructions::<R>(&module)?;
    let lines = counts
        .iter()
        .map(|(name, count)| format!("// {count:>5} {name}\n"));
    Ok(lines.chain([ptx]).collect())
}
