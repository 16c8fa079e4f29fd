//! One instruction: its guard, its names, the group that decodes it.

use ptx_syntax::{Instruction as Written, Operand, Type};

use super::Builder;
use super::contract::Step;
use super::decoder::{Decoded, Decoder};
use super::scope::{Entity, Scopes};
use super::target::InstructionSet;
use super::uses::Uses;
use crate::error::LoadError;
use crate::ir::{Guard, Instruction, Op, Source, Target};

/// Targets of all `brx` of a module: lists are shared in the text, and not in
/// the code.
const INDEXED_TARGETS: usize = 1 << 20;

/// Decodes an instruction by the groups that know its opcode.
///
/// # Errors
///
/// The reason of the first group, when none takes it.
pub(super) fn lower(
    builder: &mut Builder<'_>,
    scopes: &mut Scopes,
    instruction: &Written<'_>,
    set: &InstructionSet,
) -> Result<(), LoadError> {
    if let Some(guard) = &instruction.guard {
        scopes.touch(guard.register);
    }
    let guard = match &instruction.guard {
        None => Guard(None),
        Some(guard) => match scopes.find(guard.register) {
            Some(Entity::Register {
                slot,
                ty: Type::Predicate,
            }) => Guard(Some(Source::predicate(*slot, guard.negated))),
            _ => {
                return builder.refuse(
                    instruction.span.position,
                    instruction.span.of(builder.text),
                    format!("no predicate `{}`", guard.register),
                );
            }
        },
    };
    let names = instruction.names().into_iter();
    names.for_each(|name| scopes.touch(name));
    let parts = |operand: &Operand<'_>| match operand {
        Operand::Name(name) => scopes.parts(name),
        _ => Vec::new(),
    };
    if (instruction.operands.iter()).all(|operand| parts(operand).is_empty()) {
        return decode(builder, scopes, instruction, guard, set);
    }
    let parts: Vec<Vec<String>> = instruction.operands.iter().map(parts).collect();
    parts.iter().flatten().for_each(|name| scopes.touch(name));
    let spread = with_parts(instruction, &parts);
    decode(builder, scopes, &spread, guard, set)
}

/// The instruction with a vector register written as the list of its parts.
fn with_parts<'t>(instruction: &Written<'t>, parts: &'t [Vec<String>]) -> Written<'t> {
    let mut spread = instruction.clone();
    for (operand, parts) in spread.operands.iter_mut().zip(parts) {
        if !parts.is_empty() {
            let names = parts.iter().map(|name| Operand::Name(name));
            *operand = Operand::Vector(names.collect());
        }
    }
    spread
}

fn decode(
    builder: &mut Builder<'_>,
    scopes: &mut Scopes,
    instruction: &Written<'_>,
    guard: Guard,
    set: &InstructionSet,
) -> Result<(), LoadError> {
    let mut refusal: Option<(u32, String)> = None;
    for group in set.groups_of(instruction.opcode) {
        let mut decoder = Decoder::new(builder, scopes, instruction);
        match (group.decode)(&mut decoder) {
            Ok(decoded) => {
                if let Op::Call(call) = &decoded.op {
                    let function = &mut builder.functions[builder.function as usize];
                    match call.target {
                        Target::Function(callee) => function.calls.push(callee),
                        Target::Indirect(_) => function.indirect = true,
                    }
                }
                if let Op::BranchIndexed { targets, .. } = &decoded.op {
                    builder.indexed_targets += targets.len();
                    if builder.indexed_targets > INDEXED_TARGETS {
                        let text = instruction.span.of(builder.text);
                        let reason = format!("more than {INDEXED_TARGETS} targets of `brx`");
                        return builder.refuse(instruction.span.position, text, reason);
                    }
                }
                let step = match builder.steps {
                    Some(_) => {
                        let Decoded { op, operands, .. } = &decoded;
                        Step::new(instruction, scopes, op, operands, &builder.pool)
                    }
                    None => Step::default(),
                };
                if let Some(all) = &mut builder.uses {
                    let Decoded { op, operands, .. } = &decoded;
                    all.push(Uses::new(instruction, scopes, op, operands));
                }
                builder.emit(
                    instruction.span,
                    Instruction {
                        op: decoded.op,
                        operands: decoded.operands,
                        guard,
                        class: decoded.class,
                    },
                    step,
                );
                return Ok(());
            }
            // The reason of the group that got furthest says most.
            Err(reason) => {
                let taken = decoder.taken();
                if refusal.as_ref().is_none_or(|(most, _)| taken > *most) {
                    refusal = Some((taken, reason));
                }
            }
        }
    }
    let reason = refusal.map_or_else(
        || format!("the instruction `{}` is not supported", instruction.opcode),
        |(_, reason)| reason,
    );
    builder.refuse(
        instruction.span.position,
        instruction.span.of(builder.text),
        reason,
    )
}
