//! Results as text and as an array: pure functions of what was computed.

use std::io::{self, Write};

use npyz::{DType, Field, WriteOptions, WriterBuilder};

use super::items::Items;
use super::number::{Number, text};
use super::request::Request;
use super::results::Row;
use crate::export::{Format, Grid};

/// Bytes of a status in an array.
const STATUS: usize = 16;

/// Results, and what they are of.
pub(super) struct Results<'a, R: Number> {
    pub(super) request: &'a Request<R>,
    pub(super) items: &'a Items<R>,
    pub(super) rows: &'a [Row<R>],
}

impl<R: Number> Results<'_, R> {
    /// The columns: those of a batch, and what came of it.
    fn header(&self) -> Vec<&'static str> {
        let mut names = super::items::column_names(&self.request.of);
        names.extend(["value", "error", "evaluations", "status", "at"]);
        names
    }

    /// An item's limits and parameters, its value, and its error where there is one.
    fn numbers(&self, item: usize) -> impl Iterator<Item = Option<R>> {
        let row = &self.rows[item];
        let limits = [self.items.from[item], self.items.to[item]];
        let given = limits
            .into_iter()
            .chain(self.items.parameters_of(item).iter().copied());
        given.map(Some).chain([Some(row.value), row.error])
    }

    fn cells(&self, item: usize) -> Vec<String> {
        let row = &self.rows[item];
        let number = |value: Option<R>| value.map_or(String::new(), text);
        let (evaluations, status) = (row.evaluations.to_string(), row.status.name().to_owned());
        let numbers = self.numbers(item).map(number);
        numbers
            .chain([evaluations, status, number(row.at)])
            .collect()
    }

    /// Writes what is asked for on standard output.
    pub(super) fn print(&self, output: &mut dyn Write) -> io::Result<()> {
        let format = self.request.format;
        match format {
            Format::Csv => return self.write_csv(output),
            Format::Table if self.request.file().is_none() => {
                return output.write_all(self.sentence().as_bytes());
            }
            _ => {}
        }
        let mut rows: Vec<Vec<String>> =
            (0..self.rows.len()).map(|item| self.cells(item)).collect();
        if format == Format::Json {
            // It has no such number: null.
            rows.iter_mut()
                .flatten()
                .filter(|cell| *cell == "NaN")
                .for_each(String::clear);
        }
        output.write_all(Grid::new(&self.header(), rows).render(format).as_bytes())
    }

    /// CSV, with a header.
    pub(super) fn write_csv(&self, output: &mut dyn Write) -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(output);
        writer.write_record(self.header()).map_err(system)?;
        for item in 0..self.rows.len() {
            writer.write_record(self.cells(item)).map_err(system)?;
        }
        writer.flush()
    }

    /// A structured array: a record an item, its fields called as the columns.
    pub(super) fn write_npy(&self, output: &mut dyn Write) -> io::Result<()> {
        let number = format!("<f{}", size_of::<R>());
        let fields = self.header().into_iter().map(|name| {
            let kind = match name {
                "evaluations" => "<u8",
                "status" => "|S16",
                _ => &number,
            };
            let kind = kind.parse().map_err(io::Error::other)?;
            Ok(Field {
                name: name.to_owned(),
                dtype: DType::Plain(kind),
            })
        });
        let header = WriteOptions::new_header_only()
            .dtype(DType::Record(fields.collect::<io::Result<_>>()?))
            .shape(&[self.rows.len() as u64])
            .writer(Vec::new())
            .write_header_only()?;
        output.write_all(&header)?;
        let nan = R::from_f64(f64::NAN);
        for (item, row) in self.rows.iter().enumerate() {
            for value in self.numbers(item) {
                output.write_all(bytemuck::bytes_of(&value.unwrap_or(nan)))?;
            }
            output.write_all(&row.evaluations.to_le_bytes())?;
            let mut status = [0; STATUS];
            let name = row.status.name().as_bytes();
            status[..name.len()].copy_from_slice(name);
            output.write_all(&status)?;
            output.write_all(bytemuck::bytes_of(&row.at.unwrap_or(nan)))?;
        }
        Ok(())
    }

    /// One integral in words.
    fn sentence(&self) -> String {
        let (of, row) = (&self.request.of, &self.rows[0]);
        let number = |value: Option<R>| value.map_or(String::new(), text);
        let given = self.items.parameters_of(0).iter().zip(of.parameters);
        let given = given.map(|(value, name)| format!(", {name} = {value:?}"));
        let given: String = given.collect();
        let [from, to] = [self.items.from[0], self.items.to[0]].map(text);
        let (name, words) = (row.status.name(), row.status.words());
        let lines = [
            (
                "integral",
                format!("{} from {from} to {to}{given}", of.formula),
            ),
            ("value", text(row.value)),
            ("error", number(row.error)),
            ("evaluations", row.evaluations.to_string()),
            ("status", format!("{name}: {words}")),
            ("at x", number(row.at)),
        ];
        let told = lines.iter().filter(|(_, text)| !text.is_empty());
        told.map(|(name, text)| format!("{name:<13}{text}\n"))
            .collect()
    }
}

/// What the system said: a reader that has gone away is told from a full disk.
fn system(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}
