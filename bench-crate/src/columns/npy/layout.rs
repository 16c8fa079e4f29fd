//! The header of a `.npy` file: which columns there are, and where their cells are.

use std::io::Read;

use npyz::{DType, Field, NpyHeader, Order, TypeStr};

use crate::columns::block::{Heading, Kind};
use crate::columns::number::{self, Scalar};
use crate::columns::{ONE_COLUMN, Problem};

/// Bytes of a header's text at most: it is read by recursion into brackets. Ten fields have
/// less than 300.
const HEADER: usize = 1 << 14;

/// Brackets within brackets of it, at most: a dictionary, its list of fields, a field, and what
/// is in that. The reader of headers tries every way to read a bracket, and needs twice as long
/// for one more.
const NESTED: usize = 6;

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
    header: &NpyHeader,
    known: &[&str],
) -> Result<(Vec<Heading>, Vec<Plane>), Problem> {
    match header.dtype() {
        DType::Plain(kind) => of_columns(header, &kind, known),
        DType::Record(fields) => of_records(header, fields),
        other => Err(of_another_type(&other.descr())),
    }
}

/// The header, which says what follows.
pub(super) fn header(input: &mut impl Read) -> Result<NpyHeader, Problem> {
    let no_npy = || wrong("is not a .npy file, allowed is what numpy.save writes");
    let mut start = [0; 12];
    let mut text = Vec::new();
    // Magic, version, and the length of the text, which has two bytes or four.
    input.read_exact(&mut start[..10]).map_err(|_| no_npy())?;
    let length = match start {
        [0x93, b'N', b'U', b'M', b'P', b'Y', 1, _, low, high, ..] => {
            text.extend_from_slice(&start[..10]);
            usize::from(u16::from_le_bytes([low, high]))
        }
        [0x93, b'N', b'U', b'M', b'P', b'Y', 2 | 3, ..] => {
            input.read_exact(&mut start[10..]).map_err(|_| no_npy())?;
            text.extend_from_slice(&start);
            let [.., a, b, c, d] = start;
            u32::from_le_bytes([a, b, c, d]) as usize
        }
        _ => return Err(no_npy()),
    };
    if length > HEADER {
        return Err(no_npy());
    }
    let first = text.len();
    text.resize(first + length, 0);
    input.read_exact(&mut text[first..]).map_err(|_| no_npy())?;
    if nested(&text[first..]) > NESTED {
        return Err(no_npy());
    }
    NpyHeader::from_reader(&text[..]).map_err(|_| no_npy())
}

/// How many brackets are open at a time, at most.
fn nested(text: &[u8]) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    for byte in text {
        match byte {
            b'[' | b'(' | b'{' => open += 1,
            b']' | b')' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open);
    }
    most
}

/// A plain array: of rows of all `known` columns; without those of one column, or of as many as
/// it has, which are called by their numbers.
fn of_columns(
    header: &NpyHeader,
    kind: &TypeStr,
    known: &[&str],
) -> Result<(Vec<Heading>, Vec<Plane>), Problem> {
    let shape = header.shape();
    let names: Vec<String> = match (shape, known) {
        ([_], []) => vec![ONE_COLUMN.to_owned()],
        ([_, columns], []) if *columns <= HEADER as u64 => {
            (0..*columns).map(|column| column.to_string()).collect()
        }
        ([_, columns], _) if *columns == known.len() as u64 => {
            known.iter().map(|&name| name.to_owned()).collect()
        }
        _ => {
            let shape = tuple(shape);
            let allowed = match known {
                [] => "are (rows,) and (rows, columns)".to_owned(),
                known => format!("is (items, {}): {}", known.len(), known.join(", ")),
            };
            return Err(wrong(format!("has the shape {shape}, allowed {allowed}")));
        }
    };
    let (form, size) = number_form(kind)?;
    let Form::Number { scalar, .. } = form else {
        return Err(of_another_type(&kind.to_string()));
    };
    let cell = |at| Cell { at, size, form };
    let planes = match header.order() {
        Order::Fortran => {
            let plane = |_: &String| Plane {
                cells: vec![cell(0)],
                row: size,
            };
            names.iter().map(plane).collect()
        }
        Order::C => vec![Plane {
            cells: (0..names.len()).map(|column| cell(column * size)).collect(),
            row: names.len() * size,
        }],
    };
    let heading = |name: &String| Heading::numbers(name, scalar);
    Ok((names.iter().map(heading).collect(), planes))
}

fn of_records(
    header: &NpyHeader,
    fields: Vec<Field>,
) -> Result<(Vec<Heading>, Vec<Plane>), Problem> {
    let shape = header.shape();
    if shape.len() != 1 {
        let shape = tuple(shape);
        let problem = format!("has records in the shape {shape}, allowed is (items,)");
        return Err(wrong(problem));
    }
    let (mut row, mut headings, mut cells) = (0, Vec::new(), Vec::new());
    for field in fields {
        let size = field.dtype.num_bytes().filter(|size| *size <= CELL);
        let size = size.ok_or_else(|| of_another_type(&field.dtype.descr()))?;
        // Aligned records have bytes without a name.
        if !field.name.is_empty() {
            let DType::Plain(kind) = &field.dtype else {
                return Err(of_another_type(&field.dtype.descr()));
            };
            let (form, _) = number_form(kind)?;
            let at = row;
            cells.push(Cell { at, size, form });
            let kind = match form {
                Form::Number { scalar, .. } => Kind::Numbers(scalar),
                _ => Kind::Text(0),
            };
            let name = field.name;
            headings.push(Heading { name, kind });
        }
        row += size;
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

/// How cells of a type are written, and their bytes.
fn number_form(kind: &TypeStr) -> Result<(Form, usize), Problem> {
    let text = kind.to_string();
    let is_big = text.starts_with('>');
    let code = text.trim_start_matches(['<', '>', '|', '=']);
    let form = match Scalar::ALL.iter().find(|scalar| code_of(**scalar) == code) {
        Some(&scalar) => Form::Number { scalar, is_big },
        None if code.starts_with('S') => Form::Bytes,
        None if code.starts_with('U') => Form::Characters { is_big },
        None => return Err(of_another_type(&text)),
    };
    let size = kind.num_bytes().ok_or_else(|| of_another_type(&text))?;
    Ok((form, size))
}

/// What NumPy calls a type: a letter, and its bytes.
pub(super) fn code_of(scalar: Scalar) -> String {
    let letter = scalar.name().get(..1).unwrap_or_default();
    format!("{letter}{}", scalar.size())
}
