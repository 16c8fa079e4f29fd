//! The intervals of a team's item, in shared memory, and which of them is halved next.
//!
//! The one with the largest error, until the errors are within the tolerance, or nothing lessens
//! them. Then a second look: an error says nothing of what no node sees.
//!
//! - Where the next interval, which sees something, is 64 times as short, what was found there
//!   may go on in this one between its end and its first node.
//! - Where nodes do not resolve the function, as in QUADPACK where the estimate is as large as it
//!   can be, or where it is 0 at all of them, an interval is *blind*. Where all are, they are
//!   halved if they are few, or fewer of them saw more.
//!
//! Sources: Piessens, de Doncker-Kapenga, Überhuber and Kahaner, QUADPACK, 1983 (QAGE, and
//! QAGP's distrust of first estimates).

use cuda_std::{GpuFloat, warp};

use super::batch::{lane_of_team, of_team, votes_of_team};
use super::estimate::half_length;
use super::interval::{Interval, is_blind};
use super::real::Real;
use super::rules::GaussKronrod;
use super::sizes::{FIELDS, NODES, TEAM};

/// Numbers of a team that are neither nodes' values nor intervals: in the room for nodes that no
/// rule has.
const OTHERS: usize = 3;

const _: () = assert!(GaussKronrod::G10K21 as usize + OTHERS <= NODES);

/// How much shorter the next interval is where one is not believed. The outermost node is a
/// 230th of the interval away from its end, or less.
pub(super) const SHORTER: f64 = 1.0 / 64.0;

/// The fewest intervals of an item that are believed where all are blind.
const FEWEST: u32 = 16;

/// A team's intervals, eight after eight and of these field by field; lane k modulo 8 has interval
/// k.
#[derive(Clone, Copy)]
pub(super) struct Store<R> {
    /// [`numbers_of_team`](super::sizes::numbers_of_team).
    pub(super) numbers: *mut R,
    /// The most intervals.
    pub(super) most: u32,
}

/// Sums over an item's intervals, and the one with the largest error; the same in all lanes.
pub(super) struct Totals<R> {
    pub(super) value: R,
    pub(super) error: R,
    pub(super) worst: u32,
}

impl<R: Real> Store<R> {
    /// The place of a node's value.
    #[inline(always)]
    pub(super) fn node(&self, index: u32) -> *mut R {
        self.numbers.wrapping_add(index as usize)
    }

    /// The place of a number that a team keeps from one step to the next.
    #[inline(always)]
    pub(super) fn kept(&self) -> *mut R {
        self.numbers.wrapping_add(NODES - OTHERS)
    }

    /// The place of the item's number, behind it.
    #[inline(always)]
    pub(super) fn item(&self) -> *mut u64 {
        self.numbers.wrapping_add(NODES - OTHERS + 1).cast()
    }

    /// Eight intervals' numbers lie together, field by field, so that a field is a fixed distance
    /// from the one before.
    #[inline(always)]
    fn field(&self, interval: u32, field: u32) -> *mut R {
        let (row, lane) = (interval / TEAM, interval % TEAM);
        let first = row * (FIELDS as u32 * TEAM) + lane;
        self.numbers
            .wrapping_add(NODES + first as usize)
            .wrapping_add((field * TEAM) as usize)
    }

    /// # Safety
    /// The interval has room, and this lane is the one that has it.
    #[inline(always)]
    pub(super) unsafe fn put(&self, interval: u32, of: Interval<R>) {
        // SAFETY: the caller's.
        unsafe {
            *self.field(interval, 0) = of.left;
            *self.field(interval, 1) = of.right;
            *self.field(interval, 2) = of.value;
            *self.field(interval, 3) = of.error.packed();
        }
    }

    /// The ends of an interval.
    ///
    /// # Safety
    /// The interval is one.
    #[inline(always)]
    pub(super) unsafe fn ends(&self, interval: u32) -> (R, R) {
        // SAFETY: the caller's.
        unsafe { (*self.field(interval, 0), *self.field(interval, 1)) }
    }

    /// Whether halving an interval would not lessen its error.
    ///
    /// # Safety
    /// The interval is one.
    #[inline(always)]
    pub(super) unsafe fn is_rounding(&self, interval: u32) -> bool {
        // SAFETY: the caller's.
        unsafe { *self.field(interval, 3) < R::ZERO }
    }

    /// Whether a number lies in the middle of an interval.
    ///
    /// # Safety
    /// The interval is one.
    #[inline(always)]
    pub(super) unsafe fn is_divisible(&self, interval: u32) -> bool {
        // SAFETY: the caller's.
        let (left, right) = unsafe { self.ends(interval) };
        let middle = left + half_length(left, right);
        left < middle && middle < right
    }

    /// Sums over the first `count` intervals; each lane adds its own, in order.
    ///
    /// # Safety
    /// All lanes of the warp call it; the intervals are there.
    #[inline(always)]
    pub(super) unsafe fn totals(&self, count: u32) -> Totals<R> {
        let (mut value, mut error) = (R::ZERO, R::ZERO);
        let mut largest = Largest::of_lane();
        let mut k = lane_of_team();
        // SAFETY: the caller's. As many turns for all of the warp: one, mostly, and ptxas
        // unrolls no loop that lanes go through together.
        while unsafe { warp::warp_vote_any(warp::FULL_MASK, k < count) } {
            if k < count {
                // SAFETY: an interval of the store.
                let (own, of) = unsafe { (*self.field(k, 2), *self.field(k, 3)) };
                let magnitude = GpuFloat::abs(of);
                value = value + own;
                error = error + magnitude;
                largest.take(magnitude, k);
            }
            k += TEAM;
        }
        // SAFETY: the caller's.
        unsafe {
            let (value, error) = (of_team(value), of_team(error));
            Totals {
                value,
                error,
                worst: largest.of_team().index,
            }
        }
    }

    /// The longest of the first `count` intervals that are not to be believed; where all are
    /// blind, and something `was_seen` before they were halved, any number is too few.
    ///
    /// # Safety
    /// As [`Store::totals`].
    #[inline(always)]
    pub(super) unsafe fn unseen(&self, count: u32, was_seen: bool) -> Option<u32> {
        // SAFETY: the caller's.
        unsafe {
            let mut sees = false;
            let mut k = lane_of_team();
            while k < count {
                sees = sees || !self.is_blind(k);
                k += TEAM;
            }
            let all_are_blind = votes_of_team(sees) == 0;
            let mut largest = Largest::of_lane();
            let mut k = lane_of_team();
            while k < count {
                let (left, right) = self.ends(k);
                let is_doubted = if all_are_blind {
                    was_seen || count < FEWEST
                } else {
                    self.is_beside_shorter(count, left, right)
                };
                if is_doubted {
                    largest.take(right - left, k);
                }
                k += TEAM;
            }
            let longest = largest.of_team();
            (longest.magnitude > R::ZERO).then_some(longest.index)
        }
    }

    /// Whether an interval's nodes do not resolve the function.
    ///
    /// # Safety
    /// The interval is one.
    #[inline(always)]
    pub(super) unsafe fn is_blind(&self, interval: u32) -> bool {
        // SAFETY: the caller's.
        unsafe { is_blind(*self.field(interval, 2), *self.field(interval, 3)) }
    }

    /// Whether an interval that is not blind, and much shorter, begins or ends where the
    /// interval `left..right` ends or begins.
    ///
    /// # Safety
    /// As [`Store::totals`].
    #[inline(always)]
    unsafe fn is_beside_shorter(&self, count: u32, left: R, right: R) -> bool {
        let longest = R::from_f64(SHORTER) * (right - left);
        let mut k = 0;
        while k < count {
            // SAFETY: the caller's.
            let ((of_left, of_right), is_blind) = unsafe { (self.ends(k), self.is_blind(k)) };
            let is_beside = of_left == right || of_right == left;
            if is_beside && !is_blind && of_right - of_left < longest {
                return true;
            }
            k += 1;
        }
        false
    }
}

/// The largest of some numbers, and whose it is; of equal ones the first.
struct Largest<R> {
    magnitude: R,
    index: u32,
}

impl<R: Real> Largest<R> {
    /// Less than all.
    #[inline(always)]
    fn of_lane() -> Self {
        Self {
            magnitude: -R::from_f64(1.0),
            index: lane_of_team(),
        }
    }

    /// Takes one more, of a later index.
    #[inline(always)]
    fn take(&mut self, magnitude: R, index: u32) {
        if magnitude > self.magnitude {
            *self = Self { magnitude, index };
        }
    }

    /// The largest of all the team's lanes.
    ///
    /// # Safety
    /// All lanes of the warp call it.
    #[inline(always)]
    unsafe fn of_team(mut self) -> Self {
        let mut distance = TEAM / 2;
        while distance > 0 {
            // SAFETY: the caller's.
            let (magnitude, index) = unsafe {
                (
                    warp::shuffle_xor(warp::FULL_MASK, self.magnitude, distance),
                    warp::shuffle_xor(warp::FULL_MASK, self.index, distance),
                )
            };
            if magnitude > self.magnitude || magnitude == self.magnitude && index < self.index {
                self = Self { magnitude, index };
            }
            distance /= 2;
        }
        self
    }
}
