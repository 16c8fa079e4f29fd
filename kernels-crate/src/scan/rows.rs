//! A warp's part of a tile in registers: rows, in which every lane has `E` neighbouring
//! elements, straight from global memory. For the kernels whose arrays are so small that
//! the time of one access counts.

use bytemuck::Pod;
use core::array::from_fn;
use cuda_std::mem::{LoadHint, StoreHint, load_global, store_global};
use cuda_std::shared::SharedPtr;
use cuda_std::warp;

use super::items::{self, Items, Vector};
use super::lanes::{self, LANES, unspecified};
use super::partial::Partial;
use super::request::Request;
use super::segment_flags::{EACH, bits};
use super::shape::elements_of_warp;
use crate::operator::Operator;

/// The elements of a warp.
pub struct Read<O: Operator, const R: usize, const E: usize, const V: usize> {
    /// Where the warp's first element is in the array.
    first: u64,
    /// How many of the warp's elements there are.
    count: u32,
    items: [Items<O::Input, V>; R],
    /// Where segments begin among them.
    segment_flags: [bits::FlagWords; R],
}

/// Elements of a row.
const fn row_of(each: usize) -> u32 {
    each as u32 * LANES
}

/// How many of a warp's `count` elements the lane has in a row, and how many lanes have
/// any.
#[inline(always)]
fn part(count: u32, row: usize, each: usize, lane: u32) -> (u32, u32) {
    let length = row_of(each);
    let in_row = count.saturating_sub(row as u32 * length).min(length);
    let mine = in_row.saturating_sub(lane * each as u32).min(each as u32);
    (mine, in_row.div_ceil(each as u32))
}

impl<O: Operator, const R: usize, const E: usize, const V: usize> Read<O, R, E, V> {
    const ALL: u32 = elements_of_warp(R, E) as u32;

    /// Asks for the elements from `first` on.
    ///
    /// # Safety
    /// All lanes of the warp call it; the request is that of the launch.
    #[inline(always)]
    pub unsafe fn start(request: &Request<O>, first: u64) -> Self {
        let count = request.n.saturating_sub(first).min(u64::from(Self::ALL)) as u32;
        let from = request.input.wrapping_add(first as usize);
        let at = |row: usize| row as u32 * row_of(E) + warp::lane_id() * E as u32;
        let segment_flags = if request.is_of_length() {
            bits::FlagWords::of_rows::<R, E>(first + u64::from(at(0)), row_of(E), request.segments)
        } else {
            // SAFETY: the caller's.
            from_fn(|row| unsafe {
                bits::FlagWords::of::<O, E>(request, first + u64::from(at(row)))
            })
        };
        // One branch around all rows: none waits for another.
        // SAFETY: only elements that exist are read.
        let items = unsafe {
            if count == Self::ALL && is_aligned(from) {
                from_fn(|row| read_vectors(from.wrapping_add(at(row) as usize)))
            } else {
                from_fn(|row| {
                    let from = from.wrapping_add(at(row) as usize);
                    read::<O::Input, V, E>(from, count.saturating_sub(at(row)))
                })
            }
        };
        Self {
            first,
            count,
            items,
            segment_flags,
        }
    }

    /// Whether a segment begins with the lane's first item.
    #[inline(always)]
    pub fn begins_segment(&self) -> bool {
        self.segment_flags[0].flags().is_set(0)
    }

    /// Takes where segments begin from the words in shared memory of the block's elements, of which
    /// the first has index `first`.
    ///
    /// # Safety
    /// The words may be read.
    #[inline(always)]
    pub unsafe fn mark(&mut self, words: SharedPtr<u32>, first: u64) {
        let start = (self.first - first) as u32 + warp::lane_id() * E as u32;
        self.segment_flags = from_fn(|row| {
            let bit = start + row as u32 * row_of(E);
            // All bits of a lane's items are in a word, or begin one.
            let last = (bit + E as u32 - 1) / EACH as u32;
            // SAFETY: the caller's.
            unsafe { bits::FlagWords::in_shared::<E>(words, bit, last) }
        });
    }

    /// The lane's items of a row, where the first of them is in the array, and how many there are.
    #[inline(always)]
    pub fn row(&self, row: usize) -> (&Items<O::Input, V>, u64, u32) {
        let lane = warp::lane_id();
        let at = row as u32 * row_of(E) + lane * E as u32;
        let (mine, _) = part(self.count, row, E, lane);
        (&self.items[row], self.first + u64::from(at), mine)
    }

    /// Scans each row.
    ///
    /// # Safety
    /// All lanes of the warp call it.
    #[inline(always)]
    pub unsafe fn scan(self) -> Rows<O, R, E, V> {
        // SAFETY: the caller's.
        let (exclusive, aggregates) = unsafe {
            if self.count == Self::ALL {
                self.scan_rows(Self::ALL)
            } else {
                self.scan_rows(self.count)
            }
        };
        Rows {
            read: self,
            exclusive,
            aggregates,
        }
    }

    /// The exclusive prefix of the lane in each row, and the rows' aggregates, for `count` elements:
    /// a constant, where it is known.
    #[inline(always)]
    unsafe fn scan_rows(&self, count: u32) -> ([O::Accumulator; R], [O::Accumulator; R]) {
        let mut exclusive = [unspecified(); R];
        let mut aggregates = [unspecified(); R];
        for row in 0..R {
            let (mine, with) = part(count, row, E, warp::lane_id());
            let segment_flags = self.segment_flags[row].flags();
            let total = items::total::<O, V, E>(&self.items[row], &segment_flags, mine as usize);
            // SAFETY: all lanes are here, the caller's.
            unsafe {
                let scanned = lanes::scan::<O>(total, with);
                exclusive[row] = lanes::shuffle_up(scanned, 1);
                aggregates[row] = lanes::from_lane(scanned, with.max(1) - 1);
            }
        }
        (exclusive, aggregates)
    }
}

/// The elements of a warp, and of their scan what can be known without others.
pub struct Rows<O: Operator, const R: usize, const E: usize, const V: usize> {
    read: Read<O, R, E, V>,
    /// The exclusive prefixes of the lane in its rows.
    exclusive: [O::Accumulator; R],
    /// The rows' aggregates; those of rows without elements are nothing in particular.
    aggregates: [O::Accumulator; R],
}

impl<O: Operator, const R: usize, const E: usize, const V: usize> Rows<O, R, E, V> {
    /// All elements combined, row after row; the warp has some.
    #[inline(always)]
    pub fn aggregate(&self) -> O::Accumulator {
        let mut aggregate = self.aggregates[0];
        for row in 1..R {
            if self.read.count > row as u32 * row_of(E) {
                aggregate = O::combine(aggregate, self.aggregates[row]);
            }
        }
        aggregate
    }

    /// Whether the warp has elements.
    #[inline(always)]
    pub fn is_any(&self) -> bool {
        self.read.count > 0
    }

    /// Writes the scan behind the warp's exclusive prefix.
    ///
    /// # Safety
    /// All lanes of the warp call it; the request is that of [`Read::start`].
    #[inline(always)]
    pub unsafe fn store<const W: usize>(
        &self,
        request: &Request<O>,
        prefix: Partial<O::Accumulator>,
    ) {
        let to = request.output.wrapping_add(self.read.first as usize);
        let all = Read::<O, R, E, V>::ALL;
        let is_whole = self.read.count == all;
        // SAFETY: the caller's.
        unsafe {
            if is_whole && is_aligned(to) {
                self.store_rows::<W>(request, to, all, prefix, |to, results, _| {
                    write_vectors(to, results)
                });
            } else if is_whole {
                let mut row = Shifted::begin(to);
                self.store_rows::<W>(request, to, all, prefix, |_, results, _| row.write(results));
                row.end();
            } else {
                let count = self.read.count;
                self.store_rows::<W>(request, to, count, prefix, |to, results, mine| {
                    write::<O::Output, W, E>(to, results, mine)
                });
            }
        }
    }

    /// [`Rows::store`] for `count` elements, a constant, where it is known.
    #[inline(always)]
    unsafe fn store_rows<const W: usize>(
        &self,
        request: &Request<O>,
        to: *mut O::Output,
        count: u32,
        mut prefix: Partial<O::Accumulator>,
        mut write: impl FnMut(*mut O::Output, Items<O::Output, W>, u32),
    ) {
        let lane = warp::lane_id();
        for row in 0..R {
            let (mine, _) = part(count, row, E, lane);
            let results = items::scan::<O, V, W, E>(
                request,
                &self.read.items[row],
                &self.read.segment_flags[row].flags(),
                mine as usize,
                prefix.of_lane::<O>(self.exclusive[row], || mine > 0),
            );
            let start = row as u32 * row_of(E) + lane * E as u32;
            write(to.wrapping_add(start as usize), results, mine);
            if count > (row as u32 + 1) * row_of(E) {
                prefix = Partial::some(prefix.then::<O>(self.aggregates[row]));
            }
        }
    }
}

/// Whether vectors begin there.
#[inline(always)]
fn is_aligned<T>(at: *const T) -> bool {
    at.addr().is_multiple_of(size_of::<Vector>())
}

/// `V` vectors of elements.
///
/// # Safety
/// They are there, and [`is_aligned`] of it.
#[inline(always)]
unsafe fn read_vectors<T: Pod, const V: usize>(from: *const T) -> Items<T, V> {
    let from = from.cast::<Vector>();
    // SAFETY: the caller's.
    Items::new(from_fn(|v| unsafe {
        load_global(from.add(v), LoadHint::All)
    }))
}

/// Writes vectors of elements.
///
/// # Safety
/// They fit there, and [`is_aligned`] of it.
#[inline(always)]
unsafe fn write_vectors<T: Pod, const V: usize>(to: *mut T, items: Items<T, V>) {
    let vectors = items.vectors();
    for v in 0..V {
        // SAFETY: the caller's.
        unsafe { store_global(to.cast::<Vector>().add(v), vectors[v], StoreHint::All) };
    }
}

/// Rows of vectors on their way to a place where no vector begins.
struct Shifted {
    /// The vector that the next row begins in, and how many of its bytes are before that.
    to: *mut Vector,
    shift: u32,
    /// What the row before has left for that vector: its end.
    left: Vector,
    is_first: bool,
}

impl Shifted {
    #[inline(always)]
    fn begin<T>(to: *mut T) -> Self {
        let shift = to.addr() % size_of::<Vector>();
        Self {
            to: to.cast::<u8>().wrapping_sub(shift).cast(),
            shift: shift as u32,
            left: [0; 4],
            is_first: true,
        }
    }

    /// Writes the next row, but for what is left of it.
    ///
    /// # Safety
    /// All lanes of the warp call it; the row fits there.
    #[inline(always)]
    unsafe fn write<T: Pod, const V: usize>(&mut self, row: Items<T, V>) {
        let lane = warp::lane_id();
        // SAFETY: the caller's.
        unsafe {
            let mut below = lanes::shuffle_up(row.last(), 1);
            if lane == 0 {
                below = self.left;
            }
            for v in 0..V {
                let vector = row.behind(below, self.shift, v);
                let at = self.to.wrapping_add(lane as usize * V + v);
                if lane > 0 || v > 0 || !self.is_first {
                    store_global(at, vector, StoreHint::All);
                }
            }
            if self.is_first {
                // The bytes before are another warp's.
                let vector = lanes::from_lane(row.behind(below, self.shift, 0), 0);
                write_bytes(self.to, vector, self.shift, size_of::<Vector>() as u32);
            }
            self.left = lanes::from_lane(row.last(), LANES - 1);
        }
        self.is_first = false;
        self.to = self.to.wrapping_add(V * LANES as usize);
    }

    /// Writes what is left.
    ///
    /// # Safety
    /// As for [`Shifted::write`].
    #[inline(always)]
    unsafe fn end(self) {
        let rest = Items::<u8, 1>::new([[0; 4]]).behind(self.left, self.shift, 0);
        // SAFETY: the caller's.
        unsafe { write_bytes(self.to, rest, 0, self.shift) };
    }
}

/// Writes the bytes `first..end` of a vector, a lane each.
///
/// # Safety
/// They fit in the vector at `to`; all lanes of the warp call it.
#[inline(always)]
unsafe fn write_bytes(to: *mut Vector, vector: Vector, first: u32, end: u32) {
    let lane = warp::lane_id();
    let low = if lane & 4 == 0 { vector[0] } else { vector[1] };
    let high = if lane & 4 == 0 { vector[2] } else { vector[3] };
    let word = if lane & 8 == 0 { low } else { high };
    if lane >= first && lane < end {
        let byte = (word >> (lane % 4 * 8)) as u8;
        // SAFETY: the caller's.
        unsafe { *to.cast::<u8>().wrapping_add(lane as usize) = byte };
    }
}

/// The first `count` of `E` elements, or all.
///
/// # Safety
/// As many elements are there.
#[inline(always)]
unsafe fn read<T: Pod, const V: usize, const E: usize>(from: *const T, count: u32) -> Items<T, V> {
    let mut items = Items::none();
    for i in 0..E {
        if (i as u32) < count {
            // SAFETY: the caller's.
            items.put(i, unsafe { *from.wrapping_add(i) });
        }
    }
    items
}

/// Writes the first `count` of `E` elements, or all.
///
/// # Safety
/// As many fit there.
#[inline(always)]
unsafe fn write<T: Pod, const V: usize, const E: usize>(
    to: *mut T,
    items: Items<T, V>,
    count: u32,
) {
    for i in 0..E {
        if (i as u32) < count {
            // SAFETY: the caller's.
            unsafe { *to.wrapping_add(i) = items.get(i) };
        }
    }
}
