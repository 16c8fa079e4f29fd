//! The rows of records, and figures that follow from them.
//!
//! A figure is `COLUMN`, `COLUMN / FACTOR` or, of several rows, `minimum of COLUMN`; then
//! `where COLUMN = VALUE and ..` chooses the rows of a file.

use std::collections::BTreeMap;

use quadscan_bench::record::Record;

use crate::page::{Cell, Page};
use crate::read;

/// The columns of a row by their names.
pub(crate) type Row = BTreeMap<String, String>;

/// The rows of a file: a table of CSV or of Markdown, or records of cells.
pub(crate) fn rows(path: &str) -> Vec<Row> {
    let text = read(path);
    let named = |head: &[String], row: &[String]| -> Row {
        head.iter().cloned().zip(row.iter().cloned()).collect()
    };
    match path.rsplit_once('.').map(|(_, end)| end) {
        Some("csv") => {
            let reader = csv::Reader::from_reader(text.as_bytes());
            reader
                .into_deserialize()
                .map(|row| row.expect(path))
                .collect()
        }
        Some("jsonl") => text.lines().map(|line| flat(line).expect(path)).collect(),
        _ => {
            let page = Page::of(&text);
            let (_, table) = page.tables.first().expect("a table");
            let text = |row: &Vec<Cell>| row.iter().map(|cell| cell.text.clone()).collect();
            let table: Vec<Vec<String>> = table.iter().map(text).collect();
            table[1..].iter().map(|row| named(&table[0], row)).collect()
        }
    }
}

/// A record as a row: its table, its cell, and the values of its metrics.
fn flat(line: &str) -> serde_json::Result<Row> {
    let record: Record = serde_json::from_str(line)?;
    let record = serde_json::to_value(record)?;
    let plain = |value: &serde_json::Value| match value.as_str() {
        Some(text) => text.to_owned(),
        None => value.to_string(),
    };
    let mut row = Row::from([("table".to_owned(), plain(&record["table"]))]);
    for (axis, value) in record["cell"].as_object().into_iter().flatten() {
        row.insert(axis.clone(), plain(value));
    }
    for (metric, form) in record["metrics"].as_object().into_iter().flatten() {
        row.insert(metric.clone(), plain(&form["value"]));
    }
    Ok(row)
}

fn number(text: &str) -> Result<f64, String> {
    text.replace(',', "")
        .parse()
        .map_err(|_| format!("`{text}` is not a number"))
}

/// Whether a condition, such as `n >= 1024`, holds of a row.
fn holds(condition: &str, row: &Row) -> Result<bool, String> {
    let mut words = condition.splitn(3, ' ');
    let [Some(column), Some(sign), Some(value)] = [words.next(), words.next(), words.next()] else {
        return Err(format!("`{condition}` is no condition"));
    };
    let Some(is) = row.get(column) else {
        return Ok(false);
    };
    let order = || Ok::<_, String>(number(is)?.total_cmp(&number(value)?));
    match sign {
        "=" => Ok(is == value),
        "in" => Ok(value.split(',').any(|value| is == value)),
        "<=" => Ok(order()?.is_le()),
        ">=" => Ok(order()?.is_ge()),
        _ => Err(format!("`{sign}` compares nothing")),
    }
}

/// The figure that follows from the rows.
pub(crate) fn figure(asked: &str, rows: &[Row]) -> Result<f64, String> {
    let (what, conditions) = asked.split_once(" where ").unwrap_or((asked, ""));
    let (what, factor) = what.split_once(" / ").unwrap_or((what, "1"));
    let (kind, column) = what.split_once(" of ").unwrap_or(("the", what));
    let conditions: Vec<&str> = conditions
        .split(" and ")
        .filter(|one| !one.is_empty())
        .collect();
    let mut values = Vec::new();
    for row in rows {
        let holds: Result<Vec<bool>, _> = conditions.iter().map(|one| holds(one, row)).collect();
        let value = row.get(column).filter(|value| !value.is_empty());
        if let (true, Some(value)) = (holds?.iter().all(|&holds| holds), value) {
            values.push(number(value)?);
        }
    }
    let n = values.len();
    let result = match kind {
        _ if n == 0 => return Err(format!("no row has `{asked}`")),
        "the" if n == 1 => values[0],
        "the" => return Err(format!("{n} rows have `{asked}`")),
        "number" => n as f64,
        "sum" => values.iter().sum(),
        "minimum" => values.iter().copied().fold(f64::INFINITY, f64::min),
        "maximum" => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        "geometric mean" => (values.iter().map(|value| value.ln()).sum::<f64>() / n as f64).exp(),
        _ => return Err(format!("`{kind}` is no way to make one figure of many")),
    };
    Ok(result / number(factor)?)
}

/// What is wrong with a number that a page says, if anything is: it has to be the figure, rounded
/// to as many places.
pub(crate) fn differs(said: &str, figure: f64) -> Option<String> {
    let places = said.split_once('.').map_or(0, |(_, places)| places.len());
    let rounded = format!("{figure:.places$}");
    (rounded != said).then(|| format!("it says {said}, and the record {rounded}"))
}
