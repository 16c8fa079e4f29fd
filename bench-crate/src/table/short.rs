//! The short form of a table, declared as data: what of it fits a terminal, as it was published,
//! and what a verdict says of it. `export::short` lays it out.

use super::figure::Time;

/// What is shown of a table where nobody asked for all of it.
pub struct Short {
    /// The axis whose values stand across, those of the others down; empty where every row of the
    /// table is a line.
    pub across: &'static str,
    /// What is shown of a cell.
    pub shown: &'static [Shown],
    /// Whether what is shown of a cell stands below each other.
    pub is_stacked: bool,
    /// Rows without text in this column are left out, unless all rows are; empty where none is.
    pub only: &'static str,
    /// Columns of published values, each with the columns of ours that have to be the same: the
    /// first that has a text counts.
    pub equal: &'static [(&'static str, &'static [&'static str])],
    /// The time whose best cell is named.
    pub best: Option<Time>,
    /// Kernels of others, each with the metric of its time.
    pub rivals: &'static [(&'static str, &'static str)],
}

impl Short {
    /// Of nothing.
    pub const EMPTY: Short = Short {
        across: "",
        shown: &[],
        is_stacked: false,
        only: "",
        equal: &[],
        best: None,
        rivals: &[],
    };
}

/// A column that is shown, where it has any text.
#[derive(Clone, Copy)]
pub struct Shown {
    /// The column.
    pub column: &'static str,
    /// What the short form calls it.
    pub label: &'static str,
    /// Whether digits may be left out to make room.
    pub is_rounded: bool,
    /// A column in whose place it stands: it is shown where that one has no text.
    pub instead_of: &'static str,
    /// A column that it explains: it is shown where that one has a text, too.
    pub beside: &'static str,
}

impl Shown {
    /// A column, with all its digits.
    pub const fn exact(column: &'static str, label: &'static str) -> Self {
        Shown {
            column,
            label,
            is_rounded: false,
            instead_of: "",
            beside: "",
        }
    }

    /// A column of numbers, with at least three digits.
    pub const fn rounded(column: &'static str, label: &'static str) -> Self {
        Shown {
            is_rounded: true,
            ..Self::exact(column, label)
        }
    }

    /// The same in the place of a column that has no text.
    #[must_use]
    pub const fn instead_of(mut self, column: &'static str) -> Self {
        self.instead_of = column;
        self
    }

    /// The same beside a column that has a text.
    #[must_use]
    pub const fn beside(mut self, column: &'static str) -> Self {
        self.beside = column;
        self
    }
}
