//! What core has for numbers, arrays, memory and options.

use core::mem::MaybeUninit;

use alloc::alloc::{Layout, alloc, dealloc};

use crate::next;

/// Four elements made of one, of a type.
macro_rules! array_of {
    ($($(#[$doc:meta])* $name:ident $type:ty;)*) => { per_element! {$(
        $(#[$doc])*
        fn $name(x: u32) -> u32 {
            let mut array = [x as $type; 4];
            array[1] = array[0].wrapping_mul(3);
            array[x as usize % 4] ^= 0x55;
            let zeros = [0 as $type; 7];
            let sum = array.iter().chain(&zeros).fold(0 as $type, |sum, y| sum.wrapping_add(*y));
            sum as u32
        }
    )*} };
}

array_of! {
    /// `lang/core/array/init_array_i8`.
    array_of_i8 i8;
    /// `lang/core/array/init_array_i16`.
    array_of_i16 i16;
    /// `lang/core/array/init_array_i32`.
    array_of_i32 i32;
    /// `lang/core/array/init_array_i64`.
    array_of_i64 i64;
}

per_element! {
    /// `lang/core/intrinsics/bswap`: the bytes of every width the other way round.
    fn swap_bytes(x: u64) -> u64 {
        let narrow = (x as u16).swap_bytes();
        let word = (x as u32).swap_bytes();
        let wide = (u128::from(x) << 40).swap_bytes();
        x.swap_bytes() ^ u64::from(narrow) ^ u64::from(word) << 16 ^ wide as u64 ^ (wide >> 64) as u64
    }

    /// `lang/core/intrinsics/leading_zeros`: of every width, of nothing but zeros too.
    fn leading_zeros(x: u64) -> u32 {
        (x as u8).leading_zeros()
            + 9 * (x as u16).leading_zeros()
            + 200 * (x as u32).leading_zeros()
            + 7000 * x.leading_zeros()
            + 500_000 * (u128::from(x) << 7).leading_zeros()
    }

    /// `lang/core/intrinsics/trailing_zeros`: as [`leading_zeros`].
    fn trailing_zeros(x: u64) -> u32 {
        (x as u8).trailing_zeros()
            + 9 * (x as u16).trailing_zeros()
            + 200 * (x as u32).trailing_zeros()
            + 7000 * x.trailing_zeros()
            + 500_000 * (u128::from(x) << 7).trailing_zeros()
    }

    /// `lang/u32/count_ones`: of every width.
    fn count_ones(x: u64) -> u32 {
        (x as u8).count_ones()
            + 9 * (x as u16).count_ones()
            + 200 * (x as u32).count_ones()
            + 7000 * x.count_ones()
            + 500_000 * (u128::from(x) * 0x1_0000_0001_0001).count_ones()
    }

    /// `lang/u32/bit_reverse`: of every width.
    fn reverse_bits(x: u64) -> u64 {
        let narrow = (x as u8).reverse_bits();
        let word = (x as u32).reverse_bits();
        let wide = (u128::from(x) << 3).reverse_bits();
        x.reverse_bits() ^ u64::from(narrow) ^ u64::from(word) << 8 ^ (wide >> 64) as u64
    }

    /// Integers of 128 bits: the four operations, shifts and comparisons.
    fn wide_integers(x: u64) -> u64 {
        let wide = u128::from(x) * 0xffff_ffff_ffff_fff1 + 12345;
        let quotient = wide / (u128::from(x >> 7) + 3);
        let rest = wide % (u128::from(x >> 41) + 7);
        let signed = (wide as i128).wrapping_neg() >> (x % 100);
        (quotient ^ rest ^ signed as u128 ^ wide.rotate_left((x % 128) as u32)) as u64
    }

    /// Arithmetic that says when it overflows, or stays at the end.
    fn overflows(x: i32) -> i32 {
        let checked = x.checked_mul(77).unwrap_or(-1);
        let (wrapped, over) = x.overflowing_add(1 << 30);
        checked ^ wrapped ^ x.saturating_sub(1 << 30) ^ i32::from(over)
    }

    /// `core/ops/range_contains`: of each kind of range.
    fn range_contains(x: u32) -> u32 {
        let y = x % 300;
        u32::from((10..200).contains(&y))
            | u32::from((10..=200).contains(&y)) << 1
            | u32::from((..50).contains(&y)) << 2
            | u32::from((..=50).contains(&y)) << 3
            | u32::from((250..).contains(&y)) << 4
            | u32::from((1.5..99.5).contains(&f64::from(y))) << 5
    }

    /// `lang/core/unwrap_or`: of options and results, and their kin.
    fn unwrap_or(x: u32) -> u32 {
        let some = x.checked_sub(1000).unwrap_or(5);
        let read: Result<u8, _> = u8::try_from(x);
        let byte = read.map(u32::from).unwrap_or_else(|_| x >> 24);
        let first = [3, x, 9].iter().copied().find(|y| y % 4 == 1).unwrap_or_default();
        some ^ byte << 8 ^ first
    }

    /// `lang/core/mem/create_unitialized_memory`: written before it is read.
    fn uninitialised_memory(x: u32) -> u32 {
        let mut array = [const { MaybeUninit::<u32>::uninit() }; 8];
        let mut y = x;
        for place in &mut array {
            y = next(y);
            place.write(y);
        }
        // SAFETY: all of them were written.
        array.iter().fold(0, |sum, place| sum ^ unsafe { place.assume_init() }.rotate_left(3))
    }

    /// `lang/core/ptr/allocate_null`: a pointer to nothing is told from others.
    fn null_pointers(x: u32) -> u32 {
        let nothing = core::ptr::null::<u32>();
        let pointer = if x.is_multiple_of(2) { nothing } else { &raw const x };
        // SAFETY: null, or the address of `x`.
        match unsafe { pointer.as_ref() } {
            Some(value) => value.wrapping_add(1),
            None => 77,
        }
    }

    /// `lang/core/ptr/allocate_vec_like`: memory that is asked for, written through a raw
    /// pointer and given back.
    fn own_vector(x: u32) -> u32 {
        let n = (x % 9 + 1) as usize;
        let Ok(layout) = Layout::array::<u32>(n) else {
            return u32::MAX;
        };
        // SAFETY: the layout has a size; what is read was written, within the layout; what
        // was given is given back with the same layout.
        unsafe {
            let start = alloc(layout).cast::<u32>();
            if start.is_null() {
                return u32::MAX - 1;
            }
            let mut y = x;
            for i in 0..n {
                y = next(y);
                start.add(i).write(y);
            }
            let total = (0..n).rev().fold(0, |sum: u32, i| sum.rotate_left(5) ^ *start.add(i));
            dealloc(start.cast(), layout);
            total
        }
    }
}
