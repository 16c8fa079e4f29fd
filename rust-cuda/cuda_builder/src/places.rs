//! From an instruction of PTX to the line of Rust that it came from, and to the calls that
//! inlined it.
//!
//! What this package writes is `.loc file line 0 //call`, and the calls once, as comments:
//! `//.call number file line [caller]`. What LLVM and nvcc write (`function_name`,
//! `inlined_at`) is read as far as its first call.

use std::collections::BTreeMap;

/// A place in a source file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Frame {
    /// As the PTX names it: `./src/lib.rs`, `/rustc/COMMIT/library/core/src/ptr.rs`.
    pub file: String,
    /// From 1.
    pub line: u32,
}

/// What one `.loc` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    file: u32,
    line: u32,
    caller: Caller,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Caller {
    Nobody,
    Call(u32),
    Inlined { file: u32, line: u32 },
}

/// The files and calls of a PTX text.
#[derive(Debug, Clone, Default)]
pub struct Places {
    files: BTreeMap<u32, String>,
    /// File, line and caller.
    calls: BTreeMap<u32, (u32, u32, Option<u32>)>,
}

impl Position {
    /// The number of its file.
    pub fn file(&self) -> u32 {
        self.file
    }
}

impl Places {
    /// Those that a text lists.
    pub fn read(text: &str) -> Self {
        let mut places = Places::default();
        for line in text.lines() {
            let line = line.trim_start();
            if let Some(call) = line.strip_prefix("//.call ") {
                let numbers = call.split(' ').map_while(|word| word.parse().ok());
                if let [number, file, line, caller @ ..] = &numbers.collect::<Vec<u32>>()[..] {
                    let call = (*file, *line, caller.first().copied());
                    places.calls.insert(*number, call);
                }
            } else if let Some(file) = line.strip_prefix(".file")
                && let Some((number, path)) = file.trim().split_once(char::is_whitespace)
                && let Ok(number) = number.parse()
            {
                // nvcc writes a date and a size behind it.
                let path = path.trim().trim_start_matches('"');
                let path = path.split('"').next().unwrap_or(path);
                places.files.insert(number, path.to_owned());
            }
        }
        places
    }

    /// The place itself, and then the calls that inlined it, the innermost first. Places
    /// that the compiler made up (line 0) are left out.
    pub fn frames(&self, position: Position) -> Vec<Frame> {
        let mut found = vec![(position.file, position.line)];
        match position.caller {
            Caller::Nobody => {}
            Caller::Inlined { file, line } => found.push((file, line)),
            Caller::Call(first) => {
                // A caller has the smaller number, so this ends.
                let numbers = std::iter::successors(Some(first), |number| {
                    let &(_, _, caller) = self.calls.get(number)?;
                    caller.filter(|caller| caller < number)
                });
                let calls = numbers.filter_map(|number| self.calls.get(&number));
                found.extend(calls.map(|&(file, line, _)| (file, line)));
            }
        }
        let frame = |(file, line): (u32, u32)| {
            let file = self.files.get(&file)?.clone();
            (line > 0).then_some(Frame { file, line })
        };
        found.into_iter().filter_map(frame).collect()
    }
}

/// Reads a line of PTX if it is a `.loc`.
pub fn read(line: &str) -> Option<Position> {
    let rest = line.trim().strip_prefix(".loc")?;
    let (written, call) = rest.split_once("//").unwrap_or((rest, ""));
    let place = |text: &str| {
        let mut numbers = text.split_whitespace();
        let mut number = || numbers.next()?.trim_end_matches(',').parse().ok();
        Some((number()?, number()?))
    };
    let (file, line) = place(written)?;
    let caller = match (written.split_once("inlined_at"), call.trim().parse()) {
        (Some((_, outer)), _) => place(outer).map_or(Caller::Nobody, |(file, line)| {
            Caller::Inlined { file, line }
        }),
        (None, Ok(call)) => Caller::Call(call),
        (None, Err(_)) => Caller::Nobody,
    };
    Some(Position { file, line, caller })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
\t.loc\t1 7 0
\tadd.s32 \t%r2, %r1, 1;
\t.loc\t3 30 0 //2
\tbar.sync 0;
\t.loc\t1 7 0
\t.loc\t2 20 9, function_name $L__info_string0, inlined_at 1 8 3
\t.loc\t1 0 0 //1
\t.file\t1 \"./src/lib.rs\"
\t.file\t2 \"/rustc/0/library/core/src/ptr.rs\"
\t.file\t3 \"./src/block.rs\", 1700000000, 99
//.call 1 1 8
//.call 2 2 20 1
";

    fn frames(line: &str) -> Vec<String> {
        let frames = Places::read(TEXT).frames(read(line).unwrap());
        frames
            .iter()
            .map(|frame| format!("{}:{}", frame.file, frame.line))
            .collect()
    }

    #[test]
    fn a_position_leads_through_its_calls_to_the_kernel() {
        assert_eq!(frames("\t.loc\t1 7 0"), ["./src/lib.rs:7"]);
        let core = "/rustc/0/library/core/src/ptr.rs:20";
        assert_eq!(
            frames("\t.loc\t3 30 0 //2"),
            ["./src/block.rs:30", core, "./src/lib.rs:8"]
        );
        let long = "\t.loc\t2 20 9, function_name $L__info_string0, inlined_at 1 8 3";
        assert_eq!(frames(long), [core, "./src/lib.rs:8"]);
        // The compiler made it up; who called it is known all the same.
        assert_eq!(frames("\t.loc\t1 0 0 //1"), ["./src/lib.rs:8"]);
    }

    #[test]
    fn a_call_that_names_itself_ends() {
        let places = Places::read(".file 1 \"a\"\n//.call 1 1 5 1\n");
        assert_eq!(places.frames(read(".loc 1 2 0 //1").unwrap()).len(), 2);
    }
}
