//! What a host has to know of the kernels to launch them: their names and shapes. The
//! launches themselves are `quadscan::reduce`'s.

use super::sizes::{Sizes, elements};
use crate::LANES;
use crate::operator::Operator;
#[cfg(feature = "instances")]
use crate::operator::Sum;
use crate::scan::scratch;
use crate::scan::words::words_of;

/// A kernel of a reduction, and the launches that it can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReduceKernel {
    /// The entry of the PTX.
    pub entry: &'static str,
    /// The Rust module that has the entry: `quadscan_kernels::reduce::instances`.
    pub module: &'static str,
    /// Warps of a block, at most.
    pub warps: u32,
    /// Elements of a warp's tile.
    pub tile: u64,
    /// Words of 32 bits of a block's total.
    words: usize,
}

impl ReduceKernel {
    /// The kernel of these constants, which `module` has.
    ///
    /// The kernels' shared memory has room for accumulators of up to 16 bytes; an operator
    /// with larger ones does not compile:
    ///
    /// ```compile_fail,E0080
    /// use quadscan_kernels::operator::Operator;
    /// use quadscan_kernels::reduce::{ReduceKernel, sizes};
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
    /// const KERNEL: ReduceKernel = ReduceKernel::new::<First>("", "", sizes::one_wave::<First>());
    /// ```
    pub const fn new<O: Operator>(entry: &'static str, module: &'static str, of: Sizes) -> Self {
        assert!(
            size_of::<O::Accumulator>() <= 16,
            "an accumulator has at most 16 bytes"
        );
        Self {
            entry,
            module,
            warps: of.warps as u32,
            tile: elements(of.rows, of.each),
            words: words_of::<O::Accumulator>(),
        }
    }

    /// Threads of a block.
    pub const fn threads(&self) -> u32 {
        self.warps * LANES
    }

    /// Elements of which every warp of a block has a tile.
    pub const fn block(&self) -> u64 {
        self.tile * self.warps as u64
    }

    /// Words of 64 bits of scratch memory that so many blocks need.
    pub const fn scratch_words(&self, blocks: u32) -> u64 {
        scratch::of_tiles(blocks as u64, self.words)
    }
}

/// An operator whose reductions some PTX has. Implemented by
/// [`reduce_kernels!`](crate::reduce_kernels).
///
/// # Safety
///
/// The entries are kernels that the macro made, in the crate of [`ReduceKernel::module`],
/// for this operator or for one whose elements, accumulators and results have as many bytes,
/// and as bits the same meaning.
#[diagnostic::on_unimplemented(
    message = "no kernels reduce with `{Self}`",
    note = "`quadscan_kernels::reduce_kernels! {{ name: {Self}; }}` in a crate of kernels makes them"
)]
pub unsafe trait ReduceKernels: Operator {
    /// The kernel of [`one_wave`](super::one_wave).
    const ONE_WAVE: ReduceKernel;
    /// The kernel of [`device`](super::device).
    const DEVICE: ReduceKernel;
    /// The kernel of [`segmented`](super::segmented).
    const SEGMENTED: ReduceKernel;
}

/// The operators on signed integers whose bits are those of the unsigned ones.
#[cfg(feature = "instances")]
macro_rules! twins {
    ($($signed:ty = $unsigned:ty;)*) => {$(
        // SAFETY: two's complement: wrapping sums give the same bits.
        unsafe impl ReduceKernels for $signed {
            const ONE_WAVE: ReduceKernel = <$unsigned as ReduceKernels>::ONE_WAVE;
            const DEVICE: ReduceKernel = <$unsigned as ReduceKernels>::DEVICE;
            const SEGMENTED: ReduceKernel = <$unsigned as ReduceKernels>::SEGMENTED;
        }
    )*};
}

#[cfg(feature = "instances")]
crate::instances! { signed reduce twins }
