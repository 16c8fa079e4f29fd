//! A warp's part of a tile in registers: rows, in which every lane has `E` neighbouring
//! elements, straight from global memory. For the kernels whose arrays are so small that
//! the time of one access counts.

use bytemuck::Pod;
use core::array::from_fn;
use cuda_std::mem::{LoadHint, StoreHint, load_global, store_global};
use cuda_std::warp;

use super::lanes::{self, LANES, anything};
use super::{Request, items};
use crate::operator::Operator;

/// Elements of `R` rows.
pub const fn elements(rows: usize, each: usize) -> u64 {
    (rows * each) as u64 * LANES as u64
}

/// The elements of a warp.
pub struct Read<O: Operator, const R: usize, const E: usize> {
    /// Where the warp's first element is in the array.
    first: u64,
    /// How many of the warp's elements there are.
    count: u32,
    items: [[O::Input; E]; R],
}

impl<O: Operator, const R: usize, const E: usize> Read<O, R, E> {
    /// Asks for the elements from `first` on.
    ///
    /// # Safety
    /// All lanes of the warp call it; the request is that of the launch.
    #[inline(always)]
    pub unsafe fn start(request: &Request<O>, first: u64) -> Self {
        let lane = warp::lane_id();
        let count = request.n.saturating_sub(first).min(elements(R, E)) as u32;
        let from = request.input.wrapping_add(first as usize);
        // SAFETY: only elements that exist are read.
        let items: [[O::Input; E]; R] = from_fn(|row| unsafe {
            let start = row as u32 * Rows::<O, R, E>::ROW + lane * E as u32;
            read(
                from.wrapping_add(start as usize),
                count.saturating_sub(start),
            )
        });
        Self {
            first,
            count,
            items,
        }
    }

    /// Scans each row.
    ///
    /// # Safety
    /// All lanes of the warp call it.
    #[inline(always)]
    pub unsafe fn scan(self) -> Rows<O, R, E> {
        let lane = warp::lane_id();
        let mut before = [anything(); R];
        let mut totals = [anything(); R];
        for row in 0..R {
            let (mine, with) = Rows::<O, R, E>::part(self.count, row, lane);
            let total = items::total::<O, E>(&self.items[row], mine as usize);
            // SAFETY: all lanes are here, the caller's.
            unsafe {
                let scanned = lanes::scan::<O>(total, with);
                before[row] = lanes::up(scanned, 1);
                totals[row] = lanes::of_lane(scanned, with.max(1) - 1);
            }
        }
        Rows {
            read: self,
            before,
            totals,
        }
    }
}

/// The elements of a warp, and of their scan what can be known without others.
pub struct Rows<O: Operator, const R: usize, const E: usize> {
    read: Read<O, R, E>,
    /// What lies before the lane in the row.
    before: [O::Accumulator; R],
    /// The rows' totals; those of rows without elements are nothing in particular.
    totals: [O::Accumulator; R],
}

impl<O: Operator, const R: usize, const E: usize> Rows<O, R, E> {
    const ROW: u32 = E as u32 * LANES;

    /// How many elements the lane has in a row, and how many lanes have any.
    #[inline(always)]
    fn part(count: u32, row: usize, lane: u32) -> (u32, u32) {
        let in_row = count.saturating_sub(row as u32 * Self::ROW).min(Self::ROW);
        let mine = in_row.saturating_sub(lane * E as u32).min(E as u32);
        (mine, in_row.div_ceil(E as u32))
    }

    /// All elements combined, row after row; the warp has some.
    #[inline(always)]
    pub fn total(&self) -> O::Accumulator {
        let mut total = self.totals[0];
        for row in 1..R {
            if self.read.count > row as u32 * Self::ROW {
                total = O::combine(total, self.totals[row]);
            }
        }
        total
    }

    /// Whether the warp has elements.
    #[inline(always)]
    pub fn is_any(&self) -> bool {
        self.read.count > 0
    }

    /// Writes the scan behind `base`, where there is something before the warp.
    ///
    /// # Safety
    /// As for [`Read::scan`]; the request is that of [`Read::start`].
    #[inline(always)]
    pub unsafe fn store(&self, request: &Request<O>, base: O::Accumulator, has_base: bool) {
        let lane = warp::lane_id();
        let to = request.output.wrapping_add(self.read.first as usize);
        let (mut base, mut has_base) = (base, has_base);
        for row in 0..R {
            let (mine, _) = Self::part(self.read.count, row, lane);
            let mut before = self.before[row];
            if has_base {
                before = if lane == 0 {
                    base
                } else if mine > 0 {
                    O::combine(base, before)
                } else {
                    before
                };
            }
            let results = items::scan::<O, E>(
                &self.read.items[row],
                mine as usize,
                before,
                has_base || lane > 0,
                request.is_exclusive(),
            );
            let start = row as u32 * Self::ROW + lane * E as u32;
            // SAFETY: only results that exist are written.
            unsafe { write(to.wrapping_add(start as usize), results, mine) };
            if self.read.count > (row as u32 + 1) * Self::ROW {
                let total = self.totals[row];
                base = if has_base {
                    O::combine(base, total)
                } else {
                    total
                };
                has_base = true;
            }
        }
    }
}

/// Whether `E` elements there are a vector of 16 bytes.
#[inline(always)]
fn is_vector<T, const E: usize>(at: *const T) -> bool {
    size_of::<[T; E]>() == 16 && at.addr() % 16 == 0
}

/// The first `count` of `E` elements, or all.
///
/// # Safety
/// As many elements are there.
#[inline(always)]
unsafe fn read<T: Pod, const E: usize>(from: *const T, count: u32) -> [T; E] {
    // SAFETY: the caller's; a vector is `E` elements of any bytes.
    unsafe {
        if is_vector::<T, E>(from) && count >= E as u32 {
            let vector = load_global(from.cast::<[u32; 4]>(), LoadHint::All);
            return core::mem::transmute_copy(&vector);
        }
        from_fn(|i| {
            if (i as u32) < count {
                *from.add(i)
            } else {
                anything()
            }
        })
    }
}

/// Writes the first `count` elements.
///
/// # Safety
/// As many fit there.
#[inline(always)]
unsafe fn write<T: Pod, const E: usize>(to: *mut T, elements: [T; E], count: u32) {
    // SAFETY: the caller's; a vector is `E` elements of any bytes.
    unsafe {
        if is_vector::<T, E>(to) && count >= E as u32 {
            let vector: [u32; 4] = core::mem::transmute_copy(&elements);
            store_global(to.cast::<[u32; 4]>(), vector, StoreHint::All);
            return;
        }
        for i in 0..E {
            if (i as u32) < count {
                *to.add(i) = elements[i];
            }
        }
    }
}
