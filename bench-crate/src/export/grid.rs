//! A table of texts, and what each form makes of it.

use serde_json::{Map, Value};

use super::fit::{bands, columns};
use super::{Format, lines};
use crate::record::Record;
use crate::table::Column;

/// Rows of texts below a header, all equally long.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// Names of the columns.
    pub header: Vec<String>,
    /// Texts, empty where there is none.
    pub rows: Vec<Vec<String>>,
}

impl Grid {
    /// Rows below a header.
    pub fn new(header: &[&str], rows: Vec<Vec<String>>) -> Self {
        let header = header.iter().map(|&name| name.to_owned()).collect();
        Grid { header, rows }
    }

    /// A row a record.
    pub fn of(columns: &[Column], records: &[Record]) -> Self {
        let row = |record| columns.iter().map(|column| column.text(record)).collect();
        let header: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
        Self::new(&header, records.iter().map(row).collect())
    }

    /// Without the columns that hold nothing.
    pub fn without_empty_columns(&self) -> Self {
        let is_used = |column: &usize| self.rows.iter().any(|row| !row[*column].is_empty());
        let used: Vec<usize> = (0..self.header.len()).filter(is_used).collect();
        let pick = |row: &Vec<String>| used.iter().map(|&column| row[column].clone()).collect();
        Grid {
            header: pick(&self.header),
            rows: self.rows.iter().map(pick).collect(),
        }
    }

    /// The table in a form, line ends included.
    pub fn render(&self, format: Format) -> String {
        match format {
            Format::Csv => self.csv().unwrap_or_default(),
            Format::Markdown => self.markdown(),
            Format::Table => lines(&self.header, &self.rows),
            Format::Json => pretty(&self.objects().collect::<Vec<_>>()),
        }
    }

    /// The table in parts below each other that are at most so wide, each after the columns
    /// `keys`. A part has one other column at least.
    pub(super) fn within(&self, width: usize, keys: &[usize]) -> String {
        let of = |column: usize| {
            let texts = [&self.header].into_iter().chain(&self.rows);
            texts
                .map(|row| columns(&row[column]))
                .max()
                .unwrap_or_default()
        };
        // A bar and two blanks a column, and a last bar.
        let widths: Vec<usize> = (0..self.header.len())
            .map(|column| of(column) + 3)
            .collect();
        let part = |band: &Vec<usize>| {
            let pick = |row: &Vec<String>| band.iter().map(|&column| row[column].clone()).collect();
            let rows: Vec<Vec<String>> = self.rows.iter().map(pick).collect();
            lines(&pick(&self.header), &rows)
        };
        let bands = bands(&widths, keys, width.saturating_sub(1));
        bands.iter().map(part).collect::<Vec<_>>().join("\n")
    }

    /// RFC 4180, but for line feeds instead of CR LF, as the published files have them. Writing to
    /// memory does not fail.
    fn csv(&self) -> Option<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in [&self.header].into_iter().chain(&self.rows) {
            writer.write_record(row).ok()?;
        }
        String::from_utf8(writer.into_inner().ok()?).ok()
    }

    /// A pipe table, numbers to the right.
    fn markdown(&self) -> String {
        let escape = |text: &String| text.replace('|', "\\|").replace('\n', " ");
        let line = |row: &Vec<String>| {
            let cells: Vec<String> = row.iter().map(escape).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule = vec!["---:".to_owned(); self.header.len()];
        let head = [line(&self.header), line(&rule)].into_iter();
        head.chain(self.rows.iter().map(line)).collect()
    }

    /// An object a row: numbers where the text is one, null where it is empty.
    pub(super) fn objects(&self) -> impl Iterator<Item = Map<String, Value>> {
        let value = |text: &String| match serde_json::from_str(text) {
            Ok(Value::Number(number)) => Value::Number(number),
            _ if text.is_empty() => Value::Null,
            _ => Value::String(text.clone()),
        };
        let names = || self.header.iter().cloned();
        let rows = self.rows.iter();
        rows.map(move |row| names().zip(row.iter().map(value)).collect())
    }
}

/// Records and maps of strings always have a JSON form.
pub(super) fn pretty(value: &impl serde::Serialize) -> String {
    let text = serde_json::to_string_pretty(value);
    text.map(|text| text + "\n").unwrap_or_default()
}
