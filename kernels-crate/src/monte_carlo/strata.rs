//! Sums of strata: of their units, which were sampled before.

use cuda_std::{GpuFloat, shared_array, thread, warp};

use super::deal::Dealt;
use super::lanes::of_all_lanes;
use super::sizes::{GROUP, Sums, THREADS, TOTALS};
use crate::LANES;

/// What the sums of strata are asked.
#[derive(Clone, Copy)]
pub struct Adding {
    /// Sums of all units,
    pub units: *const Sums,
    /// and of groups of them.
    pub groups: *const Sums,
    /// Samples of a unit.
    pub samples: u32,
    /// A share is the standard deviation of a sample to this power.
    pub beta: f64,
    /// The shares of the strata before each one in its block.
    pub prefixes: *mut f64,
    /// Totals of blocks of [`THREADS`] strata.
    pub totals: *mut [f64; TOTALS],
}

/// Adds up strata, a warp each of as many as it has lanes, and their totals, in their order.
///
/// # Safety
/// All units were sampled for this deal; there is room for a prefix of every stratum and for the totals.
/// Blocks of [`THREADS`].
#[inline(always)]
pub unsafe fn add_up(request: &Adding, deal: &Dealt) {
    let values = shared_array![f64; TOTALS * THREADS as usize];
    let (thread, lane) = (thread::thread_idx_x(), warp::lane_id());
    let stratum = thread::block_idx_x() * THREADS + thread;
    let strata = 1 << deal.deal.bits;
    // The compiler is not to know how many: it would write the loops out.
    let threads = thread::block_dim_x();
    // SAFETY: the caller's; all lanes of the warp are here. Below the numbers of the block.
    unsafe {
        let first = deal.first(stratum.min(strata));
        let end = deal.first((stratum + 1).min(strata));
        let (mut sums, mut next) = (
            Sums {
                first: 0.0,
                second: 0.0,
            },
            0,
        );
        while next < threads / (THREADS / LANES) {
            let first = warp::shuffle_idx(warp::FULL_MASK, first, next);
            let end = warp::shuffle_idx(warp::FULL_MASK, end, next);
            let of = of_units(request, first, end, lane);
            if lane == next {
                sums = of;
            }
            next += 1;
        }
        let own = if first < end {
            let samples = f64::from(end - first) * f64::from(request.samples);
            of_stratum(&sums, samples, request.beta)
        } else {
            [0.0; TOTALS]
        };
        for (k, own) in own.iter().enumerate() {
            *values.add(k * THREADS as usize + thread as usize) = *own;
        }
    }
    thread::sync_threads();
    // A warp a total: its first lane adds up, and puts what was before in the place of each.
    if lane == 0 && thread / LANES < TOTALS as u32 {
        let (mut sum, mut index) = (0.0, 0);
        while index < threads as usize {
            // SAFETY: as above.
            unsafe {
                let value = values.add((thread / LANES * THREADS) as usize + index);
                let own = *value;
                *value = sum;
                sum += own;
            }
            index += 1;
        }
        let block = thread::block_idx_x() as usize;
        // SAFETY: the caller's.
        unsafe {
            let totals = request.totals.wrapping_add(block).cast::<f64>();
            *totals.add((thread / LANES) as usize) = sum;
        }
    }
    thread::sync_threads();
    if stratum < strata {
        // SAFETY: the caller's; the shares are the last.
        unsafe {
            let before = values.add((TOTALS - 1) * THREADS as usize + thread as usize);
            *request.prefixes.wrapping_add(stratum as usize) = *before;
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
    let mut add = |from: *const Sums, index: u32| {
        // SAFETY: the caller's.
        let more = unsafe { *from.wrapping_add(index as usize) };
        sums.first += more.first;
        sums.second += more.second;
    };
    // Units up to the first whole group, groups, and units behind them.
    let (groups, behind) = (first.div_ceil(GROUP), end / GROUP);
    let (head, tail) = if groups <= behind {
        (groups * GROUP, behind * GROUP)
    } else {
        (end, end)
    };
    let mut unit = first + lane;
    while unit < head {
        add(request.units, unit);
        unit += LANES;
    }
    let mut group = groups + lane;
    while group < behind {
        add(request.groups, group);
        group += LANES;
    }
    unit = tail + lane;
    while unit < end {
        add(request.units, unit);
        unit += LANES;
    }
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
