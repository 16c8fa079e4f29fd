//! Warp collectives: `shfl.sync`, `vote.sync`, `match.sync`, `redux.sync`,
//! `elect.sync`, `bar.warp.sync`; and `activemask`.
//!
//! The lanes that the member mask names need not come together: each path
//! waits until all have come, from whichever instruction, and then all get
//! their results at once, if the instructions have the same qualifiers: a
//! `shfl.bfly` does not meet a `shfl.idx`. Lanes that have exited are not
//! waited for.

mod gathered;

use super::{Group, Value, predicate, write, write_predicate};
use crate::ast::{Operand, Type};
use crate::error::FaultKind;
use crate::ir::{Class, Op, Operands, Row, Slot, Width};
use crate::lower::decoder::{Decoded, Decoder, Reason};
use crate::machine::path::{Path, Paths, Wait};
use crate::machine::warp::{Context, LaneFault, Next, Warp};
use crate::observe::Observer;

pub(crate) const GROUP: Group = Group {
    name: "warp",
    opcodes: &[
        ("shfl", ".sync; .up .down .bfly .idx; b32"),
        ("vote", ".sync; .all .any .uni pred, .ballot b32"),
        ("match", ".any .all; .sync; b32 b64"),
        ("redux", ".sync; .add .min .max u32 s32, .and .or .xor b32"),
        ("elect", ".sync"),
        ("bar", ".warp.sync"),
        ("activemask", "b32"),
    ],
    decode,
};

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Kind {
    Sync,
    Shuffle(Direction),
    All,
    Any,
    Uniform,
    Ballot,
    MatchAny(Width),
    MatchAll(Width),
    Reduce(Reduction),
    Elect,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Direction {
    Up,
    Down,
    Butterfly,
    Index,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Reduction {
    Add,
    MinUnsigned,
    MaxUnsigned,
    MinSigned,
    MaxSigned,
    And,
    Or,
    Xor,
}

/// A collective. Operands: d0 the result, d1 the predicate that goes with it;
/// s0 the value, s1 and s2 `shfl`'s lane and clamp, s3 the member mask.
#[derive(Clone, Debug)]
pub(crate) struct Collective {
    kind: Kind,
}

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    if d.opcode() == "activemask" {
        let ty = d.ty()?;
        if ty != Type::B32 {
            return Err(d.unsupported_type(ty));
        }
        d.finish(1)?;
        let mut operands = Operands::default();
        operands.d[0] = d.destination(0, Type::B32)?;
        let run = super::lane_fn!(|f, o, m| write(u32::row_mut(f, o.d[0]), &Row([m; 32]), m));
        return Ok(Decoded::lanes(run, operands, Class::Warp));
    }
    if d.opcode() == "bar" && !d.take("warp") {
        return Err(d.unknown_modifier());
    }
    // `match.any.sync`, but `vote.sync.any`.
    let all = if d.opcode() == "match" {
        d.take_any(&["any", "all"])
    } else {
        None
    };
    if !d.take("sync") {
        return Err("warp collectives without `.sync` are not supported".into());
    }
    let mut operands = Operands::default();
    let kind = match d.opcode() {
        "bar" => {
            d.finish(1)?;
            operands.s[3] = d.source(0, Type::B32)?;
            Kind::Sync
        }
        "shfl" => shuffle(d, &mut operands)?,
        "vote" => vote(d, &mut operands)?,
        "match" => match_kind(d, all, &mut operands)?,
        "redux" => reduce(d, &mut operands)?,
        _ => {
            d.finish(2)?;
            pair(d, &mut operands, Type::B32)?;
            operands.s[3] = d.source(1, Type::B32)?;
            Kind::Elect
        }
    };
    Ok(Decoded {
        op: Op::Collective(Box::new(Collective { kind })),
        operands,
        class: Class::Warp,
    })
}

/// `d` or `d|p`.
fn pair(d: &Decoder<'_, '_>, operands: &mut Operands, ty: Type) -> Result<(), Reason> {
    match d.operand(0)? {
        Operand::Pair(value, flag) => {
            operands.d[0] = d.written(value, ty, false)?.0;
            operands.d[1] = d.written(flag, Type::Predicate, false)?.0;
        }
        _ => operands.d[0] = d.destination(0, ty)?,
    }
    Ok(())
}

fn shuffle(d: &mut Decoder<'_, '_>, operands: &mut Operands) -> Result<Kind, Reason> {
    let direction = match d.take_any(&["up", "down", "bfly", "idx"]) {
        Some("up") => Direction::Up,
        Some("down") => Direction::Down,
        Some("bfly") => Direction::Butterfly,
        Some(_) => Direction::Index,
        None => return Err(d.unknown_modifier()),
    };
    let ty = d.ty()?;
    if ty != Type::B32 {
        return Err(d.unsupported_type(ty));
    }
    d.finish(5)?;
    pair(d, operands, Type::B32)?;
    for index in 0..4 {
        operands.s[index] = d.source(index + 1, Type::B32)?;
    }
    Ok(Kind::Shuffle(direction))
}

fn vote(d: &mut Decoder<'_, '_>, operands: &mut Operands) -> Result<Kind, Reason> {
    let kind = match d.take_any(&["all", "any", "uni", "ballot"]) {
        Some("all") => Kind::All,
        Some("any") => Kind::Any,
        Some("uni") => Kind::Uniform,
        Some(_) => Kind::Ballot,
        None => return Err(d.unknown_modifier()),
    };
    let ty = d.ty()?;
    let expected = if kind == Kind::Ballot {
        Type::B32
    } else {
        Type::Predicate
    };
    if ty != expected {
        return Err(d.unsupported_type(ty));
    }
    d.finish(3)?;
    operands.d[0] = d.destination(0, ty)?;
    operands.s[0] = d.predicate(1)?;
    operands.s[3] = d.source(2, Type::B32)?;
    Ok(kind)
}

fn match_kind(
    d: &mut Decoder<'_, '_>,
    word: Option<&str>,
    operands: &mut Operands,
) -> Result<Kind, Reason> {
    let Some(word) = word else {
        return Err(d.unknown_modifier());
    };
    let ty = d.ty()?;
    if !matches!(ty, Type::B32 | Type::B64) {
        return Err(d.unsupported_type(ty));
    }
    d.finish(3)?;
    if word == "any" {
        operands.d[0] = d.destination(0, Type::B32)?;
    } else {
        pair(d, operands, Type::B32)?;
    }
    operands.s[0] = d.source(1, ty)?;
    operands.s[3] = d.source(2, Type::B32)?;
    let width = Width::of(ty);
    Ok(if word == "any" {
        Kind::MatchAny(width)
    } else {
        Kind::MatchAll(width)
    })
}

fn reduce(d: &mut Decoder<'_, '_>, operands: &mut Operands) -> Result<Kind, Reason> {
    let Some(word) = d.take_any(&["add", "min", "max", "and", "or", "xor"]) else {
        return Err(d.unknown_modifier());
    };
    let ty = d.ty()?;
    let reduction = match (word, ty) {
        ("add", Type::U32 | Type::S32) => Reduction::Add,
        ("min", Type::U32) => Reduction::MinUnsigned,
        ("max", Type::U32) => Reduction::MaxUnsigned,
        ("min", Type::S32) => Reduction::MinSigned,
        ("max", Type::S32) => Reduction::MaxSigned,
        ("and", Type::B32) => Reduction::And,
        ("or", Type::B32) => Reduction::Or,
        ("xor", Type::B32) => Reduction::Xor,
        _ => return Err(format!("`redux.sync.{word}` on {ty:?} is not supported")),
    };
    d.finish(3)?;
    operands.d[0] = d.destination(0, ty)?;
    operands.s[0] = d.source(1, ty)?;
    operands.s[3] = d.source(2, Type::B32)?;
    Ok(Kind::Reduce(reduction))
}

/// What all lanes brought.
struct Gathered {
    values: [u64; 32],
    lanes: [u32; 32],
    clamps: [u32; 32],
    votes: u32,
    /// Lanes that take part.
    members: u32,
}

/// A path comes to a collective. Lanes may name different masks, as tiles of
/// a warp do: those with the mask of the first lane go on, the others come
/// here once more.
pub(crate) fn arrive<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Warp,
    path: &mut Path,
    collective: &Collective,
    operands: &Operands,
    lanes: u32,
) -> Result<Next, LaneFault> {
    let frame = warp.lanes.registers.frame(path, &context.launch.pool);
    let masks = u32::row(&frame, operands.s[3]);
    let members = masks.0[Paths::first_lane(lanes)];
    let others = (0..32)
        .filter(|&lane| masks.0[lane] != members)
        .fold(0, |mask, lane| mask | 1 << lane)
        & lanes;
    if others != 0 {
        let (pc, after) = (path.pc, path.pc + 1);
        warp.paths.split(path, others, pc, pc, after, false);
    }
    let lanes = lanes & !others;
    if lanes & !members != 0 {
        let outside = (lanes & !members).trailing_zeros();
        let text = format!("the member mask {members:#010x} does not name lane {outside} itself");
        return Err((outside, FaultKind::Collective(text)));
    }
    let live = warp.paths.live;
    let site = warp.site(context.block, path.pc);
    if O::CONTROL {
        context.observer.collective(site, lanes, members, live);
    }
    // The usual case: all lanes on one path.
    if members & live & !lanes == 0 {
        let mut gathered = Gathered::new(lanes);
        gathered.take(context, warp, path, collective, operands, lanes);
        gathered.give(context, warp, path, collective, operands, lanes);
        if O::CONTROL {
            let orders = collective.kind == Kind::Sync;
            context.observer.collective_completes(site, lanes, orders);
        }
        return Ok(Next::To(path.pc + 1));
    }
    Ok(Next::Wait(Wait::Collective { members, lanes }))
}

/// Runs one collective for which all members wait; its members, or `None`
/// when there is none.
pub(crate) fn complete_one<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Warp,
) -> Option<u32> {
    let code = context.launch.code;
    let kind_of = |path: &Path| match &code.instructions[path.pc as usize].op {
        Op::Collective(collective) => Some(collective.kind),
        _ => None,
    };
    let waiting: Vec<(usize, u32, u32, Kind)> = warp
        .paths
        .list
        .iter()
        .enumerate()
        .filter_map(|(index, path)| match path.wait {
            Some(Wait::Collective { members, lanes }) => {
                Some((index, members, lanes, kind_of(path)?))
            }
            _ => None,
        })
        .collect();
    for &(_, members, _, kind) in &waiting {
        let group: Vec<(usize, u32)> = waiting
            .iter()
            .filter(|other| (other.1, other.3) == (members, kind))
            .map(|other| (other.0, other.2))
            .collect();
        let present = group.iter().fold(0, |mask, (_, lanes)| mask | lanes);
        if members & warp.paths.live & !present != 0 {
            continue;
        }
        let paths: Vec<(Path, u32)> = group
            .iter()
            .map(|&(index, lanes)| (warp.paths.list[index].clone(), lanes))
            .collect();
        let mut gathered = Gathered::new(present);
        for give in [false, true] {
            for (path, lanes) in &paths {
                let instruction = &code.instructions[path.pc as usize];
                let Op::Collective(collective) = &instruction.op else {
                    continue;
                };
                if give {
                    gathered.give(
                        context,
                        warp,
                        path,
                        collective,
                        &instruction.operands,
                        *lanes,
                    );
                } else {
                    gathered.take(
                        context,
                        warp,
                        path,
                        collective,
                        &instruction.operands,
                        *lanes,
                    );
                }
            }
        }
        if O::CONTROL
            && let Some((path, _)) = paths.first()
        {
            let site = warp.site(context.block, path.pc);
            let orders = kind == Kind::Sync;
            context.observer.collective_completes(site, present, orders);
        }
        for (index, _) in group {
            warp.paths.list[index].wait = None;
            warp.paths.list[index].pc += 1;
        }
        return Some(members);
    }
    None
}
