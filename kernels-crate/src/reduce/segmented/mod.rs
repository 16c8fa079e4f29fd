//! The reduction of many segments of one array by one launch: from millions of one
//! element each to one of all.
//!
//! Not segments are dealt to warps, but elements, as in [`device`](super::device): every
//! warp has a part of as many tiles, whatever the segments are. A tile in which nothing
//! ends is combined as that of a whole array; one in which segments end is dealt to the
//! lanes ([`tile`]). What a part has of a segment that began before it, or does not end in
//! it, is handed on ([`run`]): to the other warps of the block, and through memory to the
//! block that is done last, which puts the blocks' pieces together.
//!
//! Segments without elements are no part of this: threads look for them beside it, each
//! at its own share of the offsets.
//!
//! Association: a lane its elements, one after the other; lanes, tiles, warps and blocks
//! as in [`Run::append`]. What is in a part depends on the number of elements of all
//! segments and, for large arrays, on that of blocks.
//!
//! Source of the even shares: Merrill and Garland, Merge-based parallel sparse
//! matrix-vector multiplication, 2016; here the segments' ends are no part of the work
//! that is shared.

pub mod each;
pub mod offsets;
pub mod run;
pub mod tile;

use core::array::from_fn;
use cuda_std::atomic::intrinsics::atomic_fetch_add_acqrel_u64_device;
use cuda_std::mem::prefetch_l2;
use cuda_std::{grid, shared_array, thread, warp};

use self::offsets::Offsets;
use self::run::{Piece, Run, Stored};
use self::tile::Memory;
use super::share::Share;
use super::sizes::{self, HEAD, PIECE_WORDS, SEGMENTED_WARPS as WARPS};
use super::vectors::Vectors;
use super::{EACH, HAS_INITIAL, OF_LENGTH, WIDE_OFFSETS};
use crate::operator::Operator;
use crate::scan::lanes::LANES;

/// The most elements of a tile, and vectors with their pitch.
const MAX_ELEMENTS: usize = 512;
const MAX_VECTORS: usize = 7 * LANES as usize;

/// A warp asks for the tile that it reads after so many others into the L2 cache.
const AHEAD: u32 = 2;

/// What is asked for: the kernel's parameters.
pub struct Request<O: Operator> {
    /// The elements.
    pub input: *const O::Input,
    /// A result a segment.
    pub output: *mut O::Output,
    /// How many elements.
    pub n: u64,
    /// One offset more than segments, ascending, of 32 or 64 bits; null with [`OF_LENGTH`].
    pub offsets: *const u8,
    /// How many segments.
    pub segments: u32,
    /// The result of a segment without elements; with [`HAS_INITIAL`] it also stands
    /// before the first element of every other.
    pub initial: O::Accumulator,
    /// [`HAS_INITIAL`], [`WIDE_OFFSETS`], [`OF_LENGTH`], [`EACH`].
    pub flags: u32,
    /// Words for the blocks' pieces; the first is 0 before and after a launch.
    pub scratch: *mut u64,
}

impl<O: Operator> Request<O> {
    /// Whether all segments have as many elements.
    #[inline(always)]
    fn is_of_length(&self) -> bool {
        self.flags & OF_LENGTH != 0
    }

    /// Bytes of an offset.
    #[inline(always)]
    fn bytes_of_offset(&self) -> u32 {
        match self.flags & WIDE_OFFSETS {
            0 => 4,
            _ => 8,
        }
    }

    /// Writes the result of a segment with elements.
    ///
    /// # Safety
    /// The output is the request's, and nobody else delivers the segment.
    #[inline(always)]
    unsafe fn deliver(&self, segment: u32, total: O::Accumulator) {
        let total = if self.flags & HAS_INITIAL != 0 {
            O::combine(self.initial, total)
        } else {
            total
        };
        // SAFETY: the caller's.
        unsafe { *self.output.add(segment as usize) = O::finish(total) };
    }
}

/// Reduces as `request` says, once the launches before it are done.
///
/// # Safety
/// With [`EACH`] see [`each::reduce`]. Blocks of [`WARPS`] warps; the offsets ascend; input, offsets and output are the
/// request's, and the output does not overlap the others; the scratch memory has room for
/// the blocks and is this launch's alone.
#[inline(always)]
pub unsafe fn reduce<O: Operator, const R: usize, const U: usize, const E: usize>(
    request: Request<O>,
) {
    const {
        assert!(R * E * LANES as usize <= MAX_ELEMENTS);
        assert!(tile::pitch(R * U) * LANES as usize <= MAX_VECTORS);
    }
    grid::launch_dependents();
    if request.flags & EACH != 0 {
        // SAFETY: the caller's.
        return unsafe { each::reduce(&request) };
    }
    // SAFETY: the caller's.
    unsafe { prefetch::<O, R, U, E>(&request) };
    grid::wait_for_earlier();
    let is_last = shared_array![u32; 1];
    let (block, blocks) = (thread::block_idx_x(), thread::grid_dim_x());
    // SAFETY: the caller's; what is shared is written on one side of a barrier and read
    // on the other. A block's piece is written before the block counts itself, and read
    // by the one that counts last: the count's order and the barrier behind it make the
    // pieces of all blocks visible to all of its threads.
    unsafe {
        let offsets = Offsets::new(&request);
        let tiles = offsets.elements.div_ceil(sizes::elements(R, E)) as u32;
        let share = Share::new(tiles, WARPS, blocks);
        let run = of_part::<O, R, U, E>(&request, &offsets, &share);
        let run = of_block(&request, run);
        if thread::thread_idx_x() == 0 {
            if block < share.blocks() {
                Stored::put(piece_at(request.scratch, block), run.piece);
            }
            let before = atomic_fetch_add_acqrel_u64_device(request.scratch, 1);
            *is_last = u32::from(before == u64::from(blocks) - 1);
        }
        // While the first warp waits for the count.
        if thread::thread_idx_x() >= LANES {
            empty_segments(&request, &offsets);
        }
        thread::sync_threads();
        if *is_last != 0 {
            of_grid(&request, share.blocks());
        }
    }
}

/// Asks for what is likely to be read first into the L2 cache: the first and the last
/// offset, and this warp's first tile, if the segments are all of the array. This reads
/// nothing: it may be done before what earlier launches write is there.
///
/// # Safety
/// As for [`reduce`].
#[inline(always)]
unsafe fn prefetch<O: Operator, const R: usize, const U: usize, const E: usize>(
    request: &Request<O>,
) {
    let tiles = request.n.div_ceil(sizes::elements(R, E)) as u32;
    let share = Share::new(tiles, WARPS, thread::grid_dim_x());
    let warp = thread::thread_idx_x() / LANES;
    let first = share.tiles_of(thread::block_idx_x(), warp).start;
    let array = Vectors::new(request.input, request.n);
    let last = u64::from(request.segments) * u64::from(request.bytes_of_offset());
    // SAFETY: the caller's; it is within the array, and within the offsets.
    unsafe {
        array.prefetch::<R, U>(u64::from(first) * R as u64 * u64::from(LANES));
        if warp::lane_id() < 2 && !request.is_of_length() {
            let at = if warp::lane_id() == 0 { 0 } else { last };
            prefetch_l2(request.offsets.wrapping_add(at as usize));
        }
    }
}

/// Where the piece of a block is.
#[inline(always)]
fn piece_at(scratch: *mut u64, block: u32) -> *mut Stored {
    scratch
        .wrapping_add((HEAD + u64::from(block) * PIECE_WORDS as u64) as usize)
        .cast()
}

/// This warp's part.
///
/// # Safety
/// As for [`reduce`].
#[inline(always)]
unsafe fn of_part<O: Operator, const R: usize, const U: usize, const E: usize>(
    request: &Request<O>,
    offsets: &Offsets,
    share: &Share,
) -> Run<O> {
    let warp = thread::thread_idx_x() / LANES;
    let own = warp as usize;
    let memory = Memory {
        vectors: shared_array![u128; 7 * 32 * 8]
            .cast::<[u32; 4]>()
            .wrapping_add(own * MAX_VECTORS),
        ends: shared_array![u32; 512 * 8].wrapping_add(own * MAX_ELEMENTS),
    };
    let mut run = Run::empty();
    let tiles = share.tiles_of(thread::block_idx_x(), warp);
    if tiles.is_empty() {
        return run;
    }
    let elements = sizes::elements(R, E);
    let units = R as u64 * u64::from(LANES);
    let input = request.input.wrapping_add(offsets.first as usize);
    let array = Vectors::new(input, offsets.elements);
    let whole = array.whole_pieces::<U>(units);
    let (mut segment, mut end) = (0, u64::MAX);
    // SAFETY: the caller's; the memory is this warp's.
    unsafe {
        for tile in tiles.clone() {
            let first = u64::from(tile) * elements;
            let count = (offsets.elements - first).min(elements) as u32;
            let unit = u64::from(tile) * units;
            let mut rows = if whole.contains(&tile) {
                if array.is_shifted() {
                    array.whole::<true, R, U>(unit)
                } else {
                    array.whole::<false, R, U>(unit)
                }
            } else {
                array.edge::<R, U>(unit)
            };
            // While the elements are on their way.
            if tile + AHEAD < tiles.end {
                array.prefetch::<R, U>(unit + u64::from(AHEAD) * units);
            }
            if tile == tiles.start {
                memory.clear(elements as u32);
                (segment, end) = offsets.first_behind(0, first);
            }
            let ends_here = end <= first + u64::from(count);
            if ends_here {
                (segment, end) = memory.mark(offsets, segment, first, count);
            }
            if array.is_shifted() {
                rows = rows.aligned(&array);
            }
            if ends_here {
                let (items, ends) = memory.deal::<O::Input, R, U, E>(&rows);
                let each = (R * E) as u32;
                let mine = count.saturating_sub(warp::lane_id() * each).min(each);
                let piece = tile::piece::<O, R, U, E>(request, &items, &ends, mine);
                run.append(request, piece);
            } else {
                run.append_open(super::tile::combined::<O, R, U, E>(&rows.items(), count));
            }
        }
    }
    run
}

/// The runs of the block's warps as one, in warp 0.
///
/// # Safety
/// All threads of the block call it; the output is the request's.
#[inline(always)]
unsafe fn of_block<O: Operator>(request: &Request<O>, own: Run<O>) -> Run<O> {
    let pieces = shared_array![u128; 3 * 8].cast::<Stored>();
    let (warp, lane) = (thread::thread_idx_x() / LANES, warp::lane_id());
    // SAFETY: the caller's; a piece is written on one side of a barrier and read on the
    // other. The second barrier is for whoever writes there next.
    unsafe {
        if lane == 0 {
            Stored::put(pieces.add(warp as usize), own.piece);
        }
        thread::sync_threads();
        let mut run = Run::empty();
        if warp == 0 {
            let piece = if lane < WARPS {
                Stored::get(pieces.add(lane as usize))
            } else {
                Piece::empty()
            };
            run.append(request, piece);
        }
        thread::sync_threads();
        run
    }
}

/// Puts the pieces of `blocks` blocks together, by the last block.
///
/// # Safety
/// All threads of the block call it; the pieces are there; the output is the request's.
#[inline(always)]
unsafe fn of_grid<O: Operator>(request: &Request<O>, blocks: u32) {
    let (warp, lane) = (thread::thread_idx_x() / LANES, warp::lane_id());
    let each = blocks.div_ceil(WARPS).next_multiple_of(LANES);
    let end = ((warp + 1) * each).min(blocks);
    let mut run = Run::empty();
    let mut first = warp * each;
    // SAFETY: the caller's.
    unsafe {
        while first < end {
            let piece = if first + lane < end {
                Stored::get(piece_at(request.scratch, first + lane))
            } else {
                Piece::empty()
            };
            run.append(request, piece);
            first += LANES;
        }
        // Of so few the first warp has all.
        if blocks > LANES {
            run = of_block(request, run);
        }
        if thread::thread_idx_x() == 0 {
            if run.piece.is_closed {
                request.deliver(run.piece.segment, run.piece.head);
            }
            // For the next launch; no other block is left that counts.
            *request.scratch = 0;
        }
    }
}

/// Writes the results of the segments without elements, a share of them.
///
/// # Safety
/// All warps of the launch call it, but the first of every block; offsets and output are the
/// request's.
#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "iterators are not unrolled early enough to ask for all offsets together"
)]
unsafe fn empty_segments<O: Operator>(request: &Request<O>, offsets: &Offsets) {
    let of_block = u64::from(thread::block_dim_x() - LANES);
    let threads = u64::from(thread::grid_dim_x()) * of_block;
    let segments = u64::from(offsets.segments);
    let mut first =
        u64::from(thread::block_idx_x()) * of_block + u64::from(thread::thread_idx_x() - LANES);
    while first < segments {
        let segment = |i: usize| (first + i as u64 * threads).min(segments - 1) as u32;
        // SAFETY: the caller's; segments that exist are asked for, and all together.
        unsafe {
            let is_empty: [bool; AT_ONCE] =
                from_fn(|i| offsets.start(segment(i)) >= offsets.end(segment(i)));
            for i in 0..AT_ONCE {
                if is_empty[i] && first + (i as u64) * threads < segments {
                    *request.output.add(segment(i) as usize) = O::finish(request.initial);
                }
            }
        }
        first += AT_ONCE as u64 * threads;
    }
}

/// Segments of which a thread asks for the offsets together.
const AT_ONCE: usize = 4;
