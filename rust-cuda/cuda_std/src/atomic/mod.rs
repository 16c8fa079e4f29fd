//! Atomic operations with a scope.
//!
//! What lives here: [types](AtomicF32) whose methods take an [`Ordering`], and under them the
//! [`intrinsics`], one function for each instruction. A scope says who must agree on the order:
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
