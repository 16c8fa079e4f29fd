//! The kernels, `exp_f64` and so on.

use cuda_std::prelude::*;
use cuda_std::{FloatExt, GpuFloat};

use crate::SUMS;

macro_rules! kernels {
    ($($name:ident, $low:expr, $high:expr, $second:expr, |$x:ident, $y:ident| $value:expr;)*) => {
        kernels!(f32: $($name, |$x, $y| $value;)*);
        kernels!(f64: $($name, |$x, $y| $value;)*);
    };
    ($float:ident: $($name:ident, |$x:ident, $y:ident| $value:expr;)*) => { pastey::paste! { $(
        /// The sums of a thread, added up: `turns` values each. The arguments of a turn begin at
        /// `first` and are `apart` from one to the next; a turn adds `step` to each.
        ///
        /// # Safety
        /// `results` holds `grid * block` elements.
        #[kernel]
        pub unsafe fn [<$name _ $float>](
            results: *mut $float,
            turns: u32,
            first: $float,
            apart: $float,
            step: $float,
            $y: $float,
        ) {
            let _ = $y;
            let thread = thread::index_1d();
            let mut sums = [0.0; SUMS as usize];
            let mut arguments = [first; SUMS as usize];
            for (k, argument) in arguments.iter_mut().enumerate() {
                *argument += (thread * SUMS + k as u32) as $float * apart;
            }
            for _ in 0..turns {
                for (sum, argument) in sums.iter_mut().zip(&mut arguments) {
                    let $x = *argument;
                    *sum += $value;
                    *argument += step;
                }
            }
            let sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
            // SAFETY: `results` has an element for every thread.
            unsafe { *results.add(thread as usize) = sum };
        }
    )* } };
}

crate::for_each_function!(kernels);
