//! A warp's part of an array, read tile by tile and combined in order.
//!
//! A *tile* is `R` rows of a unit a lane ([`vectors`](super::vectors)), which are asked
//! for together. Association: a lane the elements of its unit, one after the other; then
//! pairs of neighbouring lanes, of neighbouring pairs, and so on; then pairs of
//! neighbouring rows in the same way; the tiles one after the other. Where the array ends
//! in a tile, what would stand to the right of a combine is missing.
//!
//! Rows are combined across lanes all at once: with every step each lane hands half of
//! its rows to its neighbour and gets the neighbour's part of the other half, so that `R`
//! rows take not 5 `R` exchanges but `R` + 4, and log2 `R` in the end.

use bytemuck::Pod;
use core::array::from_fn;
use core::ops::Range;
use cuda_std::mem::{LoadHint, load_global};
use cuda_std::warp;

use super::sizes::elements;
use super::vectors::Vectors;
use crate::operator::Operator;
use crate::scan::items::{self, Items, Vector};
use crate::scan::lanes::{self, LANES, unspecified, words_of};
use crate::scan::segment_flags::bits::SegmentFlags;

/// The tiles `tiles` of the array combined, in every lane. There is at least one.
///
/// # Safety
/// All lanes of the warp call it; the array may be read.
#[inline(always)]
pub unsafe fn total<O: Operator, const R: usize, const U: usize, const E: usize>(
    array: &Vectors<O::Input>,
    n: u64,
    tiles: Range<u32>,
) -> O::Accumulator {
    let units = R as u64 * u64::from(LANES);
    let whole = array.whole_pieces::<U>(units);
    let mut total = unspecified();
    let mut tile = tiles.start;
    // SAFETY: the caller's; whole vectors are read where they are whole.
    unsafe {
        while tile < tiles.end {
            let before = (total, tile > tiles.start);
            if whole.contains(&tile) {
                let stretch = tile..tiles.end.min(whole.end);
                tile = stretch.end;
                total = if array.is_shifted() {
                    of_whole::<O, true, R, U, E>(array, stretch, before)
                } else {
                    of_whole::<O, false, R, U, E>(array, stretch, before)
                };
            } else {
                let first = u64::from(tile) * units;
                let mut rows = array.edge::<R, U>(first);
                if array.is_shifted() {
                    rows = rows.aligned(array);
                }
                let count = (n - first * E as u64).min(elements(R, E)) as u32;
                let own = combined::<O, R, U, E>(&rows.items(), count);
                total = behind::<O>(before, own);
                tile += 1;
            }
        }
    }
    total
}

/// `tiles`, whose vectors are all whole, combined one after the other behind `before`,
/// where there is something.
///
/// # Safety
/// As for [`total`], and `SHIFTED` says whether elements lie across vectors.
#[inline(always)]
unsafe fn of_whole<
    O: Operator,
    const SHIFTED: bool,
    const R: usize,
    const U: usize,
    const E: usize,
>(
    array: &Vectors<O::Input>,
    tiles: Range<u32>,
    mut before: (O::Accumulator, bool),
) -> O::Accumulator {
    for tile in tiles {
        let first = u64::from(tile) * R as u64 * u64::from(LANES);
        // SAFETY: the caller's.
        let own = unsafe {
            let mut rows = array.whole::<SHIFTED, R, U>(first);
            if SHIFTED {
                rows = rows.aligned(array);
            }
            combined::<O, R, U, E>(&rows.items(), elements(R, E) as u32)
        };
        before = (behind::<O>(before, own), true);
    }
    before.0
}

/// `own`, behind what is before it, if anything.
#[inline(always)]
fn behind<O: Operator>(before: (O::Accumulator, bool), own: O::Accumulator) -> O::Accumulator {
    match before {
        (before, true) => O::combine(before, own),
        (_, false) => own,
    }
}

/// The first `count` elements of a tile combined, in every lane. There are some.
///
/// # Safety
/// All lanes of the warp call it, with the same `count`.
#[inline(always)]
pub unsafe fn combined<O: Operator, const R: usize, const U: usize, const E: usize>(
    items: &[Items<O::Input, U>; R],
    count: u32,
) -> O::Accumulator {
    const {
        assert!(
            R.is_power_of_two() && R <= LANES as usize,
            "rows are halved"
        )
    };
    let lane = warp::lane_id();
    let mut values = [unspecified(); R];
    for row in 0..R {
        let before = (row as u32 * LANES + lane) * E as u32;
        let mine = count.saturating_sub(before).min(E as u32);
        if mine > 0 {
            values[row] =
                items::total::<O, U, E>(&items[row], &SegmentFlags::none(), mine as usize);
        }
    }
    // SAFETY: the caller's.
    unsafe { across_lanes::<O, R>(values, count.div_ceil(E as u32)) }
}

/// The values of the first `units` units combined, row after row. In every lane.
///
/// # Safety
/// As for [`combined`].
#[inline(always)]
unsafe fn across_lanes<O: Operator, const R: usize>(
    mut values: [O::Accumulator; R],
    units: u32,
) -> O::Accumulator {
    let lane = warp::lane_id();
    // The first of the rows that the lane has, and how many.
    let (mut row, mut rows) = (0, R);
    for step in 0..LANES.ilog2() {
        let bit = 1 << step;
        let is_right = lane & bit != 0;
        // The unit with which the right part begins, in its row.
        let begin = lane & !(2 * bit - 1) | bit;
        let is_halving = rows > 1;
        if is_halving {
            rows /= 2;
            row += if is_right { rows } else { 0 };
        }
        for i in 0..R {
            if i < rows {
                let (own, given) = match (is_halving, is_right) {
                    (false, _) => (values[i], values[i]),
                    (true, false) => (values[i], values[i + rows]),
                    (true, true) => (values[i + rows], values[i]),
                };
                // SAFETY: the caller's.
                let got = unsafe { of_neighbour(given, bit) };
                let has_right = (row + i) as u32 * LANES + begin < units;
                values[i] = in_order::<O>(own, got, is_right, has_right);
            }
        }
    }
    // The lane's lowest bits are, in reverse, the row's number.
    let mut total = values[0];
    for step in (0..R.ilog2()).rev() {
        let bit = 1 << step;
        let apart = R >> (step + 1);
        let begin = (row & !(2 * apart - 1) | apart) as u32 * LANES;
        // SAFETY: the caller's.
        let got = unsafe { of_neighbour(total, bit) };
        total = in_order::<O>(total, got, lane & bit != 0, begin < units);
    }
    total
}

/// `own` and `got` combined, of which the right one may be missing.
#[inline(always)]
fn in_order<O: Operator>(
    own: O::Accumulator,
    got: O::Accumulator,
    is_right: bool,
    has_right: bool,
) -> O::Accumulator {
    let (left, right) = if is_right { (got, own) } else { (own, got) };
    if has_right {
        O::combine(left, right)
    } else {
        left
    }
}

/// The values of the first `count` lanes, at most `MOST`, combined in pairs of neighbours,
/// pairs of neighbouring pairs, and so on: in each of the first `MOST` lanes, if there are
/// any. Of a power of two, so in every group of as many lanes, each with a `count` of its own.
///
/// # Safety
/// All lanes of the warp call it, those of a group with the same `count`.
#[inline(always)]
pub unsafe fn pairs<O: Operator, const MOST: usize>(
    value: O::Accumulator,
    count: u32,
) -> O::Accumulator {
    let lane = warp::lane_id() % MOST.next_power_of_two() as u32;
    let mut total = value;
    for step in 0..MOST.next_power_of_two().ilog2() {
        let bit = 1 << step;
        let begin = lane & !(2 * bit - 1) | bit;
        // SAFETY: the caller's.
        let got = unsafe { of_neighbour(total, bit) };
        total = in_order::<O>(total, got, lane & bit != 0, begin < count);
    }
    total
}

/// The value of the lane whose number differs in `bit`.
///
/// # Safety
/// All lanes of the warp call it.
#[inline(always)]
unsafe fn of_neighbour<T: Pod>(value: T, bit: u32) -> T {
    let mut words = lanes::to_words(value);
    for word in words.iter_mut().take(words_of::<T>()) {
        // SAFETY: the caller's.
        *word = unsafe { warp::shuffle_xor(warp::FULL_MASK, *word, bit) };
    }
    lanes::from_words(words)
}

/// Where a warp's only tile is, and how much of it there is.
#[derive(Clone, Copy)]
pub struct Place<T> {
    from: *const T,
    /// Elements.
    count: u32,
    /// Whether all of the tile is there,
    is_whole: bool,
    /// and whether it begins with a vector.
    is_aligned: bool,
}

impl<T: Pod> Place<T> {
    /// Tile `tile` of `R` rows of the array of `n` elements at `input`.
    #[inline(always)]
    pub fn new<const R: usize, const E: usize>(input: *const T, n: u64, tile: u32) -> Self {
        let first = u64::from(tile) * elements(R, E);
        let count = n.saturating_sub(first).min(elements(R, E)) as u32;
        let from = input.wrapping_add(first as usize);
        let is_aligned = from.addr().is_multiple_of(size_of::<Vector>());
        Self {
            from,
            count,
            is_whole: count == elements(R, E) as u32,
            is_aligned,
        }
    }

    /// Asks for its lines into the L2 cache. This reads nothing: it may be done before what
    /// earlier launches write is there.
    ///
    /// # Safety
    /// The array is in global memory.
    #[inline(always)]
    pub unsafe fn prefetch<const R: usize, const E: usize>(&self) {
        let size = size_of::<T>() as u32;
        let most = elements(R, E) as u32;
        // SAFETY: the caller's; it is within the array.
        unsafe { lanes::prefetch(self.from.cast(), self.count * size, most * size) };
    }

    /// Asks for the lane's elements. Nothing waits for them before they are used.
    ///
    /// # Safety
    /// All lanes of the warp call it; the array may be read.
    #[inline(always)]
    pub unsafe fn read<const R: usize, const U: usize, const E: usize>(&self) -> [Items<T, U>; R] {
        // One branch around all loads: none waits for another.
        // SAFETY: the caller's; only elements that there are are read.
        unsafe {
            if self.is_aligned && self.is_whole {
                from_fn(|r| self.unit::<U>(r as u32 * LANES + warp::lane_id()))
            } else if self.is_aligned && self.count >= E as u32 {
                self.first_part::<R, U, E>()
            } else if self.count > 0 {
                from_fn(|r| self.one_by_one::<U, E>(r as u32 * LANES + warp::lane_id()))
            } else {
                [Items::none(); R]
            }
        }
    }

    /// Reads unit `unit` of the tile.
    ///
    /// # Safety
    /// It is there, and the place is aligned.
    #[inline(always)]
    unsafe fn unit<const U: usize>(&self, unit: u32) -> Items<T, U> {
        let from = self.from.cast::<Vector>().wrapping_add(unit as usize * U);
        // SAFETY: the caller's.
        let load = |v: usize| unsafe { load_global(from.wrapping_add(v), LoadHint::All) };
        Items::new(from_fn(load))
    }

    /// Reads unit `unit` of the tile element by element: for those that are not there the
    /// last one, which is forgotten.
    ///
    /// # Safety
    /// There are elements.
    #[inline(always)]
    unsafe fn one_by_one<const U: usize, const E: usize>(&self, unit: u32) -> Items<T, U> {
        let mut items = Items::none();
        for i in 0..E {
            let at = (unit * E as u32 + i as u32).min(self.count - 1);
            // SAFETY: the caller's.
            items.put(i, unsafe { *self.from.wrapping_add(at as usize) });
        }
        items
    }

    /// [`read`](Self::read) of a tile of which only the first units are there, and of the
    /// last one only a part.
    ///
    /// # Safety
    /// There is a whole unit, and the place is aligned.
    #[inline(always)]
    unsafe fn first_part<const R: usize, const U: usize, const E: usize>(
        &self,
    ) -> [Items<T, U>; R] {
        let whole = self.count / E as u32;
        let own = |r: usize| r as u32 * LANES + warp::lane_id();
        // SAFETY: the caller's. Where there is no whole unit another one is read, and
        // forgotten.
        unsafe {
            let units: [Items<T, U>; R] = from_fn(|r| self.unit::<U>(own(r).min(whole - 1)));
            let last = self.one_by_one::<U, E>(whole).vectors();
            from_fn(|r| {
                let unit = units[r].vectors();
                let is_last = own(r) == whole;
                Items::new(from_fn(|v| {
                    from_fn(|w| if is_last { last[v][w] } else { unit[v][w] })
                }))
            })
        }
    }

    /// What was [read](Self::read) combined, in every lane; nothing in particular where
    /// there is nothing.
    ///
    /// # Safety
    /// All lanes of the warp call it.
    #[inline(always)]
    pub unsafe fn total<O: Operator<Input = T>, const R: usize, const U: usize, const E: usize>(
        &self,
        items: &[Items<T, U>; R],
    ) -> O::Accumulator {
        // SAFETY: the caller's.
        unsafe {
            if self.is_whole {
                combined::<O, R, U, E>(items, elements(R, E) as u32)
            } else {
                combined::<O, R, U, E>(items, self.count)
            }
        }
    }
}
