//! Many integrals in one launch: what the kernels of batches have in common.
//!
//! Eight lanes, a [team](TEAM), work on an item; they take its successor where it is done, so
//! that a hard item keeps nobody waiting but its own team. Warps draw items from a counter, a
//! few at a time, and share them out among their teams. What a team computes depends on its
//! item alone: **results do not depend on the batch, on the launch's shape, or on time.**

use cuda_std::{GpuFloat, mem, thread, warp};

use super::integrand::{Integrand, MAX_PARAMETERS, Parameters};
use super::outcome::Outcome;
use super::range::Range;
use super::real::Real;
use super::sizes::TEAM;

/// What a launch is asked for.
pub struct Batch<R> {
    /// Items.
    pub n: u64,
    /// An item's lower limit each, or null: all have `limits`.
    pub from: *const R,
    /// An item's upper limit each, or null.
    pub to: *const R,
    /// Limits of all items.
    pub limits: [R; 2],
    /// An item's parameters each, one item's after another's, or null: all have `parameters`.
    pub of_items: *const R,
    /// Parameters of all items.
    pub parameters: Parameters<R>,
    /// Points where intervals begin, beside the integrand's own.
    pub breaks: *const R,
    /// How many.
    pub break_count: u32,
    /// The absolute tolerance,
    pub absolute: R,
    /// and that relative to the integral's magnitude; the larger one counts.
    pub relative: R,
    /// An outcome an item.
    pub output: *mut Outcome<R>,
    /// Items that a warp draws at a time, at least 4.
    pub draw: u32,
    /// [`SCRATCH_WORDS`](super::sizes::SCRATCH_WORDS), all 0 before the first launch.
    pub scratch: *mut u64,
}

impl<R: Real> Batch<R> {
    /// What the error of this integral may be.
    #[inline(always)]
    pub fn tolerance(&self, value: R) -> R {
        self.absolute.larger(self.relative * GpuFloat::abs(value))
    }

    /// The limits of an item.
    ///
    /// # Safety
    /// The item is one; the arrays have room for all.
    #[inline(always)]
    pub unsafe fn limits(&self, item: u64) -> (R, R) {
        let [mut from, mut to] = self.limits;
        // SAFETY: the caller's.
        unsafe {
            if !self.from.is_null() {
                from = *self.from.add(item as usize);
            }
            if !self.to.is_null() {
                to = *self.to.add(item as usize);
            }
        }
        (from, to)
    }

    /// The first `COUNT` parameters of an item.
    ///
    /// # Safety
    /// As [`Batch::limits`].
    #[inline(always)]
    #[allow(
        clippy::needless_range_loop,
        reason = "an iterator would put the array into memory"
    )]
    pub unsafe fn parameters(&self, item: u64, count: usize) -> Parameters<R> {
        let mut parameters = self.parameters;
        if !self.of_items.is_null() {
            for k in 0..MAX_PARAMETERS {
                if k < count {
                    // SAFETY: the caller's.
                    parameters[k] = unsafe { *self.of_items.add(item as usize * count + k) };
                }
            }
        }
        parameters
    }

    /// Where the interval that begins at `left` ends: at the next break, or at the range's
    /// end; places in the range's variable.
    ///
    /// # Safety
    /// The breaks are as many as the batch says.
    #[inline(always)]
    pub unsafe fn next_break<I: Integrand<R>>(
        &self,
        range: &Range<R>,
        parameters: &Parameters<R>,
        left: R,
    ) -> R {
        let (_, mut nearest) = range.interval();
        let mut index = 0;
        while index < I::BREAKS as u32 + self.break_count {
            let x = if index < I::BREAKS as u32 {
                I::break_point(index as usize, parameters)
            } else {
                // SAFETY: the caller's.
                unsafe { *self.breaks.add((index - I::BREAKS as u32) as usize) }
            };
            let place = range.place_of(x);
            if left < place && place < nearest {
                nearest = place;
            }
            index += 1;
        }
        nearest
    }

    /// Writes what an item gave.
    ///
    /// # Safety
    /// Outcomes have room for the item; all lanes of its team call it with the same.
    #[inline(always)]
    pub unsafe fn put(&self, item: u64, value: R, error: R, evaluations: u32, status: u32) {
        // SAFETY: the caller's.
        unsafe { self.put_at(item, [value, error, R::ZERO], evaluations, status) };
    }

    /// Writes that an item gave nothing, and why; `at` says where, if it is of one place.
    ///
    /// # Safety
    /// As [`Batch::put`].
    #[inline(always)]
    pub unsafe fn put_none(&self, item: u64, at: R, evaluations: u32, status: u32) {
        let (nan, infinite) = (R::from_f64(f64::NAN), R::from_f64(f64::INFINITY));
        // SAFETY: the caller's.
        unsafe { self.put_at(item, [nan, infinite, at], evaluations, status) };
    }

    /// # Safety
    /// As [`Batch::put`].
    #[inline(always)]
    unsafe fn put_at(&self, item: u64, numbers: [R; 3], evaluations: u32, status: u32) {
        let [value, error, at] = numbers;
        let outcome = Outcome {
            value,
            error,
            at,
            evaluations,
            status,
            padding: [0; 2],
        };
        if lane_of_team() == 0 {
            // SAFETY: the caller's.
            unsafe { *self.output.add(item as usize) = outcome };
        }
    }

    /// Says that this block takes no more items; the last one to say so sets the scratch
    /// memory up for the next launch.
    ///
    /// # Safety
    /// One thread of every block calls it, when no thread of the block will draw again.
    #[inline(always)]
    pub unsafe fn end(&self) {
        let blocks = u64::from(thread::grid_dim_x());
        // SAFETY: the caller's; all blocks have drawn what they will.
        unsafe {
            if mem::fetch_add_relaxed(self.scratch, 1) == blocks - 1 {
                mem::store_relaxed(self.scratch.add(1), 0);
                mem::store_relaxed(self.scratch, 0);
            }
        }
    }
}

/// This lane's place in its team.
#[inline(always)]
pub fn lane_of_team() -> u32 {
    warp::lane_id() % TEAM
}

/// The sum of the team's numbers, the same in all its lanes.
///
/// # Safety
/// All lanes of the warp call it.
#[inline(always)]
pub unsafe fn of_team<R: Real>(mut own: R) -> R {
    let mut distance = TEAM / 2;
    while distance > 0 {
        // SAFETY: the caller's.
        own = own + unsafe { warp::shuffle_xor(warp::FULL_MASK, own, distance) };
        distance /= 2;
    }
    own
}

/// The number of another lane of the team.
///
/// # Safety
/// All lanes of the warp call it.
#[inline(always)]
pub unsafe fn of_lane<R: Real>(own: R, lane: u32) -> R {
    // SAFETY: the caller's.
    unsafe { warp::warp_shuffle_idx(warp::FULL_MASK, own, lane, TEAM).0 }
}

/// The largest of the team's numbers, the same in all its lanes.
///
/// # Safety
/// All lanes of the warp call it.
#[inline(always)]
pub unsafe fn most_of_team(mut own: u32) -> u32 {
    let mut distance = TEAM / 2;
    while distance > 0 {
        // SAFETY: the caller's.
        let other = unsafe { warp::shuffle_xor(warp::FULL_MASK, own, distance) };
        own = own.max(other);
        distance /= 2;
    }
    own
}

/// Which lanes of the team `is_so` holds of, the first in bit 0.
///
/// # Safety
/// All lanes of the warp call it.
#[inline(always)]
pub unsafe fn votes_of_team(is_so: bool) -> u32 {
    // SAFETY: the caller's.
    let votes = unsafe { warp::warp_vote_ballot(warp::FULL_MASK, is_so) };
    votes >> (warp::lane_id() / TEAM * TEAM) & ((1 << TEAM) - 1)
}

/// Items that a warp has drawn and not yet given to a team; the same in all lanes.
pub struct Drawn {
    next: u64,
    end: u64,
}

impl Drawn {
    /// None.
    pub const NONE: Self = Self { next: 0, end: 0 };

    /// Whether there are none left, drawn or to draw.
    #[inline(always)]
    pub fn is_empty<R: Real>(&self, batch: &Batch<R>) -> bool {
        self.next >= batch.n
    }

    /// An item for each team that wants one, as long as there are any.
    ///
    /// # Safety
    /// All lanes of the warp call it, those of a team wanting the same.
    #[inline(always)]
    pub unsafe fn take<R: Real>(&mut self, wants: bool, batch: &Batch<R>) -> Option<u64> {
        let is_first = lane_of_team() == 0;
        // SAFETY: the caller's.
        let wanting = unsafe { warp::warp_vote_ballot(warp::FULL_MASK, wants && is_first) };
        let (wanted, left) = (u64::from(wanting.count_ones()), self.end - self.next);
        let (old, mut new) = (self.next, 0);
        self.next += wanted;
        if wanted > left {
            if warp::lane_id() == 0 {
                // SAFETY: the caller's.
                new =
                    unsafe { mem::fetch_add_relaxed(batch.scratch.add(1), u64::from(batch.draw)) };
            }
            // SAFETY: the caller's.
            new = unsafe { warp::shuffle_idx(warp::FULL_MASK, new, 0) };
            self.next = new + (wanted - left);
            self.end = new + u64::from(batch.draw);
        }
        let before = wanting & ((1 << (warp::lane_id() / TEAM * TEAM)) - 1);
        let rank = u64::from(before.count_ones());
        let item = if rank < left {
            old + rank
        } else {
            new + (rank - left)
        };
        (wants && item < batch.n).then_some(item)
    }
}
