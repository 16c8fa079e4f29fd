//! How fast the Legendre coefficients of a piece of a line decay, and how many Gauss-Legendre nodes
//! the piece therefore needs.
//!
//! An analytic function's coefficients shrink by a factor a degree, the rule of n nodes errs by
//! those of degree 2 n (Trefethen, Is Gauss quadrature better than Clenshaw-Curtis?, 2008,
//! section 4). Logarithms are to base 2, straight between powers of two: a plan need not be exact,
//! but the same on every device.

use super::region::{MAX_NODES, MIN_NODES};
use crate::LANES;

/// Coefficients below this of the magnitude are rounding.
const ROUNDING: f64 = 1.0 / (1u64 << 44) as f64;
/// The slowest decay, in bits a degree,
const SLOWEST: f64 = 1.0 / 64.0;
/// and that of a function that is 0.
const FASTEST: f64 = 8.0;
/// So much smaller than the magnitude, in bits, coefficients are taken for rounding.
const ROUNDED: f64 = 40.0;
/// Nodes of the rules that a plan looks at, from [`MAX_NODES`] on down: where a rule tells rounding,
/// one with fewer nodes by this,
pub const STEP: u32 = 6;
/// down to this.
pub const FEW_NODES: u32 = MAX_NODES as u32 - 2 * STEP;
/// A cut is worth it where the nodes of both sides are less than this of those of the whole.
const WORTH: f64 = 0.8;

/// What a rule tells of a piece of a line.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// The integral of the magnitude.
    pub magnitude: f64,
    /// Bits by which coefficients shrink with a degree.
    pub rate: f64,
}

/// The logarithm of a positive number, straight between powers of two.
#[inline(always)]
fn logarithm(x: f64) -> f64 {
    const ONE: f64 = (1u64 << 52) as f64;
    x.to_bits() as i64 as f64 / ONE - 1023.0
}

impl Piece {
    /// Of the sums of a rule: the magnitude, and the larger ones of the last two coefficients and of the
    /// two before, each in the norm of a unit of its degree. The rate is that from the magnitude to
    /// the last two, but no faster than twice what both pairs tell, where they are more than rounding.
    #[inline(always)]
    pub fn new(nodes: u32, magnitude: f64, last: f64, before: f64) -> Self {
        let least = magnitude * ROUNDING;
        if least == 0.0 {
            return Self {
                magnitude,
                rate: FASTEST,
            };
        }
        let ends = logarithm(if last > least { last } else { least });
        let overall = (logarithm(magnitude) - ends) / (f64::from(nodes) - 1.5);
        let pair = logarithm(if before > least { before } else { least }) - ends;
        let rate = if last > least && pair < overall {
            pair
        } else {
            overall
        };
        let rate = if rate > SLOWEST { rate } else { SLOWEST };
        Self { magnitude, rate }
    }

    /// The same by what two rules tell, of which the one of more nodes tells rounding.
    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        let rate = if other.rate > self.rate {
            other.rate
        } else {
            self.rate
        };
        Self {
            magnitude: self.magnitude,
            rate,
        }
    }

    /// Whether a rule of so many nodes tells rounding alone.
    #[inline(always)]
    pub fn is_rounding(&self, nodes: u32) -> bool {
        self.rate * (f64::from(nodes) - 1.5) > ROUNDED
    }

    /// The nodes with which the piece errs by no more than `goal`, in full and parts.
    #[inline(always)]
    pub fn nodes(&self, goal: f64) -> f64 {
        nodes(self.magnitude, goal, self.rate)
    }
}

/// The nodes that reduce an error from `magnitude` to `goal`, coefficients shrinking by so many bits
/// a degree.
#[inline(always)]
pub fn nodes(magnitude: f64, goal: f64, rate: f64) -> f64 {
    const FEWEST: f64 = MIN_NODES as f64;
    // Not of a goal that is not a number.
    let is_more = magnitude > goal;
    if !is_more {
        return FEWEST;
    }
    let nodes = (logarithm(magnitude) - logarithm(goal)) / (2.0 * rate);
    if nodes > FEWEST { nodes } else { FEWEST }
}

/// Where along an axis a cut is considered, a place a lane: from 0 to 1, but for the last lane,
/// whose piece is the whole. Sixteenths, and beyond them powers of the square root of a half
/// towards both ends.
#[inline(always)]
pub fn share(lane: u32) -> f64 {
    const EVEN: u32 = 15;
    if lane == LANES - 1 {
        return 1.0;
    }
    if lane < EVEN {
        return f64::from(lane + 1) / f64::from(EVEN + 1);
    }
    let step = (lane - EVEN) / 2;
    let power = f64::from_bits(u64::from(1023 - 5 - step / 2) << 52);
    let near = if step.is_multiple_of(2) {
        power * core::f64::consts::SQRT_2
    } else {
        power
    };
    if lane.is_multiple_of(2) {
        near
    } else {
        1.0 - near
    }
}

/// What the nodes of both sides count more, the farther the cut is from the middle: of equal ones
/// that in the middle is the best.
#[inline(always)]
pub fn off_centre(share: f64) -> f64 {
    let from = share - 0.5;
    0.01 * from * from
}

/// Whether a cut is worth it, of the nodes of the whole and of both sides.
#[inline(always)]
pub fn is_worth(whole: f64, sides: f64) -> bool {
    whole > MAX_NODES as f64 || sides < WORTH * whole
}
