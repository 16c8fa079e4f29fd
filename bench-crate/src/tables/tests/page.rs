//! `docs/tables/axes.md`: the tables with their axes and columns, from the declarations.
//!
//! `UPDATE_TABLES=1 cargo test -p quadscan-bench --lib page_tests` writes it anew.
//! `cargo xtask bench --list` prints the tables that it lists.

use std::fmt::Write;

use crate::axes::{Axis, Values};
use crate::table::{Group, Table, TableAxis};

/// What the values of an axis are, in words.
fn values(of: &TableAxis) -> String {
    let names = of.names();
    if !names.is_empty() {
        return format!("`{}`", names.join("`, `"));
    }
    match of.axis.values {
        Values::Number(most) => format!("one number from 1 to {most}"),
        Values::Numbers(most) => format!("numbers from 1 to {most}"),
        Values::Powers(most) => format!("powers of two from 2 to {most}"),
        Values::Sizes => "sizes such as 1000, 2^20+3, 2^10..2^30".to_owned(),
        Values::Tolerance => "a number above 0 and up to 0.1".to_owned(),
        Values::Names => String::new(),
    }
}

fn option(axis: &Axis) -> String {
    match axis.option {
        "" => format!("`--axis {}={}`", axis.name, axis.placeholder),
        option => format!("`--{option} {}`", axis.placeholder),
    }
}

/// A table's section; nothing written to a text fails.
fn section(text: &mut String, table: &Table) -> std::fmt::Result {
    writeln!(text, "\n## `{}`\n\n{}.", table.name, sentence(table.about))?;
    if !table.axes.is_empty() {
        writeln!(text, "\n| axis | option | values |\n| --- | --- | --- |")?;
        for of in table.axes {
            let (axis, values) = (of.axis, values(of));
            writeln!(text, "| `{}` | {} | {values} |", axis.name, option(axis))?;
        }
    }
    let columns = table.columns_of(&[]);
    for (group, what) in [
        (Group::Published, "Columns under their published names"),
        (Group::Ours, "Columns of ours"),
        (Group::Reference, "Published figures"),
    ] {
        let of_group = columns.iter().filter(|column| column.group == group);
        let rows: Vec<String> = of_group
            .map(|column| format!("| `{}` | {} |\n", column.name, column.about()))
            .collect();
        if !rows.is_empty() {
            write!(text, "\n| {what} | |\n| --- | --- |\n{}", rows.concat())?;
        }
    }
    Ok(())
}

/// A line of a list as the beginning of a sentence.
fn sentence(line: &str) -> String {
    let mut letters = line.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

/// The page.
fn page(tables: &[&Table]) -> String {
    let mut text = String::from(
        "# The tables\n\n\
         Made from the tables' declarations. How the figures arise is in [tables.md](../tables.md).\n\
         Each axis has an option of its own, and `--axis NAME=LIST` chooses its values by name.\n\n",
    );
    let mut written = Ok(());
    for table in tables {
        let line = writeln!(text, "- `{}`: {}", table.name, table.about);
        written = written.and(line);
    }
    for table in tables {
        written = written.and(section(&mut text, table));
    }
    written.map(|()| text).unwrap_or_default()
}

#[test]
fn the_page_is_that_of_the_declarations() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/tables/axes.md");
    let page = page(&super::all());
    if std::env::var_os("UPDATE_TABLES").is_some() {
        std::fs::write(&path, page).expect("docs can be written to");
        return;
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == page,
        "docs/tables/axes.md is out of date: write it anew with UPDATE_TABLES=1"
    );
}
