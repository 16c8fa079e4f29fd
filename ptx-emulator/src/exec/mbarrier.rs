//! `mbarrier`: barriers in shared memory that count arrivals and bytes.
//! `machine::mbarrier` is the object; here are the instructions on it.
//!
//! `try_wait` holds its lanes back until the phase is over, or until nothing
//! else of the block can move: then it is false, as after its time limit. With
//! a seed it may be false at any time.

mod decode;

use super::Group;
use crate::error::FaultKind;
use crate::ir::{LANES, Mbarrier, MbarrierKind as Kind, Op, Room, Row, lanes_of};
use crate::machine::{
    BlockState, Issue, LaneFault, Next, Request, Schedule, Wait, copying,
    mbarrier::{self, State},
    shared_offsets,
};
use crate::observe::{AccessKind, Observer, Order, Scope};

pub(crate) const GROUP: Group = Group {
    name: "mbarrier",
    forms: &[
        "mbarrier: .init .inval .arrive .arrive_drop .expect_tx .complete_tx .test_wait .try_wait .pending_count; .noComplete .parity, counts, orders and scopes; .shared::cluster of the own block; b64",
    ],
    decode: decode::decode,
};

pub(crate) fn run<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    mbarrier: &Mbarrier,
) -> Result<Next, LaneFault> {
    if let Kind::Test { blocks, .. } = mbarrier.kind {
        return test(at, mbarrier, blocks);
    }
    let offsets = offsets(at, mbarrier)?;
    let kind = match mbarrier.kind {
        Kind::Init | Kind::Invalidate => AccessKind::Store,
        _ => AccessKind::Atomic,
    };
    observe(at, mbarrier, kind, &offsets, at.lanes);
    let numbers = match mbarrier.number {
        Some(source) => at.row::<u32>(source),
        None => Row([1; LANES]),
    };
    let mut before = Row::<u64>::default();
    at.each(|at, lane| {
        let number = numbers.0[lane];
        before.0[lane] = apply(at.context.block, mbarrier.kind, offsets[lane], number)?;
        Ok(())
    })?;
    if mbarrier.returns {
        at.put(true, at.operands.d[0], &before, at.lanes);
    }
    Ok(at.next())
}

/// One lane's change of an object; the bits before it.
fn apply(block: &mut BlockState, kind: Kind, offset: u64, number: u32) -> Result<u64, FaultKind> {
    let change = |state: &mut State| match kind {
        Kind::ExpectBytes => state.expect_bytes(i64::from(number)),
        Kind::CompleteBytes => state.expect_bytes(-i64::from(number)),
        Kind::Arrive {
            drops,
            completes,
            expects,
        } => {
            let count = if expects { 1 } else { number };
            if expects {
                state.expect_bytes(i64::from(number))?;
            }
            if !completes && count == state.pending {
                return Err("an arrival with `.noComplete` that is the last one".into());
            }
            if drops {
                state.arrive_and_drop(count)
            } else {
                state.arrive(count)
            }
        }
        _ => Ok(()),
    };
    match kind {
        Kind::Init => mbarrier::init(block, offset, number).map(|()| 0),
        Kind::Invalidate => mbarrier::invalidate(block, offset).map(|()| 0),
        _ => mbarrier::update(block, offset, change).map(State::bits),
    }
}

/// The object of each lane, after the checks of its address.
fn offsets<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    mbarrier: &Mbarrier,
) -> Result<[u64; LANES], LaneFault> {
    let lanes = at.lanes;
    let offsets = shared_offsets(mbarrier.room, at.addresses(&mbarrier.at), lanes)?;
    let nothing = |_, _: &_, _| ();
    at.each_lane(Room::Shared, &offsets, lanes, mbarrier::BYTES, nothing)?;
    Ok(offsets)
}

fn observe<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    mbarrier: &Mbarrier,
    kind: AccessKind,
    addresses: &[u64; LANES],
    lanes: u32,
) {
    if lanes == 0 {
        return;
    }
    let (order, scope) = match kind {
        AccessKind::Store => (Order::Weak, Scope::None),
        _ => (mbarrier.order, mbarrier.scope),
    };
    let request = Request {
        room: Room::Shared,
        kind,
        order,
        scope,
        bytes: mbarrier::BYTES,
        element: mbarrier::BYTES,
        values: false,
    };
    at.show(&request, Room::Shared, addresses, lanes);
}

/// The parity of the phase that each lane asks about.
fn parities<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    mbarrier: &Mbarrier,
) -> Result<[bool; LANES], LaneFault> {
    let mut out = [false; LANES];
    let Some(source) = mbarrier.number else {
        return Ok(out);
    };
    if matches!(mbarrier.kind, Kind::Test { parity: true, .. }) {
        let row = at.row::<u32>(source);
        at.each(|_, lane| {
            out[lane] = match row.0[lane] {
                0 => false,
                1 => true,
                other => {
                    let text = format!("the parity of a phase is {other}; allowed are 0 and 1");
                    return Err(FaultKind::Undefined(text));
                }
            };
            Ok(())
        })?;
        return Ok(out);
    }
    let row = at.row::<u64>(source);
    at.each(|_, lane| {
        let state = row.0[lane];
        let wrong = || FaultKind::Undefined(format!("{state:#x} is no state of an mbarrier"));
        out[lane] = State::from_bits(state).ok_or_else(wrong)?.phase;
        Ok(())
    })?;
    Ok(out)
}

/// `test_wait` and `try_wait`.
fn test<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    mbarrier: &Mbarrier,
    blocks: bool,
) -> Result<Next, LaneFault> {
    let (lanes, launch) = (at.lanes, at.context.launch);
    let offsets = offsets(at, mbarrier)?;
    let parities = parities(at, mbarrier)?;
    if launch.options.schedule == Schedule::Deterministic {
        at.each(|at, lane| {
            mbarrier::read(at.context.block, offsets[lane])?;
            if !mbarrier::passed(at.context.block, offsets[lane], parities[lane]) {
                copying::serve(at.context, offsets[lane])
                    .map_err(|failure| failure.told(launch))?;
            }
            Ok(())
        })?;
    }
    let done = passed(at, &offsets, &parities)?;
    let asked = |lane: usize| (offsets[lane], parities[lane]);
    let (offset, parity) = asked(lanes.trailing_zeros() as usize);
    let alike = lanes_of(lanes).all(|lane| asked(lane) == (offset, parity));
    // With a seed the time limit is over at once now and then.
    let impatient = launch.now_and_then(at.warp.executed, at.path.pc);
    if blocks && done == 0 && alike && !impatient {
        return Ok(Next::Wait(Wait::Mbarrier {
            offset,
            parity,
            expired: false,
        }));
    }
    answer(at, mbarrier, &offsets, done);
    Ok(if done == lanes {
        at.next()
    } else {
        Next::Yield(at.path.pc + 1)
    })
}

/// Lanes whose phase is over.
fn passed<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    offsets: &[u64; LANES],
    parities: &[bool; LANES],
) -> Result<u32, LaneFault> {
    let mut done = 0;
    at.each(|at, lane| {
        let state = mbarrier::read(at.context.block, offsets[lane])?;
        done |= u32::from(state.phase != parities[lane]) << lane;
        Ok(())
    })?;
    Ok(done)
}

fn answer<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    mbarrier: &Mbarrier,
    offsets: &[u64; LANES],
    done: u32,
) {
    observe(at, mbarrier, AccessKind::Load, offsets, done);
    at.put_bits(at.operands.d[0], done, at.lanes);
}

/// Behind a `try_wait` that waited: its answer.
pub(crate) fn finish<O: Observer>(at: &mut Issue<'_, '_, O>) -> Result<(), LaneFault> {
    let instruction = &at.context.launch.instructions()[at.path.pc as usize];
    let Op::Mbarrier(mbarrier) = &instruction.op else {
        return Ok(());
    };
    let offsets = offsets(at, mbarrier)?;
    let parities = parities(at, mbarrier)?;
    let done = passed(at, &offsets, &parities)?;
    answer(at, mbarrier, &offsets, done);
    Ok(())
}
