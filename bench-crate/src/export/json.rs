//! JSON: an array with one object a record.

use serde_json::{Map, Value};

use super::cells;
use crate::record::Record;
use crate::table::Column;

fn pretty(value: &impl serde::Serialize) -> String {
    // Records and maps of strings always have a JSON form.
    serde_json::to_string_pretty(value)
        .map(|text| text + "\n")
        .unwrap_or_default()
}

/// Every record with everything that is known about it.
pub(super) fn render_records(records: &[&Record]) -> String {
    pretty(&records)
}

/// The given columns of each table alone, an object a row; numbers where the text
/// is one, null where it is empty.
pub(super) fn render_columns<'a>(
    tables: impl IntoIterator<Item = (&'a [Column], &'a [Record])>,
) -> String {
    let rows: Vec<Map<String, Value>> = tables
        .into_iter()
        .flat_map(|(columns, records)| records.iter().map(move |record| (columns, record)))
        .map(|(columns, record)| {
            let names = columns.iter().map(|column| column.name.to_string());
            object(names, cells(columns, record))
        })
        .collect();
    pretty(&rows)
}

/// An object a row.
pub(super) fn objects(header: &[String], rows: &[Vec<String>]) -> String {
    let object = |row: &Vec<String>| object(header.iter().cloned(), row.iter().cloned());
    let rows: Vec<Map<String, Value>> = rows.iter().map(object).collect();
    pretty(&rows)
}

/// Numbers where the text is one, null where it is empty.
fn object(
    names: impl IntoIterator<Item = String>,
    texts: impl IntoIterator<Item = String>,
) -> Map<String, Value> {
    let value = |text: String| match serde_json::from_str::<Value>(&text) {
        Ok(Value::Number(number)) => Value::Number(number),
        _ if text.is_empty() => Value::Null,
        _ => Value::String(text),
    };
    names
        .into_iter()
        .zip(texts.into_iter().map(value))
        .collect()
}
