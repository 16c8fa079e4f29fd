//! What the model says about a sweep: its words, and its constants as a table.

use super::figure::Grid;
use super::machines::Machine;
use super::words::short;
use crate::model::{Explanation, Fit};

/// Words of a section, and the small tables that belong to them.
pub(super) struct Words {
    pub(super) title: String,
    pub(super) paragraphs: Vec<String>,
    pub(super) grids: Vec<(String, Grid)>,
}

/// The model's account of a machine's sweep.
pub(super) fn words(machine: &Machine, explanation: &Explanation) -> Words {
    let fits = [
        &explanation.kernel,
        &explanation.span,
        &explanation.published,
    ];
    Words {
        title: format!("Why: {}, {}", explanation.table, machine.name),
        paragraphs: explanation.text.clone(),
        grids: fits.into_iter().flatten().map(constants).collect(),
    }
}

fn constants(fit: &Fit) -> (String, Grid) {
    let mut grid = Grid::new(&["constant", "value", "unit", "meaning"]);
    grid.rows.extend(fit.constants.iter().map(|constant| {
        vec![
            constant.name.to_owned(),
            short(constant.value),
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
