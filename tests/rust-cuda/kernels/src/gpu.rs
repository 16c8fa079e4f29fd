//! What only a GPU has: threads and blocks, barriers, shared memory, warps, atomics, memory
//! spaces. Each kernel writes what it saw; what it has to be follows from the launch.

use core::sync::atomic::Ordering;

use cuda_std::atomic::{
    AtomicF32, AtomicF64, AtomicI32, AtomicU32, AtomicU64, BlockAtomicU32, SystemAtomicU64,
};
use cuda_std::prelude::{kernel, println, thread};
use cuda_std::warp::{self, WarpReductionOp};
use cuda_std::{address_space, shared, shared_array};

/// Words that [`thread_indices`] writes a thread.
pub const INDEX_WORDS: usize = 8;

/// The thread's own numbers, in a launch of any dimensions.
#[kernel]
#[launch_contract(
    output.len() as u64 >= grid.count().saturating_mul(block.count()).saturating_mul(INDEX_WORDS as u64)
)]
pub unsafe fn thread_indices(output: *mut u32) {
    let (t, b) = (thread::thread_idx(), thread::block_idx());
    let (two, three) = (thread::index_2d(), thread::index_3d());
    let seen = [
        t.x | t.y << 8 | t.z << 16,
        b.x | b.y << 8 | b.z << 16,
        thread::index_1d(),
        two.x | two.y << 16,
        three.y | three.z << 16,
        u32::from(thread::first()),
        thread::warp_size(),
        thread::index(),
    ];
    let place = thread::index() as usize * INDEX_WORDS;
    for (i, word) in seen.iter().enumerate() {
        // SAFETY: the contract: so many words a thread, each thread its own.
        unsafe { *output.add(place + i) = *word };
    }
}

/// The launch's dimensions, from one thread; and a word that is printed.
#[kernel]
#[launch_contract(output.len() >= 6)]
pub unsafe fn thread_functions(output: *mut u32) {
    let (block, grid) = (thread::block_dim(), thread::grid_dim());
    if thread::first() {
        let seen = [block.x, block.y, block.z, grid.x, grid.y, grid.z];
        for (i, word) in seen.iter().enumerate() {
            // SAFETY: the contract, and one thread alone.
            unsafe { *output.add(i) = *word };
        }
    }
}

/// `hello_world`: a line of text from one thread, and the proof that it went on after it.
#[kernel]
#[launch_contract(!output.is_empty())]
pub unsafe fn hello_world(output: *mut u32) {
    if thread::first() {
        println!(
            "hello from block {} of {}",
            thread::block_idx_x(),
            thread::grid_dim_x()
        );
        // SAFETY: the contract, and one thread alone.
        unsafe { *output = 1 };
    }
}

/// Barriers that count, and all fences between them.
#[kernel]
#[launch_contract(
    output.len() as u64 >= grid.count().saturating_mul(block.count()),
    grid.y == 1 && grid.z == 1 && block.y == 1 && block.z == 1
)]
pub unsafe fn thread_sync(output: *mut u32) {
    let t = thread::thread_idx_x();
    let count = thread::sync_threads_count(u32::from(t.is_multiple_of(3)));
    thread::block_fence();
    let all = thread::sync_threads_and(u32::from(t < 1024));
    thread::device_fence();
    let any = thread::sync_threads_or(u32::from(t == 5));
    thread::system_fence();
    thread::sync_threads();
    // SAFETY: the contract: a word a thread.
    unsafe { *output.add(thread::index_1d() as usize) = count | all << 16 | any << 24 };
}

/// Threads of a block of [`static_shared`] and [`dynamic_shared`].
pub const SHARED_THREADS: u32 = 128;

/// Each block turns its part of the array round, by way of shared memory of a fixed size.
#[kernel]
#[launch_contract(
    input.len() as u64 >= grid.count().saturating_mul(block.count()),
    output.len() as u64 >= grid.count().saturating_mul(block.count()),
    grid.y == 1 && grid.z == 1 && block.y == 1 && block.z == 1 && block.x == SHARED_THREADS
)]
pub unsafe fn static_shared(input: &[u32], output: *mut u32) {
    let tile = shared_array![u32; SHARED_THREADS as usize];
    let (t, i) = (thread::thread_idx_x() as usize, thread::index_1d() as usize);
    // SAFETY: the contract; a barrier stands between a word's write and its read.
    unsafe {
        *tile.add(t) = input[i];
        thread::sync_threads();
        *output.add(i) = *tile.add(SHARED_THREADS as usize - 1 - t);
    }
}

/// As [`static_shared`], with memory whose size the launch says, for two types.
#[kernel]
#[launch_contract(
    input.len() as u64 >= grid.count().saturating_mul(block.count()),
    output.len() as u64 >= grid.count().saturating_mul(block.count()),
    grid.y == 1 && grid.z == 1 && block.y == 1 && block.z == 1,
    u64::from(shared_bytes) >= 12 * block.count()
)]
pub unsafe fn dynamic_shared(input: &[u32], output: *mut u32) {
    let wide = shared::dynamic_shared_mem::<u64>();
    let n = thread::block_dim_x() as usize;
    let (t, i) = (thread::thread_idx_x() as usize, thread::index_1d() as usize);
    // SAFETY: the contract: 8 bytes a thread, and 4 behind them; a barrier stands between a
    // word's write and its read.
    unsafe {
        let narrow = wide.add(n).cast::<u32>();
        *wide.add(t) = u64::from(input[i]) << 32;
        *narrow.add(t) = !input[i];
        thread::sync_threads();
        let other = n - 1 - t;
        *output.add(i) = (*wide.add(other) >> 32) as u32 ^ *narrow.add(t);
    }
}

#[address_space(constant)]
static WEIGHTS: [u32; 4] = [2, 3, 5, 7];

#[address_space(global)]
static mut CALLS: u32 = 40;

/// Variables in constant and in global memory; the latter keep what was written.
#[kernel]
#[launch_contract(output.len() >= 2, grid.count() == 1 && block.count() == 1)]
pub unsafe fn memory_spaces(output: *mut u32, i: u32) {
    // SAFETY: one thread alone; the contract.
    unsafe {
        CALLS += 1;
        *output = CALLS;
        *output.add(1) = WEIGHTS[i as usize % 4];
    }
}

/// Words that [`atomic_operations`] adds up in.
pub const TOTALS: usize = 12;

/// Every thread does everything to the same words.
#[kernel]
#[launch_contract(
    totals.len() >= TOTALS && wide.len() >= 3 && floats.len() >= 2 && doubles.len() >= 2,
    grid.y == 1 && grid.z == 1 && block.y == 1 && block.z == 1
)]
pub unsafe fn atomic_operations(
    totals: *mut u32,
    wide: *mut u64,
    floats: *mut f32,
    doubles: *mut f64,
) {
    let i = thread::index_1d();
    // SAFETY: the contract; every access is atomic.
    unsafe {
        let word = |at: usize| AtomicU32::from_ptr(totals.add(at));
        word(0).fetch_add(i, Ordering::Relaxed);
        word(1).fetch_sub(1, Ordering::AcqRel);
        word(2).fetch_max(i, Ordering::Relaxed);
        word(3).fetch_min(i, Ordering::Relaxed);
        word(4).fetch_or(1 << (i % 32), Ordering::Release);
        word(5).fetch_and(!(1 << (i % 16)), Ordering::Acquire);
        word(6).fetch_xor(i, Ordering::SeqCst);
        word(7).swap(77, Ordering::Relaxed);
        // A counter by compare and exchange.
        let counter = word(8);
        let mut seen = counter.load(Ordering::Relaxed);
        while let Err(other) =
            counter.compare_exchange(seen, seen + 2, Ordering::AcqRel, Ordering::Relaxed)
        {
            seen = other;
        }
        AtomicI32::from_ptr(totals.add(9).cast()).fetch_min(-(i as i32), Ordering::Relaxed);
        word(10).store(5, Ordering::Release);

        AtomicU64::from_ptr(wide).fetch_add(u64::from(i) << 20, Ordering::Relaxed);
        AtomicU64::from_ptr(wide.add(1)).fetch_xor(1 << (i % 64), Ordering::Relaxed);
        SystemAtomicU64::from_ptr(wide.add(2)).fetch_max(u64::from(i) << 40, Ordering::SeqCst);
        AtomicF32::from_ptr(floats).fetch_add(0.5, Ordering::Relaxed);
        AtomicF32::from_ptr(floats.add(1)).fetch_max(i as f32, Ordering::Relaxed);
        AtomicF64::from_ptr(doubles).fetch_add(0.25, Ordering::AcqRel);
        AtomicF64::from_ptr(doubles.add(1)).fetch_min(-f64::from(i), Ordering::Relaxed);

        // Of the block's own, and one of them hands the block's total on.
        let tile = shared_array![u32; 1];
        if thread::thread_idx_x() == 0 {
            *tile = 0;
        }
        thread::sync_threads();
        BlockAtomicU32::from_ptr(tile).fetch_add(3, Ordering::Relaxed);
        thread::sync_threads();
        if thread::thread_idx_x() == 0 {
            word(11).fetch_add(
                BlockAtomicU32::from_ptr(tile).load(Ordering::Relaxed),
                Ordering::Relaxed,
            );
        }
    }
}

/// Words that the warps' kernels write a lane.
pub const LANE_WORDS: usize = 12;

/// Writes a lane's words.
///
/// # Safety
///
/// There is room for [`LANE_WORDS`] words a thread.
unsafe fn write_words(output: *mut u32, words: &[u32]) {
    let place = thread::index_1d() as usize * LANE_WORDS;
    for (i, word) in words.iter().enumerate() {
        // SAFETY: the caller's.
        unsafe { *output.add(place + i) = *word };
    }
}

/// Lanes, masks, votes and matches of whole warps.
#[kernel]
#[launch_contract(
    output.len() as u64 >= grid.count().saturating_mul(block.count()).saturating_mul(LANE_WORDS as u64),
    grid.y == 1 && grid.z == 1 && block.y == 1 && block.z == 1 && block.x.is_multiple_of(32)
)]
pub unsafe fn warp_functions(output: *mut u32) {
    let lane = warp::lane_id();
    // SAFETY: whole warps, and every lane comes to each of these; the contract's room.
    unsafe {
        warp::sync_warp(u32::MAX);
        let words = [
            lane,
            warp::lanemask_lt(),
            warp::lanemask_le(),
            warp::lanemask_eq(),
            warp::lanemask_ge(),
            warp::lanemask_gt(),
            u32::from(warp::warp_vote_all(u32::MAX, lane < 31)),
            u32::from(warp::warp_vote_any(u32::MAX, lane == 31)),
            warp::warp_vote_ballot(u32::MAX, lane.is_multiple_of(3)),
            warp::warp_match_any(u32::MAX, lane / 4),
            warp::warp_match_any(u32::MAX, u64::from(lane & 1) << 40),
            warp::warp_match_all(u32::MAX, lane / 32).unwrap_or(0),
        ];
        write_words(output, &words);
    }
}

/// Every shuffle, of values of 8 to 128 bits, over whole and over parts of warps.
#[kernel]
#[launch_contract(
    output.len() as u64 >= grid.count().saturating_mul(block.count()).saturating_mul(LANE_WORDS as u64),
    grid.y == 1 && grid.z == 1 && block.y == 1 && block.z == 1 && block.x.is_multiple_of(32)
)]
pub unsafe fn warp_shuffles(output: *mut u32) {
    let lane = warp::lane_id();
    // SAFETY: as in `warp_functions`.
    unsafe {
        let (a, _) = warp::warp_shuffle_xor(u32::MAX, lane as i8, 1, 32);
        let (b, b_is_inside) = warp::warp_shuffle_up(u32::MAX, lane as u16, 3, 16);
        let (c, c_is_inside) = warp::warp_shuffle_down(u32::MAX, lane as f32, 2, 32);
        let (d, _) = warp::warp_shuffle_idx(u32::MAX, f64::from(lane), 3, 8);
        let (e, _) = warp::warp_shuffle_xor(u32::MAX, i64::from(lane) << 33, 4, 32);
        let (f, _) = warp::warp_shuffle_down(u32::MAX, u128::from(lane) << 90, 8, 32);
        let (g, _) = warp::warp_shuffle_idx(u32::MAX, lane, 31, 32);
        let words = [
            a as u32,
            u32::from(b),
            u32::from(b_is_inside),
            c as u32,
            u32::from(c_is_inside),
            d as u32,
            (e >> 33) as u32,
            (f >> 90) as u32,
            g,
        ];
        write_words(output, &words);
    }
}

/// Every reduction of a warp, over all lanes and over every second one.
#[kernel]
#[launch_contract(
    output.len() as u64 >= grid.count().saturating_mul(block.count()).saturating_mul(LANE_WORDS as u64),
    grid.y == 1 && grid.z == 1 && block.y == 1 && block.z == 1 && block.x.is_multiple_of(32)
)]
pub unsafe fn warp_reductions(output: *mut u32) {
    let lane = warp::lane_id();
    const EVEN: u32 = 0x5555_5555;
    // SAFETY: as in `warp_functions`; the lanes of `EVEN` come to the last one together.
    unsafe {
        let half = if lane.is_multiple_of(2) {
            warp::warp_reduce(EVEN, lane, WarpReductionOp::Add)
        } else {
            0
        };
        let words = [
            warp::warp_reduce(u32::MAX, lane, WarpReductionOp::Add),
            warp::warp_reduce(u32::MAX, lane + 3, WarpReductionOp::Min),
            warp::warp_reduce(u32::MAX, lane * lane, WarpReductionOp::Max),
            warp::warp_reduce(u32::MAX, lane | 8, WarpReductionOp::And),
            warp::warp_reduce(u32::MAX, 1 << lane, WarpReductionOp::Or),
            warp::warp_reduce(u32::MAX, 3 << (lane % 30), WarpReductionOp::Xor),
            warp::warp_reduce(u32::MAX, lane as i32 - 16, WarpReductionOp::Min) as u32,
            warp::warp_reduce(u32::MAX, 16 - lane as i32, WarpReductionOp::Max) as u32,
            half,
        ];
        write_words(output, &words);
    }
}

/// The architectures that [`capability`] asks for, oldest first.
pub const ARCHITECTURES: [(u32, u32); 5] = [(7, 0), (7, 5), (8, 0), (9, 0), (10, 0)];

/// `dis/target_feature_base_cc`: bit i says that the code is compiled for the i-th
/// architecture or a newer one.
#[kernel]
#[launch_contract(!output.is_empty())]
pub unsafe fn capability(output: *mut u32) {
    let bits = u32::from(cfg!(target_feature = "sm_70"))
        | u32::from(cfg!(target_feature = "sm_75")) << 1
        | u32::from(cfg!(target_feature = "sm_80")) << 2
        | u32::from(cfg!(target_feature = "sm_90")) << 3
        | u32::from(cfg!(target_feature = "sm_100")) << 4;
    if thread::first() {
        // SAFETY: the contract, and one thread alone.
        unsafe { *output = bits };
    }
}
