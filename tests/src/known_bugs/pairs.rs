//! The kernels of `tests/known-bugs`, how they are launched, and what is expected of each.

use quadscan::device::emulator::ptx_emulator::FindingKind::{
    self, Barrier, Bounds, Collective, Fault, Livelock, Race, UninitialisedRead,
};

/// A kernel with a bug, and the same without it.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The file of both; their entries are this with `_broken` and `_right`.
    pub name: &'static str,
    /// What a finding on the broken one is, at the lines that its source marks.
    pub kind: FindingKind,
    /// Devices that it runs on at the same time, each with the same arrays.
    pub devices: usize,
    /// Blocks of a device, and threads of each.
    pub shape: (u32, u32),
    /// The arrays that both take, in order.
    pub arguments: &'static [Words],
    /// What the right one leaves in the last array.
    pub result: fn() -> Vec<u32>,
}

/// An array of words of 32 bits, as a launch finds it.
#[derive(Clone, Copy, Debug)]
pub enum Words {
    /// So many zeros.
    Zeros(usize),
    /// 0, 1, 2, and so on, so many.
    Ramp(usize),
}

impl Words {
    /// The words.
    pub fn to_vec(self) -> Vec<u32> {
        match self {
            Words::Zeros(count) => vec![0; count],
            Words::Ramp(count) => (0..count as u32).collect(),
        }
    }
}

use Words::{Ramp, Zeros};

const fn pair(
    name: &'static str,
    kind: FindingKind,
    shape: (u32, u32),
    arguments: &'static [Words],
    result: fn() -> Vec<u32>,
) -> Pair {
    Pair {
        name,
        kind,
        devices: 1,
        shape,
        arguments,
        result,
    }
}

impl Pair {
    const fn on(self, devices: usize) -> Pair {
        Pair { devices, ..self }
    }
}

/// Numbers of `count` places.
fn each(count: u32, of: fn(u32) -> u32) -> Vec<u32> {
    (0..count).map(of).collect()
}

/// The sum of a ramp of `count` words.
fn sum(count: u32) -> u32 {
    (0..count).sum()
}

/// The sums of the first words of a ramp.
fn running_sums() -> Vec<u32> {
    each(16, |i| sum(i + 1))
}

/// One element of input, total, flag and output a block.
const LOOKBACK: &[Words] = &[Ramp(16), Zeros(16), Zeros(16), Zeros(16)];

/// All pairs.
#[rustfmt::skip]
pub const PAIRS: &[Pair] = &[
    pair("lookback_relaxed_flag", Race, (16, 1), LOOKBACK, running_sums),
    pair("lookback_one_lane_acquires", Race, (4, 32), &[Ramp(128), Zeros(128), Zeros(4), Zeros(128)],
        || each(128, |i| (0..=i / 32).map(|block| 32 * block + i % 32).sum())),
    pair("lookback_without_fence", Race, (16, 1), LOOKBACK, running_sums),
    pair("lookback_polls_once", Livelock, (16, 1), LOOKBACK, running_sums),
    pair("last_block_without_order", Race, (16, 1), &[Ramp(16), Zeros(16), Zeros(1), Zeros(1)], || vec![3 * sum(16)]),
    pair("block_scope_between_blocks", Race, (2, 1), &[Zeros(1), Zeros(1), Zeros(1)], || vec![42]),
    pair("fence_of_one_device", Race, (1, 1), &[Zeros(1), Zeros(1), Zeros(1), Zeros(1)], || vec![42]).on(2),
    pair("lock_without_order", Race, (16, 1), &[Zeros(1), Zeros(1)], || vec![16]),
    pair("lock_across_warp_barrier", Livelock, (1, 32), &[Zeros(1), Zeros(1)], || vec![32]),
    pair("grid_barrier_of_too_many", Livelock, (300, 1024), &[Zeros(1), Zeros(1)], || vec![300]),
    pair("grid_barrier_used_twice", Livelock, (16, 1), &[Ramp(16), Zeros(16), Zeros(1), Zeros(16)],
        || each(16, |i| (i + 1) % 16)),
    pair("barrier_on_both_branches", Barrier, (1, 32), &[Zeros(32)], || vec![7; 32]),
    pair("barrier_in_branch", Barrier, (1, 32), &[Zeros(32)], || each(32, |i| i & !1)),
    pair("exit_before_barrier", Barrier, (1, 32), &[Ramp(32), Zeros(32)],
        || each(32, |i| 1000u32.checked_div(31 - i).unwrap_or(0))),
    pair("tile_reused_in_loop", Race, (1, 64), &[Ramp(256), Zeros(4)], || each(4, |row| 64 * 64 * row + sum(64))),
    pair("storage_used_twice", Race, (1, 64), &[Ramp(64), Zeros(1)], || vec![sum(64)]),
    pair("broadcast_without_barrier", Race, (1, 64), &[Ramp(1), Zeros(64)], || each(64, |i| i)),
    pair("copy_not_awaited", UninitialisedRead, (1, 64), &[Ramp(64), Zeros(64)], || each(64, |i| 63 - i)),
    pair("warp_without_barrier", Race, (1, 32), &[Ramp(64), Zeros(1)], || vec![sum(64)]),
    pair("vote_as_barrier", Race, (1, 32), &[Ramp(32), Zeros(32)], || each(32, |i| 31 - i)),
    pair("shuffle_of_absent_lanes", Collective, (1, 32), &[Ramp(20), Zeros(1)], || vec![sum(20)]),
    pair("mask_of_other_lanes", Collective, (1, 32), &[Ramp(32), Zeros(32)], || each(32, |i| 64 * (i / 8) + sum(8))),
    pair("offset_of_32_bits", Bounds, (1, 4), &[Ramp(4 * 8960), Zeros(4)], || each(4, |row| 8960 * (row + 1) - 1)),
    pair("one_chunk_too_many", Bounds, (5, 1), &[Ramp(256), Zeros(5)], || vec![0, 64, 128, 192, 0]),
    pair("vector_store_shifted", Bounds, (1, 1), &[Ramp(2), Zeros(6)], || vec![0, 0, 0, 0, 1, 0]),
    pair("vector_load_of_odd_rows", Bounds, (1, 4), &[Ramp(20), Zeros(4)], || each(4, |row| 25 * row + sum(5))),
    pair("tile_not_filled", UninitialisedRead, (1, 64), &[Ramp(50), Zeros(1)], || vec![sum(50)]),
    pair("shared_offset_as_address", Bounds, (1, 32), &[Ramp(32), Zeros(32)], || each(32, |i| i + 1)),
    pair("atomic_on_local", Fault, (1, 32), &[Zeros(32)], || each(32, |i| i + 1)),
];
