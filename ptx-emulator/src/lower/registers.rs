//! Which registers an instruction names, and which bytes it copies from one to another.
//!
//! Nothing of this is needed to run code: `lower::uses` lowers a program's texts once more for whoever
//! asks.

use ptx_syntax::{Instruction, Operand, Type};

use super::scope::{Entity, Scopes};
use super::uses::{Flow, Origins, Term, Uses};
use crate::ir::{Direction, Op, Operands, Slot, System};
use crate::observe::{NamedRegister as Named, Register};

/// The rows of a register, two of one of 128 bits.
fn rows(slot: Slot, ty: Type) -> impl Iterator<Item = Register> {
    let bits = match ty {
        Type::Predicate => 1,
        _ => (ty.bytes() * 8).min(64),
    };
    let count = if ty.bytes() == 16 { 2 } else { 1 };
    (0..count).map(move |part| Register {
        bits,
        row: slot.0 + part,
    })
}

impl Uses {
    /// Of an instruction just decoded.
    pub(super) fn new(
        instruction: &Instruction<'_>,
        scopes: &Scopes,
        op: &Op,
        operands: &Operands,
    ) -> Uses {
        let names = Names { scopes };
        let mut uses = Uses::default();
        let mut rest = instruction.operands.as_slice();
        if let Some((first, others)) = rest.split_first() {
            let named = names.of(first);
            let known = |one: &Named| operands.d.contains(&Slot(one.register.row));
            let gives = match op {
                Op::Load(_) => true,
                Op::Call(_) => matches!(first, Operand::List(_)),
                Op::System(system) => matches!(**system, System::Matrix(_) | System::Product(_)),
                _ => named.iter().all(known),
            };
            if gives && !matches!(first, Operand::Address { .. }) {
                uses.written = names.seen(named, instruction);
                rest = others;
            }
        }
        let read = |list: &[Operand<'_>]| {
            let named = list.iter().flat_map(|operand| names.of(operand));
            let all = named.flat_map(|one| rows(Slot(one.register.row), one.ty));
            all.filter(|register| register.bits > 1).collect()
        };
        uses.flow = names.flow(instruction).unwrap_or_default();
        uses.read = match (&uses.flow, instruction.opcode) {
            // What is stored is no matter here.
            (_, "st") => read(&rest[..rest.len().min(1)]),
            (Flow::Shuffled { .. }, _) => read(rest.get(1..).unwrap_or_default()),
            (Flow::Computed, _) => read(rest),
            _ => Vec::new(),
        };
        uses
    }
}

struct Names<'s> {
    scopes: &'s Scopes,
}

impl Names<'_> {
    fn find(&self, name: &str) -> Option<(Slot, Type)> {
        // A part of a register, `%r1.b0`, is the register.
        let whole = || self.scopes.find(name.split('.').next()?);
        match self.scopes.find(name).or_else(whole)? {
            Entity::Register { slot, ty } => Some((*slot, *ty)),
            _ => None,
        }
    }

    /// The registers that an operand names.
    fn of(&self, operand: &Operand<'_>) -> Vec<Named> {
        let named = operand.names().into_iter().filter_map(|name| {
            let (slot, ty) = self.find(name)?;
            let register = rows(slot, ty).next()?;
            let name = name.to_owned();
            Some(Named { name, ty, register })
        });
        named.collect()
    }

    /// Results with the types that the instruction gives them.
    fn seen(&self, mut named: Vec<Named>, instruction: &Instruction<'_>) -> Vec<Named> {
        let words = instruction.modifiers.iter();
        let types: Vec<Type> = words.filter_map(|word| Type::parse(word)).collect();
        for one in &mut named {
            let same = |ty: &&Type| {
                ty.bytes() == one.ty.bytes() && **ty != Type::Predicate && one.register.bits > 1
            };
            one.ty = *types.iter().find(same).unwrap_or(&one.ty);
        }
        named
    }

    fn row(&self, operand: Option<&Operand<'_>>) -> Option<Register> {
        match operand? {
            Operand::Name(name) => self.find(name).and_then(|(slot, ty)| rows(slot, ty).next()),
            _ => None,
        }
    }

    fn term(&self, operand: Option<&Operand<'_>>) -> Option<Term> {
        match operand? {
            Operand::Number(number) => Some(Term::Number(number.bits(Type::B32)? as u32)),
            operand => self.row(Some(operand)).map(Term::Register),
        }
    }

    /// The low `bytes` bytes of an operand; of a list, as many of each part as it has.
    fn value(&self, operand: &Operand<'_>, bytes: usize) -> Vec<Origins> {
        if let Operand::Vector(parts) = operand {
            let each = bytes / parts.len().max(1);
            return (parts.iter().flat_map(|part| self.value(part, each))).collect();
        }
        let mut value: Vec<Origins> = Vec::new();
        if let Operand::Name(name) = operand
            && let Some((slot, ty)) = self.find(name)
        {
            let rows = rows(slot, ty);
            value.extend(
                rows.flat_map(|row| (0..row.bits as usize / 8).map(move |k| vec![(row, k)])),
            );
        }
        value.resize(bytes, Vec::new());
        value
    }

    /// What an instruction copies; `None` where it computes.
    fn flow(&self, instruction: &Instruction<'_>) -> Option<Flow> {
        let operands = instruction.operands.as_slice();
        let has = |word: &str| instruction.has(word);
        let types: Vec<Type> = (instruction.modifiers.iter())
            .filter_map(|word| Type::parse(word))
            .collect();
        let (&ty, to) = (types.first()?, operands.first()?);
        let bytes = ty.bytes() as usize;
        let number = |index: usize| match operands.get(index)? {
            Operand::Number(number) => number.bits(Type::B64).and_then(|n| usize::try_from(n).ok()),
            _ => None,
        };
        if ty == Type::Predicate {
            return None;
        }
        let from = operands.get(1)?;
        let value = match instruction.opcode {
            "mov" => {
                let vector = if has("v4") {
                    4
                } else if has("v2") {
                    2
                } else {
                    1
                };
                self.value(from, bytes * vector)
            }
            "cvt" => {
                let &source = types.get(1)?;
                if ty.is_float() || source.is_float() || has("sat") || has("pack") {
                    return None;
                }
                let value = self.value(from, source.bytes() as usize);
                let value = extended(value, bytes, source.is_signed());
                extended(value, 8, ty.is_signed())
            }
            "not" => self.value(from, bytes),
            opcode @ ("and" | "or" | "xor") => {
                // A byte that one side decides alone.
                let decides = |operand: &Operand<'_>, byte: usize| match operand {
                    Operand::Number(number) => number.bits(ty).is_some_and(|bits| {
                        let bits = (bits >> (8 * byte)) as u8;
                        (opcode, bits) == ("and", 0) || (opcode, bits) == ("or", 0xff)
                    }),
                    _ => false,
                };
                let other = operands.get(2)?;
                let pairs = self
                    .value(from, bytes)
                    .into_iter()
                    .zip(self.value(other, bytes));
                let both = pairs.enumerate().map(|(byte, (a, b))| {
                    match decides(from, byte) || decides(other, byte) {
                        true => Vec::new(),
                        false => [a, b].concat(),
                    }
                });
                both.collect()
            }
            "shl" => shifted(
                &self.value(from, bytes),
                -(number(2)?.min(64) as i64),
                false,
            ),
            "shr" => shifted(
                &self.value(from, bytes),
                number(2)?.min(64) as i64,
                ty.is_signed(),
            ),
            "bfe" if !ty.is_signed() => {
                let mut value = shifted(&self.value(from, bytes), number(2)?.min(64) as i64, false);
                value.truncate(number(3)?.div_ceil(8));
                extended(value, bytes, false)
            }
            "prmt" if instruction.modifiers.len() == 1 => {
                let all = [self.value(from, 4), self.value(operands.get(2)?, 4)].concat();
                let selector = number(3)?;
                (0..4)
                    .map(|k| all[selector >> (4 * k) & 7].clone())
                    .collect()
            }
            "selp" => {
                return Some(Flow::Selected {
                    to: self.row(Some(to))?,
                    from: [self.row(Some(from)), self.row(operands.get(2))],
                    by: self.row(operands.get(3)).filter(|by| by.bits == 1)?,
                });
            }
            "shfl" => {
                let name = to.names().into_iter().next()?;
                let (slot, ty) = self.find(name)?;
                let how = match *instruction.modifiers.iter().find(|word| **word != "sync")? {
                    "up" => Direction::Up,
                    "down" => Direction::Down,
                    "bfly" => Direction::Butterfly,
                    _ => Direction::Index,
                };
                return Some(Flow::Shuffled {
                    how,
                    to: rows(slot, ty).next()?,
                    from: self.row(Some(from))?,
                    b: self.term(operands.get(2))?,
                    c: self.term(operands.get(3))?,
                });
            }
            _ => return None,
        };
        Some(Flow::Copied(self.spread(to, value)))
    }

    /// A value over the registers that it is written to, without those that get constants.
    fn spread(&self, to: &Operand<'_>, mut value: Vec<Origins>) -> Vec<(Register, Vec<Origins>)> {
        let parts = match to {
            Operand::Vector(parts) => parts.as_slice(),
            single => std::slice::from_ref(single),
        };
        let each = value.len() / parts.len().max(1);
        let mut spread = Vec::new();
        for part in parts {
            let mut own: Vec<Origins> = value.drain(..each).collect();
            let found = match part {
                Operand::Name(name) => self.find(name),
                _ => None,
            };
            for row in found.into_iter().flat_map(|(slot, ty)| rows(slot, ty)) {
                let bytes = (row.bits as usize / 8).min(own.len());
                spread.push((row, own.drain(..bytes).collect()));
            }
        }
        spread
    }
}

/// A value with another number of bytes.
fn extended(mut value: Vec<Origins>, bytes: usize, signed: bool) -> Vec<Origins> {
    let top = value.last().filter(|_| signed).cloned();
    value.resize(bytes, top.unwrap_or_default());
    value
}

/// A value, shifted right by so many bits.
fn shifted(value: &[Origins], by: i64, signed: bool) -> Vec<Origins> {
    let top = value.len() as i64 - 1;
    let at = |byte: i64| match (0..=top).contains(&byte) {
        true => value[byte as usize].clone(),
        false if byte > top && signed => value[top as usize].clone(),
        false => Vec::new(),
    };
    let shifted = (0..=top).map(|byte| {
        let first = (8 * byte + by).div_euclid(8);
        let crosses = by.rem_euclid(8) != 0;
        [at(first), if crosses { at(first + 1) } else { Vec::new() }].concat()
    });
    shifted.collect()
}
