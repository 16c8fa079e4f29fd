//! Where segments end: a list of ascending offsets, of 32 or 64 bits.

use cuda_std::warp;

use crate::scan::lanes::LANES;

/// The offsets of `segments` segments: one more than there are segments.
#[derive(Clone, Copy)]
pub struct Offsets {
    at: *const u8,
    /// Of 64 bits, not of 32.
    are_wide: bool,
    /// How many segments.
    pub segments: u32,
    /// The first element of the first segment.
    pub first: u64,
    /// Elements of all segments together.
    pub elements: u64,
}

impl Offsets {
    /// The offsets at `at`, into an array of `n` elements.
    ///
    /// # Safety
    /// There are `segments` + 1 of them.
    #[inline(always)]
    pub unsafe fn new(at: *const u8, are_wide: bool, segments: u32, n: u64) -> Self {
        let mut offsets = Self {
            at,
            are_wide,
            segments,
            first: 0,
            elements: 0,
        };
        // SAFETY: the caller's.
        unsafe {
            let (first, last) = (offsets.read(0).min(n), offsets.read(segments).min(n));
            offsets.first = first;
            offsets.elements = last.saturating_sub(first);
        }
        offsets
    }

    /// Offset `i`.
    ///
    /// # Safety
    /// `i` is at most the number of segments.
    #[inline(always)]
    unsafe fn read(&self, i: u32) -> u64 {
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

    /// The first segment from `from` on that ends behind `element`; the number of segments
    /// where none does. In every lane.
    ///
    /// # Safety
    /// All lanes of the warp call it.
    #[inline(always)]
    pub unsafe fn first_behind(&self, from: u32, element: u64) -> u32 {
        let lane = warp::lane_id();
        let (mut low, mut high) = (from, self.segments);
        while low < high {
            // Each lane asks at the end of its own piece of what is left.
            let piece = (high - low).div_ceil(LANES);
            let asked = (u64::from(low) + u64::from(lane + 1) * u64::from(piece))
                .min(u64::from(high)) as u32
                - 1;
            // SAFETY: the caller's; a segment below `high` is asked for.
            let is_before = unsafe {
                let is_before = self.end(asked) <= element;
                warp::warp_vote_ballot(warp::FULL_MASK, is_before).trailing_ones()
            };
            if is_before == LANES {
                return high;
            }
            high = (low + is_before.saturating_add(1) * piece).min(high) - 1;
            low = (low + is_before * piece).min(high);
        }
        low
    }
}
