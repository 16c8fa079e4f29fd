//! The algorithms of several launches: their kernels, and the order of the launches. What a
//! scan is asked for, and every algorithm of one launch, is in [`launch`](super::launch).

use bytemuck::Pod;
use quadscan_kernels::operator::Operator;
use quadscan_kernels::scan::scratch::{above_blelloch, of_level};
use quadscan_kernels::scan::sizes::{BLELLOCH_TILE, TEXTBOOK_THREADS};
use quadscan_kernels::scan::{Algorithm, FINAL, ScanKernel};

use crate::device::{Actual, LaunchConfig, LaunchShape, Module, arguments};
use crate::error::Result;

/// An entry and the bytes of its parameters.
type Entry = (String, Vec<u64>);

/// The entries that a scan by `O` launches, in the order of their first launches.
pub(super) fn entries<O: Operator>(kernel: &ScanKernel) -> Vec<Entry> {
    let value = size_of::<O::Accumulator>() as u64;
    let request = || {
        let mut bytes = vec![8, 8, 8, 8, value, 4, 8, 8];
        if O::IS_SEGMENTED {
            bytes.extend([8, 8]);
        }
        bytes
    };
    let (tiles, add) = (vec![8, 8, 8, value, 4, 8], vec![8, 8, value, 4, 8]);
    let named: Vec<(&str, Vec<u64>)> = match kernel.algorithm {
        Algorithm::ReduceThenScan => {
            vec![(TOTALS, request()), (BASES, request()), (TILES, request())]
        }
        Algorithm::HillisSteele => vec![
            (LOAD, vec![8, 8, 8, value, 4]),
            (PASS, vec![8, 8, 8, 8]),
            (STORE, vec![8, 8, 8]),
        ],
        Algorithm::Blelloch => vec![
            ("device_blelloch_tiles_", tiles.clone()),
            ("device_blelloch_above_tiles_", tiles),
            ("device_blelloch_above_add_", add.clone()),
            ("device_blelloch_add_", add),
        ],
        _ => return vec![(kernel.entry.to_owned(), request())],
    };
    let entry = |(prefix, bytes): (&str, _)| (format!("{prefix}{}", kernel.operator), bytes);
    named.into_iter().map(entry).collect()
}

const TOTALS: &str = "reduce_then_scan_totals_";
const BASES: &str = "reduce_then_scan_bases_";
const TILES: &str = "reduce_then_scan_tiles_";
const LOAD: &str = "device_hillis_steele_load_";
const PASS: &str = "device_hillis_steele_pass_";
const STORE: &str = "device_hillis_steele_store_";

/// A scan of elements that there are, by addresses, for callers that have checked them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scan<'a, A> {
    /// The module that has the kernels.
    pub(super) module: &'a Module,
    /// What scans.
    pub(super) kernel: &'static ScanKernel,
    /// Elements.
    pub(super) n: u64,
    /// Their address.
    pub(super) input: u64,
    /// The results' address.
    pub(super) output: u64,
    /// The address of their number on the device; null without one.
    pub(super) count: u64,
    /// `EXCLUSIVE`, `HAS_INITIAL`.
    pub(super) flags: u32,
    /// What stands before the first, when the flags say so.
    pub(super) initial: A,
    /// The scratch memory's address.
    pub(super) scratch: u64,
    /// Its words of 64 bits.
    pub(super) words: u64,
    /// The address of the segment flags, a bit an element, or of offsets; null without segments.
    pub(super) segment_flags: u64,
    /// How many offsets, or the elements of a segment, where `flags` says so.
    pub(super) segments: u64,
}

/// The parameters of a kernel that takes all that a scan is asked for.
pub(super) fn parameters<'s, A: Pod>(scan: &'s Scan<'_, A>) -> [Actual<'s>; 10] {
    arguments![
        scan.input,
        scan.output,
        scan.n,
        scan.count,
        scan.initial,
        scan.flags,
        scan.scratch,
        scan.words,
        scan.segment_flags,
        scan.segments,
    ]
}

impl<A: Pod> Scan<'_, A> {
    /// Asks for the launches of an algorithm of several, on the device's stream.
    ///
    /// # Errors
    ///
    /// The device's.
    ///
    /// # Safety
    ///
    /// The module has the [`entries`]; input and output hold `n` elements on its device,
    /// and are the same or do not overlap; `count` is null or an element; the scratch memory
    /// has [`ScanKernel::scratch_words`] and is a multiple of 16; an exclusive scan has an
    /// initial value. All of it holds until the launches are done.
    pub(super) unsafe fn launch(&self) -> Result<()> {
        // SAFETY: the caller's.
        unsafe {
            match self.kernel.algorithm {
                Algorithm::HillisSteele => self.hillis_steele(),
                Algorithm::Blelloch => self.blelloch(),
                _ => self.reduce_then_scan(),
            }
        }
    }

    /// The array is brought to a buffer, goes to the other one and back in passes, and is
    /// taken away.
    unsafe fn hillis_steele(&self) -> Result<()> {
        let shape = shape(self.n.div_ceil(TEXTBOOK_THREADS.into()));
        let bytes = 8 * of_level(self.n, size_of::<A>());
        let (mut from, mut to) = (self.scratch, self.scratch + bytes);
        // SAFETY: the caller's.
        unsafe {
            self.start(
                LOAD,
                shape,
                &arguments![self.input, from, self.n, self.initial, self.flags],
            )?;
            let mut distance = 1;
            while distance < self.n {
                self.start(PASS, shape, &arguments![from, to, self.n, distance])?;
                (from, to) = (to, from);
                distance *= 2;
            }
            self.start(STORE, shape, &arguments![from, self.output, self.n])
        }
    }

    /// Levels of tiles upwards, to one of a single tile, and down again.
    unsafe fn blelloch(&self) -> Result<()> {
        // Address, elements and flags of every level.
        let mut levels = vec![(self.output, self.n, self.flags)];
        let mut address = self.scratch;
        let mut n = above_blelloch(self.n);
        while n > 0 {
            levels.push((address, n, 0));
            address += 8 * of_level(n, size_of::<A>());
            n = above_blelloch(n);
        }
        let name = |level: usize, what| {
            let level = if level == 0 { "" } else { "above_" };
            format!("device_blelloch_{level}{what}_")
        };
        let totals_of = |level: usize| levels.get(level + 1).map_or(0, |&(address, ..)| address);
        // SAFETY: the caller's.
        unsafe {
            for (level, &(address, n, flags)) in levels.iter().enumerate() {
                let input = if level == 0 { self.input } else { address };
                let is_last = level + 1 == levels.len();
                let flags = flags | if is_last { FINAL } else { 0 };
                let totals = totals_of(level);
                self.start(
                    &name(level, "tiles"),
                    blelloch_shape(n),
                    &arguments![input, address, n, self.initial, flags, totals],
                )?;
            }
            for (level, &(address, n, flags)) in levels.iter().enumerate().rev().skip(1) {
                let totals = totals_of(level);
                self.start(
                    &name(level, "add"),
                    blelloch_shape(n),
                    &arguments![address, n, self.initial, flags, totals],
                )?;
            }
        }
        Ok(())
    }

    /// Totals, what lies before each tile, and the tiles.
    unsafe fn reduce_then_scan(&self) -> Result<()> {
        let kernel = self.kernel;
        let blocks = kernel.tiles(self.n) as u32;
        let tiles = LaunchShape::new(blocks, kernel.threads).with_shared(kernel.shared_bytes);
        // SAFETY: the caller's.
        unsafe {
            self.request(TOTALS, tiles)?;
            self.request(BASES, LaunchShape::new(1, kernel.threads))?;
            self.request(TILES, tiles)
        }
    }

    /// A kernel with the parameters of a request.
    unsafe fn request(&self, prefix: &str, shape: LaunchShape) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { self.start(prefix, shape, &parameters(self)[..8]) }
    }

    unsafe fn start(
        &self,
        prefix: &str,
        shape: LaunchShape,
        arguments: &[Actual<'_>],
    ) -> Result<()> {
        let entry = format!("{prefix}{}", self.kernel.operator);
        // SAFETY: the caller's; every kernel of these begins by waiting for earlier launches,
        // and what they write is behind raw pointers.
        unsafe {
            let config = LaunchConfig::new(shape).programmatic();
            self.module.launch_raw(&entry, config, arguments)
        }
    }
}

fn blelloch_shape(n: u64) -> LaunchShape {
    shape(n.div_ceil(BLELLOCH_TILE))
}

/// No more blocks than the kernel's capacity has, which are a `u32`.
fn shape(blocks: u64) -> LaunchShape {
    LaunchShape::new(blocks as u32, TEXTBOOK_THREADS)
}
