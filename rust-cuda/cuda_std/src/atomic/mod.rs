//! Atomic operations with a scope.
//!
//! What lives here: [types](AtomicF32) whose methods take an [`Ordering`], and under them the
//! [`intrinsics`], one function for each instruction; [`mid`] has rust-cuda's functions between them. A scope says who must agree on the order:
//! the threads of a block (`Block..`, `.cta`), of the device (no prefix, `.gpu`) or of the whole
//! system, host included (`System..`, `.sys`). `core::sync::atomic` works in kernels too; its scope
//! is the system.
//!
//! To work on memory that is not declared atomic, say a kernel's parameter, make a reference to an
//! atomic of the address with `from_ptr`.
//!
//! The accesses of the block's types are `unsafe`: an access in the scope of one block is a data
//! race with one from another block, and nothing keeps other blocks away, since a static or a
//! kernel's parameter is every block's. rust-cuda has them `unsafe` for floats, and has no others.
//!
//! On the host the same types work, on top of `core`'s.
//!
//! `SeqCst` follows the published mapping from C++ to PTX: `fence.sc` before the operation, which
//! is then `acquire` (a store: `relaxed`).

mod float;
mod integer;
pub mod intrinsics;
pub mod mid;

pub use core::sync::atomic::Ordering;
pub use float::{
    AtomicF32, AtomicF64, BlockAtomicF32, BlockAtomicF64, SystemAtomicF32, SystemAtomicF64,
};
pub use integer::{
    AtomicI32, AtomicI64, AtomicU32, AtomicU64, BlockAtomicI32, BlockAtomicI64, BlockAtomicU32,
    BlockAtomicU64, SystemAtomicI32, SystemAtomicI64, SystemAtomicU32, SystemAtomicU64,
};

/// The order of a compare-and-exchange that has to satisfy both of Rust's.
#[cfg(target_os = "cuda")]
#[inline(always)]
fn combined(success: Ordering, failure: Ordering) -> Ordering {
    match (success, failure) {
        (Ordering::SeqCst, _) | (_, Ordering::SeqCst) => Ordering::SeqCst,
        (Ordering::Relaxed, Ordering::Acquire) => Ordering::Acquire,
        (Ordering::Release, Ordering::Acquire) => Ordering::AcqRel,
        (order, _) => order,
    }
}

/// A read-modify-write of any order, from the intrinsics of each.
#[cfg(target_os = "cuda")]
macro_rules! dispatch {
    ($order:expr, $scope:ident, $operation:ident, $type:ident, ($($argument:expr),*)) => {
        pastey::paste! {
            match $order {
                Ordering::Relaxed => intrinsics::[<atomic_fetch_ $operation _relaxed_ $type _ $scope>]($($argument),*),
                Ordering::Acquire => intrinsics::[<atomic_fetch_ $operation _acquire_ $type _ $scope>]($($argument),*),
                Ordering::Release => intrinsics::[<atomic_fetch_ $operation _release_ $type _ $scope>]($($argument),*),
                Ordering::AcqRel => intrinsics::[<atomic_fetch_ $operation _acqrel_ $type _ $scope>]($($argument),*),
                _ => {
                    intrinsics::[<fence_sc_ $scope>]();
                    intrinsics::[<atomic_fetch_ $operation _acquire_ $type _ $scope>]($($argument),*)
                }
            }
        }
    };
}
#[cfg(target_os = "cuda")]
pub(crate) use dispatch;

/// A load of any order that a load can have.
#[cfg(target_os = "cuda")]
macro_rules! dispatch_load {
    ($order:expr, $scope:ident, $width:literal, $address:expr) => {
        pastey::paste! {
            match $order {
                Ordering::Relaxed => intrinsics::[<atomic_load_relaxed_ $width _ $scope>]($address),
                Ordering::Acquire => intrinsics::[<atomic_load_acquire_ $width _ $scope>]($address),
                Ordering::Release | Ordering::AcqRel => panic!("a load cannot release"),
                _ => {
                    intrinsics::[<fence_sc_ $scope>]();
                    intrinsics::[<atomic_load_acquire_ $width _ $scope>]($address)
                }
            }
        }
    };
}
#[cfg(target_os = "cuda")]
pub(crate) use dispatch_load;

/// A store of any order that a store can have.
#[cfg(target_os = "cuda")]
macro_rules! dispatch_store {
    ($order:expr, $scope:ident, $width:literal, $address:expr, $value:expr) => {
        pastey::paste! {
            match $order {
                Ordering::Relaxed => intrinsics::[<atomic_store_relaxed_ $width _ $scope>]($address, $value),
                Ordering::Release => intrinsics::[<atomic_store_release_ $width _ $scope>]($address, $value),
                Ordering::Acquire | Ordering::AcqRel => panic!("a store cannot acquire"),
                _ => {
                    intrinsics::[<fence_sc_ $scope>]();
                    intrinsics::[<atomic_store_relaxed_ $width _ $scope>]($address, $value)
                }
            }
        }
    };
}
#[cfg(target_os = "cuda")]
pub(crate) use dispatch_store;

/// The sentence of the block's types, whose accesses are `unsafe`: see the module above.
macro_rules! for_one_block {
    () => {
        ""
    };
    ($unsafety:ident) => {
        "\n# Safety\n\nThis unsafe method is for values that no other block accesses."
    };
}
pub(crate) use for_one_block;

/// A value as `core`'s atomics have it on the host.
macro_rules! to_raw {
    (integer $value:expr) => {
        $value
    };
    (float $value:expr) => {
        $value.to_bits()
    };
}
pub(crate) use to_raw;

/// The value of what `core`'s atomics have.
macro_rules! from_raw {
    (integer $type:ident $raw:expr) => {
        $raw
    };
    (float $type:ident $raw:expr) => {
        $type::from_bits($raw)
    };
}
pub(crate) use from_raw;

/// An atomic type, and what integers and floats have alike. On the device a value is loaded and
/// stored as `$bits`, on the host it is `$raw` in `core`'s type.
macro_rules! atomic {
    ($kind:ident $name:ident, $type:ident, $raw:ident, $bits:ident, $width:literal, $align:literal, $scope:ident, $who:literal, $core:ident, [$($unsafety:ident)?]) => {
        #[doc = concat!("A value of the type `", stringify!($type), "` that ", $who, " can change at the same time.")]
        ///
        #[doc = concat!("In memory it is `", stringify!($type), "`, aligned to its size.")]
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
                let raw = unsafe {
                    dispatch_load!(order, $scope, $width, self.0.get().cast::<$bits>().cast_const()) as $raw
                };
                #[cfg(not(target_os = "cuda"))]
                let raw = self.host().load(order);
                from_raw!($kind $type raw)
            }

            #[inline(always)]
            fn replace(&self, current: $type, new: $type, success: Ordering, failure: Ordering) -> Result<$type, $type> {
                #[cfg(target_os = "cuda")]
                {
                    // SAFETY: the cell lives and is aligned, and is only accessed atomically.
                    let old = unsafe {
                        dispatch!(combined(success, failure), $scope, cas, $type, (self.0.get(), current, new))
                    };
                    if to_raw!($kind old) == to_raw!($kind current) { Ok(old) } else { Err(old) }
                }
                #[cfg(not(target_os = "cuda"))]
                self.host()
                    .compare_exchange(to_raw!($kind current), to_raw!($kind new), success, failure)
                    .map(|raw| from_raw!($kind $type raw))
                    .map_err(|raw| from_raw!($kind $type raw))
            }

            /// Reads the value.
            ///
            /// PTX: `ld.relaxed` or `ld.acquire`.
            ///
            /// # Panics
            ///
            /// When `order` is `Release` or `AcqRel`.
            #[doc = for_one_block!($($unsafety)?)]
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
            #[doc = for_one_block!($($unsafety)?)]
            #[inline(always)]
            pub $($unsafety)? fn store(&self, value: $type, order: Ordering) {
                #[cfg(target_os = "cuda")]
                // SAFETY: the cell lives and is aligned, and is only accessed atomically.
                #[allow(unused_unsafe)]
                unsafe {
                    dispatch_store!(order, $scope, $width, self.0.get().cast::<$bits>(), to_raw!($kind value) as $bits)
                }
                #[cfg(not(target_os = "cuda"))]
                self.host().store(to_raw!($kind value), order);
            }

            /// Writes `new` if the value has the bits of `current`. `Ok` has the old value if it
            /// had, `Err` if it had not.
            ///
            /// PTX: `atom.ORDER.cas`, of the stronger of the two orders.
            ///
            /// # Errors
            ///
            /// The value, when it had other bits.
            #[doc = for_one_block!($($unsafety)?)]
            #[inline(always)]
            pub $($unsafety)? fn compare_exchange(&self, current: $type, new: $type, success: Ordering, failure: Ordering) -> Result<$type, $type> {
                self.replace(current, new, success, failure)
            }
        }
    };
}
pub(crate) use atomic;

/// A read-modify-write that is one instruction, and what it is on the host.
macro_rules! method {
    ([$($unsafety:ident)?] $(#[$doc:meta])* $name:ident, $operation:ident, $type:ident, $scope:ident, |$this:ident, $value:ident, $order:ident| $host:expr) => {
        $(#[$doc])*
        /// Returns the old value.
        ///
        #[doc = concat!("PTX: `atom.ORDER.", stringify!($operation), "`.")]
        #[doc = for_one_block!($($unsafety)?)]
        #[inline(always)]
        pub $($unsafety)? fn $name(&self, $value: $type, $order: Ordering) -> $type {
            let $this = self;
            #[cfg(target_os = "cuda")]
            // SAFETY: the cell lives and is aligned, and is only accessed atomically.
            #[allow(unused_unsafe)]
            unsafe {
                dispatch!($order, $scope, $operation, $type, ($this.0.get(), $value))
            }
            #[cfg(not(target_os = "cuda"))]
            $host
        }
    };
}
pub(crate) use method;
