//! A kernel for each elementary function and type: it adds up values of the function, so that the
//! time of a launch is that of so many evaluations.
//!
//! They are a crate of their own, built when the table `functions` asks for them, because nothing
//! else needs them.
//!
//! Its layers, each of which uses those above it in this list alone:
//!
//! - `list`: [`for_each_function`] and [`for_each_fast_function`], which the kernels and their callers go through.
//! - `kernels`: the kernels.
#![cfg_attr(not(target_os = "cuda"), no_std)]

#[doc(hidden)]
pub use cuda_std::{FloatExt, GpuFloat, float::fast};

#[macro_use]
mod list;
mod kernels;

#[cfg(not(target_os = "cuda"))]
pub use kernels::{of_f32, of_f64, of_fast_f32};

/// Independent sums of a thread.
pub const SUMS: usize = 4;

macro_rules! summed {
    ($name:ident, $float:ident) => {
        /// The sums of a thread, added up: `turns` values of `function` each. The first arguments
        /// are `apart` from sum to sum, from `first` on; a turn adds `step` to each.
        #[inline(always)]
        pub fn $name(
            thread: u32,
            turns: u32,
            [first, apart, step]: [$float; 3],
            function: impl Fn($float) -> $float,
        ) -> $float {
            let mut sums: [$float; SUMS] = [0.0; SUMS];
            let mut arguments = [first; SUMS];
            for (k, argument) in arguments.iter_mut().enumerate() {
                *argument += (thread * SUMS as u32 + k as u32) as $float * apart;
            }
            for _ in 0..turns {
                for (sum, argument) in sums.iter_mut().zip(&mut arguments) {
                    *sum += function(*argument);
                    *argument += step;
                }
            }
            (sums[0] + sums[1]) + (sums[2] + sums[3])
        }
    };
}

summed!(sum_f32, f32);
summed!(sum_f64, f64);
