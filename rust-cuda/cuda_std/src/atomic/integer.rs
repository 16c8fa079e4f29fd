//! Integers shared by the threads of a block, a device or a system.

use core::cell::UnsafeCell;
use core::sync::atomic::Ordering;

use super::{atomic, for_one_block, from_raw, method, to_raw};
#[cfg(target_os = "cuda")]
use super::{combined, dispatch, dispatch_load, dispatch_store, intrinsics};

/// Reads the value, so the block's types have none.
macro_rules! debug {
    ([unsafe] $name:ident) => {};
    ([] $name:ident) => {
        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                self.load(Ordering::Relaxed).fmt(f)
            }
        }
    };
}

macro_rules! integer {
    ($($name:ident, $type:ident, $bits:ident, $width:literal, $align:literal, $scope:ident, $who:literal, $core:ident, [$($unsafety:ident)?];)*) => {$(
        atomic! { integer $name, $type, $type, $bits, $width, $align, $scope, $who, $core, [$($unsafety)?] }

        impl $name {
            method! { [$($unsafety)?] /// Adds, wrapping.
                fetch_add, add, $type, $scope, |this, value, order| this.host().fetch_add(value, order) }
            method! { [$($unsafety)?] /// Subtracts, wrapping.
                fetch_sub, sub, $type, $scope, |this, value, order| this.host().fetch_sub(value, order) }
            method! { [$($unsafety)?] /// Keeps the bits that both have.
                fetch_and, and, $type, $scope, |this, value, order| this.host().fetch_and(value, order) }
            method! { [$($unsafety)?] /// Sets the bits that either has.
                fetch_or, or, $type, $scope, |this, value, order| this.host().fetch_or(value, order) }
            method! { [$($unsafety)?] /// Flips the bits that `value` has.
                fetch_xor, xor, $type, $scope, |this, value, order| this.host().fetch_xor(value, order) }
            method! { [$($unsafety)?] /// Keeps the lesser.
                fetch_min, min, $type, $scope, |this, value, order| this.host().fetch_min(value, order) }
            method! { [$($unsafety)?] /// Keeps the greater.
                fetch_max, max, $type, $scope, |this, value, order| this.host().fetch_max(value, order) }
            method! { [$($unsafety)?] /// Writes `value`.
                swap, exch, $type, $scope, |this, value, order| this.host().swap(value, order) }
        }

        debug! { [$($unsafety)?] $name }
    )*};
}

integer! {
    AtomicU32, u32, u32, 32, 4, device, "the threads of a device", AtomicU32, [];
    AtomicI32, i32, u32, 32, 4, device, "the threads of a device", AtomicI32, [];
    AtomicU64, u64, u64, 64, 8, device, "the threads of a device", AtomicU64, [];
    AtomicI64, i64, u64, 64, 8, device, "the threads of a device", AtomicI64, [];
    BlockAtomicU32, u32, u32, 32, 4, block, "the threads of a block", AtomicU32, [unsafe];
    BlockAtomicI32, i32, u32, 32, 4, block, "the threads of a block", AtomicI32, [unsafe];
    BlockAtomicU64, u64, u64, 64, 8, block, "the threads of a block", AtomicU64, [unsafe];
    BlockAtomicI64, i64, u64, 64, 8, block, "the threads of a block", AtomicI64, [unsafe];
    SystemAtomicU32, u32, u32, 32, 4, system, "all devices and the host", AtomicU32, [];
    SystemAtomicI32, i32, u32, 32, 4, system, "all devices and the host", AtomicI32, [];
    SystemAtomicU64, u64, u64, 64, 8, system, "all devices and the host", AtomicU64, [];
    SystemAtomicI64, i64, u64, 64, 8, system, "all devices and the host", AtomicI64, [];
}
