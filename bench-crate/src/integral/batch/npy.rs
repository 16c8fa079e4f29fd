//! NumPy's `.npy`: an array of items by columns, in the order from, to, parameters, or a
//! structured array whose fields are called as CSV's columns.

use std::io::{ErrorKind, Read};

use npyz::{DType, NpyHeader, Order, TypeStr};

use super::{Context, Problem};
use crate::integral::items::{Collector, Items, MAX_ITEMS, Place, column_names, number_of_items};
use crate::integral::number::{self, Number};

/// Bytes of a header's text at most: it is read by recursion into brackets. Ten fields have
/// less than 300.
const HEADER: usize = 1024;

/// Brackets within brackets of it, at most: a dictionary, its list of fields, a field, and what
/// is in that. The reader of headers tries every way to read a bracket, and needs twice as long
/// for one more.
const NESTED: usize = 6;

/// A number of a row.
struct Field {
    at: usize,
    is_double: bool,
}

/// What a row is: bytes, and where numbers are in them.
struct Layout {
    bytes: usize,
    names: Vec<String>,
    fields: Vec<Field>,
}

fn wrong(problem: impl Into<String>) -> Problem {
    Problem::Wrong(problem.into())
}

/// The items of a file.
pub(super) fn read<R: Number>(
    mut input: impl Read,
    context: Context<'_, R>,
) -> Result<Items<R>, Problem> {
    let known = column_names(context.of);
    let header = header(&mut input)?;
    let layout = layout(&header, &known)?;
    let n = match header.shape() {
        [n, ..] if (1..=MAX_ITEMS as u64).contains(n) => *n as usize,
        other => {
            let n = other.first().copied().unwrap_or_default().to_string();
            return Err(wrong(number_of_items(&n, MAX_ITEMS)));
        }
    };
    let names: Vec<&str> = layout.names.iter().map(String::as_str).collect();
    let mut collector = Collector::new(context.given, context.of, context.method, &names)
        .map_err(Problem::Wrong)?;
    let mut bytes = vec![0; layout.bytes];
    let mut row = Vec::with_capacity(collector.width());
    for item in 0..n {
        let place = Place::Row(item);
        let at = |problem: String| Problem::At(place, problem);
        let ended = || format!("ends in row {item} of {n}, allowed are whole arrays");
        let read = input.read_exact(&mut bytes);
        read.map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => wrong(ended()),
            _ => Problem::Unreadable(error),
        })?;
        row.clear();
        for (field, name) in layout.fields.iter().zip(&names) {
            let smaller = |problem| at(format!("{problem}, allowed in {name} are smaller numbers"));
            row.push(number::nearest::<R>(field.value(&bytes)).map_err(smaller)?);
        }
        collector.push(&row, place).map_err(at)?;
    }
    if input.read(&mut [0])? != 0 {
        let problem = format!("has data after its {n} rows, allowed are whole arrays");
        return Err(wrong(problem));
    }
    let none = || wrong(number_of_items("no", MAX_ITEMS));
    collector.items().ok_or_else(none)
}

/// The header, which says what follows.
fn header(input: &mut impl Read) -> Result<NpyHeader, Problem> {
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

/// What the rows are; `known` are the columns of a plain array.
fn layout(header: &NpyHeader, known: &[&str]) -> Result<Layout, Problem> {
    match header.dtype() {
        DType::Plain(kind) => of_columns(header, &kind, known),
        DType::Record(fields) => of_records(header, fields),
        other => Err(of_another_type(&other.descr())),
    }
}

fn of_columns(header: &NpyHeader, kind: &TypeStr, known: &[&str]) -> Result<Layout, Problem> {
    let (shape, columns) = (header.shape(), known.len());
    if shape.len() != 2 || shape[1] != columns as u64 {
        let (shape, known) = (tuple(shape), known.join(", "));
        let problem = format!("has the shape {shape}, allowed is (items, {columns}): {known}");
        return Err(wrong(problem));
    }
    if header.order() == Order::Fortran && shape[0] > 1 {
        let problem = "is in Fortran order, allowed is C order, which numpy.ascontiguousarray \
                       makes";
        return Err(wrong(problem));
    }
    let is_double = is_double(kind)?;
    let size = if is_double { 8 } else { 4 };
    let field = |k| Field {
        at: k * size,
        is_double,
    };
    Ok(Layout {
        bytes: columns * size,
        names: known.iter().map(|&name| name.to_owned()).collect(),
        fields: (0..columns).map(field).collect(),
    })
}

fn of_records(header: &NpyHeader, fields: Vec<npyz::Field>) -> Result<Layout, Problem> {
    let shape = header.shape();
    if shape.len() != 1 {
        let shape = tuple(shape);
        let problem = format!("has records in the shape {shape}, allowed is (items,)");
        return Err(wrong(problem));
    }
    let (mut bytes, mut names, mut numbers) = (0, Vec::new(), Vec::new());
    for field in fields {
        let size = field.dtype.num_bytes().filter(|size| *size <= HEADER);
        let size = size.ok_or_else(|| of_another_type(&field.dtype.descr()))?;
        // Aligned records have bytes without a name.
        if !field.name.is_empty() {
            let DType::Plain(kind) = &field.dtype else {
                return Err(of_another_type(&field.dtype.descr()));
            };
            let is_double = is_double(kind)?;
            let at = bytes;
            numbers.push(Field { at, is_double });
            names.push(field.name);
        }
        bytes += size;
    }
    Ok(Layout {
        bytes,
        names,
        fields: numbers,
    })
}

fn tuple(shape: &[u64]) -> String {
    let texts: Vec<String> = shape.iter().map(u64::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    format!("({}{comma})", texts.join(", "))
}

fn of_another_type(kind: &str) -> Problem {
    let kind = number::shown(kind);
    wrong(format!("holds {kind}, allowed are <f8 and <f4"))
}

/// Whether numbers have eight bytes, and not four.
fn is_double(kind: &TypeStr) -> Result<bool, Problem> {
    match kind.to_string().as_str() {
        "<f8" => Ok(true),
        "<f4" => Ok(false),
        other => Err(of_another_type(other)),
    }
}

impl Field {
    /// The number in a row's bytes.
    fn value(&self, row: &[u8]) -> f64 {
        let byte = |k: usize| row.get(self.at + k).copied().unwrap_or_default();
        if self.is_double {
            f64::from_le_bytes(std::array::from_fn(byte))
        } else {
            f64::from(f32::from_le_bytes(std::array::from_fn(byte)))
        }
    }
}
