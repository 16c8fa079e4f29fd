//! `cp.async.bulk` and `cp.reduce.async.bulk`, of one dimension.

use super::*;
use crate::ir::{BulkCopy, Room};
use crate::machine::{mbarrier, shared_offsets, transfer::Copy};

const FAMILY: Family = Family::Bulk;

/// Addresses and sizes of bulk copies are multiples of it.
const ALIGNMENT: u32 = 16;

/// A copy, or what is asked of groups of them.
pub(super) fn decode_any(d: &mut Decoder<'_, '_>) -> Result<Asynchronous, Reason> {
    match d.take_any(&["commit_group", "wait_group", "prefetch"]) {
        Some("commit_group") => {
            d.finish(0)?;
            Ok(Asynchronous::Commit(FAMILY))
        }
        Some("wait_group") => {
            let read_only = d.take("read");
            d.finish(1)?;
            Ok(Asynchronous::Wait {
                family: FAMILY,
                left: constant(d, 0)?,
                read_only,
                commits: false,
            })
        }
        Some(_) => {
            d.require("L2")?;
            d.require("global")?;
            let policy = d.take("L2::cache_hint");
            d.finish(if policy { 3 } else { 2 })?;
            let (from, room) = d.address(0, Room::Global)?;
            Ok(Asynchronous::Prefetch {
                from,
                room,
                size: d.source(1, Type::U32)?,
            })
        }
        None => Ok(Asynchronous::Bulk(decode(d, false)?)),
    }
}

pub(super) fn decode(d: &mut Decoder<'_, '_>, reduces: bool) -> Result<BulkCopy, Reason> {
    let room = |word| match word {
        "global" => Room::Global,
        _ => Room::Shared,
    };
    let spaces = ["global", "shared::cta", "shared::cluster"];
    let (to, from) = (d.one_of(&spaces)?, d.one_of(&spaces[..2])?);
    let signals = match (to, from) {
        ("shared::cluster", "shared::cta") => true,
        ("shared::cluster" | "shared::cta", "global") if !reduces => true,
        ("global", "shared::cta") => false,
        _ => return Err(format!("no bulk copy goes from `.{from}` to `.{to}`")),
    };
    d.require(if signals {
        "mbarrier::complete_tx::bytes"
    } else {
        "bulk_group"
    })?;
    let multicast = signals && from == "global" && d.take("multicast::cluster");
    let policy = d.take("L2::cache_hint");
    let reduction = reduces.then(|| reduction(d)).transpose()?;
    let count = 3 + usize::from(signals) + usize::from(multicast) + usize::from(policy);
    d.finish(count)?;
    Ok(BulkCopy {
        to: d.address(0, room(to))?,
        from: d.address(1, room(from))?,
        size: d.source(2, Type::U32)?,
        signal: signals.then(|| d.address(3, Room::Shared)).transpose()?,
        blocks: multicast.then(|| d.source(4, Type::U16)).transpose()?,
        reduction: reduction.map(|(ty, rule)| (rule, ty.bytes())),
    })
}

/// The rules of addresses and sizes.
pub(super) fn check<O>(
    at: &Issue<'_, '_, O>,
    place: (Room, u64),
    size: u32,
) -> Result<(), FaultKind> {
    if !size.is_multiple_of(ALIGNMENT) {
        return Err(FaultKind::Undefined(format!(
            "a bulk copy of {size} bytes; allowed are multiples of {ALIGNMENT}"
        )));
    }
    let (launch, shared) = (at.context.launch, &at.context.block.shared);
    with_bytes(launch, shared, place, size, ALIGNMENT, |_, _| ())
}

pub(super) fn run<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    bulk: &BulkCopy,
) -> Result<(), LaneFault> {
    let (to, from) = (at.addresses(&bulk.to.0), at.addresses(&bulk.from.0));
    let signals = match &bulk.signal {
        Some((address, room)) => Some(shared_offsets(*room, at.addresses(address), at.lanes)?),
        None => None,
    };
    let sizes = at.row::<u32>(bulk.size);
    let blocks = bulk.blocks.map(|source| at.row::<u32>(source));
    let operation = at.context.block.transfers.new_operation();
    at.each(|at, lane| {
        let mask = blocks.map_or(1, |blocks| blocks.0[lane] & 0xffff);
        if mask != 1 {
            let text = format!("a copy to the blocks {mask:#06x} of a cluster of one block");
            return Err(FaultKind::Undefined(text));
        }
        let size = sizes.0[lane];
        let copy = Copy {
            from: (bulk.from.1, from[lane]),
            to: (bulk.to.1, to[lane]),
            read: size,
            bytes: size,
            reduction: bulk.reduction,
            signal: signals.map(|offsets| offsets[lane]),
            staged: None,
        };
        check(at, copy.from, size)?;
        check(at, copy.to, size)?;
        let thread = at.thread(lane);
        let group = match copy.signal {
            Some(mbarrier) => {
                mbarrier::read(at.context.block, mbarrier)?;
                None
            }
            None => Some(at.context.block.transfers.group(FAMILY, thread)),
        };
        ask(at, operation, lane, FAMILY, Step::Copy { copy, group });
        Ok(())
    })
}
