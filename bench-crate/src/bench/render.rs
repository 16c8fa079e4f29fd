//! What a run prints of its tables: the rows in the form that is asked for, and where that form
//! has room for words, what stands below them.

use super::console::Console;
use super::request::Request;
use super::side::Side;
use crate::export::{self, Format};
use crate::record::Record;
use crate::table::{Column, Table};

/// Prints a finished table with its summary; after the first one an empty line divides them.
/// JSON is one array, which comes last ([`json`]).
pub(super) fn table(
    request: &Request,
    table: &Table,
    records: &[Record],
    is_first: bool,
    console: &mut dyn Console,
) {
    if request.format != Format::Json {
        let divider = if is_first { "" } else { "\n" };
        console.result(&format!("{divider}{}", text(request, table, records)));
    }
    remarks(request, &(table.summary)(records), console);
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

fn text(request: &Request, table: &Table, records: &[Record]) -> String {
    let columns = export::select(table.columns_of(records), request.format, request.published);
    let mut text = match request.format {
        Format::Markdown => section(table, &columns, records),
        Format::Table => {
            let rows = export::render(request.format, &columns, records);
            format!("{}: {}\n{rows}", table.name, table.about)
        }
        other => export::render(other, &columns, records),
    };
    if request.format.has_room_for_words() {
        for note in export::footnotes(records) {
            text += &format!("\n{note}\n");
        }
        if !request.published {
            text += &below(request.format, table, records);
        }
    }
    text
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

/// What a form with room for words has below a table: its matrices and paragraphs.
fn below(format: Format, table: &Table, records: &[Record]) -> String {
    let matrices = (table.matrices)(records).into_iter();
    let matrices = matrices.map(|matrix| export::render_matrix(format, &matrix));
    let notes = (table.notes)(records).into_iter().map(|note| match format {
        // Two products in a paragraph would be emphasis.
        Format::Markdown => note.replace('*', "\\*") + "\n",
        _ => note + "\n",
    });
    let below = matrices.chain(notes);
    below.map(|part| format!("\n{part}")).collect()
}

/// Lines that are no rows: among the results where the form has room for words,
/// else beside them.
pub(super) fn remarks(request: &Request, lines: &[String], console: &mut dyn Console) {
    for line in lines {
        if request.format.has_room_for_words() {
            console.result(&format!("\n{line}\n"));
        } else {
            console.notice(line);
        }
    }
}
