//! The scans of many short lines, one behind the other: a group of lanes has each, and walks down it.
//!
//! Association: a lane its `E` elements in order, the lanes of a group by Hillis and Steele's steps, and
//! what the group reads next behind that: of lines that a warp holds as in
//! [`one_block`](super::one_block).

use core::array::from_fn;
use cuda_std::{misc, thread, warp};

use super::lanes::{self, unspecified};
use super::partial::Partial;
use super::request::Request;
use super::shape::lanes_of_line;
use crate::operator::Operator;

pub use super::shape::most_of_line as most;

/// Scans lines of `n` elements; `scratch` is not an address, but says how many there are.
///
/// # Safety
/// Blocks of whole warps, with a group of [`lanes_of_line`] lanes for every line; input and output hold
/// the lines, and are the same or do not overlap. The launches before are done.
#[inline(always)]
pub unsafe fn scan<O: Operator, const E: usize>(request: &Request<O>) {
    let n = request.n as u32;
    let size = lanes_of_line(n, E);
    let thread = u64::from(thread::block_idx_x()) * u64::from(thread::block_dim_x())
        + u64::from(thread::thread_idx_x());
    let lane = warp::lane_id() % size;
    let line = thread / u64::from(size);
    // Lanes without a line have one of no elements.
    let own = if line < request.scratch.addr() as u64 {
        n
    } else {
        0
    };
    let from = request.input.wrapping_add(line as usize * n as usize);
    let to = request.output.wrapping_add(line as usize * n as usize);
    let mut before = request.initial();
    let mut tile = 0;
    // SAFETY: the caller's; elements that exist are read, where there are any.
    unsafe {
        while tile < n {
            let first = tile + lane * E as u32;
            let count = own.saturating_sub(first).min(E as u32) as usize;
            let mut items = [unspecified::<O::Input>(); E];
            if own > 0 {
                // No read waits behind a branch for another.
                items = from_fn(|i| *from.wrapping_add((first + i as u32).min(n - 1) as usize));
            }
            let mut scanned = O::transform(items[0]);
            for i in 1..E {
                if i < count {
                    scanned = O::combine(scanned, O::transform(items[i]));
                }
            }
            let with = (n - tile).div_ceil(E as u32).min(size);
            let mut delta = 1;
            while delta < size {
                let below = lanes::shuffle_up(scanned, delta);
                if lane >= delta && lane < with {
                    scanned = O::combine(below, scanned);
                }
                delta = misc::in_register(2 * delta);
            }
            let exclusive = lanes::shuffle_up(scanned, 1);
            let group = warp::lane_id() - lane;
            let all = lanes::from_lane(scanned, group + with - 1);
            let mut running = before;
            if lane > 0 {
                running = Partial::some(before.then::<O>(exclusive));
            }
            for i in 0..E {
                if i < count {
                    let behind = Partial::some(running.then::<O>(O::transform(items[i])));
                    let result = if request.is_exclusive() {
                        running
                    } else {
                        behind
                    };
                    *to.wrapping_add(first as usize + i) = request.result(result.value, false);
                    running = behind;
                }
            }
            before.value = before.then::<O>(all);
            // Not known to the compiler, which would make two loops of this one.
            before.exists = misc::in_register(1) != 0;
            tile += size * E as u32;
        }
    }
}
