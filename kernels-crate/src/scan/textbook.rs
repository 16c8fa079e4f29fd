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
        $crate::blelloch_entries! {
            device_blelloch_tiles_ device_blelloch_add_ $name: $operator
        }
        $crate::blelloch_entries! {
            device_blelloch_above_tiles_ device_blelloch_above_add_
            $name: $crate::scan::blelloch::Above<$operator>
        }
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
        $crate::textbook_entry! {
            /// Brings the elements to a buffer; see `hillis_steele`.
            device_hillis_steele_load_ $name, hillis_steele::load::<$operator>(
                input: *const $crate::operator::Input<$operator>,
                buffer: *mut $crate::operator::Accumulator<$operator>,
                n: u64,
                initial: $crate::operator::Accumulator<$operator>,
                flags: u32
            )
        }
        $crate::textbook_entry! {
            /// One pass; see `hillis_steele`.
            device_hillis_steele_pass_ $name, hillis_steele::pass::<$operator>(
                from: *const $crate::operator::Accumulator<$operator>,
                to: *mut $crate::operator::Accumulator<$operator>,
                n: u64,
                distance: u64
            )
        }
        $crate::textbook_entry! {
            /// Takes the results to the output; see `hillis_steele`.
            device_hillis_steele_store_ $name, hillis_steele::store::<$operator>(
                buffer: *const $crate::operator::Accumulator<$operator>,
                output: *mut $crate::operator::Output<$operator>,
                n: u64
            )
        }
    };
}

/// The entries of the work-efficient scan for an operator, of the array, or of the levels above it.
#[doc(hidden)]
#[macro_export]
macro_rules! blelloch_entries {
    ($tiles:ident $add:ident $name:ident: $operator:ty) => {
        $crate::textbook_entry! {
            /// Scans every tile by itself; see `blelloch`.
            $tiles $name, blelloch::tiles::<$operator>(
                input: *const $crate::operator::Input<$operator>,
                output: *mut $crate::operator::Output<$operator>,
                n: u64,
                initial: $crate::operator::Accumulator<$operator>,
                flags: u32,
                totals: *mut $crate::operator::Accumulator<$operator>
            )
        }
        $crate::textbook_entry! {
            /// Adds what lies before a tile to its elements; see `blelloch`.
            $add $name, blelloch::add::<$operator>(
                output: *mut $crate::operator::Output<$operator>,
                n: u64,
                initial: $crate::operator::Accumulator<$operator>,
                flags: u32,
                totals: *const $crate::operator::Accumulator<$operator>
            )
        }
    };
}

/// One entry: its name, the function that it calls, and their parameters.
#[doc(hidden)]
#[macro_export]
macro_rules! textbook_entry {
    ($(#[$doc:meta])* $prefix:ident $name:ident, $module:ident::$function:ident::<$operator:ty>(
        $($parameter:ident: $type:ty),*
    )) => {
        #[cfg(target_os = "cuda")]
        $crate::pastey::paste! {
            $(#[$doc])*
            ///
            /// # Safety
            /// See the function of the same name.
            #[::cuda_std::kernel]
            #[launch_bounds(256)]
            #[part(textbook)]
            pub unsafe fn [<$prefix $name>]($($parameter: $type),*) {
                // SAFETY: the kernel's own contract.
                unsafe { $crate::scan::$module::$function::<$operator>($($parameter),*) }
            }
        }
    };
}

const _: () = assert!(TEXTBOOK_THREADS == 256, "the entries' launch bounds");

crate::instances! { textbook textbook_scan_kernels }
crate::instances! { textbook decoupled_lookback_kernels }
