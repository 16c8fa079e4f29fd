//! What a mutant changes, and where its fault must show.

use std::collections::BTreeMap;

use super::flow::{Flow, Instruction, Line, Set};

/// Lines of a PTX text, from 1, and the line of the source of each.
pub type Lines = BTreeMap<usize, Option<Line>>;

/// What is taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// A barrier of the block.
    Barrier,
    /// A fence.
    Fence,
    /// The order of an access: acquire and release become relaxed.
    Order,
    /// A check: what it guards always runs.
    Guard,
    /// The end of a loop: it always goes on.
    LoopEnd,
    /// One of two conditions that the compiler joined.
    Condition,
}

impl Change {
    /// All of them.
    pub const ALL: [Change; 6] = [
        Change::Barrier,
        Change::Fence,
        Change::Order,
        Change::Guard,
        Change::LoopEnd,
        Change::Condition,
    ];
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Change::Barrier => "barrier removed",
            Change::Fence => "fence removed",
            Change::Order => "order weakened",
            Change::Guard => "check removed",
            Change::LoopEnd => "loop end removed",
            Change::Condition => "one condition of two removed",
        })
    }
}

/// Where a fault must show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Between an access of the first and one of the second: those that
    /// nothing but the removed barrier keeps apart.
    Between(Lines, Lines),
    /// At one of these instructions.
    At(Lines),
}

/// A kernel with one change.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// What was taken away.
    pub change: Change,
    /// The changed line of the PTX text, from 1.
    pub line: usize,
    /// Its line in the source.
    pub source: Option<Line>,
    /// Which of several changes of one line: `never`, `always` for a branch,
    /// `first of and` and so on for the condition that is gone; else empty.
    pub detail: &'static str,
    /// What stands there now; nothing when it is removed.
    pub with: String,
    /// Where its fault must show.
    pub expected: Expected,
    /// The loops that may not end any more: all that come after.
    pub loops: Lines,
}

impl Mutant {
    /// Whether it lets the kernel go past a check that would stop it.
    pub fn goes_past_a_stop(&self, flow: &Flow) -> bool {
        let at = flow.instructions.iter().position(|i| i.line == self.line);
        let ways = at.and_then(|index| flow.branch(index));
        ways.is_some_and(|(target, fall)| flow.traps(target) || flow.traps(fall))
    }

    /// The text of the module with the change; all lines stay where they are.
    pub fn text(&self, original: &str) -> String {
        let mut text = String::with_capacity(original.len());
        for (index, line) in original.lines().enumerate() {
            text.push_str(if index + 1 == self.line {
                &self.with
            } else {
                line
            });
            text.push('\n');
        }
        text
    }
}

/// All mutants of an entry.
pub fn mutants(flow: &Flow) -> Vec<Mutant> {
    let mut all = Vec::new();
    for (index, instruction) in flow.instructions.iter().enumerate() {
        let ordered = ["acquire", "release", "acq_rel"]
            .into_iter()
            .find(|w| instruction.has(w));
        if instruction.is_barrier() {
            all.push(mutant(
                flow,
                index,
                Change::Barrier,
                "",
                barrier(flow, index),
            ));
        } else if matches!(instruction.head(), "fence" | "membar") {
            all.push(mutant(flow, index, Change::Fence, "", around(flow, index)));
        } else if let Some(order) = ordered {
            let weak = statement(instruction).replacen(&format!(".{order}"), ".relaxed", 1);
            all.push(mutant(
                flow,
                index,
                Change::Order,
                &weak,
                around(flow, index),
            ));
        } else if flow.branch(index).is_some() {
            for side in sides(flow, index) {
                let expected = Expected::At(lines(flow, &side.region, |_| true));
                let detail = if side.with.is_empty() {
                    "never"
                } else {
                    "always"
                };
                let branch = mutant(flow, index, side.change, &side.with, expected);
                all.push(Mutant { detail, ..branch });
            }
        } else if matches!(instruction.opcode(), "and.pred" | "or.pred") {
            let region = guarded(flow, index);
            if let (false, [to, one, other]) = (region.is_empty(), &instruction.operands()[..]) {
                let names = match instruction.has("and") {
                    true => ["first of and", "second of and"],
                    false => ["first of or", "second of or"],
                };
                for (detail, left) in names.into_iter().zip([other, one]) {
                    let expected = Expected::At(lines(flow, &region, |_| true));
                    let with = format!("mov.pred {to}, {left};");
                    let condition = mutant(flow, index, Change::Condition, &with, expected);
                    all.push(Mutant {
                        detail,
                        ..condition
                    });
                }
            }
        } else if instruction.guard.is_some() && instruction.is_access() {
            let unguarded = format!("{};", instruction.text);
            let here = Expected::At(lines(flow, &Set::from([index]), |_| true));
            all.push(mutant(flow, index, Change::Guard, &unguarded, here));
        }
    }
    all
}

fn mutant(flow: &Flow, index: usize, change: Change, with: &str, expected: Expected) -> Mutant {
    let mut after = flow.region(&[index], |_| false);
    after.retain(|&index| flow.innermost_loop(index).is_some());
    Mutant {
        detail: "",
        loops: lines(flow, &after, |_| true),
        change,
        line: flow.instructions[index].line,
        source: source(flow, index),
        with: with.to_owned(),
        expected,
    }
}

/// The whole statement.
fn statement(instruction: &Instruction) -> String {
    match &instruction.guard {
        Some((register, negated)) => {
            let not = if *negated { "!" } else { "" };
            format!("@{not}{register} {};", instruction.text)
        }
        None => format!("{};", instruction.text),
    }
}

/// The line of an instruction; of a branch without one, its condition's.
fn source(flow: &Flow, index: usize) -> Option<Line> {
    let instruction = &flow.instructions[index];
    let (register, _) = match (&instruction.source, &instruction.guard) {
        (None, Some(guard)) => guard,
        (line, _) => return line.clone(),
    };
    let sets = |found: &&Instruction| found.operands().first() == Some(&register.as_str());
    let setter = flow.instructions[..index].iter().rev().find(sets)?;
    setter.source.clone()
}

fn lines(flow: &Flow, region: &Set, wanted: impl Fn(&Instruction) -> bool) -> Lines {
    let instructions = region.iter().map(|&index| &flow.instructions[index]);
    instructions
        .filter(|i| wanted(i))
        .map(|i| (i.line, i.source.clone()))
        .collect()
}

/// The accesses that come before the barrier and after it, up to the next one.
fn barrier(flow: &Flow, index: usize) -> Expected {
    let stops = |at: usize| at != index && flow.instructions[at].is_barrier();
    // What a loop leads back to comes through other barriers, or this one alone.
    let before = flow.leading(index, stops);
    let after = flow.region(&flow.next[index], stops);
    let accesses = |region| lines(flow, region, Instruction::is_access);
    Expected::Between(accesses(&before), accesses(&after))
}

/// The accesses before and after.
fn around(flow: &Flow, index: usize) -> Expected {
    let before = flow.leading(index, |_| false);
    let mut all = flow.region(&[index], |_| false);
    all.extend(before);
    Expected::At(lines(flow, &all, Instruction::is_access))
}

/// A way out of a branch that a mutant always takes.
struct Side {
    change: Change,
    /// What then stands for the branch.
    with: String,
    /// What is guarded by the check that is gone.
    region: Set,
}

fn sides(flow: &Flow, index: usize) -> Vec<Side> {
    let Some((target, fall)) = flow.branch(index) else {
        return Vec::new();
    };
    let taken = format!("{};", flow.instructions[index].text);
    let side = |change, is_taken: bool, region| Side {
        change,
        with: if is_taken {
            taken.clone()
        } else {
            String::new()
        },
        region,
    };
    // What a refusal keeps from running: all up to the next branch.
    let next = |from| {
        let stops = |at: usize| flow.next[at].len() > 1;
        side(Change::Guard, from == target, flow.region(&[from], stops))
    };
    if flow.traps(target) {
        return vec![next(fall)];
    }
    if flow.traps(fall) {
        return vec![next(target)];
    }
    if let Some(body) = flow.innermost_loop(index)
        && body.contains(&target) != body.contains(&fall)
    {
        return vec![side(Change::LoopEnd, body.contains(&target), body.clone())];
    }
    let join = flow.join(index);
    [target, fall]
        .into_iter()
        .filter(|&from| Some(from) != join)
        .map(|from| {
            let region = flow.region(&[from], |at| Some(at) == join);
            side(Change::Guard, from == target, region)
        })
        .collect()
}

/// What is guarded by the branches of a predicate, negated or not.
fn guarded(flow: &Flow, index: usize) -> Set {
    let operands = |i: &Instruction| {
        i.operands()
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let Some(own) = operands(&flow.instructions[index]).first().cloned() else {
        return Set::new();
    };
    let negations = flow
        .instructions
        .iter()
        .filter(|i| i.opcode() == "not.pred");
    let mut registers: Vec<String> = negations
        .map(operands)
        .filter(|names| names.get(1) == Some(&own))
        .filter_map(|names| names.first().cloned())
        .collect();
    registers.push(own);
    let mut region = Set::new();
    for (index, instruction) in flow.instructions.iter().enumerate() {
        if matches!(&instruction.guard, Some((register, _)) if registers.contains(register)) {
            sides(flow, index)
                .into_iter()
                .for_each(|side| region.extend(side.region));
        }
    }
    region
}
