//! [`segment_flags_kernels!`](crate::segment_flags_kernels): the entries of this folder.

/// Makes the kernels that find where segments begin, for keys, flags and offsets of all types:
/// once in a crate of kernels that scans segments with operators of its own, whatever their
/// number. They are named `segment_flags_of_keys_4` and so on, in a part of the artifact that is called
/// `segment_flags`; [`segment_flags`](crate::scan::segment_flags) says what they do.
///
/// ```
/// quadscan_kernels::segment_flags_kernels! {}
/// ```
#[macro_export]
macro_rules! segment_flags_kernels {
    () => {
        $crate::segment_flags_entries! {
            segment_flags_of_keys_1 of_keys u8, segment_flags_of_keys_2 of_keys u16, segment_flags_of_keys_4 of_keys u32,
            segment_flags_of_keys_8 of_keys u64, segment_flags_of_keys_16 of_keys [u64; 2],
            segment_flags_of_flags of_flags u8;
            segment_flags_of_offsets_4 of_offsets 256 u32, segment_flags_of_offsets_8 of_offsets 256 u64,
            segment_flags_of_few_offsets_4 of_few_offsets 1024 u32,
            segment_flags_of_few_offsets_8 of_few_offsets 1024 u64;
        }
    };
}

/// The entries of [`segment_flags_kernels!`](crate::segment_flags_kernels).
#[doc(hidden)]
#[macro_export]
macro_rules! segment_flags_entries {
    ($($name:ident $function:ident $type:ty),*;
     $($of_offsets:ident $by:ident $threads:literal $offset:ty),*;) => {
        $(
            #[doc = concat!("Finds where segments begin; see `", stringify!($function), "`.")]
            ///
            /// # Safety
            /// See that function.
            #[cfg(target_os = "cuda")]
            #[::cuda_std::kernel]
            #[part(segment_flags)]
            #[launch_bounds(256)]
            pub unsafe fn $name(of: *const $type, n: u64, count: *const u64, segment_flags: *mut u32) {
                // SAFETY: the kernel's own contract.
                unsafe { $crate::scan::segment_flags::find::$function(of, n, count, segment_flags) }
            }
        )*
        $(
            #[doc = concat!("Puts the beginnings of segments where offsets say; see `", stringify!($by), "`.")]
            ///
            /// # Safety
            /// See that function.
            #[cfg(target_os = "cuda")]
            #[::cuda_std::kernel]
            #[part(segment_flags)]
            #[launch_bounds($threads)]
            pub unsafe fn $of_offsets(
                offsets: *const $offset,
                segments: u64,
                n: u64,
                count: *const u64,
                segment_flags: *mut u32,
            ) {
                // SAFETY: the kernel's own contract.
                unsafe { $crate::scan::segment_flags::offsets::$by(offsets, segments, n, count, segment_flags) }
            }
        )*
    };
}
