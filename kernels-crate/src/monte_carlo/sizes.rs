//! What launches depend on.
//!
//! A *unit* is a number of samples of one stratum, which a lane takes; a stratum has one or more, and
//! a warp takes a *group* of as many as it has lanes. All units have as many samples.

use bytemuck::{Pod, Zeroable};

use super::philox::RoundKeys;
use crate::LANES;

/// The most dimensions.
pub const MAX_DIMENSIONS: usize = 32;

/// Bins of an axis, a power of two: 8 bits of a sample's place choose one, the other 24 say where in it.
pub const BINS: usize = 1 << BIN_BITS;
/// The bits that choose it.
pub const BIN_BITS: u32 = 8;
/// Edges of an axis.
pub const EDGES: usize = BINS + 1;

/// Threads of the blocks that sample, or sum points. A block that adds up strata takes as many of them,
pub const THREADS: u32 = 256;
/// and has so many threads: a warp of few strata is done with them sooner.
pub const ADDERS: u32 = 1024;

/// The most strata: 2 to this.
pub const MAX_STRATA_BITS: u32 = 20;

/// Totals of a block of strata, or of all: the sum of the means, of the variances of the means, of the mean
/// squares, and of the shares.
pub const TOTALS: usize = 4;

/// A sample whose weighted square is the mean counts so much in a histogram, one with 2^12 times that
/// as much as a word holds, and more does not count.
pub const MEAN_COUNT: f64 = (1 << 20) as f64;

/// Sums over samples of the function times its weight, and of the squares.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Sums {
    /// Of the first power,
    pub first: f64,
    /// and of the second.
    pub second: f64,
}

// SAFETY: zeros are such a value.
unsafe impl Zeroable for Sums {}
// SAFETY: numbers without padding between or behind them.
unsafe impl Pod for Sums {}

/// How many units strata have: one each, and of the others as many as their share says. What is before
/// a stratum is rounded to a whole number, so that all units are dealt.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Deal {
    /// Strata are 2 to this.
    pub bits: u32,
    /// Units beyond one a stratum.
    pub extra: u32,
    /// Samples of a unit.
    pub samples: u32,
}

// SAFETY: zeros are such a value.
unsafe impl Zeroable for Deal {}
// SAFETY: numbers without padding between or behind them.
unsafe impl Pod for Deal {}

impl Deal {
    /// All units.
    #[inline(always)]
    pub const fn units(&self) -> u32 {
        self.extra + self.strata()
    }

    /// All strata,
    #[inline(always)]
    pub const fn strata(&self) -> u32 {
        1 << self.bits
    }

    /// and blocks that add them up.
    #[inline(always)]
    pub const fn blocks(&self) -> u32 {
        self.strata().div_ceil(THREADS)
    }
}

/// What a launch of samples is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Sampling {
    /// The bins of all axes, multiplied.
    pub volume: f64,
    /// Of the integral.
    pub dimensions: u32,
    /// The iteration's number, one of those that a random number depends on.
    pub iteration: u32,
    /// Whether squares are counted in the histogram, and not 0.
    pub is_counted: u32,
    /// Nothing.
    pub padding: u32,
    /// The seed.
    pub keys: RoundKeys,
    /// How strata lie.
    pub digits: [Digits; MAX_DIMENSIONS],
}

// SAFETY: zeros are such a value.
unsafe impl Zeroable for Sampling {}
// SAFETY: numbers without padding between or behind them.
unsafe impl Pod for Sampling {}

/// Bytes of shared memory of a block that samples.
pub const fn shared_bytes(dimensions: u32) -> u32 {
    dimensions * (EDGES * size_of::<f64>() + BINS * size_of::<u32>()) as u32
}

/// Where an axis' part of a stratum's number is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Digits {
    /// How many bits of a place say it,
    pub bits: u32,
    /// which they are,
    pub mask: u32,
    /// and what the stratum's number is multiplied by to have them there.
    pub factor: u32,
}

// SAFETY: zeros are such a value.
unsafe impl Zeroable for Digits {}
// SAFETY: numbers without padding between or behind them.
unsafe impl Pod for Digits {}

/// Of the strata's `bits` the first axes have one more than the others.
pub fn digits(bits: u32, dimensions: usize) -> [Digits; MAX_DIMENSIONS] {
    let (each, more) = (bits / dimensions as u32, bits % dimensions as u32);
    let (mut all, mut before) = ([Digits::default(); MAX_DIMENSIONS], 0);
    for (axis, digits) in (0..).zip(&mut all[..dimensions]) {
        let own = each + u32::from(axis < more);
        before += own;
        *digits = Digits {
            bits: own,
            mask: !(u32::MAX >> own),
            factor: if own == 0 {
                0
            } else {
                1 << (u32::BITS - before)
            },
        };
    }
    all
}

/// Units of a group.
pub const GROUP: u32 = LANES;

/// Bits of the numbers of Sobol points.
pub const DIRECTIONS: usize = 24;

/// Points of lattices, or of Sobol's sequence, that a launch sums: of each replicate, a whole number of
/// groups.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Points {
    /// Lower limits,
    pub from: [f64; MAX_DIMENSIONS],
    /// and how far it is from there to the upper ones.
    pub widths: [f64; MAX_DIMENSIONS],
    /// Of lattices: from a point to the next, in units of 2^-32 of a cube that is closed around.
    pub steps: [u32; MAX_DIMENSIONS],
    /// Of the integral.
    pub dimensions: u32,
    /// Lattices with a shift each, or Sobol's sequences with a key each.
    pub replicates: u32,
    /// Groups of a replicate's points, which a warp takes.
    pub groups: u32,
    /// Points that a lane takes of a group.
    pub each: u32,
    /// Whether they are Sobol's, and not 0,
    pub is_sobol: u32,
    /// and then the number of the first one: 0, or as many as there are.
    pub first: u32,
}

// SAFETY: zeros are such a value.
unsafe impl Zeroable for Points {}
// SAFETY: numbers without padding between or behind them.
unsafe impl Pod for Points {}

#[cfg(test)]
mod tests {
    use super::digits;

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
