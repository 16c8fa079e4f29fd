//! NumPy's `.npy`, of either byte order: an array of numbers, whose columns follow each other in
//! each row or, in Fortran order, in the file; or a structured array, of numbers and texts.

#[path = "../../../../ptx-emulator/src/bin/ptx-emulator/npy.rs"]
mod header;
mod layout;

use std::cmp::Ordering;
use std::io::{self, Read, Seek, SeekFrom, Write};

use rayon::prelude::*;

use super::Problem;
use super::block::{Block, Column, Heading, Kind, Numbers, Place, Places, Texts};
use super::form::{Rows, Writer};
use header::Descr;
use layout::{Cell, Form, Plane, code_of, wrong};

/// Rows that a core converts at a time.
const PIECE: usize = 1 << 12;

/// A reading of a file.
pub(super) struct NpyRows<I> {
    input: I,
    headings: Vec<Heading>,
    planes: Vec<Plane>,
    /// Whether they are records, whose fields have names.
    has_names: bool,
    /// Where the elements begin in the file.
    start: u64,
    /// How many rows there are,
    rows: u64,
    /// and how many of them have been read.
    read: u64,
}

impl<I: Read + Seek> NpyRows<I> {
    /// Reads the header. `known` are the columns of a plain array; any where there are none.
    pub(super) fn new(mut input: I, known: &[&str]) -> Result<Self, Problem> {
        let header = header::read(&mut input);
        let no_npy = || wrong("is not a .npy file, allowed is what numpy.save writes");
        let header = header.ok_or_else(no_npy)?;
        let start = input.stream_position()?;
        let (headings, planes) = layout::layout(&header, known)?;
        let rows = header.shape.first().copied().unwrap_or_default();
        Ok(Self {
            input,
            headings,
            planes,
            has_names: matches!(header.descr, Descr::Records(_)),
            start,
            rows,
            read: 0,
        })
    }

    /// Err when the file has not as many bytes as its header says.
    fn check_length(&mut self) -> Result<(), Problem> {
        let n = self.rows;
        let has = self.input.seek(SeekFrom::End(0))? - self.start;
        let row: usize = self.planes.iter().map(|plane| plane.row).sum();
        let row = row.max(1) as u64;
        let needs = n.saturating_mul(row);
        match (has.cmp(&needs), self.planes.len()) {
            (Ordering::Less, 1) => {
                let row = has / row;
                Err(wrong(format!(
                    "ends in row {row} of {n}, allowed are whole arrays"
                )))
            }
            (Ordering::Less, _) => Err(wrong(format!(
                "ends after {has} bytes of {needs}, allowed are whole arrays"
            ))),
            (Ordering::Greater, _) => Err(wrong(format!(
                "has data after its {n} rows, allowed are whole arrays"
            ))),
            _ => Ok(()),
        }
    }
}

impl<I: Read + Seek> Rows for NpyRows<I> {
    fn headings(&self) -> &[Heading] {
        &self.headings
    }

    fn has_names(&self) -> bool {
        self.has_names
    }

    fn rows(&self) -> Option<u64> {
        Some(self.rows)
    }

    fn skip(&mut self, rows: u64) -> Result<(), Problem> {
        self.check_length()?;
        self.read = (self.read + rows).min(self.rows);
        Ok(())
    }

    fn block(&mut self, most: usize) -> Result<Option<Block>, Problem> {
        if self.read == 0 {
            self.check_length()?;
        }
        let (first, left) = (self.read, self.rows - self.read);
        let count = usize::try_from(left).map_or(most, |left| left.min(most));
        let mut columns = Vec::with_capacity(self.headings.len());
        let mut plane_start = self.start;
        for plane in &self.planes {
            let row = plane.row as u64;
            self.input
                .seek(SeekFrom::Start(plane_start + first * row))?;
            plane_start += self.rows * row;
            let mut bytes = vec![0; count * plane.row];
            self.input.read_exact(&mut bytes)?;
            for cell in &plane.cells {
                let column = cell.column(&bytes, plane.row);
                columns.push(column.map_err(|(row, problem)| {
                    let place = Place::Row(first + row as u64);
                    Problem::At(place, problem)
                })?);
            }
        }
        self.read += count as u64;
        let places = Places::Rows { first, count };
        Ok((count > 0).then_some(Block { columns, places }))
    }
}

impl Cell {
    /// The cells of rows of so many bytes; or the row whose cell is no text, and why.
    fn column(&self, bytes: &[u8], row: usize) -> Result<Column, (usize, String)> {
        let cells = bytes
            .chunks_exact(row.max(1))
            .map(|row| &row[self.at..self.at + self.size]);
        if let Form::Number { scalar, is_big } = self.form {
            let (count, row, is_turned) = (
                bytes.len() / row.max(1),
                row.max(1),
                is_big != cfg!(target_endian = "big"),
            );
            let mut numbers = vec![0; count * self.size];
            let pieces = numbers.par_chunks_mut(PIECE * self.size);
            pieces
                .zip(bytes.par_chunks(PIECE * row))
                .for_each(|(to, from)| {
                    let rows = from.chunks_exact(row);
                    for (to, from) in to.chunks_exact_mut(self.size).zip(rows) {
                        to.copy_from_slice(&from[self.at..self.at + self.size]);
                        if is_turned {
                            to.reverse();
                        }
                    }
                });
            let bytes = numbers;
            let absent = Vec::new();
            let numbers = Numbers {
                scalar,
                bytes,
                absent,
            };
            return Ok(Column::Numbers(numbers));
        }
        let mut texts = Texts::default();
        for (row, cell) in cells.enumerate() {
            let text = self
                .text(cell)
                .ok_or((row, "the text is not UTF-8".to_owned()))?;
            texts.push(text.trim_end_matches('\0'));
        }
        Ok(Column::Text(texts))
    }

    /// The text of a cell, with its zeros.
    fn text(&self, cell: &[u8]) -> Option<String> {
        let Form::Characters { is_big } = self.form else {
            return std::str::from_utf8(cell).ok().map(str::to_owned);
        };
        let characters = cell.chunks_exact(4).map(|bytes| {
            let bytes: [u8; 4] = std::array::from_fn(|k| bytes[k]);
            char::from_u32(match is_big {
                true => u32::from_be_bytes(bytes),
                false => u32::from_le_bytes(bytes),
            })
        });
        characters.collect()
    }
}

/// A file that is written.
pub(super) struct NpyWriter<W> {
    output: W,
    /// Bytes of a cell each column.
    sizes: Vec<usize>,
}

impl<W: Write> NpyWriter<W> {
    /// Writes the header of an array of so many rows: of numbers where there is one column of them, or
    /// columns of one type that are called by their numbers, else of records, whose fields are called
    /// as the columns.
    pub(super) fn new(mut output: W, headings: &[Heading], rows: u64) -> io::Result<Self> {
        let mut fields = Vec::new();
        let mut sizes = Vec::new();
        for (k, heading) in headings.iter().enumerate() {
            let (code, size) = match heading.kind {
                // NumPy has no text of 0 bytes in a file.
                Kind::Text(most) => (format!("|S{}", most.max(1)), most.max(1)),
                Kind::Numbers(scalar) if scalar.size() == 1 => (format!("|{}", code_of(scalar)), 1),
                Kind::Numbers(scalar) => (format!("<{}", code_of(scalar)), scalar.size()),
            };
            // As NumPy calls fields without a name, unless a column has that name.
            let is_free = |name: &String| headings.iter().all(|other| other.name != *name);
            let name = match heading.name.as_str() {
                "" => (k..).map(|k| format!("f{k}")).find(is_free),
                name => Some(name.to_owned()),
            };
            let name = name.unwrap_or_default();
            fields.push((name, code));
            sizes.push(size);
        }
        let is_plain = |(k, heading): (usize, &Heading)| {
            let has_no_name = headings.len() == 1 || heading.name == k.to_string();
            let is_number = matches!(heading.kind, Kind::Numbers(_));
            has_no_name && is_number && heading.kind == headings[0].kind
        };
        let is_plain = !headings.is_empty() && headings.iter().enumerate().all(is_plain);
        let shape = match headings.len() as u64 {
            columns @ 2.. if is_plain => vec![rows, columns],
            _ => vec![rows],
        };
        let descr = match is_plain {
            true => Descr::Plain(fields.remove(0).1),
            false => Descr::Records(fields),
        };
        let header = header::written(&descr, &shape);
        output.write_all(&header)?;
        Ok(Self { output, sizes })
    }
}

impl<W: Write> Writer for NpyWriter<W> {
    fn write(&mut self, columns: &[&Column]) -> io::Result<()> {
        let each = self.sizes.iter().sum::<usize>();
        let rows = columns.first().map_or(0, |column| column.rows());
        let mut all = vec![0; rows * each];
        let pieces = all.par_chunks_mut((PIECE * each).max(1)).enumerate();
        pieces.for_each(|(piece, to)| {
            for (row, mut to) in to.chunks_exact_mut(each.max(1)).enumerate() {
                for (column, &size) in columns.iter().zip(&self.sizes) {
                    let cell;
                    (cell, to) = to.split_at_mut(size);
                    let bytes = column.bytes(piece * PIECE + row);
                    let bytes = &bytes[..bytes.len().min(size)];
                    cell[..bytes.len()].copy_from_slice(bytes);
                    if let (Column::Numbers(_), true) = (column, cfg!(target_endian = "big")) {
                        cell.reverse();
                    }
                }
            }
        });
        self.output.write_all(&all)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
