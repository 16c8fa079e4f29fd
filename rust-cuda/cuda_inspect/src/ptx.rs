//! An entry of a PTX module: its instructions, registers and memory, with those of the
//! functions that it calls.

use std::collections::{BTreeMap, BTreeSet};

use ptx_syntax::{
    Function, Instruction, Kind, Module, Number, Operand, Reached, Space, Span, Statement, Variable,
};

use crate::class::{Class, Mix};
use crate::{Error, Result};

/// One kernel with the functions that it calls.
#[derive(Debug)]
pub struct Entry<'m, 't> {
    text: &'t str,
    pub(crate) module: &'m Module<'t>,
    pub(crate) function: &'m Function<'t>,
    reached: Reached<'m, 't>,
}

impl<'m, 't> Entry<'m, 't> {
    /// One kernel of a module that was parsed from this text.
    ///
    /// # Errors
    ///
    /// [`Error::NoEntry`].
    pub fn find(module: &'m Module<'t>, text: &'t str, name: &str) -> Result<Self> {
        let found = module.entries().find(|entry| entry.name == name);
        let function = found.ok_or_else(|| Error::NoEntry(name.to_owned()))?;
        Ok(Entry {
            text,
            module,
            function,
            reached: module.reached(function),
        })
    }

    /// Its name.
    pub fn name(&self) -> &'t str {
        self.function.name
    }

    /// Its text as it stands in the file, without that of functions that it calls.
    pub fn text(&self) -> &'t str {
        self.function.span.of(self.text)
    }

    /// Its code without what an assembler does not look at: locations, comments, and the
    /// numbers that names have by the place of the kernel in its file.
    pub fn code(&self) -> String {
        let body = self.function.body.as_ref();
        let head = Span {
            end: body.map_or(self.function.span.end, |body| body.span.start),
            ..self.function.span
        };
        let statements = self
            .reached
            .functions
            .iter()
            .flat_map(|one| one.statements());
        let is_code = |one: &&Statement<'_>| !matches!(one.kind, Kind::Location(_));
        let statements = statements.filter(is_code).map(|one| self.written(one));
        let lines = std::iter::once(head.of(self.text))
            .chain(statements)
            .flat_map(str::lines);
        let lines = lines.map(uncommented).filter(|line| !line.is_empty());
        lines.map(|line| unnumbered(line) + "\n").collect()
    }

    /// A statement as it is written, without its semicolon.
    pub(crate) fn written(&self, statement: &Statement<'_>) -> &'t str {
        let text = statement.span.of(self.text);
        text.strip_suffix(';').unwrap_or(text).trim_end()
    }

    fn instructions(&self) -> impl Iterator<Item = &'m Instruction<'t>> {
        let functions = self.reached.functions.iter();
        functions.flat_map(|function| function.instructions())
    }

    /// The variables that it and the functions that it calls declare in a space.
    fn declared(&self, space: Space) -> impl Iterator<Item = &'m Variable<'t>> {
        let functions = self.reached.functions.iter();
        let declared = functions.flat_map(|function| function.variables());
        declared.filter(move |variable| variable.space == space)
    }

    /// Its instructions by class, with those of functions that it calls.
    pub fn mix(&self) -> Mix {
        let classes = self.instructions().map(|one| Class::of_ptx(&one.name()));
        classes.collect()
    }

    /// Local memory that it and the functions that it calls declare, bytes a thread: arrays
    /// that the compiler could not keep in registers.
    pub fn local_bytes(&self) -> u64 {
        let declared = self.declared(Space::Local);
        declared.map(|variable| variable.bytes()).sum()
    }

    /// Shared memory that it and the functions that it calls declare, bytes a block; in a text
    /// with memory whose size the launch decides, up to where that may begin.
    pub fn shared_bytes(&self) -> u64 {
        // The launch's own is placed in every kernel of a text that declares it, whether the
        // kernel names it or not (seen with ptxas 12.9 and 13.5).
        let of_launch = self.module.variables().filter(|one| one.is_of_launch());
        let align = of_launch.map(|variable| variable.alignment()).max();
        // Nothing stays nothing.
        let bytes = self.reached.shared_bytes();
        bytes.next_multiple_of(align.unwrap_or(1).max(1).into())
    }

    /// Virtual registers by their type: `b32`, `pred`. An assembler makes fewer of them.
    pub fn registers(&self) -> BTreeMap<&'static str, u64> {
        let mut found = BTreeMap::new();
        for variable in self.declared(Space::Register) {
            // `%r<8>` is %r0 to %r7, and LLVM begins with %r1.
            let count = variable.range.map_or(1, |bound| bound.saturating_sub(1));
            *found.entry(variable.ty.word()).or_insert(0) += u64::from(count);
        }
        found
    }

    /// Named barriers that it waits at, by their numbers; `None` when a register says which.
    pub fn barriers(&self) -> Option<u64> {
        let mut numbers = BTreeSet::new();
        for one in self.instructions() {
            let is_barrier = matches!(one.opcode, "bar" | "barrier");
            if !is_barrier || one.is("bar.warp") || one.has("cluster") {
                continue;
            }
            // A reduction's result stands first.
            let named = one.operands.get(usize::from(one.has("red")))?;
            let Operand::Number(Number::Integer(number)) = named else {
                return None;
            };
            numbers.insert(number);
        }
        Some(numbers.len() as u64)
    }
}

/// Without the number of the function in `$L__BB3_5` and its like, and without that of a label
/// which locations have brought.
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

fn uncommented(line: &str) -> &str {
    line.split_once("//").map_or(line, |(code, _)| code).trim()
}

#[cfg(test)]
#[path = "ptx_tests.rs"]
mod tests;
