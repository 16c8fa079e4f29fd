//! Parquet that is written: a row group for each block of rows, without compression.

use std::fs::File;
use std::io;
use std::sync::Arc;

use ::parquet::basic::{LogicalType, Repetition, Type as Physical};
use ::parquet::column::writer::ColumnWriter;
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::types::{Type, TypePtr};

use crate::columns::block::{Column, Heading, Kind, Numbers};
use crate::columns::form::Writer;
use crate::columns::number::{Number, Scalar, Value};

/// A file that is written.
pub(crate) struct ParquetWriter {
    /// None once the file has its end.
    file: Option<SerializedFileWriter<File>>,
}

impl ParquetWriter {
    /// Begins a file with these columns.
    pub(crate) fn new(file: File, headings: &[Heading]) -> io::Result<Self> {
        let fields = headings.iter().map(|heading| field(heading).map(Arc::new));
        let fields: Vec<TypePtr> = fields.collect::<Result<_, _>>().map_err(io::Error::other)?;
        let schema = Type::group_type_builder("schema")
            .with_fields(fields)
            .build();
        let schema = Arc::new(schema.map_err(io::Error::other)?);
        let properties = Arc::new(WriterProperties::builder().build());
        let file = SerializedFileWriter::new(file, schema, properties).map_err(io::Error::other)?;
        Ok(Self { file: Some(file) })
    }
}

impl Writer for ParquetWriter {
    fn write(&mut self, columns: &[&Column]) -> io::Result<()> {
        let Some(file) = &mut self.file else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        append(file, columns).map_err(io::Error::other)
    }

    fn finish(&mut self) -> io::Result<()> {
        let ended = self.file.take().map(SerializedFileWriter::close);
        ended
            .map_or(Ok(()), |ended| ended.map(drop))
            .map_err(io::Error::other)
    }
}

/// The description of a column. Floats may be null; nothing else is.
fn field(heading: &Heading) -> Result<Type, ParquetError> {
    let integer = |bits, is_signed| Some(LogicalType::integer(bits, is_signed));
    let (physical, logical) = match heading.kind {
        Kind::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Kind::Numbers(Scalar::F32) => (Physical::FLOAT, None),
        Kind::Numbers(Scalar::F64) => (Physical::DOUBLE, None),
        Kind::Numbers(scalar) => {
            let bits = 8 * scalar.size() as i8;
            let is_signed = scalar.name().starts_with('i');
            match bits {
                64 => (Physical::INT64, integer(bits, is_signed)),
                _ => (Physical::INT32, integer(bits, is_signed)),
            }
        }
    };
    let repetition = match physical {
        Physical::FLOAT | Physical::DOUBLE => Repetition::OPTIONAL,
        _ => Repetition::REQUIRED,
    };
    Type::primitive_type_builder(&heading.name, physical)
        .with_repetition(repetition)
        .with_logical_type(logical)
        .build()
}

/// Appends a row group.
fn append(file: &mut SerializedFileWriter<File>, columns: &[&Column]) -> Result<(), ParquetError> {
    let mut group = file.next_row_group()?;
    for column in columns {
        let Some(mut writer) = group.next_column()? else {
            break;
        };
        match (writer.untyped(), column) {
            (ColumnWriter::ByteArrayColumnWriter(to), Column::Text(texts)) => {
                let texts: Vec<_> = texts.iter().map(Into::into).collect();
                to.write_batch(&texts, None, None)?;
            }
            (ColumnWriter::Int32ColumnWriter(to), Column::Numbers(numbers)) => {
                let integers: Vec<i32> = integers(numbers).map(|whole| whole as i32).collect();
                to.write_batch(&integers, None, None)?;
            }
            (ColumnWriter::Int64ColumnWriter(to), Column::Numbers(numbers)) => {
                let integers: Vec<i64> = integers(numbers).map(|whole| whole as i64).collect();
                to.write_batch(&integers, None, None)?;
            }
            (ColumnWriter::FloatColumnWriter(to), Column::Numbers(numbers)) => {
                let (values, levels) = floats::<f32>(numbers);
                to.write_batch(&values, Some(&levels), None)?;
            }
            (ColumnWriter::DoubleColumnWriter(to), Column::Numbers(numbers)) => {
                let (values, levels) = floats::<f64>(numbers);
                to.write_batch(&values, Some(&levels), None)?;
            }
            _ => {
                return Err(ParquetError::General(
                    "a column has another type".to_owned(),
                ));
            }
        }
        writer.close()?;
    }
    group.close().map(drop)
}

/// Integers, of which the lower bits are written: those of unsigned ones are the same.
fn integers(numbers: &Numbers) -> impl Iterator<Item = i128> {
    let of = |bytes: &[u8]| match numbers.scalar.value(bytes) {
        Value::Whole(whole) => whole,
        _ => 0,
    };
    numbers.bytes.chunks_exact(numbers.scalar.size()).map(of)
}

/// Those that there are, and for each row 1 where there is one.
fn floats<T: Number>(numbers: &Numbers) -> (Vec<T>, Vec<i16>) {
    let all = numbers
        .bytes
        .chunks_exact(size_of::<T>())
        .map(bytemuck::pod_read_unaligned::<T>);
    let is_there = |row: usize| !numbers.absent.get(row).copied().unwrap_or_default();
    let there = all.clone().enumerate().filter(|(row, _)| is_there(*row));
    let values = there.map(|(_, value)| value).collect();
    let levels = (0..all.len()).map(|row| i16::from(is_there(row))).collect();
    (values, levels)
}
