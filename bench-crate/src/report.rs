//! `quadscan report`: `report.html` from the records of folders, of one machine or
//! of several side by side. What is on the page is `export::report`'s; here are
//! files and arguments.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::cli::ReportArguments;
use crate::error::{Error, Result};
use crate::export::report::{Source, html};
use crate::record::{Record, file as records};

/// The page's name in a folder of results.
pub const FILE: &str = "report.html";

/// The records' name there.
const RECORDS: &str = "records.jsonl";

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The page.
    pub path: PathBuf,
    /// What was wrong with the records, a sentence each.
    pub warnings: Vec<String>,
}

/// Carries out `quadscan report`. Err when a folder has no records, when no run
/// has the name that was asked for, or when the page cannot be written; nothing
/// is written then.
pub fn report(arguments: &ReportArguments) -> Result<Written> {
    let mut sources = Vec::new();
    let mut warnings = Vec::new();
    for path in &arguments.sources {
        let (source, found) = read(path)?;
        sources.push(source);
        warnings.extend(found);
    }
    if let Some(run) = &arguments.run {
        choose(&mut sources, run)?;
    }
    let path = match (&arguments.output, arguments.sources.first()) {
        (Some(path), _) => path.clone(),
        (None, Some(first)) if first.is_dir() => first.join(FILE),
        (None, first) => first.map_or(PathBuf::from(FILE), |file| file.with_file_name(FILE)),
    };
    replace(&path, html(&sources).as_bytes()).map_err(|e| Error::Argument {
        argument: "--output".into(),
        problem: format!(
            "{} cannot be written: {e}, allowed is a file in a folder that is there",
            path.display()
        ),
    })?;
    Ok(Written { path, warnings })
}

/// The page of a folder that a run has just written to.
pub(crate) fn page_of(folder: &Path) -> Result<String> {
    Ok(html(&[read(folder)?.0]))
}

/// The records of a folder, or of a file.
fn read(path: &Path) -> Result<(Source, Vec<String>)> {
    let file = if path.is_dir() {
        path.join(RECORDS)
    } else {
        path.to_owned()
    };
    let refused = |problem: String| Error::Argument {
        argument: "DIR".into(),
        problem,
    };
    let (found, warnings) = records::read(&file).map_err(|e| {
        refused(format!(
            "{} has no records that can be read: {}: {e}; allowed are folders that `bench --out` \
             wrote to, and files of records",
            path.display(),
            file.display()
        ))
    })?;
    if found.is_empty() {
        return Err(refused(format!(
            "{} has no records: no line of {} is one",
            path.display(),
            file.display()
        )));
    }
    let name = name_of(path);
    let source = Source {
        name,
        records: found,
    };
    Ok((source, warnings))
}

/// A folder's own name, a file's without its ending.
fn name_of(path: &Path) -> String {
    // `.` and `..` have names too, once they are resolved.
    let whole = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let name = if whole.is_dir() {
        whole.file_name()
    } else {
        whole.file_stem()
    };
    name.map_or_else(
        || path.display().to_string(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// Leaves the runs whose name starts with `run`.
fn choose(sources: &mut [Source], run: &str) -> Result<()> {
    let mut names: Vec<String> = Vec::new();
    for record in sources.iter().flat_map(|source| &source.records) {
        if !names.contains(&record.run) {
            names.push(record.run.clone());
        }
    }
    if !names.iter().any(|name| name.starts_with(run)) {
        return Err(Error::Argument {
            argument: "--run".into(),
            problem: format!(
                "`{run}` begins no run's name, there are {}",
                names.join(", ")
            ),
        });
    }
    let chosen = |record: &Record| record.run.starts_with(run);
    for source in sources {
        source.records.retain(chosen);
    }
    Ok(())
}

/// Writes a whole file or leaves what was there: the page appears when it is
/// complete.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let draft = path.with_file_name(name);
    let written = fs::File::create(&draft)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&draft, path));
    if written.is_err() {
        // The draft is ours; what could not be replaced stays as it was.
        let _ = fs::remove_file(&draft);
    }
    written
}
