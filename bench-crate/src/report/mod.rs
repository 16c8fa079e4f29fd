//! `quadscan report`: one HTML page of records, of one machine or of several side by side.
//!
//! The page stands for itself: no script, no font, no picture and no network. All text of records
//! goes through the template crate, which escapes it. Here are files and arguments; [`html`] is a
//! pure function of records. `machines` picks the newest run of each table, `summary` and
//! `agreement` have the words on top, `sections` the parts of the page. The figures that tables
//! declare are drawn by `lines`, `heat`, `curve`, `bars`, `errors` and `steps`, with the charts of
//! `svg`; `page` and `style.css` are the page around them.

mod agreement;
mod bars;
mod curve;
mod errors;
mod figure;
mod heat;
mod lines;
mod machines;
mod page;
mod sections;
mod steps;
mod subject;
mod summary;
mod svg;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::ReportArguments;
use crate::error::Result;
use crate::files;
use crate::grouping::distinct;
use crate::record::{Record, file as records};
use crate::table::list::refused;
use crate::tables;

/// The page's name in a folder of results.
pub const FILE: &str = "report.html";

/// The records' name there.
const RECORDS: &str = "records.jsonl";

/// Records of one file, and the name by which it is told from others.
#[derive(Clone, Debug)]
pub struct Source {
    /// Such as the folder's name.
    pub name: String,
    /// In the order of the file.
    pub records: Vec<Record>,
}

/// The page: of each machine in the sources the newest run of each table.
pub fn html(sources: &[Source]) -> String {
    let machines = machines::machines(sources);
    page::page(&machines, &sections::sections(&machines))
}

/// The claims' figures of the same rows, each an SVG that stands alone: its file's name and text.
pub fn pictures(sources: &[Source]) -> Vec<(String, String)> {
    let mut pictures: Vec<(String, String)> = Vec::new();
    for (figure, origin) in sections::pictures(&machines::machines(sources)) {
        let numbered = (2..).map(|number| format!("{}-{number}.svg", figure.file));
        let mut names = [format!("{}.svg", figure.file)].into_iter().chain(numbered);
        let is_free = |name: &String| pictures.iter().all(|picture| picture.0 != *name);
        pictures.extend(
            names
                .find(is_free)
                .map(|name| (name, figure.alone(&origin))),
        );
    }
    pictures
}

/// That records have no figure for the head of the page, and which have.
fn without_pictures() -> String {
    let tables = tables::all().into_iter();
    let claiming = tables.filter(|table| !table.figures.claims.is_empty());
    let names: Vec<&str> = claiming.map(|table| table.name).collect();
    let names = names.join(", ");
    format!("has no figure to write: allowed are records with times of {names}")
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The page.
    pub path: PathBuf,
    /// What was wrong with the records, a sentence each.
    pub warnings: Vec<String>,
}

/// Carries out `quadscan report`.
///
/// # Errors
///
/// [`Error::Argument`](crate::Error::Argument) when a folder has no records, when no run has the
/// name that was asked for, when there is no picture, or when the page or a picture cannot be
/// written; a file that was there stays as it was.
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
    if let Some(folder) = &arguments.pictures {
        files::reach(folder).map_err(|error| {
            let problem = format!("{} cannot be used: {error}", folder.display());
            refused("--pictures", problem)
        })?;
        let pictures = pictures(&sources);
        if pictures.is_empty() {
            return Err(refused("--pictures", without_pictures()));
        }
        for (name, text) in pictures {
            write("--pictures", &folder.join(name), &text)?;
        }
    }
    write("--output", &path, &html(&sources))?;
    Ok(Written { path, warnings })
}

/// The page of a folder that a run has just written to.
pub(crate) fn page_of(folder: &Path) -> Result<String> {
    Ok(html(&[read(folder)?.0]))
}

/// The records of a folder, or of a file.
fn read(path: &Path) -> Result<(Source, Vec<String>)> {
    let file = match path.is_dir() {
        true => path.join(RECORDS),
        false => path.to_owned(),
    };
    let (folder, name) = (path.display(), file.display());
    let read = files::expect_file(&file).and_then(|()| records::read(&file));
    let (found, warnings) = read.map_err(|error| {
        let allowed = "allowed are folders that `bench --out` wrote to, and files of records";
        let problem =
            format!("{folder} has no records that can be read: {name}: {error}; {allowed}");
        refused("DIR", problem)
    })?;
    if found.is_empty() {
        let said = [format!("no line of {name} is one")];
        let why: Vec<_> = said.into_iter().chain(warnings).collect();
        let problem = format!("{folder} has no records: {}", why.join("; "));
        return Err(refused("DIR", problem));
    }
    let source = Source {
        name: name_of(path),
        records: found,
    };
    Ok((source, warnings))
}

/// A folder's own name, a file's without its ending.
fn name_of(path: &Path) -> String {
    // `.` and `..` have names too, once they are resolved.
    let whole = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let name = match whole.is_dir() {
        true => whole.file_name(),
        false => whole.file_stem(),
    };
    let name = name.map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| path.display().to_string())
}

/// Leaves the runs whose name starts with `run`.
fn choose(sources: &mut [Source], run: &str) -> Result<()> {
    let records = sources.iter().flat_map(|source| &source.records);
    let names = distinct(records.map(|record| record.run.clone()));
    if run.is_empty() || !names.iter().any(|name| name.starts_with(run)) {
        let names = names.join(", ");
        let problem = format!("`{run}` begins no run's name, there are {names}");
        return Err(refused("--run", problem));
    }
    let is_chosen = |record: &Record| record.run.starts_with(run);
    sources
        .iter_mut()
        .for_each(|source| source.records.retain(is_chosen));
    Ok(())
}

/// Err names the option that the file is of.
fn write(option: &str, path: &Path, text: &str) -> Result<()> {
    files::replace(path, text.as_bytes()).map_err(|error| {
        let allowed = "allowed is a file in an existing folder";
        let problem = format!("{} cannot be written: {error}, {allowed}", path.display());
        refused(option, problem)
    })
}

#[cfg(test)]
mod tests;
