//! The instructions of one thread, with what they wrote, as lines of its source.
//!
//! The values are those of the registers that a line wrote: by the names of the variables that they
//! hold, where those are known (`variables`), else by their own.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;

use quadscan::device::emulator::ptx_emulator::observe::{NamedRegister, Observer, Registers, Site};
use quadscan::device::emulator::ptx_emulator::{Program, Type};

use super::variables::OfKernel;

/// Registers that are shown of a line: those that were written last.
const SHOWN: usize = 4;

/// Columns of a line with its values.
const WIDTH: usize = 150;

/// An instruction that the thread ran, and the values that it wrote.
#[derive(Clone, Debug)]
struct Step {
    pc: u32,
    rows: [u32; 2],
    values: Vec<u64>,
}

/// Follows one thread.
pub(super) struct Steps<'p> {
    program: &'p Program,
    block: [u32; 3],
    /// The thread's number in its block.
    thread: u32,
    /// How many steps are kept: the first ones, or where it ends at an instruction or with the
    /// launch, the last ones.
    kept: usize,
    last: bool,
    /// The instruction behind which nothing more is kept.
    end: Option<u32>,
    steps: VecDeque<Step>,
    variables: Option<&'p OfKernel>,
}

/// What a line wrote.
struct Written<'p> {
    name: &'p str,
    ty: Type,
    value: u64,
    is_variable: bool,
}

impl<'p> Steps<'p> {
    /// The first `kept` steps of a thread.
    pub(super) fn first(program: &'p Program, block: [u32; 3], thread: u32, kept: usize) -> Self {
        Steps {
            program,
            block,
            thread,
            kept,
            last: false,
            end: None,
            steps: VecDeque::new(),
            variables: None,
        }
    }

    /// With the names of variables.
    pub(super) fn naming(self, variables: Option<&'p OfKernel>) -> Self {
        Steps { variables, ..self }
    }

    /// Its last `kept` ones, up to the first time that it comes to `end`.
    pub(super) fn last(self, end: Option<u32>) -> Self {
        Steps {
            last: true,
            end,
            ..self
        }
    }

    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    /// The lines of the kernel's own crate in the order in which the thread came to them, one for
    /// all steps in a row that come of it, each with what was written there.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines: Vec<(String, Vec<Written<'p>>)> = Vec::new();
        for step in &self.steps {
            let Some(place) = self.program.authors_line(step.pc) else {
                continue;
            };
            if lines.last().is_none_or(|(last, _)| *last != place) {
                lines.push((place, Vec::new()));
            }
            let Some((place, written)) = lines.last_mut() else {
                continue;
            };
            for (register, value) in self.program.written(step.pc).iter().zip(&step.values) {
                let one = self.named(step.pc, register, *value, place);
                written.retain(|known| known.name != one.name);
                written.push(one);
            }
        }
        let lines = lines.iter();
        lines
            .map(|(place, written)| with_values(&line(place), written))
            .collect()
    }

    /// The variable of this file that a register holds behind the instruction that wrote it, or
    /// else the register.
    fn named(&self, pc: u32, register: &'p NamedRegister, value: u64, place: &str) -> Written<'p> {
        let behind = self.program.line(pc + 1);
        let file = place.rsplit_once(':').map_or(place, |(file, _)| file);
        let variables = self.variables;
        match variables.and_then(|all| all.held(&register.name, behind, file)) {
            Some(held) => Written {
                name: &held.name,
                ty: held.ty.unwrap_or(register.ty),
                value,
                is_variable: true,
            },
            None => Written {
                name: &register.name,
                ty: register.ty,
                value,
                is_variable: false,
            },
        }
    }
}

impl Observer for Steps<'_> {
    const REGISTERS: bool = true;
    const SERIAL: bool = true;

    fn fork(&self) -> Self {
        Steps {
            steps: VecDeque::new(),
            ..*self
        }
    }

    fn merge(&mut self, other: Self) {
        self.steps.extend(other.steps);
    }

    fn follows(&self) -> bool {
        true
    }

    fn registers(&mut self, at: Site, lanes: u32, rows: [u32; 2], registers: &dyn Registers) {
        let lane = self.thread % 32;
        if (at.block, at.warp) != (self.block, self.thread / 32) || lanes >> lane & 1 == 0 {
            return;
        }
        // What the step before wrote is there now, if this is the same call of a function.
        if let Some(step) = self.steps.back_mut()
            && step.rows == rows
            && step.values.is_empty()
        {
            let written = self.program.written(step.pc).iter();
            let value = |one: &NamedRegister| registers.bits(one.register, lane as usize);
            step.values = written.map(value).collect();
        }
        let ended = self.end.is_some() && self.end == self.steps.back().map(|step| step.pc);
        if ended || !self.last && self.steps.len() == self.kept {
            return;
        }
        if self.steps.len() == self.kept {
            self.steps.pop_front();
        }
        self.steps.push_back(Step {
            pc: at.pc,
            rows,
            values: Vec::new(),
        });
    }
}

/// A place, and what stands there.
fn line(place: &str) -> String {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let text = place.rsplit_once(':').and_then(|(file, number)| {
        let text = fs::read_to_string(root.join(file)).ok()?;
        let number: usize = number.parse().ok()?;
        text.lines().nth(number.checked_sub(1)?).map(str::to_owned)
    });
    let text = text.unwrap_or_default();
    format!("  {}  {}", place.trim_start_matches("./"), text.trim())
}

/// A line, and behind it as many of the values that were written last as have room: of variables,
/// or where there are none, of registers.
fn with_values(line: &str, written: &[Written<'_>]) -> String {
    let has_variables = written.iter().any(|one| one.is_variable);
    let told = written
        .iter()
        .filter(|one| one.is_variable == has_variables);
    let mut last: Vec<_> = told.rev().take(SHOWN).collect();
    last.reverse();
    let mut values = String::new();
    for one in last {
        let before = if values.is_empty() { "" } else { ", " };
        let one = format!("{before}{} = {}", one.name, shown(one.ty, one.value));
        if line.chars().count() + values.len() + one.len() + 5 > WIDTH {
            break;
        }
        values += &one;
    }
    match values.is_empty() {
        true => line.to_owned(),
        false => format!("{line}  // {values}"),
    }
}

/// A value as one of its type. What is only bits may be an integer or a float.
fn shown(ty: Type, bits: u64) -> String {
    match ty {
        Type::Predicate => (bits != 0).to_string(),
        Type::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        Type::F64 => format!("{:?}", f64::from_bits(bits)),
        Type::S8 => (bits as i8).to_string(),
        Type::S16 => (bits as i16).to_string(),
        Type::S32 => (bits as i32).to_string(),
        Type::S64 => (bits as i64).to_string(),
        _ if bits < 1 << 20 => bits.to_string(),
        Type::B32 => format!("{bits:#x} ({:?})", f32::from_bits(bits as u32)),
        _ => format!("{bits:#x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_by_their_types() {
        let one = u64::from(1.5f32.to_bits());
        assert_eq!(shown(Type::F32, one), "1.5");
        assert_eq!(shown(Type::B32, one), "0x3fc00000 (1.5)");
        assert_eq!(shown(Type::F64, 2f64.to_bits()), "2.0");
        assert_eq!(shown(Type::S32, 0xffff_fffe), "-2");
        assert_eq!(shown(Type::U32, 17), "17");
        assert_eq!(shown(Type::Predicate, 0), "false");
        assert_eq!(shown(Type::B64, 1 << 36), "0x1000000000");
    }
}
