//! rust-cuda's functions between the types, which know their scope, and the
//! [`intrinsics`], which have the order in their name: here it is an argument.
//! `atomic_load_WIDTH_SCOPE`, `atomic_store_WIDTH_SCOPE`, `atomic_fetch_OPERATION_TYPE_SCOPE`,
//! `atomic_compare_and_swap_TYPE_SCOPE`, and a fence for each scope. On the GPU alone.
//!
//! # Safety
//!
//! Of every `unsafe` function here: as of the [`intrinsics`].
//!
//! # Panics
//!
//! On the host; of a load with `Release` or `AcqRel`, and of a store with `Acquire` or `AcqRel`.
#![allow(clippy::missing_safety_doc, reason = "the module says it once")]

use core::sync::atomic::Ordering;

use pastey::paste;

use super::intrinsics;
#[cfg(target_os = "cuda")]
use super::{dispatch, dispatch_load, dispatch_store};
use crate::device::gpu;

macro_rules! access {
    ($scope:ident $($width:literal)*) => { paste! { $(
        #[doc = concat!("Loads ", $width, " bits.")]
        #[inline(always)]
        pub unsafe fn [<atomic_load_ $width _ $scope>](ptr: *mut [<u $width>], ordering: Ordering) -> [<u $width>] {
            gpu!([<atomic_load_ $width _ $scope>], (ptr, ordering) => {
                dispatch_load!(ordering, $scope, $width, ptr.cast_const())
            })
        }

        #[doc = concat!("Stores ", $width, " bits.")]
        #[inline(always)]
        pub unsafe fn [<atomic_store_ $width _ $scope>](ptr: *mut [<u $width>], ordering: Ordering, val: [<u $width>]) {
            gpu!([<atomic_store_ $width _ $scope>], (ptr, ordering, val) => {
                dispatch_store!(ordering, $scope, $width, ptr, val)
            })
        }
    )* } };
}

macro_rules! fetch {
    ($scope:ident $($type:ident: $($operation:ident)*;)*) => { paste! { $(
        $(
            #[doc = concat!("`", stringify!($operation), "`; the old value.")]
            #[inline(always)]
            pub unsafe fn [<atomic_fetch_ $operation _ $type _ $scope>](ptr: *mut $type, ordering: Ordering, val: $type) -> $type {
                gpu!([<atomic_fetch_ $operation _ $type _ $scope>], (ptr, ordering, val) => {
                    dispatch!(ordering, $scope, $operation, $type, (ptr, val))
                })
            }
        )*

        /// Writes `new` where the value is `current`; the old value.
        #[inline(always)]
        pub unsafe fn [<atomic_compare_and_swap_ $type _ $scope>](ptr: *mut $type, current: $type, new: $type, ordering: Ordering) -> $type {
            gpu!([<atomic_compare_and_swap_ $type _ $scope>], (ptr, current, new, ordering) => {
                dispatch!(ordering, $scope, cas, $type, (ptr, current, new))
            })
        }
    )* } };
}

macro_rules! scopes {
    ($($scope:ident)*) => { paste! { $(
        /// Orders the accesses before it and those after it; `Relaxed` orders nothing.
        #[inline(always)]
        pub fn [<$scope _thread_fence>](ordering: Ordering) {
            gpu!([<$scope _thread_fence>], (ordering) => {
                match ordering {
                    Ordering::Relaxed => {}
                    Ordering::SeqCst => intrinsics::[<fence_sc_ $scope>](),
                    _ => intrinsics::[<fence_acqrel_ $scope>](),
                }
            });
        }

        access! { $scope 32 64 }
        fetch! {
            $scope
            u32: and or xor add sub min max exch;
            u64: and or xor add sub min max exch;
            i32: and or xor add sub min max exch;
            i64: and or xor add sub min max exch;
            f32: and or xor add sub exch;
            f64: and or xor add sub exch;
        }
    )* } };
}

scopes! { block device system }

/// CUDA's `atomicInc`: one more, and 0 from `bound` on; the old value.
#[inline(always)]
pub unsafe fn atomic_inc_bounded_relaxed_u32_device(ptr: *mut u32, bound: u32) -> u32 {
    // SAFETY: the caller's.
    unsafe { intrinsics::atomic_fetch_inc_relaxed_u32_device(ptr, bound) }
}

/// CUDA's `atomicDec`: one less, and `bound` from 0 and from above it; the old value.
#[inline(always)]
pub unsafe fn atomic_dec_bounded_relaxed_u32_device(ptr: *mut u32, bound: u32) -> u32 {
    // SAFETY: the caller's.
    unsafe { intrinsics::atomic_fetch_dec_relaxed_u32_device(ptr, bound) }
}
