//! A worker: one warp's segments of the block's tiles.

use cuda_std::bulk::{self, Barrier};
use cuda_std::shared::SharedPtr;
use cuda_std::{thread, warp};

use super::bytes::{Brought, Bytes};
use super::{Plan, Walk, shared_at};
use crate::operator::Operator;
use crate::scan::heads::bits::{self, Heads};
use crate::scan::heads::{self, EACH};
use crate::scan::items::{self, Items};
use crate::scan::lanes::{self, LANES, anything};
use crate::scan::request::Request;
use crate::scan::shape::{Lookahead, TOTAL, VECTOR};

/// # Safety
/// As for [`scan`](super::scan); all lanes of worker `warp` call it.
#[inline(always)]
pub(super) unsafe fn run<
    O: Operator,
    const ITEMS: usize,
    const VECTORS: usize,
    const RESULTS: usize,
    const DELAY: usize,
    const AHEAD: usize,
>(
    plan: &Plan<O>,
    shape: Lookahead,
    warp: u32,
) {
    let items = ITEMS as u32 * LANES;
    let lane = warp::lane_id();
    let worker = Worker::<O>::new(plan, shape, warp);
    let mine = lane * ITEMS as u32;

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
        worker.clear_margins();
        warp::sync_warp(warp::FULL_MASK);
        for i in 0..AHEAD {
            if (i as u32) < plan.own {
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
                worker.complete(&total, count, items);
                let own = worker.read::<VECTORS>(total.slot);
                let heads = worker.heads::<ITEMS>(&total);
                let scanned = if count == items {
                    let own = items::total::<O, VECTORS, ITEMS>(&own, &heads, ITEMS);
                    lanes::scan::<O>(own, LANES)
                } else {
                    let mine = count.saturating_sub(mine) as usize;
                    let own = items::total::<O, VECTORS, ITEMS>(&own, &heads, mine);
                    lanes::scan::<O>(own, count.div_ceil(ITEMS as u32))
                };
                // The last lane with elements has the segment's.
                if count > mine && count <= mine + ITEMS as u32 {
                    *worker.total(total.slot) = scanned;
                }
                before_mine = lanes::up(scanned, 1);
                total.next(&shape, plan.stride);
            }

            thread::sync_threads_anywhere();

            if k >= DELAY as u32 {
                let count = plan.count(scan.first, items);
                let own = worker.read::<VECTORS>(scan.slot);
                let has_base = plan.request.has_initial() || scan.first > 0;
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
                let heads = worker.heads::<ITEMS>(&scan);
                let results = if count == items {
                    items::scan::<O, VECTORS, RESULTS, ITEMS>(
                        &plan.request,
                        &own,
                        &heads,
                        ITEMS,
                        before,
                        has_before,
                    )
                } else {
                    let mine = count.saturating_sub(mine) as usize;
                    items::scan::<O, VECTORS, RESULTS, ITEMS>(
                        &plan.request,
                        &own,
                        &heads,
                        mine,
                        before,
                        has_before,
                    )
                };
                worker.write::<RESULTS>(&scan, k, results);
                worker.store(&scan, k, count);
                scan.next(&shape, plan.stride);
            }

            for i in 1..DELAY {
                befores[i - 1] = befores[i];
            }
            befores[DELAY - 1] = before_mine;
            if k + (AHEAD as u32) < plan.own {
                // All stores but the last have left their slots.
                bulk::wait_read::<1>();
                worker.start_load(&load, items);
                load.next(&shape, plan.stride);
            }
        }
        bulk::wait_read::<0>();
    }
}

/// Where a worker's things are.
struct Worker<'a, O: Operator> {
    plan: &'a Plan<O>,
    shape: Lookahead,
    warp: usize,
    memory: SharedPtr<u8>,
}

impl<'a, O: Operator> Worker<'a, O> {
    #[inline(always)]
    fn new(plan: &'a Plan<O>, shape: Lookahead, warp: u32) -> Self {
        Self {
            plan,
            shape,
            warp: warp as usize,
            memory: SharedPtr::dynamic(),
        }
    }

    /// Bytes into the shared memory of this warp's elements in a slot.
    #[inline(always)]
    fn segment_at(&self, slot: u32) -> usize {
        self.shape.slot_at(slot as usize) + self.warp * self.shape.segment()
    }

    /// The same of its results, in round `k`.
    #[inline(always)]
    fn results_at(&self, slot: u32, k: u32) -> usize {
        if self.shape.is_staged() {
            self.shape.stage_at(k as usize % 2) + self.warp * self.shape.staged()
        } else {
            self.segment_at(slot)
        }
    }

    /// The same of the words that say where segments begin.
    #[inline(always)]
    fn heads_at(&self, slot: u32) -> usize {
        self.shape.heads_at(slot as usize) + self.warp * self.shape.heads
    }

    #[inline(always)]
    fn at(&self, at: usize) -> SharedPtr<u8> {
        self.memory.wrapping_add(at as u32)
    }

    #[inline(always)]
    fn barrier(&self, slot: u32) -> SharedPtr<Barrier> {
        let at = self.shape.barriers_at(slot as usize) + self.warp * size_of::<Barrier>();
        self.at(at).cast()
    }

    #[inline(always)]
    fn total(&self, slot: u32) -> *mut O::Accumulator {
        shared_at(self.shape.totals_at(slot as usize) + self.warp * TOTAL)
    }

    #[inline(always)]
    fn base(&self, slot: u32) -> *mut O::Accumulator {
        shared_at(self.shape.bases_at(slot as usize) + self.warp * TOTAL)
    }

    #[inline(always)]
    fn input(&self, walk: &Walk) -> *const u8 {
        self.plan
            .request
            .input
            .wrapping_add(walk.first as usize)
            .cast()
    }

    #[inline(always)]
    fn output(&self, walk: &Walk) -> *mut u8 {
        self.plan
            .request
            .output
            .wrapping_add(walk.first as usize)
            .cast()
    }

    /// Whether a segment is whole, and all of its vectors are its alone.
    #[inline(always)]
    fn is_plain(&self, walk: &Walk, count: u32) -> bool {
        let whole = self.shape.vectors * LANES as usize * VECTOR;
        let begins_with_vector = self.input(walk).addr().is_multiple_of(VECTOR);
        begins_with_vector && count as usize * size_of::<O::Input>() == whole
    }

    /// What the copy engine brings of a segment.
    #[inline(always)]
    fn brought(&self, walk: &Walk, count: u32) -> Brought {
        let Request {
            input, output, n, ..
        } = self.plan.request;
        let begin = self.input(walk).addr();
        let end = begin + count as usize * size_of::<O::Input>();
        if !self.shape.shifted || self.is_plain(walk, count) {
            return Brought::within(begin, end, begin, end);
        }
        // In place, what lies beside the segment may be written meanwhile.
        if input.addr() == output.addr() {
            Brought::within(begin, end, begin, end)
        } else {
            let all = n as usize * size_of::<O::Input>();
            Brought::within(begin, end, input.addr(), input.addr() + all)
        }
    }

    /// Has the segment brought, and where segments of the array begin in it.
    ///
    /// # Safety
    /// All lanes of the warp call it; the slot is free.
    #[inline(always)]
    unsafe fn start_load(&self, walk: &Walk, items: u32) {
        let count = self.plan.count(walk.first, items);
        let brought = self.brought(walk, count);
        let barrier = self.barrier(walk.slot);
        let heads = self.heads_brought(walk, items);
        // SAFETY: the caller's; the lane that waits for its stores is lane 0.
        unsafe {
            if warp::lane_id() == 0 {
                Barrier::arrive_expecting(barrier, brought.bytes + heads.bytes);
                if brought.bytes > 0 {
                    let to = self.segment_at(walk.slot) + brought.behind_vector as usize;
                    let from = self.input(walk).with_addr(brought.low);
                    bulk::to_shared(self.at(to), from, brought.bytes, barrier);
                }
                if heads.bytes > 0 {
                    let from = self.plan.request.heads.cast::<u8>().with_addr(heads.low);
                    let to = self.at(self.heads_at(walk.slot));
                    bulk::to_shared(to, from, heads.bytes, barrier);
                }
            }
        }
    }

    /// What the copy engine brings of the words that say where segments begin: those of this
    /// warp's elements, from a multiple of 16 bytes on.
    #[inline(always)]
    fn heads_brought(&self, walk: &Walk, items: u32) -> Brought {
        if !O::HAS_HEADS {
            return Brought::within(0, 0, 0, 0);
        }
        let Request { heads, n, .. } = self.plan.request;
        // A segment has 32 elements a lane's item: whole words.
        let word = |element: u64| heads.addr() + (element / EACH) as usize * 4;
        let begin = word(walk.first);
        let end =
            word(walk.first + u64::from(items)).min(heads.addr() + heads::words(n) as usize * 4);
        let end = end.max(begin);
        // They are padded to whole vectors.
        Brought::within(begin, end, 0, usize::MAX)
    }

    /// Which of the lane's items begin a segment.
    ///
    /// # Safety
    /// All lanes of the warp call it; the segment is there.
    #[inline(always)]
    unsafe fn heads<const ITEMS: usize>(&self, walk: &Walk) -> Heads {
        if !O::HAS_HEADS {
            return Heads::none();
        }
        let brought = self.heads_brought(walk, ITEMS as u32 * LANES);
        if brought.bytes == 0 {
            return Heads::none();
        }
        let byte = self.plan.request.heads.addr() + (walk.first / EACH) as usize * 4;
        let first = (byte % VECTOR) as u32 * 8 + warp::lane_id() * ITEMS as u32;
        let words = self.at(self.heads_at(walk.slot)).cast::<u32>();
        let last = brought.bytes / 4 - 1;
        // SAFETY: the caller's; the words are there.
        unsafe { bits::Ahead::in_shared::<ITEMS>(words, first, last).heads() }
    }

    /// Puts the bytes that the copy engine has not brought to the others, and zeros behind the
    /// last element of a segment that is not full: lanes read whole vectors.
    ///
    /// # Safety
    /// All lanes of the warp call it; what [`Worker::start_load`] asked for is there.
    #[inline(always)]
    unsafe fn complete(&self, walk: &Walk, count: u32, items: u32) {
        if self.is_plain(walk, count) {
            return;
        }
        let all = count * size_of::<O::Input>() as u32;
        let from = self.input(walk);
        let brought = self.brought(walk, count);
        let shift = (from.addr() % VECTOR) as u32;
        // SAFETY: the caller's; nothing was loaded into the vectors that are cleared.
        unsafe {
            if count < items {
                let mut vector = (shift + all) as usize / VECTOR + warp::lane_id() as usize;
                while vector < self.shape.segment() / VECTOR {
                    self.clear(walk.slot, vector);
                    vector += LANES as usize;
                }
                warp::sync_warp(warp::FULL_MASK);
            }
            if brought.is_short(from.addr(), all) {
                if let Some(at) = brought.missing(from.addr(), all) {
                    let to = self.segment_at(walk.slot) + shift as usize + at;
                    *shared_at::<u8>(to) = *from.wrapping_add(at);
                }
                warp::sync_warp(warp::FULL_MASK);
            }
        }
    }

    /// Zeros in a vector of a slot.
    ///
    /// # Safety
    /// It is this warp's, and nobody else accesses it.
    #[inline(always)]
    unsafe fn clear(&self, slot: u32, vector: usize) {
        let at = self.at(self.segment_at(slot) + vector * VECTOR);
        // SAFETY: the caller's.
        unsafe { at.cast::<[u32; 4]>().store([0; 4]) };
    }

    /// Clears what lies before and behind the elements of a segment in every slot, where
    /// segments begin anywhere: it is read with them, and at the array's ends, or in place,
    /// nothing is loaded there.
    ///
    /// # Safety
    /// All lanes of the warp call it, before the first load.
    #[inline(always)]
    unsafe fn clear_margins(&self) {
        let lane = warp::lane_id();
        let (slot, is_last) = (lane / 2, lane % 2 == 1);
        let begins_within = !self.plan.request.input.addr().is_multiple_of(VECTOR);
        if self.shape.shifted && slot < self.shape.slots() as u32 && (is_last || begins_within) {
            let last = self.shape.segment() / VECTOR - 1;
            // SAFETY: the caller's.
            unsafe { self.clear(slot, if is_last { last } else { 0 }) };
        }
        // Elsewhere something is, and stays.
        bulk::fence();
    }

    /// The lane's items.
    ///
    /// # Safety
    /// All lanes of the warp call it; the segment is there.
    #[inline(always)]
    unsafe fn read<const V: usize>(&self, slot: u32) -> Items<O::Input, V> {
        let at = self.at(self.segment_at(slot) + warp::lane_id() as usize * V * VECTOR);
        // SAFETY: the caller's.
        unsafe {
            let shift = self.plan.request.input.addr() % VECTOR;
            if self.shape.shifted && shift > 0 {
                Items::read_shifted(at, shift as u32)
            } else {
                Items::read(at)
            }
        }
    }

    /// Writes the lane's results, and hands them to the copy engine.
    ///
    /// # Safety
    /// All lanes of the warp call it, after they have read their items.
    #[inline(always)]
    unsafe fn write<const V: usize>(&self, walk: &Walk, k: u32, results: Items<O::Output, V>) {
        let at = self.results_at(walk.slot, k) + warp::lane_id() as usize * V * VECTOR;
        // SAFETY: the caller's.
        unsafe {
            if self.shape.is_staged() {
                // The results of the round before the last have left.
                bulk::wait_read::<1>();
            }
            if self.shape.is_staged() || self.shape.shifted {
                // Others have read what is written over.
                warp::sync_warp(warp::FULL_MASK);
            }
            let shift = self.plan.request.output.addr() % VECTOR;
            if self.shape.shifted && shift > 0 {
                results.write_shifted(self.at(at), shift as u32);
            } else {
                results.write(self.at(at));
            }
            bulk::fence();
            warp::sync_warp(warp::FULL_MASK);
        }
    }

    /// Has `count` results taken away.
    ///
    /// # Safety
    /// All lanes of the warp call it, after [`Worker::write`].
    #[inline(always)]
    unsafe fn store(&self, walk: &Walk, k: u32, count: u32) {
        let to = self.output(walk);
        let bytes = Bytes::new(
            &self.shape,
            to.addr(),
            count * size_of::<O::Output>() as u32,
        );
        let from = self.results_at(walk.slot, k) + bytes.shift as usize;
        // SAFETY: the caller's.
        unsafe {
            if warp::lane_id() == 0 {
                if bytes.whole > 0 {
                    let to = to.wrapping_add(bytes.head as usize);
                    bulk::to_global(to, self.at(from + bytes.head as usize), bytes.whole);
                }
                bulk::commit();
            }
            if bytes.has_ends()
                && let Some(at) = bytes.end()
            {
                *to.wrapping_add(at) = *shared_at::<u8>(from + at);
            }
        }
    }
}
