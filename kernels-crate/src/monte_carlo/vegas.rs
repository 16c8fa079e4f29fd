//! VEGAS+: importance sampling through a grid of each axis, and stratified sampling whose strata have
//! more samples where the function varies more.
//!
//! Source: Lepage, Adaptive multidimensional integration: VEGAS enhanced, J. Comput. Phys. 439, 2021,
//! sections 2 and 3. What is ours: strata are a power of two and have whole units of samples; a unit is
//! a lane's, so that lanes do equal work; a unit finds its stratum by bisection of the shares.
//!
//! *Same bits on every grid*: a random number depends on stratum, sample, iteration, axes and seed. Sums of
//! units, groups and strata have a fixed association. Histograms, which many threads add to, are
//! integers.

use cuda_std::mem::fetch_add_relaxed;
use cuda_std::shared::SharedPtr;
use cuda_std::{GpuFloat, thread, warp};

use super::deal::{Dealt, Shares};
use super::integrand::{Integrand, Parameters};
use super::lanes::of_all_lanes;
use super::philox::philox;
use super::sizes::{
    BIN_BITS, BINS, EDGES, GROUP, MAX_DIMENSIONS, MEAN_COUNT, Sampling, Sums, THREADS,
};
use crate::LANES;

/// 2^28, whose last bits are those of 2^-24, and half of such a bit less than it.
const PLACE: u64 = 0x41b0_0000 << 32;
const BEFORE: f64 = (1 << 28) as f64 - 1.0 / (1 << 25) as f64;
/// What a place has besides its bin.
const WITHIN: u32 = u32::MAX >> BIN_BITS;

/// Words of a random number, one for each of as many axes.
const WORDS: usize = 4;

/// What a launch samples, and for what.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Edges of each axis, from its lower limit to its upper one.
    pub edges: *const f64,
    /// What the squares are in each bin, which is added to.
    pub histogram: *mut u64,
    /// Sums of all units, in their order,
    pub units: *mut Sums,
    /// and of groups of them.
    pub groups: *mut Sums,
    /// How many units strata have.
    pub shares: Shares,
    /// How; behind a reference, so that the kernel's parameter is not copied into registers.
    pub sampling: &'a Sampling,
}

/// What the square of a sample counts in a histogram, where a stratum has one unit: so much that the mean
/// of the iteration before counts [`MEAN_COUNT`]. 0 where there is none.
///
/// # Safety
/// As [`Shares::deal`].
#[inline(always)]
unsafe fn scale(shares: &Shares) -> f64 {
    let (units, strata) = (
        f64::from(shares.deal.units()),
        f64::from(shares.deal.strata()),
    );
    // SAFETY: the caller's.
    let square = unsafe { *shares.totals.cast::<f64>().wrapping_add(2) } / strata;
    let scale = MEAN_COUNT * (units / strata) / square;
    if square > 0.0 && scale.is_finite() {
        scale
    } else {
        0.0
    }
}

/// Samples all units.
///
/// # Safety
/// What the launches before have found is there. There are as many dimensions as edges, up to
/// [`Integrand::MOST`]; units are a multiple of [`GROUP`], and there is room for their sums. Blocks of
/// [`THREADS`] with [`shared_bytes`](super::sizes::shared_bytes).
#[inline(always)]
pub unsafe fn sample<I: Integrand>(request: &Request<'_>, parameters: &Parameters) {
    let dimensions = I::dimensions(request.sampling.dimensions);
    let edges = SharedPtr::<f64>::dynamic();
    let counts = edges
        .wrapping_add(request.sampling.dimensions * EDGES as u32)
        .cast::<u32>();
    let is_counted = request.sampling.is_counted != 0;
    if is_counted {
        let mut index = thread::thread_idx_x();
        while index < request.sampling.dimensions * BINS as u32 {
            // SAFETY: below the bytes of shared memory.
            unsafe { counts.wrapping_add(index).store(0) };
            index += THREADS;
        }
    }
    // SAFETY: the caller's; below the bytes of shared memory.
    let (deal, scale) = unsafe {
        let mut index = thread::thread_idx_x();
        while index < request.sampling.dimensions * EDGES as u32 {
            let edge = *request.edges.wrapping_add(index as usize);
            edges.wrapping_add(index).store(edge);
            index += THREADS;
        }
        let shares = &request.shares;
        (shares.deal(), if is_counted { scale(shares) } else { 0.0 })
    };
    thread::sync_threads();

    let (warps, lane) = (THREADS / LANES, warp::lane_id());
    let mut group = thread::block_idx_x() * warps + thread::thread_idx_x() / LANES;
    while group < request.shares.deal.units() / GROUP {
        let unit = group * GROUP + lane;
        // SAFETY: the caller's; all lanes are here.
        unsafe {
            let of = Unit::new(request, &deal, scale, unit);
            // Constant where it is the most: the code is shorter.
            let sums = if !I::IS_TYPED && dimensions == I::MOST {
                of.sample::<I>(edges, counts, I::MOST, parameters)
            } else {
                of.sample::<I>(edges, counts, dimensions, parameters)
            };
            *request.units.wrapping_add(unit as usize) = sums;
            let of_group = of_all_lanes(sums);
            if lane == 0 {
                *request.groups.wrapping_add(group as usize) = of_group;
            }
        }
        group += thread::grid_dim_x() * warps;
    }

    thread::sync_threads();
    if is_counted {
        let mut index = thread::thread_idx_x();
        while index < request.sampling.dimensions * BINS as u32 {
            // SAFETY: the caller's; nobody counts any more.
            unsafe {
                let count = counts.wrapping_add(index).load();
                if count != 0 {
                    let total = request.histogram.wrapping_add(index as usize);
                    fetch_add_relaxed(total, u64::from(count));
                }
            }
            index += THREADS;
        }
    }
}

/// A unit, as its lane has it.
struct Unit<'a> {
    request: &'a Request<'a>,
    stratum: u32,
    /// The number of its first sample in the stratum.
    first: u32,
    /// What a square counts.
    scale: f64,
}

impl<'a> Unit<'a> {
    /// # Safety
    /// As [`sample`]; there is such a unit.
    #[inline(always)]
    unsafe fn new(request: &'a Request<'a>, deal: &Dealt, scale: f64, unit: u32) -> Self {
        // SAFETY: the caller's.
        unsafe {
            let stratum = deal.stratum_of(unit);
            let (first, end) = (deal.first(stratum), deal.first(stratum + 1));
            Self {
                request,
                stratum,
                first: (unit - first) * request.shares.deal.samples,
                scale: scale / f64::from(end - first),
            }
        }
    }

    /// # Safety
    /// As [`sample`].
    #[inline(always)]
    #[allow(
        clippy::needless_range_loop,
        reason = "an iterator would put the arrays into memory"
    )]
    unsafe fn sample<I: Integrand>(
        &self,
        edges: SharedPtr<f64>,
        counts: SharedPtr<u32>,
        dimensions: usize,
        parameters: &Parameters,
    ) -> Sums {
        let (request, sampling) = (self.request, self.request.sampling);
        let mut sums = Sums {
            first: 0.0,
            second: 0.0,
        };
        let mut sample = self.first;
        let end = sample + request.shares.deal.samples;
        while sample < end {
            let mut x = [0.0; MAX_DIMENSIONS];
            // The bins of four axes a word.
            let (mut bins, mut weight) = ([0; MAX_DIMENSIONS / WORDS], sampling.volume);
            for four in 0..I::MOST.div_ceil(WORDS) {
                if four * WORDS < dimensions {
                    let number = [sample, self.stratum, sampling.iteration, four as u32];
                    let words = philox(number, &sampling.keys);
                    for k in 0..WORDS {
                        let axis = four * WORDS + k;
                        if axis < I::MOST && axis < dimensions {
                            let digits = sampling.digits[axis];
                            // SAFETY: strata have fewer bits; the bin is one of the axis.
                            unsafe {
                                core::hint::assert_unchecked(digits.bits < u32::BITS);
                                let place = self.stratum.wrapping_mul(digits.factor) & digits.mask
                                    | words[k] >> digits.bits;
                                let bin = place >> (u32::BITS - BIN_BITS);
                                let edge = edges.wrapping_add((axis * EDGES) as u32 + bin);
                                let (from, to) = (edge.load(), edge.wrapping_add(1).load());
                                let width = to - from;
                                let within = f64::from_bits(PLACE | u64::from(place & WITHIN));
                                x[axis] = (within - BEFORE).mul_add(width, from);
                                weight *= width;
                                bins[four] |= bin << (k as u32 * u8::BITS);
                            }
                        }
                    }
                }
            }
            let value = I::at(&x, dimensions, parameters) * weight;
            sums.first += value;
            sums.second = value.mul_add(value, sums.second);
            if sampling.is_counted != 0 {
                let count = GpuFloat::min(value * value * self.scale, f64::from(u32::MAX));
                // SAFETY: it is not below 0, and no NaN.
                let count = unsafe { count.to_int_unchecked::<u32>() };
                if count != 0 {
                    for axis in 0..I::MOST {
                        if axis < dimensions {
                            let bin = bins[axis / WORDS] >> (axis % WORDS * 8) & 0xff;
                            let index = (axis * BINS) as u32 + bin;
                            // SAFETY: a word of this block's.
                            unsafe { add(request, counts, index, count) };
                        }
                    }
                }
            }
            sample += 1;
        }
        sums
    }
}

/// Adds to a word of the block's histogram; what it cannot hold, to the launch's.
///
/// # Safety
/// As [`sample`]; there is such a word.
#[inline(always)]
unsafe fn add(request: &Request<'_>, counts: SharedPtr<u32>, index: u32, count: u32) {
    // SAFETY: the caller's; until the barrier there are atomic accesses alone.
    unsafe {
        let before = counts.wrapping_add(index).fetch_add(count);
        if before.checked_add(count).is_none() {
            let total = request.histogram.wrapping_add(index as usize);
            fetch_add_relaxed(total, 1 << u32::BITS);
        }
    }
}
