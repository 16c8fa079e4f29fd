//! The scans of the lines of an array along an axis that is not the last: an array of `outer` by `n` by
//! `stride` elements has `outer * stride` lines of `n` elements, of which neighbours lie `stride` apart.
//!
//! A block walks down a strip of [`LANES`] neighbouring lines, a line a lane, so that a warp reads
//! neighbouring elements. Few long lines are cut into parts, a row of the grid each: one launch writes
//! the [`TOTALS`] of the parts, another scans each behind those before it.
//!
//! Association: a warp its [`TIMES`] `* R * E` elements in order; the warps of a tile in order, behind what lies
//! before the tile; then each element behind what lies before the warp's.

use core::array::from_fn;
use cuda_std::{misc, thread, warp};

use super::TOTALS;
use super::lanes::LANES;
use super::lookahead::shared_at;
use super::partial::Partial;
use super::request::Request;
use super::shape::TIMES;
use crate::operator::Operator;

/// The part of its strip that a block has, as one of its lanes sees it.
struct Strip {
    /// The index of the line's first element; of lanes without a line another's.
    line: usize,
    /// Whether the lane has a line.
    is_there: bool,
    /// The place of the total of the line's first part.
    totals: usize,
    /// Elements from one of the line's to the next.
    stride: usize,
    /// The number of the part.
    part: u32,
    /// Its elements: from `begin` to before `end`.
    begin: u64,
    end: u64,
}

impl Strip {
    /// The block's, of lines of `n` elements, which it walks down in tiles of `tile`.
    #[inline(always)]
    fn new(n: u64, stride: u64, tile: u64) -> Self {
        let strips = stride.div_ceil(u64::from(LANES));
        let block = u64::from(thread::block_idx_x());
        let (slice, strip) = (block / strips, block % strips);
        let own = strip * u64::from(LANES) + u64::from(warp::lane_id());
        let nearest = own.min(stride - 1);
        let (part, parts) = (thread::block_idx_y(), thread::grid_dim_y());
        let of_part = n.div_ceil(tile).div_ceil(parts.into()) * tile;
        Self {
            line: (slice * n * stride + nearest) as usize,
            is_there: own < stride,
            totals: (slice * u64::from(parts) * stride + nearest) as usize,
            stride: stride as usize,
            part,
            begin: u64::from(part) * of_part,
            end: (u64::from(part + 1) * of_part).min(n),
        }
    }
}

/// Scans the block's part of its strip, or finds what it is together. In the request `n` is the number of
/// elements of a line, `words` the stride.
///
/// # Safety
/// Blocks of whole warps, with dynamic shared memory for two accumulators a thread: one for every strip
/// of a slice of `n * stride` elements, and by rows of the grid one for every part of it. Where there are
/// several parts, the scratch memory has room for an accumulator of every line and part. Input and output
/// hold the array, and are the same or do not overlap; the latter is not written where
/// [`TOTALS`] are asked for. The launches before are done.
#[inline(always)]
pub unsafe fn scan<O: Operator, const R: usize, const E: usize>(request: &Request<O>) {
    let (warps, each) = (thread::block_dim_x() / LANES, (TIMES * R * E) as u64);
    let (warp, lane) = (thread::thread_idx_x() / LANES, warp::lane_id());
    let tile = u64::from(warps) * each;
    let strip = Strip::new(request.n, request.words, tile);
    let totals = request.scratch.cast::<O::Accumulator>();
    let totals = totals.wrapping_add(strip.totals);
    let is_total = request.flags & TOTALS != 0;
    let (mut before, mut first, mut turn) = (Partial::none(), strip.begin, 0);
    // SAFETY: the caller's; totals of warps are written and read on different sides of a barrier,
    // and those of the next tile lie elsewhere.
    unsafe {
        if !is_total {
            before = request.initial();
            for part in 0..strip.part as usize {
                let total = *totals.wrapping_add(part * strip.stride);
                before = known::<O>(before.then::<O>(total));
            }
        }
        while first < strip.end {
            let own = first + u64::from(warp) * each;
            let items = read::<O, R, E>(request, &strip, own);
            let count = strip.end.saturating_sub(own).min(each) as usize;
            let at = |warp: u32| {
                let place = (turn * warps + warp) * LANES + lane;
                shared_at::<O::Accumulator>(place as usize * size_of::<O::Accumulator>())
            };
            *at(warp) = total::<O, R, E>(&items, count);
            thread::sync_threads();
            let with = (strip.end - first).div_ceil(each).min(warps.into()) as u32;
            let mut prefix = before;
            // Of so many warps that it is not unrolled.
            let mut other = 0;
            while other < misc::in_register(with) {
                if other == warp {
                    prefix = before;
                }
                before = known::<O>(before.then::<O>(*at(other)));
                other += 1;
            }
            if !is_total && strip.is_there {
                write::<O, R, E>(request, &strip, own, (&items, count), prefix);
            }
            first += tile;
            turn = 1 - turn;
        }
        if is_total && strip.is_there && warp == 0 && strip.begin < strip.end {
            *totals.wrapping_add(strip.part as usize * strip.stride) = before.value;
        }
    }
}

/// A combination of some elements, of which the compiler does not know it: of a loop in which there are
/// none at first it would make two.
#[inline(always)]
fn known<O: Operator>(value: O::Accumulator) -> Partial<O::Accumulator> {
    Partial {
        value,
        exists: misc::in_register(1) != 0,
    }
}

/// The elements of the lane's line from `first` on; behind the end the line's last.
///
/// # Safety
/// The lines are there.
#[inline(always)]
unsafe fn read<O: Operator, const R: usize, const E: usize>(
    request: &Request<O>,
    strip: &Strip,
    first: u64,
) -> [[[O::Input; E]; R]; TIMES] {
    let line = request.input.wrapping_add(strip.line);
    let item = |i: u64| {
        let at = (first + i).min(request.n - 1) as usize * strip.stride;
        // SAFETY: the caller's. No read waits behind a branch for another.
        unsafe { *line.wrapping_add(at) }
    };
    from_fn(|t| from_fn(|r| from_fn(|i| item(((t * R + r) * E + i) as u64))))
}

/// The first `count` items combined, in order; nothing in particular where there is none.
#[inline(always)]
fn total<O: Operator, const R: usize, const E: usize>(
    items: &[[[O::Input; E]; R]; TIMES],
    count: usize,
) -> O::Accumulator {
    let mut total = O::transform(items[0][0][0]);
    for i in 1..TIMES * R * E {
        if i < count {
            total = O::combine(total, O::transform(items[i / (R * E)][i / E % R][i % E]));
        }
    }
    total
}

/// Writes the scan of the first `count` items behind `prefix`, from index `first` of the line on.
///
/// # Safety
/// The results are the lane's to write.
#[inline(always)]
unsafe fn write<O: Operator, const R: usize, const E: usize>(
    request: &Request<O>,
    strip: &Strip,
    first: u64,
    (items, count): (&[[[O::Input; E]; R]; TIMES], usize),
    prefix: Partial<O::Accumulator>,
) {
    let to = request
        .output
        .wrapping_add(strip.line + first as usize * strip.stride);
    let mut before = prefix;
    for i in 0..TIMES * R * E {
        if i < count {
            let behind =
                Partial::some(before.then::<O>(O::transform(items[i / (R * E)][i / E % R][i % E])));
            let result = if request.is_exclusive() {
                before
            } else {
                behind
            };
            // SAFETY: the caller's.
            unsafe { *to.wrapping_add(i * strip.stride) = request.result(result.value, false) };
            before = behind;
        }
    }
}
