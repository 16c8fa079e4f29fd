//! What a row of the table of tuned constants means.
//!
//! The numbers are in [`tuned`](super::tuned); [`sizes`](super::sizes) chooses a row, and makes
//! shapes of it.
//!
//! Why the architecture is where it is: a kernel of one name has one shape on all GPUs, so
//! that a program describes it once, and the bits of its results do not depend on the GPU.
//! [`Row::lookahead`] is that of compute capability 9.0, since no older GPU looks ahead; an
//! older one takes its tiles from there for the same bits. What may differ between GPUs, up
//! to where a kernel is the fastest, is there for each.

use super::segment_flags;

/// The constants of a width class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Bytes of an element.
    pub element: usize,
    /// Bytes of a result.
    pub result: usize,
    /// Of [`one_block`](super::one_block): at most 32 warps.
    pub one_block: Tile,
    /// Of [`one_wave`](super::one_wave) with small tiles: at most 16 warps.
    pub one_wave_small: Tile,
    /// Of [`one_wave`](super::one_wave): at most 16 warps.
    pub one_wave: Tile,
    /// Of [`lookahead`](super::lookahead): at most [`MOST_WORKERS`].
    pub lookahead: Stream,
    /// On compute capability 9.0 and newer.
    pub sm_90: Thresholds,
    /// On older GPUs.
    pub older: Thresholds,
}

/// A tile in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Warps of a block.
    pub warps: usize,
    /// Rows of a warp.
    pub rows: usize,
}

/// Tiles in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Warps that scan.
    pub workers: usize,
    /// How many times a lane has the fewest elements that are whole vectors: an odd number,
    /// so that lanes meet in few banks.
    pub times: usize,
    /// Rounds between the total of a tile and its scan.
    pub delay: usize,
    /// Tiles that are on their way.
    pub ahead: usize,
}

/// Up to how many bytes of elements a kernel is faster than those that follow it, where its
/// tiles are resident at once. One block scans whatever it has room for: that has to be the
/// same on all GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thresholds {
    /// Of the one wave of small tiles.
    pub one_wave_small: u64,
    /// Of the one wave.
    pub one_wave: u64,
}

/// Vectors of 16 bytes that a lane of each worker has in shared memory, all workers
/// together: 32 lanes have 220.5 KiB of the 227 KiB of a block on compute capability 9.0
/// (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"); the
/// rest is for totals and barriers.
pub const ROOM: usize = 441;

/// The most [`Stream::workers`]. All kernels with tiles of this size have as many warps, and
/// their bounds and their shared memory for the warps' totals are for no more (`tile_entry!`,
/// [`segmented_scan_kernels!`](crate::segmented_scan_kernels)).
pub const MOST_WORKERS: usize = 9;

impl Stream {
    /// The most [`Stream::times`] that there is shared memory for, where the fewest elements,
    /// `each`, are `vectors` and their results `results` vectors of 16 bytes.
    ///
    /// Elements have a slot each of the tiles that wait, come and leave, results of another
    /// length two.
    pub const fn room(&self, each: usize, vectors: usize, results: usize) -> usize {
        let of_each = self.of_each(vectors, results);
        let (fit, most) = (
            ROOM / self.workers / of_each,
            segment_flags::MOST_ITEMS / each,
        );
        let times = if fit < most { fit } else { most };
        if times > 1 { (times - 1) | 1 } else { 1 }
    }

    /// Vectors that a lane has in shared memory for the fewest elements.
    const fn of_each(&self, vectors: usize, results: usize) -> usize {
        let staged = if vectors == results { 0 } else { 2 * results };
        vectors * (self.delay + self.ahead + 1) + staged
    }

    /// The same for other sizes: with as many [`Stream::times`] as there is
    /// [`room`](Self::room) for, and with fewer workers where there is none for the fewest
    /// elements of all.
    pub const fn fitted(self, each: usize, vectors: usize, results: usize) -> Self {
        let most = ROOM / self.of_each(vectors, results);
        let mut fitted = self;
        if most < self.workers {
            fitted.workers = most;
        }
        fitted.times = fitted.room(each, vectors, results);
        fitted
    }
}

impl Row {
    /// Whether it is the row of these sizes, bytes.
    pub const fn is_of(&self, element: usize, result: usize) -> bool {
        self.element == element && self.result == result
    }

    /// The thresholds on a compute capability.
    pub const fn thresholds(&self, compute_capability: (u32, u32)) -> Thresholds {
        match compute_capability.0 >= 9 {
            true => self.sm_90,
            false => self.older,
        }
    }

    /// How far its sizes are from these: in powers of two, of elements and results together.
    pub(super) const fn distance(&self, element: usize, result: usize) -> u32 {
        apart(self.element, element) + apart(self.result, result)
    }
}

const fn apart(bytes: usize, other: usize) -> u32 {
    const fn log2(bytes: usize) -> u32 {
        (bytes | 1).ilog2()
    }
    log2(bytes).abs_diff(log2(other))
}

#[cfg(test)]
mod tests {
    use super::super::sizes::nearest_row;
    use super::super::tuned::ROWS;
    use super::*;

    fn class(element: usize, result: usize) -> (usize, usize) {
        let row = nearest_row(element, result);
        (row.element, row.result)
    }

    #[test]
    fn a_class_with_a_row_has_that_row() {
        for row in &ROWS {
            assert_eq!(class(row.element, row.result), (row.element, row.result));
        }
    }

    #[test]
    fn a_class_without_a_row_has_the_nearest() {
        assert_eq!(class(12, 12), (8, 8));
        assert_eq!(class(3, 3), (2, 2));
        assert_eq!(class(4, 16), (4, 4));
        assert_eq!(class(1, 2), (1, 1));
        assert_eq!(class(0, 0), (1, 1));
    }

    #[test]
    fn blocks_stay_within_the_bounds_of_their_kernels() {
        for row in &ROWS {
            assert!(row.one_block.warps <= 32);
            assert!(row.one_wave_small.warps <= 16);
            assert!(row.one_wave.warps <= 16);
            assert!(row.lookahead.workers <= MOST_WORKERS);
            assert_eq!(row.lookahead.times % 2, 1);
        }
    }
}
