//! What the warps of a block do.

use crate::LANES;

/// A warp of a block, by its number: the first ones are workers, which reduce and scan a segment
/// of each of the block's tiles; the one behind them is the lookahead warp, which exchanges
/// aggregates with the other blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Warp(pub(crate) u32);

impl Warp {
    /// That of a thread.
    #[inline(always)]
    pub(crate) fn of(thread: u32) -> Self {
        Self(thread / LANES)
    }

    /// Whether it is one of so many workers.
    #[inline(always)]
    pub(crate) fn is_worker(self, workers: usize) -> bool {
        self.0 < workers as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_warp_looks_ahead_and_all_others_work() {
        let roles = [0, 31, 32, 255, 256, 287].map(|thread| Warp::of(thread).is_worker(8));
        assert_eq!(roles, [true, true, true, true, false, false]);
        assert_eq!(Warp::of(255), Warp(7));
    }
}
