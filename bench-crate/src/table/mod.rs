//! What a table is: a declaration from which lists, options, checks, columns and pages come, and
//! a function that measures a cell.
//!
//! Tables are in [`tables`](crate::tables), a file each; nothing here knows one by name.

mod agreement;
mod asked;
pub mod cells;
pub mod column;
pub mod figure;
pub mod list;
pub mod matrix;
pub mod peers;
pub mod published;
pub mod short;
pub mod source;

use std::time::Duration;

use crate::axes::Axis;
use crate::error::Result;
use crate::host::HostOracle;
use crate::measure::Bench;
use crate::record::{Cell, Record};

pub(crate) use agreement::agreement;
pub use asked::{Asked, Extent, Names};
pub use cells::{Usual, values};
pub use column::{Column, Group};
pub use figure::Figures;
pub use matrix::Matrix;
pub use short::{Short, Shown};
pub use source::Source;

/// An axis as a table has it.
#[derive(Clone, Copy, Debug)]
pub struct TableAxis {
    /// The axis.
    pub axis: &'static Axis,
    /// The largest number.
    most: u64,
    /// The largest number on the emulator, where nobody named it.
    most_emulated: u64,
    /// Its names; none of an axis of numbers.
    names: fn() -> Vec<String>,
    /// Its values where none are named; all names where nothing is said.
    usual: Option<Usual>,
    /// Whether a list leaves cells out of those that the table has anyway.
    is_filter: bool,
    /// Whether its values change faster from row to row than those of the others.
    is_inner: bool,
}

impl TableAxis {
    /// An axis whose values are crossed with those of the others.
    pub const fn of(axis: &'static Axis) -> Self {
        TableAxis {
            axis,
            most: u64::MAX,
            most_emulated: u64::MAX,
            names: Vec::new,
            usual: None,
            is_filter: false,
            is_inner: false,
        }
    }

    /// With numbers up to this one.
    pub const fn up_to(self, most: u64) -> Self {
        TableAxis { most, ..self }
    }

    /// With numbers up to this one on the emulator, where none is named.
    pub const fn emulated_up_to(mut self, most_emulated: u64) -> Self {
        self.most_emulated = most_emulated;
        self
    }

    /// With these names.
    pub const fn known(self, names: fn() -> Vec<String>) -> Self {
        TableAxis { names, ..self }
    }

    /// With these values where none are named.
    pub const fn usual(mut self, usual: Usual) -> Self {
        self.usual = Some(usual);
        self
    }

    /// With values that change faster from row to row than those of the others.
    pub const fn inner(mut self) -> Self {
        self.is_inner = true;
        self
    }

    /// One of which the table has all values anyway, and a list leaves some.
    pub const fn filter(axis: &'static Axis) -> Self {
        TableAxis {
            is_filter: true,
            ..Self::of(axis)
        }
    }

    /// The names of its values, in the order of rows.
    pub fn names(&self) -> Vec<String> {
        (self.names)()
    }
}

/// Whether an answer is right, where somebody knows: `Some(Err(reason))` when it is not.
pub type Judged = Option<std::result::Result<(), String>>;

/// A table's own list of cells.
pub type OwnCells = fn(&Table, &Asked) -> Result<Vec<Cell>>;

/// A table of the program.
pub struct Table {
    /// As it is typed.
    pub name: &'static str,
    /// One line for lists and headings.
    pub about: &'static str,
    /// What its cells differ in.
    pub axes: &'static [TableAxis],
    /// Columns in the order in which CSV has them, within their groups.
    pub columns: &'static [&'static [Column]],
    /// Columns that depend on what was measured: of peers, of a model.
    pub more_columns: fn(&[Record]) -> Vec<Column>,
    /// Whether it is measured where no table is named.
    pub is_usual: bool,
    /// Whether a row without its device columns is not the table's row: it is skipped then.
    pub needs_device: bool,
    /// What is timed beside ours.
    pub peers: &'static [Source],
    /// Whether ours are a plan's launches, which begin while the one before ends.
    pub is_of_plans: bool,
    /// The cells that are asked for, in the order of their rows, where they are not the product of
    /// the axes' values. Err when a value does not fit.
    pub cells: Option<OwnCells>,
    /// Err when the values of a cell do not go together.
    pub fits: fn(&Table, &Cell) -> Result<()>,
    /// Whether the device has anything to do for a cell.
    pub is_for_device: fn(&Cell) -> bool,
    /// The modules of our PTX that a cell launches kernels of.
    pub modules: fn(&Cell) -> Vec<String>,
    /// What the host can say about a record's cell.
    pub host: fn(&mut Record, &mut HostOracle),
    /// Measures a cell on the device, in the measuring process.
    pub measure: fn(&Cell, &mut Bench<'_>) -> quadscan::Result<()>,
    /// Adds the metrics that follow from all that was measured.
    pub complete: fn(&mut Record),
    /// Whether the host's answer is right, where the published tables or closed forms know it.
    pub check: fn(&Record) -> Judged,
    /// How long a cell may take, on a device with a timer or without, before it is given up.
    pub patience: fn(&Cell, bool) -> Duration,
    /// What a cell weighs beside others of a run, on a device with a timer or without.
    pub weight: fn(&Cell, bool) -> f64,
    /// The records by blocks and threads, for forms that have room for them.
    pub matrices: fn(&[Record]) -> Vec<Matrix>,
    /// Paragraphs under the finished table, for forms that have room for them.
    pub notes: fn(&[Record]) -> Vec<String>,
    /// Lines under the finished table.
    pub summary: fn(&[Record]) -> Vec<String>,
    /// What of it a terminal shows where not all is asked for.
    pub short: Short,
    /// What of it is drawn in the report.
    pub figures: Figures,
}

/// How long a cell may take where its table does not say otherwise.
pub const MINUTE: Duration = Duration::from_secs(60);

/// The module of most kernels.
pub const MAIN: &str = "main";

impl Table {
    /// A table of nothing, which others are made of.
    pub const EMPTY: Table = Table {
        name: "",
        about: "",
        axes: &[],
        columns: &[],
        more_columns: |_| Vec::new(),
        is_usual: false,
        needs_device: true,
        peers: &[],
        is_of_plans: false,
        cells: None,
        fits: |_, _| Ok(()),
        is_for_device: |_| true,
        modules: |_| vec![MAIN.to_owned()],
        host: |_, _| {},
        measure: |_, _| Ok(()),
        complete: |_| {},
        check: |_| None,
        patience: |_, _| MINUTE,
        weight: |_, _| 0.0,
        matrices: |_| Vec::new(),
        notes: |_| Vec::new(),
        summary: |_| Vec::new(),
        short: Short::EMPTY,
        figures: Figures::of(&[]),
    };

    /// The axis of a name.
    ///
    /// # Panics
    ///
    /// The table does not declare it: a table asks for its own axes alone.
    pub fn axis(&self, axis: &Axis) -> &TableAxis {
        let found = self.axes.iter().find(|of| of.axis == axis);
        found.unwrap_or_else(|| panic!("{} has no axis {}", self.name, axis.name))
    }

    /// The numbers of an axis that are asked for. Err when they do not fit.
    pub fn numbers(&self, asked: &Asked, axis: &Axis) -> Result<Option<Vec<u64>>> {
        asked.numbers(self.axis(axis), self.name)
    }

    /// The names of an axis that are asked for. Err when the table has none of them.
    pub fn names(&self, asked: &Asked, axis: &Axis) -> Result<Option<Vec<String>>> {
        asked.names(self.axis(axis), self.name)
    }

    /// Whether anything of it was published: else it has no place beside `--published`.
    pub fn is_published(&self) -> bool {
        let mut columns = self.columns.iter().copied().flatten();
        columns.any(|column| column.group == Group::Published)
    }

    /// Whether a cell is measured on the emulator where nobody named its size.
    pub fn is_for_emulator(&self, cell: &Cell) -> bool {
        let fits = |of: &TableAxis| {
            let number = cell.number(of.axis.name);
            number.is_none_or(|number| number <= of.most_emulated)
        };
        self.axes.iter().all(fits)
    }

    /// Its columns, with those that depend on the records.
    pub fn columns_of(&self, records: &[Record]) -> Vec<Column> {
        let mut columns: Vec<Column> = Vec::new();
        let mut more = Some((self.more_columns)(records));
        for column in self.columns.iter().copied().flatten() {
            match column.is_place_for_more() {
                true => columns.extend(more.take().unwrap_or_default()),
                false => columns.push(column.clone()),
            }
        }
        columns.extend(more.unwrap_or_default());
        columns
    }
}
