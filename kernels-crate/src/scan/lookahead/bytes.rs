//! Ranges of bytes, and what of them the copy engine moves: whole vectors.

use cuda_std::warp;

use crate::scan::shape::{Lookahead, VECTOR};

/// A range of bytes, in three: whole vectors at multiples of 16 bytes, which bulk copies
/// move, and what is at the ends, no more than a byte a lane.
pub(super) struct Bytes {
    /// The address of the first, modulo 16.
    pub(super) shift: u32,
    pub(super) head: u32,
    pub(super) whole: u32,
    pub(super) all: u32,
}

impl Bytes {
    #[inline(always)]
    pub(super) fn new(shape: &Lookahead, address: usize, all: u32) -> Self {
        let shift = if shape.shifted {
            (address % VECTOR) as u32
        } else {
            0
        };
        let head = all.min((VECTOR as u32 - shift) % VECTOR as u32);
        Self {
            shift,
            head,
            whole: (all - head) / VECTOR as u32 * VECTOR as u32,
            all,
        }
    }

    /// The byte at the ends that is the lane's, if there is one for it.
    #[inline(always)]
    pub(super) fn end(&self) -> Option<usize> {
        let lane = warp::lane_id();
        let at = if lane < self.head {
            lane
        } else {
            lane + self.whole
        };
        (at < self.all).then_some(at as usize)
    }

    /// Whether there are bytes at the ends.
    #[inline(always)]
    pub(super) fn has_ends(&self) -> bool {
        self.whole < self.all
    }
}

/// A range of bytes that a bulk copy brings, of whole vectors at multiples of 16.
pub(super) struct Brought {
    /// Its address.
    pub(super) low: usize,
    pub(super) bytes: u32,
    /// How far it lies behind the vector in which what is needed begins: 0 or 16.
    pub(super) behind_vector: u32,
}

impl Brought {
    /// The vectors in which `begin..end` lies, of those that lie in `first..behind`.
    #[inline(always)]
    pub(super) fn within(begin: usize, end: usize, first: usize, behind: usize) -> Self {
        let vector = begin / VECTOR * VECTOR;
        let low = if vector >= first {
            vector
        } else {
            vector + VECTOR
        };
        let high = end.next_multiple_of(VECTOR);
        let high = if high <= behind {
            high
        } else {
            end / VECTOR * VECTOR
        };
        let is_empty = end <= begin || high <= low;
        Self {
            low,
            bytes: if is_empty { 0 } else { (high - low) as u32 },
            behind_vector: (low - vector) as u32,
        }
    }

    /// Whether some of the `all` bytes from `begin` on are not brought.
    #[inline(always)]
    pub(super) fn is_short(&self, begin: usize, all: u32) -> bool {
        let end = begin + all as usize;
        self.low > begin && all > 0 || self.low + (self.bytes as usize) < end
    }

    /// The byte of those that is the lane's, counted from `begin`, if there is one for it:
    /// there are 15 at most at either end.
    #[inline(always)]
    pub(super) fn missing(&self, begin: usize, all: u32) -> Option<usize> {
        let lane = warp::lane_id() as usize;
        let head = self.low.saturating_sub(begin).min(all as usize);
        let at = if lane < head {
            lane
        } else {
            lane - head + (self.low + self.bytes as usize - begin).max(head)
        };
        (at < all as usize).then_some(at)
    }
}
