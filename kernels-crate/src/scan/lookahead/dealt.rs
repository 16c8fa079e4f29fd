//! To which devices the tiles of an array are dealt, and to whom their aggregates are told.
//!
//! Of several devices, device d has the groups d, d + devices, ... of
//! [`GROUP`] tiles each, one behind the other in its memory. It tells every device the aggregates of
//! its tiles, in words of that device's own memory: so each looks only into its own, and what
//! travels between devices is a word or two a tile. What lies before a tile is combined as on one
//! device, from the tiles before it in the whole array.
//!
//! Devices wait for each other: all of them must run at once.

use bytemuck::Pod;
use cuda_std::{mem, warp};

use super::block::Block;
use crate::operator::Operator;
use crate::scan::TOTALS;
use crate::scan::lanes;
use crate::scan::scratch::{ALL_TILES, DEVICES, GROUP, MAX_DEVICES, OWN_DEVICE, SCRATCHES};
use crate::scan::status::{self, Look};

/// How tiles are dealt.
pub(super) trait Dealing: Sized {
    /// Whether several devices have tiles.
    const IS_OF_SYSTEM: bool;

    /// Whether the aggregate of the last tile is published, too, for which nobody on one device asks.
    const TELLS_ALL: bool;

    /// What the request and the scratch memory say of it.
    ///
    /// # Safety
    /// It is this launch's.
    unsafe fn read<O: Operator>(block: &Block<O>) -> Self;

    /// Whether the [totals](super::totals) of the groups are asked for.
    #[inline(always)]
    fn are_totalled(&self) -> bool {
        false
    }

    /// A look at the aggregates of the first `count` tiles of a group.
    ///
    /// # Safety
    /// As for [`Look::at`].
    #[inline(always)]
    unsafe fn look<A: Pod>(scratch: *mut u64, group: u64, count: u32) -> Look<A> {
        // SAFETY: the caller's.
        unsafe {
            match Self::IS_OF_SYSTEM {
                true => Look::at_of::<true>(scratch, group, count),
                false => Look::at_of::<false>(scratch, group, count),
            }
        }
    }

    /// Those aggregates combined, as soon as all are published.
    ///
    /// # Safety
    /// As for [`status::gather`].
    #[inline(always)]
    unsafe fn gather<O: Operator>(
        scratch: *mut u64,
        group: u64,
        count: u32,
        tag: u32,
    ) -> O::Accumulator {
        // SAFETY: the caller's.
        unsafe {
            match Self::IS_OF_SYSTEM {
                true => status::gather_of::<O, true>(scratch, group, count, tag),
                false => status::gather_of::<O, false>(scratch, group, count, tag),
            }
        }
    }

    /// The number that a tile of this device has in the whole array.
    #[inline(always)]
    fn tile(&self, tile: u64) -> u64 {
        tile
    }

    /// How many tiles of the whole array are published, where it is `own` of this device's.
    fn published(&self, own: u64) -> u64;

    /// Publishes the aggregate of a tile of this device, which lane `lane` has.
    ///
    /// # Safety
    /// All lanes of the lookahead warp call it; the scratch memories have room for the tile.
    unsafe fn publish<O: Operator>(
        &self,
        block: &Block<O>,
        tile: u64,
        of_lane: (O::Accumulator, u32),
        tag: u32,
    );
}

/// All tiles are this device's.
pub(super) struct OneDevice;

impl Dealing for OneDevice {
    const IS_OF_SYSTEM: bool = false;
    const TELLS_ALL: bool = false;

    #[inline(always)]
    unsafe fn read<O: Operator>(_block: &Block<O>) -> Self {
        Self
    }

    #[inline(always)]
    fn published(&self, own: u64) -> u64 {
        own
    }

    #[inline(always)]
    unsafe fn publish<O: Operator>(
        &self,
        block: &Block<O>,
        tile: u64,
        (aggregate, lane): (O::Accumulator, u32),
        tag: u32,
    ) {
        if tile < block.published() && warp::lane_id() == lane {
            // SAFETY: the caller's.
            unsafe { status::publish(block.request.scratch, tile, aggregate, tag) };
        }
    }
}

/// All tiles are this device's, of an array in segments; the totals of the groups may be asked for.
pub(super) struct Segments {
    are_totalled: bool,
    tiles: u64,
}

impl Dealing for Segments {
    const IS_OF_SYSTEM: bool = false;
    const TELLS_ALL: bool = true;

    #[inline(always)]
    unsafe fn read<O: Operator>(block: &Block<O>) -> Self {
        Self {
            are_totalled: block.request.flags & TOTALS != 0,
            tiles: block.tiles,
        }
    }

    #[inline(always)]
    fn are_totalled(&self) -> bool {
        self.are_totalled
    }

    #[inline(always)]
    fn published(&self, _own: u64) -> u64 {
        self.tiles
    }

    #[inline(always)]
    unsafe fn publish<O: Operator>(
        &self,
        block: &Block<O>,
        tile: u64,
        (aggregate, lane): (O::Accumulator, u32),
        tag: u32,
    ) {
        if warp::lane_id() == lane {
            // SAFETY: the caller's.
            unsafe { status::publish(block.request.scratch, tile, aggregate, tag) };
        }
    }
}

/// Groups of tiles go to several devices in turn; where their totals are asked for, to one, as if
/// there were no others.
pub(super) struct Devices {
    count: u64,
    own: u64,
    tiles: u64,
    are_totalled: bool,
    /// The scratch memory of the device that has the lane's number, if there is one.
    scratch: *mut u64,
}

impl Dealing for Devices {
    const IS_OF_SYSTEM: bool = true;
    const TELLS_ALL: bool = true;

    #[inline(always)]
    unsafe fn read<O: Operator>(block: &Block<O>) -> Self {
        let scratch = block.request.scratch;
        if block.request.flags & TOTALS != 0 {
            return Self {
                count: 1,
                own: 0,
                tiles: block.tiles,
                scratch,
                are_totalled: true,
            };
        }
        let word = |at: usize| {
            // SAFETY: the caller's; the host has written the words before.
            unsafe { mem::load_relaxed(scratch.wrapping_add(at)) }
        };
        let lane = warp::lane_id() as usize % MAX_DEVICES;
        Self {
            count: word(DEVICES),
            own: word(OWN_DEVICE),
            tiles: word(ALL_TILES),
            scratch: scratch.with_addr(word(SCRATCHES + lane) as usize),
            are_totalled: false,
        }
    }

    #[inline(always)]
    fn are_totalled(&self) -> bool {
        self.are_totalled
    }

    #[inline(always)]
    fn tile(&self, tile: u64) -> u64 {
        (tile / GROUP * self.count + self.own) * GROUP + tile % GROUP
    }

    /// The last one too, for which nobody asks.
    #[inline(always)]
    fn published(&self, _own: u64) -> u64 {
        self.tiles
    }

    #[inline(always)]
    unsafe fn publish<O: Operator>(
        &self,
        _block: &Block<O>,
        tile: u64,
        (aggregate, lane): (O::Accumulator, u32),
        tag: u32,
    ) {
        // SAFETY: the caller's.
        unsafe {
            let aggregate = lanes::from_lane(aggregate, lane);
            if u64::from(warp::lane_id()) < self.count {
                status::publish_to_device(self.scratch, self.tile(tile), aggregate, tag);
            }
        }
    }
}
