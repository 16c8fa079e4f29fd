//! The bits of a lane's items.

use cuda_std::shared::SharedPtr;

use super::{EACH, MOST, MOST_ITEMS, words};
use crate::operator::Operator;

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

    /// Asks for the bits of `ITEMS` elements from `first` on, of `n`: of those that there
    /// are.
    ///
    /// # Safety
    /// `segment_flags` has the words of `n` elements, at least one, if the operator has segments.
    #[inline(always)]
    pub unsafe fn of<O: Operator, const ITEMS: usize>(
        segment_flags: *const u32,
        first: u64,
        n: u64,
    ) -> Self {
        const { assert!(ITEMS <= MOST_ITEMS) };
        let mut flags = Self::none();
        if O::IS_SEGMENTED {
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
