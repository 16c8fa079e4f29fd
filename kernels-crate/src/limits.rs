//! Kernels that do one thing, so that a device's limit for it can be measured:
//! arithmetic in independent chains (its rate) and in a single one (its latency), a
//! copy, a chase through shared memory, and nothing at all.
//!
//! A chain is a number that each operation makes anew from itself: neither LLVM nor
//! ptxas can leave a step out, and its end can be computed on the host. What is
//! measured with these, and in which shapes, is the host's.

use cuda_std::float::approx::sqrt_approx_ftz_f32;
use cuda_std::mem::{LoadHint, StoreHint, load_global, store_global};
use cuda_std::prelude::*;
use cuda_std::shared_array;

/// Independent chains of a thread, in the kernels for rates.
pub const CHAINS: usize = 8;

/// Steps of every chain in a turn: many, so that the loop around them costs little.
pub const STEPS: usize = 16;

/// Vectors of 16 bytes that a thread of [`limit_copy`] moves.
pub const VECTORS: usize = 4;

/// Threads of [`limit_shared_latency`], and elements of its ring.
pub const RING: usize = 32;

/// The ends of `N` chains after `turns` turns, added up in order.
#[inline(always)]
fn chained<const N: usize, T: Copy + core::ops::Add<Output = T>>(
    turns: u32,
    start: impl Fn(u8) -> T,
    step: impl Fn(T) -> T,
) -> T {
    let mut chains = [start(0); N];
    for (k, chain) in chains.iter_mut().enumerate() {
        *chain = start(k as u8);
    }
    for _ in 0..turns {
        for _ in 0..STEPS {
            for chain in &mut chains {
                *chain = step(*chain);
            }
        }
    }
    let mut sum = chains[0];
    for chain in &chains[1..] {
        sum = sum + *chain;
    }
    sum
}

/// A step of the chains of square roots: the root, and its highest fraction bit
/// changed, so that a chain does not end at 1. It tends to sqrt(x) + 1/2 = x.
#[inline(always)]
fn root_f64(x: f64) -> f64 {
    f64::from_bits(x.sqrt().to_bits() ^ 1 << 51)
}

/// The same in f32.
#[inline(always)]
fn root_f32(x: f32) -> f32 {
    f32::from_bits(x.sqrt().to_bits() ^ 1 << 22)
}

/// The same by the instruction that other roots begin with.
#[inline(always)]
fn root_approx_f32(x: f32) -> f32 {
    f32::from_bits(sqrt_approx_ftz_f32(x).to_bits() ^ 1 << 22)
}

macro_rules! chains {
    ($($(#[$doc:meta])* $name:ident: $float:ty, $chains:expr, |$x:ident, $a:ident| $step:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// # Parameters
        /// - `results`: one a thread, the ends of its chains added up in order.
        /// - `turns`: of [`STEPS`] steps each.
        /// - `a`: chain k starts at a + k.
        ///
        /// # Safety
        /// `results` holds `grid * block` elements.
        #[kernel]
        #[launch_contract(
            results.len() as u64 >= grid.count().saturating_mul(block.count()),
            grid.y == 1 && grid.z == 1 && block.y == 1 && block.z == 1
        )]
        pub unsafe fn $name(results: *mut $float, turns: u32, $a: $float) {
            let sum = chained::<{ $chains }, $float>(turns, |k| $a + <$float>::from(k), |$x| $step);
            // SAFETY: `results` has an element for every thread.
            unsafe { *results.add(thread::index_1d() as usize) = sum };
        }
    )*};
}

chains! {
    /// Fused multiplications and additions in f64: x = x a + a. Two registers are
    /// read and not three, since their ports would be the limit.
    limit_fma_f64: f64, CHAINS, |x, a| x.mul_add(a, a);
    /// The same in one chain.
    limit_fma_latency_f64: f64, 1, |x, a| x.mul_add(a, a);
    /// Fused multiplications and additions in f32.
    limit_fma_f32: f32, CHAINS, |x, a| x.mul_add(a, a);
    /// The same in one chain.
    limit_fma_latency_f32: f32, 1, |x, a| x.mul_add(a, a);
    /// Correctly rounded square roots in f64.
    limit_sqrt_f64: f64, CHAINS, |x, a| root_f64(x);
    /// The same in one chain.
    limit_sqrt_latency_f64: f64, 1, |x, a| root_f64(x);
    /// Correctly rounded square roots in f32.
    limit_sqrt_f32: f32, CHAINS, |x, a| root_f32(x);
    /// The same in one chain.
    limit_sqrt_latency_f32: f32, 1, |x, a| root_f32(x);
    /// Approximate square roots in f32, one instruction of the unit for special
    /// functions each.
    limit_sqrt_approx_f32: f32, CHAINS, |x, a| root_approx_f32(x);
}

/// Copies `input` to `output`.
///
/// # Thread mapping
/// A block copies [`VECTORS`] runs of as many vectors as it has threads; a thread's
/// loads come before its stores.
///
/// # Safety
/// `output` is as long as `input`, which has [`VECTORS`] vectors a thread.
#[kernel]
#[launch_contract(
    input.len() as u64
        == grid.count().saturating_mul(block.count()).saturating_mul(VECTORS as u64),
    output.len() >= input.len(),
    grid.y == 1 && grid.z == 1 && block.y == 1 && block.z == 1
)]
pub unsafe fn limit_copy(input: &[[u32; 4]], output: *mut [u32; 4]) {
    let threads = thread::block_dim_x() as usize;
    let first = thread::block_idx_x() as usize * threads * VECTORS;
    let first = first + thread::thread_idx_x() as usize;
    // SAFETY: the last thread's last vector is the last of both; buffers are aligned
    // to more than a vector.
    unsafe {
        let from = |k: usize| load_global(input.as_ptr().add(first + k * threads), LoadHint::All);
        let vectors: [[u32; 4]; VECTORS] = [from(0), from(1), from(2), from(3)];
        for (k, vector) in vectors.into_iter().enumerate() {
            store_global(output.add(first + k * threads), vector, StoreHint::All);
        }
    }
}

/// Follows a ring of indices through shared memory for `turns` turns of [`STEPS`]
/// loads, each of which has to wait for the one before. `result` is where it ends.
///
/// # Safety
/// `result` holds an element; the block has [`RING`] threads.
#[kernel]
#[launch_contract(
    !result.is_empty(),
    grid.count() == 1 && block.count() == RING as u64 && u64::from(block.x) == RING as u64
)]
pub unsafe fn limit_shared_latency(turns: u32, result: *mut u32) {
    let ring = shared_array![u32; RING];
    let thread = thread::thread_idx_x();
    // SAFETY: every index is below RING; each thread writes one of its own, and a
    // barrier lies before the reads.
    unsafe {
        *ring.add(thread as usize) = (thread + 1) % RING as u32;
        thread::sync_threads();
        let mut at = 0;
        for _ in 0..turns {
            for _ in 0..STEPS {
                at = *ring.add(at as usize);
            }
        }
        if thread == 0 {
            *result = at;
        }
    }
}

/// Does nothing, unless it is asked to store `value`.
///
/// # Safety
/// `output` holds an element.
#[kernel]
#[launch_contract(!output.is_empty())]
pub unsafe fn limit_empty(value: u32, output: *mut u32) {
    if value != 0 {
        // SAFETY: `output` has an element, and all threads store the same.
        unsafe { *output = value };
    }
}
