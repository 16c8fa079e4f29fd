//! Integers shared by the threads of a block, a device or a system.

use core::cell::UnsafeCell;
use core::sync::atomic::Ordering;

#[cfg(target_os = "cuda")]
use super::{combined, dispatch, dispatch_load, dispatch_store, intrinsics};

/// `unsafe` for the block's types, as for floats: see the module above.
macro_rules! method {
    ([$($unsafety:ident)?] $(#[$doc:meta])* $name:ident, $operation:ident, $type:ident, $scope:ident, $core:ident) => {
        $(#[$doc])*
        /// Returns the old value.
        ///
        #[doc = concat!("PTX: `atom.ORDER.", stringify!($operation), "`.")]
        $(
            #[doc = concat!("\n# Safety\n\nThis ", stringify!($unsafety), " method is for values that no other block accesses.")]
        )?
        #[inline(always)]
        pub $($unsafety)? fn $name(&self, value: $type, order: Ordering) -> $type {
            #[cfg(target_os = "cuda")]
            // SAFETY: the cell lives and is aligned, and is only accessed atomically.
            unsafe {
                dispatch!(order, $scope, $operation, $type, (self.0.get(), value))
            }
            #[cfg(not(target_os = "cuda"))]
            self.host().$name(value, order)
        }
    };
}

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
        #[doc = concat!("A `", stringify!($type), "` that ", $who, " can change at the same time.")]
        ///
        #[doc = concat!("In memory it is a `", stringify!($type), "` aligned to its size.")]
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
                unsafe { core::sync::atomic::$core::from_ptr(self.0.get()) }
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
                #[cfg(target_os = "cuda")]
                // SAFETY: the cell lives and is aligned, and is only accessed atomically.
                unsafe {
                    dispatch_load!(order, $scope, $width, self.0.get().cast::<$bits>().cast_const()) as $type
                }
                #[cfg(not(target_os = "cuda"))]
                self.host().load(order)
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
                unsafe {
                    dispatch_store!(order, $scope, $width, self.0.get().cast::<$bits>(), value as $bits)
                }
                #[cfg(not(target_os = "cuda"))]
                self.host().store(value, order);
            }

            /// Writes `new` if the value is `current`. `Ok` has the old value if it was, `Err` if
            /// it was not.
            ///
            /// PTX: `atom.ORDER.cas`, of the stronger of the two orders.
            ///
            /// # Errors
            ///
            /// The value, when it was not `current`.
            $(
                #[doc = concat!("\n# Safety\n\nThis ", stringify!($unsafety), " method is for values that no other block accesses.")]
            )?
            #[inline(always)]
            pub $($unsafety)? fn compare_exchange(&self, current: $type, new: $type, success: Ordering, failure: Ordering) -> Result<$type, $type> {
                #[cfg(target_os = "cuda")]
                {
                    // SAFETY: the cell lives and is aligned, and is only accessed atomically.
                    let old = unsafe {
                        dispatch!(combined(success, failure), $scope, cas, $type, (self.0.get(), current, new))
                    };
                    if old == current { Ok(old) } else { Err(old) }
                }
                #[cfg(not(target_os = "cuda"))]
                self.host().compare_exchange(current, new, success, failure)
            }

            method! { [$($unsafety)?] /// Adds, wrapping.
                fetch_add, add, $type, $scope, $core }
            method! { [$($unsafety)?] /// Subtracts, wrapping.
                fetch_sub, sub, $type, $scope, $core }
            method! { [$($unsafety)?] /// Keeps the bits that both have.
                fetch_and, and, $type, $scope, $core }
            method! { [$($unsafety)?] /// Sets the bits that either has.
                fetch_or, or, $type, $scope, $core }
            method! { [$($unsafety)?] /// Flips the bits that `value` has.
                fetch_xor, xor, $type, $scope, $core }
            method! { [$($unsafety)?] /// Keeps the lesser.
                fetch_min, min, $type, $scope, $core }
            method! { [$($unsafety)?] /// Keeps the greater.
                fetch_max, max, $type, $scope, $core }
            method! { [$($unsafety)?] /// Writes `value`.
                swap, exch, $type, $scope, $core }
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
