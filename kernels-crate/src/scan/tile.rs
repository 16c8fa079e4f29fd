//! A tile in the registers of its block, for kernels that work on any GPU and at any
//! address: a [`Segment`] a warp.
//!
//! Association, that of [`lookahead`](super::lookahead): a lane its items in order; the
//! lanes of a segment by [`lanes::scan`]; so the segments of a tile.
//!
//! `V` and `R` are the vectors of 16 bytes that a lane's elements and results have.

use cuda_std::{thread, warp};

use super::items;
use super::lanes::{self, LANES, unspecified};
use super::partial::Partial;
use super::request::Request;
use super::segment::{Segment, slot};
use super::segment_flags::bits;
use super::shape::elements;
use crate::operator::Operator;

/// A warp's segment in its slot, and what can be known without other warps. While others
/// are waited for, the elements are in no registers.
pub struct Held<O: Operator, const ITEMS: usize> {
    segment: Segment<ITEMS>,
    /// Where segments begin among the lane's items.
    segment_flags: bits::FlagWords,
    /// The lanes' aggregates, scanned.
    scanned: O::Accumulator,
}

impl<O: Operator, const ITEMS: usize> Held<O, ITEMS> {
    /// Reads the segment and scans its lanes' aggregates.
    ///
    /// # Safety
    /// All lanes of the warp call it; the block has the shared memory of
    /// [`Tiles::shared_bytes`](super::shape::Tiles::shared_bytes); the request is that
    /// of the launch.
    #[inline(always)]
    pub unsafe fn read<const V: usize, const R: usize>(
        request: &Request<O>,
        segment: Segment<ITEMS>,
    ) -> Self {
        // SAFETY: the caller's.
        unsafe {
            let slot = slot::<V, R>();
            let first = segment.first + u64::from(warp::lane_id()) * ITEMS as u64;
            let words = bits::FlagWords::of::<O, ITEMS>(request, first);
            segment.fetch::<O::Input, V>(request.input, slot);
            let items = Segment::<ITEMS>::items::<O::Input, V>(request.input, slot);
            let segment_flags = words.flags();
            let scanned =
                items::reduce_segment::<O, V, ITEMS>(&items, &segment_flags, segment.count);
            Self {
                segment,
                segment_flags: words,
                scanned,
            }
        }
    }

    /// All elements of the segment combined, in its last lane that has any.
    #[inline(always)]
    pub fn aggregate(&self) -> Option<O::Accumulator> {
        let last = self.segment.count.div_ceil(ITEMS as u32);
        (warp::lane_id() + 1 == last).then_some(self.scanned)
    }

    /// Whether there are elements.
    #[inline(always)]
    pub fn is_any(&self) -> bool {
        self.segment.count > 0
    }

    /// Writes the scan behind the segment's exclusive prefix.
    ///
    /// # Safety
    /// As for [`Held::read`], by a warp that has elements.
    #[inline(always)]
    pub unsafe fn write<const V: usize, const R: usize>(
        &self,
        request: &Request<O>,
        prefix: Partial<O::Accumulator>,
    ) {
        // SAFETY: the caller's.
        unsafe {
            let exclusive = lanes::shuffle_up(self.scanned, 1);
            let prefix = prefix.of_lane::<O>(exclusive, || self.segment.mine() > 0);
            let slot = slot::<V, R>();
            let items = Segment::<ITEMS>::items::<O::Input, V>(request.input, slot);
            let segment_flags = self.segment_flags.flags();
            let count = self.segment.count;
            let results = items::scan_segment::<O, V, R, ITEMS>(
                request,
                &items,
                &segment_flags,
                count,
                prefix,
            );
            warp::sync_warp(warp::FULL_MASK);
            self.segment
                .store::<O::Output, R>(request.output, slot, results);
        }
    }
}

/// The aggregates of a tile's segments, which its warps tell each other between barriers.
pub struct Aggregates<O: Operator> {
    /// One a warp.
    shared: *mut O::Accumulator,
}

impl<O: Operator> Aggregates<O> {
    /// Aggregates at `shared`, which has room for one a warp.
    #[inline(always)]
    pub fn new(shared: *mut O::Accumulator) -> Self {
        Self { shared }
    }

    /// Tells this warp's.
    ///
    /// # Safety
    /// The warp's aggregate is its own to write: a barrier of the block lies between this
    /// and [`Aggregates::scan`].
    #[inline(always)]
    pub unsafe fn tell<const ITEMS: usize>(&self, held: &Held<O, ITEMS>) {
        if let Some(aggregate) = held.aggregate() {
            let warp = thread::thread_idx_x() / LANES;
            // SAFETY: the caller's.
            unsafe { *self.shared.add(warp as usize) = aggregate };
        }
    }

    /// The scan of the aggregates in a tile of which `rest` elements are left in the array:
    /// lane w has that of segments 0 to w. That of a whole tile is in lane
    /// `WARPS - 1`.
    ///
    /// # Safety
    /// All lanes of the warp call it, behind the barrier.
    #[inline(always)]
    pub unsafe fn scan<const ITEMS: usize, const WARPS: usize>(&self, rest: u64) -> O::Accumulator {
        const {
            assert!(
                WARPS <= LANES as usize,
                "a warp scans the warps' aggregates"
            )
        };
        let in_tile = rest.min(elements(ITEMS, WARPS)) as u32;
        let count = in_tile.div_ceil(Segment::<ITEMS>::ELEMENTS);
        let lane = warp::lane_id();
        let mut total = unspecified();
        // SAFETY: the caller's.
        unsafe {
            if lane < count {
                total = *self.shared.add(lane as usize);
            }
            lanes::scan_first::<O, WARPS>(total, count)
        }
    }
}

/// What lies before this warp's segment: what lies before the tile, if anything, and the
/// segments below, of which `scanned` is the scan.
///
/// # Safety
/// All lanes of the warp call it, and the warp has elements.
#[inline(always)]
pub unsafe fn prefix_of_segment<O: Operator>(
    scanned: O::Accumulator,
    tile: Partial<O::Accumulator>,
) -> Partial<O::Accumulator> {
    let warp = thread::thread_idx_x() / LANES;
    if warp == 0 {
        return tile;
    }
    // SAFETY: the caller's.
    let below = unsafe { lanes::from_lane(scanned, warp - 1) };
    Partial::some(tile.then::<O>(below))
}
