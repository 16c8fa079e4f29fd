//! CSV: RFC 4180, but for line feeds instead of CR LF, as the published files
//! have them.

use super::cells;
use crate::record::Record;
use crate::table::Column;

/// A header and a line a record.
pub(super) fn render(columns: &[Column], records: &[Record]) -> String {
    let header: Vec<String> = columns
        .iter()
        .map(|column| column.name.to_string())
        .collect();
    let rows: Vec<Vec<String>> = records
        .iter()
        .map(|record| cells(columns, record))
        .collect();
    lines(&header, &rows)
}

/// A header and a line a row.
pub(super) fn lines(header: &[String], rows: &[Vec<String>]) -> String {
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    // Writing to memory does not fail, and all rows have the header's length.
    let mut written = writer.write_record(header);
    for row in rows {
        written = written.and_then(|()| writer.write_record(row));
    }
    match (written, writer.into_inner()) {
        (Ok(()), Ok(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
        _ => String::new(),
    }
}
