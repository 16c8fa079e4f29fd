//! Machine code as `nvdisasm` and `cuobjdump` print it.
//!
//! An instruction stands behind its address in a comment, `/*0010*/ @P0 IADD3 R1, ... ;`;
//! where the assembler kept lines and `nvdisasm` was asked for them (`-g`), they stand
//! before what they hold for, as `//## File "name", line 7`.

use crate::class::{Class, Mix};

/// A line of machine code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// An instruction.
    Instruction {
        /// With its predicate, and without its semicolon.
        text: String,
        /// The line of the source that it came from, where the assembler kept it.
        line: Option<u32>,
    },
    /// A place to jump to, with its colon.
    Label(String),
}

/// The code in a disassembler's output. What pads its end is left out.
pub fn read(text: &str) -> Vec<Line> {
    let mut found = Vec::new();
    let mut line = None;
    for written in text.lines() {
        let written = written.trim();
        if let Some(rest) = written.strip_prefix("//## File ") {
            line = rest.split("line ").nth(1).and_then(number);
        } else if let Some(text) = instruction(written) {
            found.push(Line::Instruction { text, line });
        } else if is_label(written) {
            found.push(Line::Label(written.to_owned()));
        } else if written.starts_with(".section") {
            line = None;
        }
    }
    while found.last().is_some_and(is_padding) {
        found.pop();
    }
    found
}

impl Line {
    /// The opcode with its suffixes; `None` for a label.
    pub fn opcode(&self) -> Option<&str> {
        let Line::Instruction { text, .. } = self else {
            return None;
        };
        let mut words = text.split_whitespace();
        let first = words.next()?;
        match first.starts_with('@') {
            true => words.next(),
            false => Some(first),
        }
    }
}

/// The instructions by class.
pub fn mix(code: &[Line]) -> Mix {
    let opcodes = code.iter().filter_map(Line::opcode);
    opcodes.map(Class::of_sass).collect()
}

/// `/*0010*/ IADD3 R1, R2, R3, RZ ; /* 0x... */`
fn instruction(written: &str) -> Option<String> {
    let rest = written.strip_prefix("/*")?;
    let (address, rest) = rest.split_once("*/")?;
    u64::from_str_radix(address.trim(), 16).ok()?;
    let (text, _) = rest.split_once(';')?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// `.L_x_1:`, and `$__internal_0_...:` of a routine that the assembler brings.
fn is_label(written: &str) -> bool {
    written.ends_with(':') && (written.starts_with(".L_") || written.starts_with('$'))
}

/// Behind the last jump to itself stand instructions that nobody reaches.
fn is_padding(line: &Line) -> bool {
    match line {
        Line::Instruction { .. } => line.opcode() == Some("NOP"),
        Line::Label(_) => true,
    }
}

fn number(text: &str) -> Option<u32> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITH_LINES: &str = include_str!("../tests/recorded/nvdisasm-13.5.txt");
    const WITHOUT: &str = include_str!("../tests/recorded/cuobjdump-13.5.txt");

    #[test]
    fn both_disassemblers_give_the_same_instructions() {
        let opcodes = |text: &str| {
            let lines = read(text);
            let opcodes = lines.iter().filter_map(Line::opcode);
            opcodes.map(str::to_owned).collect::<Vec<_>>()
        };
        let found = opcodes(WITH_LINES);
        assert_eq!(found, opcodes(WITHOUT));
        assert!(
            found
                .iter()
                .any(|opcode| opcode == "BAR.SYNC.DEFER_BLOCKING"),
            "{found:?}"
        );
        // One that has a predicate.
        assert!(
            found.iter().any(|opcode| opcode.starts_with("STG")),
            "{found:?}"
        );
        assert_ne!(found.last().map(String::as_str), Some("NOP"));
    }

    #[test]
    fn instructions_have_the_line_that_stands_before_them() {
        let code = read(WITH_LINES);
        let lines = |wanted: &str| {
            let matching = code.iter().filter(|line| line.opcode() == Some(wanted));
            matching
                .map(|line| match line {
                    Line::Instruction { line, .. } => *line,
                    Line::Label(_) => None,
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(lines("S2R"), [Some(127)]);
        assert!(matches!(
            &read(WITHOUT)[0],
            Line::Instruction { line: None, .. }
        ));
        assert!(code.contains(&Line::Label(".L_x_2:".into())));
    }

    #[test]
    fn the_mix_counts_instructions_and_no_labels() {
        let code = read(
            "/*0000*/ S2R R0, SR_TID.X ;\n.L_x_1:\n/*0010*/ @!P0 DADD R2, R4, R6 ;\n/*0020*/ BRA `(.L_x_1);\n/*0030*/ NOP;",
        );
        let mix = mix(&code);
        assert_eq!(
            (mix.get(Class::Fp64), mix.get(Class::Move), mix.total()),
            (1, 1, 3)
        );
    }
}
