//! The work-efficient scan of a whole array: each block scans a tile by a tree in shared
//! memory, up and down again; the tiles' totals are scanned in the same way, level upon
//! level; then what lies before a tile is added to its elements. About 3 n combines.
//!
//! The tree needs no neutral element: nothing stands at its root, and a node to which
//! nothing comes down passes on what it has. A tile that is cut short has a tree without
//! the missing nodes.
//!
//! Partial results lie in the output, so results have to be of the accumulator's type.
//!
//! Shared memory: a tile's tree, padded.
//!
//! Association: that of the tree, in the tile and in every level above.
//!
//! Source: Blelloch, Prefix sums and their applications, 1990, section 1.3; GPU Gems 3,
//! sections 39.2.2 to 39.2.4.

use core::marker::PhantomData;
use cuda_std::{grid, shared_array, thread};

use super::lanes::unspecified;
use super::sizes::{BLELLOCH_TILE as TILE, TEXTBOOK_THREADS as THREADS};
use super::{EXCLUSIVE, FINAL, HAS_INITIAL};
use crate::operator::Operator;

/// Banks of shared memory: 32 of 4 bytes.
const BANKS: usize = 32;

/// What combines the totals of an operator's tiles.
pub struct Above<O>(PhantomData<O>);

impl<O> Clone for Above<O> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<O> Copy for Above<O> {}

impl<O: Operator> Operator for Above<O> {
    type Input = O::Accumulator;
    type Accumulator = O::Accumulator;
    type Output = O::Accumulator;
    #[inline(always)]
    fn transform(element: O::Accumulator) -> O::Accumulator {
        element
    }
    #[inline(always)]
    fn combine(first: O::Accumulator, second: O::Accumulator) -> O::Accumulator {
        O::combine(first, second)
    }
    #[inline(always)]
    fn finish(result: O::Accumulator) -> O::Accumulator {
        result
    }
}

/// A tree's nodes in shared memory, padded: one gap after every 32 elements keeps the
/// strides of the tree, powers of two, from falling into one bank.
struct Tree<A> {
    nodes: *mut A,
    /// How many leaves there are.
    leaves: usize,
}

impl<A: Copy> Tree<A> {
    #[inline(always)]
    fn node(&self, i: usize) -> *mut A {
        self.nodes.wrapping_add(i + i / BANKS)
    }

    /// Combines the leaves upwards: the node at the end of every whole sub-tree becomes
    /// the total of its leaves.
    ///
    /// # Safety
    /// All threads of the block call it; the leaves are written, each by a thread.
    #[inline(always)]
    unsafe fn up<O: Operator<Accumulator = A>>(&self) {
        let thread = thread::thread_idx_x() as usize;
        for level in 0..TILE.ilog2() {
            let size = 1 << level;
            thread::sync_threads();
            let (left, right) = self.children(thread, size);
            if right < self.leaves {
                // SAFETY: the caller's: a node of this level is this thread's alone.
                unsafe {
                    *self.node(right) = O::combine(*self.node(left), *self.node(right));
                }
            }
        }
        thread::sync_threads();
    }

    /// Takes downwards what lies before each sub-tree: every leaf but the first becomes
    /// the total of the leaves before it.
    ///
    /// # Safety
    /// As for [`Tree::up`], which has run.
    #[inline(always)]
    unsafe fn down<O: Operator<Accumulator = A>>(&self) {
        let thread = thread::thread_idx_x() as usize;
        for level in (0..TILE.ilog2()).rev() {
            let size = 1 << level;
            let (left, right) = self.children(thread, size);
            // SAFETY: the caller's: nodes of a level are one thread's alone.
            unsafe {
                if left + 1 < self.leaves {
                    let total = *self.node(left);
                    *self.node(right) = if thread == 0 {
                        total
                    } else {
                        let before = *self.node(right);
                        *self.node(left) = before;
                        O::combine(before, total)
                    };
                } else if thread > 0 && 2 * thread * size < self.leaves {
                    // The right one has no leaves.
                    *self.node(left) = *self.node(right);
                }
            }
            thread::sync_threads();
        }
    }

    /// The nodes of the two sub-trees of `size` leaves that this thread combines.
    #[inline(always)]
    fn children(&self, thread: usize, size: usize) -> (usize, usize) {
        let left = (2 * thread + 1) * size - 1;
        (left, left + size)
    }
}

/// Scans every tile of the input by itself, and tells the totals of all but the last.
/// With [`FINAL`], there is one tile only.
///
/// # Safety
/// A block of [`THREADS`] threads for every tile; input and output hold `n` elements, and
/// are the same or do not overlap; `totals` has room for those of the level [above](super::scratch::above_blelloch); an
/// exclusive scan has an initial value.
#[inline(always)]
pub unsafe fn tiles<O: Operator<Output = <O as Operator>::Accumulator>>(
    input: *const O::Input,
    output: *mut O::Output,
    n: u64,
    initial: O::Accumulator,
    flags: u32,
    totals: *mut O::Accumulator,
) {
    let nodes = shared_array![u128; TILE as usize + TILE as usize / BANKS];
    let (tile, first, count) = own_tile(n);
    let has_initial = tile == 0 && flags & HAS_INITIAL != 0;
    let tree = Tree::<O::Accumulator> {
        nodes: nodes.cast(),
        leaves: count,
    };
    // SAFETY: the caller's; elements of different threads are different.
    let load = |i: usize| unsafe {
        let mut own = unspecified();
        if i < count {
            own = O::transform(*input.add(first + i));
            *tree.node(i) = own;
        }
        own
    };
    // SAFETY: as above.
    let store = |i: usize, own: O::Accumulator| unsafe {
        if i >= count {
            return;
        }
        let scanned = match (i, flags & EXCLUSIVE != 0) {
            (0, true) => None,
            (0, false) => Some(own),
            (_, true) => Some(*tree.node(i)),
            (_, false) => Some(O::combine(*tree.node(i), own)),
        };
        if flags & FINAL != 0 {
            let base = has_initial.then_some(initial);
            *output.add(first + i) = behind::<O>(base, scanned);
        } else if let Some(scanned) = scanned {
            *output.add(first + i) = scanned;
        }
    };
    let (one, other) = (load(element(0)), load(element(1)));
    // SAFETY: the caller's.
    unsafe {
        tree.up::<O>();
        if thread::thread_idx_x() == 0 && (first + count) < n as usize {
            let total = *tree.node(TILE as usize - 1);
            *totals.add(tile) = if has_initial {
                O::combine(initial, total)
            } else {
                total
            };
        }
        tree.down::<O>();
    }
    store(element(0), one);
    store(element(1), other);
}

/// Adds what lies before a tile to its elements.
///
/// # Safety
/// As for [`tiles`], which has run without [`FINAL`]; `totals` are those of the level
/// above, scanned.
#[inline(always)]
pub unsafe fn add<O: Operator<Output = <O as Operator>::Accumulator>>(
    output: *mut O::Output,
    n: u64,
    initial: O::Accumulator,
    flags: u32,
    totals: *const O::Accumulator,
) {
    let (tile, first, count) = own_tile(n);
    // SAFETY: the caller's.
    unsafe {
        let base = if tile > 0 {
            Some(*totals.add(tile - 1))
        } else {
            (flags & HAS_INITIAL != 0).then_some(initial)
        };
        for j in 0..2 {
            let i = element(j);
            if i < count {
                let at = output.add(first + i);
                let is_empty = i == 0 && flags & EXCLUSIVE != 0;
                let scanned = if is_empty { None } else { Some(*at) };
                *at = behind::<O>(base, scanned);
            }
        }
    }
}

/// This block's tile of an array of `n` elements, once the launches before are done: its
/// number, its first element, and how many it has.
#[inline(always)]
fn own_tile(n: u64) -> (usize, usize, usize) {
    grid::launch_dependents();
    grid::wait_for_earlier();
    let tile = u64::from(thread::block_idx_x());
    let first = tile * TILE;
    let count = n.saturating_sub(first).min(TILE);
    (tile as usize, first as usize, count as usize)
}

/// Where this thread's first (0) or second (1) element is in the tile.
#[inline(always)]
fn element(j: usize) -> usize {
    j * THREADS as usize + thread::thread_idx_x() as usize
}

/// A result: what lies before the tile, and what the tile has up to an element. One of
/// them is there.
#[inline(always)]
fn behind<O: Operator>(base: Option<O::Accumulator>, scanned: Option<O::Accumulator>) -> O::Output {
    O::finish(match (base, scanned) {
        (Some(base), Some(scanned)) => O::combine(base, scanned),
        (Some(base), None) => base,
        (None, Some(scanned)) => scanned,
        (None, None) => unspecified(),
    })
}
