//! Floating-point numbers shared by the threads of a block, a device or a system.

use core::cell::UnsafeCell;
use core::sync::atomic::Ordering;

#[cfg(target_os = "cuda")]
use super::{combined, dispatch, dispatch_load, dispatch_store, intrinsics};

/// `unsafe` for the block's types: see the module above.
macro_rules! method {
    ([$($unsafety:ident)?] $(#[$doc:meta])* $name:ident, $operation:ident, $type:ident, $scope:ident, |$old:ident, $value:ident| $host:expr) => {
        $(#[$doc])*
        /// Returns the old value.
        ///
        #[doc = concat!("PTX: `atom.ORDER.", stringify!($operation), "`.")]
        $(
            #[doc = concat!("\n# Safety\n\nThis ", stringify!($unsafety), " method is for values that no other block accesses.")]
        )?
        #[inline(always)]
        pub $($unsafety)? fn $name(&self, $value: $type, order: Ordering) -> $type {
            #[cfg(target_os = "cuda")]
            // SAFETY: the cell lives and is aligned, and is only accessed atomically.
            #[allow(unused_unsafe)]
            unsafe {
                dispatch!(order, $scope, $operation, $type, (self.0.get(), $value))
            }
            #[cfg(not(target_os = "cuda"))]
            self.update(order, |$old| $host)
        }
    };
}

/// No `atom` instruction exists: a loop of compare-and-exchange.
macro_rules! looped {
    ([$($unsafety:ident)?] $(#[$doc:meta])* $name:ident, $type:ident, $method:ident) => {
        $(#[$doc])*
        /// Returns the old value.
        ///
        /// PTX: a loop of `atom.ORDER.cas`.
        $(
            #[doc = concat!("\n# Safety\n\nThis ", stringify!($unsafety), " method is for values that no other block accesses.")]
        )?
        #[inline(always)]
        pub $($unsafety)? fn $name(&self, value: $type, order: Ordering) -> $type {
            self.update(order, |old| $type::$method(old, value))
        }
    };
}

macro_rules! float {
    ($($name:ident, $type:ident, $bits:ident, $width:literal, $align:literal, $scope:ident, $who:literal, $core:ident, [$($unsafety:ident)?];)*) => {$(
        #[doc = concat!("An `", stringify!($type), "` that ", $who, " can change at the same time.")]
        ///
        #[doc = concat!("In memory it is an `", stringify!($type), "` aligned to its size.")]
        #[repr(C, align($align))]
        pub struct $name(UnsafeCell<$type>);

        // SAFETY: every access is atomic.
        unsafe impl Sync for $name {}

        impl $name {
            /// A new atomic with this value.
            #[must_use]
            pub const fn new(value: $type) -> Self {
                Self(UnsafeCell::new(value))
            }

            /// The value, when nobody else has it any more.
            #[must_use]
            pub const fn into_inner(self) -> $type {
                self.0.into_inner()
            }

            /// The address of the value.
            #[must_use]
            pub const fn as_ptr(&self) -> *mut $type {
                self.0.get()
            }

            /// The value at `ptr`, as an atomic.
            ///
            /// # Safety
            ///
            /// `ptr` is aligned to the value's size, points to one that lives for `'a`, and
            /// whatever else accesses it in that time is atomic.
            #[inline(always)]
            #[must_use]
            pub const unsafe fn from_ptr<'a>(ptr: *mut $type) -> &'a Self {
                // SAFETY: the caller's; the representation is the same.
                unsafe { &*ptr.cast::<Self>() }
            }

            #[cfg(not(target_os = "cuda"))]
            fn host(&self) -> &core::sync::atomic::$core {
                // SAFETY: aligned, alive as long as `self`, and only accessed atomically.
                unsafe { core::sync::atomic::$core::from_ptr(self.0.get().cast()) }
            }

            #[inline(always)]
            fn get(&self, order: Ordering) -> $type {
                #[cfg(target_os = "cuda")]
                // SAFETY: the cell lives and is aligned, and is only accessed atomically.
                let bits = unsafe {
                    dispatch_load!(order, $scope, $width, self.0.get().cast::<$bits>().cast_const())
                };
                #[cfg(not(target_os = "cuda"))]
                let bits = self.host().load(order);
                $type::from_bits(bits)
            }

            #[inline(always)]
            fn replace(&self, current: $type, new: $type, success: Ordering, failure: Ordering) -> Result<$type, $type> {
                #[cfg(target_os = "cuda")]
                {
                    // SAFETY: the cell lives and is aligned, and is only accessed atomically.
                    let old = unsafe {
                        dispatch!(combined(success, failure), $scope, cas, $type, (self.0.get(), current, new))
                    };
                    if old.to_bits() == current.to_bits() { Ok(old) } else { Err(old) }
                }
                #[cfg(not(target_os = "cuda"))]
                self.host()
                    .compare_exchange(current.to_bits(), new.to_bits(), success, failure)
                    .map($type::from_bits)
                    .map_err($type::from_bits)
            }

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

            /// Reads the value.
            ///
            /// PTX: `ld.relaxed` or `ld.acquire`.
            ///
            /// # Panics
            ///
            /// When `order` is `Release` or `AcqRel`.
            $(
                #[doc = concat!("\n# Safety\n\nThis ", stringify!($unsafety), " method is for values that no other block accesses.")]
            )?
            #[inline(always)]
            #[must_use]
            pub $($unsafety)? fn load(&self, order: Ordering) -> $type {
                self.get(order)
            }

            /// Writes the value.
            ///
            /// PTX: `st.relaxed` or `st.release`.
            ///
            /// # Panics
            ///
            /// When `order` is `Acquire` or `AcqRel`.
            $(
                #[doc = concat!("\n# Safety\n\nThis ", stringify!($unsafety), " method is for values that no other block accesses.")]
            )?
            #[inline(always)]
            pub $($unsafety)? fn store(&self, value: $type, order: Ordering) {
                #[cfg(target_os = "cuda")]
                // SAFETY: the cell lives and is aligned, and is only accessed atomically.
                #[allow(unused_unsafe)]
                unsafe {
                    dispatch_store!(order, $scope, $width, self.0.get().cast::<$bits>(), value.to_bits())
                }
                #[cfg(not(target_os = "cuda"))]
                self.host().store(value.to_bits(), order);
            }

            /// Writes `new` if the value has the bits of `current`. `Ok` has the old value if it
            /// had, `Err` if it had not.
            ///
            /// PTX: `atom.ORDER.cas`, of the stronger of the two orders.
            ///
            /// # Errors
            ///
            /// The value, when it had other bits.
            $(
                #[doc = concat!("\n# Safety\n\nThis ", stringify!($unsafety), " method is for values that no other block accesses.")]
            )?
            #[inline(always)]
            pub $($unsafety)? fn compare_exchange(&self, current: $type, new: $type, success: Ordering, failure: Ordering) -> Result<$type, $type> {
                self.replace(current, new, success, failure)
            }

            method! { [$($unsafety)?] /// Adds, rounding to nearest.
                fetch_add, add, $type, $scope, |old, value| old + value }
            method! { [$($unsafety)?] /// Subtracts, rounding to nearest.
                fetch_sub, sub, $type, $scope, |old, value| old - value }
            method! { [$($unsafety)?] /// Keeps the bits that both have.
                fetch_and, and, $type, $scope, |old, value| $type::from_bits(old.to_bits() & value.to_bits()) }
            method! { [$($unsafety)?] /// Sets the bits that either has.
                fetch_or, or, $type, $scope, |old, value| $type::from_bits(old.to_bits() | value.to_bits()) }
            method! { [$($unsafety)?] /// Flips the bits that `value` has.
                fetch_xor, xor, $type, $scope, |old, value| $type::from_bits(old.to_bits() ^ value.to_bits()) }
            method! { [$($unsafety)?] /// Writes `value`.
                swap, exch, $type, $scope, |_old, value| value }
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
