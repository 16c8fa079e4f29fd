//! Floating-point numbers shared by the threads of a block, a device or a system.

use core::cell::UnsafeCell;
use core::sync::atomic::Ordering;

use super::{atomic, for_one_block, from_raw, method, to_raw};
#[cfg(target_os = "cuda")]
use super::{combined, dispatch, dispatch_load, dispatch_store, intrinsics};

/// No `atom` instruction exists: a loop of compare-and-exchange.
macro_rules! looped {
    ([$($unsafety:ident)?] $(#[$doc:meta])* $name:ident, $type:ident, $method:ident) => {
        $(#[$doc])*
        /// Returns the old value.
        ///
        /// PTX: a loop of `atom.ORDER.cas`.
        #[doc = for_one_block!($($unsafety)?)]
        #[inline(always)]
        pub $($unsafety)? fn $name(&self, value: $type, order: Ordering) -> $type {
            self.update(order, |old| $type::$method(old, value))
        }
    };
}

macro_rules! float {
    ($($name:ident, $type:ident, $bits:ident, $width:literal, $align:literal, $scope:ident, $who:literal, $core:ident, [$($unsafety:ident)?];)*) => {$(
        atomic! { float $name, $type, $bits, $bits, $width, $align, $scope, $who, $core, [$($unsafety)?] }

        impl $name {
            #[inline(always)]
            fn update(&self, order: Ordering, new: impl Fn($type) -> $type) -> $type {
                let mut old = self.get(Ordering::Relaxed);
                loop {
                    match self.replace(old, new(old), order, Ordering::Relaxed) {
                        Ok(old) => return old,
                        Err(other) => old = other,
                    }
                }
            }

            method! { [$($unsafety)?] /// Adds, rounding to nearest.
                fetch_add, add, $type, $scope, |this, value, order| this.update(order, |old| old + value) }
            method! { [$($unsafety)?] /// Subtracts, rounding to nearest.
                fetch_sub, sub, $type, $scope, |this, value, order| this.update(order, |old| old - value) }
            method! { [$($unsafety)?] /// Keeps the bits that both have.
                fetch_and, and, $type, $scope, |this, value, order| this.update(order, |old| $type::from_bits(old.to_bits() & value.to_bits())) }
            method! { [$($unsafety)?] /// Sets the bits that either has.
                fetch_or, or, $type, $scope, |this, value, order| this.update(order, |old| $type::from_bits(old.to_bits() | value.to_bits())) }
            method! { [$($unsafety)?] /// Flips the bits that `value` has.
                fetch_xor, xor, $type, $scope, |this, value, order| this.update(order, |old| $type::from_bits(old.to_bits() ^ value.to_bits())) }
            method! { [$($unsafety)?] /// Writes `value`.
                swap, exch, $type, $scope, |this, value, order| this.update(order, |_| value) }
            looped! { [$($unsafety)?] /// Keeps the lesser; a NaN loses to a number.
                fetch_min, $type, min }
            looped! { [$($unsafety)?] /// Keeps the greater; a NaN loses to a number.
                fetch_max, $type, max }
        }
    )*};
}

float! {
    AtomicF32, f32, u32, 32, 4, device, "the threads of a device", AtomicU32, [];
    AtomicF64, f64, u64, 64, 8, device, "the threads of a device", AtomicU64, [];
    BlockAtomicF32, f32, u32, 32, 4, block, "the threads of a block", AtomicU32, [unsafe];
    BlockAtomicF64, f64, u64, 64, 8, block, "the threads of a block", AtomicU64, [unsafe];
    SystemAtomicF32, f32, u32, 32, 4, system, "all devices and the host", AtomicU32, [];
    SystemAtomicF64, f64, u64, 64, 8, system, "all devices and the host", AtomicU64, [];
}
