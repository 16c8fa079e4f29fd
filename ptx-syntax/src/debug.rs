//! Debug locations: from an instruction to the line of the source that it came from, and to
//! the calls that inlined it.
//!
//! A compiler writes the location of an inlined instruction as a run of `.loc`, the caller
//! first; `inlined_at` of each names the place of its caller, which is the nearest `.loc` above
//! it in its function with that file, line and column (PTX ISA, ".loc"). It is written once a
//! function, so the caller may stand far above.
//!
//! The short form says the same in a third of the bytes: one `.loc` with the number of a call
//! as a comment behind it, and the calls, each with its own caller, as comments (`//.call`).

use std::collections::HashMap;

use crate::lexer::{Kind, Lexer};
use crate::tree::{Call, Function, Kind as StatementKind, Location, Module, Place, Statement};
use crate::types::Number;

/// A line of the source.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Line<'d> {
    /// As the PTX names it: `./src/lib.rs`, `/rustc/COMMIT/library/core/src/ptr.rs`.
    pub file: &'d str,
    /// From 1.
    pub line: u32,
}

impl std::fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A debug location: what a `.loc` says, with the calls that inlined it. Equal ones have one
/// number, from 0.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(pub u32);

/// File, line (0 when the compiler had none), and where that was inlined.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
struct Frame {
    file: u32,
    line: u32,
    caller: Option<Id>,
}

/// The debug locations of a module.
#[derive(Clone, Debug, Default)]
pub struct Locations {
    files: HashMap<u32, String>,
    frames: Vec<Frame>,
    known: HashMap<Frame, Id>,
    /// The latest one of the current function with a file, line and column.
    latest: HashMap<Place, Id>,
    /// That of each numbered call.
    calls: HashMap<u32, Id>,
}

impl Locations {
    /// Those of a module's calls. A call whose caller does not stand above it counts as not
    /// inlined.
    pub fn new(module: &Module<'_>) -> Self {
        let files = module.files();
        let files = files.map(|file| (file.index, file.path.to_owned()));
        let mut locations = Locations {
            files: files.collect(),
            ..Locations::default()
        };
        for &Call {
            number,
            file,
            line,
            caller,
        } in &module.calls
        {
            let caller = caller.and_then(|caller| locations.calls.get(&caller).copied());
            let id = locations.id(Frame { file, line, caller });
            locations.calls.insert(number, id);
        }
        locations
    }

    fn id(&mut self, frame: Frame) -> Id {
        let new = Id(self.frames.len() as u32);
        let id = *self.known.entry(frame).or_insert(new);
        if id == new {
            self.frames.push(frame);
        }
        id
    }

    /// The `.loc` of another function follow.
    pub fn begin_function(&mut self) {
        self.latest.clear();
    }

    /// Enters the next `.loc` of a function.
    pub fn enter(&mut self, location: &Location<'_>) -> Id {
        let caller = location.inlined_at.map(|place| {
            let known = self.latest.get(&place).copied();
            known.unwrap_or_else(|| self.place(place, None))
        });
        let caller = caller.or_else(|| self.calls.get(&location.call?).copied());
        self.place(location.at, caller)
    }

    fn place(&mut self, place: Place, caller: Option<Id>) -> Id {
        let [file, line, _] = place;
        let id = self.id(Frame { file, line, caller });
        self.latest.insert(place, id);
        id
    }

    /// The statements of a function in the order of the text, inner scopes opened: each with the
    /// location that holds for it, a `.loc` with its own.
    pub fn of<'m, 't>(
        &mut self,
        function: &'m Function<'t>,
    ) -> Vec<(&'m Statement<'t>, Option<Id>)> {
        self.begin_function();
        let mut now = None;
        let statements = function.statements().map(|statement| {
            if let StatementKind::Location(location) = &statement.kind {
                now = Some(self.enter(location));
            }
            (statement, now)
        });
        statements.collect()
    }

    /// The line of a location, and then of the calls that inlined it, the innermost first.
    /// Those without a line are left out: the compiler made up their code.
    pub fn lines(&self, id: Id) -> impl Iterator<Item = Line<'_>> {
        let frame = |id: Id| self.frames.get(id.0 as usize);
        // A caller has the smaller number, so this ends.
        let frames = std::iter::successors(frame(id), move |at| at.caller.and_then(frame));
        frames.filter_map(|&Frame { file, line, .. }| {
            let file = self.files.get(&file)?;
            (line > 0).then_some(Line { file, line })
        })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }
}

/// File and line of the `.loc` that holds for a line of a text, from 1, calls left out. The text
/// need not be PTX: it is for what an assembler has refused.
pub fn line_of(text: &str, number: u32) -> Option<Line<'_>> {
    let mut lexer = Lexer::new(text);
    let mut files = HashMap::new();
    let (mut depth, mut holds) = (0_i32, None);
    loop {
        let token = lexer.next();
        let is_above = token.position.line <= number;
        let mut integer = || match lexer.next().kind {
            Kind::Number(Number::Integer(value)) => u32::try_from(value).ok(),
            _ => None,
        };
        match token.kind {
            Kind::End => break,
            Kind::Dot("loc") if is_above => holds = integer().zip(integer()),
            Kind::Dot("file") => {
                let index = integer();
                if let (Some(index), Kind::Text(path)) = (index, lexer.next().kind) {
                    files.entry(index).or_insert(path);
                }
            }
            Kind::Sign('{') if is_above => depth += 1,
            Kind::Sign('}') if is_above => {
                depth -= 1;
                // It holds to the end of its function.
                holds = holds.filter(|_| depth > 0);
            }
            _ => {}
        }
    }
    let (file, line) = holds?;
    let file = *files.get(&file)?;
    Some(Line { file, line })
}

#[cfg(test)]
#[path = "debug_tests.rs"]
mod tests;
