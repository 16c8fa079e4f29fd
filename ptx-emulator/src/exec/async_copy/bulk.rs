//! `cp.async.bulk` and `cp.reduce.async.bulk`, of one dimension.

use super::*;

/// Addresses and sizes of bulk copies are multiples of it.
const ALIGNMENT: u32 = 16;

#[derive(Clone, Debug)]
pub(crate) struct Bulk {
    to: Address,
    from: Address,
    to_room: Room,
    from_room: Room,
    size: Source,
    /// The mbarrier that counts the bytes; without one, a bulk group does.
    signal: Option<(Address, Room)>,
    /// `.multicast::cluster`: the blocks that get the bytes.
    blocks: Option<Source>,
    reduction: Option<(atomic::Rule, u32)>,
}

pub(super) fn decode(d: &mut Decoder<'_, '_>, reduces: bool) -> Result<Bulk, Reason> {
    let room = |word| match word {
        "global" => Room::Global,
        _ => Room::Shared,
    };
    let spaces = ["global", "shared::cta", "shared::cluster"];
    let (Some(to), Some(from)) = (d.take_any(&spaces), d.take_any(&spaces[..2])) else {
        return Err(d.unknown_modifier());
    };
    let signals = match (to, from) {
        ("shared::cluster", "shared::cta") => true,
        ("shared::cluster" | "shared::cta", "global") if !reduces => true,
        ("global", "shared::cta") => false,
        _ => return Err(format!("no bulk copy goes from `.{from}` to `.{to}`")),
    };
    let completion = if signals {
        "mbarrier::complete_tx::bytes"
    } else {
        "bulk_group"
    };
    if !d.take(completion) {
        return Err(d.unknown_modifier());
    }
    let multicast = signals && from == "global" && d.take("multicast::cluster");
    let policy = d.take("L2::cache_hint");
    let reduction = if reduces { Some(reduction(d)?) } else { None };
    let count = 3 + usize::from(signals) + usize::from(multicast) + usize::from(policy);
    d.finish(count)?;
    let (to, to_room) = d.address(0, room(to))?;
    let (from, from_room) = d.address(1, room(from))?;
    Ok(Bulk {
        to,
        from,
        to_room,
        from_room,
        size: d.source(2, Type::U32)?,
        signal: if signals {
            Some(d.address(3, Room::Shared)?)
        } else {
            None
        },
        blocks: if multicast {
            Some(d.source(4, Type::U16)?)
        } else {
            None
        },
        reduction,
    })
}

/// `.redOp.type`
fn reduction(d: &mut Decoder<'_, '_>) -> Result<(atomic::Rule, u32), Reason> {
    let words = ["add", "min", "max", "inc", "dec", "and", "or", "xor"];
    let Some(word) = d.take_any(&words) else {
        return Err(d.unknown_modifier());
    };
    let ty = d.ty()?;
    match atomic::reduction(word, ty) {
        Some(rule) => Ok((rule, ty.bytes())),
        None => Err(d.unsupported_type(ty)),
    }
}

/// The rules of addresses and sizes.
pub(super) fn check<O: Observer>(
    context: &Context<'_, O>,
    place: (Room, u64),
    size: u32,
) -> Result<(), FaultKind> {
    if !size.is_multiple_of(ALIGNMENT) {
        return Err(FaultKind::Undefined(format!(
            "a bulk copy of {size} bytes; allowed are multiples of {ALIGNMENT}"
        )));
    }
    let (launch, shared) = (context.launch, &context.block.shared);
    with_bytes(launch, shared, place, size, ALIGNMENT, |_, _| ())
}

pub(super) fn run<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Lanes,
    path: &Path,
    bulk: &Bulk,
    lanes: u32,
) -> Result<(), LaneFault> {
    let to = addresses(context, warp, path, &bulk.to);
    let from = addresses(context, warp, path, &bulk.from);
    let signals = match &bulk.signal {
        Some((address, room)) => {
            let at = addresses(context, warp, path, address);
            Some(shared_offsets(*room, at, lanes)?)
        }
        None => None,
    };
    let frame = warp.registers.frame(path, &context.launch.pool);
    let sizes = *u32::row(&frame, bulk.size);
    let blocks = bulk.blocks.map(|source| *u32::row(&frame, source));
    let operation = context.block.transfers.new_operation();
    for lane in (0..LANES).filter(|lane| lanes >> lane & 1 != 0) {
        let fault = |kind| (lane as u32, kind);
        if let Some(blocks) = blocks
            && blocks.0[lane] & 0xffff != 1
        {
            let mask = blocks.0[lane] & 0xffff;
            let text = format!("a copy to the blocks {mask:#06x} of a cluster of one block");
            return Err(fault(FaultKind::Undefined(text)));
        }
        let size = sizes.0[lane];
        let copy = Copy {
            from: (bulk.from_room, from[lane]),
            to: (bulk.to_room, to[lane]),
            read: size,
            bytes: size,
            reduction: bulk.reduction,
            signal: signals.map(|offsets| offsets[lane]),
            staged: None,
        };
        check(context, copy.from, size).map_err(fault)?;
        check(context, copy.to, size).map_err(fault)?;
        if let Some(mbarrier) = copy.signal {
            mbarrier::read(context.block, mbarrier).map_err(fault)?;
        }
        let transfers = &mut context.block.transfers;
        let thread = warp.index * LANES as u32 + lane as u32;
        let group = match copy.signal {
            Some(_) => None,
            None => Some(transfers.group(Family::Bulk, thread)),
        };
        transfers.push(Transfer {
            operation,
            pc: path.pc,
            warp: warp.index,
            lane: lane as u32,
            family: Family::Bulk,
            step: Step::Copy { copy, group },
        });
    }
    Ok(())
}
