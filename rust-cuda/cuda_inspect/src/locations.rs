//! What leads from machine code back to its source: an assembler keeps file and line and drops
//! comments, so [`numbered`] writes a debug location's number in place of its line.

use std::fmt::Write;

use ptx_syntax::Kind;
use ptx_syntax::debug::{Id, Locations};

use crate::Result;

/// The text with each debug location's number, from 1, in place of its line, and what the
/// numbers stand for ([`of_number`]). The code is the same: an assembler looks at locations for
/// its tables alone.
///
/// # Errors
///
/// [`crate::Error::NotPtx`].
pub fn numbered(text: &str) -> Result<(String, Locations)> {
    let module = ptx_syntax::parse(text)?;
    let mut locations = Locations::new(&module);
    let mut out = String::with_capacity(text.len());
    let mut written = 0;
    for function in module.functions() {
        for (statement, id) in locations.of(function) {
            if let (Kind::Location(location), Some(Id(id))) = (&statement.kind, id) {
                let [file, ..] = location.at;
                out.push_str(&text[written..statement.span.start as usize]);
                // Writing to a string does not fail.
                let _ = write!(out, ".loc\t{file} {} 0", id + 1);
                written = statement.span.end as usize;
            }
        }
    }
    out.push_str(&text[written..]);
    Ok((out, locations))
}

/// The location that a number of [`numbered`] stands for.
pub fn of_number(number: u32) -> Option<Id> {
    number.checked_sub(1).map(Id)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
.version 8.0
.entry k()
{
\t.loc\t1 7 0
\tadd.s32 \t%r2, %r1, 1;
\t.loc\t3 30 0 //2
\tbar.sync 0;
\t.loc\t1 7 0
\t.loc\t2 20 9, function_name $L__info_string0, inlined_at 1 8 3
\t.loc\t1 0 0 //1
\tret;
}
.file 1 \"a.rs\"
.file 2 \"b.rs\"
.file 3 \"c.rs\"
//.call 1 1 8
//.call 2 2 20 1
";

    #[test]
    fn equal_locations_have_one_number_and_instructions_stay() {
        let (text, locations) = numbered(TEXT).unwrap();
        let is_location = |line: &&str| line.contains(".loc");
        let lines: Vec<Vec<String>> = text
            .lines()
            .filter(is_location)
            .map(|line| {
                let number = line.split(' ').nth(1).unwrap().parse().unwrap();
                let lines = locations.lines(of_number(number).unwrap());
                lines.map(|line| line.to_string()).collect()
            })
            .collect();
        let expected: [&[&str]; 5] = [
            &["a.rs:7"],
            &["c.rs:30", "b.rs:20", "a.rs:8"],
            &["a.rs:7"],
            &["b.rs:20", "a.rs:8"],
            &["a.rs:8"],
        ];
        assert_eq!(lines, expected);
        assert_eq!(of_number(0), None);
        let others = |text: &str| {
            let lines = text.lines().filter(|line| !is_location(line));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(others(&text), others(TEXT));
    }
}
