//! The report: one HTML page of records, of one machine or of several side by
//! side. A pure function of the records: nothing is read, measured or printed.
//!
//! The page stands for itself: no script, no font, no picture and no network. All
//! text of records goes through the template crate, which escapes it. What is
//! written down where: `machines` picks the newest run of each table, `summary`
//! is the words on top, `sections` the parts of the page, a file each for their
//! figures (`sweep`, `curve`, `activity`, `accuracy`, `named`), `svg` the drawing,
//! `page` and `style.css` the page around them. Files are `crate::report`'s.

mod accuracy;
mod activity;
mod alike;
mod curve;
mod explanation;
mod figure;
mod machines;
mod named;
mod page;
mod published;
mod sections;
mod summary;
mod svg;
mod sweep;
mod words;

use crate::record::Record;

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
    let sections = sections::sections(&machines);
    page::page(&machines, &sections)
}

#[cfg(test)]
mod tests;
