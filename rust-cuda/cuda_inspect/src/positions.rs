//! Positions of instructions, as `cuda_builder` reads them, and what leads from machine code
//! back to them: an assembler keeps file and line and drops comments, so [`numbered`] writes a
//! position's number in place of its line.

use std::collections::BTreeMap;
use std::fmt::Write;

pub use cuda_builder::places::{Frame, Places, Position, read};

/// The text with each position's number, from 1, in place of its line, and what the numbers
/// stand for. The code is the same: an assembler looks at positions for its tables alone.
pub fn numbered(text: &str) -> (String, Vec<Position>) {
    let mut numbers: BTreeMap<Position, usize> = BTreeMap::new();
    let mut positions = Vec::new();
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        match read(line) {
            Some(position) => {
                let number = *numbers.entry(position).or_insert_with(|| {
                    positions.push(position);
                    positions.len()
                });
                // Writing to a string does not fail.
                let _ = write!(out, "\t.loc\t{} {number} 0", position.file());
            }
            None => out.push_str(line),
        }
        out.push('\n');
    }
    (out, positions)
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
";

    #[test]
    fn equal_positions_have_one_number_and_instructions_stay() {
        let (text, positions) = numbered(TEXT);
        assert_eq!(positions.len(), 4);
        let numbers: Vec<&str> = text.lines().filter(|line| line.contains(".loc")).collect();
        let expected = [
            "\t.loc\t1 1 0",
            "\t.loc\t3 2 0",
            "\t.loc\t1 1 0",
            "\t.loc\t2 3 0",
            "\t.loc\t1 4 0",
        ];
        assert_eq!(numbers, expected);
        let others = |text: &str| {
            let lines = text.lines().filter(|line| !line.contains(".loc"));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(others(&text), others(TEXT));
        assert_eq!(positions[1], read("\t.loc\t3 30 0 //2").unwrap());
    }
}
