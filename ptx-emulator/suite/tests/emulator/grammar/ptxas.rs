//! The judge: which forms ptxas takes.

use std::ffi::OsString;

use crate::harness::refused;

pub(super) use cuda_inspect::tools::REMEDY;

/// The assembler that `PTXAS` names, or one that is installed.
pub(super) fn find() -> Option<OsString> {
    std::env::var_os("PTXAS").or_else(|| Some(cuda_inspect::tools::find("ptxas")?.into()))
}

/// Whether it takes each of these forms.
pub(super) fn taken(
    assembler: &OsString,
    forms: &[String],
    kernel: impl Fn(&str) -> String,
) -> Vec<bool> {
    let mut taken = vec![false; forms.len()];
    let mut left = vec![(0..forms.len()).collect::<Vec<usize>>()];
    // All stand in one kernel. ptxas names the lines of those that it refuses, some or all of
    // them, and is asked again without them; where it names none, about each half.
    while let Some(asked) = left.pop() {
        let lines: Vec<&str> = asked.iter().map(|&index| forms[index].as_str()).collect();
        let text = kernel(&lines.join("\n"));
        let first = text.lines().position(|line| Some(&line) == lines.first());
        let Some((_, refused)) = refused(assembler, "sm_90", &text) else {
            asked.iter().for_each(|&index| taken[index] = true);
            continue;
        };
        let places = refused
            .iter()
            .filter_map(|line| line.checked_sub(1 + first?));
        let places: Vec<usize> = places.filter(|&place| place < asked.len()).collect();
        let rest = asked.iter().enumerate();
        let rest = rest.filter(|(place, _)| !places.contains(place));
        let rest: Vec<usize> = rest.map(|(_, &index)| index).collect();
        match places.is_empty() {
            true if asked.len() > 1 => {
                let (low, high) = rest.split_at(rest.len() / 2);
                left.extend([low.to_vec(), high.to_vec()]);
            }
            true => {}
            false if rest.is_empty() => {}
            false => left.push(rest),
        }
    }
    taken
}
