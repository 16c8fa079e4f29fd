//! What a host has to know of the kernels to launch them: their names and shapes. The
//! launches themselves are `quadscan::scan`'s.

use super::sizes::{self, Ahead, Registers};
use super::{lanes, one_block, one_wave, status};
use crate::operator::{BitAnd, BitOr, BitXor};
use crate::operator::{Operator, Product, Sum};

/// How an array is scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// One block, the array in its registers: [`one_block`].
    OneBlock,
    /// A tile a block, all blocks resident at once: [`one_wave`], with
    /// [`sizes::one_wave_small`].
    OneWaveSmall,
    /// The same with larger tiles: [`sizes::one_wave`].
    OneWave,
    /// Persistent blocks, which look ahead: [`lookahead`](super::lookahead), for addresses
    /// that are multiples of 16.
    LookAhead,
    /// The same for any addresses; the results have the same bits.
    LookAheadShifted,
}

impl Algorithm {
    /// All of them, those of small arrays first.
    pub const ALL: [Self; 5] = [
        Self::OneBlock,
        Self::OneWaveSmall,
        Self::OneWave,
        Self::LookAhead,
        Self::LookAheadShifted,
    ];

    /// As it is printed, and as its entries begin.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OneBlock => "one_block",
            Self::OneWaveSmall => "one_wave_small",
            Self::OneWave => "one_wave",
            Self::LookAhead => "lookahead",
            Self::LookAheadShifted => "lookahead_shifted",
        }
    }

    /// Whether its tiles are no more than the blocks that are resident at once.
    pub const fn is_one_wave(self) -> bool {
        matches!(self, Self::OneWaveSmall | Self::OneWave)
    }
}

/// A kernel of a scan, and the launches that it can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanKernel {
    /// The entry of the PTX.
    pub entry: &'static str,
    /// What it does.
    pub algorithm: Algorithm,
    /// Threads of a block; of [`Algorithm::OneBlock`] at most.
    pub threads: u32,
    /// Dynamic shared memory of a block, bytes.
    pub shared_bytes: u32,
    /// Elements of a tile.
    pub tile: u64,
    /// The most tiles that it scans.
    pub max_tiles: u64,
    /// What addresses of input and output are multiples of, bytes; 1 for any element.
    pub alignment: u64,
    /// Words of 32 bits of a tile's total; 0 where tiles tell each other nothing.
    words: usize,
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
        match self.words {
            0 => 0,
            words => status::scratch_words(self.tiles(n).min(self.max_tiles), words),
        }
    }

    /// See [`one_block`].
    pub const fn one_block<O: Operator>(entry: &'static str) -> Self {
        let of = sizes::one_block::<O>();
        Self {
            entry,
            algorithm: Algorithm::OneBlock,
            threads: threads(of),
            shared_bytes: 0,
            tile: one_block::capacity(of.warps, of.rows, of.each),
            max_tiles: 1,
            alignment: 1,
            words: 0,
        }
    }

    /// See [`one_wave`], with [`sizes::one_wave`].
    pub const fn one_wave<O: Operator>(entry: &'static str) -> Self {
        Self::wave::<O>(entry, Algorithm::OneWave, sizes::one_wave::<O>())
    }

    /// See [`one_wave`], with [`sizes::one_wave_small`].
    pub const fn one_wave_small<O: Operator>(entry: &'static str) -> Self {
        Self::wave::<O>(entry, Algorithm::OneWaveSmall, sizes::one_wave_small::<O>())
    }

    const fn wave<O: Operator>(entry: &'static str, algorithm: Algorithm, of: Registers) -> Self {
        Self {
            entry,
            algorithm,
            threads: threads(of),
            shared_bytes: 0,
            tile: one_wave::tile(of.warps, of.rows, of.each),
            max_tiles: one_wave::max_blocks(of.warps),
            alignment: 1,
            words: lanes::words_of::<O::Accumulator>(),
        }
    }

    /// See [`lookahead`](super::lookahead), with [`sizes::lookahead`].
    pub const fn lookahead<O: Operator>(entry: &'static str) -> Self {
        Self::ahead::<O>(entry, Algorithm::LookAhead, sizes::lookahead::<O>())
    }

    /// See [`lookahead`](super::lookahead), with [`sizes::lookahead_shifted`].
    pub const fn lookahead_shifted<O: Operator>(entry: &'static str) -> Self {
        let of = sizes::lookahead_shifted::<O>();
        Self::ahead::<O>(entry, Algorithm::LookAheadShifted, of)
    }

    const fn ahead<O: Operator>(entry: &'static str, algorithm: Algorithm, of: Ahead) -> Self {
        Self {
            entry,
            algorithm,
            threads: of.shape().threads(),
            shared_bytes: of.shape().shared_bytes(),
            tile: (of.items * lanes::LANES as usize * of.workers) as u64,
            max_tiles: u64::MAX,
            alignment: if of.shifted { 1 } else { 16 },
            words: lanes::words_of::<O::Accumulator>(),
        }
    }
}

const fn threads(of: Registers) -> u32 {
    of.warps as u32 * lanes::LANES
}

/// An operator whose scans some PTX has. Implemented by
/// [`scan_kernels!`](crate::scan_kernels).
///
/// # Safety
///
/// The entries are kernels that the macro made, for this operator or for one whose
/// elements, accumulators and results have as many bytes, and as bits the same meaning.
#[diagnostic::on_unimplemented(
    message = "no kernels scan with `{Self}`",
    note = "`quadscan_kernels::scan_kernels! {{ name: {Self}; }}` in a crate of kernels makes them"
)]
pub unsafe trait ScanKernels: Operator {
    /// The kernels, those of small arrays first.
    const KERNELS: &'static [ScanKernel];
}

/// The operators on signed integers whose bits are those of the unsigned ones.
macro_rules! twins {
    ($($signed:ty = $unsigned:ty;)*) => {$(
        // SAFETY: two's complement: wrapping sums and products and bitwise operators
        // give the same bits.
        unsafe impl ScanKernels for $signed {
            const KERNELS: &'static [ScanKernel] = <$unsigned as ScanKernels>::KERNELS;
        }
    )*};
}

twins! {
    Sum<i8> = Sum<u8>;
    Sum<i16> = Sum<u16>;
    Sum<i32> = Sum<u32>;
    Sum<i64> = Sum<u64>;
    Product<i32> = Product<u32>;
    Product<i64> = Product<u64>;
    BitAnd<i32> = BitAnd<u32>;
    BitAnd<i64> = BitAnd<u64>;
    BitOr<i32> = BitOr<u32>;
    BitOr<i64> = BitOr<u64>;
    BitXor<i32> = BitXor<u32>;
    BitXor<i64> = BitXor<u64>;
}
