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

/// Makes a launch: the type of a partial sum, that of the number of strips, the kernel, and the one
/// for powers of two where there is one.
macro_rules! launch {
    ($(#[$doc:meta])* $name:ident($sum:ty, $strips:ty): $kernel:ident $($dyadic:ident)?) => {
        $(#[$doc])*
        pub fn $name(module: &Module, grid: Grid, partials: &mut Buffer<$sum>) -> Result<()> {
            let (shape, count, strips) = (grid.shape(), grid.count()?, grid.strips as $strips);
            $(if grid.is_dyadic() {
                return module.launch($dyadic, shape, (partials, count, 1.0 / strips));
            })?
            module.launch($kernel, shape, (partials, count, strips))
        }
    };
}

launch! {
    /// The kernel in f64: one partial sum a thread. Asynchronous. Err when the grid
    /// does not fit, the buffer is too short or the device refuses the shape.
    f64_partials(f64, f64): trapezoid_f64 trapezoid_f64_dyadic
}
launch! {
    /// The integrand in f64, rounded to f32 and summed in f32; otherwise as [`f64_partials`].
    f32_partials(f32, f64): trapezoid_f32 trapezoid_f32_dyadic
}
launch! {
    /// Everything in f32; otherwise as [`f64_partials`].
    f32_pure_partials(f32, f32): trapezoid_f32_pure trapezoid_f32_pure_dyadic
}
launch! {
    /// Everything in f32, by Kahan's sum; otherwise as [`f64_partials`].
    f32_kahan_partials(f32, f32): trapezoid_f32_pure_kahan
}
launch! {
    /// Everything in f32, summed in pairs; otherwise as [`f64_partials`].
    f32_pairwise_partials(f32, f32): trapezoid_f32_pure_pairwise
}
launch! {
    /// Everything in f32, summed in two f32, the higher part first; otherwise as
    /// [`f64_partials`].
    f32_double_float_partials([f32; 2], f32): trapezoid_f32_pure_double_float
}
