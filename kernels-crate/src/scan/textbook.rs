//! The kernels of the algorithms of several launches, and of decoupled look-back: what is
//! published on scans, to be read and compared: of sums, and of affine maps, which do not commute.
//!
//! `quadscan::scan` knows the order of the launches. [`reduce_then_scan`](super::reduce_then_scan)
//! and [`decoupled_lookback`](super::decoupled_lookback) take those of a
//! [`Request`](super::request::Request) as parameters, the others those of their functions.

use super::sizes::TEXTBOOK_THREADS;
use crate::decoupled_lookback_kernels;
use crate::operator::{Compose, Sum};

/// Makes the kernels of scans of several launches: `name: Operator;` makes those of
/// `hillis_steele`, `blelloch` and `reduce_then_scan`.
#[macro_export]
macro_rules! textbook_scan_kernels {
    ($($name:ident: $operator:ty;)*) => {$(
        // The host, too, sees the operator.
        const _: ::core::marker::PhantomData<$operator> = ::core::marker::PhantomData;
        $crate::hillis_steele_entries! { $name: $operator }
        $crate::blelloch_entries! { $name: $operator }
        $crate::tile_entry! {
            /// The first of three launches; see `reduce_then_scan`.
            in textbook: reduce_then_scan_totals_ $name: $operator, reduce_then_scan::totals
        }
        $crate::tile_entry! {
            /// The second of three launches; see `reduce_then_scan`.
            in textbook: reduce_then_scan_bases_ $name: $operator, reduce_then_scan::bases
        }
        $crate::tile_entry! {
            /// The third of three launches; see `reduce_then_scan`.
            in textbook: reduce_then_scan_tiles_ $name: $operator, reduce_then_scan::scan
        }
    )*};
}

/// The entries of the naive scan for an operator.
#[doc(hidden)]
#[macro_export]
macro_rules! hillis_steele_entries {
    ($name:ident: $operator:ty) => {
        #[cfg(target_os = "cuda")]
        $crate::pastey::paste! {
            /// Brings the elements to a buffer; see `hillis_steele`.
            ///
            /// # Safety
            /// See the function of the same name.
            #[::cuda_std::kernel]
            #[launch_bounds(256)]
            #[part(textbook)]
            pub unsafe fn [<device_hillis_steele_load_ $name>](
                input: *const <$operator as $crate::operator::Operator>::Input,
                buffer: *mut <$operator as $crate::operator::Operator>::Accumulator,
                n: u64,
                initial: <$operator as $crate::operator::Operator>::Accumulator,
                flags: u32,
            ) {
                // SAFETY: the kernel's own contract.
                unsafe {
                    $crate::scan::hillis_steele::load::<$operator>(input, buffer, n, initial, flags);
                }
            }

            /// One pass; see `hillis_steele`.
            ///
            /// # Safety
            /// See the function of the same name.
            #[::cuda_std::kernel]
            #[launch_bounds(256)]
            #[part(textbook)]
            pub unsafe fn [<device_hillis_steele_pass_ $name>](
                from: *const <$operator as $crate::operator::Operator>::Accumulator,
                to: *mut <$operator as $crate::operator::Operator>::Accumulator,
                n: u64,
                distance: u64,
            ) {
                // SAFETY: the kernel's own contract.
                unsafe { $crate::scan::hillis_steele::pass::<$operator>(from, to, n, distance) }
            }

            /// Takes the results to the output; see `hillis_steele`.
            ///
            /// # Safety
            /// See the function of the same name.
            #[::cuda_std::kernel]
            #[launch_bounds(256)]
            #[part(textbook)]
            pub unsafe fn [<device_hillis_steele_store_ $name>](
                buffer: *const <$operator as $crate::operator::Operator>::Accumulator,
                output: *mut <$operator as $crate::operator::Operator>::Output,
                n: u64,
            ) {
                // SAFETY: the kernel's own contract.
                unsafe { $crate::scan::hillis_steele::store::<$operator>(buffer, output, n) }
            }
        }
    };
}

/// The entries of the work-efficient scan for an operator: of the array, and of the
/// levels above it.
#[doc(hidden)]
#[macro_export]
macro_rules! blelloch_entries {
    ($name:ident: $operator:ty) => {
        $crate::blelloch_level! { device_blelloch_ $name: $operator }
        $crate::blelloch_level! { device_blelloch_above_ $name: $crate::scan::blelloch::Above<$operator> }
    };
}

/// The entries of one level of the work-efficient scan.
#[doc(hidden)]
#[macro_export]
macro_rules! blelloch_level {
    ($prefix:ident $name:ident: $operator:ty) => {
        #[cfg(target_os = "cuda")]
        $crate::pastey::paste! {
            /// Scans every tile by itself; see `blelloch`.
            ///
            /// # Safety
            /// See the function of the same name.
            #[::cuda_std::kernel]
            #[launch_bounds(256)]
            #[part(textbook)]
            pub unsafe fn [<$prefix tiles_ $name>](
                input: *const <$operator as $crate::operator::Operator>::Input,
                output: *mut <$operator as $crate::operator::Operator>::Output,
                n: u64,
                initial: <$operator as $crate::operator::Operator>::Accumulator,
                flags: u32,
                totals: *mut <$operator as $crate::operator::Operator>::Accumulator,
            ) {
                // SAFETY: the kernel's own contract.
                unsafe {
                    $crate::scan::blelloch::tiles::<$operator>(input, output, n, initial, flags, totals);
                }
            }

            /// Adds what lies before a tile to its elements; see `blelloch`.
            ///
            /// # Safety
            /// See the function of the same name.
            #[::cuda_std::kernel]
            #[launch_bounds(256)]
            #[part(textbook)]
            pub unsafe fn [<$prefix add_ $name>](
                output: *mut <$operator as $crate::operator::Operator>::Output,
                n: u64,
                initial: <$operator as $crate::operator::Operator>::Accumulator,
                flags: u32,
                totals: *const <$operator as $crate::operator::Operator>::Accumulator,
            ) {
                // SAFETY: the kernel's own contract.
                unsafe {
                    $crate::scan::blelloch::add::<$operator>(output, n, initial, flags, totals);
                }
            }
        }
    };
}

const _: () = assert!(TEXTBOOK_THREADS == 256, "the entries' launch bounds");

crate::instances! { textbook textbook_scan_kernels }
crate::instances! { textbook decoupled_lookback_kernels }
