//! Values in tagged words: 64 bits each, of which 32 of the value lie below, and the tag of the
//! launch above. Value and tag arrive together, so that relaxed accesses are enough, and what
//! earlier launches left is not taken for an answer.
//!
//! Source: Merrill and Garland, Single-pass parallel prefix scan with decoupled look-back, 2016,
//! section 4.4; the tag is ours.

use bytemuck::Pod;
use core::marker::PhantomData;
use cuda_std::mem;

use super::words::{MAX_WORDS, from_words, to_words, words_of};

/// A value as it was read: of this launch or not.
#[derive(Clone, Copy)]
pub struct Tagged<A> {
    words: [u64; MAX_WORDS],
    of: PhantomData<A>,
}

impl<A: Pod> Tagged<A> {
    /// One that nobody has written.
    #[inline(always)]
    pub fn none() -> Self {
        Self {
            words: [0; MAX_WORDS],
            of: PhantomData,
        }
    }

    /// Writes a value: word i to `place(i)`.
    ///
    /// # Safety
    /// The places are words of global memory; others access them atomically.
    #[inline(always)]
    pub unsafe fn store(value: A, tag: u32, place: impl Fn(usize) -> *mut u64) {
        // SAFETY: the caller's.
        unsafe { Self::store_of::<false>(value, tag, place) }
    }

    /// The same, where `SYSTEM` says whether other devices read it.
    ///
    /// # Safety
    /// As for [`Tagged::store`].
    #[inline(always)]
    pub unsafe fn store_of<const SYSTEM: bool>(
        value: A,
        tag: u32,
        place: impl Fn(usize) -> *mut u64,
    ) {
        let words = to_words(value);
        for w in 0..MAX_WORDS {
            if w < words_of::<A>() {
                let (at, word) = (place(w), tagged(words[w], tag));
                // SAFETY: the caller's.
                unsafe {
                    if SYSTEM {
                        mem::store_relaxed_system(at, word);
                    } else {
                        mem::store_relaxed(at, word);
                    }
                }
            }
        }
    }

    /// Reads what is there.
    ///
    /// # Safety
    /// As for [`Tagged::store`].
    #[inline(always)]
    pub unsafe fn load(place: impl Fn(usize) -> *mut u64) -> Self {
        let mut read = Self::none();
        for w in 0..MAX_WORDS {
            if w < words_of::<A>() {
                // SAFETY: the caller's.
                unsafe { read.load_word::<false>(w, place(w)) };
            }
        }
        read
    }

    /// Reads word `w` of it, where `SYSTEM` says whether other devices write it.
    ///
    /// # Safety
    /// As for [`Tagged::store`].
    #[inline(always)]
    pub unsafe fn load_word<const SYSTEM: bool>(&mut self, w: usize, place: *const u64) {
        // SAFETY: the caller's.
        self.words[w] = unsafe {
            if SYSTEM {
                mem::load_relaxed_system(place)
            } else {
                mem::load_relaxed(place)
            }
        };
    }

    /// Whether all of the value was written by the launch with this tag.
    #[inline(always)]
    pub fn has(&self, tag: u32) -> bool {
        let mut has = true;
        for w in 0..MAX_WORDS {
            if w < words_of::<A>() {
                has &= self.has_word(w, tag);
            }
        }
        has
    }

    /// Whether word `w` of it was.
    #[inline(always)]
    pub fn has_word(&self, w: usize, tag: u32) -> bool {
        (self.words[w] >> 32) as u32 == tag
    }

    /// The value, where [`Tagged::has`] says that there is one.
    #[inline(always)]
    pub fn value(&self) -> A {
        from_words(self.words.map(|word| word as u32))
    }
}

/// 32 bits of a value, with the tag above.
#[inline(always)]
fn tagged(word: u32, tag: u32) -> u64 {
    u64::from(tag) << 32 | u64::from(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<A: Pod>(value: A, tags: [u32; MAX_WORDS]) -> Tagged<A> {
        let words = to_words(value);
        Tagged {
            words: core::array::from_fn(|w| tagged(words[w], tags[w])),
            of: PhantomData,
        }
    }

    #[test]
    fn a_value_comes_back_with_its_tag() {
        let value = 0x0123_4567_89ab_cdef_u64;
        let read = read(value, [7; MAX_WORDS]);
        assert!(read.has(7) && !read.has(6) && !read.has(0));
        assert_eq!(read.value(), value);
    }

    #[test]
    fn a_value_of_which_a_word_is_missing_is_not_there() {
        for missing in 0..4 {
            let mut tags = [7; MAX_WORDS];
            tags[missing] = 6;
            assert!(!read([1u32, 2, 3, 4], tags).has(7), "word {missing}");
        }
        // Words behind the value's last say nothing.
        assert!(read(1u32, [7, 6, 0, 0, 0, 0, 0, 0]).has(7));
    }

    #[test]
    fn memory_that_was_cleared_has_no_tag() {
        assert!(!Tagged::<u32>::none().has(1));
    }
}
