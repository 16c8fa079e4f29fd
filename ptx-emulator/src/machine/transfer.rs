//! Copies that end later: `cp.async`, `cp.async.bulk`, and arrivals at an
//! mbarrier that follow them.
//!
//! A copy is made when somebody waits for it, or at the end of the block; with
//! a seed, at any moment before. So a wait that is missing is seen in the
//! results. Its accesses are the lane's that asked for it, and show the
//! instruction that did.

use super::access::{memory_of, with_bytes};
use super::launch::Launch;
use super::mbarrier;
use super::warp::Context;
use crate::error::FaultKind;
use crate::exec::atomic::Rule;
use crate::ir::{LANES, Room};
use crate::observe::{AccessKind, Memory, MemoryAccess, Observer, Order, Scope};

/// Bytes that a load or a store of one lane has at most; a sector.
const WIDEST: u32 = 32;

/// Which groups a copy belongs to.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// `cp.async`
    Lane,
    /// `cp.async.bulk`
    Bulk,
}

/// A copy, or an arrival that waits for copies.
#[derive(Debug)]
pub(crate) struct Transfer {
    /// One number for all lanes of one instruction.
    pub(crate) operation: u64,
    pub(crate) pc: u32,
    pub(crate) warp: u32,
    pub(crate) lane: u32,
    pub(crate) family: Family,
    pub(crate) step: Step,
}

#[derive(Debug)]
pub(crate) enum Step {
    Copy {
        copy: Copy,
        /// Group of the thread; `None` when an mbarrier is signalled instead.
        group: Option<u64>,
    },
    /// At the mbarrier of this offset, behind the lane's earlier `cp.async`.
    Arrive { mbarrier: u64 },
}

/// From where to where, how many bytes.
#[derive(Clone, Debug)]
pub(crate) struct Copy {
    pub(crate) from: (Room, u64),
    pub(crate) to: (Room, u64),
    /// Bytes read; the others of `bytes` are zero.
    pub(crate) read: u32,
    pub(crate) bytes: u32,
    /// Combines elements of so many bytes with what is there.
    pub(crate) reduction: Option<(Rule, u32)>,
    /// The mbarrier that counts the bytes.
    pub(crate) signal: Option<u64>,
    /// What has been read.
    pub(crate) staged: Option<Vec<u8>>,
}

/// A fault of the lane that asked.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) pc: u32,
    pub(crate) warp: u32,
    pub(crate) lane: u32,
    pub(crate) kind: FaultKind,
}

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

/// Everything of a block that is not complete.
#[derive(Debug, Default)]
pub(crate) struct Transfers {
    /// In the order in which it was asked for.
    pending: Vec<Transfer>,
    operations: u64,
    /// The group of each thread that is not yet committed, by family.
    open: Vec<[u64; 2]>,
}

impl Transfers {
    pub(crate) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    pub(crate) fn new_operation(&mut self) -> u64 {
        self.operations += 1;
        self.operations
    }

    pub(crate) fn push(&mut self, transfer: Transfer) {
        self.pending.push(transfer);
    }

    /// The group that a thread's copies go to.
    pub(crate) fn group(&self, family: Family, thread: u32) -> u64 {
        self.open
            .get(thread as usize)
            .map_or(0, |groups| groups[family as usize])
    }

    /// Closes a thread's group.
    pub(crate) fn commit(&mut self, family: Family, thread: u32) {
        let thread = thread as usize;
        if self.open.len() <= thread {
            self.open.resize(thread + 1, [0; 2]);
        }
        self.open[thread][family as usize] += 1;
    }

    fn take(&mut self, wanted: impl FnMut(&mut Transfer) -> bool) -> Vec<Transfer> {
        self.pending.extract_if(.., wanted).collect()
    }

    fn put_back(&mut self, taken: Vec<Transfer>) {
        self.pending.extend(taken);
        self.pending.sort_by_key(|transfer| transfer.operation);
    }

    /// Takes what `wanted` says; an arrival only when the `cp.async` before it
    /// are complete or taken too.
    fn take_in_order(&mut self, mut wanted: impl FnMut(&Transfer) -> bool) -> Vec<Transfer> {
        // Lanes of each warp that have a copy left.
        let mut left: Vec<u32> = Vec::new();
        self.take(|transfer| {
            let warp = transfer.warp as usize;
            if left.len() <= warp {
                left.resize(warp + 1, 0);
            }
            let ready = match transfer.step {
                Step::Arrive { .. } => left[warp] >> transfer.lane & 1 == 0,
                Step::Copy { .. } => true,
            };
            let taken = ready && wanted(transfer);
            if !taken && transfer.family == Family::Lane {
                left[warp] |= 1 << transfer.lane;
            }
            taken
        })
    }

    /// What has to be complete before `mbarrier` can have its next phase.
    fn take_for(&mut self, mbarrier: u64) -> Vec<Transfer> {
        // Lanes whose `cp.async` an arrival there waits for, and which of
        // them: those that were asked for before it.
        let mut arrivals: Vec<(u32, u32, u64)> = Vec::new();
        for transfer in &self.pending {
            if let Step::Arrive { mbarrier: at } = transfer.step
                && at == mbarrier
            {
                arrivals.push((transfer.warp, transfer.lane, transfer.operation));
            }
        }
        self.take(|transfer| match &transfer.step {
            Step::Copy { copy, .. } if copy.signal == Some(mbarrier) => true,
            _ => {
                transfer.family == Family::Lane
                    && arrivals.iter().any(|&(warp, lane, operation)| {
                        (warp, lane) == (transfer.warp, transfer.lane)
                            && transfer.operation <= operation
                    })
            }
        })
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
    let taken = transfers.take(|transfer| {
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
    let mut taken = taken;
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
    let transfers = &mut context.block.transfers;
    let mut read_now = transfers.take(|transfer| {
        let to_global = matches!(&transfer.step, Step::Copy { copy, .. }
            if copy.from.0 == Room::Shared && copy.staged.is_none());
        to_global && random().is_multiple_of(4)
    });
    read(context, &mut read_now)?;
    context.block.transfers.put_back(read_now);
    let taken = context
        .block
        .transfers
        .take_in_order(|_| random().is_multiple_of(4));
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
            let failure = |kind| Failure {
                pc: transfer.pc,
                warp: transfer.warp,
                lane: transfer.lane,
                kind,
            };
            let (mbarrier, bytes) = match &transfer.step {
                Step::Arrive { mbarrier } => (*mbarrier, None),
                Step::Copy { copy, .. } => match copy.signal {
                    Some(mbarrier) => (mbarrier, Some(copy.bytes)),
                    None => continue,
                },
            };
            let mut offsets = [0; LANES];
            offsets[transfer.lane as usize] = mbarrier;
            observe(
                context,
                transfer,
                &MemoryAccess {
                    kind: AccessKind::Atomic,
                    memory: Memory::Shared,
                    addresses: &offsets,
                    lanes: 1 << transfer.lane,
                    bytes: mbarrier::BYTES,
                    element: mbarrier::BYTES,
                    order: Order::Release,
                    scope: Scope::Block,
                },
            );
            mbarrier::update(context.block, mbarrier, |state| match bytes {
                Some(bytes) => state.expect_bytes(-i64::from(bytes)),
                None => state.arrive(1),
            })
            .map_err(failure)?;
        }
    }
    Ok(())
}

fn observe<O: Observer>(
    context: &mut Context<'_, O>,
    transfer: &Transfer,
    access: &MemoryAccess<'_>,
) {
    if !O::MEMORY {
        return;
    }
    let site = context.block.site(transfer.pc, transfer.warp);
    context.observer.access(site, access);
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
    let one = |transfer: &Transfer| match &transfer.step {
        Step::Copy { copy, .. } => access(copy),
        Step::Arrive { .. } => None,
    };
    let mut shown = 0u32;
    for transfer in transfers {
        let Some((kind, (room, _), bytes)) = one(transfer) else {
            continue;
        };
        if shown >> transfer.lane & 1 != 0 {
            continue;
        }
        let mut addresses = [0; LANES];
        let mut lanes = 0;
        for other in transfers {
            if let Some((_, (_, address), same)) = one(other)
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
        let reduced = match &transfer.step {
            Step::Copy { copy, .. } => copy.reduction.map(|(_, element)| element),
            Step::Arrive { .. } => None,
        };
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
                memory: memory_of(room),
                addresses: &addresses,
                lanes,
                bytes: piece,
                element: reduced.unwrap_or(piece),
                order,
                scope,
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
            (copy.staged.is_none() && copy.read > 0).then_some((
                AccessKind::Load,
                copy.from,
                copy.read,
            ))
        });
        for transfer in transfers {
            let (pc, warp, lane) = (transfer.pc, transfer.warp, transfer.lane);
            let Step::Copy { copy, .. } = &mut transfer.step else {
                continue;
            };
            if copy.staged.is_some() {
                continue;
            }
            let mut bytes = vec![0; copy.bytes as usize];
            if copy.read > 0 {
                let part = &mut bytes[..copy.read as usize];
                let shared = &context.block.shared;
                with_bytes(
                    context.launch,
                    shared,
                    copy.from,
                    copy.read,
                    1,
                    |cells, at| {
                        cells.read(at, part);
                    },
                )
                .map_err(|kind| Failure {
                    pc,
                    warp,
                    lane,
                    kind,
                })?;
            }
            copy.staged = Some(bytes);
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
        let Step::Copy { copy, .. } = &transfer.step else {
            continue;
        };
        let bytes = copy.staged.as_deref().unwrap_or_default();
        let shared = &context.block.shared;
        let count = bytes.len() as u32;
        with_bytes(context.launch, shared, copy.to, count, 1, |cells, at| {
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
        .map_err(|kind| Failure {
            pc: transfer.pc,
            warp: transfer.warp,
            lane: transfer.lane,
            kind,
        })?;
    }
    Ok(())
}
