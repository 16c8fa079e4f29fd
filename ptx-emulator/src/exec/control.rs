//! Control flow: `bra`, `brx.idx`, `call`, `ret`, `exit`, `trap`, `brkpt`.

use ptx_syntax::{Operand, Space, Type};

use super::Group;
use super::system::calls;
use crate::error::FaultKind;
use crate::ir::{Call, NEVER, Op, Passed, Row, Slot, Source, System, Target, lanes_of, mask_of};
use crate::lower::{Decoded, Decoder, Entity, Formal, Reason, Symbol};
use crate::machine::{FUNCTIONS, Issue, LaneFault, Next, Paths, interleaved};
use crate::observe::{Class, Observer};

pub(crate) const GROUP: Group = Group {
    name: "control",
    forms: &[
        "bra: .uni",
        "brx: .idx .uni",
        "call: .uni; direct, indirect, recursive; parameters in .param and in registers; vprintf malloc free __assertfail",
        "ret: .uni",
        "exit trap",
        "brkpt: as trap",
    ],
    decode,
};

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let done = |op| Ok(Decoded::new(op, Class::Control));
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
            d.require("idx")?;
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
            done(decode_call(d)?)
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

/// Whether these are the sizes of what a function takes or gives.
fn fits(formals: &[Formal], actuals: &[Passed]) -> bool {
    let is_one = |(formal, actual): (&Formal, &Passed)| [formal.bytes, 0].contains(&actual.bytes());
    formals.len() == actuals.len() && formals.iter().zip(actuals).all(is_one)
}

/// The `.param` variables, registers and numbers of a list; a number, or a result that nobody
/// wants, is of its formal's type.
fn passed(
    d: &mut Decoder<'_, '_>,
    list: &[Operand],
    formals: &[Formal],
) -> Result<Vec<Passed>, Reason> {
    let each = list.iter().enumerate().map(|(index, operand)| {
        let formal = formals.get(index);
        match operand {
            Operand::Name(name) => match d.scopes.find(name) {
                Some(Entity::Register { slot, ty }) if matches!(ty.bytes(), 4 | 8) => {
                    Ok(Passed::Row(Source::register(*slot), ty.bytes()))
                }
                Some(Entity::Frame {
                    offset,
                    bytes,
                    space: Space::Parameter,
                }) => Ok(Passed::Frame(*offset, *bytes)),
                _ => Err(format!(
                    "`{name}` is not a `.param` variable of this function, and no register of \
                     32 or 64 bits"
                )),
            },
            // An indirect call names no function: its result may have any size.
            Operand::Sink if formal.is_none() => Ok(Passed::Row(Source::register(Slot::SINK), 0)),
            Operand::Number(_) | Operand::Sink => match formal {
                Some(Formal { bytes, ty, .. }) if *bytes == ty.bytes() => {
                    let row = match operand {
                        Operand::Sink => Source::register(Slot::SINK),
                        number => d.read(number, *ty, false)?,
                    };
                    Ok(Passed::Row(row, *bytes))
                }
                _ => Err("no type is known for a number".to_owned()),
            },
            _ => Err("arguments of calls are `.param` variables, registers and numbers".to_owned()),
        }
    });
    each.collect()
}

fn decode_call(d: &mut Decoder<'_, '_>) -> Result<Op, Reason> {
    let operands = &d.instruction.operands;
    let (returns, rest) = match operands.split_first() {
        Some((Operand::List(list), rest)) => (list.as_slice(), rest),
        _ => (&[][..], operands.as_slice()),
    };
    let Some((callee, rest)) = rest.split_first() else {
        return Err("a function is expected".into());
    };
    let (arguments, rest) = match rest.split_first() {
        Some((Operand::List(list), rest)) => (list.as_slice(), rest),
        _ => (&[][..], rest),
    };
    d.finish(operands.len())?;
    if returns.iter().any(|to| matches!(to, Operand::Number(_))) {
        return Err("a result goes to a `.param` variable, a register or `_`".into());
    }
    if arguments.contains(&Operand::Sink) {
        return Err("`_` is a result that nobody wants, and no argument".into());
    }
    let Operand::Name(name) = callee else {
        return Err("a function or a register is expected".into());
    };
    if let Some(Entity::Register { .. }) = d.scopes.find(name) {
        if rest.len() != 1 {
            return Err("an indirect call needs a prototype or a list of targets".into());
        }
        return Ok(Op::Call(Box::new(Call {
            target: Target::Indirect(d.read(callee, Type::U64, false)?),
            arguments: passed(d, arguments, &[])?,
            returns: passed(d, returns, &[])?,
        })));
    }
    let Symbol::Function(index) = d.find_symbol(name)? else {
        return Err(format!("`{name}` is not a function"));
    };
    let function = &d.builder.functions[index as usize];
    if function.entry {
        return Err("calls of entries are not supported".into());
    }
    let defined = function.defined;
    let (takes, gives) = (function.parameters.clone(), function.returns.clone());
    let arguments = passed(d, arguments, &takes)?;
    let returns = passed(d, returns, &gives)?;
    if !defined {
        if let Some(call) = calls::provided(name, &arguments, &returns)? {
            return Ok(Op::System(Box::new(System::Call(call))));
        }
        return Err(format!(
            "`{name}` has no body, and it is not a function that the emulator provides"
        ));
    }
    if !fits(&takes, &arguments) || !fits(&gives, &returns) {
        return Err(format!("`{name}` takes other parameters"));
    }
    Ok(Op::Call(Box::new(Call {
        target: Target::Function(index),
        arguments,
        returns,
    })))
}

/// A branch that lanes take differently.
pub(crate) fn branch<O: Observer>(at: &mut Issue<'_, '_, O>, target: u32, reconverge: u32) -> Next {
    if O::CONTROL {
        let site = at.site();
        at.context.observer.branch(site, at.lanes, at.path.mask);
    }
    let launch = at.context.launch;
    let away_first = launch.away_first(at.warp.executed, at.path.pc);
    let fall = at.path.pc + 1;
    at.paths
        .split(at.path, at.lanes, target, fall, reconverge, away_first);
    Next::To(at.path.pc)
}

/// Lanes with the same index go together; the others come here once more.
pub(crate) fn branch_indexed<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    index: Source,
    targets: &[u32],
    reconverge: u32,
) -> Result<Next, LaneFault> {
    let (pc, fall, lanes) = (at.path.pc, at.path.pc + 1, at.lanes);
    if lanes == 0 {
        return Ok(Next::To(fall));
    }
    if O::CONTROL {
        let site = at.site();
        at.context.observer.branch(site, lanes, at.path.mask);
    }
    if lanes != at.path.mask {
        let stay = at.path.mask & !lanes;
        at.paths.split(at.path, stay, fall, pc, reconverge, false);
    }
    let row = at.row::<u32>(index);
    let value = row.0[Paths::first_lane(lanes)];
    let Some(&target) = targets.get(value as usize) else {
        let text = format!("brx.idx with index {value} of {} targets", targets.len());
        return Err(at.fault(FaultKind::Undefined(text)));
    };
    let others = at.path.mask & mask_of(|lane| row.0[lane] != value);
    if others != 0 {
        at.paths
            .split(at.path, others, pc, target, reconverge, false);
    }
    Ok(Next::To(target))
}

/// The rows among what is passed, of the frame that is open; what lies in memory stays there.
fn rows<O>(at: &mut Issue<'_, '_, O>, places: &[Passed]) -> Vec<Option<Row<u64>>> {
    let row = |place: &Passed| match *place {
        Passed::Row(source, 8) => Some(at.row::<u64>(source)),
        Passed::Row(source, _) => Some(Row(at.row::<u32>(source).0.map(u64::from))),
        Passed::Frame(..) => None,
    };
    places.iter().map(row).collect()
}

/// Passes one argument or result, for the call or the return at `pc`: a row, or bytes of local
/// memory from `from` on, to a place in the frame that is open.
fn pass<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    pc: u32,
    row: Option<Row<u64>>,
    from: u32,
    to: Passed,
) {
    let lanes = at.path.mask;
    let value = |at: &Issue<'_, '_, O>, lane: usize, byte: u32| match row {
        Some(row) => (row.0[lane] >> (8 * byte)) as u8,
        None => {
            let mut value = [0];
            let local = &at.warp.local;
            local.read(interleaved(u64::from(from + byte), lane), &mut value);
            value[0]
        }
    };
    match to {
        Passed::Row(source, bytes) => {
            let mut out = Row::default();
            for lane in lanes_of(lanes) {
                for byte in 0..bytes {
                    out.0[lane] |= u64::from(value(at, lane, byte)) << (8 * byte);
                }
            }
            at.put(bytes == 8, Slot(source.index() as u32), &out, lanes);
        }
        Passed::Frame(offset, bytes) => {
            let to = at.path.bases.local + offset;
            for lane in lanes_of(lanes) {
                for byte in 0..bytes {
                    let value = value(at, lane, byte);
                    let local = &at.warp.local;
                    local.write(interleaved(u64::from(to + byte), lane), &[value]);
                }
            }
            if O::CONTROL {
                let site = at.context.block.site(pc, at.warp.index);
                at.context.observer.copies(site, lanes, &(to..to + bytes));
            }
        }
    }
}

/// Where bytes of local memory begin; 0 of what is a row.
fn start(base: u32, place: Passed) -> u32 {
    match place {
        Passed::Frame(offset, _) => base + offset,
        Passed::Row(..) => 0,
    }
}

pub(crate) fn call<O: Observer>(at: &mut Issue<'_, '_, O>, call: &Call) -> Result<Next, LaneFault> {
    let (callee, going) = match call.target {
        Target::Function(index) => (index, at.lanes),
        Target::Indirect(source) => indirect(at, source, call)?,
    };
    let (pc, after) = (at.path.pc, at.path.pc + 1);
    if going != at.path.mask {
        // Some lanes do not call, or call another function: they wait behind
        // the call, or come here once more on their own.
        let stay = at.path.mask & !going;
        let target = if at.lanes & !going != 0 { pc } else { after };
        at.paths.split(at.path, stay, target, pc, after, false);
    }
    let caller = at.path.bases.local;
    let launch = at.context.launch;
    let rows = rows(at, &call.arguments);
    let pushed = at.warp.push_frame(launch, at.path, callee);
    pushed.map_err(|kind| at.fault(kind))?;
    at.paths.set_meet(at.path);
    let function = &launch.code.functions[callee as usize];
    let base = at.path.bases.local;
    if O::CONTROL {
        let site = at.context.block.site(pc, at.warp.index);
        let frame = base..base + function.sizes.local;
        at.context.observer.call(site, at.path.mask, &frame);
    }
    let passed = call.arguments.iter().zip(rows);
    for (formal, (&argument, row)) in function.parameters.iter().zip(passed) {
        pass(at, pc, row, start(caller, argument), formal.place());
    }
    Ok(Next::To(function.code.0))
}

/// The function that the first lane calls, and the lanes that call it too.
fn indirect<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    source: Source,
    call: &Call,
) -> Result<(u32, u32), LaneFault> {
    let row = at.row::<u64>(source);
    let address = row.0[Paths::first_lane(at.lanes)];
    let functions = &at.context.launch.code.functions;
    let index = address.checked_sub(FUNCTIONS);
    let index = index.filter(|offset| offset % 16 == 0).map(|at| at / 16);
    let callable = index.filter(|&index| {
        functions.get(index as usize).is_some_and(|function| {
            !function.entry
                && function.defined
                && fits(&function.parameters, &call.arguments)
                && fits(&function.returns, &call.returns)
        })
    });
    let index = callable.ok_or_else(|| at.fault(FaultKind::NotAFunction { address }))?;
    let going = at.lanes & mask_of(|lane| row.0[lane] == address);
    Ok((index as u32, going))
}

/// All lanes of the path go back to the caller.
pub(crate) fn ret<O: Observer>(at: &mut Issue<'_, '_, O>) -> Result<Next, LaneFault> {
    let Some(caller) = at.path.callers.pop() else {
        return Err((at.path.mask.trailing_zeros(), FaultKind::Trap));
    };
    let code = at.context.launch.code;
    let callee = &code.functions[at.path.function as usize];
    let from = at.path.bases.local;
    let results: Vec<Passed> = callee.returns.iter().map(Formal::place).collect();
    let rows = rows(at, &results);
    (at.path.bases, at.path.function) = (caller.bases, caller.function);
    if let Op::Call(call) = &code.instructions[caller.pc as usize].op {
        let wanted = results.iter().zip(rows).zip(&call.returns);
        for ((&result, row), &to) in wanted.filter(|(_, to)| to.bytes() != 0) {
            pass(at, caller.pc, row, start(from, result), to);
        }
    }
    at.paths.set_meet(at.path);
    Ok(Next::To(caller.pc + 1))
}
