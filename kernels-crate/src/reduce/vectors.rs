//! An array in global memory as vectors of 16 bytes, wherever it begins.
//!
//! The accesses are of whole vectors at multiples of 16, so that an array that begins
//! elsewhere is read as quickly as one that does not: its elements are moved between
//! neighbouring lanes afterwards ([`Rows::aligned`]). A vector that is the array's in part
//! alone, at either end, is put together from smaller accesses: not a byte is read that
//! is not the array's.
//!
//! A lane's *unit* is `U` vectors, which hold `E` whole elements: 1, or 3 for elements of
//! 3, 6 and 12 bytes. A *row* is a unit for every lane of a warp.

use bytemuck::Pod;
use core::array::from_fn;
use core::ops::Range;
use cuda_std::mem::{LoadHint, load_global, prefetch_l2};
use cuda_std::warp;

use super::sizes::BYTES;
use crate::scan::items::{Items, Vector};
use crate::scan::lanes::{LANES, unspecified};

/// Vectors that are fetched from memory at once, at least.
const A_SECTOR: u64 = 2;

/// Bytes of the largest access that every element consists of.
const fn granule<T>() -> u64 {
    let power = size_of::<T>() & size_of::<T>().wrapping_neg();
    power as u64
}

/// `n` elements, at least one.
pub struct Vectors<T> {
    input: *const T,
    n: u64,
    /// The vector with the first byte.
    first: *const Vector,
    /// Bytes before the array in it.
    shift: u32,
    /// The vectors that are the array's as a whole: from this one
    begin: u64,
    /// to before this one.
    end: u64,
}

impl<T: Pod> Vectors<T> {
    /// The array of `n` elements at `input`.
    #[inline(always)]
    pub fn new(input: *const T, n: u64) -> Self {
        let shift = input.addr() as u64 % BYTES;
        Self {
            input,
            n,
            first: input.wrapping_byte_sub(shift as usize).cast(),
            shift: shift as u32,
            begin: u64::from(shift > 0),
            end: (shift + n * size_of::<T>() as u64) / BYTES,
        }
    }

    /// Whether elements lie across the vectors' bounds.
    #[inline(always)]
    pub fn is_shifted(&self) -> bool {
        self.shift > 0
    }

    /// The pieces of `units` units whose vectors are all whole: from `start` to before
    /// `end`, if that is not smaller.
    #[inline(always)]
    pub fn whole_pieces<const U: usize>(&self, units: u64) -> Range<u32> {
        // Where elements lie across, the first piece begins with a vector that is not
        // whole, and every one ends in the vector with which the next begins.
        let behind = self.end.saturating_sub(u64::from(self.is_shifted()));
        self.begin as u32..(behind / (units * U as u64)) as u32
    }

    /// Asks for the lines of the rows from `unit` on into the L2 cache, as far as they are
    /// the array's: a hint, for a later read.
    ///
    /// # Safety
    /// The array is in global memory.
    #[inline(always)]
    pub unsafe fn prefetch<const R: usize, const U: usize>(&self, unit: u64) {
        let mut vector = unit * U as u64 + u64::from(warp::lane_id()) * A_SECTOR;
        for _ in 0..(R * U).div_ceil(A_SECTOR as usize) {
            if (self.begin..self.end).contains(&vector) {
                // SAFETY: the caller's; it is within the array.
                unsafe { prefetch_l2(self.first.wrapping_add(vector as usize)) };
            }
            vector += u64::from(LANES) * A_SECTOR;
        }
    }

    /// Reads the rows from `unit` on, whose vectors are whole.
    ///
    /// # Safety
    /// All lanes of the warp call it; the array may be read; `SHIFTED` is
    /// [`is_shifted`](Self::is_shifted), and the units are
    /// [whole](Self::whole_pieces).
    #[inline(always)]
    pub unsafe fn whole<const SHIFTED: bool, const R: usize, const U: usize>(
        &self,
        unit: u64,
    ) -> Rows<R, U> {
        let at = self.first.wrapping_add(unit as usize * U);
        let own = at.wrapping_add(warp::lane_id() as usize * U);
        let row = LANES as usize * U;
        // SAFETY: the caller's.
        unsafe {
            let load = |from: *const Vector| load_global(from, LoadHint::All);
            Rows {
                rows: from_fn(|r| from_fn(|v| load(own.wrapping_add(r * row + v)))),
                beyond: if SHIFTED {
                    load(at.wrapping_add(R * row))
                } else {
                    [0; 4]
                },
            }
        }
    }

    /// Reads the rows from `unit` on, as far as they are the array's.
    ///
    /// No access waits for another: each is made somewhere in the array, and forgotten
    /// where it was made for nothing.
    ///
    /// # Safety
    /// All lanes of the warp call it; the array may be read, and has elements from the unit
    /// on.
    #[inline(always)]
    pub unsafe fn edge<const R: usize, const U: usize>(&self, unit: u64) -> Rows<R, U> {
        let first = unit * U as u64;
        let at = self.first.wrapping_add(first as usize);
        // From here on vectors are counted from the tile's first one.
        let begin = self.begin.saturating_sub(first) as u32;
        let end = (self.end - first).min(u64::from(u32::MAX)) as u32;
        let own = warp::lane_id() * U as u32;
        let row = LANES * U as u32;
        let behind = R as u32 * row;
        // SAFETY: the caller's.
        unsafe {
            let tail = self.assembled(self.end);
            let mut loaded = Rows {
                rows: [[[0; 4]; U]; R],
                beyond: [0; 4],
            };
            if begin < end {
                let load = |i: u32| {
                    let i = i.clamp(begin, end - 1);
                    load_global(at.wrapping_add(i as usize), LoadHint::All)
                };
                loaded.rows = from_fn(|r| from_fn(|v| load(own + r as u32 * row + v as u32)));
                loaded.beyond = load(behind);
            }
            let head = if self.is_shifted() {
                self.assembled(0)
            } else {
                tail
            };
            let pick = |i: u32, whole: Vector| {
                if i == end {
                    tail
                } else if i < begin {
                    head
                } else {
                    whole
                }
            };
            for r in 0..R {
                for v in 0..U {
                    let i = own + r as u32 * row + v as u32;
                    loaded.rows[r][v] = pick(i, loaded.rows[r][v]);
                }
            }
            loaded.beyond = pick(behind, loaded.beyond);
            loaded
        }
    }

    /// The vector `at`, of whose bytes those that are not the array's are others.
    ///
    /// # Safety
    /// The array may be read.
    #[inline(always)]
    unsafe fn assembled(&self, at: u64) -> Vector {
        let granule = const { granule::<T>() };
        let last = (self.n * size_of::<T>() as u64 / granule).wrapping_sub(1);
        let before = u64::from(self.shift) / granule;
        // SAFETY: only granules of the array are read, and the address of a granule is a
        // multiple of its size, as that of an element is.
        unsafe {
            let read = |j: u64| {
                let i = (at * (BYTES / granule) + j)
                    .saturating_sub(before)
                    .min(last) as usize;
                match granule {
                    1 => u64::from(*self.input.cast::<u8>().wrapping_add(i)),
                    2 => u64::from(*self.input.cast::<u16>().wrapping_add(i)),
                    4 => u64::from(*self.input.cast::<u32>().wrapping_add(i)),
                    8 => *self.input.cast::<u64>().wrapping_add(i),
                    _ => 0,
                }
            };
            let half = |h: u64| {
                let mut bits = 0;
                for j in 0..8 {
                    if j < 8 / granule {
                        bits |= read(h * (8 / granule) + j) << (8 * granule * j);
                    }
                }
                bits
            };
            if granule == BYTES {
                return [0; 4]; // Vectors are elements: none is in parts.
            }
            let (low, high) = (half(0), half(1));
            [
                low as u32,
                (low >> 32) as u32,
                high as u32,
                (high >> 32) as u32,
            ]
        }
    }
}

/// Rows of vectors as they were read: a lane's units, and the vector behind the last
/// lane's last one.
pub struct Rows<const R: usize, const U: usize> {
    rows: [[Vector; U]; R],
    beyond: Vector,
}

impl<const R: usize, const U: usize> Rows<R, U> {
    /// Rows of these vectors.
    #[inline(always)]
    pub fn new(rows: [[Vector; U]; R]) -> Self {
        Self {
            rows,
            beyond: [0; 4],
        }
    }

    /// The vectors.
    #[inline(always)]
    pub fn vectors(&self) -> &[[Vector; U]; R] {
        &self.rows
    }

    /// The lane's elements.
    #[inline(always)]
    pub fn items<T: Pod>(&self) -> [Items<T, U>; R] {
        self.rows.map(Items::new)
    }

    /// The rows as they would be if the array began at a multiple of 16: every lane's
    /// bytes from `shift` on, and the first ones of the next.
    ///
    /// # Safety
    /// All lanes of the warp call it.
    #[inline(always)]
    pub unsafe fn aligned<T: Pod>(self, array: &Vectors<T>) -> Self {
        let lane = warp::lane_id();
        let rows = from_fn(|r| {
            let next = if r + 1 < R {
                self.rows[r + 1][0]
            } else {
                self.beyond
            };
            // The last lane's neighbour is the first one, in the next row.
            let given = if lane == 0 { next } else { self.rows[r][0] };
            let mut words = [unspecified::<u32>(); 16];
            for w in 0..4 {
                for v in 0..U {
                    words[4 * v + w] = self.rows[r][v][w];
                }
                let of = (lane + 1) % LANES;
                // SAFETY: the caller's.
                words[4 * U + w] = unsafe { warp::shuffle_idx(warp::FULL_MASK, given[w], of) };
            }
            let words = shifted::<T>(words, array.shift);
            from_fn(|v| from_fn(|w| words[4 * v + w]))
        });
        Self { rows, ..self }
    }
}

/// The words from `shift` bytes on, less than 16, which are whole elements.
#[inline(always)]
fn shifted<T>(mut words: [u32; 16], shift: u32) -> [u32; 16] {
    for i in 0..15 {
        if shift & 4 != 0 {
            words[i] = words[i + 1];
        }
    }
    for i in 0..14 {
        if shift & 8 != 0 {
            words[i] = words[i + 2];
        }
    }
    if !size_of::<T>().is_multiple_of(4) {
        for i in 0..13 {
            let pair = u64::from(words[i + 1]) << 32 | u64::from(words[i]);
            words[i] = (pair >> (shift % 4 * 8)) as u32;
        }
    }
    words
}
