//! What a table is: a declaration from which lists, options, checks, columns and pages come, and
//! a function that measures a cell.
//!
//! Tables are in [`tables`](crate::tables), a file each; nothing here knows one by name.

mod asked;
pub mod column;
pub mod list;
pub mod matrix;
pub mod peers;
pub mod published;
pub mod source;

use std::time::Duration;

use crate::axes::Axis;
use crate::error::Result;
use crate::host::HostOracle;
use crate::measure::Bench;
use crate::record::{Cell, Record};

pub use asked::{Asked, Extent};
pub use column::{Column, Group};
pub use matrix::Matrix;
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
    /// Whether a list leaves cells out of those that the table has anyway.
    is_filter: bool,
}

impl TableAxis {
    /// An axis whose values the table's `cells` cross.
    pub const fn of(axis: &'static Axis) -> Self {
        TableAxis {
            axis,
            most: u64::MAX,
            most_emulated: u64::MAX,
            names: Vec::new,
            is_filter: false,
        }
    }

    /// With numbers up to this one.
    pub const fn up_to(self, most: u64) -> Self {
        TableAxis { most, ..self }
    }

    /// With numbers up to this one on the emulator, where none is named.
    pub const fn emulated_up_to(self, most_emulated: u64) -> Self {
        TableAxis {
            most_emulated,
            ..self
        }
    }

    /// With these names.
    pub const fn known(self, names: fn() -> Vec<String>) -> Self {
        TableAxis { names, ..self }
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
    /// Whether anything of it was published: else it has no place beside `--published`.
    pub is_published: bool,
    /// Whether it is measured where no table is named.
    pub is_usual: bool,
    /// Whether a row without its device columns is not the table's row: it is skipped then.
    pub needs_device: bool,
    /// What is timed beside ours.
    pub peers: &'static [Source],
    /// Whether ours are a plan's launches, which begin while the one before ends.
    pub is_of_plans: bool,
    /// The cells that are asked for, in the order of their rows. Err when a size does not fit.
    pub cells: fn(&Table, &Asked) -> Result<Vec<Cell>>,
    /// Whether the device has anything to do for a cell.
    pub is_for_device: fn(&Cell) -> bool,
    /// The modules of our PTX that a cell launches kernels of.
    pub modules: fn(&Cell) -> Vec<String>,
    /// What the host can say about a record's cell.
    pub host: fn(&mut Record, &mut HostOracle),
    /// Measures a cell on the device, in the measuring process.
    pub measure: fn(&Cell, &mut Bench<'_>) -> quadscan::Result<()>,
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
        is_published: false,
        is_usual: false,
        needs_device: true,
        peers: &[],
        is_of_plans: false,
        cells: |_, _| Ok(Vec::new()),
        is_for_device: |_| true,
        modules: |_| vec![MAIN.to_owned()],
        host: |_, _| {},
        measure: |_, _| Ok(()),
        check: |_| None,
        patience: |_, _| MINUTE,
        weight: |_, _| 0.0,
        matrices: |_| Vec::new(),
        notes: |_| Vec::new(),
        summary: |_| Vec::new(),
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

    /// The cells that are asked for.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`](crate::Error::Argument) when a value does not fit the table.
    pub fn selected(&self, asked: &Asked) -> Result<Vec<Cell>> {
        let mut cells = (self.cells)(self, asked)?;
        for of in self.axes.iter().filter(|of| of.is_filter) {
            let name = of.axis.name;
            if (of.names)().is_empty() {
                if let Some(numbers) = asked.numbers(of, self.name)? {
                    let number = |cell: &Cell| cell.number(name);
                    let most = cells.iter().filter_map(number).max().unwrap_or_default();
                    cells.retain(|cell| number(cell).is_some_and(|n| numbers.contains(&n)));
                    if cells.is_empty() {
                        let (table, option) = (self.name, of.axis.option);
                        let problem = format!(
                            "has none of the table {table}, whose {option} go to {most} here"
                        );
                        return Err(list::refused(&format!("--{option}"), problem));
                    }
                }
            } else if let Some(names) = asked.names(of, self.name)? {
                let is_asked = |text: &str| names.iter().any(|name| name == text);
                cells.retain(|cell| cell.text(name).is_some_and(is_asked));
            }
        }
        Ok(cells)
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
