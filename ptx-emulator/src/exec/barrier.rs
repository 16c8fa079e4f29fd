//! Barriers of the block: `bar`, `barrier` with `.sync`, `.arrive`, `.red`.
//! `bar.warp.sync` is a warp collective (`warp`); `mbarrier` and
//! `barrier.cluster` are groups of their own.

use ptx_syntax::{Number, Operand, Type};

use super::Group;
use crate::error::FaultKind;
use crate::ir::{Barrier, BarrierKind as Kind, LANES, Op, Row, Slot, Source};
use crate::lower::{Decoded, Decoder, Reason};
use crate::machine::{BARRIERS, Issue, LaneFault, Next, Wait};
use crate::observe::{BarrierArrival, Class, Observer};

pub(crate) const GROUP: Group = Group {
    name: "barrier",
    forms: &[
        "bar: .sync .arrive .red.popc.u32 .red.and.pred .red.or.pred; .cta",
        "barrier: as bar, with .aligned",
    ],
    decode,
};

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    if d.peek() == Some("warp") {
        return Err("`bar.warp` is decoded by the group `warp`".into());
    }
    d.take("cta");
    let kind = match d.one_of(&["sync", "arrive", "red"])? {
        "sync" => Kind::Sync,
        "arrive" => Kind::Arrive,
        _ => match d.one_of(&["popc", "and", "or"])? {
            "popc" => Kind::Count,
            "and" => Kind::All,
            _ => Kind::Any,
        },
    };
    let aligned = d.opcode() == "bar" || d.take("aligned");
    let (result, least, most) = match kind {
        Kind::Sync => (None, 1, 2),
        Kind::Arrive => (None, 2, 2),
        Kind::Count => (Some(Type::U32), 3, 4),
        Kind::All | Kind::Any => (Some(Type::Predicate), 3, 4),
    };
    let reduces = result.is_some();
    if reduces && Some(d.ty()?) != result {
        return Err("bar.red is .popc.u32, .and.pred or .or.pred".into());
    }
    let count = d.instruction.operands.len();
    d.finish(count)?;
    if count < least || count > most {
        return Err(format!(
            "`{}` takes {least} to {most} operands here, not {count}",
            d.opcode()
        ));
    }
    let first = usize::from(reduces);
    let number = |index: usize| match d.operand(index) {
        Ok(Operand::Number(Number::Integer(value))) => Some(*value),
        _ => None,
    };
    if number(first).is_some_and(|id| id >= BARRIERS as u64) {
        return Err(format!("a block has {BARRIERS} barriers"));
    }
    let has_threads = count > least || kind == Kind::Arrive;
    if has_threads && number(first + 1).is_some_and(|n| n % 32 != 0) {
        return Err("the threads of a barrier are a multiple of 32".into());
    }
    let barrier = Barrier {
        kind,
        aligned,
        id: d.source(first, Type::U32)?,
        threads: has_threads
            .then(|| d.source(first + 1, Type::U32))
            .transpose()?,
        vote: match reduces {
            true => d.predicate(count - 1)?,
            false => Source::default(),
        },
        result: match result {
            Some(ty) => d.destination(0, ty)?,
            None => Slot::SINK,
        },
    };
    Ok(Decoded::new(Op::Barrier(barrier), Class::Barrier))
}

/// The barrier that the lanes name, and for how many threads; 0 for all.
fn named<O>(at: &mut Issue<'_, '_, O>, barrier: &Barrier) -> Result<(u32, u32), String> {
    let id = at
        .uniform(barrier.id)
        .ok_or("lanes of one warp name different barriers")?;
    if id as usize >= BARRIERS {
        return Err(format!("barrier {id}; a block has {BARRIERS}"));
    }
    let Some(source) = barrier.threads else {
        return Ok((id, 0));
    };
    match at.uniform(source) {
        Some(threads) if threads > 0 && threads % 32 == 0 => Ok((id, threads)),
        Some(threads) => Err(format!(
            "barrier {id} for {threads} threads, which is no multiple of 32"
        )),
        None => Err("lanes of one warp name different thread counts".into()),
    }
}

pub(crate) fn arrive<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    barrier: &Barrier,
) -> Result<Next, LaneFault> {
    let lanes = at.lanes;
    let (id, threads) = named(at, barrier).map_err(|text| at.fault(FaultKind::Barrier(text)))?;
    let vote = at.bits(barrier.vote);
    let state = &mut at.context.block.barriers[id as usize];
    if state.arrived > 0 && state.expected != threads {
        let waiting = state.expected;
        return Err(at.fault(FaultKind::BarrierCounts {
            id,
            threads,
            waiting,
        }));
    }
    state.expected = threads;
    state.arrived += lanes.count_ones();
    state.votes += (vote & lanes).count_ones();
    state.voters += lanes.count_ones();
    let phase = state.phase;
    let waits = barrier.kind != Kind::Arrive;
    let site = at.site();
    let context = &mut *at.context;
    if O::CONTROL {
        let arrival = BarrierArrival {
            id,
            lanes,
            live: at.paths.live,
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
    if waits && !complete {
        return Ok(Next::Wait(Wait::Barrier { id, phase }));
    }
    if waits {
        finish(at, id, phase)?;
    }
    Ok(at.next())
}

/// Behind a completed barrier: the result of a reduction.
pub(crate) fn finish<O>(at: &mut Issue<'_, '_, O>, id: u32, phase: u64) -> Result<(), LaneFault> {
    let Op::Barrier(barrier) = &at.context.launch.instructions()[at.path.pc as usize].op else {
        return Ok(());
    };
    let (votes, voters) = at.context.block.barriers[id as usize].result[(phase & 1) as usize];
    let lanes = at.lanes;
    match barrier.kind {
        Kind::Sync | Kind::Arrive => {}
        Kind::Count => at.put(
            false,
            barrier.result,
            &Row([u64::from(votes); LANES]),
            lanes,
        ),
        Kind::All => at.set(barrier.result, votes == voters, lanes),
        Kind::Any => at.set(barrier.result, votes > 0, lanes),
    }
    Ok(())
}
