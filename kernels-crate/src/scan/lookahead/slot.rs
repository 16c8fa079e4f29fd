//! A slot of shared memory and the segment that is in it: how elements come in and results go
//! out, wherever the array begins, and what the slot has beside them for the lookahead warp.

use cuda_std::bulk::{self, Barrier};
use cuda_std::shared::SharedPtr;
use cuda_std::warp;

use super::block::Block;
use super::cursor::Cursor;
use super::ranges::{LoadRange, StoreRange};
use super::shared_at;
use crate::operator::Operator;
use crate::scan::items::Items;
use crate::scan::lanes::{LANES, unspecified};
use crate::scan::partial::Partial;
use crate::scan::request::Request;
use crate::scan::segment_flags::bits::{FlagWords, SegmentFlags, remainder};
use crate::scan::segment_flags::{self, EACH};
use crate::scan::shape::{TOTAL, VECTOR};

/// A lane of a worker.
#[derive(Clone, Copy)]
pub(crate) struct Worker {
    /// The worker's number.
    pub(crate) warp: usize,
    /// The lane's.
    pub(crate) lane: u32,
    /// The block's dynamic shared memory.
    pub(crate) memory: SharedPtr<u8>,
}

/// A worker's segment of one of the block's tiles, and its place in shared memory.
#[derive(Clone, Copy)]
pub(crate) struct Slot<'a, O: Operator> {
    pub(crate) block: &'a Block<O>,
    worker: Worker,
    slot: u32,
    /// The segment's first element.
    pub(crate) first: u64,
    /// Elements of the segment; fewer than a whole one's at the array's end.
    pub(crate) count: u32,
}

impl<'a, O: Operator> Slot<'a, O> {
    #[inline(always)]
    pub(crate) fn new(block: &'a Block<O>, worker: Worker, cursor: &Cursor) -> Self {
        Self {
            block,
            worker,
            slot: cursor.slot,
            first: cursor.first,
            count: block.count(cursor.first, block.segment()),
        }
    }

    /// Items of the lanes below in a whole segment.
    #[inline(always)]
    pub(crate) fn items_below<const ITEMS: usize>(&self) -> u32 {
        self.worker.lane * ITEMS as u32
    }

    /// Whether no element is missing.
    #[inline(always)]
    fn is_whole(&self) -> bool {
        self.count == self.block.segment()
    }

    /// Asks the copy engine for the segment, and for its segment flags.
    ///
    /// # Safety
    /// All lanes of the warp call it; the slot is free.
    #[inline(always)]
    pub(crate) unsafe fn load(&self) {
        let range = self.load_range();
        let barrier = self.barrier();
        let flags = self.flags_range();
        // SAFETY: the caller's; the lane that waits for its stores is lane 0.
        unsafe {
            if self.worker.lane == 0 {
                Barrier::arrive_expecting(barrier, range.bytes + flags.bytes);
                if range.bytes > 0 {
                    let to = self.segment_at() + range.behind_vector as usize;
                    let from = self.input().with_addr(range.low);
                    bulk::to_shared(self.at(to), from, range.bytes, barrier);
                }
                if flags.bytes > 0 {
                    let words = self.block.request.segment_flags.cast::<u8>();
                    let from = words.with_addr(flags.low);
                    bulk::to_shared(self.at(self.flags_at()), from, flags.bytes, barrier);
                }
            }
        }
    }

    /// Waits until what [`Slot::load`] asked for is there, and adds the bytes that bulk copies
    /// do not bring, and zeros behind the last element of a segment that is not whole: lanes
    /// read whole vectors.
    ///
    /// # Safety
    /// All lanes of the warp call it; `parity` is the cursor's.
    #[inline(always)]
    pub(crate) unsafe fn wait(&self, parity: u32) {
        // SAFETY: the caller's; nothing was loaded into the vectors that are cleared.
        unsafe {
            Barrier::wait(self.barrier(), parity);
            if self.has_own_vectors() {
                return;
            }
            let lane = self.worker.lane;
            let from = self.input();
            let all = self.count * size_of::<O::Input>() as u32;
            let range = self.load_range();
            let shift = (from.addr() % VECTOR) as u32;
            if !self.is_whole() {
                let mut vector = (shift + all) as usize / VECTOR + lane as usize;
                while vector < self.block.shape.segment() / VECTOR {
                    self.clear(vector);
                    vector += LANES as usize;
                }
                warp::sync_warp(warp::FULL_MASK);
            }
            if range.is_short(from.addr(), all) {
                if let Some(byte) = range.missing_byte(from.addr(), all, lane) {
                    let to = self.segment_at() + shift as usize + byte;
                    *shared_at::<u8>(to) = *from.wrapping_add(byte);
                }
                warp::sync_warp(warp::FULL_MASK);
            }
        }
    }

    /// The lane's items.
    ///
    /// # Safety
    /// All lanes of the warp call it, after [`Slot::wait`].
    #[inline(always)]
    pub(crate) unsafe fn items<const V: usize>(&self) -> Items<O::Input, V> {
        let at = self.at(self.segment_at() + self.worker.lane as usize * V * VECTOR);
        // SAFETY: the caller's.
        unsafe {
            let shift = self.block.request.input.addr() % VECTOR;
            if self.block.shape.shifted && shift > 0 {
                Items::read_shifted(at, shift as u32)
            } else {
                Items::read(at)
            }
        }
    }

    /// Which of the lane's items begin a segment of the array.
    ///
    /// # Safety
    /// As for [`Slot::items`].
    #[inline(always)]
    pub(crate) unsafe fn flags<const ITEMS: usize>(&self) -> SegmentFlags {
        if !O::IS_SEGMENTED {
            return SegmentFlags::none();
        }
        let request = &self.block.request;
        if request.is_of_length() {
            let first = self.first + u64::from(self.items_below::<ITEMS>());
            let into = remainder(first, request.segments);
            return FlagWords::of_length::<ITEMS>(into, request.segments).flags();
        }
        let range = self.flags_range();
        if range.bytes == 0 {
            return SegmentFlags::none();
        }
        let byte = self.flag_word(self.first);
        let first = (byte % VECTOR) as u32 * 8 + self.items_below::<ITEMS>();
        let words = self.at(self.flags_at()).cast::<u32>();
        let last = range.bytes / 4 - 1;
        // SAFETY: the caller's; the words are there.
        unsafe { FlagWords::in_shared::<ITEMS>(words, first, last).flags() }
    }

    /// Takes the lanes' results of this round away: through shared memory, by a bulk copy.
    ///
    /// # Safety
    /// All lanes of the warp call it, after they have read their items.
    #[inline(always)]
    pub(crate) unsafe fn store<const V: usize>(&self, round: u32, results: Items<O::Output, V>) {
        let shape = &self.block.shape;
        let lane = self.worker.lane;
        let own = self.results_at(round) + lane as usize * V * VECTOR;
        let to = self.output();
        // SAFETY: the caller's.
        unsafe {
            if shape.is_staged() {
                // The results of the round before the last have left.
                bulk::wait_read::<1>();
            }
            if shape.is_staged() || shape.shifted {
                // Others have read what is written over.
                warp::sync_warp(warp::FULL_MASK);
            }
            let shift = self.block.request.output.addr() % VECTOR;
            if shape.shifted && shift > 0 {
                results.write_shifted(self.at(own), shift as u32);
            } else {
                results.write(self.at(own));
            }
            bulk::fence();
            warp::sync_warp(warp::FULL_MASK);

            self.leave(
                self.results_at(round),
                to,
                self.count * size_of::<O::Output>() as u32,
            );
        }
    }

    /// Has `all` bytes taken away to `to` that lie in shared memory behind `at`, as far as `to`
    /// lies behind a vector: as a group of bulk copies, which may be empty, and those at the ends by lanes.
    ///
    /// # Safety
    /// All lanes of the warp call it, which sees them; the copy engine does as well.
    #[inline(always)]
    pub(crate) unsafe fn leave(&self, at: usize, to: *mut u8, all: u32) {
        let lane = self.worker.lane;
        let range = StoreRange::new(self.block.shape.shifted, to.addr(), all);
        let from = at + range.shift as usize;
        // SAFETY: the caller's.
        unsafe {
            if lane == 0 {
                if range.whole > 0 {
                    let head = range.head as usize;
                    bulk::to_global(to.wrapping_add(head), self.at(from + head), range.whole);
                }
                bulk::commit();
            }
            if range.has_ends()
                && let Some(byte) = range.end_byte(lane)
            {
                *to.wrapping_add(byte) = *shared_at::<u8>(from + byte);
            }
        }
    }

    /// Where the segment's aggregate is, which the worker tells the lookahead warp.
    #[inline(always)]
    pub(crate) fn aggregate(&self) -> *mut O::Accumulator {
        shared_at(self.block.shape.aggregates_at(self.slot as usize) + self.worker.warp * TOTAL)
    }

    /// What lies before the segment, which the lookahead warp tells the worker.
    ///
    /// # Safety
    /// The lookahead warp has told it.
    #[inline(always)]
    pub(crate) unsafe fn prefix(&self) -> Partial<O::Accumulator> {
        let request = &self.block.request;
        let exists = request.has_initial() || request.goes_on() || self.first > 0;
        let mut value = unspecified();
        if exists {
            let at = self.block.shape.prefixes_at(self.slot as usize) + self.worker.warp * TOTAL;
            // SAFETY: the caller's.
            value = unsafe { *shared_at(at) };
        }
        Partial { value, exists }
    }

    #[inline(always)]
    pub(crate) fn barrier(&self) -> SharedPtr<Barrier> {
        let row = self.block.shape.barriers_at(self.slot as usize);
        self.at(row + self.worker.warp * size_of::<Barrier>())
            .cast()
    }

    /// Zeros in a vector of the slot.
    ///
    /// # Safety
    /// Nobody else accesses it.
    #[inline(always)]
    pub(crate) unsafe fn clear(&self, vector: usize) {
        let at = self.at(self.segment_at() + vector * VECTOR);
        // SAFETY: the caller's.
        unsafe { at.cast::<[u32; 4]>().store([0; 4]) };
    }

    /// Whether the segment is whole, and all of its vectors are its alone.
    #[inline(always)]
    fn has_own_vectors(&self) -> bool {
        let whole = self.block.shape.vectors * LANES as usize * VECTOR;
        let begins_with_vector = self.input().addr().is_multiple_of(VECTOR);
        begins_with_vector && self.count as usize * size_of::<O::Input>() == whole
    }

    /// What a bulk copy brings of the segment.
    #[inline(always)]
    fn load_range(&self) -> LoadRange {
        let Request {
            input, output, n, ..
        } = self.block.request;
        let begin = self.input().addr();
        let end = begin + self.count as usize * size_of::<O::Input>();
        if !self.block.shape.shifted || self.has_own_vectors() {
            return LoadRange::within(begin, end, begin, end);
        }
        // In place, what lies beside the segment may be written meanwhile.
        if input.addr() == output.addr() {
            LoadRange::within(begin, end, begin, end)
        } else {
            let all = n as usize * size_of::<O::Input>();
            LoadRange::within(begin, end, input.addr(), input.addr() + all)
        }
    }

    /// What a bulk copy brings of the segment flags: the words of this warp's elements, from a
    /// multiple of 16 bytes on.
    #[inline(always)]
    fn flags_range(&self) -> LoadRange {
        if !O::IS_SEGMENTED || self.block.request.is_of_length() {
            return LoadRange::none();
        }
        let Request {
            segment_flags, n, ..
        } = self.block.request;
        // A warp's segment has 32 elements a lane's item: whole words.
        let begin = self.flag_word(self.first);
        let behind = segment_flags.addr() + segment_flags::words(n) as usize * 4;
        let end = self.flag_word(self.first + u64::from(self.block.segment()));
        let end = end.min(behind).max(begin);
        // They are padded to whole vectors.
        LoadRange::within(begin, end, 0, usize::MAX)
    }

    /// The address of the word with an element's segment flag.
    #[inline(always)]
    fn flag_word(&self, element: u64) -> usize {
        self.block.request.segment_flags.addr() + (element / EACH) as usize * 4
    }

    /// The place so many bytes into the shared memory.
    #[inline(always)]
    fn at(&self, bytes: usize) -> SharedPtr<u8> {
        self.worker.memory.wrapping_add(bytes as u32)
    }

    #[inline(always)]
    fn input(&self) -> *const u8 {
        let input = self.block.request.input;
        input.wrapping_add(self.first as usize).cast()
    }

    #[inline(always)]
    fn output(&self) -> *mut u8 {
        let output = self.block.request.output;
        output.wrapping_add(self.first as usize).cast()
    }

    /// Where in its shared memory what is taken away to `to` has to lie: the place for
    /// [`Slot::leave`], and how far behind it.
    #[inline(always)]
    pub(crate) fn room(&self, to: *const u8) -> (usize, usize) {
        (self.segment_at(), to.addr() % VECTOR)
    }

    /// Bytes into the shared memory of the segment's elements.
    #[inline(always)]
    fn segment_at(&self) -> usize {
        self.block.shape.slot_at(self.slot as usize) + self.worker.warp * self.block.shape.segment()
    }

    /// The same of its results, in a round.
    #[inline(always)]
    fn results_at(&self, round: u32) -> usize {
        let shape = &self.block.shape;
        if shape.is_staged() {
            shape.stage_at(round as usize % 2) + self.worker.warp * shape.staged()
        } else {
            self.segment_at()
        }
    }

    /// The same of its segment flags.
    #[inline(always)]
    fn flags_at(&self) -> usize {
        let shape = &self.block.shape;
        shape.flags_at(self.slot as usize) + self.worker.warp * shape.segment_flags
    }
}
