//! What a table says of itself in words: its own lines and paragraphs about a
//! machine's rows, and, of a sweep, the constants of the model as tables.

use super::figure::Grid;
use super::machines::Machine;
use super::words::short;
use crate::model::{self, Explanation, Fit};
use crate::tables;

/// Words of a section, and the small tables that belong to them.
pub(super) struct Words {
    pub(super) title: String,
    pub(super) lines: Vec<String>,
    pub(super) paragraphs: Vec<String>,
    pub(super) grids: Vec<(String, Grid)>,
}

/// What a table says about a machine's rows; `None` where it says nothing.
pub(super) fn words(machine: &Machine, table: &str) -> Option<Words> {
    let known = tables::by_name(table)?;
    let rows = machine.rows(table);
    let words = Words {
        title: format!("{table} in words, {}", machine.name),
        lines: (known.summary)(rows),
        paragraphs: (known.notes)(rows),
        grids: model::explain(rows).as_ref().map_or(Vec::new(), constants),
    };
    let is_empty = words.lines.is_empty() && words.paragraphs.is_empty() && words.grids.is_empty();
    (!is_empty).then_some(words)
}

fn constants(explanation: &Explanation) -> Vec<(String, Grid)> {
    let fits = [
        &explanation.kernel,
        &explanation.span,
        &explanation.published,
    ];
    let fits = fits.into_iter().flatten().filter(|fit| fit.explains());
    fits.map(constants_of).collect()
}

fn constants_of(fit: &Fit) -> (String, Grid) {
    let mut grid = Grid::new(&["constant", "value", "unit", "meaning"]);
    grid.rows.extend(fit.constants.iter().map(|constant| {
        vec![
            constant.name.to_owned(),
            constant.told(short),
            constant.unit.to_owned(),
            constant.meaning.to_owned(),
        ]
    }));
    let error = match fit.median_error {
        Some(error) => format!(
            ", median error {:.1} % on cells that the fit did not see",
            100.0 * error
        ),
        None => String::new(),
    };
    (format!("Constants of the model, {}{error}", fit.name), grid)
}
