//! What a host has to know of the kernels to launch them: their names and shapes. The launches
//! themselves are `quadscan::select`'s.

use super::predicate::Predicate;
use super::sizes;
#[cfg(feature = "instances")]
use super::{AnyBit, Compare};
#[cfg(feature = "instances")]
use crate::operator::Affine;
use crate::scan::scratch;
#[cfg(feature = "instances")]
use cuda_std::{bf16, f16};

/// A kernel of a selection, and the launches that it can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectKernel {
    /// The entry of the PTX.
    pub entry: &'static str,
    /// The Rust module that has the entry: `quadscan_kernels::select::instances`.
    pub module: &'static str,
    /// Threads of a block.
    pub threads: u32,
    /// Dynamic shared memory of a block, bytes.
    pub shared_bytes: u32,
    /// Elements of a tile, which a block has.
    pub tile: u64,
    /// The most tiles of a launch.
    pub max_tiles: u64,
}

impl SelectKernel {
    /// The kernels of a predicate, of these names, which `module` has.
    pub const fn of<P: Predicate>(entries: [&'static str; 2], module: &'static str) -> [Self; 2] {
        let (wave, ahead) = (sizes::one_wave::<P>(), sizes::lookahead::<P>());
        [
            Self {
                entry: entries[0],
                module,
                threads: wave.threads(),
                shared_bytes: sizes::tile_bytes(&wave),
                tile: wave.elements(),
                max_tiles: wave.max_blocks(),
            },
            Self {
                entry: entries[1],
                module,
                threads: ahead.threads(),
                shared_bytes: ahead.shared_bytes(),
                tile: ahead.elements(),
                // Places in a launch are numbers of 32 bits.
                max_tiles: u32::MAX as u64 / ahead.elements(),
            },
        ]
    }

    /// Words of 64 bits of scratch memory for up to `n` elements in a launch.
    pub const fn scratch_words(&self, n: u64) -> u64 {
        scratch::of_tiles(n.div_ceil(self.tile), 1)
    }
}

/// A predicate whose selections some PTX has. Implemented by
/// [`select_kernels!`](crate::select_kernels).
///
/// # Safety
///
/// The entries, where there are any, are kernels that the macro made, in the crate of
/// [`SelectKernel::module`], for this predicate or for one whose elements and parameters have as
/// many bytes, and as bits the same meaning.
#[diagnostic::on_unimplemented(
    message = "no kernels select with `{Self}`",
    note = "`quadscan_kernels::select_kernels! {{ name: {Self}; }}` in a crate of kernels makes them"
)]
pub unsafe trait SelectKernels: Predicate {
    /// The kernel of [`one_wave`](super::one_wave), and that of [`lookahead`](super::lookahead), which
    /// PTX for GPUs below compute capability 9.0 lacks.
    const KERNELS: [SelectKernel; 2];
}

/// The predicates that others' kernels have.
#[cfg(feature = "instances")]
macro_rules! twins {
    ($($predicate:ty = $other:ty;)*) => {$(
        // SAFETY: bits are compared as the condition says, or as they are.
        unsafe impl SelectKernels for $predicate {
            const KERNELS: [SelectKernel; 2] = <$other as SelectKernels>::KERNELS;
        }
    )*};
}

#[cfg(feature = "instances")]
twins! {
    Compare<i8> = Compare<u8>;
    Compare<i16> = Compare<u16>;
    Compare<f16> = Compare<u16>;
    Compare<bf16> = Compare<u16>;
    Compare<i32> = Compare<u32>;
    Compare<f32> = Compare<u32>;
    Compare<i64> = Compare<u64>;
    Compare<f64> = Compare<u64>;
    AnyBit<u128> = AnyBit<[u32; 4]>;
    AnyBit<[u64; 2]> = AnyBit<[u32; 4]>;
    AnyBit<[f64; 2]> = AnyBit<[u32; 4]>;
    AnyBit<Affine> = AnyBit<[u32; 4]>;
}
