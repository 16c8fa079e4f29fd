//! A worker's slots: segments are on their way, wait for their prefix, and leave, in turn.

use cuda_std::bulk::{self, Barrier};
use cuda_std::shared::SharedPtr;
use cuda_std::warp;

use super::block::Block;
use super::cursor::Cursor;
use super::role::Warp;
use super::slot::{Slot, Worker};
use crate::operator::Operator;
use crate::scan::shape::VECTOR;

/// The segments of warp `warp`, each of which goes through three stations.
pub(crate) struct Pipeline<'a, O: Operator> {
    block: &'a Block<O>,
    worker: Worker,
    load: Cursor,
    reduce: Cursor,
    scan: Cursor,
}

impl<'a, O: Operator> Pipeline<'a, O> {
    /// Makes the slots ready, and has the first `AHEAD` segments brought.
    ///
    /// # Safety
    /// All lanes of the warp call it, once; its slots and barriers are its own.
    #[inline(always)]
    pub(crate) unsafe fn start<const AHEAD: usize>(block: &'a Block<O>, Warp(warp): Warp) -> Self {
        let lane = warp::lane_id();
        let first = Cursor::new(block.first + u64::from(warp * block.segment()));
        let mut pipeline = Self {
            block,
            worker: Worker {
                warp: warp as usize,
                lane,
                memory: SharedPtr::dynamic(),
            },
            load: first,
            reduce: first,
            scan: first,
        };
        // SAFETY: the caller's.
        unsafe {
            if lane < block.shape.slots() as u32 {
                Barrier::init(pipeline.slot(lane).barrier(), 1);
                bulk::fence_barriers();
            }
            pipeline.clear_margins();
            warp::sync_warp(warp::FULL_MASK);
            for i in 0..AHEAD {
                if (i as u32) < block.own {
                    pipeline.load();
                }
            }
        }
        pipeline
    }

    /// The next segment, as soon as it is there.
    ///
    /// # Safety
    /// All lanes of the warp call it; there is one, and it was asked for.
    #[inline(always)]
    pub(crate) unsafe fn arrived(&mut self) -> Slot<'a, O> {
        let slot = Slot::new(self.block, self.worker, &self.reduce);
        // SAFETY: the caller's.
        unsafe { slot.wait(self.reduce.parity) };
        self.block.advance(&mut self.reduce);
        slot
    }

    /// The segment that [arrived](Pipeline::arrived) so many rounds ago, and is next.
    #[inline(always)]
    pub(crate) fn due(&mut self) -> Slot<'a, O> {
        let slot = Slot::new(self.block, self.worker, &self.scan);
        self.block.advance(&mut self.scan);
        slot
    }

    /// Has one more segment brought, to the slot from which results have left longest ago.
    ///
    /// # Safety
    /// All lanes of the warp call it, once a round, after its stores; there is a segment.
    #[inline(always)]
    pub(crate) unsafe fn refill(&mut self) {
        // All stores but the last have left their slots.
        bulk::wait_read::<1>();
        // SAFETY: the caller's.
        unsafe { self.load() };
    }

    /// Waits until all results have left.
    #[inline(always)]
    pub(crate) fn end(self) {
        bulk::wait_read::<0>();
    }

    /// # Safety
    /// As for [`Slot::load`].
    #[inline(always)]
    unsafe fn load(&mut self) {
        // SAFETY: the caller's.
        unsafe { Slot::new(self.block, self.worker, &self.load).load() };
        self.block.advance(&mut self.load);
    }

    /// The slot of this number.
    #[inline(always)]
    fn slot(&self, slot: u32) -> Slot<'a, O> {
        let at = Cursor { slot, ..self.load };
        Slot::new(self.block, self.worker, &at)
    }

    /// Clears what lies before and behind the elements of a segment in every slot, where
    /// segments begin anywhere: it is read with them, and at the array's ends, or in place,
    /// nothing is loaded there.
    ///
    /// # Safety
    /// All lanes of the warp call it, before the first load.
    #[inline(always)]
    unsafe fn clear_margins(&self) {
        let lane = self.worker.lane;
        let shape = &self.block.shape;
        let (slot, is_last) = (lane / 2, lane % 2 == 1);
        let begins_within = !self.block.request.input.addr().is_multiple_of(VECTOR);
        if shape.shifted && slot < shape.slots() as u32 && (is_last || begins_within) {
            let last = shape.segment() / VECTOR - 1;
            // SAFETY: the caller's.
            unsafe { self.slot(slot).clear(if is_last { last } else { 0 }) };
        }
        // Elsewhere something is, and stays.
        bulk::fence();
    }
}
