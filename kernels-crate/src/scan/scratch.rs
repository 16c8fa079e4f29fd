//! How much scratch memory the algorithms need, and what is where in it: words of 64 bits. A
//! total has `words` words of 32 bits, or `bytes` bytes.

#[cfg(not(target_os = "cuda"))]
use bytemuck::Pod;

pub use super::shape::GROUP;
use super::sizes::BLELLOCH_TILE;
#[cfg(not(target_os = "cuda"))]
use super::words::{from_words, words_of};
use crate::LANES;

/// Words before those of the tiles; the first is the counter of launches. Where tiles are
/// [`DEALT`](super::DEALT) to several devices, [`DEVICES`] and those behind it are used, too.
pub const HEAD: u64 = 16;

/// The word that holds how many devices there are, at most [`MAX_DEVICES`],
pub const DEVICES: usize = 1;
/// that of this device's number,
pub const OWN_DEVICE: usize = 2;
/// of the tiles of all devices,
pub const ALL_TILES: usize = 3;
/// and the first of the addresses of the devices' scratch memories.
pub const SCRATCHES: usize = 4;

/// The first of the words that hold what stands before a segmented scan of a part of an array, an
/// accumulator.
pub const BEFORE: usize = 12;

/// The most devices that tiles are dealt to.
pub const MAX_DEVICES: usize = 8;

/// Tiles of a group whose totals a lane takes.
pub const EACH: u64 = GROUP / LANES as u64;

/// Where word `word` of `words` of tile `tile`'s total is. A group lies together, its tiles
/// dealt so that lane l of the warp that reads it finds tiles 4 l to 4 l + 3 in four
/// rows.
#[inline(always)]
pub const fn place(tile: u64, word: usize, words: usize) -> usize {
    let (group, i) = (tile / GROUP, tile % GROUP);
    let (lane, row) = (i / EACH, i % EACH);
    let in_group = row * LANES as u64 + lane;
    (HEAD + (group * words as u64 + word as u64) * GROUP + in_group) as usize
}

/// The total of tile `tile`, of the scratch memory of a launch that is done and has published it.
///
/// # Panics
///
/// Where the memory has no room for the tile.
#[cfg(not(target_os = "cuda"))]
pub fn total<A: Pod>(scratch: &[u64], tile: u64) -> A {
    let words = words_of::<A>();
    // The tag lies above.
    let word = |w| match w < words {
        true => scratch[place(tile, w, words)] as u32,
        false => 0,
    };
    from_words(core::array::from_fn(word))
}

/// Of `tiles` tiles that tell each other their totals ([`status`](super::status)).
pub const fn of_tiles(tiles: u64, words: usize) -> u64 {
    HEAD + tiles.next_multiple_of(GROUP) * words as u64
}

/// Of a [chain](super::chain) of `len` neighbours.
pub const fn of_chain(len: u64, words: usize) -> u64 {
    2 * words as u64 * len
}

/// Of [`decoupled_lookback`](super::decoupled_lookback) over `tiles` tiles.
pub const fn of_lookback(tiles: u64, words: usize, is_fixed: bool) -> u64 {
    chain_begin(tiles, words, is_fixed) + of_chain(links(tiles, is_fixed), words)
}

/// Where the chain of prefixes begins.
pub const fn chain_begin(tiles: u64, words: usize, is_fixed: bool) -> u64 {
    if is_fixed {
        of_tiles(tiles, words)
    } else {
        HEAD
    }
}

/// How many prefixes are told: nobody waits for the last one.
pub const fn links(tiles: u64, is_fixed: bool) -> u64 {
    tiles.saturating_sub(1) / if is_fixed { GROUP } else { 1 }
}

/// Of [`reduce_then_scan`](super::reduce_then_scan) over `tiles` tiles.
pub const fn of_reduce_then_scan(tiles: u64, bytes: usize) -> u64 {
    (tiles * bytes as u64).div_ceil(8)
}

/// Of the two buffers of [`hillis_steele`](super::hillis_steele) for `n` elements.
pub const fn of_hillis_steele(n: u64, bytes: usize) -> u64 {
    2 * of_level(n, bytes)
}

/// Of the levels of [`blelloch`](super::blelloch) above `n` elements, which lie one after the
/// other.
pub const fn of_blelloch(n: u64, bytes: usize) -> u64 {
    let (mut words, mut level) = (0, above_blelloch(n));
    while level > 0 {
        words += of_level(level, bytes);
        level = above_blelloch(level);
    }
    words
}

/// Of a buffer or a level of `n` elements: the next begins at a multiple of 16 bytes.
pub const fn of_level(n: u64, bytes: usize) -> u64 {
    (n * bytes as u64).div_ceil(16) * 2
}

/// Elements of the level above one of `n`: the totals of its tiles but the last, for
/// which nobody asks.
pub const fn above_blelloch(n: u64) -> u64 {
    n.div_ceil(BLELLOCH_TILE).saturating_sub(1)
}
