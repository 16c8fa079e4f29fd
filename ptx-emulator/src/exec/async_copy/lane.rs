//! `cp.async`: a copy of a lane, its groups, and mbarriers that wait for it.

use super::*;
use crate::ir::{Address, Limit, Room};
use crate::machine::{Request, mbarrier, shared_offsets, transfer::Copy};
use crate::observe::{AccessKind, Order, Scope};

const FAMILY: Family = Family::Lane;

pub(super) fn decode(d: &mut Decoder<'_, '_>) -> Result<Asynchronous, Reason> {
    let words = [
        "commit_group",
        "wait_group",
        "wait_all",
        "mbarrier",
        "ca",
        "cg",
    ];
    let wait = |left, commits| {
        Ok(Asynchronous::Wait {
            family: FAMILY,
            left,
            read_only: false,
            commits,
        })
    };
    match d.one_of(&words)? {
        "commit_group" => {
            d.finish(0)?;
            Ok(Asynchronous::Commit(FAMILY))
        }
        "wait_group" => {
            d.finish(1)?;
            wait(constant(d, 0)?, false)
        }
        "wait_all" => {
            d.finish(0)?;
            wait(0, true)
        }
        "mbarrier" => {
            d.require("arrive")?;
            let increments = !d.take("noinc");
            let room = match d.take_any(&["shared", "shared::cta"]) {
                Some(_) => Room::Shared,
                None => Room::Generic,
            };
            d.require("b64")?;
            d.finish(1)?;
            let (at, room) = d.address(0, room)?;
            Ok(Asynchronous::Arrive {
                at,
                room,
                increments,
            })
        }
        cache => decode_copy(d, cache),
    }
}

fn decode_copy(d: &mut Decoder<'_, '_>, cache: &str) -> Result<Asynchronous, Reason> {
    d.one_of(&["shared", "shared::cta"])?;
    d.require("global")?;
    let policy = d.take("L2::cache_hint");
    d.take_any(&["L2::64B", "L2::128B", "L2::256B"]);
    let count = d.instruction.operands.len();
    let limited = match count - usize::from(policy).min(count) {
        3 => false,
        4 => true,
        _ => return Err(format!("`cp.async` takes 3 to 5 operands, not {count}")),
    };
    d.finish(count)?;
    let bytes = constant(d, 2)?;
    let allowed: &[u32] = if cache == "ca" { &[4, 8, 16] } else { &[16] };
    if !allowed.contains(&bytes) {
        return Err(format!(
            "`cp.async.{cache}` of {bytes} bytes; allowed are {allowed:?}"
        ));
    }
    let limit = if !limited {
        Limit::All
    } else if d.register_type(3) == Some(Type::Predicate)
        || matches!(d.operand(3)?, Operand::Not(_))
    {
        Limit::Ignored(d.predicate(3)?)
    } else {
        Limit::Size(d.source(3, Type::U32)?)
    };
    Ok(Asynchronous::Copy {
        to: d.address(0, Room::Shared)?.0,
        from: d.address(1, Room::Global)?.0,
        bytes,
        limit,
    })
}

pub(super) fn copy<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    (to, from): (&Address, &Address),
    bytes: u32,
    limit: Limit,
) -> Result<(), LaneFault> {
    let (to, from) = (at.addresses(to), at.addresses(from));
    let read: [u32; LANES] = match limit {
        Limit::All => [bytes; LANES],
        Limit::Size(source) => at.row::<u32>(source).0,
        Limit::Ignored(source) => {
            let ignored = at.bits(source);
            std::array::from_fn(|lane| if ignored >> lane & 1 != 0 { 0 } else { bytes })
        }
    };
    let operation = at.context.block.transfers.new_operation();
    at.each(|at, lane| {
        if read[lane] > bytes {
            let text = format!("cp.async with src-size {} of {bytes} bytes", read[lane]);
            return Err(FaultKind::Undefined(text));
        }
        let copy = Copy {
            from: (Room::Global, from[lane]),
            to: (Room::Shared, to[lane]),
            read: read[lane],
            bytes,
            reduction: None,
            signal: None,
            staged: None,
        };
        let (launch, shared) = (at.context.launch, &at.context.block.shared);
        with_bytes(launch, shared, copy.to, bytes, bytes, |_, _| ())?;
        if copy.read > 0 {
            with_bytes(launch, shared, copy.from, copy.read, bytes, |_, _| ())?;
        }
        let thread = at.thread(lane);
        let group = Some(at.context.block.transfers.group(FAMILY, thread));
        ask(at, operation, lane, FAMILY, Step::Copy { copy, group });
        Ok(())
    })
}

/// `cp.async.mbarrier.arrive`: the mbarrier waits for the lane's copies.
pub(super) fn arrive<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    (address, room): (&Address, Room),
    increments: bool,
) -> Result<(), LaneFault> {
    let offsets = shared_offsets(room, at.addresses(address), at.lanes)?;
    if increments {
        let request = Request {
            room: Room::Shared,
            kind: AccessKind::Atomic,
            order: Order::Relaxed,
            scope: Scope::Block,
            bytes: mbarrier::BYTES,
            element: mbarrier::BYTES,
            values: false,
        };
        at.show(&request, Room::Shared, &offsets, at.lanes);
    }
    let operation = at.context.block.transfers.new_operation();
    at.each(|at, lane| {
        let mbarrier = offsets[lane];
        if increments {
            mbarrier::update(at.context.block, mbarrier, |state| state.expect_arrival())?;
        } else {
            mbarrier::read(at.context.block, mbarrier)?;
        }
        ask(at, operation, lane, FAMILY, Step::Arrive { mbarrier });
        Ok(())
    })
}
