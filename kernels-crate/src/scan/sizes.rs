//! The constants of the kernels: how many warps, rows and vectors, by the sizes of an element
//! and of a result.
//!
//! Behaviour is elsewhere; here are numbers, from the table [`tuned`](super::tuned). A change
//! of one of them changes the association, and so the last bits of floats.

use super::segment_flags;
use super::shape::{Lookahead, Registers, Tiles, VECTOR};
use super::tuned::ROWS;
use super::tuning::Row;
use crate::operator::Operator;

/// The row of these sizes, bytes; where there is none the nearest, in powers of two of both
/// sizes together, and of two that are as near the first. Its [`Stream::times`](super::tuning::Stream::times) are those
/// of its own sizes alone.
pub const fn nearest_row(element: usize, result: usize) -> &'static Row {
    let mut nearest = 0;
    let mut i = 1;
    while i < ROWS.len() {
        if ROWS[i].distance(element, result) < ROWS[nearest].distance(element, result) {
            nearest = i;
        }
        i += 1;
    }
    &ROWS[nearest]
}

/// Threads of a block of [`hillis_steele`](super::hillis_steele) and of
/// [`blelloch`](super::blelloch).
pub const TEXTBOOK_THREADS: u32 = 256;

/// Elements of a tile of [`blelloch`](super::blelloch): two a thread.
pub const BLELLOCH_TILE: u64 = 2 * TEXTBOOK_THREADS as u64;

/// Dynamic shared memory that a block has on compute capability 9.0, bytes (CUDA C++
/// Programming Guide, "Technical Specifications per Compute Capability").
const MOST_SHARED_BYTES: u32 = 227 << 10;

/// The fewest elements of which there are whole vectors, and of their results as well.
const fn each<O: Operator>() -> usize {
    const fn least(bytes: usize) -> usize {
        VECTOR >> (bytes | VECTOR).trailing_zeros()
    }
    let (input, output) = (least(size_of::<O::Input>()), least(size_of::<O::Output>()));
    if input > output { input } else { output }
}

const fn registers<O: Operator>(warps: usize, rows: usize) -> Registers {
    let each = each::<O>();
    Registers {
        warps,
        rows,
        each,
        vectors: each * size_of::<O::Input>() / VECTOR,
        results: each * size_of::<O::Output>() / VECTOR,
    }
}

/// The row of the operator's width class, or the nearest one.
const fn row<O: Operator>() -> &'static Row {
    nearest_row(size_of::<O::Input>(), size_of::<O::Output>())
}

/// One block for a small array.
pub const fn one_block<O: Operator>() -> Registers {
    let of = row::<O>().one_block;
    registers::<O>(of.warps, of.rows)
}

/// Many small tiles, for the least time.
pub const fn one_wave_small<O: Operator>() -> Registers {
    let of = row::<O>().one_wave_small;
    registers::<O>(of.warps, of.rows)
}

/// Larger tiles, so that more elements are resident at once.
pub const fn one_wave<O: Operator>() -> Registers {
    let of = row::<O>().one_wave;
    registers::<O>(of.warps, of.rows)
}

/// Any number of elements, on any GPU: tiles as large as those of [`lookahead`], so that
/// results have the same bits.
pub const fn tiles<O: Operator>() -> Tiles {
    let of = lookahead::<O>();
    Tiles {
        items: of.items,
        vectors: of.vectors,
        results: of.results,
        warps: of.workers,
    }
}

/// Any number of elements.
pub const fn lookahead<O: Operator>() -> Lookahead {
    let row = row::<O>();
    let least = registers::<O>(1, 1);
    let of = match row.is_of(size_of::<O::Input>(), size_of::<O::Output>()) {
        true => row.lookahead,
        // A row of other sizes says nothing of how many there is room for.
        false => row
            .lookahead
            .fitted(least.each, least.vectors, least.results),
    };
    let mut ahead = Lookahead {
        items: of.times * least.each,
        vectors: of.times * least.vectors,
        results: of.times * least.results,
        workers: of.workers,
        delay: of.delay,
        ahead: of.ahead,
        shifted: true,
        segment_flags: segment_flags::room::<O>(of.times * least.each),
    };
    // Where segments begin takes room that the row does not know of. Fewer rounds leave the
    // tiles as they are, and so the results' bits.
    while O::IS_SEGMENTED && ahead.delay > 1 && ahead.shared_bytes() > MOST_SHARED_BYTES {
        ahead.delay -= 1;
    }
    ahead
}

#[cfg(test)]
mod tests {
    use bytemuck::Pod;
    use core::marker::PhantomData;

    use super::*;
    use crate::operator::{Compose, Max, Sum};

    /// Shared memory of a block on compute capability 9.0, bytes (CUDA C++ Programming
    /// Guide, "Technical Specifications per Compute Capability").
    const SHARED: u32 = 227 << 10;

    fn check<O: Operator>(items: usize) {
        let of = lookahead::<O>();
        assert_eq!(of.items, items);
        assert_eq!(of.items * size_of::<O::Input>(), 16 * of.vectors);
        assert_eq!(of.items * size_of::<O::Output>(), 16 * of.results);
        assert_eq!(of.vectors % 2, 1);
        assert!(of.shared_bytes() <= SHARED);
        for of in [one_block::<O>(), one_wave_small::<O>(), one_wave::<O>()] {
            assert_eq!(of.each * size_of::<O::Input>(), 16 * of.vectors);
            assert_eq!(of.each * size_of::<O::Output>(), 16 * of.results);
        }
    }

    #[test]
    fn lanes_have_whole_vectors_of_elements_and_of_results_that_a_block_has_room_for() {
        check::<Sum<u8>>(112);
        check::<Max<u32>>(28);
        check::<Sum<f64>>(14);
        check::<Compose>(7);
        check::<Sum<u8, u32>>(48);
        check::<Sum<u8, u64>>(16);
        check::<Sum<f32, f64>>(12);
    }

    /// Elements of type `I`, of which the last has a result of type `R`.
    #[derive(Clone, Copy)]
    struct Last<I, R>(PhantomData<(I, R)>);

    impl<I: Pod, R: Pod> Operator for Last<I, R> {
        type Input = I;
        type Accumulator = I;
        type Output = R;

        fn transform(element: I) -> I {
            element
        }

        fn combine(_: I, second: I) -> I {
            second
        }

        fn finish(_: I) -> R {
            R::zeroed()
        }
    }

    /// Classes that have no row among them.
    #[test]
    fn a_block_has_room_for_elements_and_results_of_all_sizes() {
        fn fits<I: Pod, R: Pod>() {
            let of = lookahead::<Last<I, R>>();
            assert_eq!(of.items * size_of::<I>(), 16 * of.vectors);
            assert_eq!(of.items * size_of::<R>(), 16 * of.results);
            let (bytes, name) = (of.shared_bytes(), core::any::type_name::<(I, R)>());
            assert!(bytes <= SHARED && of.workers > 0, "{name}: {bytes}");
        }
        fn to_all<I: Pod>() {
            fits::<I, u8>();
            fits::<I, u16>();
            fits::<I, [u8; 3]>();
            fits::<I, u32>();
            fits::<I, [u16; 3]>();
            fits::<I, u64>();
            fits::<I, [u32; 3]>();
            fits::<I, u128>();
        }
        to_all::<u8>();
        to_all::<u16>();
        to_all::<[u8; 3]>();
        to_all::<u32>();
        to_all::<[u16; 3]>();
        to_all::<u64>();
        to_all::<[u32; 3]>();
        to_all::<u128>();
    }
}
