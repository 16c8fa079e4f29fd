//! A tile in which segments end: the elements lane by lane, and where the ends are.
//!
//! Elements come from global memory row by row, as everywhere, and go through shared
//! memory to the lanes, so that each has neighbouring ones. The segments that end in the
//! tile are walked a lane each, and leave their numbers at their last elements.

use core::array::from_fn;
use cuda_std::mem::{load_shared, store_shared};
use cuda_std::warp;

use super::Request;
use super::offsets::Offsets;
use super::run::{Maybe, Piece};
use crate::operator::Operator;
use crate::reduce::vectors::Rows;
use crate::scan::items::{Items, Vector};
use crate::scan::lanes::{self, LANES};

/// Vectors of shared memory that a warp's tile takes: a lane's, and one more where they
/// are an even number, so that lanes meet in no bank.
pub const fn pitch(vectors: usize) -> usize {
    vectors | 1
}

/// Goes of a segment for every lane whose ends are asked for together.
const GOES: usize = 4;

/// What a look at some segments' ends has found.
struct Marked {
    /// The first segment that was not marked,
    next: u32,
    /// and where it ends, if `is_last`; else where the one before it ends.
    end: u64,
    /// Whether `next` does not end in the tile.
    is_last: bool,
    /// Whether any segment has elements.
    is_any: bool,
}

/// A warp's shared memory.
#[derive(Clone, Copy)]
pub struct Memory {
    /// A pitch of vectors for every lane.
    pub vectors: *mut Vector,
    /// For every element one more than the segment whose last one it is; 0 where it is
    /// none's. All are 0 between tiles.
    pub ends: *mut u32,
}

impl Memory {
    /// Sets the first `elements` ends to none.
    ///
    /// # Safety
    /// All lanes of the warp call it; the memory is the warp's, and as large.
    #[inline(always)]
    pub unsafe fn clear(&self, elements: u32) {
        let mut i = warp::lane_id();
        while i < elements {
            // SAFETY: the caller's.
            unsafe { *self.ends.add(i as usize) = 0 };
            i += LANES;
        }
        // SAFETY: the caller's.
        unsafe { warp::sync_warp(warp::FULL_MASK) };
    }

    /// Marks the ends of the segments from `segment` on that end in the tile of `count`
    /// elements from `first` on. The first one that does not, and where it ends.
    ///
    /// # Safety
    /// As for [`clear`](Self::clear).
    #[inline(always)]
    pub unsafe fn mark(
        &self,
        offsets: &Offsets,
        segment: u32,
        first: u64,
        count: u32,
    ) -> (u32, u64) {
        let mut segment = segment;
        let behind = first + u64::from(count);
        let mut is_first = true;
        // SAFETY: the caller's.
        unsafe {
            while segment < offsets.segments {
                // Where more than a few end, many more are likely to.
                let marked = if is_first {
                    self.mark_goes::<1>(offsets, segment, first, behind)
                } else {
                    self.mark_goes::<GOES>(offsets, segment, first, behind)
                };
                segment = marked.next;
                if marked.is_last {
                    return (segment, marked.end);
                }
                // Any number of empty segments may follow each other.
                if !marked.is_any {
                    segment = offsets.first_behind(segment, marked.end).0;
                }
                is_first = false;
            }
        }
        (offsets.segments, u64::MAX)
    }

    /// As [`mark`](Self::mark), for the segments of `N` goes, a lane each, alone.
    ///
    /// # Safety
    /// As for [`mark`](Self::mark); there is such a segment.
    #[inline(always)]
    #[allow(
        clippy::needless_range_loop,
        reason = "iterators are not unrolled early enough to keep the ends in registers"
    )]
    unsafe fn mark_goes<const N: usize>(
        &self,
        offsets: &Offsets,
        segment: u32,
        first: u64,
        behind: u64,
    ) -> Marked {
        let mut marked = Marked {
            next: segment,
            end: 0,
            is_last: false,
            is_any: false,
        };
        // SAFETY: the caller's; a place below the tile's end is written, by one segment that
        // has elements.
        unsafe {
            let ends = offsets.ends::<N>(segment);
            for i in 0..N {
                let (end, has_any) = ends[i];
                let ends_here = end <= behind;
                if ends_here && has_any && end > first {
                    let own = marked.next + warp::lane_id();
                    *self.ends.add((end - first) as usize - 1) = own + 1;
                }
                let here = warp::warp_vote_ballot(warp::FULL_MASK, ends_here).trailing_ones();
                marked.is_any |= warp::warp_vote_any(warp::FULL_MASK, has_any);
                marked.next += here;
                marked.end = lanes::from_lane(end, here.min(LANES - 1));
                if here < LANES {
                    marked.is_last = true;
                    return marked;
                }
            }
        }
        marked
    }

    /// The lane's elements and their ends, which are then cleared.
    ///
    /// # Safety
    /// As for [`clear`](Self::clear); the ends are marked.
    #[inline(always)]
    pub unsafe fn deal<T: bytemuck::Pod, const R: usize, const U: usize, const E: usize>(
        &self,
        rows: &Rows<R, U>,
    ) -> ([Items<T, U>; R], [[u32; E]; R]) {
        let lane = warp::lane_id() as usize;
        let (each, pitch) = (R * U, pitch(R * U));
        // SAFETY: the caller's; lanes write places of their own before the barrier, and
        // read others behind it.
        unsafe {
            for r in 0..R {
                for v in 0..U {
                    let i = (r * LANES as usize + lane) * U + v;
                    let at = self.vectors.add(i / each * pitch + i % each);
                    store_shared(at, rows.vectors()[r][v]);
                }
            }
            warp::sync_warp(warp::FULL_MASK);
            let own = self.vectors.add(lane * pitch);
            let items =
                Rows::<R, U>::new(from_fn(|r| from_fn(|v| load_shared(own.add(r * U + v)))));
            let at = self.ends.add(lane * R * E);
            let ends: [[u32; E]; R] = from_fn(|r| from_fn(|i| *at.add(r * E + i)));
            for i in 0..R * E {
                *at.add(i) = 0;
            }
            warp::sync_warp(warp::FULL_MASK);
            (items.items(), ends)
        }
    }
}

/// The piece that the lane's first `count` elements are; segments that begin and end in
/// it are delivered.
///
/// # Safety
/// The output is the request's.
#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "iterators are not unrolled early enough to keep the ends in registers"
)]
pub unsafe fn piece<O: Operator, const R: usize, const U: usize, const E: usize>(
    request: &Request<O>,
    items: &[Items<O::Input, U>; R],
    ends: &[[u32; E]; R],
    count: u32,
) -> Piece<O::Accumulator> {
    let mut piece = Piece::empty();
    for r in 0..R {
        for i in 0..E {
            if ((r * E + i) as u32) < count {
                let own = Maybe {
                    value: O::transform(items[r].get(i)),
                    is_there: true,
                };
                piece.tail = piece.tail.then::<O>(own);
                if ends[r][i] != 0 {
                    // SAFETY: the caller's.
                    unsafe { close::<O>(request, &mut piece, ends[r][i] - 1) };
                }
            }
        }
    }
    piece
}

/// Ends a segment with the piece's tail.
///
/// # Safety
/// The output is the request's.
#[inline(always)]
unsafe fn close<O: Operator>(
    request: &Request<O>,
    piece: &mut Piece<O::Accumulator>,
    segment: u32,
) {
    if piece.is_closed {
        // SAFETY: the caller's.
        unsafe { request.deliver(segment, piece.tail.value) };
    } else {
        piece.is_closed = true;
        piece.head = piece.tail.value;
        piece.segment = segment;
    }
    piece.tail = Maybe::none();
}
