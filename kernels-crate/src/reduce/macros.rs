//! [`reduce_kernels!`](crate::reduce_kernels): the entries of an operator, which are the device's
//! alone: a host launches them by name.

/// Makes the kernels of reductions, and says so to the host.
///
/// `name: Operator;` makes `reduce_one_wave_name`, `reduce_name` and `segmented_reduce_name`, and
/// implements
/// [`ReduceKernels`](crate::reduce::ReduceKernels) for the operator. `name: New = Operator;` as in
/// [`scan_kernels!`](crate::scan_kernels).
#[macro_export]
macro_rules! reduce_kernels {
    ($($name:ident: $new:ident = $like:ty;)+) => {
        $crate::operators_like! { $($new = $like;)+ }
        $crate::reduce_kernels! { $($name: $new;)+ }
    };
    ($($name:ident: $operator:ty;)*) => {$(
        $crate::float_methods! {}
        $crate::reduce_entry! {
            /// Reduces a small array; see `one_wave`.
            reduce_one_wave_ $name: $operator, one_wave[one_wave: rows, vectors, each],
            #[launch_bounds(1024)]
        }
        $crate::reduce_entry! {
            /// Reduces an array of any size; see `device`.
            reduce_ $name: $operator, device[device: warps, rows, vectors, each],
            #[launch_bounds(256, 2)]
        }
        $crate::segmented_reduce_entry! { segmented_reduce_ $name: $operator }
        // SAFETY: these are the kernels of this operator.
        #[cfg(not(target_os = "cuda"))]
        unsafe impl $crate::reduce::ReduceKernels for $operator {
            const ONE_WAVE: $crate::reduce::ReduceKernel = $crate::reduce::ReduceKernel::new::<$operator>(
                concat!("reduce_one_wave_", stringify!($name)), module_path!(),
                $crate::reduce::sizes::one_wave::<$operator>(),
            );
            const DEVICE: $crate::reduce::ReduceKernel = $crate::reduce::ReduceKernel::new::<$operator>(
                concat!("reduce_", stringify!($name)), module_path!(),
                $crate::reduce::sizes::device::<$operator>(),
            );
            const SEGMENTED: $crate::reduce::ReduceKernel = $crate::reduce::ReduceKernel::new::<$operator>(
                concat!("segmented_reduce_", stringify!($name)), module_path!(),
                $crate::reduce::sizes::segmented::<$operator>(),
            );
        }
    )*};
}

/// One entry of [`reduce_kernels!`](crate::reduce_kernels): its name, its algorithm with
/// the constants in [`sizes`](crate::reduce::sizes), its bounds.
#[doc(hidden)]
#[macro_export]
macro_rules! reduce_entry {
    ($(#[$doc:meta])* $prefix:ident $name:ident: $operator:ty,
     $algorithm:ident[$sizes:ident: $($size:ident),*], #[$bounds:meta]) => {
        #[cfg(target_os = "cuda")]
        $crate::pastey::paste! {
            $(#[$doc])*
            ///
            /// # Safety
            /// See the function `reduce` there.
            #[::cuda_std::kernel]
            #[part([<reduce_ $name>])]
            #[$bounds]
            #[allow(clippy::too_many_arguments, reason = "a launch has them")]
            pub unsafe fn [<$prefix $name>](
                input: *const $crate::operator::Input<$operator>,
                output: *mut $crate::operator::Output<$operator>,
                n: u64,
                count: *const u64,
                initial: $crate::operator::Accumulator<$operator>,
                flags: u32,
                scratch: *mut u64,
                words: u64,
            ) {
                // SAFETY: the kernel's own contract.
                unsafe {
                    ::cuda_std::grid::launch_dependents();
                    let request = $crate::reduce::request::Request::<$operator> {
                        input, output, n, count, initial, flags, scratch, words,
                    };
                    $crate::reduce::$algorithm::reduce::<
                        $operator,
                        $({ $crate::reduce::sizes::$sizes::<$operator>().$size },)*
                    >(request);
                }
            }
        }
    };
}

/// The last kernel of [`reduce_kernels!`](crate::reduce_kernels).
#[doc(hidden)]
#[macro_export]
macro_rules! segmented_reduce_entry {
    ($prefix:ident $name:ident: $operator:ty) => {
        #[cfg(target_os = "cuda")]
        $crate::pastey::paste! {
            /// Reduces segments of an array; see `segmented`.
            ///
            /// # Safety
            /// See the function `reduce` there.
            #[::cuda_std::kernel]
            #[part([<reduce_ $name>])]
            #[launch_bounds(256, 2)]
            #[allow(clippy::too_many_arguments, reason = "a launch has them")]
            pub unsafe fn [<$prefix $name>](
                input: *const $crate::operator::Input<$operator>,
                output: *mut $crate::operator::Output<$operator>,
                n: u64,
                offsets: *const u8,
                segments: u32,
                initial: $crate::operator::Accumulator<$operator>,
                flags: u32,
                scratch: *mut u64,
            ) {
                // SAFETY: the kernel's own contract.
                unsafe {
                    $crate::reduce::segmented::reduce::<
                        $operator,
                        { $crate::reduce::sizes::segmented::<$operator>().rows },
                        { $crate::reduce::sizes::segmented::<$operator>().vectors },
                        { $crate::reduce::sizes::segmented::<$operator>().each },
                    >($crate::reduce::segmented::Request {
                        input, output, n, offsets, segments, initial, flags, scratch,
                    });
                }
            }
        }
    };
}
