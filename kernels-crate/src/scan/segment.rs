//! A warp's part of a tile, a *segment*, on its way between global memory and the
//! registers of the lanes.
//!
//! A lane works on neighbouring elements, though the warp reads and writes global memory
//! in rows of vectors; between the two, elements change hands in shared memory, in a
//! *slot* that each warp has for itself. Rows begin at multiples of 16 bytes wherever the
//! array begins: the segment lies in its slot as far behind such a multiple as in the
//! array, and the lanes move it to its place in registers. The bytes at its ends, which
//! share a vector with a neighbour's, are moved one by one.

use bytemuck::Pod;
use cuda_std::mem::{LoadHint, StoreHint, load_global, store_global};
use cuda_std::shared::{self, SharedPtr};
use cuda_std::{thread, warp};

use super::items::{Items, Vector};
use super::lanes::LANES;
use super::shape::{VECTOR, elements, slot_bytes};

/// This warp's slot, bytes into the dynamic shared memory.
#[inline(always)]
pub fn slot<const V: usize, const R: usize>() -> u32 {
    thread::thread_idx_x() / LANES * slot_bytes(V, R)
}

/// A warp's part of a tile, which may be cut short by the array's end.
#[derive(Clone, Copy)]
pub struct Segment<const ITEMS: usize> {
    /// The array's number of its first element.
    pub first: u64,
    /// How many elements there are.
    pub count: u32,
}

impl<const ITEMS: usize> Segment<ITEMS> {
    /// Elements of a whole one.
    pub const ELEMENTS: u32 = ITEMS as u32 * LANES;

    /// This warp's segment of tile `tile` of an array of `n` elements.
    #[inline(always)]
    pub fn new<const WARPS: usize>(n: u64, tile: u64) -> Self {
        let warp = u64::from(thread::thread_idx_x() / LANES);
        let first = tile * elements(ITEMS, WARPS) + warp * u64::from(Self::ELEMENTS);
        let count = n.saturating_sub(first).min(u64::from(Self::ELEMENTS)) as u32;
        Self { first, count }
    }

    /// Whether no element is missing.
    #[inline(always)]
    pub fn is_whole(&self) -> bool {
        self.count == Self::ELEMENTS
    }

    /// How many items the lane has.
    #[inline(always)]
    pub fn mine(&self) -> usize {
        let before = warp::lane_id() * ITEMS as u32;
        self.count.saturating_sub(before).min(ITEMS as u32) as usize
    }

    /// Brings the segment from the array at `array` to the slot.
    ///
    /// # Safety
    /// All lanes of the warp call it; the elements are there; the slot is the warp's and
    /// has room.
    #[inline(always)]
    pub unsafe fn fetch<T: Pod, const V: usize>(&self, array: *const T, slot: u32) {
        const {
            assert!(
                size_of::<[T; ITEMS]>() == V * VECTOR,
                "items are whole vectors"
            )
        };
        let from = array.wrapping_add(self.first as usize).cast::<u8>();
        let span = Span::new(from.addr(), self.count * size_of::<T>() as u32);
        let rows = from.wrapping_sub(span.shift as usize).cast::<Vector>();
        let lane = warp::lane_id();
        // SAFETY: the caller's; whole vectors are the segment's alone, and so are the
        // bytes at its ends.
        unsafe {
            let mut vectors = [[0; 4]; V];
            if span.first < span.end {
                // Without a branch between two reads: the second would wait for the first.
                for row in 0..V {
                    let at = (row as u32 * LANES + lane).clamp(span.first, span.end - 1);
                    vectors[row] = load_global(rows.add(at as usize), LoadHint::All);
                }
            }
            for row in 0..V {
                let at = row as u32 * LANES + lane;
                vector(slot, at).store(vectors[row]);
            }
            if span.has_ends() {
                if lane == 0 {
                    vector(slot, V as u32 * LANES).store([0; 4]);
                }
                warp::sync_warp(warp::FULL_MASK);
                if let Some(at) = span.end_byte() {
                    *byte(slot, span.shift + at) = *from.add(at as usize);
                }
            }
            warp::sync_warp(warp::FULL_MASK);
        }
    }

    /// The lane's items, which are in the slot.
    ///
    /// # Safety
    /// As for [`Segment::fetch`], which has run.
    #[inline(always)]
    pub unsafe fn items<T: Pod, const V: usize>(array: *const T, slot: u32) -> Items<T, V> {
        let at = share::<V>(slot);
        // The same for all segments: they are whole vectors long.
        let shift = (array.addr() % VECTOR) as u32;
        // SAFETY: the caller's.
        unsafe {
            if shift == 0 {
                Items::read(at)
            } else {
                Items::read_shifted(at, shift)
            }
        }
    }

    /// Takes the lanes' results away through the slot, to the array at `array`.
    ///
    /// # Safety
    /// As for [`Segment::fetch`]; every lane has read its items.
    #[inline(always)]
    pub unsafe fn store<T: Pod, const R: usize>(
        &self,
        array: *mut T,
        slot: u32,
        results: Items<T, R>,
    ) {
        const {
            assert!(
                size_of::<[T; ITEMS]>() == R * VECTOR,
                "results are whole vectors"
            )
        };
        let to = array.wrapping_add(self.first as usize).cast::<u8>();
        let span = Span::new(to.addr(), self.count * size_of::<T>() as u32);
        let rows = to.wrapping_sub(span.shift as usize).cast::<Vector>();
        let lane = warp::lane_id();
        // SAFETY: as in `fetch`.
        unsafe {
            if span.shift == 0 {
                results.write(share::<R>(slot));
            } else {
                results.write_shifted(share::<R>(slot), span.shift);
            }
            warp::sync_warp(warp::FULL_MASK);
            for row in 0..R {
                let at = row as u32 * LANES + lane;
                let moved = vector(slot, at).load();
                if at >= span.first && at < span.end {
                    store_global(rows.add(at as usize), moved, StoreHint::All);
                }
            }
            if span.has_ends()
                && let Some(at) = span.end_byte()
            {
                *to.add(at as usize) = *byte(slot, span.shift + at);
            }
        }
    }
}

/// A lane's share of a slot, of `V` vectors.
#[inline(always)]
fn share<const V: usize>(slot: u32) -> SharedPtr<u8> {
    vector(slot, warp::lane_id() * V as u32).cast()
}

/// Vector `at` of a slot.
#[inline(always)]
fn vector(slot: u32, at: u32) -> SharedPtr<Vector> {
    SharedPtr::<u8>::dynamic()
        .wrapping_add(slot)
        .cast::<Vector>()
        .wrapping_add(at)
}

/// Byte `at` of a slot.
#[inline(always)]
fn byte(slot: u32, at: u32) -> *mut u8 {
    shared::dynamic_shared_mem::<u8>().wrapping_add((slot + at) as usize)
}

/// A range of bytes as vectors at multiples of 16 bytes, counted from the one that the
/// first byte is in.
struct Span {
    /// Where in its vector the first byte is.
    shift: u32,
    /// The first whole vector, and the one behind the last.
    first: u32,
    end: u32,
    /// All bytes.
    all: u32,
}

impl Span {
    #[inline(always)]
    fn new(address: usize, all: u32) -> Self {
        let shift = (address % VECTOR) as u32;
        Self {
            shift,
            first: u32::from(shift > 0),
            end: (shift + all) / VECTOR as u32,
            all,
        }
    }

    /// Whether some bytes are in no whole vector.
    #[inline(always)]
    fn has_ends(&self) -> bool {
        self.shift > 0 || !self.all.is_multiple_of(VECTOR as u32)
    }

    /// The byte in no whole vector that the lane moves, if there is one for it.
    #[inline(always)]
    fn end_byte(&self) -> Option<u32> {
        let lane = warp::lane_id();
        let half = VECTOR as u32;
        let (at, end) = if lane < half {
            // Before the first whole vector.
            (lane, self.first * half - self.shift * self.first)
        } else {
            // Behind the last.
            let behind = (self.end.max(self.first) * half).saturating_sub(self.shift);
            (behind + lane - half, self.all)
        };
        (at < end.min(self.all)).then_some(at)
    }
}
