//! Where a thread is (block, grid), and how the threads of a block wait for each other.
//!
//! What lives here: indices and dimensions, block barriers, fences, `nanosleep`. What does not:
//! the lanes of a warp ([`crate::warp`]) and memory shared by a block ([`crate::shared`]).

use crate::device::gpu;
use glam::{UVec2, UVec3};

macro_rules! index {
    ($($(#[$doc:meta])* $name:ident => $intrinsic:ident, $register:literal;)*) => {$(
        $(#[$doc])*
        ///
        #[doc = concat!("PTX: `", $register, "`.")]
        #[inline(always)]
        #[must_use]
        pub fn $name() -> u32 {
            gpu!($name, () => { core::arch::nvptx::$intrinsic() })
        }
    )*};
}

index! {
    /// The thread's index in its block, along x.
    thread_idx_x => _thread_idx_x, "%tid.x";
    /// The thread's index in its block, along y.
    thread_idx_y => _thread_idx_y, "%tid.y";
    /// The thread's index in its block, along z.
    thread_idx_z => _thread_idx_z, "%tid.z";
    /// The block's index in the grid, along x.
    block_idx_x => _block_idx_x, "%ctaid.x";
    /// The block's index in the grid, along y.
    block_idx_y => _block_idx_y, "%ctaid.y";
    /// The block's index in the grid, along z.
    block_idx_z => _block_idx_z, "%ctaid.z";
    /// Threads in a block, along x.
    block_dim_x => _block_dim_x, "%ntid.x";
    /// Threads in a block, along y.
    block_dim_y => _block_dim_y, "%ntid.y";
    /// Threads in a block, along z.
    block_dim_z => _block_dim_z, "%ntid.z";
    /// Blocks in the grid, along x.
    grid_dim_x => _grid_dim_x, "%nctaid.x";
    /// Blocks in the grid, along y.
    grid_dim_y => _grid_dim_y, "%nctaid.y";
    /// Blocks in the grid, along z.
    grid_dim_z => _grid_dim_z, "%nctaid.z";
}

/// The thread's index in its block.
#[inline(always)]
#[must_use]
pub fn thread_idx() -> UVec3 {
    UVec3::new(thread_idx_x(), thread_idx_y(), thread_idx_z())
}

/// The block's index in the grid.
#[inline(always)]
#[must_use]
pub fn block_idx() -> UVec3 {
    UVec3::new(block_idx_x(), block_idx_y(), block_idx_z())
}

/// Threads in a block.
#[inline(always)]
#[must_use]
pub fn block_dim() -> UVec3 {
    UVec3::new(block_dim_x(), block_dim_y(), block_dim_z())
}

/// Blocks in the grid.
#[inline(always)]
#[must_use]
pub fn grid_dim() -> UVec3 {
    UVec3::new(grid_dim_x(), grid_dim_y(), grid_dim_z())
}

/// The thread's number in the whole launch, 0 to threads - 1, whatever the launch's dimensions:
/// threads of a block are numbered x first, then y, then z, and blocks likewise.
///
/// Wraps past 2^32 threads.
#[inline(always)]
#[must_use]
pub fn index() -> u32 {
    let (grid, block) = (grid_dim(), block_dim());
    let (b, t) = (block_idx(), thread_idx());
    let block_number = (b.z.wrapping_mul(grid.y).wrapping_add(b.y))
        .wrapping_mul(grid.x)
        .wrapping_add(b.x);
    let thread_number = (t.z * block.y + t.y) * block.x + t.x;
    block_number
        .wrapping_mul(block.x * block.y * block.z)
        .wrapping_add(thread_number)
}

/// `thread_idx_x() + block_idx_x() * block_dim_x()`, the number of the thread in a launch of one
/// dimension.
///
/// Wraps past 2^32 threads.
#[inline(always)]
#[must_use]
pub fn index_1d() -> u32 {
    block_idx_x()
        .wrapping_mul(block_dim_x())
        .wrapping_add(thread_idx_x())
}

/// The thread's place in a launch of two dimensions: [`index_1d`] along x and y.
#[inline(always)]
#[must_use]
pub fn index_2d() -> UVec2 {
    UVec2::new(
        index_1d(),
        block_idx_y()
            .wrapping_mul(block_dim_y())
            .wrapping_add(thread_idx_y()),
    )
}

/// The thread's place in a launch of three dimensions: [`index_1d`] along x, y and z.
#[inline(always)]
#[must_use]
pub fn index_3d() -> UVec3 {
    let z = block_idx_z()
        .wrapping_mul(block_dim_z())
        .wrapping_add(thread_idx_z());
    index_2d().extend(z)
}

/// Whether this is thread (0, 0, 0) of block (0, 0, 0): true in one thread of a launch.
#[inline(always)]
#[must_use]
pub fn first() -> bool {
    block_idx() == UVec3::ZERO && thread_idx() == UVec3::ZERO
}

/// Threads in a warp: 32 on every architecture so far.
///
/// PTX: `WARP_SZ`, which is a constant.
#[inline(always)]
#[must_use]
pub const fn warp_size() -> u32 {
    crate::warp::WARP_SIZE
}

/// Waits until every thread of the block is here. What any of them wrote to shared or global
/// memory before, all of them read after it.
///
/// All threads of the block, or none, must come here: a barrier that some threads go around
/// hangs the block.
///
/// PTX: `bar.sync 0`.
#[inline(always)]
pub fn sync_threads() {
    gpu!(sync_threads, () => { core::arch::nvptx::_syncthreads() });
}

/// [`sync_threads`] for a block whose warps have different work: each may come here from its own
/// place of the program, as long as every thread of the block comes here as often.
///
/// The hardware lets them at [`sync_threads`] as well; `compute-sanitizer`'s synccheck calls the
/// threads divergent there, and not here (CUDA 13.0, tried in November 2026).
///
/// PTX: `barrier.sync 0`, of which `bar.sync` is the `.aligned` form.
#[inline(always)]
pub fn sync_threads_anywhere() {
    gpu!(sync_threads_anywhere, () => {
        core::arch::asm!("barrier.sync 0;", options(nostack, preserves_flags))
    });
}

/// [`sync_threads`], and how many threads of the block have a `predicate` that is not 0.
///
/// PTX: `bar.red.popc.u32`.
#[inline(always)]
pub fn sync_threads_count(predicate: u32) -> u32 {
    gpu!(sync_threads_count, (predicate) => {
        let count: u32;
        core::arch::asm!(
            "{{ .reg .pred p; setp.ne.u32 p, {predicate}, 0; bar.red.popc.u32 {count}, 0, p; }}",
            predicate = in(reg32) predicate,
            count = out(reg32) count,
            options(nostack, preserves_flags),
        );
        count
    })
}

macro_rules! barrier_vote {
    ($(#[$doc:meta])* $name:ident, $operation:literal) => {
        $(#[$doc])*
        ///
        #[doc = concat!("PTX: `bar.red.", $operation, ".pred`.")]
        #[inline(always)]
        pub fn $name(predicate: u32) -> u32 {
            gpu!($name, (predicate) => {
                let vote: u32;
                core::arch::asm!(
                    "{{ .reg .pred p, q; setp.ne.u32 p, {predicate}, 0;",
                    concat!("bar.red.", $operation, ".pred q, 0, p;"),
                    "selp.u32 {vote}, 1, 0, q; }}",
                    predicate = in(reg32) predicate,
                    vote = out(reg32) vote,
                    options(nostack, preserves_flags),
                );
                vote
            })
        }
    };
}

barrier_vote! {
    /// [`sync_threads`], and 1 if every thread of the block has a `predicate` that is not 0, else 0.
    sync_threads_and, "and"
}

barrier_vote! {
    /// [`sync_threads`], and 1 if some thread of the block has a `predicate` that is not 0, else 0.
    sync_threads_or, "or"
}

macro_rules! fence {
    ($(#[$doc:meta])* $name:ident, $instruction:literal) => {
        $(#[$doc])*
        ///
        #[doc = concat!("PTX: `", $instruction, "`.")]
        #[inline(always)]
        pub fn $name() {
            gpu!($name, () => {
                core::arch::asm!(concat!($instruction, ";"), options(nostack, preserves_flags))
            });
        }
    };
}

fence! {
    /// Orders this thread's reads and writes before it with those after it, as the other threads
    /// of its block see them. Nobody waits: this is a fence, not a barrier.
    block_fence, "fence.acq_rel.cta"
}

fence! {
    /// [`block_fence`] for all threads of the launch (which are on one device).
    grid_fence, "fence.acq_rel.gpu"
}

fence! {
    /// [`block_fence`] for all threads on this device.
    device_fence, "fence.acq_rel.gpu"
}

fence! {
    /// [`block_fence`] for all threads of all devices, and of the host.
    system_fence, "fence.acq_rel.sys"
}

/// Sleeps for about `nanos` nanoseconds, between 0 and twice that; at most a millisecond.
///
/// PTX: `nanosleep.u32`, sm_70.
#[inline(always)]
pub fn nanosleep(nanos: u32) {
    gpu!(nanosleep, (nanos) => {
        core::arch::asm!("nanosleep.u32 {};", in(reg32) nanos, options(nostack, preserves_flags))
    });
}
