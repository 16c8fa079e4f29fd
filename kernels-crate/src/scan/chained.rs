//! A scan inside a kernel of one's own: each block gives one value, and gets what the blocks before it
//! have given, combined. So a kernel that needs a running value, or the place of its results among
//! those of all blocks, is one launch and reads its input once.
//!
//! Blocks take their tiles in the order in which they begin, so that none waits for one that has not
//! begun: any grid will do, of any size. Between launches nothing is cleared.
//!
//! `docs/chained-scans.md` has a kernel that selects elements so.
//!
//! Association: as in [`lookback::InGroups`](super::lookback::InGroups): it depends on the number of
//! blocks alone, and so do the bits of floats.

use cuda_std::{grid, shared_array, thread, warp};

use super::lanes::{LANES, unspecified};
use super::launch_tag::take_ticket;
use super::lookback::{InGroups, Links, exchange};
use super::partial::Partial;
use super::scratch;
use crate::operator::Operator;

/// Words of 64 bits of scratch memory for launches of up to `blocks` blocks, where a value has so many
/// bytes, at most 16. All are 0 before the first launch; behind it they stay as they are.
pub const fn scratch_words(blocks: u64, bytes: usize) -> u64 {
    scratch::of_lookback(blocks, bytes.div_ceil(4), true)
}

/// A block of a chained scan: its tile, and what the tiles before it have given.
pub struct Chained<O: Operator> {
    links: Links<O>,
    tile: u64,
    tiles: u64,
}

impl<O: Operator> Chained<O> {
    /// Takes the block's tile, once the launches before this one are done.
    ///
    /// # Safety
    /// All threads of all blocks of the launch call it once. Grid and blocks have one dimension,
    /// blocks whole warps. `scratch` has `words` words, at least the
    /// [`scratch_words`] of the grid's blocks and the bytes of
    /// `O::Accumulator`, which are 0 before the first launch that uses them, and it is this launch's
    /// alone.
    #[inline(always)]
    pub unsafe fn begin(scratch: *mut u64, words: u64) -> Self {
        let ticket = shared_array![u64; 1];
        let tiles = u64::from(thread::grid_dim_x());
        grid::wait_for_earlier();
        // SAFETY: the caller's; the ticket is written on one side of a barrier and read on the other.
        unsafe {
            if thread::thread_idx_x() == 0 {
                *ticket = take_ticket(scratch, thread::grid_dim_x());
            }
            thread::sync_threads();
            let (tile, tag) = (u64::from(*ticket as u32), (*ticket >> 32) as u32);
            let links = Links::new::<InGroups>((scratch, words), Partial::none(), tiles, tag);
            if thread::thread_idx_x() < LANES {
                links.clear_stale::<InGroups>();
            }
            Self { links, tile, tiles }
        }
    }

    /// The number of the block's tile, below that of blocks: each is one block's. It is not the
    /// block's own number.
    #[inline(always)]
    pub fn tile(&self) -> u64 {
        self.tile
    }

    /// Gives the tiles behind this one `aggregate`, that of the block's first thread, and returns
    /// in every thread what the tiles before this one have given, combined in their order. `None`
    /// in the first tile.
    ///
    /// # Safety
    /// All threads of the block call it.
    #[inline(always)]
    pub unsafe fn exclusive_prefix(self, aggregate: O::Accumulator) -> Option<O::Accumulator> {
        let shared = shared_array![u128; 2].cast::<O::Accumulator>();
        let is_awaited = self.tile + 1 < self.tiles;
        // SAFETY: the caller's; the prefix is written on one side of a barrier and read on the
        // other.
        unsafe {
            if thread::thread_idx_x() < LANES {
                let prefix = exchange::<O, InGroups>(&self.links, self.tile, is_awaited, aggregate);
                if warp::lane_id() == 0 {
                    *shared = prefix.unwrap_or(unspecified());
                }
            }
            thread::sync_threads();
            (self.tile > 0).then_some(*shared)
        }
    }
}
