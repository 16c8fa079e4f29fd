//! `--samples`: the integral of a table, and with `--cumulative` that up to each sample. What each
//! step adds is [`samples`]'; the device sums it up.

use std::io::{Read, Write};

use quadscan::integrate::samples::{self, SampleRule, Spacing};
use quadscan::scan::{Options, Plan, Reproducibility, Sum};

use super::number::text;
use super::{refused, request};
use crate::cli::IntegrateArguments;
use crate::columns::{
    self, COMMA, Column, Done, Heading, Number, Problem, Scalar, Shape, Source, Watch,
};
use crate::device;
use crate::error::Result;
use crate::export::Format;
use crate::modules::expect_artifact;
use crate::ranks::Ranks;

const SAMPLES: &str = "--samples";

/// The module of the PTX that sums up.
const MODULE: &str = "sum_f64";

/// The most samples: their columns are kept.
const MAX_SAMPLES: u64 = 1 << 26;

/// What the command line asks for.
pub(super) struct Asked {
    rule: SampleRule,
    rule_name: String,
    dx: Option<f64>,
    format: Format,
}

impl Asked {
    /// Err for what cannot be carried out; no file is looked at.
    pub(super) fn new(arguments: &IntegrateArguments) -> Result<Self> {
        expect_artifact(arguments.place.artifact.as_deref())?;
        let name = arguments.rule.as_deref().unwrap_or("simpson");
        let rule = match name {
            "trapezoid" => SampleRule::Trapezoid,
            "simpson" => SampleRule::Simpson,
            "gregory" => SampleRule::Gregory,
            _ => {
                let allowed = "allowed with --samples are trapezoid, simpson and gregory";
                return Err(refused(
                    "--rule",
                    format!("`{name}` is no rule of samples, {allowed}"),
                ));
            }
        };
        let dx = arguments.dx.as_deref().map(|text| {
            let value = <f64 as Number>::parse(text).ok();
            let value = value.filter(|dx| dx.is_finite() && *dx != 0.0);
            let problem = || format!("`{text}` is no distance, allowed are numbers other than 0");
            value.ok_or_else(|| refused("--dx", problem()))
        });
        let dx = dx.transpose()?;
        if rule == SampleRule::Gregory && dx.is_none() {
            let problem = "`gregory` is of even steps, allowed is it with --dx";
            return Err(refused("--rule", problem.to_owned()));
        }
        if arguments.precision != "f64" {
            let problem = format!(
                "`{}` has no place with --samples, allowed is f64",
                arguments.precision
            );
            return Err(refused("--precision", problem));
        }
        if let Some(path) = &arguments.samples {
            Source::form(SAMPLES, path)?;
        }
        arguments
            .place
            .out
            .as_deref()
            .map(columns::form)
            .transpose()?;
        let format = match (&arguments.format, arguments.cumulative) {
            (None, true) => Format::Csv,
            (None, false) => Format::Table,
            (Some(name), _) => request::format_by_name(name)?,
        };
        Ok(Self {
            rule,
            rule_name: name.to_owned(),
            dx,
            format,
        })
    }
}

/// The samples of a file.
struct Samples {
    x: Vec<f64>,
    y: Vec<f64>,
    separator: u8,
}

impl Samples {
    fn read(source: &Source, dx: Option<f64>, watch: &mut dyn Watch) -> Result<Self> {
        let names: &[&str] = if dx.is_some() { &["y"] } else { &["x", "y"] };
        let mut reader = source.read(names)?;
        let place = |name: &str| reader.headings().iter().position(|of| of.name == name);
        let places = (place("x"), place("y"));
        let (at, value) = match places {
            (at, Some(value)) if at.is_some() != dx.is_some() => (at, value),
            (Some(_), Some(_)) => {
                let problem = "has a column `x`, which --dx gives as well, allowed is one of them";
                return Err(source.refuse(Problem::Wrong(problem.to_owned())));
            }
            (_, None) => {
                let problem = format!("has no column `y`, needed are {}", names.join(" and "));
                return Err(source.refuse(Problem::Wrong(problem)));
            }
            _ => {
                let problem = "has no column `x`, allowed is it, or --dx";
                return Err(source.refuse(Problem::Wrong(problem.to_owned())));
            }
        };
        let mut all = Self {
            x: Vec::new(),
            y: Vec::new(),
            separator: reader.separator(),
        };
        while let Some(block) = reader.block(columns::ROWS)? {
            for (column, name, into) in [(Some(value), "y", &mut all.y), (at, "x", &mut all.x)] {
                let Some(column) = column else { continue };
                let refuse = |problem| source.refuse(problem);
                let given = block.numbers::<f64>(column, name).map_err(refuse)?;
                if let Some(row) = given.iter().position(|number| !number.is_finite()) {
                    let problem = format!("{name} is {:?}, allowed are finite numbers", given[row]);
                    return Err(refuse(Problem::At(block.place(row), problem)));
                }
                into.extend(given);
            }
            let count = all.y.len() as u64;
            if count > MAX_SAMPLES {
                let problem = columns::number_of_rows(&format!("{count}"), "samples", MAX_SAMPLES);
                return Err(source.refuse(Problem::Wrong(problem)));
            }
            watch.checked(count);
        }
        Ok(all)
    }
}

/// Carries out `quadscan integrate --samples`.
pub(super) fn integrate(
    arguments: &IntegrateArguments,
    ranks: &Ranks,
    input: &mut dyn Read,
    output: &mut dyn Write,
    watch: &mut dyn Watch,
) -> Result<Done> {
    let asked = Asked::new(arguments)?;
    let path = arguments.samples.as_deref().unwrap_or("-".as_ref());
    let source = Source::open(SAMPLES, path, input)?;
    let of = Samples::read(&source, asked.dx, watch)?;
    let spacing = asked.dx.map_or(Spacing::At(&of.x), Spacing::Even);
    let steps = samples::increments(&of.y, spacing, asked.rule);
    let steps =
        steps.map_err(|error| source.refuse(Problem::Wrong(format!("is no table: {error}"))))?;
    let out = arguments.place.out.as_deref();
    if let Some(path) = out {
        columns::check(path, SAMPLES, arguments.samples.as_deref())?;
    }
    let (device, artifact) = (
        device::choice(&arguments.place.device)?,
        arguments.place.artifact.as_deref(),
    );
    let (module, notice) = device::load(device, artifact, &[MODULE.to_owned()], ranks)?;
    watch.say(&notice);
    let options = Options {
        reproducibility: Reproducibility::AcrossGpus,
        ..Options::default()
    };
    let plan = Plan::<Sum<f64>>::with(&module, steps.len() as u64, options);
    let mut plan = plan.map_err(|error| device::without_kernels(error.into(), artifact, MODULE))?;
    let mut sums = module.device().upload(&steps)?;
    plan.inclusive_in_place(&mut sums)?;
    let sums = sums.to_vec()?;
    let value = sums.last().copied().unwrap_or_default();
    let is_fine = value.is_finite();
    if !is_fine {
        watch.object("the integral is not finite: sums overflow");
    }
    let written = if !arguments.cumulative && out.is_none() && asked.format == Format::Table {
        let range = match (of.x.first(), of.x.last(), asked.dx) {
            (Some(first), Some(last), None) => format!("from {} to {}", text(*first), text(*last)),
            (.., dx) => format!("at distances of {}", text(dx.unwrap_or_default())),
        };
        let (count, rule) = (of.y.len(), &asked.rule_name);
        let words = format!(
            "integral     of {count} samples {range} by {rule}\nvalue        {}\n",
            text(value)
        );
        output
            .write_all(words.as_bytes())
            .and_then(|()| output.flush())
    } else {
        let all = if arguments.cumulative {
            0
        } else {
            sums.len() - 1
        };
        let mut given = vec![("integral", &sums[all..])];
        if arguments.cumulative {
            given.insert(0, ("y", &of.y));
            if asked.dx.is_none() {
                given.insert(0, ("x", &of.x));
            }
        }
        let headings: Vec<Heading> = given
            .iter()
            .map(|(name, _)| Heading::numbers(name, Scalar::F64))
            .collect();
        let shape = Shape {
            headings: &headings,
            rows: (sums.len() - all) as u64,
            separator: if arguments.cumulative {
                of.separator
            } else {
                COMMA
            },
        };
        columns::written(out, asked.format, &shape, output, |to| {
            let columns: Vec<Column> = given
                .iter()
                .map(|(_, numbers)| Column::of(numbers))
                .collect();
            to.write(&columns.iter().collect::<Vec<_>>())
        })?
    };
    Ok(Done { is_fine, written })
}
