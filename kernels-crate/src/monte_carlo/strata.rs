//! What is done between samples: sums of strata, of their units, and beside it the grid's new edges.

use cuda_std::atomic::{AtomicU32, Ordering};
use cuda_std::{GpuFloat, shared_array, thread, warp};

use super::deal::Shares;
use super::grid::refine;
use super::lanes::{of_all_lanes, scan_in_order};
use super::sizes::{ADDERS, BINS, EDGES, GROUP, Sums, THREADS, TOTALS};
use crate::LANES;

/// Strata of a warp.
const EACH: u32 = THREADS / (ADDERS / LANES);

/// What the sums of strata are asked.
#[derive(Clone, Copy)]
pub struct Adding {
    /// Sums of all units,
    pub units: *const Sums,
    /// and of groups of them.
    pub groups: *const Sums,
    /// How many units strata have.
    pub shares: Shares,
    /// A share is the standard deviation of a sample to this power.
    pub beta: f64,
    /// The shares of the strata before each one in its block.
    pub prefixes: *mut f64,
    /// Totals of blocks of [`THREADS`] strata; the shares are those of the blocks before.
    pub blocks: *mut [f64; TOTALS],
    /// Totals of all strata.
    pub totals: *mut [f64; TOTALS],
    /// Blocks that have their totals: 0.
    pub arrived: *mut u32,
}

/// What moves the grid.
#[derive(Clone, Copy)]
pub struct Moving {
    /// Edges of each axis, from its lower limit to its upper one.
    pub edges: *mut f64,
    /// What the squares are in each bin; 0 behind it.
    pub histogram: *mut u64,
    /// How fast.
    pub alpha: f64,
}

/// Adds up strata, a block each of [`THREADS`], and their totals, in their order: first those of a block, then,
/// in the block that is done last, those of all. Blocks beyond move an axis of the grid each.
///
/// # Safety
/// What the launches before have found is there: all units were sampled by these shares, and counted where
/// there are more blocks than those of the strata. There is room for a prefix of every stratum, the totals of
/// all blocks and of all. Blocks of [`ADDERS`].
#[inline(always)]
pub unsafe fn add_up(request: &Adding, moving: &Moving) {
    let (block, blocks) = (thread::block_idx_x(), request.shares.deal.blocks());
    // SAFETY: the caller's; a block an axis.
    unsafe {
        if block < blocks {
            of_block(request, block);
            if arrives_last(request.arrived, blocks) {
                of_all(request, blocks as usize);
            }
        } else {
            let axis = (block - blocks) as usize;
            refine(
                moving.edges.wrapping_add(axis * EDGES),
                moving.histogram.wrapping_add(axis * BINS),
                moving.alpha,
            );
        }
    }
}

/// Whether all other blocks were here before, whose totals are there then.
///
/// # Safety
/// As [`add_up`]; all threads of the block call it, behind a barrier that is behind its totals.
#[inline(always)]
unsafe fn arrives_last(arrived: *mut u32, blocks: u32) -> bool {
    let is_last = shared_array![bool; 1];
    // SAFETY: the caller's. A block's totals are before its count, which orders them.
    unsafe {
        if thread::thread_idx_x() == 0 {
            let before = AtomicU32::from_ptr(arrived).fetch_add(1, Ordering::AcqRel);
            *is_last = before + 1 == blocks;
        }
        thread::sync_threads();
        *is_last
    }
}

/// Numbers of as many strata, or blocks, as a block of strata has: means, variances, squares and shares.
#[inline(always)]
fn values() -> *mut f64 {
    shared_array![f64; TOTALS * THREADS as usize]
}

/// Adds up as many numbers, a warp each of means, variances, squares and shares: its first lane puts what was
/// before in the place of each; `sum` is before the first. For other lanes there is no sum.
///
/// # Safety
/// The numbers are there, behind a barrier.
#[inline(always)]
unsafe fn scan_each(count: usize, sum: f64) -> Option<(usize, f64)> {
    let warp = (thread::thread_idx_x() / LANES) as usize;
    if warp < TOTALS && warp::lane_id() == 0 {
        // SAFETY: the caller's; a row for each warp.
        let sum = unsafe { scan_in_order(values().add(warp * THREADS as usize), count, sum) };
        return Some((warp, sum));
    }
    None
}

/// Adds up the strata of a block, a warp [`EACH`].
///
/// # Safety
/// As [`add_up`]. There is a barrier behind the totals.
#[inline(always)]
unsafe fn of_block(request: &Adding, block: u32) {
    let (values, thread, lane) = (values(), thread::thread_idx_x(), warp::lane_id());
    let (own, strata) = (thread / LANES * EACH + lane, request.shares.deal.strata());
    // Lanes beyond have none, which is that behind the last one.
    let stratum = if lane < EACH {
        (block * THREADS + own).min(strata)
    } else {
        strata
    };
    // SAFETY: the caller's; all lanes of the warp are here. Below the numbers of the block.
    unsafe {
        let deal = request.shares.deal();
        let (first, end) = (deal.first(stratum), deal.first((stratum + 1).min(strata)));
        let (mut sums, mut next) = (
            Sums {
                first: 0.0,
                second: 0.0,
            },
            0,
        );
        // The compiler is not to know how many: it would write the loop out.
        while next < thread::block_dim_x() / (ADDERS / EACH) {
            let first = warp::shuffle_idx(warp::FULL_MASK, first, next);
            let end = warp::shuffle_idx(warp::FULL_MASK, end, next);
            let of = of_units(request, first, end, lane);
            if lane == next {
                sums = of;
            }
            next += 1;
        }
        if lane < EACH {
            let numbers = if first < end {
                let samples = f64::from(end - first) * f64::from(request.shares.deal.samples);
                of_stratum(&sums, samples, request.beta)
            } else {
                [0.0; TOTALS]
            };
            for (k, number) in numbers.iter().enumerate() {
                *values.add(k * THREADS as usize + own as usize) = *number;
            }
        }
        thread::sync_threads();
        if let Some((k, sum)) = scan_each(THREADS as usize, 0.0) {
            let totals = request.blocks.wrapping_add(block as usize).cast::<f64>();
            *totals.add(k) = sum;
        }
        thread::sync_threads();
        let stratum = block * THREADS + thread;
        if thread < THREADS && stratum < strata {
            let before = values.add((TOTALS - 1) * THREADS as usize + thread as usize);
            *request.prefixes.wrapping_add(stratum as usize) = *before;
        }
    }
}

/// Adds up the totals of all blocks, and puts the shares before each in the place of its own.
///
/// # Safety
/// As [`add_up`]; the totals of all blocks are there.
#[inline(always)]
unsafe fn of_all(request: &Adding, blocks: usize) {
    let (values, thread) = (values(), thread::thread_idx_x() as usize);
    let (mut all, mut first) = (None, 0);
    // SAFETY: the caller's. A thread has a number of a block.
    unsafe {
        while first < blocks {
            let (block, k) = (first + thread / TOTALS, thread % TOTALS);
            let number = request
                .blocks
                .wrapping_add(block)
                .cast::<f64>()
                .wrapping_add(k);
            *values.add(k * THREADS as usize + thread / TOTALS) =
                if block < blocks { *number } else { 0.0 };
            thread::sync_threads();
            let sum = match all {
                Some((_, sum)) => sum,
                None => 0.0,
            };
            all = scan_each((blocks - first).min(THREADS as usize), sum);
            thread::sync_threads();
            if k == TOTALS - 1 && block < blocks {
                *number = *values.add(k * THREADS as usize + thread / TOTALS);
            }
            first += THREADS as usize;
            thread::sync_threads();
        }
        if let Some((k, sum)) = all {
            *request.totals.cast::<f64>().wrapping_add(k) = sum;
        }
        if thread == 0 {
            // For the next launch; no other block is left that counts.
            *request.arrived = 0;
        }
    }
}

/// The sums of a stratum's units.
///
/// # Safety
/// As [`add_up`]; all lanes of the warp call it with the same units.
#[inline(always)]
unsafe fn of_units(request: &Adding, first: u32, end: u32, lane: u32) -> Sums {
    let mut sums = Sums {
        first: 0.0,
        second: 0.0,
    };
    let mut add = |more: Sums| {
        sums.first += more.first;
        sums.second += more.second;
    };
    // SAFETY: the caller's.
    let unit = |index: u32, end: u32| unsafe {
        if index < end {
            *request.units.wrapping_add(index as usize)
        } else {
            Sums {
                first: 0.0,
                second: 0.0,
            }
        }
    };
    // Units up to the first whole group, groups, and units behind them.
    let (groups, behind) = (first.div_ceil(GROUP), end / GROUP);
    let (head, tail) = if groups <= behind {
        (groups * GROUP, behind * GROUP)
    } else {
        (end, end)
    };
    // Less than a group each, which are there at the same time.
    let (front, back) = (unit(first + lane, head), unit(tail + lane, end));
    add(front);
    let mut group = groups + lane;
    while group < behind {
        // SAFETY: the caller's.
        add(unsafe { *request.groups.wrapping_add(group as usize) });
        group += LANES;
    }
    add(back);
    // SAFETY: the caller's.
    unsafe { of_all_lanes(sums) }
}

/// The mean of a stratum, the variance of the mean, the mean square, and the share.
#[inline(always)]
fn of_stratum(sums: &Sums, samples: f64, beta: f64) -> [f64; TOTALS] {
    let (mean, square) = (sums.first / samples, sums.second / samples);
    let variance = GpuFloat::max(mean.mul_add(-mean, square), 0.0) / (samples - 1.0);
    let of_sample = variance * samples;
    let share = if of_sample > 0.0 {
        GpuFloat::exp(0.5 * beta * GpuFloat::ln(of_sample))
    } else {
        0.0
    };
    [mean, variance, square, share]
}
