//! Rows in memory: columns of texts or of numbers, and where each row was read.

use std::fmt::{self, Write as _};

use super::Problem;
use super::number::{Number, Scalar, Value};

/// What a column is called, and what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Its name.
    pub name: String,
    /// What is in it.
    pub kind: Kind,
}

/// What is in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Texts of at most so many bytes.
    Text(usize),
    /// Numbers of a type.
    Numbers(Scalar),
}

impl Heading {
    /// Of numbers.
    pub fn numbers(name: &str, scalar: Scalar) -> Self {
        let (name, kind) = (name.to_owned(), Kind::Numbers(scalar));
        Self { name, kind }
    }

    /// With room for all texts of a column.
    pub fn make_room(&mut self, column: &Column) {
        if let (Kind::Text(most), Column::Text(texts)) = (&mut self.kind, column) {
            *most = texts.iter().map(str::len).fold(*most, usize::max);
        }
    }
}

/// Where a row is in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A line of text, from 1.
    Line(u64),
    /// A row of an array, from 0.
    Row(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}"),
            Place::Row(row) => write!(f, "row {row}"),
        }
    }
}

/// Texts one behind the other in one string.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    all: String,
    ends: Vec<usize>,
}

impl Texts {
    /// Appends a text.
    pub fn push(&mut self, text: &str) {
        self.all += text;
        self.ends.push(self.all.len());
    }

    /// Appends other texts.
    pub(super) fn append(&mut self, more: &Self) {
        let before = self.all.len();
        self.all += &more.all;
        self.ends.extend(more.ends.iter().map(|end| before + end));
    }

    /// One behind the other, and the end of each.
    pub(super) fn of(all: &str, ends: Vec<usize>) -> Self {
        let all = all.to_owned();
        Self { all, ends }
    }

    pub(super) fn all(&self) -> &str {
        &self.all
    }

    pub(super) fn ends(&self) -> impl Iterator<Item = usize> {
        self.ends.iter().copied()
    }

    fn get(&self, row: usize) -> &str {
        let first = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[first..self.ends[row]]
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|row| self.get(row))
    }
}

/// The cells of a column.
#[derive(Clone, Debug)]
pub enum Column {
    /// Texts.
    Text(Texts),
    /// Numbers.
    Numbers(Numbers),
}

/// Numbers of one type.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// Their type.
    pub scalar: Scalar,
    /// Their bytes, in this machine's order.
    pub bytes: Vec<u8>,
    /// Whether there is none, for each row; nothing where each has one.
    pub absent: Vec<bool>,
}

impl Column {
    /// A number each row.
    pub fn of<T: Number>(numbers: &[T]) -> Self {
        Column::Numbers(Numbers {
            scalar: T::SCALAR,
            bytes: bytemuck::cast_slice(numbers).to_vec(),
            absent: Vec::new(),
        })
    }

    /// A number in some rows, and in the others what stands for none.
    pub fn of_some<T: Number>(numbers: impl Iterator<Item = Option<T>>, none: T) -> Self {
        let (mut all, mut absent) = (Vec::new(), Vec::new());
        for number in numbers {
            all.push(number.unwrap_or(none));
            absent.push(number.is_none());
        }
        let Column::Numbers(column) = Self::of(&all) else {
            return Self::of(&all);
        };
        Column::Numbers(Numbers { absent, ..column })
    }

    /// A text each row.
    pub fn of_texts<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut all = Texts::default();
        texts.for_each(|text| all.push(text));
        Column::Text(all)
    }

    /// The cells of these rows.
    pub fn pick(&self, rows: &[usize]) -> Self {
        match self {
            Column::Text(texts) => Self::of_texts(rows.iter().map(|row| texts.get(*row))),
            Column::Numbers(numbers) => Column::Numbers(Numbers {
                scalar: numbers.scalar,
                bytes: rows
                    .iter()
                    .flat_map(|row| numbers.bytes_of(*row))
                    .copied()
                    .collect(),
                absent: Vec::new(),
            }),
        }
    }

    /// How many cells.
    pub fn rows(&self) -> usize {
        match self {
            Column::Text(texts) => texts.ends.len(),
            Column::Numbers(numbers) => numbers.bytes.len() / numbers.scalar.size(),
        }
    }

    /// A cell's bytes, which two cells with the same contents have in common.
    pub fn bytes(&self, row: usize) -> &[u8] {
        match self {
            Column::Text(texts) => texts.get(row).as_bytes(),
            Column::Numbers(numbers) => numbers.bytes_of(row),
        }
    }

    /// A cell as text: empty where there is no number.
    pub fn text(&self, row: usize) -> String {
        let mut text = String::new();
        self.write_text(row, &mut text);
        text
    }

    /// Appends a cell as text.
    pub(super) fn write_text(&self, row: usize, text: &mut String) {
        match self {
            Column::Text(texts) => *text += texts.get(row),
            Column::Numbers(numbers) => {
                if let Some(value) = numbers.value(row) {
                    // A string takes all.
                    let _ = write!(text, "{value}");
                }
            }
        }
    }

    /// A cell as a number; or what is wrong with it, and what is allowed.
    fn number<T: Number>(&self, row: usize) -> Result<T, (String, String)> {
        let is_float = matches!(T::SCALAR, Scalar::F32 | Scalar::F64);
        match self {
            // Line feeds that quotes hold together are no blanks.
            Column::Text(texts) => T::parse(texts.get(row).trim_matches([' ', '\t', '\r']))
                .map_err(|problem| (problem, T::allowed())),
            Column::Numbers(numbers) => match numbers.value(row).map(T::of) {
                Some(Err(problem)) if is_float => Err((problem, "smaller numbers".to_owned())),
                Some(number) => number.map_err(|problem| (problem, T::allowed())),
                None => Err(("there is no number".to_owned(), T::allowed())),
            },
        }
    }
}

impl Numbers {
    fn bytes_of(&self, row: usize) -> &[u8] {
        let size = self.scalar.size();
        &self.bytes[row * size..(row + 1) * size]
    }

    fn value(&self, row: usize) -> Option<Value> {
        let is_absent = self.absent.get(row).copied().unwrap_or_default();
        (!is_absent).then(|| self.scalar.value(self.bytes_of(row)))
    }
}

/// Rows of a file that follow each other.
#[derive(Clone, Debug)]
pub struct Block {
    /// All columns of the file.
    pub columns: Vec<Column>,
    /// Where the rows are.
    pub(super) places: Places,
}

/// Where rows are.
#[derive(Clone, Debug)]
pub(super) enum Places {
    /// In these lines.
    Lines(Vec<u64>),
    /// So many rows, from this one on.
    Rows { first: u64, count: usize },
}

impl Block {
    /// How many rows.
    pub fn rows(&self) -> usize {
        match &self.places {
            Places::Lines(lines) => lines.len(),
            Places::Rows { count, .. } => *count,
        }
    }

    /// Where a row is in its file.
    pub fn place(&self, row: usize) -> Place {
        match &self.places {
            Places::Lines(lines) => Place::Line(lines[row]),
            Places::Rows { first, .. } => Place::Row(first + row as u64),
        }
    }

    /// The number in a row of a column of this name.
    ///
    /// # Errors
    ///
    /// [`Problem::At`] that row for what is no such number.
    pub fn number<T: Number>(&self, column: usize, name: &str, row: usize) -> Result<T, Problem> {
        let column = &self.columns[column];
        column.number(row).map_err(|(problem, allowed)| {
            let problem = format!("{problem}, allowed in {name} are {allowed}");
            Problem::At(self.place(row), problem)
        })
    }

    /// All numbers of a column of this name.
    ///
    /// # Errors
    ///
    /// As [`Block::number`], for the first row with one.
    pub fn numbers<T: Number>(&self, column: usize, name: &str) -> Result<Vec<T>, Problem> {
        match &self.columns[column] {
            Column::Numbers(numbers)
                if numbers.scalar == T::SCALAR && numbers.absent.is_empty() =>
            {
                let each = numbers.bytes.chunks_exact(size_of::<T>());
                Ok(each.map(bytemuck::pod_read_unaligned).collect())
            }
            _ => {
                let rows = 0..self.rows();
                rows.map(|row| self.number(column, name, row)).collect()
            }
        }
    }
}
