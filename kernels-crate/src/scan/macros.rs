//! [`scan_kernels!`](crate::scan_kernels) and its like: the entries of an operator. They are the
//! device's alone: a host launches them by name, as [`launch`](super::launch) describes them.

/// Makes the kernels of scans, and says so to the host.
///
/// `name: Operator;` makes a kernel for each [`Algorithm`](crate::scan::Algorithm) that plans
/// choose from, named `one_block_name` and so on, in a part of the artifact that is called
/// `name`, and implements [`ScanKernels`](crate::scan::ScanKernels) for the operator.
/// `lookahead_name` needs compute capability 9.0; PTX for older GPUs has
/// `decoupled_lookback_fixed_name` in its place. [`textbook_scan_kernels!`](crate::textbook_scan_kernels) and
/// [`decoupled_lookback_kernels!`](crate::decoupled_lookback_kernels) make those of the other
/// algorithms. `name: New = Operator;` makes an operator of the crate at hand before
/// ([`operators_like!`](crate::operators_like)).
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
    ($($name:ident: $new:ident = $like:ty;)+) => {
        $crate::operators_like! { $($new = $like;)+ }
        $crate::scan_kernels! { $($name: $new;)+ }
    };
    ($($name:ident: $operator:ty;)*) => {$(
        $crate::float_methods! {}
        $crate::scan_entry! {
            /// Scans an array of one block; see `one_block`.
            #[launch_bounds(1024)]
            in $name: one_block_ $name: $operator,
            one_block::scan[one_block: warps, rows, each, vectors, results]
        }
        $crate::scan_entry! {
            /// Scans a middling array; see `one_wave`.
            #[launch_bounds(512, 2)]
            in $name: one_wave_small_ $name: $operator,
            one_wave::scan[one_wave_small: warps, rows, each, vectors, results]
        }
        $crate::scan_entry! {
            /// Scans a middling array; see `one_wave`.
            #[launch_bounds(512, 2)]
            in $name: one_wave_ $name: $operator,
            one_wave::scan[one_wave: warps, rows, each, vectors, results]
        }
        $crate::scan_entry! {
            #[cfg(target_feature = "sm_90")]
            /// Scans a large array; see `lookahead`.
            #[launch_bounds(320, 1)]
            in $name: lookahead_ $name: $operator,
            lookahead::scan[lookahead: items, vectors, results, workers, delay, ahead]
        }

        $crate::tile_entry! {
            #[cfg(not(target_feature = "sm_90"))]
            /// Scans an array of any size on GPUs that cannot look ahead; see
            /// `decoupled_lookback`. What is combined with what depends on `n` alone.
            in $name: decoupled_lookback_fixed_ $name: $operator, decoupled_lookback::scan by InGroups
        }

        // SAFETY: these are the kernels of this operator.
        #[cfg(not(target_os = "cuda"))]
        unsafe impl $crate::scan::ScanKernels for $operator {
            const KERNELS: &'static [$crate::scan::ScanKernel] = $crate::scan_descriptions![
                $name, $operator,
                OneBlock "one_block_", OneWaveSmall "one_wave_small_", OneWave "one_wave_",
                LookAhead "lookahead_",
                DecoupledLookbackFixed "decoupled_lookback_fixed_",
                DecoupledLookback "decoupled_lookback_",
                ReduceThenScan "reduce_then_scan_tiles_",
                HillisSteele "device_hillis_steele_store_",
                Blelloch "device_blelloch_tiles_",
            ];
        }
    )*};
}

/// What the host is told of an operator's kernels.
#[doc(hidden)]
#[macro_export]
macro_rules! scan_descriptions {
    ($name:ident, $operator:ty, $($algorithm:ident $prefix:literal,)*) => {
        &[$(
            $crate::scan::ScanKernel::new::<$operator>(
                $crate::scan::Algorithm::$algorithm,
                concat!($prefix, stringify!($name)), stringify!($name),
                module_path!(),
            )
        ),*]
    };
}

/// Makes the kernels of segmented scans, and says so to the host.
///
/// `name: Operator;` makes `segmented_small_name` and `segmented_wave_name`, and for large
/// arrays `segmented_lookahead_name` or, in PTX for GPUs below compute capability 9.0,
/// `segmented_lookback_name`, in a part of the artifact that is called `segmented_name`, and
/// implements [`SegmentedScanKernels`](crate::scan::SegmentedScanKernels) for the operator.
/// `name: New = Operator;` as in [`scan_kernels!`](crate::scan_kernels).
///
/// ```
/// # mod kernels {
/// use quadscan_kernels::operator::{Identity, Operator};
/// use quadscan_kernels::segmented_scan_kernels;
///
/// /// Exclusive or, one bit an element.
/// #[derive(Clone, Copy, Debug)]
/// pub struct Parity;
///
/// impl Operator for Parity {
///     type Input = u32;
///     type Accumulator = u32;
///     type Output = u32;
///     fn transform(element: u32) -> u32 {
///         element & 1
///     }
///     fn combine(first: u32, second: u32) -> u32 {
///         first ^ second
///     }
///     fn finish(result: u32) -> u32 {
///         result
///     }
/// }
///
/// impl Identity for Parity {
///     const IDENTITY: u32 = 0;
/// }
///
/// segmented_scan_kernels! {
///     parity: Parity;
/// }
/// # }
/// ```
#[macro_export]
macro_rules! segmented_scan_kernels {
    ($($name:ident: $new:ident = $like:ty;)+) => {
        $crate::operators_like! { $($new = $like;)+ }
        $crate::segmented_scan_kernels! { $($name: $new;)+ }
    };
    ($($name:ident: $operator:ty;)*) => {$(
        $crate::float_methods! {}
        $crate::scan_entry! {
            /// Scans a middling array in segments; see `one_wave`.
            #[launch_bounds(512, 2)]
            in [<segmented_ $name>]: segmented_small_ $name: $crate::scan::segmented::Segmented<$operator>,
            one_wave::scan[one_wave_small: warps, rows, each, vectors, results], segment_flags late
        }
        $crate::scan_entry! {
            /// Scans a larger middling array in segments; see `one_wave`.
            #[launch_bounds(512, 2)]
            in [<segmented_ $name>]: segmented_wave_ $name: $crate::scan::segmented::Segmented<$operator>,
            one_wave::scan[one_wave: warps, rows, each, vectors, results], segment_flags
        }
        $crate::scan_entry! {
            #[cfg(target_feature = "sm_90")]
            /// Scans a large array in segments; see `lookahead`.
            #[launch_bounds(320, 1)]
            in [<segmented_ $name>]: segmented_lookahead_ $name: $crate::scan::segmented::Segmented<$operator>,
            lookahead::scan[lookahead: items, vectors, results, workers, delay, ahead], segment_flags
        }
        $crate::scan_entry! {
            #[cfg(not(target_feature = "sm_90"))]
            /// Scans a large array in segments; see `decoupled_lookback`.
            #[launch_bounds(288, 2)]
            in [<segmented_ $name>]: segmented_lookback_ $name: $crate::scan::segmented::Segmented<$operator>,
            decoupled_lookback::scan by InGroups[tiles: items, vectors, results, warps], segment_flags
        }

        // SAFETY: these are the kernels of this operator.
        #[cfg(not(target_os = "cuda"))]
        unsafe impl $crate::scan::SegmentedScanKernels for $operator {
            const SEGMENTED: &'static [$crate::scan::ScanKernel] = $crate::scan_descriptions![
                $name, $crate::scan::segmented::Segmented<$operator>,
                OneWaveSmall "segmented_small_", OneWave "segmented_wave_",
                LookAhead "segmented_lookahead_",
                DecoupledLookbackFixed "segmented_lookback_",
            ];
        }
    )*};
}

/// Makes the kernels of decoupled look-back for GPUs that do not need them: `name: Operator;`
/// makes `decoupled_lookback_name`, as published, and in PTX of compute capability 9.0 and
/// newer `decoupled_lookback_fixed_name`, which [`scan_kernels!`](crate::scan_kernels) makes
/// for older ones.
#[macro_export]
macro_rules! decoupled_lookback_kernels {
    ($($name:ident: $operator:ty;)*) => {$(
        // The host, too, sees the operator.
        const _: ::core::marker::PhantomData<$operator> = ::core::marker::PhantomData;
        $crate::tile_entry! {
            /// Scans an array of any size; see `decoupled_lookback`. What is combined with
            /// what depends on timing.
            in $name: decoupled_lookback_ $name: $operator, decoupled_lookback::scan by AsPublished
        }
        $crate::tile_entry! {
            #[cfg(target_feature = "sm_90")]
            /// Scans an array of any size; see `decoupled_lookback`. What is combined with
            /// what depends on `n` alone.
            in $name: decoupled_lookback_fixed_ $name: $operator, decoupled_lookback::scan by InGroups
        }
    )*};
}

/// One entry of a scan: its attributes, the part of the artifact that it is in, its name, its
/// operator, and the function, with its [look-back](crate::scan::lookback::LookBack) if it takes one,
/// and the constants that it has in [`sizes`](crate::scan::sizes).
/// With `segment_flags` it has two parameters more; with `late` behind it, see `launches_late` of
/// [`Request`](crate::scan::request::Request).
#[doc(hidden)]
#[macro_export]
macro_rules! scan_entry {
    ($(#[$attribute:meta])* in $part:tt: $prefix:ident $name:ident: $operator:ty,
     $module:ident::$function:ident $(by $look:ident)?[$sizes:ident: $($size:ident),*]
     $(, $flags:ident $($late:ident)?)?) => {
        #[cfg(target_os = "cuda")]
        $crate::pastey::paste! {
            #[::cuda_std::kernel]
            #[part($part)]
            $(#[$attribute])*
            ///
            /// # Safety
            /// See that function; segment flags have the words of `n` elements.
            #[allow(clippy::too_many_arguments)]
            pub unsafe fn [<$prefix $name>](
                input: *const $crate::operator::Input<$operator>,
                output: *mut $crate::operator::Output<$operator>,
                n: u64,
                count: *const u64,
                initial: $crate::operator::Accumulator<$operator>,
                flags: u32,
                scratch: *mut u64,
                words: u64,
                $($flags: *const u32, segments: u64,)?
            ) {
                // SAFETY: the kernel's own contract.
                unsafe {
                    // Where no earlier launch has found the segments, there is nothing to be late for.
                    let launches_late = $crate::scan_entry!(@is_late $($($late)?)?)
                        && flags & ($crate::scan::OF_LENGTH | $crate::scan::BY_OFFSETS) == 0;
                    if !launches_late {
                        ::cuda_std::grid::launch_dependents();
                    }
                    let request = $crate::scan::request::Request::<$operator> {
                        input, output, n, count, initial, flags, scratch, words,
                        segment_flags: $crate::scan_entry!(@or_null $($flags)?),
                        segments: $crate::scan_entry!(@segments $($flags segments)?),
                        launches_late,
                    };
                    $crate::scan::$module::$function::<
                        $operator,
                        $($crate::scan::lookback::$look,)?
                        $({ $crate::scan::sizes::$sizes::<$operator>().$size }),*
                    >(request);
                }
            }
        }
    };
    (@is_late) => { false };
    (@is_late late) => { true };
    (@segments) => { 0 };
    (@segments $flags:ident $segments:ident) => { $segments };
    (@or_null) => { ::core::ptr::null() };
    (@or_null $flags:ident) => { $flags };
}

/// [`scan_entry!`](crate::scan_entry) of a scan in tiles.
#[doc(hidden)]
#[macro_export]
macro_rules! tile_entry {
    ($(#[$attribute:meta])* in $part:tt: $prefix:ident $name:ident: $operator:ty,
     $module:ident::$function:ident $(by $look:ident)?) => {
        $crate::scan_entry! {
            $(#[$attribute])*
            #[launch_bounds(288, 4)]
            in $part: $prefix $name: $operator,
            $module::$function $(by $look)?[tiles: items, vectors, results, warps]
        }
    };
}
