//! Warp collectives: `shfl.sync`, `vote.sync`, `match.sync`, `redux.sync`,
//! `elect.sync`, `bar.warp.sync`; and `activemask`.
//!
//! The lanes that the member mask names need not come together: each path
//! waits until all have come, from whichever instruction, and then all get
//! their results at once, if the instructions have the same qualifiers: a
//! `shfl.bfly` does not meet a `shfl.idx`. Lanes that have exited are not
//! waited for.

mod gathered;

use ptx_syntax::{Operand, Type};

use super::Group;
use crate::error::FaultKind;
use crate::ir::{
    Collective, Direction, Op, Operands, Reduction, Row, Value, Width, lane_fn, mask_of, write,
};
use crate::lower::{Decoded, Decoder, Reason};
use crate::machine::{Context, Issue, LaneFault, Next, Path, Paths, Wait, Warp};
use crate::observe::{Class, Observer};
use gathered::Gathered;
pub(crate) use gathered::source_lane;

pub(crate) const GROUP: Group = Group {
    name: "warp",
    forms: &[
        "shfl: .sync, or before sm_70 and PTX 6.4 none; .up .down .bfly .idx; b32",
        "vote: .sync, or before sm_70 and PTX 6.4 none; .all .any .uni pred, .ballot b32",
        "match: .any .all; .sync; b32 b64",
        "redux: .sync; .add .min .max u32 s32, .and .or .xor b32",
        "elect: .sync",
        "bar: .warp.sync",
        "activemask: b32",
    ],
    decode,
};

/// `Operands::aux` of a collective of the lanes that come to it together, whichever they are:
/// the older form, without `.sync` and member mask.
const UNSYNCED: u64 = 1;

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    if d.opcode() == "activemask" {
        d.type_of(&[Type::B32])?;
        let run = lane_fn!(|f, o, m| write(u32::row_mut(f, o.d[0]), &Row([m; 32]), m));
        return d.each_lane(run, 0, Class::Warp, Type::B32, &[]);
    }
    if d.opcode() == "bar" {
        d.require("warp")?;
    }
    // `match.any.sync`, but `vote.sync.any`.
    let matches = (d.opcode() == "match").then(|| d.take_any(&["any", "all"]));
    let mut operands = Operands::default();
    if !d.take("sync") {
        if !matches!(d.opcode(), "vote" | "shfl") || !d.builder.has_unsynced {
            return Err("`.sync` is needed from sm_70 and PTX 6.4 on".into());
        }
        operands.aux = UNSYNCED;
    }
    let kind = match d.opcode() {
        "bar" => {
            d.finish(1)?;
            operands.s[3] = d.source(0, Type::B32)?;
            Collective::Sync
        }
        "shfl" => shuffle(d, &mut operands)?,
        "vote" => vote(d, &mut operands)?,
        "match" => match_kind(d, matches.flatten(), &mut operands)?,
        "redux" => reduce(d, &mut operands)?,
        _ => {
            d.finish(2)?;
            if !matches!(d.operand(0)?, Operand::Pair(..)) {
                return Err("`elect` has two results, `d|p`".into());
            }
            d.pair(&mut operands, Type::B32)?;
            operands.s[3] = d.source(1, Type::B32)?;
            Collective::Elect
        }
    };
    Ok(Decoded::new(Op::Collective(kind), Class::Warp).with(operands))
}

fn shuffle(d: &mut Decoder<'_, '_>, operands: &mut Operands) -> Result<Collective, Reason> {
    let direction = match d.one_of(&["up", "down", "bfly", "idx"])? {
        "up" => Direction::Up,
        "down" => Direction::Down,
        "bfly" => Direction::Butterfly,
        _ => Direction::Index,
    };
    d.type_of(&[Type::B32])?;
    let sources = if operands.aux == UNSYNCED { 3 } else { 4 };
    d.finish(1 + sources)?;
    d.pair(operands, Type::B32)?;
    for index in 0..sources {
        operands.s[index] = d.source(index + 1, Type::B32)?;
    }
    Ok(Collective::Shuffle(direction))
}

fn vote(d: &mut Decoder<'_, '_>, operands: &mut Operands) -> Result<Collective, Reason> {
    let kind = match d.one_of(&["all", "any", "uni", "ballot"])? {
        "all" => Collective::All,
        "any" => Collective::Any,
        "uni" => Collective::Uniform,
        _ => Collective::Ballot,
    };
    let ty = d.type_of(match kind {
        Collective::Ballot => &[Type::B32],
        _ => &[Type::Predicate],
    })?;
    let masks = usize::from(operands.aux != UNSYNCED);
    d.finish(2 + masks)?;
    operands.d[0] = d.destination(0, ty)?;
    operands.s[0] = d.predicate(1)?;
    if masks > 0 {
        operands.s[3] = d.source(2, Type::B32)?;
    }
    Ok(kind)
}

fn match_kind(
    d: &mut Decoder<'_, '_>,
    word: Option<&str>,
    operands: &mut Operands,
) -> Result<Collective, Reason> {
    let word = word.ok_or_else(|| d.unknown_modifier())?;
    let ty = d.type_of(&[Type::B32, Type::B64])?;
    d.finish(3)?;
    if word == "any" {
        operands.d[0] = d.destination(0, Type::B32)?;
    } else {
        d.pair(operands, Type::B32)?;
    }
    operands.s[0] = d.source(1, ty)?;
    operands.s[3] = d.source(2, Type::B32)?;
    let width = Width::of(ty);
    Ok(if word == "any" {
        Collective::MatchAny(width)
    } else {
        Collective::MatchAll(width)
    })
}

fn reduce(d: &mut Decoder<'_, '_>, operands: &mut Operands) -> Result<Collective, Reason> {
    let word = d.one_of(&["add", "min", "max", "and", "or", "xor"])?;
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
    Ok(Collective::Reduce(reduction))
}

/// A path comes to a collective. Lanes may name different masks, as tiles of
/// a warp do: those with the mask of the first lane go on, the others come
/// here once more.
pub(crate) fn arrive<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    kind: Collective,
) -> Result<Next, LaneFault> {
    let masks = match at.operands.aux {
        UNSYNCED => Row([at.lanes; 32]),
        _ => at.row::<u32>(at.operands.s[3]),
    };
    let members = masks.0[Paths::first_lane(at.lanes)];
    let others = at.lanes & mask_of(|lane| masks.0[lane] != members);
    if others != 0 {
        let (pc, after) = (at.path.pc, at.path.pc + 1);
        at.paths.split(at.path, others, pc, pc, after, false);
    }
    let lanes = at.lanes & !others;
    if lanes & !members != 0 {
        let outside = (lanes & !members).trailing_zeros();
        let text = format!("the member mask {members:#010x} does not name lane {outside} itself");
        return Err((outside, FaultKind::Collective(text)));
    }
    let (site, live) = (at.site(), at.paths.live);
    if O::CONTROL {
        at.context.observer.collective(site, lanes, members, live);
    }
    if members & live & !lanes != 0 {
        return Ok(Next::Wait(Wait::Collective { members, lanes }));
    }
    // The usual case: all lanes on one path.
    let mut gathered = Gathered::new(kind, lanes);
    let operands = at.operands;
    gathered.take(&at.frame(), operands, lanes);
    gathered.give(&mut at.frame(), operands, lanes);
    if O::CONTROL {
        let orders = kind == Collective::Sync;
        at.context
            .observer
            .collective_completes(site, lanes, orders);
    }
    Ok(at.next())
}

/// Runs one collective for which all members wait; false when there is none.
pub(crate) fn complete_one<O: Observer>(context: &mut Context<'_, O>, warp: &mut Warp) -> bool {
    let launch = context.launch;
    let code = launch.instructions();
    let waiting = |path: &Path| match (path.wait, &code[path.pc as usize].op) {
        (Some(Wait::Collective { members, lanes }), Op::Collective(kind)) => {
            Some((members, lanes, *kind))
        }
        _ => None,
    };
    let all: Vec<(u32, u32, Collective)> = warp.paths.list.iter().filter_map(waiting).collect();
    // Those who come to the same collective, and all lanes of them.
    let complete = all.iter().find_map(|&(members, _, kind)| {
        let same = all
            .iter()
            .filter(|other| (other.0, other.2) == (members, kind));
        let present = same.fold(0, |mask, (_, lanes, _)| mask | lanes);
        (members & warp.paths.live & !present == 0).then_some((members, present, kind))
    });
    let Some((members, present, kind)) = complete else {
        return false;
    };
    let mut paths: Vec<(&mut Path, u32)> = warp
        .paths
        .list
        .iter_mut()
        .filter_map(|path| match waiting(path) {
            Some((own, lanes, of)) if (own, of) == (members, kind) => Some((path, lanes)),
            _ => None,
        })
        .collect();
    let mut gathered = Gathered::new(kind, present);
    for (path, lanes) in &paths {
        let frame = warp.lanes.registers.frame(path, &launch.pool);
        gathered.take(&frame, &code[path.pc as usize].operands, *lanes);
    }
    for (path, lanes) in &paths {
        let mut frame = warp.lanes.registers.frame(path, &launch.pool);
        gathered.give(&mut frame, &code[path.pc as usize].operands, *lanes);
    }
    if O::CONTROL
        && let Some((path, _)) = paths.first()
    {
        let site = context.block.site(path.pc, warp.lanes.index);
        let orders = kind == Collective::Sync;
        context.observer.collective_completes(site, present, orders);
    }
    for (path, _) in &mut paths {
        path.wait = None;
        path.pc += 1;
    }
    true
}
