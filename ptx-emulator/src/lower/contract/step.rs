//! What is known of an instruction: the registers that it reads and writes, and
//! whether it is a product, a sum or a copy.

use ptx_syntax::{Instruction, Operand, Type};

use crate::ir::{Op, Operands, Pool, Slot, Source, Width};
use crate::lower::Formal;
use crate::lower::scope::{Entity, Scopes};

#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Register {
    wide: bool,
    slot: u32,
}

/// What a product and its sums have in common.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) ty: Type,
    pub(super) ftz: bool,
}

#[derive(Copy, Clone, Debug, Default)]
pub(super) enum Kind {
    #[default]
    Other,
    Product(Style),
    Sum {
        style: Style,
        /// The left side, when it is a register.
        left: Option<Register>,
        subtracts: bool,
        saturates: bool,
    },
    /// `mov`, or (with a style) `neg`.
    Copy(Option<Style>),
}

/// What the pass has to know of an instruction.
#[derive(Debug, Default)]
pub(crate) struct Step {
    pub(super) kind: Kind,
    /// Of a product that is one of a `div`, whether that is `.full`.
    pub(super) quotient: Option<bool>,
    pub(super) reads: Vec<Register>,
    pub(super) writes: Vec<Register>,
    /// It writes all that it writes in every lane that comes by.
    pub(super) whole: bool,
}

impl Step {
    /// Of a return, which reads the results that are in registers.
    pub(in crate::lower) fn returning(results: &[Formal]) -> Step {
        let register = |formal: &Formal| {
            let slot = formal.register?.0;
            let wide = formal.bytes == 8;
            Some(Register { wide, slot })
        };
        Step {
            reads: results.iter().filter_map(register).collect(),
            ..Step::default()
        }
    }

    /// Of an instruction just decoded.
    pub(in crate::lower) fn new(
        instruction: &Instruction<'_>,
        scopes: &Scopes,
        op: &Op,
        operands: &Operands,
        pool: &Pool,
    ) -> Step {
        let mut step = Step {
            whole: instruction.guard.is_none(),
            ..Step::default()
        };
        let mut operand = instruction.operands.iter();
        if let Some(first) = operand.next() {
            let mut named = Vec::new();
            // The base of an address is read; what else stands first is written.
            let written = !matches!(first, Operand::Address { .. });
            registers(scopes, first, &mut named);
            let known = named.iter().all(|r| operands.d.contains(&Slot(r.slot)));
            if written {
                step.writes.clone_from(&named);
            }
            if !written || !(known || matches!(op, Op::Load(_))) {
                step.whole = false;
                step.reads = named;
            }
        }
        for operand in operand {
            registers(scopes, operand, &mut step.reads);
        }
        step.kind = kind(instruction, operands, pool, &step);
        step.quotient = (instruction.opcode == "div").then(|| instruction.has("full"));
        step
    }
}

/// The registers that an operand names, predicates left out.
fn registers(scopes: &Scopes, operand: &Operand<'_>, found: &mut Vec<Register>) {
    for name in operand.names() {
        // A part of a register, `%r1.b0`, reads the register.
        let whole = || scopes.find(name.split('.').next()?);
        let Some(Entity::Register { slot, ty }) = scopes.find(name).or_else(whole) else {
            continue;
        };
        let width = Width::of(*ty);
        let slots = if ty.bytes() == 16 { 2 } else { 1 };
        if width != Width::Predicate {
            found.extend((0..slots).map(|part| Register {
                wide: width == Width::W64,
                slot: slot.0 + part,
            }));
        }
    }
}

fn kind(instruction: &Instruction<'_>, operands: &Operands, pool: &Pool, step: &Step) -> Kind {
    let (ftz, saturates) = (instruction.has("ftz"), instruction.has("sat"));
    let approximate = instruction.has("approx") || instruction.has("full");
    let known = usize::from(ftz) + usize::from(saturates) + usize::from(approximate) + 1;
    let Some(ty) = instruction
        .modifiers
        .iter()
        .find_map(|word| Type::parse(word))
    else {
        return Kind::Other;
    };
    if instruction.modifiers.len() != known || step.writes.len() != 1 {
        return Kind::Other;
    }
    let style = Style { ty, ftz };
    match instruction.opcode {
        "mul" if ty.is_float() && !saturates && step.whole && is_product(operands, ty, pool) => {
            Kind::Product(style)
        }
        "div" if approximate && step.whole && step.reads.len() == 2 => Kind::Product(style),
        opcode @ ("add" | "sub") if ty.is_float() => Kind::Sum {
            style,
            left: step
                .reads
                .first()
                .copied()
                .filter(|_| !operands.s[0].flagged()),
            subtracts: opcode == "sub",
            saturates,
        },
        "mov" if step.whole && is_register_move(instruction, step) => Kind::Copy(None),
        "neg" if step.whole && ty.is_float() && ty != Type::BF16x2 => Kind::Copy(Some(style)),
        _ => Kind::Other,
    }
}

/// Not `{a, b}`, and neither a number nor an address.
fn is_register_move(instruction: &Instruction<'_>, step: &Step) -> bool {
    let names = |operand: &Operand<'_>| matches!(operand, Operand::Name(_));
    step.reads.len() == 1 && instruction.operands.iter().all(names)
}

/// Neither a constant nor the other factor or its negative.
fn is_product(operands: &Operands, ty: Type, pool: &Pool) -> bool {
    let [a, b, ..] = operands.s;
    let is_one = |source: Source| {
        let index = source.index();
        source.flagged()
            && match ty {
                Type::F32 => pool.w32[index].0[0] & 0x7fff_ffff == 1f32.to_bits(),
                Type::F64 => pool.w64[index].0[0] & !(1 << 63) == 1f64.to_bits(),
                _ => false,
            }
    };
    !(a.flagged() && b.flagged() || is_one(a) || is_one(b))
}
