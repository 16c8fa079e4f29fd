//! A worker: one warp's segments of the block's tiles.

use cuda_std::bulk::{self, Barrier};
use cuda_std::shared::SharedPtr;
use cuda_std::{thread, warp};

use super::{Plan, Shape, TOTAL, VECTOR, Walk, shared_at};
use crate::operator::Operator;
use crate::scan::items;
use crate::scan::lanes::{self, LANES, anything};

/// # Safety
/// As for [`scan`](super::scan); all lanes of worker `warp` call it.
#[inline(always)]
pub(super) unsafe fn run<
    O: Operator,
    const ITEMS: usize,
    const VECTORS: usize,
    const WORKERS: usize,
    const DELAY: usize,
    const AHEAD: usize,
>(
    plan: &Plan<O>,
    warp: u32,
) {
    let shape = const {
        Shape {
            vectors: VECTORS,
            workers: WORKERS,
            delay: DELAY,
            ahead: AHEAD,
        }
    };
    let items = ITEMS as u32 * LANES;
    let lane = warp::lane_id();
    let worker = Worker::<O>::new(plan, shape, warp);
    let mine = lane * ITEMS as u32;
    let to_mine = mine * size_of::<O::Input>() as u32;
    let has_before_tile = |first: u64| plan.request.has_initial() || first > 0;

    let mut load = Walk::new(plan.first + u64::from(warp * items));
    let mut total = load;
    let mut scan = load;
    // SAFETY: the slots and barriers of this warp are its own; for everything else see
    // the caller's.
    unsafe {
        if lane < shape.slots() as u32 {
            Barrier::init(worker.barrier(lane), 1);
            bulk::fence_barriers();
        }
        warp::sync_warp(warp::FULL_MASK);
        for k in 0..AHEAD as u32 {
            if k < plan.own {
                worker.start_load(&load, items);
                load.next(&shape, plan.stride);
            }
        }

        // Exclusive scans of the lanes' totals, of the last `DELAY` tiles.
        let mut befores: [O::Accumulator; DELAY] = [anything(); DELAY];
        for k in 0..plan.own + DELAY as u32 {
            let mut before_mine = anything();
            if k < plan.own {
                Barrier::wait(worker.barrier(total.slot), total.parity);
                let count = plan.count(total.first, items);
                worker.load_rest(&total, count);
                let own = items::read::<O::Input, VECTORS, ITEMS>(
                    worker.segment(total.slot).wrapping_add(to_mine),
                );
                let scanned = if count == items {
                    lanes::scan::<O>(items::total::<O, ITEMS>(&own, ITEMS), LANES)
                } else {
                    let own = items::total::<O, ITEMS>(&own, count.saturating_sub(mine) as usize);
                    lanes::scan::<O>(own, count.div_ceil(ITEMS as u32))
                };
                if lane == LANES - 1 {
                    *worker.total(total.slot) = scanned;
                }
                before_mine = lanes::up(scanned, 1);
                total.next(&shape, plan.stride);
            }

            thread::sync_threads();

            if k >= DELAY as u32 {
                let count = plan.count(scan.first, items);
                let at = worker.segment(scan.slot).wrapping_add(to_mine);
                let own = items::read::<O::Input, VECTORS, ITEMS>(at);
                let has_base = has_before_tile(scan.first);
                let mut before = befores[0];
                if has_base {
                    let base = *worker.base(scan.slot);
                    before = if lane == 0 {
                        base
                    } else if count > mine {
                        O::combine(base, before)
                    } else {
                        before
                    };
                }
                let has_before = has_base || lane > 0;
                let is_exclusive = plan.request.is_exclusive();
                let results = if count == items {
                    items::scan::<O, ITEMS>(&own, ITEMS, before, has_before, is_exclusive)
                } else {
                    let mine = count.saturating_sub(mine) as usize;
                    items::scan::<O, ITEMS>(&own, mine, before, has_before, is_exclusive)
                };
                items::write::<O::Output, VECTORS, ITEMS>(at, results);
                bulk::fence();
                warp::sync_warp(warp::FULL_MASK);
                worker.store(&scan, count);
                scan.next(&shape, plan.stride);
            }

            if k + (AHEAD as u32) < plan.own {
                // All stores but the last have left their slots.
                bulk::wait_read::<1>();
                worker.start_load(&load, items);
                load.next(&shape, plan.stride);
            }
            for i in 1..DELAY {
                befores[i - 1] = befores[i];
            }
            befores[DELAY - 1] = before_mine;
        }
        bulk::wait_read::<0>();
    }
}

/// Where a worker's things are.
struct Worker<'a, O: Operator> {
    plan: &'a Plan<O>,
    shape: Shape,
    warp: usize,
    memory: SharedPtr<u8>,
}

impl<'a, O: Operator> Worker<'a, O> {
    #[inline(always)]
    fn new(plan: &'a Plan<O>, shape: Shape, warp: u32) -> Self {
        Self {
            plan,
            shape,
            warp: warp as usize,
            memory: SharedPtr::dynamic(),
        }
    }

    /// Bytes into the shared memory of this warp's segment in a slot.
    #[inline(always)]
    fn segment_at(&self, slot: u32) -> usize {
        self.shape.slot_at(slot as usize) + self.warp * self.shape.segment()
    }

    #[inline(always)]
    fn segment(&self, slot: u32) -> SharedPtr<u8> {
        self.memory.wrapping_add(self.segment_at(slot) as u32)
    }

    #[inline(always)]
    fn barrier(&self, slot: u32) -> SharedPtr<Barrier> {
        let at = self.shape.barriers_at(slot as usize) + self.warp * size_of::<Barrier>();
        self.memory.wrapping_add(at as u32).cast()
    }

    #[inline(always)]
    fn total(&self, slot: u32) -> *mut O::Accumulator {
        shared_at(self.shape.totals_at(slot as usize) + self.warp * TOTAL)
    }

    #[inline(always)]
    fn base(&self, slot: u32) -> *mut O::Accumulator {
        shared_at(self.shape.bases_at(slot as usize) + self.warp * TOTAL)
    }

    /// Has the segment brought, but for the bytes at its end that are no whole vector.
    ///
    /// # Safety
    /// All lanes of the warp call it; the slot is free.
    #[inline(always)]
    unsafe fn start_load(&self, walk: &Walk, items: u32) {
        let count = self.plan.count(walk.first, items);
        let bytes = whole_vectors(count * size_of::<O::Input>() as u32);
        let barrier = self.barrier(walk.slot);
        if warp::lane_id() == 0 {
            // SAFETY: the caller's; the lane that waits for its stores is this one.
            unsafe {
                Barrier::arrive_expecting(barrier, bytes);
                if bytes > 0 {
                    let from = self.plan.request.input.wrapping_add(walk.first as usize);
                    bulk::to_shared(self.segment(walk.slot), from.cast(), bytes, barrier);
                }
            }
        }
    }

    /// Brings the bytes at the end.
    ///
    /// # Safety
    /// All lanes of the warp call it; the segment is there.
    #[inline(always)]
    unsafe fn load_rest(&self, walk: &Walk, count: u32) {
        let bytes = count * size_of::<O::Input>() as u32;
        let at = (whole_vectors(bytes) + warp::lane_id()) as usize;
        if whole_vectors(bytes) < bytes {
            let from = self.plan.request.input.wrapping_add(walk.first as usize);
            // SAFETY: the caller's: the byte is one of the segment's.
            unsafe {
                if at < bytes as usize {
                    *shared_at::<u8>(self.segment_at(walk.slot) + at) = *from.cast::<u8>().add(at);
                }
                warp::sync_warp(warp::FULL_MASK);
            }
        }
    }

    /// Has `count` results taken away.
    ///
    /// # Safety
    /// All lanes of the warp call it, after what they wrote was fenced.
    #[inline(always)]
    unsafe fn store(&self, walk: &Walk, count: u32) {
        let bytes = count * size_of::<O::Output>() as u32;
        let whole = whole_vectors(bytes);
        let lane = warp::lane_id();
        let to = self.plan.request.output.wrapping_add(walk.first as usize);
        // SAFETY: the caller's.
        unsafe {
            if lane == 0 {
                if whole > 0 {
                    bulk::to_global(to.cast(), self.segment(walk.slot), whole);
                }
                bulk::commit();
            }
            let at = (whole + lane) as usize;
            if at < bytes as usize {
                *to.cast::<u8>().add(at) = *shared_at::<u8>(self.segment_at(walk.slot) + at);
            }
        }
    }
}

/// The bytes that bulk copies move.
#[inline(always)]
const fn whole_vectors(bytes: u32) -> u32 {
    bytes / VECTOR as u32 * VECTOR as u32
}
