//! What is wrong with a formula, and where.

use std::fmt;

/// The longest line that is shown, in characters.
const WIDEST: usize = 160;

/// A formula that cannot be understood: the problem, its place, and the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaError {
    problem: String,
    line: usize,
    column: usize,
    text: String,
}

impl FormulaError {
    /// A problem at a byte of a text.
    pub(crate) fn new(text: &str, at: usize, problem: impl Into<String>) -> Self {
        let at = text.floor_char_boundary(at);
        let before = &text[..at];
        let begin = before.rfind('\n').map_or(0, |end| end + 1);
        let line = text[begin..].lines().next().unwrap_or_default();
        Self {
            problem: problem.into(),
            line: before.matches('\n').count() + 1,
            column: text[begin..at].chars().count() + 1,
            text: line.to_owned(),
        }
    }

    /// What is wrong, without its place.
    pub fn problem(&self) -> &str {
        &self.problem
    }

    /// Line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Column in characters, from 1; behind the line's last one where something is missing.
    pub fn column(&self) -> usize {
        self.column
    }
}

/// The sentence; and where it is one that can be shown the line, and a caret below the place.
impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            problem,
            line,
            column,
            text,
        } = self;
        let place = match line {
            1 => String::new(),
            _ => format!("line {line}, "),
        };
        write!(f, "{place}column {column}: {problem}")?;
        // A line that a terminal shows as it is.
        let is_shown = text.chars().count() <= WIDEST && !text.contains(char::is_control);
        if !is_shown || text.trim().is_empty() {
            return Ok(());
        }
        let blanks = column - 1;
        write!(f, "\n  {text}\n  {:blanks$}^", "")
    }
}

impl std::error::Error for FormulaError {}
