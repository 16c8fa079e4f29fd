//! Who has which tiles: parts of neighbouring tiles, as many parts as there are warps.

use core::ops::Range;

/// Tiles dealt to blocks of warps, in order.
pub struct Share {
    /// Blocks that have tiles: the first ones.
    blocks: u32,
    warps: u32,
    tiles: u32,
    /// Tiles of a part; of the first `more` parts one more.
    each: u32,
    more: u32,
}

impl Share {
    /// Deals `tiles` tiles to blocks of `warps` warps, to no more than `blocks`, and to
    /// no more than have one for every warp: what the parts are depends on the number of
    /// tiles, and on that of blocks where it is the smaller one.
    #[inline(always)]
    pub fn new(tiles: u32, warps: u32, blocks: u32) -> Self {
        let blocks = blocks.min(tiles.div_ceil(warps));
        let parts = blocks.max(1) * warps;
        Self {
            blocks,
            warps,
            tiles,
            each: tiles / parts,
            more: tiles % parts,
        }
    }

    /// Blocks that have tiles: the first ones.
    #[inline(always)]
    pub fn blocks(&self) -> u32 {
        self.blocks
    }

    /// Warps of a block that have tiles: the first ones.
    #[inline(always)]
    pub fn warps_of(&self, block: u32) -> u32 {
        if block >= self.blocks {
            0
        } else if self.each > 0 {
            self.warps
        } else {
            (self.tiles - block * self.warps).min(self.warps)
        }
    }

    /// The tiles of a warp.
    #[inline(always)]
    pub fn tiles_of(&self, block: u32, warp: u32) -> Range<u32> {
        if block >= self.blocks {
            return 0..0;
        }
        let part = block * self.warps + warp;
        let start = part * self.each + part.min(self.more);
        start..start + self.each + u32::from(part < self.more)
    }
}
