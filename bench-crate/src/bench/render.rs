//! What a run prints of its tables: the rows in the form that is asked for, and where that form
//! has room for words, what stands below them; last, for a terminal, the verdict.

use std::path::Path;

use super::console::Console;
use super::request::Request;
use super::side::Side;
use super::verdict;
use crate::export::{self, COLUMNS, Format, Room, wrapped};
use crate::record::Record;
use crate::table::{Column, Table};

/// Lines of all tables in their short form together.
const LINES: usize = 100;

/// Lines that each of the tables to come has left: an empty one, a title, a header and a row.
const LEAST: usize = 4;

/// The tables of a run on their way to the console.
pub(super) struct Rendering<'a> {
    request: &'a Request,
    /// Columns of the terminal, where they are known.
    width: Option<usize>,
    /// Lines that are left to short forms.
    lines: usize,
    /// Tables to come.
    tables: usize,
}

impl<'a> Rendering<'a> {
    /// Of a run's tables, in a terminal with so many columns.
    pub(super) fn new(request: &'a Request, width: Option<usize>) -> Self {
        Rendering {
            request,
            width,
            lines: LINES,
            tables: request.tables.len(),
        }
    }

    /// Prints a finished table with its summary; after the first one an empty line divides them.
    /// JSON is one array, which comes last ([`json`]).
    pub(super) fn table(&mut self, table: &Table, records: &[Record], console: &mut dyn Console) {
        let is_first = self.tables == self.request.tables.len();
        let divider = if is_first { "" } else { "\n" };
        self.tables -= 1;
        // In a terminal of few columns a title alone may have more lines.
        let lines = self
            .lines
            .saturating_sub(LEAST * self.tables + divider.len());
        match (self.request.format, self.request.is_short) {
            (Format::Table, true) => {
                let width = self.width.unwrap_or(COLUMNS);
                let text = export::short(table, records, Room { width, lines });
                let used = text.lines().count() + divider.len();
                self.lines = self.lines.saturating_sub(used);
                console.result(&format!("{divider}{text}"));
                return;
            }
            (Format::Json, _) => {}
            _ => {
                let text = self.text(table, records);
                console.result(&format!("{divider}{text}"));
            }
        }
        remarks(self.request, &(table.summary)(records), console);
    }

    fn text(&self, table: &Table, records: &[Record]) -> String {
        let (format, published) = (self.request.format, self.request.published);
        let fitted = |text: &str| fitted(format, self.width, text);
        let columns = export::select(table.columns_of(records), format, published);
        let mut text = match format {
            Format::Markdown => section(table, &columns, records),
            Format::Table => {
                let title = fitted(&format!("{}: {}", table.name, table.about));
                let rows = match self.width {
                    Some(width) => export::render_within(width, &columns, records),
                    None => export::render(format, &columns, records),
                };
                format!("{title}\n{rows}")
            }
            other => export::render(other, &columns, records),
        };
        if format.has_room_for_words() {
            for note in export::footnotes(records) {
                text += &format!("\n{}\n", fitted(&note));
            }
            if !published {
                text += &self.below(table, records);
            }
        }
        text
    }

    /// What a form with room for words has below a table: its matrices and paragraphs.
    fn below(&self, table: &Table, records: &[Record]) -> String {
        let format = self.request.format;
        let matrices = (table.matrices)(records).into_iter();
        let matrices = matrices.map(|matrix| export::render_matrix(format, &matrix, self.width));
        let notes = (table.notes)(records).into_iter().map(|note| match format {
            // Two products in a paragraph would be emphasis.
            Format::Markdown => note.replace('*', "\\*") + "\n",
            _ => fitted(format, self.width, &note) + "\n",
        });
        let below = matrices.chain(notes);
        below.map(|part| format!("\n{part}")).collect()
    }

    /// The verdict, in the form for a terminal alone.
    pub(super) fn verdict(
        &self,
        measured: &[(&Table, Vec<Record>)],
        page: &Path,
    ) -> Option<String> {
        let width = self.width.unwrap_or(COLUMNS);
        let is_table = self.request.format == Format::Table;
        is_table.then(|| format!("\n{}\n", verdict::lines(measured, page, width).join("\n")))
    }
}

/// Lines that are no rows: among the results where the form has room for words, else beside them.
pub(super) fn remarks(request: &Request, lines: &[String], console: &mut dyn Console) {
    for line in lines {
        if request.format.has_room_for_words() {
            let text = fitted(request.format, console.width(), line);
            console.result(&format!("\n{text}\n"));
        } else {
            console.notice(line);
        }
    }
}

/// A text for a terminal, broken between words where the width is known.
fn fitted(format: Format, width: Option<usize>, text: &str) -> String {
    match (format, width) {
        (Format::Table, Some(width)) => wrapped(text, width).join("\n"),
        _ => text.to_owned(),
    }
}

/// Prints all tables as one array: every record whole, or its published columns alone.
pub(super) fn json(
    request: &Request,
    measured: &[(&Table, Vec<Record>)],
    console: &mut dyn Console,
) {
    if request.format != Format::Json {
        return;
    }
    let array = if request.published {
        let columns = measured.iter().map(|(table, records)| {
            let columns = export::select(table.columns_of(records), request.format, true);
            (columns, records.as_slice())
        });
        export::render_json_columns(&columns.collect::<Vec<_>>())
    } else {
        let all: Vec<&Record> = measured.iter().flat_map(|(_, records)| records).collect();
        export::render_json(&all)
    };
    console.result(&array);
}

/// A table as a section of Markdown: where its rows are from, and the rows, folded
/// away where they are many.
fn section(table: &Table, columns: &[Column], records: &[Record]) -> String {
    /// What somebody who reads a pull request scrolls over.
    const MANY: usize = 20;
    let rows = export::render(Format::Markdown, columns, records);
    let rows = match records.len() {
        0..=MANY => rows,
        many => {
            format!("<details><summary>{many} rows</summary>\n\n{rows}\n</details>\n")
        }
    };
    let from = Side::of(records).describe();
    format!("## {}\n\n{}: {from}\n\n{rows}", table.name, table.about)
}
