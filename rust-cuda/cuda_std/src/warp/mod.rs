//! The 32 lanes of a warp, which exchange values without memory.
//!
//! What lives here: where a lane is, shuffles, votes, matches, reductions, the warp barrier. What
//! does not: sums and scans over a warp, which are a few shuffles and belong to the algorithm.
//!
//! `mask` has a bit for every lane that takes part. All those lanes must come to the same call
//! with the same mask, the calling lane among them, and none of them may have exited; otherwise
//! the behaviour is undefined. That is the safety condition of every function here that takes one.

mod reduce;
mod shuffle;
mod vote;

pub use reduce::{WarpReduceValue, WarpReductionOp, warp_reduce};
pub use shuffle::{
    WarpShuffleMode, WarpShuffleValue, shuffle_down, shuffle_idx, shuffle_up, shuffle_xor,
    warp_shuffle_down, warp_shuffle_idx, warp_shuffle_up, warp_shuffle_xor,
};
pub use vote::{
    WarpMatchValue, warp_match_all, warp_match_any, warp_vote_all, warp_vote_any, warp_vote_ballot,
};

use crate::device::gpu;

/// Lanes in a warp: 32 on every architecture so far.
pub const WARP_SIZE: u32 = 32;

/// The mask of all lanes.
pub const FULL_MASK: u32 = u32::MAX;

macro_rules! register {
    ($($(#[$doc:meta])* $name:ident => $intrinsic:ident, $register:literal;)*) => {$(
        $(#[$doc])*
        ///
        #[doc = concat!("PTX: `", $register, "`.")]
        #[inline(always)]
        #[must_use]
        pub fn $name() -> u32 {
            gpu!($name, () => { crate::registers::$intrinsic() })
        }
    )*};
}

register! {
    /// The lane, 0 to 31.
    lane_id => laneid, "%laneid";
    /// The mask of the lanes below this one.
    lanemask_lt => lanemask_lt, "%lanemask_lt";
    /// The mask of this lane and those below it.
    lanemask_le => lanemask_le, "%lanemask_le";
    /// The mask of this lane alone.
    lanemask_eq => lanemask_eq, "%lanemask_eq";
    /// The mask of this lane and those above it.
    lanemask_ge => lanemask_ge, "%lanemask_ge";
    /// The mask of the lanes above this one.
    lanemask_gt => lanemask_gt, "%lanemask_gt";
}

/// The mask of the lanes that happen to be here together. No promise that others are not on their
/// way: to agree on who takes part, use [`warp_vote_ballot`] before the branch.
///
/// PTX: `activemask.b32`.
#[inline(always)]
#[must_use]
pub fn activemask() -> u32 {
    gpu!(activemask, () => {
        let mask: u32;
        core::arch::asm!("activemask.b32 {};", out(reg32) mask, options(nomem, nostack, preserves_flags));
        mask
    })
}

/// Waits for the lanes of `mask`. What any of them wrote before, all of them read after it.
///
/// PTX: `bar.warp.sync`.
///
/// # Safety
///
/// See [`mask`](self).
#[inline(always)]
pub unsafe fn sync_warp(mask: u32) {
    gpu!(sync_warp, (mask) => {
        core::arch::asm!("bar.warp.sync {};", in(reg32) mask, options(nostack, preserves_flags))
    });
}

/// True in one lane of `mask`, the same one each time (the lowest on every GPU so far), without
/// reading a register that tells lanes apart.
///
/// PTX: `elect.sync` from sm_90 on, a comparison of the lane with the mask's lowest before.
///
/// # Safety
///
/// See [`mask`](self).
#[inline(always)]
#[must_use]
pub unsafe fn elect(mask: u32) -> bool {
    gpu!(elect, (mask) => {
        #[cfg(target_feature = "sm_90")]
        {
            let elected: u32;
            core::arch::asm!(
                "{{ .reg .pred p; elect.sync _|p, {mask}; selp.u32 {elected}, 1, 0, p; }}",
                mask = in(reg32) mask,
                elected = out(reg32) elected,
                options(nomem, nostack, preserves_flags),
            );
            elected != 0
        }
        #[cfg(not(target_feature = "sm_90"))]
        {
            lane_id() == mask.trailing_zeros()
        }
    })
}
