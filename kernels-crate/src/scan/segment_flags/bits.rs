//! The bits of a lane's items.

use core::array::from_fn;
use cuda_std::shared::SharedPtr;

use super::{EACH, MOST, MOST_ITEMS, words};
use crate::operator::Operator;
use crate::scan::request::Request;

/// Words that hold the bits of a lane's items, on their way: nothing waits for them before
/// [`FlagWords::flags`].
#[derive(Clone, Copy)]
pub struct FlagWords {
    words: [u32; MOST],
    /// The bit of the first word that is the first item's.
    first: u32,
}

impl FlagWords {
    /// No words.
    #[inline(always)]
    pub fn none() -> Self {
        Self {
            words: [0; MOST],
            first: 0,
        }
    }

    /// Asks for the bits of `ITEMS` elements from `first` on: of those that there are. None where
    /// offsets say where segments begin.
    ///
    /// # Safety
    /// If the operator has segments, the request says where they begin among at least one element.
    #[inline(always)]
    pub unsafe fn of<O: Operator, const ITEMS: usize>(request: &Request<O>, first: u64) -> Self {
        const { assert!(ITEMS <= MOST_ITEMS) };
        let Request {
            n, segment_flags, ..
        } = *request;
        let mut flags = Self::none();
        if request.is_of_length() {
            let into = remainder(first, request.segments);
            flags = Self::of_length::<ITEMS>(into, request.segments);
        } else if O::IS_SEGMENTED && !request.is_by_offsets() {
            flags.first = (first % EACH) as u32;
            let last = words(n).saturating_sub(1);
            for w in 0..MOST {
                if w <= (ITEMS + 30) / EACH as usize {
                    // No branch, behind which the next load would wait.
                    let word = (first / EACH + w as u64).min(last);
                    // SAFETY: the caller's.
                    flags.words[w] = unsafe { *segment_flags.wrapping_add(word as usize) };
                }
            }
        }
        flags
    }

    /// The bits of `ITEMS` elements, of which the first lies `into` behind the beginning of a segment,
    /// and all segments have `length` elements.
    #[inline(always)]
    pub fn of_length<const ITEMS: usize>(into: u64, length: u64) -> Self {
        const MOST_BITS: u64 = MOST as u64 * EACH;
        // The next bit, counted from the word's first, and bits from one to the next.
        let mut next = match into {
            0 => 0,
            _ => (length - into).min(MOST_BITS) as u32,
        };
        let step = length.min(MOST_BITS) as u32;
        // The bits that are multiples of it.
        let (mut multiples, mut all) = (1, step);
        while all < EACH as u32 {
            multiples |= multiples << all;
            all *= 2;
        }
        let mut flags = Self::none();
        for w in 0..MOST {
            if w < ITEMS.div_ceil(EACH as usize) {
                if next < EACH as u32 {
                    flags.words[w] = multiples << next;
                    next = flags.words[w].ilog2() + step;
                }
                next -= EACH as u32;
            }
        }
        flags
    }

    /// [`FlagWords::of_length`] of rows of `ITEMS` elements, of which the first begins at `first` and each
    /// other so many elements behind the one before.
    #[inline(always)]
    pub fn of_rows<const R: usize, const ITEMS: usize>(
        first: u64,
        distance: u32,
        length: u64,
    ) -> [Self; R] {
        let step = remainder(distance.into(), length);
        let mut into = remainder(first, length);
        from_fn(|_| {
            let flags = Self::of_length::<ITEMS>(into, length);
            into += step;
            if into >= length {
                into -= length;
            }
            flags
        })
    }

    /// Reads the bits of `ITEMS` elements from bit `first` of these words on, of which the last
    /// one that may be read has index `last`.
    ///
    /// # Safety
    /// The words may be read.
    #[inline(always)]
    pub unsafe fn in_shared<const ITEMS: usize>(
        words: SharedPtr<u32>,
        first: u32,
        last: u32,
    ) -> Self {
        const { assert!(ITEMS <= MOST_ITEMS) };
        let mut flags = Self::none();
        flags.first = first % EACH as u32;
        for w in 0..MOST {
            if w <= (ITEMS + 30) / EACH as usize {
                let word = (first / EACH as u32 + w as u32).min(last);
                // SAFETY: the caller's.
                flags.words[w] = unsafe { words.wrapping_add(word).load() };
            }
        }
        flags
    }

    /// The bits.
    #[inline(always)]
    pub fn flags(&self) -> SegmentFlags {
        let mut bits = [0; MOST - 1];
        for w in 0..MOST - 1 {
            let both = u64::from(self.words[w + 1]) << 32 | u64::from(self.words[w]);
            bits[w] = (both >> self.first) as u32;
        }
        SegmentFlags { bits }
    }
}

/// `number` modulo `length`, which is not 0. Numbers of 32 bits are divided in a third of the time.
#[inline(always)]
pub fn remainder(number: u64, length: u64) -> u64 {
    match (number | length) >> 32 {
        0 => u64::from(number as u32 % length as u32),
        _ => number % length,
    }
}

/// Which of a lane's items begin a segment; none, where there is one alone.
#[derive(Clone, Copy)]
pub struct SegmentFlags {
    bits: [u32; MOST - 1],
}

impl SegmentFlags {
    /// No segment begins.
    #[inline(always)]
    pub fn none() -> Self {
        Self {
            bits: [0; MOST - 1],
        }
    }

    /// Whether one of the first `count` items does.
    #[inline(always)]
    pub fn is_any(&self, count: usize) -> bool {
        let mut any = 0;
        for w in 0..MOST - 1 {
            let bits = count.saturating_sub(w * EACH as usize) as u32;
            // Those of 32 and more are all of the word.
            let of_items = !(u64::MAX << bits.min(EACH as u32)) as u32;
            any |= self.bits[w] & of_items;
        }
        any != 0
    }

    /// Whether item `i` does.
    #[inline(always)]
    pub fn is_set(&self, i: usize) -> bool {
        self.bits[i / 32] & 1 << (i % 32) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_of_one_length_begin_at_its_multiples() {
        let lengths = [
            1,
            2,
            3,
            5,
            7,
            16,
            28,
            31,
            32,
            33,
            64,
            100,
            1000,
            1 << 32,
            u64::MAX,
        ];
        for length in lengths {
            for first in [
                0,
                1,
                5,
                27,
                28,
                31,
                32,
                63,
                96,
                999,
                (1 << 32) - 3,
                (1 << 40) + 5,
            ] {
                let flags = FlagWords::of_length::<112>(remainder(first, length), length).flags();
                for i in 0..112_u64 {
                    let begins = (first + i).is_multiple_of(length);
                    assert_eq!(flags.is_set(i as usize), begins, "{first} + {i}, {length}");
                }
            }
        }
    }
}
