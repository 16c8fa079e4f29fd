//! The shapes of the kernels, by the size of an element: those of the
//! [scans](crate::scan::sizes) of such elements, but for what is said here.

use super::predicate::{Counts, Predicate};
use crate::LANES;
use crate::scan::shape::{Lookahead, Registers, VECTOR};
use crate::scan::sizes;

/// Of [`one_wave`](super::one_wave).
pub const fn one_wave<P: Predicate>() -> Registers {
    sizes::one_wave_small::<Counts<P>>()
}

/// Of [`lookahead`](super::lookahead): more warps than a scan has, each with less.
pub const fn lookahead<P: Predicate>() -> Lookahead {
    let Registers { each, vectors, .. } = one_wave::<P>();
    Lookahead {
        workers: WORKERS,
        items: TIMES * each,
        vectors: TIMES * vectors,
        results: TIMES * vectors,
        delay: DELAY,
        ahead: AHEAD,
        ..sizes::lookahead::<Counts<P>>()
    }
}

/// Warps that select, of a block.
const WORKERS: usize = 14;

/// How many times a lane has the fewest elements that are whole vectors.
const TIMES: usize = 5;

/// Rounds between the count of a tile and its places.
const DELAY: usize = 3;

/// Tiles that are on their way.
const AHEAD: usize = 2;

/// Dynamic shared memory of a block of [`one_wave`](super::one_wave), bytes: its tile.
pub const fn tile_bytes(of: &Registers) -> u32 {
    (of.warps * of.rows * of.vectors * VECTOR) as u32 * LANES
}

/// Up to how many bytes of elements [`one_wave`](super::one_wave) is the faster one, where the
/// other is there.
pub const ONE_WAVE_BYTES: u64 = 4 << 20;
