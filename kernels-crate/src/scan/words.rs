//! Values as words of 32 bits.

use bytemuck::Pod;

/// The most words of a value: 16 bytes, and as many of a flag.
pub const MAX_WORDS: usize = 8;

/// A value as words of 32 bits; unused ones are 0.
pub type Words = [u32; MAX_WORDS];

/// Words of a value.
pub const fn words_of<T>() -> usize {
    size_of::<T>().div_ceil(4)
}

/// A value's words.
#[inline(always)]
pub fn to_words<T: Pod>(value: T) -> Words {
    const {
        assert!(
            size_of::<T>() <= 4 * MAX_WORDS,
            "a value has at most 32 bytes"
        )
    };
    let mut words: Words = [0; MAX_WORDS];
    // SAFETY: a `Pod` value is its bytes, which fit.
    unsafe { (&raw mut words).cast::<T>().write_unaligned(value) };
    words
}

/// The value of these words.
#[inline(always)]
pub fn from_words<T: Pod>(words: Words) -> T {
    const {
        assert!(
            size_of::<T>() <= 4 * MAX_WORDS,
            "a value has at most 32 bytes"
        )
    };
    // SAFETY: every pattern of bytes is a `Pod` value, and there are enough.
    unsafe { (&raw const words).cast::<T>().read_unaligned() }
}
