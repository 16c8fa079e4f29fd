//! Parquet, with the feature `parquet`: flat columns of integers, floats and texts, without
//! compression or with Snappy's.
//!
//! Dates and times are their integers. There is no number where a float is null, and an empty text
//! where a text is.

mod write;

use std::fs::File;

use ::parquet::basic::{ConvertedType, LogicalType, Type as Physical};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::{ByteArray, DataType};
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::schema::types::ColumnDescriptor;

use super::Problem;
use super::block::{Block, Column, Heading, Kind, Numbers, Place, Places, Texts};
use super::form::Rows;
use super::number::{Number, Scalar, shown};
pub(super) use write::ParquetWriter;

/// A reading of a file.
pub(super) struct ParquetRows {
    file: SerializedFileReader<File>,
    headings: Vec<Heading>,
    /// The readers of the columns of a row group, and the rows that it has left.
    group: Vec<ColumnReader>,
    left: usize,
    next_group: usize,
    /// How many rows have been read.
    read: u64,
}

/// A file that is not what its header says.
fn broken(error: &ParquetError) -> Problem {
    let problem = shown(&error.to_string());
    Problem::Wrong(format!("is not a Parquet file that can be read: {problem}"))
}

impl ParquetRows {
    /// Reads the description of the columns.
    pub(super) fn new(file: File) -> Result<Self, Problem> {
        let file = SerializedFileReader::new(file).map_err(|error| broken(&error))?;
        let schema = file.metadata().file_metadata().schema_descr();
        let headings: Result<_, _> = schema.columns().iter().map(|of| heading(of)).collect();
        Ok(Self {
            headings: headings?,
            file,
            group: Vec::new(),
            left: 0,
            next_group: 0,
            read: 0,
        })
    }

    /// Begins the next row group; false behind the last.
    fn begin(&mut self) -> Result<bool, ParquetError> {
        if self.next_group == self.file.num_row_groups() {
            return Ok(false);
        }
        let group = self.file.get_row_group(self.next_group)?;
        let columns = 0..self.headings.len();
        self.group = columns
            .map(|k| group.get_column_reader(k))
            .collect::<Result<_, _>>()?;
        self.left = usize::try_from(group.metadata().num_rows()).unwrap_or_default();
        self.next_group += 1;
        Ok(true)
    }
}

impl Rows for ParquetRows {
    fn headings(&self) -> &[Heading] {
        &self.headings
    }

    fn rows(&self) -> Option<u64> {
        u64::try_from(self.file.metadata().file_metadata().num_rows()).ok()
    }

    fn block(&mut self, most: usize) -> Result<Option<Block>, Problem> {
        let mut columns: Vec<Column> = self.headings.iter().map(empty).collect();
        let (first, mut count) = (self.read, 0);
        while count < most {
            if self.left == 0 {
                if !self.begin().map_err(|error| broken(&error))? {
                    break;
                }
                continue;
            }
            let rows = self.left.min(most - count);
            for (column, reader) in columns.iter_mut().zip(&mut self.group) {
                append(column, reader, rows).map_err(|failed| match failed {
                    Failed::Broken(error) => broken(&error),
                    Failed::At(row, problem) => {
                        Problem::At(Place::Row(first + (count + row) as u64), problem)
                    }
                })?;
            }
            self.left -= rows;
            count += rows;
        }
        self.read += count as u64;
        let places = Places::Rows { first, count };
        Ok((count > 0).then_some(Block { columns, places }))
    }
}

/// What a column is called, and what is in it.
fn heading(of: &ColumnDescriptor) -> Result<Heading, Problem> {
    let is_unsigned = matches!(
        of.converted_type(),
        ConvertedType::UINT_8
            | ConvertedType::UINT_16
            | ConvertedType::UINT_32
            | ConvertedType::UINT_64
    ) || matches!(of.logical_type_ref(), Some(LogicalType::Integer(int)) if !int.is_signed);
    let is_decimal = of.converted_type() == ConvertedType::DECIMAL;
    let is_flat = of.max_rep_level() == 0 && of.max_def_level() <= 1;
    let kind = match of.physical_type() {
        _ if is_decimal || !is_flat => None,
        Physical::INT32 if is_unsigned => Some(Kind::Numbers(Scalar::U32)),
        Physical::INT32 => Some(Kind::Numbers(Scalar::I32)),
        Physical::INT64 if is_unsigned => Some(Kind::Numbers(Scalar::U64)),
        Physical::INT64 => Some(Kind::Numbers(Scalar::I64)),
        Physical::FLOAT => Some(Kind::Numbers(Scalar::F32)),
        Physical::DOUBLE => Some(Kind::Numbers(Scalar::F64)),
        Physical::BYTE_ARRAY => Some(Kind::Text(0)),
        _ => None,
    };
    let name = of.name().to_owned();
    match kind {
        Some(kind) => Ok(Heading { name, kind }),
        None => {
            let (name, kind) = (shown(&name), of.physical_type());
            let nested = if is_flat { "" } else { "nested " };
            let decimal = if is_decimal { " as decimals" } else { "" };
            Err(Problem::Wrong(format!(
                "holds {nested}{kind}{decimal} in {name}, allowed are flat columns of INT32, \
                 INT64, FLOAT, DOUBLE and UTF-8"
            )))
        }
    }
}

fn empty(heading: &Heading) -> Column {
    match heading.kind {
        Kind::Text(_) => Column::Text(Texts::default()),
        Kind::Numbers(scalar) => Column::Numbers(Numbers {
            scalar,
            bytes: Vec::new(),
            absent: Vec::new(),
        }),
    }
}

/// Why rows could not be read: the file's fault, or that of a row of them.
enum Failed {
    Broken(ParquetError),
    At(usize, String),
}

/// Reads so many rows of a column.
fn append(column: &mut Column, reader: &mut ColumnReader, rows: usize) -> Result<(), Failed> {
    match (column, reader) {
        (Column::Numbers(to), ColumnReader::Int32ColumnReader(from)) => {
            append_integers(to, &read(from, rows)?)
        }
        (Column::Numbers(to), ColumnReader::Int64ColumnReader(from)) => {
            append_integers(to, &read(from, rows)?)
        }
        (Column::Numbers(to), ColumnReader::FloatColumnReader(from)) => {
            append_floats(to, &read(from, rows)?, f32::NAN)
        }
        (Column::Numbers(to), ColumnReader::DoubleColumnReader(from)) => {
            append_floats(to, &read(from, rows)?, f64::NAN)
        }
        (Column::Text(to), ColumnReader::ByteArrayColumnReader(from)) => {
            append_texts(to, &read(from, rows)?)
        }
        _ => Err(Failed::At(0, "the column has another type".to_owned())),
    }
}

/// The cells of so many rows; nothing where there is none.
fn read<T: DataType>(
    from: &mut ColumnReaderImpl<T>,
    rows: usize,
) -> Result<Vec<Option<T::T>>, Failed> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let mut records = 0;
    while records < rows {
        let read = from.read_records(rows - records, Some(&mut levels), None, &mut values);
        match read.map_err(Failed::Broken)?.0 {
            0 => return Err(Failed::At(records, "the column ends".to_owned())),
            more => records += more,
        }
    }
    // A column without nulls has no levels.
    if levels.is_empty() {
        return Ok(values.into_iter().map(Some).collect());
    }
    let mut values = values.into_iter();
    Ok(levels
        .iter()
        .map(|level| if *level == 0 { None } else { values.next() })
        .collect())
}

fn append_integers<T: bytemuck::Pod>(to: &mut Numbers, cells: &[Option<T>]) -> Result<(), Failed> {
    for (row, cell) in cells.iter().enumerate() {
        let cell = cell.ok_or((row, "an integer is null, allowed are numbers"));
        let cell = cell.map_err(|(row, problem)| Failed::At(row, problem.to_owned()))?;
        to.bytes.extend(bytemuck::bytes_of(&cell));
    }
    Ok(())
}

fn append_floats<T: Number>(to: &mut Numbers, cells: &[Option<T>], none: T) -> Result<(), Failed> {
    for cell in cells {
        to.bytes.extend(bytemuck::bytes_of(&cell.unwrap_or(none)));
        to.absent.push(cell.is_none());
    }
    Ok(())
}

fn append_texts(to: &mut Texts, cells: &[Option<ByteArray>]) -> Result<(), Failed> {
    for (row, cell) in cells.iter().enumerate() {
        let text = cell.as_ref().map_or(Ok(""), ByteArray::as_utf8);
        to.push(text.map_err(|_| Failed::At(row, "the text is not UTF-8".to_owned()))?);
    }
    Ok(())
}
