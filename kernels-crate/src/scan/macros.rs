//! [`scan_kernels!`](crate::scan_kernels): the entries of an operator.

/// Makes the kernels of scans, and says so to the host.
///
/// `name: Operator;` makes a kernel for each [`Algorithm`](crate::scan::Algorithm), named
/// `one_block_name` and so on, in a part of the artifact that is called `name`, and
/// implements [`ScanKernels`](crate::scan::ScanKernels) for the operator.
///
/// ```
/// # mod kernels {
/// use quadscan_kernels::operator::Operator;
/// use quadscan_kernels::scan_kernels;
///
/// /// The largest magnitude.
/// #[derive(Clone, Copy, Debug)]
/// pub struct Magnitude;
///
/// impl Operator for Magnitude {
///     type Input = i32;
///     type Accumulator = u32;
///     type Output = u32;
///     fn transform(element: i32) -> u32 {
///         element.unsigned_abs()
///     }
///     fn combine(first: u32, second: u32) -> u32 {
///         first.max(second)
///     }
///     fn finish(result: u32) -> u32 {
///         result
///     }
/// }
///
/// scan_kernels! {
///     magnitude: Magnitude;
/// }
/// # }
/// ```
#[macro_export]
macro_rules! scan_kernels {
    ($($name:ident: $operator:ty;)*) => {$(
        $crate::scan_entry! {
            /// Scans an array of one block; see `one_block`.
            #[launch_bounds(1024)]
            one_block_ $name: $operator,
            one_block::scan[one_block: warps, rows, each, vectors, results]
        }
        $crate::scan_entry! {
            /// Scans a middling array; see `one_wave`.
            #[launch_bounds(256)]
            one_wave_small_ $name: $operator,
            one_wave::scan[one_wave_small: warps, rows, each, vectors, results]
        }
        $crate::scan_entry! {
            /// Scans a middling array; see `one_wave`.
            #[launch_bounds(512)]
            one_wave_ $name: $operator,
            one_wave::scan[one_wave: warps, rows, each, vectors, results]
        }
        $crate::scan_entry! {
            #[cfg(any(not(target_os = "cuda"), target_feature = "sm_90"))]
            /// Scans a large array; see `lookahead`.
            lookahead_ $name: $operator,
            lookahead::scan[lookahead: items, vectors, results, workers, delay, ahead, shifted]
        }
        $crate::scan_entry! {
            #[cfg(any(not(target_os = "cuda"), target_feature = "sm_90"))]
            /// Scans a large array that begins anywhere; see `lookahead`.
            lookahead_shifted_ $name: $operator,
            lookahead::scan[
                lookahead_shifted: items, vectors, results, workers, delay, ahead, shifted
            ]
        }

        // SAFETY: these are the kernels of this operator.
        #[cfg(not(target_os = "cuda"))]
        unsafe impl $crate::scan::ScanKernels for $operator {
            const KERNELS: &'static [$crate::scan::ScanKernel] = $crate::scan_descriptions![
                $name, $operator,
                one_block one_wave_small one_wave lookahead lookahead_shifted
            ];
        }
    )*};
}

/// What the host is told of an operator's kernels.
#[doc(hidden)]
#[macro_export]
macro_rules! scan_descriptions {
    ($name:ident, $operator:ty, $($kernel:ident)*) => {
        &[$(
            $crate::scan::ScanKernel::$kernel::<$operator>(
                concat!(stringify!($kernel), "_", stringify!($name)),
            )
        ),*]
    };
}

/// One entry of [`scan_kernels!`](crate::scan_kernels).
#[doc(hidden)]
#[macro_export]
macro_rules! scan_entry {
    ($(#[$attribute:meta])* $prefix:ident $name:ident: $operator:ty,
     $algorithm:ident::scan[$sizes:ident: $($size:ident),*]) => {
        $crate::pastey::paste! {
            #[::cuda_std::kernel]
            #[part($name)]
            $(#[$attribute])*
            ///
            /// # Safety
            /// See the function `scan` there.
            #[allow(clippy::too_many_arguments)]
            pub unsafe fn [<$prefix $name>](
                input: *const <$operator as $crate::operator::Operator>::Input,
                output: *mut <$operator as $crate::operator::Operator>::Output,
                n: u64,
                count: *const u64,
                initial: <$operator as $crate::operator::Operator>::Accumulator,
                flags: u32,
                scratch: *mut u64,
                words: u64,
            ) {
                // SAFETY: the kernel's own contract.
                unsafe {
                    let request = $crate::scan::Request::<$operator>::begin(
                        input, output, n, count, initial, flags, scratch, words,
                    );
                    $crate::scan::$algorithm::scan::<
                        $operator,
                        $({ $crate::scan::sizes::$sizes::<$operator>().$size }),*
                    >(request);
                }
            }
        }
    };
}
