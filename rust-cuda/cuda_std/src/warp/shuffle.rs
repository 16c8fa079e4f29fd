//! `shfl.sync`: a lane reads another lane's value.

use crate::device::gpu;

/// How a lane finds the lane that it reads.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarpShuffleMode {
    /// The lane `b` below.
    Up,
    /// The lane `b` above.
    Down,
    /// Lane `b` of the segment.
    Idx,
    /// The lane whose number differs by the bits of `b`.
    Xor,
}

/// A value that lanes can exchange: integers of 8 to 128 bits, `f32`, `f64`, `bool`, `char`.
pub trait WarpShuffleValue: Sized {
    /// One of the shuffles; `mode` should be a constant.
    ///
    /// # Safety
    ///
    /// See [`mask`](crate::warp).
    ///
    /// # Panics
    ///
    /// When `width` is not 1, 2, 4, 8, 16 or 32.
    unsafe fn shuffle(
        mode: WarpShuffleMode,
        mask: u32,
        value: Self,
        b: u32,
        width: u32,
    ) -> (Self, bool);
}

macro_rules! shuffle {
    ($($(#[$doc:meta])* $name:ident, $plain:ident, $mode:ident, $b:ident, $instruction:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// Returns the value and whether there was such a lane; if not, the value is this lane's
        /// own. `width` (1, 2, 4, 8, 16 or 32) divides the warp into segments that stay apart.
        /// Values of 64 bits take two instructions, of 128 bits four, shorter ones one.
        ///
        #[doc = concat!("PTX: `", $instruction, "`.")]
        ///
        /// # Safety
        ///
        /// See [`mask`](crate::warp). A value read from a lane outside the mask is undefined.
        ///
        /// # Panics
        ///
        /// When `width` is none of those; nothing is left of the check when it is a constant.
        #[inline(always)]
        pub unsafe fn $name<T: WarpShuffleValue>(mask: u32, value: T, $b: u32, width: u32) -> (T, bool) {
            // SAFETY: the caller's.
            unsafe { T::shuffle(WarpShuffleMode::$mode, mask, value, $b, width) }
        }

        $(#[$doc])*
        ///
        #[doc = concat!("The whole warp is one segment. Without such a lane, its own value. PTX: `", $instruction, "`.")]
        ///
        /// # Safety
        ///
        /// See [`mask`](crate::warp). A value read from a lane outside the mask is undefined.
        #[inline(always)]
        #[must_use]
        pub unsafe fn $plain<T: WarpShuffleValue>(mask: u32, value: T, $b: u32) -> T {
            // SAFETY: the caller's.
            unsafe { T::shuffle(WarpShuffleMode::$mode, mask, value, $b, 32).0 }
        }
    )*};
}

shuffle! {
    /// The value of the lane `delta` below.
    warp_shuffle_up, shuffle_up, Up, delta, "shfl.sync.up.b32";
    /// The value of the lane `delta` above.
    warp_shuffle_down, shuffle_down, Down, delta, "shfl.sync.down.b32";
    /// The value of lane `idx` of the segment.
    warp_shuffle_idx, shuffle_idx, Idx, idx, "shfl.sync.idx.b32";
    /// The value of the lane whose number is this one's XOR `lane_mask`.
    warp_shuffle_xor, shuffle_xor, Xor, lane_mask, "shfl.sync.bfly.b32";
}

#[inline(always)]
unsafe fn shuffle_32(
    mode: WarpShuffleMode,
    mask: u32,
    value: u32,
    b: u32,
    width: u32,
) -> (u32, bool) {
    assert!(
        width.is_power_of_two() && width <= 32,
        "a shuffle's width is 1, 2, 4, 8, 16 or 32"
    );
    // Bits 8 to 12 are the segment's part of the lane number, bits 0 to 4 the clamp: the last
    // lane of a segment, or for `up` the first.
    let segment = (32 - width) << 8;
    gpu!(warp_shuffle, (mode, mask, value, b, segment) => {
        let read: u32;
        let valid: u32;
        macro_rules! shfl {
            ($instruction:literal, $clamp:literal) => {
                core::arch::asm!(
                    "{{ .reg .pred p;",
                    concat!("shfl.sync.", $instruction, ".b32 {read}|p, {value}, {b}, {clamp}, {mask};"),
                    "selp.u32 {valid}, 1, 0, p; }}",
                    read = out(reg32) read,
                    valid = out(reg32) valid,
                    value = in(reg32) value,
                    b = in(reg32) b,
                    clamp = in(reg32) segment | $clamp,
                    mask = in(reg32) mask,
                    options(nomem, nostack, preserves_flags),
                )
            };
        }
        match mode {
            WarpShuffleMode::Up => shfl!("up", 0),
            WarpShuffleMode::Down => shfl!("down", 31),
            WarpShuffleMode::Idx => shfl!("idx", 31),
            WarpShuffleMode::Xor => shfl!("bfly", 31),
        }
        (read, valid != 0)
    })
}

macro_rules! shuffle_value {
    // Fits a register.
    (32: $($type:ty, |$x:ident| $to:expr, |$y:ident| $from:expr;)*) => {$(
        impl WarpShuffleValue for $type {
            #[inline(always)]
            unsafe fn shuffle(mode: WarpShuffleMode, mask: u32, $x: Self, b: u32, width: u32) -> (Self, bool) {
                // SAFETY: the caller's.
                let ($y, valid) = unsafe { shuffle_32(mode, mask, $to, b, width) };
                ($from, valid)
            }
        }
    )*};
    // Travels in two halves.
    (halves: $($type:ty as $bits:ty, $half:ty, |$x:ident| $to:expr, |$y:ident| $from:expr;)*) => {$(
        impl WarpShuffleValue for $type {
            #[inline(always)]
            unsafe fn shuffle(mode: WarpShuffleMode, mask: u32, $x: Self, b: u32, width: u32) -> (Self, bool) {
                let bits: $bits = $to;
                // SAFETY: the caller's.
                let ((low, valid), (high, _)) = unsafe {(
                    <$half>::shuffle(mode, mask, bits as $half, b, width),
                    <$half>::shuffle(mode, mask, (bits >> <$half>::BITS) as $half, b, width),
                )};
                let $y = <$bits>::from(high) << <$half>::BITS | <$bits>::from(low);
                ($from, valid)
            }
        }
    )*};
}

shuffle_value! { 32:
    u8, |x| u32::from(x), |y| y as u8;
    i8, |x| x as u32, |y| y as i8;
    u16, |x| u32::from(x), |y| y as u16;
    i16, |x| x as u32, |y| y as i16;
    u32, |x| x, |y| y;
    i32, |x| x as u32, |y| y as i32;
    f32, |x| x.to_bits(), |y| f32::from_bits(y);
    bool, |x| u32::from(x), |y| y != 0;
    // SAFETY: the bits are another lane's `char`; whoever passes a lane without one breaks the
    // condition on the mask.
    char, |x| u32::from(x), |y| unsafe { char::from_u32_unchecked(y) };
}

shuffle_value! { halves:
    u64 as u64, u32, |x| x, |y| y;
    i64 as u64, u32, |x| x as u64, |y| y as i64;
    usize as u64, u32, |x| x as u64, |y| y as usize;
    isize as u64, u32, |x| x as u64, |y| y as isize;
    f64 as u64, u32, |x| x.to_bits(), |y| f64::from_bits(y);
    u128 as u128, u64, |x| x, |y| y;
    i128 as u128, u64, |x| x as u128, |y| y as i128;
}

#[cfg(feature = "half")]
shuffle_value! { 32:
    half::f16, |x| u32::from(x.to_bits()), |y| Self::from_bits(y as u16);
    half::bf16, |x| u32::from(x.to_bits()), |y| Self::from_bits(y as u16);
}
