//! An entry of a PTX text: its instructions with their positions, its registers and its
//! local memory.
//!
//! A reader of what LLVM and nvcc write, not of PTX at large: a function begins on a line
//! with `.entry` or `.func`, positions and labels have lines of their own, and statements
//! end with a semicolon.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::class::{Class, Mix};
use crate::positions::{self, Position};
use crate::{Error, Result};
use cuda_builder::variable::{self, Variable};

/// A PTX text, taken apart.
#[derive(Debug)]
pub struct Text<'t> {
    lines: Vec<&'t str>,
    functions: Vec<Function<'t>>,
    /// Shared variables outside of functions.
    shared: Vec<Variable<'t>>,
}

#[derive(Debug)]
struct Function<'t> {
    name: &'t str,
    is_entry: bool,
    /// Indices of its lines, the head among them.
    lines: Range<usize>,
    /// That of the opening brace.
    body: usize,
}

/// One kernel with the functions that it calls.
#[derive(Debug)]
pub struct Entry<'t> {
    name: &'t str,
    /// Its own text, head and braces included.
    text: Vec<&'t str>,
    /// Its own statements, and then those of what it calls.
    functions: Vec<Vec<Statement<'t>>>,
    /// What it and what it calls name, in the order of the text; their own behind it.
    shared: Vec<Variable<'t>>,
}

/// Something between semicolons, or a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement<'t> {
    /// Without its semicolon; a label with its colon.
    pub text: &'t str,
    /// That of the last `.loc` before it in its function.
    pub position: Option<Position>,
}

impl<'t> Statement<'t> {
    /// The opcode with its suffixes; `None` for directives and labels.
    pub fn opcode(&self) -> Option<&'t str> {
        let mut words = self.text.split_whitespace();
        let first = words.next()?;
        let word = match first.starts_with('@') {
            true => words.next()?,
            false => first,
        };
        let is_instruction = word.starts_with(|first: char| first.is_ascii_lowercase());
        (is_instruction && !word.ends_with(':')).then_some(word)
    }

    fn operands(&self) -> &'t str {
        let Some(opcode) = self.opcode() else {
            return "";
        };
        let (_, rest) = self.text.split_once(opcode).unwrap_or(("", ""));
        rest.trim()
    }
}

impl<'t> Text<'t> {
    /// Finds the functions of a text.
    pub fn read(text: &'t str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let mut functions = Vec::new();
        let mut variables = Vec::new();
        let mut index = 0;
        while index < lines.len() {
            match function(&lines, index) {
                Some(function) => {
                    index = function.lines.end;
                    functions.push(function);
                }
                None => {
                    variables.extend(variable::shared(uncommented(lines[index])));
                    index += 1;
                }
            }
        }
        Text {
            lines,
            functions,
            shared: variables,
        }
    }

    /// The names of the entries, in the order of the text.
    pub fn entries(&self) -> impl Iterator<Item = &'t str> + '_ {
        let entries = self.functions.iter().filter(|function| function.is_entry);
        entries.map(|function| function.name)
    }

    /// One kernel.
    ///
    /// # Errors
    ///
    /// [`Error::NoEntry`].
    pub fn entry(&self, name: &str) -> Result<Entry<'t>> {
        let mut functions = self.functions.iter();
        let own = functions
            .find(|function| function.is_entry && function.name == name)
            .ok_or_else(|| Error::NoEntry(name.to_owned()))?;
        let mut reached = vec![own];
        let mut words: BTreeSet<&str> = BTreeSet::new();
        let mut at = 0;
        while let Some(caller) = reached.get(at) {
            let body = &self.lines[caller.body..caller.lines.end];
            words.extend(body.iter().flat_map(|line| names(uncommented(line))));
            let others = self.functions.iter().filter(|other| {
                let known = reached.iter().any(|known| known.name == other.name);
                !other.is_entry && !known && words.contains(other.name)
            });
            let others: Vec<_> = others.collect();
            reached.extend(others);
            at += 1;
        }
        let functions: Vec<Vec<Statement<'t>>> = reached
            .iter()
            .map(|function| statements(&self.lines[function.body..function.lines.end]))
            .collect();
        // The launch's own is placed in every kernel of a text that declares it, whether the
        // kernel names it or not (seen with ptxas 12.9 and 13.5).
        let is_placed = |one: &&Variable<'_>| one.bytes.is_none() || words.contains(one.name);
        let named = self.shared.iter().filter(is_placed);
        let inner = functions.iter().flatten();
        let inner = inner.filter_map(|statement| variable::shared(statement.text));
        Ok(Entry {
            name: own.name,
            text: self.lines[own.lines.clone()].to_vec(),
            shared: named.copied().chain(inner).collect(),
            functions,
        })
    }
}

impl<'t> Entry<'t> {
    /// Its name.
    pub fn name(&self) -> &'t str {
        self.name
    }

    /// Its lines as they stand in the file.
    pub fn text(&self) -> &[&'t str] {
        &self.text
    }

    /// Its code without what an assembler does not look at: positions, comments, and the
    /// numbers that names have by the place of the kernel in its file.
    pub fn code(&self) -> String {
        let head = self.text.iter().take_while(|line| !line.starts_with('{'));
        let head = head.map(|line| uncommented(line));
        let statements = self.all().map(|statement| statement.text);
        let lines = head.chain(statements).filter(|line| !line.is_empty());
        lines.map(|line| unnumbered(line) + "\n").collect()
    }

    /// Its own statements, without those of functions that it calls.
    pub fn statements(&self) -> &[Statement<'t>] {
        self.functions.first().map_or(&[], Vec::as_slice)
    }

    fn all(&self) -> impl Iterator<Item = &Statement<'t>> {
        self.functions.iter().flatten()
    }

    /// Its instructions by class, with those of functions that it calls.
    pub fn mix(&self) -> Mix {
        let opcodes = self.all().filter_map(Statement::opcode);
        opcodes.map(Class::of_ptx).collect()
    }

    /// Local memory that it and the functions that it calls declare, bytes a thread: arrays
    /// that the compiler could not keep in registers.
    pub fn local_bytes(&self) -> u64 {
        let declared = self.all().filter_map(|one| variable::local_bytes(one.text));
        declared.sum()
    }

    /// Shared memory that it and the functions that it calls declare, bytes a block; in a text
    /// with memory whose size the launch decides, up to where that may begin.
    pub fn shared_bytes(&self) -> u64 {
        let mut bytes = 0_u64;
        let mut dynamic = 1;
        for variable in &self.shared {
            match variable.bytes {
                Some(size) => bytes = bytes.next_multiple_of(variable.align) + size,
                None => dynamic = dynamic.max(variable.align),
            }
        }
        if bytes == 0 {
            0
        } else {
            bytes.next_multiple_of(dynamic)
        }
    }

    /// Virtual registers by their type: `b32`, `pred`. An assembler makes fewer of them.
    ///
    /// # Errors
    ///
    /// [`Error::BadDeclaration`] for a `.reg` that does not say how many.
    pub fn registers(&self) -> Result<BTreeMap<&'t str, u64>> {
        let mut found = BTreeMap::new();
        for statement in self.all() {
            let Some(rest) = statement.text.strip_prefix(".reg") else {
                continue;
            };
            let Some((ty, names)) = rest.trim().split_once(char::is_whitespace) else {
                continue;
            };
            let bad = || Error::BadDeclaration(statement.text.to_owned());
            let count = |name: &str| match name.split_once('<') {
                // `%r<8>` is %r0 to %r7, and LLVM begins with %r1.
                Some((_, bound)) => {
                    let bound = bound.trim().strip_suffix('>').map(str::trim);
                    let bound: Option<u64> = bound.and_then(|bound| bound.parse().ok());
                    bound.map(|bound| bound.saturating_sub(1)).ok_or_else(bad)
                }
                None => Ok(1),
            };
            let count: u64 = names.split(',').map(count).sum::<Result<u64>>()?;
            *found.entry(ty.trim_start_matches('.')).or_insert(0) += count;
        }
        Ok(found)
    }

    /// Named barriers that it waits at, by their numbers; `None` when a register says which.
    pub fn barriers(&self) -> Option<u64> {
        let mut numbers = BTreeSet::new();
        for statement in self.all() {
            let opcode = statement.opcode().unwrap_or("");
            let is_barrier = opcode.starts_with("bar.") || opcode.starts_with("barrier.");
            if !is_barrier || opcode.starts_with("bar.warp") || opcode.contains("cluster") {
                continue;
            }
            let operands = statement.operands();
            // A reduction's result stands first.
            let named = match opcode.contains(".red") {
                true => operands.split(',').nth(1)?,
                false => operands.split(',').next()?,
            };
            numbers.insert(named.trim().parse::<u32>().ok()?);
        }
        Some(numbers.len() as u64)
    }
}

/// The function that begins on a line.
fn function<'t>(lines: &[&'t str], start: usize) -> Option<Function<'t>> {
    let head = uncommented(lines[start]);
    let (before, rest) = head
        .split_once(".entry")
        .or_else(|| head.split_once(".func"))?;
    if !before.split_whitespace().all(|word| word.starts_with('.')) {
        return None;
    }
    let is_entry = head.contains(".entry");
    // The value that a function returns stands before its name.
    let rest = match rest.trim_start().strip_prefix('(') {
        Some(result) => result.split_once(')').map_or("", |(_, rest)| rest),
        None => rest,
    };
    let name = names(rest).next()?;
    let after_head = |line: &&str| uncommented(line).starts_with(['{', ';']);
    let body = start
        + lines[start..]
            .iter()
            .position(|line| after_head(&line.trim()))?;
    // One that is declared alone has no body.
    if uncommented(lines[body]).starts_with(';') {
        return None;
    }
    let length = lines[body..]
        .iter()
        .position(|line| line.starts_with('}'))?;
    Some(Function {
        name,
        is_entry,
        lines: start..body + length + 1,
        body,
    })
}

/// The statements of a body, labels among them.
fn statements<'t>(lines: &[&'t str]) -> Vec<Statement<'t>> {
    let mut found = Vec::new();
    let mut position = None;
    for line in lines {
        if let Some(read) = positions::read(line) {
            position = Some(read);
            continue;
        }
        let code = uncommented(line);
        for text in code.split_inclusive(';') {
            // Inline assembly has registers of its own in braces.
            let text = text.trim().trim_start_matches(['{', '}']).trim_start();
            let text = text.trim_end_matches(';').trim_end();
            if !text.is_empty() {
                found.push(Statement { text, position });
            }
        }
    }
    found
}

/// Without the number of the function in `$L__BB3_5` and its like, and without that of a label
/// which positions have brought.
fn unnumbered(line: &str) -> String {
    let mut line = line.to_owned();
    for mark in ["$L__BB", "$L__func_begin", "__local_depot"] {
        let pieces: Vec<&str> = line.split(mark).collect();
        let rest = pieces[1..]
            .iter()
            .map(|piece| piece.trim_start_matches(|c: char| c.is_ascii_digit()));
        let joined: Vec<&str> = pieces[..1].iter().copied().chain(rest).collect();
        line = joined.join(mark);
    }
    let is_brought = line.starts_with('$') && line[1..].starts_with(|c: char| c.is_ascii_digit());
    if is_brought { "$:".to_owned() } else { line }
}

fn names(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "%_$.".contains(letter);
    let words = text.split(move |letter: char| !is_part(letter));
    words.filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || "_$".contains(c)))
}

fn uncommented(line: &str) -> &str {
    line.split_once("//").map_or(line, |(code, _)| code).trim()
}

#[cfg(test)]
#[path = "ptx_tests.rs"]
mod tests;
