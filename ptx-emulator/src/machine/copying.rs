//! When copies are made, and how: reading, writing, signalling.

use super::access::with_bytes;
use super::launch::Launch;
use super::mbarrier;
use super::transfer::{Copy, Failure, Step, Transfer};
use super::warp::Context;
use crate::error::FaultKind;
use crate::ir::{Family, LANES, Room};
use crate::observe::{AccessKind, Memory, MemoryAccess, Observer, Order, Scope};

/// Bytes that a load or a store of one lane has at most; a sector.
const WIDEST: u32 = 32;

impl Failure {
    /// As the fault of somebody who waited for it.
    pub(crate) fn told(self, launch: &Launch<'_>) -> FaultKind {
        let thread = launch.thread(self.warp * LANES as u32 + self.lane);
        FaultKind::Copy {
            kind: Box::new(self.kind),
            thread,
            statement: launch.code.statement(self.pc),
        }
    }
}

/// Completes the groups of these lanes but the newest `left` committed ones;
/// with `read_only`, of bulk copies only the reading.
pub(crate) fn wait<O: Observer>(
    context: &mut Context<'_, O>,
    (warp, lanes): (u32, u32),
    family: Family,
    left: u32,
    read_only: bool,
) -> Result<(), Failure> {
    let transfers = &mut context.block.transfers;
    let open: [u64; LANES] =
        std::array::from_fn(|lane| transfers.group(family, warp * LANES as u32 + lane as u32));
    let mut taken = transfers.take(|transfer| {
        let own =
            transfer.warp == warp && lanes >> transfer.lane & 1 != 0 && transfer.family == family;
        match &transfer.step {
            Step::Copy {
                group: Some(group),
                copy,
            } => {
                own && group + u64::from(left) < open[transfer.lane as usize]
                    && !(read_only && copy.staged.is_some())
            }
            _ => false,
        }
    });
    if !read_only {
        return complete(context, taken);
    }
    read(context, &mut taken)?;
    context.block.transfers.put_back(taken);
    Ok(())
}

/// Completes what the current phase of an mbarrier waits for.
pub(crate) fn serve<O: Observer>(
    context: &mut Context<'_, O>,
    mbarrier: u64,
) -> Result<(), Failure> {
    if context.block.transfers.is_empty() {
        return Ok(());
    }
    let taken = context.block.transfers.take_for(mbarrier);
    complete(context, taken)
}

/// Completes some transfers, or reads for them, as the bits of `random` fall.
pub(crate) fn stir<O: Observer>(
    context: &mut Context<'_, O>,
    mut random: impl FnMut() -> u64,
) -> Result<(), Failure> {
    if context.block.transfers.is_empty() {
        return Ok(());
    }
    let mut read_now = context.block.transfers.take(|transfer| {
        let unread = |copy: &Copy| copy.from.0 == Room::Shared && copy.staged.is_none();
        transfer.copy().is_some_and(unread) && random().is_multiple_of(4)
    });
    read(context, &mut read_now)?;
    let transfers = &mut context.block.transfers;
    transfers.put_back(read_now);
    let taken = transfers.take_in_order(|_| random().is_multiple_of(4));
    complete(context, taken)
}

/// Completes everything: the block ends.
pub(crate) fn finish<O: Observer>(context: &mut Context<'_, O>) -> Result<(), Failure> {
    if context.block.transfers.is_empty() {
        return Ok(());
    }
    let all = context.block.transfers.take(|_| true);
    complete(context, all)
}

fn complete<O: Observer>(
    context: &mut Context<'_, O>,
    mut taken: Vec<Transfer>,
) -> Result<(), Failure> {
    for transfers in taken.chunk_by_mut(|a, b| a.operation == b.operation) {
        read(context, transfers)?;
        write(context, transfers)?;
        for transfer in transfers {
            signal(context, transfer)?;
        }
    }
    Ok(())
}

/// Tells the mbarrier that counts the bytes, or arrives there.
fn signal<O: Observer>(context: &mut Context<'_, O>, transfer: &Transfer) -> Result<(), Failure> {
    let (mbarrier, bytes) = match &transfer.step {
        Step::Arrive { mbarrier } => (*mbarrier, None),
        Step::Copy { copy, .. } => match copy.signal {
            Some(mbarrier) => (mbarrier, Some(copy.bytes)),
            None => return Ok(()),
        },
    };
    let access = MemoryAccess {
        kind: AccessKind::Atomic,
        memory: Memory::Shared,
        addresses: &[mbarrier; LANES],
        lanes: 1 << transfer.lane,
        bytes: mbarrier::BYTES,
        element: mbarrier::BYTES,
        order: Order::Release,
        scope: Scope::Block,
        values: false,
        rows: [0; 2],
    };
    observe(context, transfer, &access);
    mbarrier::update(context.block, mbarrier, |state| match bytes {
        Some(bytes) => state.expect_bytes(-i64::from(bytes)),
        None => state.arrive(1),
    })
    .map(|_| ())
    .map_err(|kind| transfer.failure(kind))
}

fn observe<O: Observer>(
    context: &mut Context<'_, O>,
    transfer: &Transfer,
    access: &MemoryAccess<'_>,
) {
    if O::MEMORY {
        let site = context.block.site(transfer.pc, transfer.warp);
        context.observer.access(site, access);
    }
}

/// Shows the lanes of one instruction that access equally many bytes as one
/// access; more bytes than a lane accesses otherwise are shown in pieces.
fn observe_copies<O: Observer>(
    context: &mut Context<'_, O>,
    transfers: &[Transfer],
    access: impl Fn(&Copy) -> Option<(AccessKind, (Room, u64), u32)>,
) {
    if !O::MEMORY {
        return;
    }
    let mut shown = 0u32;
    for transfer in transfers {
        let Some(copy) = transfer.copy() else {
            continue;
        };
        let Some((kind, (room, _), bytes)) = access(copy) else {
            continue;
        };
        if shown >> transfer.lane & 1 != 0 {
            continue;
        }
        let mut addresses = [0; LANES];
        let mut lanes = 0;
        for other in transfers {
            if let Some((_, (_, address), same)) = other.copy().and_then(&access)
                && same == bytes
                && (bytes <= WIDEST || other.lane == transfer.lane)
            {
                addresses[other.lane as usize] = address;
                lanes |= 1 << other.lane;
            }
        }
        shown |= lanes;
        let (order, scope) = if kind == AccessKind::Atomic {
            (Order::Relaxed, Scope::Gpu)
        } else {
            (Order::Weak, Scope::None)
        };
        let reduced = copy.reduction.map(|(_, element)| element);
        let mut left = bytes;
        while left > 0 {
            let at = addresses[transfer.lane as usize];
            let piece = if left > WIDEST {
                WIDEST - at as u32 % WIDEST
            } else {
                left
            };
            let access = MemoryAccess {
                kind,
                memory: room.memory(),
                addresses: &addresses,
                lanes,
                bytes: piece,
                element: reduced.unwrap_or(piece),
                order,
                scope,
                values: false,
                rows: [0; 2],
            };
            observe(context, transfer, &access);
            addresses[transfer.lane as usize] += u64::from(piece);
            left -= piece;
        }
    }
}

/// Reads what has not been read. One instruction's lanes are neighbours.
fn read<O: Observer>(
    context: &mut Context<'_, O>,
    transfers: &mut [Transfer],
) -> Result<(), Failure> {
    for transfers in transfers.chunk_by_mut(|a, b| a.operation == b.operation) {
        observe_copies(context, transfers, |copy| {
            let unread = copy.staged.is_none() && copy.read > 0;
            unread.then_some((AccessKind::Load, copy.from, copy.read))
        });
        for transfer in transfers {
            let Some(copy) = transfer.copy().filter(|copy| copy.staged.is_none()) else {
                continue;
            };
            let mut bytes = vec![0; copy.bytes as usize];
            let (from, count) = (copy.from, copy.read);
            if count > 0 {
                let part = &mut bytes[..count as usize];
                let (launch, shared) = (context.launch, &context.block.shared);
                with_bytes(launch, shared, from, count, 1, |cells, at| {
                    cells.read(at, part);
                })
                .map_err(|kind| transfer.failure(kind))?;
            }
            if let Step::Copy { copy, .. } = &mut transfer.step {
                copy.staged = Some(bytes);
            }
        }
    }
    Ok(())
}

fn write<O: Observer>(context: &mut Context<'_, O>, transfers: &[Transfer]) -> Result<(), Failure> {
    observe_copies(context, transfers, |copy| {
        let kind = if copy.reduction.is_some() {
            AccessKind::Atomic
        } else {
            AccessKind::Store
        };
        (copy.bytes > 0).then_some((kind, copy.to, copy.bytes))
    });
    for transfer in transfers {
        let Some(copy) = transfer.copy() else {
            continue;
        };
        let bytes = copy.staged.as_deref().unwrap_or_default();
        let (launch, shared) = (context.launch, &context.block.shared);
        let count = bytes.len() as u32;
        with_bytes(launch, shared, copy.to, count, 1, |cells, at| {
            let Some((rule, width)) = copy.reduction else {
                cells.write(at, bytes);
                return;
            };
            for (index, element) in bytes.chunks_exact(width as usize).enumerate() {
                let mut value = [0; 8];
                value[..element.len()].copy_from_slice(element);
                let value = u64::from_le_bytes(value);
                let at = at + index as u64 * u64::from(width);
                cells.update(at, width, |old| rule.apply(old, value, 0));
            }
        })
        .map_err(|kind| transfer.failure(kind))?;
    }
    Ok(())
}
