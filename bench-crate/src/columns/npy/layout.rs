//! The header of a `.npy` file: which columns there are, and where their cells are.

use super::header::{Descr, Header};
use crate::columns::block::{Heading, Kind};
use crate::columns::number::{self, Scalar};
use crate::columns::{ONE_COLUMN, Problem};

/// Columns of a plain array whose columns have no names, at most.
const COLUMNS: u64 = 1 << 14;

/// Bytes of a cell at most.
const CELL: usize = 1 << 16;

/// Cells that follow each other in the file: those of all columns, row by row, or in Fortran
/// order of one column.
pub(super) struct Plane {
    pub(super) cells: Vec<Cell>,
    /// Bytes of a row.
    pub(super) row: usize,
}

/// A cell in the bytes of a row.
pub(super) struct Cell {
    pub(super) at: usize,
    pub(super) size: usize,
    pub(super) form: Form,
}

/// How a cell is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A number, the first byte the highest or not.
    Number { scalar: Scalar, is_big: bool },
    /// UTF-8, with zeros at the end.
    Bytes,
    /// Characters of four bytes, with zeros at the end.
    Characters { is_big: bool },
}

pub(super) fn wrong(problem: impl Into<String>) -> Problem {
    Problem::Wrong(problem.into())
}

/// The columns of a file, and where their cells are.
pub(super) fn layout(
    header: &Header,
    known: &[&str],
) -> Result<(Vec<Heading>, Vec<Plane>), Problem> {
    match &header.descr {
        Descr::Plain(kind) => of_columns(header, kind, known),
        Descr::Records(fields) => of_records(header, fields),
    }
}

/// A plain array: of rows of all `known` columns; without those of one column, or of as many as
/// it has, which are called by their numbers.
fn of_columns(
    header: &Header,
    kind: &str,
    known: &[&str],
) -> Result<(Vec<Heading>, Vec<Plane>), Problem> {
    let shape = &header.shape[..];
    let names: Vec<String> = match (shape, known) {
        ([_], []) => vec![ONE_COLUMN.to_owned()],
        ([_, columns], []) if *columns <= COLUMNS => {
            (0..*columns).map(|column| column.to_string()).collect()
        }
        ([_, columns], _) if *columns == known.len() as u64 => {
            known.iter().map(|&name| name.to_owned()).collect()
        }
        _ => {
            let shape = tuple(shape);
            let allowed = match known {
                [] => format!("are (rows,) and (rows, columns), up to {COLUMNS} columns"),
                known => format!("is (items, {}): {}", known.len(), known.join(", ")),
            };
            return Err(wrong(format!("has the shape {shape}, allowed {allowed}")));
        }
    };
    let (form, size) = number_form(kind)?;
    let Form::Number { scalar, .. } = form else {
        return Err(of_another_type(kind));
    };
    let cell = |at| Cell { at, size, form };
    let planes = match header.is_fortran {
        true => {
            let plane = |_: &String| Plane {
                cells: vec![cell(0)],
                row: size,
            };
            names.iter().map(plane).collect()
        }
        false => vec![Plane {
            cells: (0..names.len()).map(|column| cell(column * size)).collect(),
            row: names.len() * size,
        }],
    };
    let heading = |name: &String| Heading::numbers(name, scalar);
    Ok((names.iter().map(heading).collect(), planes))
}

fn of_records(
    header: &Header,
    fields: &[(String, String)],
) -> Result<(Vec<Heading>, Vec<Plane>), Problem> {
    if header.shape.len() != 1 {
        let shape = tuple(&header.shape);
        let problem = format!("has records in the shape {shape}, allowed is (items,)");
        return Err(wrong(problem));
    }
    let (mut row, mut headings, mut cells) = (0, Vec::new(), Vec::new());
    for (name, kind) in fields {
        let at = row;
        row += size(kind).ok_or_else(|| of_another_type(kind))?;
        // Aligned records have bytes without a name.
        if name.is_empty() {
            continue;
        }
        let (form, size) = number_form(kind)?;
        cells.push(Cell { at, size, form });
        let kind = match form {
            Form::Number { scalar, .. } => Kind::Numbers(scalar),
            _ => Kind::Text(0),
        };
        let name = name.clone();
        headings.push(Heading { name, kind });
    }
    Ok((headings, vec![Plane { cells, row }]))
}

fn tuple(shape: &[u64]) -> String {
    let texts: Vec<String> = shape.iter().map(u64::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    format!("({}{comma})", texts.join(", "))
}

fn of_another_type(kind: &str) -> Problem {
    let kind = number::shown(kind);
    wrong(format!(
        "holds {kind}, allowed are i1 to i8, u1 to u8, f4 and f8, and in records S and U"
    ))
}

/// A type without its byte order: a letter, and a number.
fn code(kind: &str) -> &str {
    kind.trim_start_matches(['<', '>', '|', '='])
}

/// Bytes of a cell of a type.
fn size(kind: &str) -> Option<usize> {
    let (letter, number) = code(kind).split_at_checked(1)?;
    let number: usize = number.parse().ok()?;
    let size = number.checked_mul(if letter == "U" { 4 } else { 1 });
    size.filter(|size| *size <= CELL)
}

/// How cells of a type are written, and their bytes.
fn number_form(kind: &str) -> Result<(Form, usize), Problem> {
    let (is_big, code) = (kind.starts_with('>'), code(kind));
    let form = match Scalar::ALL.iter().find(|scalar| code_of(**scalar) == code) {
        Some(&scalar) => Form::Number { scalar, is_big },
        None if code.starts_with('S') => Form::Bytes,
        None if code.starts_with('U') => Form::Characters { is_big },
        None => return Err(of_another_type(kind)),
    };
    let size = size(kind).ok_or_else(|| of_another_type(kind))?;
    Ok((form, size))
}

/// What NumPy calls a type: a letter, and its bytes.
pub(super) fn code_of(scalar: Scalar) -> String {
    let letter = scalar.name().get(..1).unwrap_or_default();
    format!("{letter}{}", scalar.size())
}
