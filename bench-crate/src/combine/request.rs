//! What `quadscan scan` and `quadscan reduce` ask for, checked without reading a file.

use std::path::PathBuf;

use super::kernels::{Element, Kernels};
use super::operation::{Form, Operation};
use crate::cli::{CombineArguments, ScanArguments};
use crate::columns::{self, Heading, Kind, ROWS, Scalar, Source, number, with_type};
use crate::device::choices;
use crate::error::Result;
use crate::export::Format;
use crate::modules::expect_artifact;
use crate::table::list::refused;
use quadscan::device::DevicesChoice;

/// What the file of numbers is called in sentences.
pub(super) const FILE: &str = "FILE";

/// The most bytes that the name of the column of results may have.
const LONGEST_NAME: usize = 255;

/// A checked request.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) form: Form,
    pub(super) is_exclusive: bool,
    /// The axis along which all columns are scanned.
    pub(super) axis: Option<usize>,
    pub(super) operation: Operation,
    pub(super) file: PathBuf,
    column: Option<String>,
    key: Option<String>,
    /// The type to compute in, where one is named.
    scalar: Option<Scalar>,
    /// The column of results.
    pub(super) result: String,
    pub(super) artifact: Option<PathBuf>,
    pub(super) device: DevicesChoice,
    /// Form of what is printed, where one is named.
    pub(super) format: Option<Format>,
    pub(super) out: Option<PathBuf>,
}

/// The columns that a request is about, of those of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chosen {
    /// The column of numbers, or the first of so many neighbours,
    pub(super) column: usize,
    pub(super) width: usize,
    /// their type,
    pub(super) scalar: Scalar,
    /// and the column of keys.
    pub(super) key: Option<usize>,
}

/// Elements of a launch at most, where a row has many.
const ELEMENTS: usize = ROWS << 4;

impl Chosen {
    /// Rows that are combined at a time: what is combined first depends on it.
    pub(super) fn rows(&self) -> usize {
        (ELEMENTS / self.width).clamp(1, ROWS)
    }
}

impl Request {
    /// [`Request::new`] of `quadscan scan`.
    pub(super) fn of_scan(arguments: &ScanArguments) -> Result<Self> {
        if let Some(axis @ 2..) = arguments.axis {
            let problem = format!("{axis} is no axis of rows and columns, allowed are 0 and 1");
            return Err(refused("--axis", problem));
        }
        Ok(Self {
            is_exclusive: arguments.exclusive,
            axis: arguments.axis,
            ..Self::new(Form::Scan, &arguments.of)?
        })
    }

    /// Checks the command line. Err in one sentence that names the argument and what it may
    /// be.
    pub(super) fn new(command: Form, arguments: &CombineArguments) -> Result<Self> {
        let form = match (command, &arguments.by_key) {
            (Form::Scan, Some(_)) => Form::ScanByKey,
            (Form::Reduce, Some(_)) => Form::ReduceByKey,
            (command, _) => command,
        };
        expect_artifact(arguments.place.artifact.as_deref())?;
        Source::form(FILE, &arguments.file)?;
        arguments
            .place
            .out
            .as_deref()
            .map(columns::form)
            .transpose()?;
        let operation = arguments.op.as_str();
        let request = Self {
            form,
            is_exclusive: false,
            axis: None,
            operation: named(
                Operation::by_name(operation),
                "--op",
                operation,
                &Operation::names(),
            )?,
            file: arguments.file.clone(),
            column: arguments.column.clone(),
            key: arguments.by_key.clone(),
            scalar: optional(
                "--type",
                &arguments.element_type,
                Scalar::by_name,
                &Scalar::names(),
            )?,
            result: result(arguments.name.as_deref().unwrap_or(operation))?,
            artifact: arguments.place.artifact.clone(),
            device: choices(&arguments.place.device)?,
            format: optional(
                "--format",
                &arguments.format,
                Format::by_name,
                &Format::names(),
            )?,
            out: arguments.place.out.clone(),
        };
        if let Some(scalar) = request.scalar {
            with_type!(scalar, T => request.kernels::<T>().map(drop))?;
        }
        Ok(request)
    }

    /// The kernels of the operation on a type. Err with the types that have some.
    pub(super) fn kernels<T: Element>(&self) -> Result<Kernels<T>> {
        let (form, operation) = (self.form, self.operation);
        T::kernels(form, operation).ok_or_else(|| {
            let types = types_of(form, operation);
            if types.is_empty() {
                let others = Operation::ALL.iter();
                let others = others.filter(|of| !types_of(form, **of).is_empty());
                let others: Vec<&str> = others.map(|of| of.name()).collect();
                let (others, name, form) = (others.join(", "), operation.name(), form.name());
                let problem = format!("{name} is none for {form}, allowed are {others}");
                return refused("--op", problem);
            }
            let (name, types) = (T::SCALAR.name(), types.join(", "));
            let (form, operation) = (form.name(), operation.name());
            let problem = format!("{name} has no {operation} for {form}, allowed are {types}");
            refused("--type", problem)
        })
    }

    /// The columns that are meant, of a file with these.
    pub(super) fn choose(&self, headings: &[Heading]) -> Result<Chosen> {
        let names: Vec<String> = headings.iter().map(|of| number::shown(&of.name)).collect();
        let find = |argument: &str, name: &str| {
            let found = headings.iter().position(|of| of.name == name);
            named(found, argument, name, &names)
        };
        let key = self
            .key
            .as_deref()
            .map(|name| find("--by-key", name))
            .transpose()?;
        let others: Vec<usize> = (0..headings.len()).filter(|k| Some(*k) != key).collect();
        let column = match (&self.column, &others[..]) {
            (Some(name), _) => find("--column", name)?,
            (None, [first, ..]) if self.axis.is_some() => *first,
            (None, [only]) => *only,
            _ => {
                let problem = format!("is missing, allowed are {}", names.join(", "));
                return Err(refused("--column", problem));
            }
        };
        let scalar = match (self.scalar, headings[column].kind) {
            (Some(scalar), _) => scalar,
            (None, Kind::Numbers(scalar)) => scalar,
            (None, Kind::Text(_)) => Scalar::F64,
        };
        Ok(Chosen {
            column,
            width: self.axis.map_or(1, |_| headings.len()),
            scalar,
            key,
        })
    }
}

/// The name of the column of results. Err for what could not be read in a header.
fn result(name: &str) -> Result<String> {
    match name.trim().is_empty() || name.chars().any(char::is_control) || name.len() > LONGEST_NAME
    {
        false => Ok(name.to_owned()),
        true => {
            let problem = format!("`{name}` is not a name, allowed are up to {LONGEST_NAME} bytes");
            Err(refused("--as", problem))
        }
    }
}

fn named<T>(found: Option<T>, argument: &str, name: &str, known: &[String]) -> Result<T> {
    found.ok_or_else(|| {
        let (name, known) = (number::shown(name), known.join(", "));
        refused(
            argument,
            format!("`{name}` is unknown, allowed are {known}"),
        )
    })
}

fn optional<T>(
    argument: &str,
    name: &Option<String>,
    by_name: fn(&str) -> Option<T>,
    known: &[String],
) -> Result<Option<T>> {
    let name = name.as_deref();
    name.map(|name| named(by_name(name), argument, name, known))
        .transpose()
}

/// The types that have kernels of an operation.
fn types_of(form: Form, operation: Operation) -> Vec<&'static str> {
    let has = |scalar: &&Scalar| with_type!(**scalar, T => <T as Element>::kernels(form, operation).is_some());
    Scalar::ALL.iter().filter(has).map(|of| of.name()).collect()
}
