//! A file of records, a line each, as it is read.

use std::fs;
use std::io;
use std::path::Path;

use super::{Record, SCHEMA};

/// What a file of records holds.
pub(crate) struct Parsed {
    /// Its records.
    pub(crate) records: Vec<Record>,
    /// Bytes up to the end of the last whole line.
    pub(crate) whole: usize,
    /// What follows it.
    pub(crate) end: End,
    /// Whole lines that are no records of this program.
    foreign: usize,
    /// Of these, records of another schema.
    older: usize,
}

/// What follows the last whole line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Nothing.
    Clean,
    /// A record that is whole but for the end of its line.
    Open,
    /// The beginning of a record, which was being written when the writer ended.
    Torn,
    /// What is no record of this program, nor the beginning of one.
    Foreign,
}

impl End {
    fn of(rest: &[u8]) -> Self {
        /// How records begin.
        const BEGIN: &[u8] = b"{\"schema\":";
        match rest {
            [] => End::Clean,
            _ if serde_json::from_slice::<Record>(rest).is_ok() => End::Open,
            _ if serde_json::from_slice::<serde_json::Value>(rest).is_ok() => End::Foreign,
            _ if rest.starts_with(BEGIN) || BEGIN.starts_with(rest) => End::Torn,
            _ => End::Foreign,
        }
    }
}

impl Parsed {
    /// Of a file's text.
    pub(crate) fn of(text: &[u8]) -> Self {
        let whole = text
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |end| end + 1);
        let mut records = Vec::new();
        let (mut foreign, mut older) = (0, 0);
        let end = End::of(&text[whole..]);
        // A torn line is nobody's.
        let lines = if end == End::Torn {
            &text[..whole]
        } else {
            text
        };
        for line in lines.split_inclusive(|&byte| byte == b'\n') {
            match serde_json::from_slice(line) {
                Ok(record) => records.push(record),
                Err(_) => {
                    foreign += 1;
                    older += usize::from(is_of_another_version(line));
                }
            }
        }
        Parsed {
            records,
            whole,
            end,
            foreign,
            older,
        }
    }

    /// `1 line is no record`, `2 lines are no records`; none where all are.
    pub(crate) fn no_records(&self) -> Option<String> {
        let lines = match self.foreign {
            0 => return None,
            1 => "1 line is not a record".to_owned(),
            n => format!("{n} lines are not records"),
        };
        Some(match self.older {
            0 => lines,
            older => {
                format!("{lines}: {older} of another version of quadscan, known is schema {SCHEMA}")
            }
        })
    }
}

/// Whether a line that is no record is one of another schema.
fn is_of_another_version(line: &[u8]) -> bool {
    serde_json::from_slice(line).is_ok_and(|value: serde_json::Value| {
        ["run", "table"].iter().all(|key| value[key].is_string())
            && value.get("schema").is_none_or(|schema| *schema != SCHEMA)
    })
}

/// The records of a file that a run may be writing to, and what was wrong with
/// it, a sentence each: a torn last line and lines that are no records are left
/// out.
pub(crate) fn read(path: &Path) -> io::Result<(Vec<Record>, Vec<String>)> {
    let text = fs::read(path)?;
    let parsed = Parsed::of(&text);
    let torn = (parsed.end == End::Torn).then(|| "its torn last line is left out".to_owned());
    let foreign = parsed
        .no_records()
        .map(|lines| format!("{lines}, left out"));
    let said = torn.into_iter().chain(foreign);
    let warnings = said.map(|said| format!("{}: {said}", path.display()));
    let warnings = warnings.collect();
    Ok((parsed.records, warnings))
}
