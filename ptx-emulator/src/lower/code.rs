//! A program, decoded: instructions, functions, variables, and where in the texts they are from.

use std::sync::OnceLock;

use ptx_syntax::{Space, Span, Type, debug};

use super::uses::Uses;
use crate::ir::{Instruction, Passed, Pool, Slot, Source};

/// Where the toolchain's own library is compiled from.
const TOOLCHAIN: &str = "/rustc/";

/// Rows and bytes that one call of a function needs.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) w32: u32,
    pub(crate) w64: u32,
    pub(crate) predicates: u32,
    /// Bytes of local memory a lane.
    pub(crate) local: u32,
}

impl Sizes {
    /// Bytes of a warp's register rows and local memory.
    pub(crate) fn bytes(self) -> u64 {
        u64::from(self.w32) * 128 + u64::from(self.w64) * 256 + u64::from(self.local) * 32
    }

    /// Of a function that has no registers yet: slot 0 of each file is the sink, predicate 1 is
    /// false.
    pub(crate) fn least() -> Self {
        Sizes {
            w32: 1,
            w64: 1,
            predicates: 2,
            local: 0,
        }
    }
}

impl Formal {
    /// Where the function has it.
    pub(crate) fn place(&self) -> Passed {
        match self.register {
            Some(slot) => Passed::Row(Source::register(slot), self.bytes),
            None => Passed::Frame(self.offset, self.bytes),
        }
    }
}

/// A parameter: offset and size in bytes, in the parameter bank of an entry
/// or in the frame of a function; or a register of the function.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Formal {
    pub(crate) offset: u32,
    pub(crate) bytes: u32,
    pub(crate) ty: Type,
    pub(crate) register: Option<Slot>,
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) entry: bool,
    pub(crate) defined: bool,
    /// The definition is `.weak`: another module's counts before it.
    pub(crate) weak: bool,
    /// The module that it is in.
    pub(crate) source: u32,
    /// First instruction, and one past the last.
    pub(crate) code: (u32, u32),
    pub(crate) parameters: Vec<Formal>,
    pub(crate) returns: Vec<Formal>,
    pub(crate) sizes: Sizes,
    pub(crate) directives: Vec<(String, Vec<u32>)>,
    /// Shared variables that the body names.
    pub(crate) shared: Vec<u32>,
    /// Functions that it calls; `indirect` when it calls any other way.
    pub(crate) calls: Vec<u32>,
    pub(crate) indirect: bool,
}

/// Where an instruction comes from.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Origin {
    /// In the text.
    pub(crate) span: Span,
    pub(crate) location: Option<debug::Id>,
    pub(crate) function: u32,
}

/// A row of the pool that holds an address, known when a kernel is launched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relocation {
    pub(crate) wide: bool,
    pub(crate) row: u32,
    pub(crate) symbol: Symbol,
    pub(crate) offset: i64,
    pub(crate) generic: bool,
}

/// A name of module scope.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Symbol {
    Variable(u32),
    Function(u32),
}

/// A variable of the program.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) name: String,
    pub(crate) space: Space,
    pub(crate) bytes: u64,
    /// Bytes of an element.
    pub(crate) unit: u32,
    pub(crate) align: u32,
    /// `.extern .shared x[]`: the launch says how many bytes.
    pub(crate) dynamic: bool,
    /// Shorter than `bytes`: the rest is zero.
    pub(crate) initial: Vec<u8>,
    /// Addresses within `initial`: offset, what, plus how much, generic, bytes.
    pub(crate) addresses: Vec<(u64, Symbol, i64, bool, u32)>,
}

/// A whole program, ready to be placed in a GPU's memory and run.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) origins: Vec<Origin>,
    pub(crate) functions: Vec<Function>,
    pub(crate) variables: Vec<Placed>,
    pub(crate) pool: Pool,
    pub(crate) relocations: Vec<Relocation>,
    /// Of each module that was linked.
    pub(crate) sources: Vec<SourceText>,
    /// What each instruction does with registers, once somebody has asked.
    pub(crate) uses: OnceLock<Vec<Uses>>,
}

/// What origins in a module refer to.
#[derive(Debug)]
pub(crate) struct SourceText {
    pub(crate) text: String,
    pub(crate) locations: debug::Locations,
}

/// The folder that a crate's sources lie in: up to the last `src`, or the
/// file's own folder.
fn source_folder(place: &str) -> &str {
    match place.rfind("/src/") {
        Some(at) => &place[..at + 5],
        None => place.rfind('/').map_or("", |at| &place[..=at]),
    }
}

/// Which line of a stack is the author's: the innermost one in the same
/// source folder as the outermost, which is the kernel itself; so neither the
/// toolchain's library nor a wrapper of another crate. An index; `None` for an
/// empty stack.
fn authors_line(stack: &[String]) -> Option<usize> {
    let own = stack
        .iter()
        .rev()
        .find(|place| !place.starts_with(TOOLCHAIN))
        .or(stack.last())?;
    let folder = source_folder(own);
    stack
        .iter()
        .position(|place| place.starts_with(folder) && source_folder(place) == folder)
        .or_else(|| stack.len().checked_sub(1))
}

impl Code {
    /// `file:line` of an instruction and of the calls that it was inlined by,
    /// the innermost first.
    pub(crate) fn source_stack(&self, pc: u32) -> Vec<String> {
        let lines = self.origins.get(pc as usize).and_then(|origin| {
            let source = self.source_of(origin)?;
            Some(source.locations.lines(origin.location?))
        });
        lines
            .into_iter()
            .flatten()
            .map(|line| line.to_string())
            .collect()
    }

    fn source_of(&self, origin: &Origin) -> Option<&SourceText> {
        let function = self.functions.get(origin.function as usize)?;
        self.sources.get(function.source as usize)
    }

    /// `file:line` of an instruction in the author's own code.
    pub(crate) fn authors_line(&self, pc: u32) -> Option<String> {
        let mut stack = self.source_stack(pc);
        authors_line(&stack).map(|index| stack.swap_remove(index))
    }

    /// The kernel or function of an instruction; empty when there is none.
    pub(crate) fn function_of(&self, pc: u32) -> &str {
        let origin = self.origins.get(pc as usize);
        origin
            .and_then(|origin| self.functions.get(origin.function as usize))
            .map_or("", |function| function.name.as_str())
    }

    /// Line in the PTX text of an instruction; 0 when there is none.
    pub(crate) fn line(&self, pc: u32) -> u32 {
        self.origins
            .get(pc as usize)
            .map_or(0, |origin| origin.span.position.line)
    }

    /// The PTX text of an instruction, blanks squeezed.
    pub(crate) fn statement(&self, pc: u32) -> String {
        let Some(origin) = self.origins.get(pc as usize) else {
            return String::new();
        };
        let text = self
            .source_of(origin)
            .map_or("", |source| origin.span.of(&source.text));
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_authors_line_is_the_innermost_of_the_kernels_own_crate() {
        let pick = |stack: &[&str]| {
            let stack: Vec<String> = stack.iter().map(|&place| place.to_owned()).collect();
            authors_line(&stack).map(|index| stack[index].clone())
        };
        let chosen = |stack: &[&str], line: &str| assert_eq!(pick(stack).as_deref(), Some(line));
        chosen(
            &[
                "/rustc/0/mem.rs:1",
                "./std/src/t.rs:2",
                "./k/src/warp.rs:3",
                "./k/src/scan/a.rs:4",
            ],
            "./k/src/warp.rs:3",
        );
        chosen(&["/elsewhere/a.cu:1"], "/elsewhere/a.cu:1");
        chosen(&["a.cu:1"], "a.cu:1");
        chosen(
            &["/rustc/0/a/src/x.rs:1", "/rustc/0/mem.rs:9"],
            "/rustc/0/mem.rs:9",
        );
        chosen(&["./k/src/f.rs:7", "/rustc/0/mem.rs:9"], "./k/src/f.rs:7");
        assert_eq!(pick(&[]), None);
    }
}
