//! A warp's part of a tile, a *segment*, on its way between global memory and the
//! registers of the lanes; and the shape of tiles.
//!
//! A lane works on neighbouring elements, though the warp reads and writes global memory
//! in rows; between the two, elements change hands in shared memory, in a *slot* that
//! each warp has for itself. Where the array is a multiple of 16 bytes, rows are of
//! vectors.
//!
//! The lanes' shares of a slot lie an odd number of vectors or words apart where
//! [`Shape`] can have it, so that all banks of shared memory are at work.

use bytemuck::Pod;
use cuda_std::mem::{LoadHint, StoreHint, load_global, load_shared, store_global, store_shared};
use cuda_std::{thread, warp};

use super::lanes::{LANES, anything};
use crate::operator::Operator;

/// 16 bytes.
type Vector = [u32; 4];

/// Elements that are moved one by one between two waits for memory.
const CHUNK: usize = 16;

/// How large the tiles of an operator's scans are, by the bytes of its elements and
/// results. Where both are as long, tiles are those of [`lookahead`](super::lookahead).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Elements of a lane.
    pub items: usize,
    /// Their words of 4 bytes.
    pub input: usize,
    /// The words of their results.
    pub output: usize,
    /// Warps of a block, with a segment each.
    pub warps: usize,
}

impl Shape {
    /// The shape for elements of `input` bytes and results of `output` bytes: about 112
    /// bytes of the longer ones a lane, and whole words of both.
    pub const fn new(input: usize, output: usize) -> Self {
        let longer = if input > output { input } else { output };
        let (bytes, warps) = if longer.is_multiple_of(3) {
            (144, 6)
        } else {
            (112, 8)
        };
        let unit = match (input | output) % 4 {
            1 | 3 => 4,
            2 => 2,
            _ => 1,
        };
        let items = bytes / longer / unit * unit;
        Self {
            items,
            input: items * input / 4,
            output: items * output / 4,
            warps,
        }
    }

    /// That of an operator.
    pub const fn of<O: Operator>() -> Self {
        Self::new(size_of::<O::Input>(), size_of::<O::Output>())
    }

    /// Elements of a tile.
    pub const fn elements(&self) -> u64 {
        elements(self.items, self.warps)
    }

    /// Threads of a block.
    pub const fn threads(&self) -> u32 {
        self.warps as u32 * LANES
    }

    /// Dynamic shared memory of a block, bytes: a slot a warp, for elements or results.
    pub const fn shared_bytes(&self) -> u32 {
        let words = if self.input > self.output {
            self.input
        } else {
            self.output
        };
        (self.warps * words) as u32 * 4 * LANES
    }
}

/// Elements of a tile of so many items a lane and warps.
#[inline(always)]
pub const fn elements(items: usize, warps: usize) -> u64 {
    items as u64 * warps as u64 * LANES as u64
}

/// A warp's part of a tile, which may be cut short by the array's end.
#[derive(Clone, Copy)]
pub struct Segment<const ITEMS: usize> {
    /// The array's number of its first element.
    first: u64,
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
    pub unsafe fn fetch<T: Pod, const WORDS: usize>(&self, array: *const T, slot: *mut u32) {
        let from = array.wrapping_add(self.first as usize);
        let lane = warp::lane_id();
        // SAFETY: the caller's; vectors are read where the address is a multiple of
        // theirs and all of them exist.
        unsafe {
            if self.is_whole() && array.addr() % size_of::<Vector>() == 0 {
                let mut rows: [Vector; WORDS] = [[0; 4]; WORDS];
                for row in 0..WORDS.div_ceil(4) {
                    if let Some(at) = place::<WORDS>(row, lane) {
                        rows[row] = load_global(from.cast::<Vector>().add(at), LoadHint::All);
                    }
                }
                for row in 0..WORDS.div_ceil(4) {
                    if let Some(at) = place::<WORDS>(row, lane) {
                        store_shared(slot.cast::<Vector>().add(at), rows[row]);
                    }
                }
            } else {
                for chunk in 0..ITEMS.div_ceil(CHUNK) {
                    let mut elements: [T; CHUNK] = [anything(); CHUNK];
                    for i in 0..CHUNK {
                        let at = (chunk * CHUNK + i) as u32 * LANES + lane;
                        if at < self.count {
                            elements[i] = *from.add(at as usize);
                        }
                    }
                    for i in 0..CHUNK {
                        let at = (chunk * CHUNK + i) as u32 * LANES + lane;
                        if at < Self::ELEMENTS {
                            *slot.cast::<T>().add(at as usize) = elements[i];
                        }
                    }
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
    pub unsafe fn items<T: Pod, const WORDS: usize>(slot: *const u32) -> [T; ITEMS] {
        const {
            assert!(
                size_of::<[T; ITEMS]>() == 4 * WORDS,
                "a lane has whole words"
            )
        };
        // SAFETY: the caller's; both are as many bytes, and every pattern is a `Pod` value.
        unsafe {
            let words = read_own::<WORDS>(slot.add(warp::lane_id() as usize * WORDS));
            core::mem::transmute_copy(&words)
        }
    }

    /// Takes the lanes' results away through the slot, to the array at `array`.
    ///
    /// # Safety
    /// As for [`Segment::fetch`]; every lane has read its items.
    #[inline(always)]
    pub unsafe fn store<T: Pod, const WORDS: usize>(
        &self,
        array: *mut T,
        slot: *mut u32,
        results: [T; ITEMS],
    ) {
        const {
            assert!(
                size_of::<[T; ITEMS]>() == 4 * WORDS,
                "a lane has whole words"
            )
        };
        let to = array.wrapping_add(self.first as usize);
        let lane = warp::lane_id();
        // SAFETY: as in `fetch`.
        unsafe {
            let words: [u32; WORDS] = core::mem::transmute_copy(&results);
            write_own(slot.add(lane as usize * WORDS), words);
            warp::sync_warp(warp::FULL_MASK);
            if self.is_whole() && array.addr() % size_of::<Vector>() == 0 {
                for row in 0..WORDS.div_ceil(4) {
                    if let Some(at) = place::<WORDS>(row, lane) {
                        let vector: Vector = load_shared(slot.cast::<Vector>().add(at));
                        store_global(to.cast::<Vector>().add(at), vector, StoreHint::All);
                    }
                }
            } else {
                for i in 0..ITEMS {
                    let at = i as u32 * LANES + lane;
                    if at < self.count {
                        *to.add(at as usize) = *slot.cast::<T>().add(at as usize);
                    }
                }
            }
        }
    }
}

/// Which vector of a segment the lane has in a row, where it has one.
#[inline(always)]
fn place<const WORDS: usize>(row: usize, lane: u32) -> Option<usize> {
    let at = row * LANES as usize + lane as usize;
    let vectors = WORDS * LANES as usize / 4;
    ((row + 1) * LANES as usize <= vectors || at < vectors).then_some(at)
}

/// Reads a lane's words, as many at once as their number divides into.
///
/// # Safety
/// `at` points to them in shared memory, as far from a multiple of 16 as whole shares
/// take it.
#[inline(always)]
unsafe fn read_own<const WORDS: usize>(at: *const u32) -> [u32; WORDS] {
    let mut words = [0; WORDS];
    // SAFETY: the caller's.
    unsafe {
        if WORDS.is_multiple_of(4) {
            for i in 0..WORDS / 4 {
                let vector: Vector = load_shared(at.cast::<Vector>().add(i));
                for j in 0..4 {
                    words[4 * i + j] = vector[j];
                }
            }
        } else if WORDS.is_multiple_of(2) {
            for i in 0..WORDS / 2 {
                let [first, second] = load_shared(at.cast::<[u32; 2]>().add(i));
                (words[2 * i], words[2 * i + 1]) = (first, second);
            }
        } else {
            for i in 0..WORDS {
                words[i] = load_shared(at.add(i));
            }
        }
    }
    words
}

/// Writes a lane's words.
///
/// # Safety
/// As for [`read_own`].
#[inline(always)]
unsafe fn write_own<const WORDS: usize>(at: *mut u32, words: [u32; WORDS]) {
    // SAFETY: the caller's.
    unsafe {
        if WORDS.is_multiple_of(4) {
            for i in 0..WORDS / 4 {
                let vector = [
                    words[4 * i],
                    words[4 * i + 1],
                    words[4 * i + 2],
                    words[4 * i + 3],
                ];
                store_shared(at.cast::<Vector>().add(i), vector);
            }
        } else if WORDS.is_multiple_of(2) {
            for i in 0..WORDS / 2 {
                store_shared(
                    at.cast::<[u32; 2]>().add(i),
                    [words[2 * i], words[2 * i + 1]],
                );
            }
        } else {
            for i in 0..WORDS {
                store_shared(at.add(i), words[i]);
            }
        }
    }
}
