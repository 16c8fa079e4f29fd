//! Control flow: `bra`, `brx.idx`, `call`, `ret`, `exit`, `trap`, `brkpt`.

use super::{Group, Value};
use crate::ast::{Operand, Space, Type};
use crate::error::FaultKind;
use crate::ir::{Call, Class, NEVER, Op, Operands, Source, Target};
use crate::lower::Symbol;
use crate::lower::decoder::{Decoded, Decoder, Reason};
use crate::lower::scope::Entity;
use crate::machine::memory::FUNCTIONS;
use crate::machine::path::{Path, Paths};
use crate::machine::warp::{Context, LaneFault, Next, Warp};
use crate::observe::Observer;

pub(crate) const GROUP: Group = Group {
    name: "control",
    opcodes: &[
        ("bra", ".uni"),
        ("brx", ".idx .uni"),
        (
            "call",
            ".uni; direct, indirect, recursive; parameters in .param",
        ),
        ("ret", ".uni"),
        ("exit", ""),
        ("trap", ""),
        ("brkpt", "as trap"),
    ],
    decode,
};

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let done = |op| {
        Ok(Decoded {
            op,
            operands: Operands::default(),
            class: Class::Control,
        })
    };
    match d.opcode() {
        "bra" => {
            d.take("uni");
            d.finish(1)?;
            done(Op::Branch {
                target: d.label(0)?,
                reconverge: NEVER,
            })
        }
        "brx" => {
            if !d.take("idx") {
                return Err(d.unknown_modifier());
            }
            d.take("uni");
            d.finish(2)?;
            let index = d.source(0, Type::U32)?;
            let Operand::Name(name) = d.operand(1)? else {
                return Err("a list of targets is expected".into());
            };
            let Some(Entity::Targets(names)) = d.scopes.find(name) else {
                return Err(format!("no `.branchtargets` named `{name}`"));
            };
            let targets = names
                .iter()
                .map(|name| d.label_named(name))
                .collect::<Result<Box<[u32]>, _>>()?;
            done(Op::BranchIndexed {
                index,
                targets,
                reconverge: NEVER,
            })
        }
        "call" => {
            d.take("uni");
            done(Op::Call(Box::new(decode_call(d)?)))
        }
        "ret" => {
            d.take("uni");
            d.finish(0)?;
            // In a function all lanes return together, from its end.
            if d.in_entry() {
                done(Op::Exit)
            } else {
                done(Op::Branch {
                    target: d.builder.epilogue,
                    reconverge: NEVER,
                })
            }
        }
        "exit" => {
            d.finish(0)?;
            done(Op::Exit)
        }
        _ => {
            d.finish(0)?;
            done(Op::Trap)
        }
    }
}

/// Offset and size of the `.param` variables of a list.
fn frame_variables(d: &Decoder<'_, '_>, list: &[Operand]) -> Result<Vec<(u32, u32)>, Reason> {
    list.iter()
        .map(|operand| {
            let Operand::Name(name) = operand else {
                return Err("arguments of calls are `.param` variables".to_owned());
            };
            match d.scopes.find(name) {
                Some(Entity::Frame {
                    offset,
                    bytes,
                    space: Space::Parameter,
                }) => Ok((*offset, *bytes)),
                _ => Err(format!(
                    "`{name}` is not a `.param` variable of this function"
                )),
            }
        })
        .collect()
}

fn decode_call(d: &mut Decoder<'_, '_>) -> Result<Call, Reason> {
    let operands = &d.instruction.operands;
    let (returns, rest) = match operands.split_first() {
        Some((Operand::List(list), rest)) => (frame_variables(d, list)?, rest),
        _ => (Vec::new(), operands.as_slice()),
    };
    let Some((callee, rest)) = rest.split_first() else {
        return Err("a function is expected".into());
    };
    let (arguments, rest) = match rest.split_first() {
        Some((Operand::List(list), rest)) => (frame_variables(d, list)?, rest),
        _ => (Vec::new(), rest),
    };
    d.finish(operands.len())?;
    let Operand::Name(name) = callee else {
        return Err("a function or a register is expected".into());
    };
    if let Some(Entity::Register { .. }) = d.scopes.find(name) {
        if rest.len() != 1 {
            return Err("an indirect call needs a prototype or a list of targets".into());
        }
        let target = Target::Indirect(d.read(callee, Type::U64, false)?);
        return Ok(Call {
            target,
            arguments,
            returns,
        });
    }
    let Symbol::Function(index) = d.find_symbol(name)? else {
        return Err(format!("`{name}` is not a function"));
    };
    let function = &d.builder.functions[index as usize];
    if function.entry {
        return Err("calls of entries are not supported".into());
    }
    if !function.defined {
        return Err(format!(
            "`{name}` has no body, and it is not a function that the emulator provides"
        ));
    }
    let sizes =
        |formals: &[crate::lower::Formal]| formals.iter().map(|f| f.bytes).collect::<Vec<_>>();
    let given =
        |actuals: &[(u32, u32)]| actuals.iter().map(|&(_, bytes)| bytes).collect::<Vec<_>>();
    if sizes(&function.parameters) != given(&arguments)
        || sizes(&function.returns) != given(&returns)
    {
        return Err(format!("`{name}` takes other parameters"));
    }
    Ok(Call {
        target: Target::Function(index),
        arguments,
        returns,
    })
}

/// Copies bytes of local memory, lane by lane.
fn copy(warp: &Warp, from: u32, to: u32, bytes: u32, lanes: u32) {
    let at =
        |offset: u32, lane: u64| u64::from(offset) / 8 * 256 + lane * 8 + u64::from(offset) % 8;
    for lane in (0..32u64).filter(|lane| lanes >> lane & 1 != 0) {
        for byte in 0..bytes {
            let mut value = [0];
            warp.lanes.local.read(at(from + byte, lane), &mut value);
            warp.lanes.local.write(at(to + byte, lane), &value);
        }
    }
}

pub(crate) fn call<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Warp,
    path: &mut Path,
    call: &Call,
    lanes: u32,
) -> Result<Next, LaneFault> {
    let (callee, going) = match call.target {
        Target::Function(index) => (index, lanes),
        Target::Indirect(source) => indirect(context, warp, path, source, call, lanes)?,
    };
    let lane = lanes.trailing_zeros();
    if going != path.mask {
        // Some lanes do not call, or call another function: they wait behind
        // the call, or come here once more on their own.
        let stay = path.mask & !going;
        let calls_too = lanes & !going;
        let (pc, after) = (path.pc, path.pc + 1);
        if calls_too != 0 {
            warp.paths.split(path, stay, pc, pc, after, false);
        } else {
            warp.paths.split(path, stay, after, pc, after, false);
        }
    }
    let caller = path.bases.local;
    let return_pc = path.pc;
    warp.push_frame(context, path, callee)
        .map_err(|kind| (lane, kind))?;
    debug_assert_eq!(path.callers.last().map(|caller| caller.pc), Some(return_pc));
    let code = context.launch.code;
    let function = &code.functions[callee as usize];
    for (formal, &(offset, bytes)) in function.parameters.iter().zip(&call.arguments) {
        copy(
            warp,
            caller + offset,
            path.bases.local + formal.offset,
            bytes,
            path.mask,
        );
    }
    Ok(Next::To(function.code.0))
}

/// The function that the first lane calls, and the lanes that call it too.
fn indirect<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Warp,
    path: &Path,
    source: Source,
    call: &Call,
    lanes: u32,
) -> Result<(u32, u32), LaneFault> {
    let frame = warp.lanes.registers.frame(path, &context.launch.pool);
    let row = u64::row(&frame, source);
    let first = Paths::first_lane(lanes);
    let address = row.0[first];
    let wrong = || (first as u32, FaultKind::NotAFunction { address });
    let index = address
        .checked_sub(FUNCTIONS)
        .filter(|offset| offset % 16 == 0)
        .ok_or_else(wrong)?
        / 16;
    let function = context
        .launch
        .code
        .functions
        .get(index as usize)
        .ok_or_else(wrong)?;
    let same = |formals: &[crate::lower::Formal], actuals: &[(u32, u32)]| {
        formals.len() == actuals.len() && formals.iter().zip(actuals).all(|(f, a)| f.bytes == a.1)
    };
    let fits =
        same(&function.parameters, &call.arguments) && same(&function.returns, &call.returns);
    if function.entry || !function.defined || !fits {
        return Err(wrong());
    }
    let going = (0..32)
        .filter(|&lane| row.0[lane] == address)
        .fold(0, |mask, lane| mask | 1 << lane)
        & lanes;
    Ok((index as u32, going))
}

/// All lanes of the path go back to the caller.
pub(crate) fn ret<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Warp,
    path: &mut Path,
) -> Result<Next, LaneFault> {
    let Some(caller) = path.callers.pop() else {
        return Err((path.mask.trailing_zeros(), FaultKind::Trap));
    };
    let code = context.launch.code;
    let callee = &code.functions[path.function as usize];
    let from = path.bases.local;
    (path.bases, path.function) = (caller.bases, caller.function);
    if let Op::Call(call) = &code.instructions[caller.pc as usize].op {
        for (formal, &(offset, bytes)) in callee.returns.iter().zip(&call.returns) {
            copy(
                warp,
                from + formal.offset,
                path.bases.local + offset,
                bytes,
                path.mask,
            );
        }
    }
    warp.paths.set_meet(path);
    Ok(Next::To(caller.pc + 1))
}

/// Lanes with the same index go together; the others come here once more.
pub(crate) fn branch_indexed<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Warp,
    path: &mut Path,
    index: Source,
    targets: &[u32],
    reconverge: u32,
    lanes: u32,
) -> Result<Next, LaneFault> {
    let (pc, fall) = (path.pc, path.pc + 1);
    if lanes == 0 {
        return Ok(Next::To(fall));
    }
    if O::CONTROL {
        let site = warp.site(context.block, pc);
        context.observer.branch(site, lanes, path.mask);
    }
    if lanes != path.mask {
        let stay = path.mask & !lanes;
        warp.paths.split(path, stay, fall, pc, reconverge, false);
    }
    let frame = warp.lanes.registers.frame(path, &context.launch.pool);
    let row = u32::row(&frame, index);
    let first = Paths::first_lane(lanes);
    let value = row.0[first];
    let Some(&target) = targets.get(value as usize) else {
        let text = format!("brx.idx with index {value} of {} targets", targets.len());
        return Err((first as u32, FaultKind::Undefined(text)));
    };
    let same = (0..32)
        .filter(|&lane| row.0[lane] == value)
        .fold(0, |mask, lane| mask | 1 << lane)
        & path.mask;
    if same == path.mask {
        return Ok(Next::To(target));
    }
    let others = path.mask & !same;
    warp.paths
        .split(path, others, pc, target, reconverge, false);
    Ok(Next::To(target))
}
