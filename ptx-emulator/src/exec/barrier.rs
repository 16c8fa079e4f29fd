//! Barriers of the block: `bar`, `barrier` with `.sync`, `.arrive`, `.red`.
//! `bar.warp.sync` is a warp collective (`warp`); `mbarrier` and
//! `barrier.cluster` are groups of their own.

use super::{Group, Value, write, write_predicate};
use crate::ast::Type;
use crate::error::FaultKind;
use crate::ir::{Class, Op, Operands, Row, Slot, Source};
use crate::lower::decoder::{Decoded, Decoder, Reason};
use crate::machine::block::BARRIERS;
use crate::machine::path::{Path, Wait};
use crate::machine::warp::{Context, LaneFault, Lanes, Next, Warp};
use crate::observe::{BarrierArrival, Observer};

pub(crate) const GROUP: Group = Group {
    name: "barrier",
    opcodes: &[
        (
            "bar",
            ".sync .arrive .red.popc.u32 .red.and.pred .red.or.pred; .cta",
        ),
        ("barrier", "as bar, with .aligned"),
    ],
    decode,
};

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Kind {
    Sync,
    Arrive,
    Count,
    All,
    Any,
}

/// A barrier instruction.
#[derive(Clone, Debug)]
pub(crate) struct Barrier {
    kind: Kind,
    /// All threads of a warp have to come to the same instruction.
    aligned: bool,
    id: Source,
    threads: Option<Source>,
    /// The predicate of a reduction, and where its result goes.
    vote: Source,
    result: Slot,
}

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    if d.peek() == Some("warp") {
        return Err("`bar.warp` is decoded by the group `warp`".into());
    }
    d.take("cta");
    let kind = match d.take_any(&["sync", "arrive", "red"]) {
        Some("sync") => Kind::Sync,
        Some("arrive") => Kind::Arrive,
        Some(_) => match d.take_any(&["popc", "and", "or"]) {
            Some("popc") => Kind::Count,
            Some("and") => Kind::All,
            Some(_) => Kind::Any,
            None => return Err(d.unknown_modifier()),
        },
        None => return Err(d.unknown_modifier()),
    };
    let aligned = d.opcode() == "bar" || d.take("aligned");
    let reduces = !matches!(kind, Kind::Sync | Kind::Arrive);
    let ty = if reduces { Some(d.ty()?) } else { None };
    let expected = match kind {
        Kind::Count => Some(Type::U32),
        Kind::All | Kind::Any => Some(Type::Predicate),
        _ => None,
    };
    if ty != expected {
        return Err("bar.red is .popc.u32, .and.pred or .or.pred".into());
    }
    let count = d.instruction.operands.len();
    d.finish(count)?;
    let first = usize::from(reduces);
    let (least, most) = match kind {
        Kind::Sync => (1, 2),
        Kind::Arrive => (2, 2),
        _ => (3, 4),
    };
    if count < least || count > most {
        return Err(format!(
            "`{}` takes {least} to {most} operands here, not {count}",
            d.opcode()
        ));
    }
    let has_threads =
        count == most && kind != Kind::Arrive && count > least || kind == Kind::Arrive;
    let barrier = Barrier {
        kind,
        aligned,
        id: d.source(first, Type::U32)?,
        threads: if has_threads {
            Some(d.source(first + 1, Type::U32)?)
        } else {
            None
        },
        vote: if reduces {
            d.predicate(count - 1)?
        } else {
            Source::default()
        },
        result: match expected {
            Some(ty) => d.destination(0, ty)?,
            None => Slot::SINK,
        },
    };
    Ok(Decoded {
        op: Op::Barrier(barrier),
        operands: Operands::default(),
        class: Class::Barrier,
    })
}

pub(crate) fn arrive<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Warp,
    path: &Path,
    barrier: &Barrier,
    lanes: u32,
) -> Result<Next, LaneFault> {
    let live = warp.paths.live;
    let warp = &mut warp.lanes;
    let undefined = |text: String| (lanes.trailing_zeros(), FaultKind::Barrier(text));
    let pool = &context.launch.pool;
    let Some(id) = warp.uniform(path, pool, barrier.id, lanes) else {
        return Err(undefined(
            "lanes of one warp name different barriers".into(),
        ));
    };
    if id as usize >= BARRIERS {
        return Err(undefined(format!("barrier {id}; a block has {BARRIERS}")));
    }
    let threads = match barrier.threads {
        None => 0,
        Some(source) => match warp.uniform(path, pool, source, lanes) {
            Some(threads) if threads > 0 && threads % 32 == 0 => threads,
            Some(threads) => {
                return Err(undefined(format!(
                    "barrier {id} for {threads} threads, which is no multiple of 32"
                )));
            }
            None => {
                return Err(undefined(
                    "lanes of one warp name different thread counts".into(),
                ));
            }
        },
    };
    let vote = super::predicate(&warp.registers.frame(path, pool), barrier.vote);
    let state = &mut context.block.barriers[id as usize];
    if state.arrived > 0 && state.expected != threads {
        let kind = FaultKind::BarrierCounts {
            id,
            threads,
            waiting: state.expected,
        };
        return Err((lanes.trailing_zeros(), kind));
    }
    state.expected = threads;
    state.arrived += lanes.count_ones();
    state.votes += (vote & lanes).count_ones();
    state.voters += lanes.count_ones();
    let phase = state.phase;
    let waits = barrier.kind != Kind::Arrive;
    if O::CONTROL {
        let site = context.block.site(path.pc, warp.index);
        let arrival = BarrierArrival {
            id,
            lanes,
            live,
            expected: threads,
            waits,
            aligned: barrier.aligned,
            releases: true,
        };
        context.observer.barrier(site, &arrival);
    }
    let complete = context.block.check_barrier(id as usize);
    if complete && O::CONTROL {
        context.observer.barrier_completes(context.block.linear, id);
    }
    if !waits {
        return Ok(Next::To(path.pc + 1));
    }
    if complete {
        finish(context, warp, path, id, phase);
        return Ok(Next::To(path.pc + 1));
    }
    Ok(Next::Wait(Wait::Barrier { id, phase }))
}

/// Behind a completed barrier: the result of a reduction.
pub(crate) fn finish<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Lanes,
    path: &Path,
    id: u32,
    phase: u64,
) {
    let Op::Barrier(barrier) = &context.launch.instructions()[path.pc as usize].op else {
        return;
    };
    if matches!(barrier.kind, Kind::Sync | Kind::Arrive) {
        return;
    }
    let (votes, voters) = context.block.barriers[id as usize].result[(phase & 1) as usize];
    let guard = context.launch.instructions()[path.pc as usize].guard;
    let mut frame = warp.registers.frame(path, &context.launch.pool);
    let lanes = match guard.0 {
        Some(source) => path.mask & super::predicate(&frame, source),
        None => path.mask,
    };
    let bits = |all: bool| if all { u32::MAX } else { 0 };
    match barrier.kind {
        Kind::Count => write(
            u32::row_mut(&mut frame, barrier.result),
            &Row([votes; 32]),
            lanes,
        ),
        Kind::All => write_predicate(&mut frame, barrier.result, bits(votes == voters), lanes),
        _ => write_predicate(&mut frame, barrier.result, bits(votes > 0), lanes),
    }
}
