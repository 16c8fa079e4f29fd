//! [`select_kernels!`](crate::select_kernels): the entries of a predicate, which are the device's
//! alone: a host launches them by name.

/// Makes the kernels of selections, and says so to the host.
///
/// `name: Predicate;` makes `select_one_wave_name` and, in PTX of compute capability 9.0 and
/// newer, `select_lookahead_name`, in a part of the artifact that is called `select_name`, and
/// implements [`SelectKernels`](crate::select::SelectKernels) for the
/// [`Predicate`](crate::select::Predicate).
#[macro_export]
macro_rules! select_kernels {
    ($($name:ident: $predicate:ty;)*) => {$(
        $crate::float_methods! {}
        $crate::select_entry! {
            /// Selects from an array whose tiles are resident at once; see `one_wave`.
            #[launch_bounds(256, 4)]
            select_one_wave_ $name: $predicate, one_wave[warps, rows, each, vectors, results]
        }
        $crate::select_entry! {
            #[cfg(target_feature = "sm_90")]
            /// Selects from a large array; see `lookahead`.
            #[launch_bounds(480, 1)]
            select_lookahead_ $name: $predicate, lookahead[items, vectors, results, workers, delay, ahead]
        }
        // SAFETY: these are the kernels of this predicate.
        #[cfg(not(target_os = "cuda"))]
        unsafe impl $crate::select::SelectKernels for $predicate {
            const KERNELS: [$crate::select::SelectKernel; 2] = $crate::select::SelectKernel::of::<$predicate>(
                [
                    concat!("select_one_wave_", stringify!($name)),
                    concat!("select_lookahead_", stringify!($name)),
                ],
                module_path!(),
            );
        }
    )*};
}

/// One entry of [`select_kernels!`](crate::select_kernels): its attributes, its name, its
/// predicate, its algorithm with the constants in [`sizes`](crate::select::sizes).
#[doc(hidden)]
#[macro_export]
macro_rules! select_entry {
    ($(#[$attribute:meta])* $prefix:ident $name:ident: $predicate:ty,
     $algorithm:ident[$($size:ident),*]) => {
        #[cfg(target_os = "cuda")]
        $crate::pastey::paste! {
            #[::cuda_std::kernel]
            #[part([<select_ $name>])]
            $(#[$attribute])*
            ///
            /// # Safety
            /// See the function `select` there.
            #[allow(clippy::too_many_arguments, reason = "a launch has them")]
            pub unsafe fn [<$prefix $name>](
                input: *const <$predicate as $crate::select::Predicate>::Item,
                output: *mut <$predicate as $crate::select::Predicate>::Item,
                n: u64,
                flags: *const u8,
                parameter: $crate::select::predicate::Parameter,
                mode: u32,
                before: u64,
                len: u64,
                total: *mut u64,
                scratch: *mut u64,
                words: u64,
            ) {
                // SAFETY: the kernel's own contract.
                unsafe {
                    ::cuda_std::grid::launch_dependents();
                    let parameter = $crate::select::predicate::from_parameter(parameter);
                    let request = $crate::select::request::Request::<$predicate> {
                        input, output, n, flags, parameter, mode, before, len, total, scratch, words,
                        selected: 0,
                    };
                    $crate::select::$algorithm::select::<
                        $predicate,
                        $({ $crate::select::sizes::$algorithm::<$predicate>().$size },)*
                    >(request);
                }
            }
        }
    };
}
