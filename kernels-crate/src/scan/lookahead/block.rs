//! A block, and which tiles of the array it has.

use cuda_std::thread;

use super::cursor::Cursor;
use super::role::Warp;
use crate::LANES;
use crate::operator::Operator;
use crate::scan::lanes;
use crate::scan::request::Request;
use crate::scan::shape::Lookahead;
use crate::scan::status;

/// What all warps of a block agree on.
pub(crate) struct Block<O: Operator> {
    pub(crate) request: Request<O>,
    pub(crate) shape: Lookahead,
    /// The blocks of the grid.
    pub(crate) blocks: u64,
    /// Tiles of the array.
    pub(crate) tiles: u64,
    /// Tiles of this block, a round each,
    pub(crate) own: u32,
    /// the first element of the first,
    pub(crate) first: u64,
    /// and elements from one to the next.
    pub(crate) stride: u64,
}

impl<O: Operator> Block<O> {
    /// This block, and this warp, once the launches before are done. What its workers load first is asked for
    /// before that.
    ///
    /// # Safety
    /// As for [`scan`].
    #[inline(always)]
    pub(crate) unsafe fn enter(request: Request<O>, shape: Lookahead) -> (Self, Warp) {
        let block = u64::from(thread::block_idx_x());
        let blocks = u64::from(thread::grid_dim_x());
        let warp = Warp::of(thread::thread_idx_x());
        let (tile, segment) = (shape.elements(), shape.items as u32 * LANES);
        // SAFETY: the caller's.
        let request = unsafe {
            if warp.is_worker(shape.workers) {
                for k in 0..shape.ahead as u64 {
                    let first = (block + k * blocks) * tile + u64::from(warp.0 * segment);
                    request.prefetch(first, segment);
                }
            }
            request.begin()
        };
        let tiles = request.n.div_ceil(tile);
        let own = if block < tiles {
            ((tiles - block - 1) / blocks + 1) as u32
        } else {
            0
        };
        let block = Self {
            request,
            shape,
            blocks,
            tiles,
            own,
            first: block * tile,
            stride: blocks * tile,
        };
        (block, warp)
    }

    /// The tag of this launch, in every lane.
    ///
    /// # Safety
    /// All lanes of one warp of the block call it, once.
    #[inline(always)]
    pub(crate) unsafe fn tag(&self, lane: u32) -> u32 {
        let mut tag = 0;
        // SAFETY: the caller's.
        unsafe {
            if lane == 0 {
                tag = status::begin(self.request.scratch);
            }
            lanes::from_lane(tag, 0)
        }
    }

    /// Tiles whose aggregates are published: nobody needs the last one's.
    #[inline(always)]
    pub(crate) fn published(&self) -> u64 {
        self.tiles.saturating_sub(1)
    }

    /// Elements of a whole segment.
    #[inline(always)]
    pub(crate) fn segment(&self) -> u32 {
        self.shape.items as u32 * LANES
    }

    /// How many of `most` elements from `first` on there are.
    #[inline(always)]
    pub(crate) fn count(&self, first: u64, most: u32) -> u32 {
        self.request.n.saturating_sub(first).min(u64::from(most)) as u32
    }

    /// Workers that have elements of a tile.
    #[inline(always)]
    pub(crate) fn workers_of(&self, tile: &Cursor) -> u32 {
        let count = self.count(tile.first, self.shape.elements() as u32);
        count.div_ceil(self.segment())
    }

    /// Goes on to the block's next tile.
    #[inline(always)]
    pub(crate) fn advance(&self, cursor: &mut Cursor) {
        cursor.advance(self.shape.slots(), self.stride);
    }
}
