//! Where segments end: a list of ascending offsets, of 32 or 64 bits.

use core::array::from_fn;
use cuda_std::warp;

use super::Request;
use crate::operator::Operator;
use crate::scan::lanes::{self, LANES};

/// The offsets of `segments` segments: one more than there are segments.
#[derive(Clone, Copy)]
pub struct Offsets {
    at: *const u8,
    /// Of 64 bits, not of 32.
    are_wide: bool,
    /// The elements of each segment, where all have as many: no offset is read.
    length: Option<u64>,
    /// How many segments.
    pub segments: u32,
    /// The first element of the first segment.
    pub first: u64,
    /// Elements of all segments together.
    pub elements: u64,
}

impl Offsets {
    /// Those of a request, from the first element on, of which nothing is read.
    #[inline(always)]
    pub fn unread<O: Operator>(request: &Request<O>) -> Self {
        let length = request.n / u64::from(request.segments.max(1));
        Self {
            at: request.offsets,
            are_wide: request.bytes_of_offset() == 8,
            length: request.is_of_length().then_some(length),
            segments: request.segments,
            first: 0,
            elements: request.n,
        }
    }

    /// Those of a request.
    ///
    /// # Safety
    /// There are one more than segments, if any are.
    #[inline(always)]
    pub unsafe fn new<O: Operator>(request: &Request<O>) -> Self {
        let mut offsets = Self::unread(request);
        let n = request.n;
        // SAFETY: the caller's.
        unsafe {
            let (first, last) = (
                offsets.read(0).min(n),
                offsets.read(request.segments).min(n),
            );
            offsets.first = first;
            offsets.elements = last.saturating_sub(first);
        }
        offsets
    }

    /// Where a segment begins and ends, within the array.
    ///
    /// # Safety
    /// There is such a segment; these are [unread](Self::unread).
    #[inline(always)]
    pub unsafe fn range(&self, segment: u32) -> (u64, u64) {
        // SAFETY: the caller's.
        unsafe {
            // No read waits behind a branch for the other.
            let (begin, end) = (self.read(segment), self.read(segment + 1));
            let begin = begin.min(self.elements);
            (begin, end.clamp(begin, self.elements))
        }
    }

    /// Offset `i`.
    ///
    /// # Safety
    /// `i` is at most the number of segments.
    #[inline(always)]
    unsafe fn read(&self, i: u32) -> u64 {
        if let Some(length) = self.length {
            return u64::from(i) * length;
        }
        // SAFETY: the caller's.
        unsafe {
            if self.are_wide {
                *self.at.cast::<u64>().add(i as usize)
            } else {
                u64::from(*self.at.cast::<u32>().add(i as usize))
            }
        }
    }

    /// Where the segment begins, from the first element on.
    ///
    /// # Safety
    /// There is such a segment.
    #[inline(always)]
    pub unsafe fn start(&self, segment: u32) -> u64 {
        // SAFETY: the caller's.
        unsafe { self.read(segment) }.saturating_sub(self.first)
    }

    /// Where it ends.
    ///
    /// # Safety
    /// There is such a segment.
    #[inline(always)]
    pub unsafe fn end(&self, segment: u32) -> u64 {
        // SAFETY: the caller's.
        unsafe { self.read(segment + 1) }.saturating_sub(self.first)
    }

    /// The first segment from `from` on that ends behind `element`, and where: the number of
    /// segments, and `u64::MAX`, where none does. In every lane.
    ///
    /// # Safety
    /// All lanes of the warp call it.
    #[inline(always)]
    pub unsafe fn first_behind(&self, from: u32, element: u64) -> (u32, u64) {
        let lane = warp::lane_id();
        let (mut low, mut high, mut found) = (from, self.segments, u64::MAX);
        while low < high {
            // Each lane asks at the end of its own piece of what is left.
            let piece = (high - low).div_ceil(LANES);
            let asked = (u64::from(low) + u64::from(lane + 1) * u64::from(piece))
                .min(u64::from(high)) as u32
                - 1;
            // SAFETY: the caller's; a segment below `high` is asked for.
            unsafe {
                let end = self.end(asked);
                let before = warp::warp_vote_ballot(warp::FULL_MASK, end <= element);
                let before = before.trailing_ones();
                if before == LANES {
                    // Of no segment is the last one asked for, or `found` stands.
                    return (high, found);
                }
                found = lanes::from_lane(end, before);
                high = (low + (before + 1).saturating_mul(piece)).min(high) - 1;
                low = (low + before * piece).min(high);
            }
        }
        (low, found)
    }

    /// Where the segments from `first` on end that are the lane's in `N` goes of one for
    /// every lane, and whether each has elements; `u64::MAX` behind the last segment. All
    /// offsets are asked for together.
    ///
    /// # Safety
    /// All lanes of the warp call it; there are segments.
    #[inline(always)]
    pub unsafe fn ends<const N: usize>(&self, first: u32) -> [(u64, bool); N] {
        let last = self.segments - 1;
        let own = |i: usize| {
            first
                .saturating_add(i as u32 * LANES)
                .saturating_add(warp::lane_id())
        };
        // SAFETY: the caller's; segments that exist are asked for.
        let ends: [(u64, u64); N] = from_fn(|i| unsafe {
            let segment = own(i).min(last);
            (self.start(segment), self.end(segment))
        });
        from_fn(|i| {
            let (start, end) = ends[i];
            if own(i) <= last {
                (end, start < end)
            } else {
                (u64::MAX, false)
            }
        })
    }
}
