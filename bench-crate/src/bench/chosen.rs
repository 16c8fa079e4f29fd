//! The tables named on the command line, checked. Each table defines its own cells.

use crate::error::Result;
use crate::spelling;
use crate::table::Table;
use crate::table::list::refused;
use crate::tables::{self, GROUP, group};

/// The tables of the names, in their order; without names all that are usual, and for a list
/// all that there are. Beside `--published` only those of which something was published.
pub(super) fn tables(
    names: &[String],
    published: bool,
    listed: bool,
) -> Result<Vec<&'static Table>> {
    let has_place = |table: &&'static Table| !published || table.is_published();
    if names.is_empty() {
        let tables = tables::all().into_iter();
        let tables = tables.filter(|table| listed || table.is_usual);
        return Ok(tables.filter(has_place).collect());
    }
    let mut chosen: Vec<&'static Table> = Vec::new();
    for name in &whole(names) {
        let table = tables::by_name(name).ok_or_else(|| {
            let unknown = spelling::unknown(name, known());
            let known: Vec<&str> = known().collect();
            refused(
                "TABLE",
                format!("{unknown}, known are {}", known.join(", ")),
            )
        })?;
        if chosen.iter().any(|other| other.name == table.name) {
            let problem = format!("`{name}` is named twice, once is allowed");
            return Err(refused("TABLE", problem));
        }
        if !has_place(&table) {
            let allowed = names_of(has_place);
            return Err(refused(
                "TABLE",
                format!(
                    "`{name}` has no published figures, allowed beside --published are {allowed}"
                ),
            ));
        }
        chosen.push(table);
    }
    Ok(chosen)
}

/// The names of tables, and of the group.
fn known() -> impl Iterator<Item = &'static str> + Clone {
    let tables = tables::all().into_iter().map(|table| table.name);
    tables.chain([GROUP])
}

/// The names as tables have them, with those of its tables in the place of a group's.
fn whole(names: &[String]) -> Vec<String> {
    let of = |typed: &String| {
        let name = spelling::meant(typed, known()).unwrap_or(typed);
        match group(name) {
            Some(tables) => tables.map(str::to_owned).to_vec(),
            None => vec![name.to_owned()],
        }
    };
    names.iter().flat_map(of).collect()
}

/// Whether a word is the name of a table, or of several together.
pub(super) fn is_table(name: &str) -> bool {
    spelling::meant(name, known()).is_some()
}

/// The names of offered tables.
fn names_of(which: impl FnMut(&&'static Table) -> bool) -> String {
    let tables = tables::all().into_iter().filter(which);
    let names: Vec<&str> = tables.map(|table| table.name).collect();
    names.join(", ")
}
