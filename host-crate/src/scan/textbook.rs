//! The published scans: the sequences of launches of those that take several, and the
//! launch of decoupled look-back. By addresses, for callers that have checked them.

use quadscan_kernels::operator::Operator;
use quadscan_kernels::scan::lanes::words_of;
use quadscan_kernels::scan::segment::Shape;
use quadscan_kernels::scan::{blelloch, decoupled_lookback, hillis_steele, reduce_then_scan};

use crate::device::{Actual, LaunchShape, Module};
use crate::error::{Error, Result};

/// Values as the parameters of a launch.
macro_rules! arguments {
    ($($value:expr),*) => {
        &[$(Actual { bytes: bytemuck::bytes_of(&$value), elements: None }),*]
    };
}

/// A published algorithm: a file each in `quadscan_kernels::scan`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// [`hillis_steele`]: a pass for every power of two below `n`.
    HillisSteele,
    /// [`blelloch`]: trees in shared memory, level upon level.
    Blelloch,
    /// [`reduce_then_scan`]: three launches.
    ReduceThenScan,
    /// [`decoupled_lookback`], whose association depends on timing.
    DecoupledLookback,
    /// [`decoupled_lookback`] with one that depends on `n` alone.
    DecoupledLookbackFixed,
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Algorithm; 5] = [
        Algorithm::HillisSteele,
        Algorithm::Blelloch,
        Algorithm::ReduceThenScan,
        Algorithm::DecoupledLookback,
        Algorithm::DecoupledLookbackFixed,
    ];

    /// As it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::HillisSteele => "hillis_steele",
            Algorithm::Blelloch => "blelloch",
            Algorithm::ReduceThenScan => "reduce_then_scan",
            Algorithm::DecoupledLookback => "decoupled_lookback",
            Algorithm::DecoupledLookbackFixed => "decoupled_lookback_fixed",
        }
    }

    /// Words of 64 bits of scratch memory for up to `n` elements. Those of decoupled
    /// look-back are zero before its first launch, and nothing but scans that tag their
    /// words writes there afterwards; the others' may hold anything.
    pub fn scratch_words<O: Operator>(self, n: u64) -> u64 {
        let bytes = size_of::<O::Accumulator>();
        let tiles = n.div_ceil(Shape::of::<O>().elements());
        let lookback = |is_fixed| {
            decoupled_lookback::scratch_words(tiles, words_of::<O::Accumulator>(), is_fixed)
        };
        match self {
            Algorithm::HillisSteele => hillis_steele::scratch_words(n, bytes),
            Algorithm::Blelloch => blelloch::scratch_words(n, bytes),
            Algorithm::ReduceThenScan => reduce_then_scan::scratch_words(tiles, bytes),
            Algorithm::DecoupledLookback => lookback(false),
            Algorithm::DecoupledLookbackFixed => lookback(true),
        }
    }
}

/// A scan by addresses.
#[derive(Clone, Copy, Debug)]
pub struct Scan<'a, A> {
    /// The module that has the kernels.
    pub module: &'a Module,
    /// The operator's name in theirs: `sum_u32`.
    pub operator: &'a str,
    /// Elements.
    pub n: u64,
    /// Their address.
    pub input: u64,
    /// The results' address.
    pub output: u64,
    /// `EXCLUSIVE`, `HAS_INITIAL`.
    pub flags: u32,
    /// What stands before the first, when the flags say so.
    pub initial: A,
    /// The scratch memory's address.
    pub scratch: u64,
    /// Its words of 64 bits.
    pub words: u64,
}

impl<A: bytemuck::Pod> Scan<'_, A> {
    /// Asks for the launches of an algorithm, on the device's stream. None for no elements.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] for more blocks than a launch has; the device's.
    ///
    /// # Safety
    ///
    /// Input and output hold `n` elements on the module's device, and are the same or do
    /// not overlap; `operator` names kernels of `O`, which has a result of the
    /// accumulator's type for [`Algorithm::Blelloch`]; the scratch memory has
    /// [`Algorithm::scratch_words`] and is a multiple of 16; an exclusive scan has an
    /// initial value. All of it holds until the launches are done.
    pub unsafe fn launch<O: Operator<Accumulator = A>>(&self, algorithm: Algorithm) -> Result<()> {
        if self.n == 0 {
            return Ok(());
        }
        // SAFETY: the caller's.
        unsafe {
            match algorithm {
                Algorithm::HillisSteele => self.hillis_steele(),
                Algorithm::Blelloch => self.blelloch(),
                Algorithm::ReduceThenScan => self.reduce_then_scan::<O>(),
                Algorithm::DecoupledLookback => self.tiles::<O>("decoupled_lookback_"),
                Algorithm::DecoupledLookbackFixed => self.tiles::<O>("decoupled_lookback_fixed_"),
            }
        }
    }

    /// The array is brought to a buffer, goes to the other one and back in passes, and is
    /// taken away.
    unsafe fn hillis_steele(&self) -> Result<()> {
        let threads = hillis_steele::THREADS;
        let shape = shape(self.n.div_ceil(u64::from(threads)), threads)?;
        let bytes = 8 * hillis_steele::buffer_words(self.n, size_of::<A>());
        let (mut from, mut to) = (self.scratch, self.scratch + bytes);
        // SAFETY: the caller's.
        unsafe {
            let load = arguments!(self.input, from, self.n, self.initial, self.flags);
            self.start("device_hillis_steele_load_", shape, load)?;
            for distance in hillis_steele::distances(self.n) {
                let pass = arguments!(from, to, self.n, distance);
                self.start("device_hillis_steele_pass_", shape, pass)?;
                (from, to) = (to, from);
            }
            let store = arguments!(from, self.output, self.n);
            self.start("device_hillis_steele_store_", shape, store)
        }
    }

    /// Levels of tiles upwards, to one of a single tile, and down again.
    unsafe fn blelloch(&self) -> Result<()> {
        // Address, elements and flags of every level.
        let mut levels = vec![(self.output, self.n, self.flags)];
        let mut address = self.scratch;
        let mut n = blelloch::above(self.n);
        while n > 0 {
            levels.push((address, n, 0));
            address += 8 * blelloch::level_words(n, size_of::<A>());
            n = blelloch::above(n);
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
                let flags = flags | if is_last { blelloch::FINAL } else { 0 };
                let totals = totals_of(level);
                let tiles = arguments!(input, address, n, self.initial, flags, totals);
                self.start(&name(level, "tiles"), blelloch_shape(n)?, tiles)?;
            }
            for (level, &(address, n, flags)) in levels.iter().enumerate().rev().skip(1) {
                let totals = totals_of(level);
                let add = arguments!(address, n, self.initial, flags, totals);
                self.start(&name(level, "add"), blelloch_shape(n)?, add)?;
            }
        }
        Ok(())
    }

    /// Totals, what lies before each tile, and the tiles.
    unsafe fn reduce_then_scan<O: Operator<Accumulator = A>>(&self) -> Result<()> {
        // SAFETY: the caller's.
        unsafe {
            self.tiles::<O>("reduce_then_scan_totals_")?;
            let shape = LaunchShape::new(1, Shape::of::<O>().threads());
            self.request("reduce_then_scan_bases_", shape)?;
            self.tiles::<O>("reduce_then_scan_tiles_")
        }
    }

    /// A block a tile.
    unsafe fn tiles<O: Operator<Accumulator = A>>(&self, prefix: &str) -> Result<()> {
        let tile = Shape::of::<O>();
        let shape = shape(self.n.div_ceil(tile.elements()), tile.threads())?;
        // SAFETY: the caller's.
        unsafe { self.request(prefix, shape.with_shared(tile.shared_bytes())) }
    }

    /// A kernel with the parameters of a request.
    unsafe fn request(&self, prefix: &str, shape: LaunchShape) -> Result<()> {
        let no_count = 0u64;
        let arguments = arguments!(
            self.input,
            self.output,
            self.n,
            no_count,
            self.initial,
            self.flags,
            self.scratch,
            self.words
        );
        // SAFETY: the caller's.
        unsafe { self.start(prefix, shape, arguments) }
    }

    unsafe fn start(
        &self,
        prefix: &str,
        shape: LaunchShape,
        arguments: &[Actual<'_>],
    ) -> Result<()> {
        let entry = format!("{prefix}{}", self.operator);
        // SAFETY: the caller's.
        unsafe { self.module.launch_raw(&entry, shape, arguments) }
    }
}

fn blelloch_shape(n: u64) -> Result<LaunchShape> {
    shape(n.div_ceil(blelloch::TILE), blelloch::THREADS)
}

fn shape(blocks: u64, threads: u32) -> Result<LaunchShape> {
    let blocks = u32::try_from(blocks).map_err(|_| Error::OutOfRange {
        what: "blocks of a scan",
        value: blocks,
        lowest: 1,
        highest: u64::from(u32::MAX),
        scope: "in one launch".to_owned(),
    })?;
    Ok(LaunchShape::new(blocks, threads))
}
