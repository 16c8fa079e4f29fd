//! Warps that sum a chunk together, and the shared memory in which lanes have their sums.

use cuda_std::{shared_array, thread, warp};

use super::plane::Weighted;
use super::region::{BEST, COEFFICIENTS, TEAM, WARPS};
use crate::LANES;

/// Numbers between two sums of a warp: a lane each, and one more, so that lanes that read have
/// banks of their own.
const PITCH: u32 = LANES + 1;
/// Numbers of a warp.
const WORDS: u32 = BEST as u32 * PITCH;
/// And of a block: of its warps, or of a team and the planes of its lanes.
const WORDS_OF_BLOCK: u32 = {
    let (alone, together) = (WARPS * WORDS, WORDS + TEAM * Weighted::NUMBERS * LANES);
    if alone > together { alone } else { together }
};

/// How many warps sum a chunk together.
#[inline(always)]
pub(super) fn team() -> u32 {
    if thread::block_dim_x() > WARPS * LANES {
        TEAM
    } else {
        1
    }
}

/// The warp's number among them.
#[inline(always)]
pub(super) fn of_team() -> u32 {
    thread::thread_idx_x() / LANES % team()
}

/// All of them wait for each other.
///
/// # Safety
/// All lanes of the team's warps call it.
#[inline(always)]
pub(super) unsafe fn sync_team() {
    // SAFETY: the caller's; a team of several is the block.
    unsafe {
        if team() > 1 {
            thread::sync_threads();
        } else {
            warp::sync_warp(warp::FULL_MASK);
        }
    }
}

/// The block's shared memory: sums of [`WARPS`] warps, or those of a team and a plane a lane.
#[inline(always)]
fn shared(index: u32) -> *mut f64 {
    shared_array![f64; WORDS_OF_BLOCK as usize].wrapping_add(index as usize)
}

/// A lane's place for a coefficient of an axis, or another sum.
///
/// # Safety
/// There are as many sums, and no more warps than [`WARPS`] or a [`TEAM`].
#[inline(always)]
pub(super) unsafe fn slot(index: usize) -> *mut f64 {
    let team = thread::thread_idx_x() / LANES / team();
    shared(team * WORDS + warp::lane_id()).wrapping_add(index * PITCH as usize)
}

impl Weighted {
    /// A lane's place for one of them, of a warp of the team.
    #[inline(always)]
    fn place(warp: u32, number: usize) -> *mut f64 {
        let of_warp = WORDS + warp * Self::NUMBERS * LANES + warp::lane_id();
        shared(of_warp).wrapping_add(number * LANES as usize)
    }

    /// Shows it to the team.
    ///
    /// # Safety
    /// All lanes of the team call it, each with its warp's number, and have read what was there.
    #[inline(always)]
    pub(super) unsafe fn share(&self, own: u32) {
        let first = [
            self.value,
            self.magnitude,
            self.weight,
            f64::from_bits(self.indices),
        ];
        // SAFETY: the caller's.
        unsafe {
            for (number, of) in first.iter().enumerate() {
                *Self::place(own, number) = *of;
            }
            for (number, of) in self.coefficients.as_flattened().iter().enumerate() {
                *Self::place(own, first.len() + number) = *of;
            }
            sync_team();
        }
    }

    /// That of the same lane in a warp of the team.
    ///
    /// # Safety
    /// It was [shared](Self::share).
    #[inline(always)]
    pub(super) unsafe fn shared_by(warp: u32) -> Self {
        // SAFETY: the caller's.
        let number = |number: usize| unsafe { *Self::place(warp, number) };
        let mut coefficients = [[0.0; COEFFICIENTS]; 2];
        for (m, of) in coefficients.as_flattened_mut().iter_mut().enumerate() {
            *of = number(4 + m);
        }
        Self {
            value: number(0),
            magnitude: number(1),
            weight: number(2),
            indices: number(3).to_bits(),
            coefficients,
        }
    }
}
