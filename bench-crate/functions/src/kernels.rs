//! The kernels, `exp_f64` and so on.

use cuda_std::prelude::*;

macro_rules! kernels {
    ($($name:ident, $low:expr, $high:expr, $second:expr, |$x:ident, $y:ident| $value:expr;)*) => {
        kernels!(f32, of_f32: $($name, |$x, $y| $value;)*);
        kernels!(f64, of_f64: $($name, |$x, $y| $value;)*);
    };
    ($float:ident, $launchers:ident: $($name:ident, |$x:ident, $y:ident| $value:expr;)*) => { pastey::paste! {
        $(
            /// The sums of each thread: those of [`crate::sum_f64`], of this function and type.
            ///
            /// # Safety
            /// `results` holds `grid * block` elements.
            #[kernel]
            #[launch_contract(
                results.len() as u64 >= grid.count().saturating_mul(block.count()),
                grid.y == 1 && grid.z == 1 && block.y == 1 && block.z == 1
            )]
            pub unsafe fn [<$name _ $float>](
                results: *mut $float,
                turns: u32,
                first: $float,
                apart: $float,
                step: $float,
                second: $float,
            ) {
                let thread = thread::index_1d();
                let $y = second;
                let places = [first, apart, step];
                let sum = crate::[<sum_ $float>](thread, turns, places, |$x| $value);
                // SAFETY: `results` has an element for every thread.
                unsafe { *results.add(thread as usize) = sum };
            }
        )*

        /// The launchers of this type, by the functions' names.
        #[cfg(not(target_os = "cuda"))]
        pub mod $launchers {
            $(pub use super::[<$name _ $float>] as $name;)*
        }
    } };
}

macro_rules! fast_kernels {
    ($($name:ident, $low:expr, $high:expr, $second:expr, |$x:ident, $y:ident| $value:expr;)*) => {
        kernels!(f32, of_fast_f32: $($name, |$x, $y| $value;)*);
    };
}

crate::for_each_function!(kernels);
crate::for_each_fast_function!(fast_kernels);
