//! Launches of the trapezoid kernels. The only file that names them.

use quadscan_kernels::integrate::compensated::{
    trapezoid_f32_pure_double_float, trapezoid_f32_pure_kahan, trapezoid_f32_pure_pairwise,
};
use quadscan_kernels::integrate::trapezoid::{
    MAX_EXACT_DYADIC_STRIPS, MAX_STRIPS, trapezoid_f32, trapezoid_f32_dyadic, trapezoid_f32_pure,
    trapezoid_f32_pure_dyadic, trapezoid_f64, trapezoid_f64_dyadic,
};

use quadscan::device::{Buffer, LaunchShape, Module};
use quadscan::{Error, Result};

/// A grid of threads over the strips of 0..1. One that does not fit is refused
/// by the launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Grid {
    /// Strips, 1 to 2^31; `blocks * threads` divides them.
    pub strips: u64,
    /// Blocks, at least 1.
    pub blocks: u32,
    /// Threads of a block, at least 1.
    pub threads: u32,
}

impl Grid {
    /// Threads in all: the number of partial sums.
    pub fn partials(&self) -> u64 {
        u64::from(self.blocks) * u64::from(self.threads)
    }

    /// Strips of a thread. Err with the argument's name and what is allowed when
    /// the threads do not sum every strip, or their indices do not fit.
    pub(crate) fn count(&self) -> Result<u32> {
        let Grid {
            strips,
            blocks,
            threads,
        } = *self;
        for (argument, value) in [
            ("strips", strips),
            ("blocks", blocks.into()),
            ("threads", threads.into()),
        ] {
            if !(1..=MAX_STRIPS).contains(&value) {
                let problem = format!("is {value}, allowed are 1 to {MAX_STRIPS}");
                return Err(refusal(argument, problem));
            }
        }
        let partials = self.partials();
        if !strips.is_multiple_of(partials) {
            let problem = format!(
                "is {strips}, allowed are multiples of blocks * threads = {blocks} * {threads} = {partials}"
            );
            return Err(refusal("strips", problem));
        }
        // At most MAX_STRIPS, which fits.
        Ok((strips / partials) as u32)
    }

    pub(crate) fn shape(&self) -> LaunchShape {
        LaunchShape::new(self.blocks, self.threads)
    }

    /// Whether the kernels that need a power of two give the published bits.
    fn is_dyadic(&self) -> bool {
        self.strips.is_power_of_two() && self.strips <= MAX_EXACT_DYADIC_STRIPS
    }
}

fn refusal(argument: &str, problem: String) -> Error {
    Error::Argument {
        argument: argument.to_owned(),
        problem,
    }
}

/// The kernel in f64: one partial sum a thread. Asynchronous. Err when the grid
/// does not fit, the buffer is too short or the device refuses the shape.
pub fn f64_partials(module: &Module, grid: Grid, partials: &mut Buffer<f64>) -> Result<()> {
    let (shape, count, strips) = (grid.shape(), grid.count()?, grid.strips as f64);
    if grid.is_dyadic() {
        module.launch(trapezoid_f64_dyadic, shape, (partials, count, 1.0 / strips))
    } else {
        module.launch(trapezoid_f64, shape, (partials, count, strips))
    }
}

/// The integrand in f64, rounded to f32 and summed in f32; otherwise as
/// [`f64_partials`].
pub fn f32_partials(module: &Module, grid: Grid, partials: &mut Buffer<f32>) -> Result<()> {
    let (shape, count, strips) = (grid.shape(), grid.count()?, grid.strips as f64);
    if grid.is_dyadic() {
        module.launch(trapezoid_f32_dyadic, shape, (partials, count, 1.0 / strips))
    } else {
        module.launch(trapezoid_f32, shape, (partials, count, strips))
    }
}

/// Everything in f32; otherwise as [`f64_partials`].
pub fn f32_pure_partials(module: &Module, grid: Grid, partials: &mut Buffer<f32>) -> Result<()> {
    let (shape, count, strips) = (grid.shape(), grid.count()?, grid.strips as f32);
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

/// Everything in f32, by Kahan's sum; otherwise as [`f64_partials`].
pub fn f32_kahan_partials(module: &Module, grid: Grid, partials: &mut Buffer<f32>) -> Result<()> {
    let (shape, count, strips) = (grid.shape(), grid.count()?, grid.strips as f32);
    module.launch(trapezoid_f32_pure_kahan, shape, (partials, count, strips))
}

/// Everything in f32, summed in pairs; otherwise as [`f64_partials`].
pub fn f32_pairwise_partials(
    module: &Module,
    grid: Grid,
    partials: &mut Buffer<f32>,
) -> Result<()> {
    let (shape, count, strips) = (grid.shape(), grid.count()?, grid.strips as f32);
    module.launch(
        trapezoid_f32_pure_pairwise,
        shape,
        (partials, count, strips),
    )
}

/// Everything in f32, summed in two f32, the higher part first; otherwise as
/// [`f64_partials`].
pub fn f32_double_float_partials(
    module: &Module,
    grid: Grid,
    partials: &mut Buffer<[f32; 2]>,
) -> Result<()> {
    let (shape, count, strips) = (grid.shape(), grid.count()?, grid.strips as f32);
    module.launch(
        trapezoid_f32_pure_double_float,
        shape,
        (partials, count, strips),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(strips: u64, blocks: u32, threads: u32) -> std::result::Result<u32, String> {
        let grid = Grid {
            strips,
            blocks,
            threads,
        };
        grid.count().map_err(|error| error.to_string())
    }

    #[test]
    fn threads_share_the_strips_up_to_the_last_one() {
        assert_eq!(count(1 << 24, 64, 256), Ok(1 << 10));
        assert_eq!(count(96, 3, 32), Ok(1));
        assert_eq!(count(MAX_STRIPS, 1, 1), Ok(1 << 31));
    }

    #[test]
    fn a_grid_that_would_lose_strips_is_refused_by_the_arguments_name() {
        const RANGE: &str = "allowed are 1 to 2147483648";
        for (strips, blocks, threads, expected) in [
            (64, 0, 32, format!("blocks is 0, {RANGE}")),
            (64, 2, 0, format!("threads is 0, {RANGE}")),
            (0, 2, 32, format!("strips is 0, {RANGE}")),
            (1 << 33, 1, 1, format!("strips is 8589934592, {RANGE}")),
            (64, u32::MAX, 1, format!("blocks is 4294967295, {RANGE}")),
        ] {
            assert_eq!(count(strips, blocks, threads), Err(expected));
        }
        for (strips, blocks, threads, product) in [
            (1000, 3, 32, "3 * 32 = 96"),
            (64, 2, 64, "2 * 64 = 128"),
            (
                64,
                1 << 31,
                1 << 31,
                "2147483648 * 2147483648 = 4611686018427387904",
            ),
        ] {
            let expected = format!(
                "strips is {strips}, allowed are multiples of blocks * threads = {product}"
            );
            assert_eq!(count(strips, blocks, threads), Err(expected));
        }
    }
}
