//! Ranges of bytes of an array that begins at any address, and what of them bulk copies move:
//! whole vectors at multiples of 16 bytes. What is left, at either end, lanes move, a byte each.
//! Arithmetic alone.

use crate::scan::shape::VECTOR;

/// The results of a segment on their way out: whole vectors between two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StoreRange {
    /// The address of the first byte, modulo 16.
    pub(super) shift: u32,
    /// Bytes before the first whole vector.
    pub(super) head: u32,
    /// Bytes of whole vectors.
    pub(super) whole: u32,
    all: u32,
}

impl StoreRange {
    /// That of `all` bytes at `address`, which is a multiple of 16 unless it `is_shifted`.
    #[inline(always)]
    pub(super) fn new(is_shifted: bool, address: usize, all: u32) -> Self {
        let shift = if is_shifted {
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

    /// Whether there are bytes at the ends.
    #[inline(always)]
    pub(super) fn has_ends(&self) -> bool {
        self.whole < self.all
    }

    /// The byte at the ends that is the lane's, counted from the first, if there is one for it.
    #[inline(always)]
    pub(super) fn end_byte(&self, lane: u32) -> Option<usize> {
        let at = if lane < self.head {
            lane
        } else {
            lane + self.whole
        };
        (at < self.all).then_some(at as usize)
    }
}

/// The vectors that a bulk copy brings of a range of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LoadRange {
    /// The address of the first one.
    pub(super) low: usize,
    /// Bytes of all of them.
    pub(super) bytes: u32,
    /// How far it lies behind the vector in which what is needed begins: 0 or 16.
    pub(super) behind_vector: u32,
}

impl LoadRange {
    /// None.
    #[inline(always)]
    pub(super) fn none() -> Self {
        Self::within(0, 0, 0, 0)
    }

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
    pub(super) fn missing_byte(&self, begin: usize, all: u32, lane: u32) -> Option<usize> {
        let lane = lane as usize;
        let head = self.low.saturating_sub(begin).min(all as usize);
        let at = if lane < head {
            lane
        } else {
            // Where nothing is brought it may lie before `begin`: the sum wraps round, and back.
            let behind = (self.low + self.bytes as usize).wrapping_sub(begin);
            (lane - head).wrapping_add(behind.max(head))
        };
        (at < all as usize).then_some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LANES;

    /// How often each of `all` bytes is moved, by a bulk copy of `bulk` and by the lanes.
    fn moved(
        all: usize,
        bulk: core::ops::Range<usize>,
        of_lane: impl Fn(u32) -> Option<usize>,
    ) -> [u8; 100] {
        let mut moved = [0; 100];
        for at in bulk.chain((0..LANES).filter_map(of_lane)) {
            assert!(at < all);
            moved[at] += 1;
        }
        moved
    }

    #[test]
    fn every_result_is_stored_once() {
        for shift in 0..VECTOR {
            for all in 0..100 {
                let range = StoreRange::new(true, 4096 + shift, all as u32);
                let (head, whole) = (range.head as usize, range.whole as usize);
                assert!(whole == 0 || (shift + head).is_multiple_of(VECTOR));
                assert!(whole.is_multiple_of(VECTOR));
                let times = moved(all, head..head + whole, |lane| range.end_byte(lane));
                assert!(times[..all].iter().all(|&times| times == 1));
                assert_eq!(range.has_ends(), whole < all);
            }
        }
    }

    #[test]
    fn every_element_is_loaded_from_within_the_array_and_the_ends_by_lanes() {
        // An array of 100 bytes, and segments of it.
        for shift in 0..VECTOR {
            let array = 4096 + shift;
            for (begin, end) in [(0, 100), (0, 48), (0, 7), (48, 96), (96, 100), (20, 20)] {
                let all = end - begin;
                let (begin, end) = (array + begin, array + end);
                for (first, behind) in [(array, array + 100), (begin, end)] {
                    let range = LoadRange::within(begin, end, first, behind);
                    let high = range.low + range.bytes as usize;
                    assert!(range.low.is_multiple_of(VECTOR) && high.is_multiple_of(VECTOR));
                    assert!(range.bytes == 0 || range.low >= first && high <= behind);
                    let bulk = range.low.max(begin).min(end)..high.max(begin).min(end);
                    let bulk = bulk.start - begin..bulk.end.max(bulk.start) - begin;
                    let is_short = range.is_short(begin, all as u32);
                    let of_lane = |lane| range.missing_byte(begin, all as u32, lane);
                    let times = moved(all, bulk, |lane| of_lane(lane).filter(|_| is_short));
                    assert!(times[..all].iter().all(|&times| times == 1));
                }
            }
        }
    }
}
