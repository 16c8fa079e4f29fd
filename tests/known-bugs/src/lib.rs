//! Bugs of kernels that others reported, each rebuilt as a small kernel, with its right sibling.
//!
//! A file a bug. Its documentation has what the bug is, where it was reported and how it goes, and
//! is what `docs/known-bugs.md` is made of. The kernels are the file's name with `_broken` and
//! `_right`; the lines of the broken one that a finding has to name end in `// caught`. How they
//! are launched, what is found and what the right one computes is in `quadscan_tests::known_bugs`.
//! Their PTX is no part of the product.
//!
//! Its layers, each of which uses those above it in this list alone:
//!
//! - `lookback_relaxed_flag`, `lookback_one_lane_acquires`, `lookback_without_fence`,
//!   `lookback_polls_once`, `last_block_without_order`, `block_scope_between_blocks`,
//!   `fence_of_one_device`, `lock_without_order`, `lock_across_warp_barrier`, `grid_barrier_of_too_many`,
//!   `grid_barrier_used_twice`: threads that wait for others of another warp, block or device.
//! - `barrier_on_both_branches`, `barrier_in_branch`, `exit_before_barrier`, `tile_reused_in_loop`,
//!   `storage_used_twice`, `broadcast_without_barrier`, `copy_not_awaited`: barriers of the block.
//! - `warp_without_barrier`, `vote_as_barrier`, `shuffle_of_absent_lanes`, `mask_of_other_lanes`:
//!   lanes of a warp.
//! - `offset_of_32_bits`, `one_chunk_too_many`, `vector_store_shifted`, `vector_load_of_odd_rows`,
//!   `tile_not_filled`, `shared_offset_as_address`, `atomic_on_local`: memory.
#![cfg_attr(not(target_os = "cuda"), no_std)]

pub mod atomic_on_local;
pub mod barrier_in_branch;
pub mod barrier_on_both_branches;
pub mod block_scope_between_blocks;
pub mod broadcast_without_barrier;
#[cfg(any(not(target_os = "cuda"), target_feature = "sm_90"))]
pub mod copy_not_awaited;
pub mod exit_before_barrier;
pub mod fence_of_one_device;
pub mod grid_barrier_of_too_many;
pub mod grid_barrier_used_twice;
pub mod last_block_without_order;
pub mod lock_across_warp_barrier;
pub mod lock_without_order;
pub mod lookback_one_lane_acquires;
pub mod lookback_polls_once;
pub mod lookback_relaxed_flag;
pub mod lookback_without_fence;
pub mod mask_of_other_lanes;
pub mod offset_of_32_bits;
pub mod one_chunk_too_many;
pub mod shared_offset_as_address;
pub mod shuffle_of_absent_lanes;
pub mod storage_used_twice;
pub mod tile_not_filled;
pub mod tile_reused_in_loop;
pub mod vector_load_of_odd_rows;
pub mod vector_store_shifted;
pub mod vote_as_barrier;
pub mod warp_without_barrier;
