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
use cuda_std::{GpuFloat, shared_array, thread, warp};

use super::integrand::{Integrand, Parameters};
use super::philox::philox;
use super::sizes::{
    BIN_BITS, BINS, Deal, EDGES, GROUP, MAX_DIMENSIONS, Sampling, Sums, THREADS, TOTALS,
};
use crate::LANES;

/// 2^28, whose last bits are those of 2^-24, and half of such a bit less than it.
const PLACE: u64 = 0x41b0_0000 << 32;
const BEFORE: f64 = (1 << 28) as f64 - 1.0 / (1 << 25) as f64;
/// What a place has besides its bin.
const WITHIN: u32 = u32::MAX >> BIN_BITS;

/// Words of a random number, one for each of as many axes.
const WORDS: usize = 4;

/// A deal with the shares that it is made by.
#[derive(Clone, Copy)]
pub struct Dealt {
    /// The deal.
    pub deal: Deal,
    /// The shares of the strata before each one in its block of [`THREADS`],
    pub prefixes: *const f64,
    /// and those of the blocks before each one.
    pub blocks: *const f64,
}

impl Dealt {
    /// The first unit of a stratum; for the number of strata, that of units.
    ///
    /// # Safety
    /// There are so many strata.
    #[inline(always)]
    unsafe fn first(&self, stratum: u32) -> u32 {
        let Deal {
            factor,
            bits,
            extra,
        } = self.deal;
        if stratum >> bits != 0 {
            return self.deal.units();
        }
        if factor == 0.0 {
            return stratum + (u64::from(extra) * u64::from(stratum) >> bits) as u32;
        }
        // SAFETY: the caller's.
        let before = unsafe {
            *self.blocks.wrapping_add((stratum / THREADS) as usize)
                + *self.prefixes.wrapping_add(stratum as usize)
        };
        let before = GpuFloat::min(before * factor, f64::from(extra));
        // SAFETY: it is between 0 and a number of 32 bits.
        stratum + unsafe { before.to_int_unchecked::<u32>() }
    }

    /// The stratum that has a unit.
    ///
    /// # Safety
    /// There is such a unit.
    #[inline(always)]
    unsafe fn stratum_of(&self, unit: u32) -> u32 {
        // Bit by bit, from the highest.
        let (mut stratum, mut bit) = (0, 1 << self.deal.bits >> 1);
        while bit != 0 {
            // SAFETY: the caller's; there are more strata.
            if unsafe { self.first(stratum | bit) } <= unit {
                stratum |= bit;
            }
            bit >>= 1;
        }
        stratum
    }
}

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
    /// How; behind a reference, so that the kernel's parameter is not copied into registers.
    pub sampling: &'a Sampling,
}

/// Samples all units.
///
/// # Safety
/// There are as many dimensions as edges, up to [`Integrand::MOST`]; units are a multiple of [`GROUP`], and there is
/// room for their sums. Blocks of [`THREADS`] with [`shared_bytes`](super::sizes::shared_bytes).
#[inline(always)]
pub unsafe fn sample<I: Integrand>(request: &Request<'_>, deal: &Dealt, parameters: &Parameters) {
    let dimensions = request.sampling.dimensions as usize;
    let edges = SharedPtr::<f64>::dynamic();
    let counts = edges
        .wrapping_add(request.sampling.dimensions * EDGES as u32)
        .cast::<u32>();
    let is_counted = request.sampling.scale != 0.0;
    // SAFETY: the caller's; below the bytes of shared memory.
    unsafe {
        let mut index = thread::thread_idx_x();
        while index < request.sampling.dimensions * EDGES as u32 {
            let edge = *request.edges.wrapping_add(index as usize);
            edges.wrapping_add(index).store(edge);
            index += THREADS;
        }
        let mut index = thread::thread_idx_x();
        while index < request.sampling.dimensions * BINS as u32 {
            counts.wrapping_add(index).store(0);
            index += THREADS;
        }
    }
    thread::sync_threads();

    let (warps, lane) = (THREADS / LANES, warp::lane_id());
    let mut group = thread::block_idx_x() * warps + thread::thread_idx_x() / LANES;
    while group < deal.deal.units() / GROUP {
        let unit = group * GROUP + lane;
        // SAFETY: the caller's; all lanes are here.
        unsafe {
            let of = Unit::new(request, deal, unit);
            // Constant where it is the most: the code is shorter.
            let sums = if dimensions == I::MOST {
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
    unsafe fn new(request: &'a Request<'a>, deal: &Dealt, unit: u32) -> Self {
        // SAFETY: the caller's.
        unsafe {
            let stratum = deal.stratum_of(unit);
            let (first, end) = (deal.first(stratum), deal.first(stratum + 1));
            Self {
                request,
                stratum,
                first: (unit - first) * request.sampling.samples,
                scale: request.sampling.scale / f64::from(end - first),
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
        let end = sample + sampling.samples;
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
            if sampling.scale != 0.0 {
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

/// The sums of all lanes, by halves.
///
/// # Safety
/// All lanes of the warp call it.
#[inline(always)]
pub(super) unsafe fn of_all_lanes(mut sums: Sums) -> Sums {
    let mut distance = LANES / 2;
    while distance > 0 {
        // SAFETY: the caller's.
        unsafe {
            sums.first += warp::shuffle_xor(warp::FULL_MASK, sums.first, distance);
            sums.second += warp::shuffle_xor(warp::FULL_MASK, sums.second, distance);
        }
        distance /= 2;
    }
    sums
}

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
pub unsafe fn strata(request: &Adding, deal: &Dealt) {
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
/// As [`strata`]; all lanes of the warp call it with the same units.
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

#[cfg(test)]
mod tests {
    use super::super::sizes::{Deal, THREADS, digits};
    use super::Dealt;

    /// Deals units by these shares, a block after the other, as launches add them up.
    fn check(shares: &[f64], extra: u32) {
        let (mut prefixes, mut blocks, mut total) = ([0.0; 1024], [0.0; 4], 0.0);
        for (block, shares) in shares.chunks(THREADS as usize).enumerate() {
            let mut before = 0.0;
            for (index, share) in shares.iter().enumerate() {
                prefixes[block * THREADS as usize + index] = before;
                before += share;
            }
            blocks[block] = total;
            total += before;
        }
        let bits = shares.len().ilog2();
        let factor = if total > 0.0 {
            f64::from(extra) / total
        } else {
            0.0
        };
        let dealt = Dealt {
            deal: Deal {
                factor,
                bits,
                extra,
            },
            prefixes: prefixes.as_ptr(),
            blocks: blocks.as_ptr(),
        };
        let mut next = 0;
        for (stratum, share) in (0..).zip(shares) {
            // SAFETY: there are such strata and units.
            unsafe {
                let (first, end) = (dealt.first(stratum), dealt.first(stratum + 1));
                assert_eq!(first, next);
                let wanted = if factor > 0.0 {
                    factor * share
                } else {
                    f64::from(extra) / shares.len() as f64
                };
                let off = f64::from(end - first) - 1.0 - wanted;
                assert!(-1.0 < off && off < 1.0, "{stratum}: {off}");
                assert_eq!(dealt.stratum_of(first), stratum);
                assert_eq!(dealt.stratum_of(end - 1), stratum);
                next = end;
            }
        }
        assert_eq!(next, dealt.deal.units());
    }

    #[test]
    fn every_unit_is_dealt_and_finds_its_stratum() {
        let mut shares = [0.0; 1024];
        check(&shares, 5000);
        check(&shares[..1], 31);
        for (index, share) in (0_u32..).zip(&mut shares) {
            *share = f64::from(index.wrapping_mul(2_654_435_769) >> 8) * 1e-9;
        }
        check(&shares, 12_345);
        check(&shares[..8], 0);
        shares.fill(0.0);
        shares[700] = 3.0;
        check(&shares, 999);
    }

    #[test]
    fn every_stratum_has_a_box_of_its_own() {
        for (bits, dimensions) in [(0, 3), (5, 3), (8, 1), (20, 32), (13, 2)] {
            let axes = digits(bits, dimensions);
            // The bits that say the stratum, gathered again.
            let mut all = 0_u32;
            for digits in &axes[..dimensions] {
                assert_eq!(digits.mask.count_ones(), digits.bits);
                assert_eq!(digits.mask.leading_ones(), digits.bits);
                let own = (0..bits).filter(|bit| {
                    let place = (1_u32 << bit).wrapping_mul(digits.factor) & digits.mask;
                    place != 0
                });
                assert_eq!(own.clone().count() as u32, digits.bits);
                for bit in own {
                    assert_eq!(all >> bit & 1, 0);
                    all |= 1 << bit;
                }
            }
            assert_eq!(all, (1 << bits) - 1);
        }
    }
}
