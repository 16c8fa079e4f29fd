//! How many of a table's values are the published ones. Verdict and report say the same.

use super::Table;
use crate::record::Record;

/// Values of a table that were published, and those of them that came out.
#[derive(Debug)]
pub(crate) struct Agreement {
    /// Values that have all published digits.
    pub(crate) same: usize,
    /// Values that were published, of rows that have one of ours.
    pub(crate) all: usize,
    /// Digits before the first that is another.
    pub(crate) same_digits: usize,
    /// Published digits.
    pub(crate) digits: usize,
    /// The columns of ours that were compared.
    pub(crate) names: Vec<&'static str>,
    /// The first that is another: ours, theirs, and the cell.
    pub(crate) other: Option<(String, String, String)>,
}

/// Of the columns that the table declares to be equal; `None` where none was published.
pub(crate) fn agreement(table: &Table, records: &[Record]) -> Option<Agreement> {
    let text = |name: &str, record: &Record| {
        let mut columns = table.columns.iter().copied().flatten();
        let column = columns.find(|column| column.name == name);
        column.map(|column| column.text(record)).unwrap_or_default()
    };
    let mut found = Agreement {
        same: 0,
        all: 0,
        same_digits: 0,
        digits: 0,
        names: Vec::new(),
        other: None,
    };
    for (published, ours) in table.short.equal {
        for record in records {
            let theirs = text(published, record);
            let mut values = ours.iter().map(|name| (*name, text(name, record)));
            let Some((name, value)) =
                values.find(|(_, value)| !value.is_empty() && !theirs.is_empty())
            else {
                continue;
            };
            let pairs = theirs.chars().zip(value.chars());
            let agreeing = pairs.take_while(|(a, b)| a == b);
            found.same_digits += agreeing.filter(|(digit, _)| digit.is_ascii_digit()).count();
            found.digits += theirs.chars().filter(char::is_ascii_digit).count();
            found.all += 1;
            if !found.names.contains(&name) {
                found.names.push(name);
            }
            if value == theirs {
                found.same += 1;
            } else if found.other.is_none() {
                found.other = Some((value, theirs, record.cell.describe()));
            }
        }
    }
    (found.all > 0).then_some(found)
}
