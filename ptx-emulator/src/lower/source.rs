//! Source positions: `.file`, `.loc` and the calls that were inlined.
//!
//! A compiler writes the position of an inlined instruction as a run of
//! `.loc`, the caller first; `inlined_at` of each names the position of its
//! caller, which is the nearest `.loc` above it with that file, line and
//! column (PTX ISA, ".loc"). A position is written once a function, so the
//! caller may stand far above.
//!
//! cuda_builder writes the same in a third of the bytes: one `.loc` with the
//! number of a call as a comment behind it, and the calls, each with its own
//! caller, as comments at the end of the text (`//.call`).

use std::collections::HashMap;

use super::Code;
use crate::ast::{Call, Location};

/// Where the toolchain's own library is compiled from.
const TOOLCHAIN: &str = "/rustc/";

/// A position, and the one that it was inlined at.
#[derive(Copy, Clone, Debug)]
struct Frame {
    file: u32,
    /// 0 when the compiler had none.
    line: u32,
    caller: Option<u32>,
}

/// All positions of a module.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    files: HashMap<u32, String>,
    frames: Vec<Frame>,
    /// The latest frame of the current function with a file, line and column.
    latest: HashMap<(u32, u32, u32), u32>,
    /// The frame of each numbered call.
    calls: HashMap<u32, u32>,
}

impl Sources {
    /// A call whose caller does not stand above it counts as not inlined.
    pub(crate) fn new(files: HashMap<u32, String>, calls: &[Call]) -> Self {
        let mut sources = Sources {
            files,
            ..Sources::default()
        };
        for call in calls {
            let &Call { file, line, .. } = call;
            let caller = call.caller.and_then(|number| sources.call(number));
            let frame = sources.frames.len() as u32;
            sources.frames.push(Frame { file, line, caller });
            sources.calls.insert(call.number, frame);
        }
        sources
    }

    fn call(&self, number: u32) -> Option<u32> {
        self.calls.get(&number).copied()
    }

    /// Positions of another function follow.
    pub(crate) fn begin_function(&mut self) {
        self.latest.clear();
    }

    /// Enters a `.loc`; its number.
    pub(crate) fn enter(&mut self, location: &Location) -> u32 {
        let caller = location.inlined_at.map(|place| {
            let known = self.latest.get(&place).copied();
            known.unwrap_or_else(|| self.push(place, None))
        });
        let caller = caller.or_else(|| self.call(location.call?));
        self.push((location.file, location.line, location.column), caller)
    }

    fn push(&mut self, place: (u32, u32, u32), caller: Option<u32>) -> u32 {
        let index = self.frames.len() as u32;
        let (file, line, _) = place;
        self.frames.push(Frame { file, line, caller });
        self.latest.insert(place, index);
        index
    }

    /// `file:line` of a position, or of the call that it was inlined by.
    pub(crate) fn innermost(&self, position: u32) -> Option<String> {
        self.places(position).next()
    }

    /// `file:line` of a position and of the calls that it was inlined by, the
    /// innermost first. Those without a line are left out: the compiler made
    /// up their code.
    fn stack(&self, position: u32) -> Vec<String> {
        self.places(position).collect()
    }

    fn places(&self, position: u32) -> impl Iterator<Item = String> {
        let frame = |index: u32| self.frames.get(index as usize);
        // A caller always has the smaller number, so this ends.
        std::iter::successors(frame(position), move |at| at.caller.and_then(frame)).filter_map(
            |at| {
                let file = self.files.get(&at.file)?;
                (at.line > 0).then(|| format!("{file}:{}", at.line))
            },
        )
    }
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
        let location = self.origins.get(pc as usize).and_then(|o| o.location);
        location.map_or(Vec::new(), |position| self.sources.stack(position))
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
            .map_or(0, |origin| origin.position.line)
    }

    /// The PTX text of an instruction, blanks squeezed.
    pub(crate) fn statement(&self, pc: u32) -> String {
        let Some(origin) = self.origins.get(pc as usize) else {
            return String::new();
        };
        let text = self
            .text
            .get(origin.text.0 as usize..origin.text.1 as usize)
            .unwrap_or("");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn location(file: u32, line: u32, inlined_at: Option<(u32, u32, u32)>) -> Location {
        Location {
            file,
            line,
            column: 5,
            inlined_at,
            call: None,
        }
    }

    fn sources() -> Sources {
        let names = [
            "",
            "./k/src/scan.rs",
            "./std/src/thread.rs",
            "/rustc/0/mem.rs",
        ];
        let files = names.iter().enumerate().skip(1);
        Sources::new(
            files
                .map(|(index, name)| (index as u32, (*name).to_owned()))
                .collect(),
            &[call(1, (1, 10), None), call(2, (2, 20), Some(1))],
        )
    }

    fn call(number: u32, (file, line): (u32, u32), caller: Option<u32>) -> Call {
        Call {
            number,
            file,
            line,
            caller,
        }
    }

    #[test]
    fn a_position_knows_the_calls_that_it_was_inlined_by() {
        let mut sources = sources();
        sources.enter(&location(1, 10, None));
        sources.enter(&location(2, 20, Some((1, 10, 5))));
        let inner = sources.enter(&location(3, 30, Some((2, 20, 5))));
        let stack = [
            "/rustc/0/mem.rs:30",
            "./std/src/thread.rs:20",
            "./k/src/scan.rs:10",
        ];
        assert_eq!(sources.stack(inner), stack);
        // The same wrapper, called from another line.
        sources.enter(&location(1, 11, None));
        sources.enter(&location(2, 20, Some((1, 11, 5))));
        let again = sources.enter(&location(3, 30, Some((2, 20, 5))));
        assert_eq!(sources.stack(again)[2], "./k/src/scan.rs:11");
        assert_eq!(sources.stack(inner), stack);
    }

    #[test]
    fn a_numbered_call_stands_for_its_position_and_its_callers() {
        let mut sources = sources();
        let numbered = |call| Location {
            call: Some(call),
            ..location(3, 30, None)
        };
        let inner = sources.enter(&numbered(2));
        let stack = [
            "/rustc/0/mem.rs:30",
            "./std/src/thread.rs:20",
            "./k/src/scan.rs:10",
        ];
        assert_eq!(sources.stack(inner), stack);
        // Calls hold for the whole module; one that is not listed is none.
        sources.begin_function();
        let outer = sources.enter(&numbered(1));
        assert_eq!(sources.stack(outer), [stack[0], stack[2]]);
        let unknown = sources.enter(&numbered(9));
        assert_eq!(sources.stack(unknown), stack[..1]);
    }

    #[test]
    fn a_call_whose_caller_does_not_stand_above_it_has_none() {
        let calls = [call(1, (2, 20), Some(2)), call(2, (2, 21), Some(2))];
        let mut sources = Sources::new(HashMap::from([(2, "a.rs".to_owned())]), &calls);
        let at = Location {
            call: Some(2),
            ..location(2, 1, None)
        };
        let inner = sources.enter(&at);
        assert_eq!(sources.stack(inner), ["a.rs:1", "a.rs:21"]);
    }

    #[test]
    fn a_line_0_is_left_out_and_its_callers_stay() {
        let mut sources = sources();
        sources.enter(&location(1, 10, None));
        let inner = sources.enter(&location(2, 0, Some((1, 10, 5))));
        assert_eq!(sources.stack(inner), ["./k/src/scan.rs:10"]);
        let unknown = sources.enter(&location(1, 0, None));
        assert!(sources.stack(unknown).is_empty());
    }

    #[test]
    fn positions_of_another_function_are_not_callers() {
        let mut sources = sources();
        sources.enter(&location(2, 7, None));
        sources.enter(&location(1, 10, Some((2, 7, 5))));
        sources.begin_function();
        let inner = sources.enter(&location(3, 3, Some((1, 10, 5))));
        assert_eq!(
            sources.stack(inner),
            ["/rustc/0/mem.rs:3", "./k/src/scan.rs:10"]
        );
    }

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
