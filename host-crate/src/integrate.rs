//! Launches of the trapezoid kernels. The only file that names them.

use quadscan_kernels::integrate::trapezoid::{
    MAX_EXACT_DYADIC_STRIPS, trapezoid_f32, trapezoid_f32_dyadic, trapezoid_f32_pure,
    trapezoid_f32_pure_dyadic, trapezoid_f64, trapezoid_f64_dyadic,
};

use crate::device::{Buffer, LaunchShape, Module};
use crate::error::Result;

/// A grid of threads over the strips of 0..1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Strips; `blocks * threads` divides them.
    pub strips: u64,
    /// Blocks.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
}

impl Grid {
    /// Threads in all: the number of partial sums.
    pub fn partials(&self) -> u64 {
        u64::from(self.blocks) * u64::from(self.threads)
    }

    /// Strips of a thread.
    fn count(&self) -> u32 {
        // Strips are at most 2^31.
        (self.strips / self.partials()) as u32
    }

    fn shape(&self) -> LaunchShape {
        LaunchShape::new(self.blocks, self.threads)
    }

    /// Whether the kernels that need a power of two give the published bits.
    fn is_dyadic(&self) -> bool {
        self.strips.is_power_of_two() && self.strips <= MAX_EXACT_DYADIC_STRIPS
    }
}

/// The kernel in f64: one partial sum a thread. Asynchronous. Err when the
/// buffer is too short or the device refuses the shape.
pub fn f64_partials(module: &Module, grid: Grid, partials: &mut Buffer<f64>) -> Result<()> {
    let (shape, count, strips) = (grid.shape(), grid.count(), grid.strips as f64);
    if grid.is_dyadic() {
        module.launch(trapezoid_f64_dyadic, shape, (partials, count, 1.0 / strips))
    } else {
        module.launch(trapezoid_f64, shape, (partials, count, strips))
    }
}

/// The integrand in f64, rounded to f32 and summed in f32; otherwise as
/// [`f64_partials`].
pub fn f32_partials(module: &Module, grid: Grid, partials: &mut Buffer<f32>) -> Result<()> {
    let (shape, count, strips) = (grid.shape(), grid.count(), grid.strips as f64);
    if grid.is_dyadic() {
        module.launch(trapezoid_f32_dyadic, shape, (partials, count, 1.0 / strips))
    } else {
        module.launch(trapezoid_f32, shape, (partials, count, strips))
    }
}

/// Everything in f32; otherwise as [`f64_partials`].
pub fn f32_pure_partials(module: &Module, grid: Grid, partials: &mut Buffer<f32>) -> Result<()> {
    let (shape, count, strips) = (grid.shape(), grid.count(), grid.strips as f32);
    if grid.is_dyadic() {
        module.launch(
            trapezoid_f32_pure_dyadic,
            shape,
            (partials, count, 1.0 / strips),
        )
    } else {
        module.launch(trapezoid_f32_pure, shape, (partials, count, strips))
    }
}
