//! A file of records, a line each, as it is read.

use std::fs;
use std::io;
use std::path::Path;

use super::Record;

/// What a file of records holds.
pub(crate) struct Parsed {
    /// Its records.
    pub(crate) records: Vec<Record>,
    /// Bytes up to the end of the last whole line. What follows was being written
    /// when the writer ended.
    pub(crate) whole: usize,
    /// Whole lines that are no records of this program.
    foreign: usize,
}

impl Parsed {
    /// Of a file's text.
    pub(crate) fn of(text: &[u8]) -> Self {
        let whole = text
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |end| end + 1);
        let mut records = Vec::new();
        let mut foreign = 0;
        for line in text[..whole].split_inclusive(|&byte| byte == b'\n') {
            match serde_json::from_slice(line) {
                Ok(record) => records.push(record),
                Err(_) => foreign += 1,
            }
        }
        Parsed {
            records,
            whole,
            foreign,
        }
    }

    /// `1 line is no record`, `2 lines are no records`; none where all are.
    pub(crate) fn no_records(&self) -> Option<String> {
        match self.foreign {
            0 => None,
            1 => Some("1 line is not a record".to_owned()),
            n => Some(format!("{n} lines are not records")),
        }
    }
}

/// The records of a file that a run may be writing to, and what was wrong with
/// it, a sentence each: a torn last line and lines that are no records are left
/// out.
pub(crate) fn read(path: &Path) -> io::Result<(Vec<Record>, Vec<String>)> {
    let text = fs::read(path)?;
    let parsed = Parsed::of(&text);
    let torn = (parsed.whole < text.len()).then(|| "its torn last line is left out".to_owned());
    let foreign = parsed
        .no_records()
        .map(|lines| format!("{lines}, left out"));
    let said = torn.into_iter().chain(foreign);
    let warnings = said.map(|said| format!("{}: {said}", path.display()));
    let warnings = warnings.collect();
    Ok((parsed.records, warnings))
}
