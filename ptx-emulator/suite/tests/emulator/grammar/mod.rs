//! A thousand forms from the grammar, right and wrong ones: the emulator takes what ptxas takes for
//! sm_90, and refuses what it refuses.
//!
//! `forms.txt` has the forms and what ptxas said of each. With an assembler (`PTXAS`, or where
//! `cuda_inspect::tools` finds one) it is asked again; `UPDATE_FORMS=1` writes the file anew.

mod ptxas;
mod table;

use std::collections::BTreeSet;
use std::path::Path;

use ptx_emulator::Program;
use table::{DIFFERENCES, ROWS, Row};

/// How many forms there are.
const FORMS: usize = 1000;

/// A small generator of numbers (Marsaglia, "Xorshift RNGs", 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % bound
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

/// A kernel around the text of instructions.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry test(.param .u64 in) {{\n\
         .reg .pred %p, %q; .reg .b16 %ha, %hb, %hc, %ho; .reg .b32 %ra, %rb, %rc, %ro;\n\
         .reg .b64 %a, %b, %c, %o; .shared .align 16 .b8 room[64];\n{body}\nret;\n}}\n"
    )
}

/// The name of a register for values of a type: the `index`-th source, or the result.
fn register(ty: &str, index: Option<usize>) -> String {
    let bits: String = ty.chars().filter(char::is_ascii_digit).collect();
    let prefix = match (ty, bits.as_str()) {
        ("pred", _) => return index.map_or("%p", |_| "%q").to_owned(),
        ("f16x2" | "bf16x2" | "u16x2" | "s16x2", _) => "r",
        (_, "8" | "16") => "h",
        (_, "64") => "",
        _ => "r",
    };
    let letter = index.map_or('o', |index| b"abcabc"[index] as char);
    format!("%{prefix}{letter}")
}

/// One form of a row: a word of each of its sets, and operands of the types that it takes; one in
/// five has an operand that is another than these.
fn form(row: &Row, random: &mut Random) -> String {
    let mut name = row.opcode.to_owned();
    let mut types = Vec::new();
    for set in row.words {
        let choices: Vec<&str> = set.split('|').collect();
        let is_bare = choices[0].is_empty() && random.below(2) == 0;
        let word = if is_bare { "" } else { random.pick(&choices) };
        if !word.is_empty() {
            name.push('.');
            name.push_str(word);
        }
        if set.contains("32") || set.contains("pred") {
            types.push(word.rsplit('.').next().unwrap_or(word));
        }
    }
    let mut operands: Vec<String> = row
        .operands
        .split(' ')
        .enumerate()
        .map(|(place, operand)| operand_text(operand, place, &types))
        .collect();
    let place = random.below(operands.len());
    match random.below(20) {
        0 => operands[place] = "3".to_owned(),
        1 => operands[place] = random.pick(&["%ha", "%rb", "%c", "%p"]).to_owned(),
        2 => drop(operands.pop()),
        3 => operands.push(random.pick(&["%ra", "%a", "%q"]).to_owned()),
        _ => {}
    }
    format!("{name} {};", operands.join(", "))
}

/// `d` and `s` are of the first type, `D` and `S` of the last; others stand as they are.
fn operand_text(operand: &str, place: usize, types: &[&str]) -> String {
    let first = types.first().copied().unwrap_or("b32");
    let last = types.last().copied().unwrap_or("b32");
    match operand {
        "d" => register(first, None),
        "s" => register(first, Some(place.saturating_sub(1))),
        "S" => register(last, Some(place.saturating_sub(1))),
        "w" => {
            let wide = if first.ends_with("16") { "b32" } else { "b64" };
            register(wide, if place == 0 { None } else { Some(2) })
        }
        other => other.to_owned(),
    }
}

/// All forms, each once, the same on every run.
fn forms() -> Vec<String> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut forms = BTreeSet::new();
    for at in 0.. {
        if forms.len() == FORMS {
            break;
        }
        forms.insert(form(&ROWS[at % ROWS.len()], &mut random));
    }
    forms.into_iter().collect()
}

/// What the file says: the forms that ptxas takes, and those that it refuses.
fn recorded() -> Vec<(bool, String)> {
    let lines = include_str!("forms.txt").lines();
    let split = lines.map(|line| (line.starts_with('+'), line[2..].to_owned()));
    split.collect()
}

#[test]
fn the_file_has_the_forms_of_the_grammar_and_what_ptxas_says_of_them() {
    let forms = forms();
    let names: Vec<String> = recorded().into_iter().map(|(_, form)| form).collect();
    let Some(assembler) = ptxas::find() else {
        eprintln!("skipped: no assembler, PTXAS names none; {}", ptxas::REMEDY);
        assert!(
            forms == names,
            "forms.txt is of another grammar; UPDATE_FORMS=1 with ptxas"
        );
        return;
    };
    let taken = ptxas::taken(&assembler, &forms, kernel);
    let lines = forms.iter().zip(&taken);
    let text: String = lines
        .map(|(form, taken)| format!("{} {form}\n", if *taken { '+' } else { '-' }))
        .collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/emulator/grammar/forms.txt");
    if std::env::var_os("UPDATE_FORMS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap();
    assert!(
        found == text,
        "ptxas says something else; UPDATE_FORMS=1 writes forms.txt"
    );
}

#[test]
fn what_ptxas_takes_is_taken_and_what_it_refuses_is_refused() {
    let mut unexplained = Vec::new();
    let (mut agreed, mut explained) = (0, BTreeSet::new());
    for (taken, form) in recorded() {
        let loaded = Program::load(&kernel(&form));
        if loaded.is_ok() == taken {
            agreed += 1;
        } else if let Some((part, _)) = DIFFERENCES.iter().find(|(part, _)| form.contains(part)) {
            explained.insert(*part);
        } else {
            let reason = loaded
                .err()
                .map_or("taken here".to_owned(), |error| error.to_string());
            unexplained.push(format!("{form}  {reason}"));
        }
    }
    let count = unexplained.len();
    assert!(
        count == 0,
        "{count} of {FORMS}, {agreed} agree:\n{}",
        unexplained.join("\n")
    );
    assert!(agreed >= 990, "{agreed} of {FORMS} agree");
    let idle: Vec<_> = DIFFERENCES
        .iter()
        .filter(|(part, _)| !explained.contains(part))
        .collect();
    assert!(idle.is_empty(), "no form differs so: {idle:?}");
}
