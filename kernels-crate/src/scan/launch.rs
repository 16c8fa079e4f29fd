//! What a host has to know of the kernels to launch them: the algorithms by their names,
//! and the kernels' names and shapes. The launches themselves are `quadscan::scan`'s.

use core::fmt;
use core::str::FromStr;

use super::scratch;
use super::shape::{Lookahead, Registers};
use super::sizes::{self, BLELLOCH_TILE, TEXTBOOK_THREADS};
use crate::operator::Operator;
#[cfg(feature = "instances")]
use crate::operator::{Product, Sum};

/// The most blocks of a grid of one dimension (CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability").
const MOST_BLOCKS: u64 = i32::MAX as u64;

macro_rules! algorithms {
    ($($(#[$doc:meta])* $algorithm:ident $name:literal;)*) => {
        /// How an array is scanned.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Algorithm {
            $($(#[$doc])* $algorithm,)*
        }

        impl Algorithm {
            /// All of them: first those that a plan chooses from when nobody asks for one, those of
            /// small arrays first.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$algorithm),*];

            /// As it is printed and asked for.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$algorithm => $name,)*
                }
            }
        }
    };
}

algorithms! {
    /// One block, the array in its registers: [`one_block`](super::one_block).
    OneBlock "one_block";
    /// A tile a block, all blocks resident at once: [`one_wave`](super::one_wave), with
    /// [`sizes::one_wave_small`].
    OneWaveSmall "one_wave_small";
    /// The same with larger tiles: [`sizes::one_wave`].
    OneWave "one_wave";
    /// Persistent blocks, which look ahead: [`lookahead`](super::lookahead). From compute
    /// capability 9.0 on.
    LookAhead "lookahead";
    /// A tile a block, which looks back for what lies before it:
    /// [`decoupled_lookback`](super::decoupled_lookback),
    /// with an association that depends on the number of elements alone. The results have
    /// the bits of [`Algorithm::LookAhead`].
    DecoupledLookbackFixed "decoupled_lookback_fixed";
    /// The same as published: the association depends on timing, and so may the last bits
    /// of floats, from one scan to the next.
    DecoupledLookback "decoupled_lookback";
    /// Three launches: [`reduce_then_scan`](super::reduce_then_scan). The results have the bits of
    /// [`Algorithm::LookAhead`].
    ReduceThenScan "reduce_then_scan";
    /// A launch for every power of two below the number of elements: [`hillis_steele`](super::hillis_steele).
    HillisSteele "hillis_steele";
    /// Trees in shared memory, a launch or two for every level of them: [`blelloch`](super::blelloch).
    Blelloch "blelloch";
}

impl Algorithm {
    /// Whether its tiles are no more than the blocks that are resident at once.
    pub const fn is_one_wave(self) -> bool {
        matches!(self, Self::OneWaveSmall | Self::OneWave)
    }

    /// Whether its blocks wait for each other, so that all must be resident at once.
    pub const fn is_resident(self) -> bool {
        self.is_one_wave() || matches!(self, Self::LookAhead)
    }

    /// Whether a plan chooses it when nobody asks for one: the fastest of one launch whose
    /// results are the same from run to run.
    pub const fn is_chosen(self) -> bool {
        matches!(
            self,
            Self::OneBlock
                | Self::OneWaveSmall
                | Self::OneWave
                | Self::LookAhead
                | Self::DecoupledLookbackFixed
        )
    }

    /// Whether the number of elements may be on the device: not where the host has to
    /// count launches.
    pub const fn is_countable(self) -> bool {
        !matches!(self, Self::HillisSteele | Self::Blelloch)
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// No algorithm has this name; it prints those that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownAlgorithm;

impl fmt::Display for UnknownAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it is no algorithm of scans, allowed are ")?;
        for (i, algorithm) in Algorithm::ALL.into_iter().enumerate() {
            let separator = if i > 0 { ", " } else { "" };
            write!(f, "{separator}{algorithm}")?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownAlgorithm {}

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, UnknownAlgorithm> {
        let mut all = Self::ALL.into_iter();
        all.find(|algorithm| algorithm.name() == name)
            .ok_or(UnknownAlgorithm)
    }
}

/// What scans by one algorithm, and the launches that it can have. An algorithm of several
/// launches has kernels beside this one: `quadscan::scan` knows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanKernel {
    /// The entry of the PTX; of several launches, of the kernel that has the output.
    pub entry: &'static str,
    /// The operator's name in the entries: `sum_u32`.
    pub operator: &'static str,
    /// The Rust module that named the operator, in the crate that has the entries:
    /// `quadscan_kernels::scan::instances`.
    pub module: &'static str,
    /// What it does.
    pub algorithm: Algorithm,
    /// Threads of a block; of [`Algorithm::OneBlock`] at most.
    pub threads: u32,
    /// Dynamic shared memory of a block, bytes.
    pub shared_bytes: u32,
    /// Elements of a tile, which a block has.
    pub tile: u64,
    /// The most tiles that it scans.
    pub max_tiles: u64,
    /// Bytes of what is combined.
    bytes: usize,
}

impl ScanKernel {
    /// Tiles of `n` elements.
    pub const fn tiles(&self, n: u64) -> u64 {
        n.div_ceil(self.tile)
    }

    /// The most elements.
    pub const fn capacity(&self) -> u64 {
        self.tile.saturating_mul(self.max_tiles)
    }

    /// Words of 64 bits of scratch memory that it needs for up to `n` elements.
    pub fn scratch_words(&self, n: u64) -> u64 {
        let n = n.min(self.capacity());
        let (tiles, words) = (self.tiles(n), self.bytes.div_ceil(4));
        match self.algorithm {
            Algorithm::OneBlock => 0,
            Algorithm::OneWaveSmall | Algorithm::OneWave | Algorithm::LookAhead => {
                scratch::of_tiles(tiles, words)
            }
            Algorithm::DecoupledLookbackFixed => scratch::of_lookback(tiles, words, true),
            Algorithm::DecoupledLookback => scratch::of_lookback(tiles, words, false),
            Algorithm::ReduceThenScan => scratch::of_reduce_then_scan(tiles, self.bytes),
            Algorithm::HillisSteele => scratch::of_hillis_steele(n, self.bytes),
            Algorithm::Blelloch => scratch::of_blelloch(n, self.bytes),
        }
    }

    /// What scans by this algorithm, with the operator `O`, which the entries call
    /// `operator`; they are of the crate of `module`.
    ///
    /// The kernels' shared memory has room for accumulators of up to 16 bytes; an operator
    /// with larger ones does not compile:
    ///
    /// ```compile_fail,E0080
    /// use quadscan_kernels::operator::Operator;
    /// use quadscan_kernels::scan::{Algorithm, ScanKernel};
    ///
    /// #[derive(Clone, Copy)]
    /// struct First;
    ///
    /// impl Operator for First {
    ///     type Input = u32;
    ///     type Accumulator = [u32; 5];
    ///     type Output = u32;
    ///     fn transform(element: u32) -> [u32; 5] {
    ///         [element; 5]
    ///     }
    ///     fn combine(first: [u32; 5], _: [u32; 5]) -> [u32; 5] {
    ///         first
    ///     }
    ///     fn finish([first, ..]: [u32; 5]) -> u32 {
    ///         first
    ///     }
    /// }
    ///
    /// const KERNEL: ScanKernel = ScanKernel::new::<First>(Algorithm::OneBlock, "", "", "");
    /// ```
    pub const fn new<O: Operator>(
        algorithm: Algorithm,
        entry: &'static str,
        operator: &'static str,
        module: &'static str,
    ) -> Self {
        // Of segments, as much again for the flag.
        let most = if O::IS_SEGMENTED { 32 } else { 16 };
        assert!(
            size_of::<O::Accumulator>() <= most,
            "an accumulator has at most 16 bytes"
        );
        let (threads, shared_bytes, tile, max_tiles) = match algorithm {
            Algorithm::OneBlock => registers(sizes::one_block::<O>(), 1),
            Algorithm::OneWaveSmall => wave(sizes::one_wave_small::<O>()),
            Algorithm::OneWave => wave(sizes::one_wave::<O>()),
            Algorithm::LookAhead => ahead(sizes::lookahead::<O>()),
            Algorithm::DecoupledLookbackFixed
            | Algorithm::DecoupledLookback
            | Algorithm::ReduceThenScan => {
                let of = sizes::tiles::<O>();
                (of.threads(), of.shared_bytes(), of.elements(), MOST_BLOCKS)
            }
            Algorithm::HillisSteele => (TEXTBOOK_THREADS, 0, TEXTBOOK_THREADS as u64, MOST_BLOCKS),
            Algorithm::Blelloch => (TEXTBOOK_THREADS, 0, BLELLOCH_TILE, MOST_BLOCKS),
        };
        Self {
            entry,
            operator,
            module,
            algorithm,
            threads,
            shared_bytes,
            tile,
            max_tiles,
            bytes: size_of::<O::Accumulator>(),
        }
    }
}

/// Threads, bytes of shared memory, elements of a tile, the most tiles.
const fn registers(of: Registers, most: u64) -> (u32, u32, u64, u64) {
    (of.threads(), 0, of.elements(), most)
}

const fn wave(of: Registers) -> (u32, u32, u64, u64) {
    registers(of, of.max_blocks())
}

const fn ahead(of: Lookahead) -> (u32, u32, u64, u64) {
    (of.threads(), of.shared_bytes(), of.elements(), u64::MAX)
}

/// An operator whose scans some PTX has. Implemented by
/// [`scan_kernels!`](crate::scan_kernels).
///
/// # Safety
///
/// The entries, where there are any, are kernels that this macro,
/// [`textbook_scan_kernels!`](crate::textbook_scan_kernels) and
/// [`decoupled_lookback_kernels!`](crate::decoupled_lookback_kernels) made, in the crate of
/// [`ScanKernel::module`], for this operator or for one whose elements, accumulators and
/// results have as many bytes, and as bits the same meaning.
#[diagnostic::on_unimplemented(
    message = "no kernels scan with `{Self}`",
    note = "`quadscan_kernels::scan_kernels! {{ name: {Self}; }}` in a crate of kernels makes them"
)]
pub unsafe trait ScanKernels: Operator {
    /// An algorithm each, in the order of [`Algorithm::ALL`]. PTX need not have all of them:
    /// that for older GPUs does not look ahead, and the textbook's are there for a few
    /// operators.
    const KERNELS: &'static [ScanKernel];
}

/// The operators on signed integers whose bits are those of the unsigned ones.
#[cfg(feature = "instances")]
macro_rules! twins {
    ($($signed:ty = $unsigned:ty;)*) => {$(
        // SAFETY: two's complement: wrapping sums and products give the same bits.
        unsafe impl ScanKernels for $signed {
            const KERNELS: &'static [ScanKernel] = <$unsigned as ScanKernels>::KERNELS;
        }
    )*};
}

#[cfg(feature = "instances")]
crate::instances! { signed scan twins }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_is_asked_for_by_its_name_and_no_other() {
        for algorithm in Algorithm::ALL {
            assert_eq!(algorithm.name().parse(), Ok(algorithm));
        }
        for wrong in ["", "Blelloch", "lookahead ", "naive"] {
            assert_eq!(wrong.parse::<Algorithm>(), Err(UnknownAlgorithm), "{wrong}");
        }
    }

    #[test]
    fn an_operator_has_an_entry_for_every_algorithm_in_their_order() {
        let kernels = <Sum<f64> as ScanKernels>::KERNELS.iter();
        let found = kernels.clone().map(|kernel| kernel.algorithm);
        assert!(found.eq(Algorithm::ALL));
        for kernel in kernels {
            assert!(kernel.entry.ends_with("_sum_f64"), "{kernel:?}");
            assert_eq!(kernel.operator, "sum_f64");
        }
    }

    #[test]
    fn what_is_chosen_comes_before_what_has_to_be_asked_for() {
        assert!(Algorithm::ALL.is_sorted_by_key(|algorithm| !algorithm.is_chosen()));
    }
}
