//! One function for each atomic instruction: `atomic_fetch_OPERATION_ORDER_TYPE_SCOPE`,
//! `atomic_load_ORDER_WIDTH_SCOPE`, `atomic_store_ORDER_WIDTH_SCOPE`, and fences.
//!
//! Operations: `add`, `sub` (PTX adds the negation), `and`, `or`, `xor`, `exch`, `cas`, and for
//! integers `min`, `max`, for `u32` also `inc` (`if old >= value { 0 } else { old + 1 }`) and `dec`
//! (`if old == 0 || old > value { value } else { old - 1 }`). Each returns the old value. Orders:
//! `relaxed`, `acquire`, `release`, `acqrel`; `volatile` is `ld.volatile`/`st.volatile` for loads
//! and stores, and `relaxed` for the rest. Scopes: `block` (`.cta`), `device` (`.gpu`), `system`
//! (`.sys`). The order is always in the PTX. All need sm_70.
//!
//! # Safety
//!
//! Of every function here: `ptr` points to a live, aligned value in global or shared memory, and
//! whatever else accesses it at the same time is atomic too.
#![allow(clippy::missing_safety_doc, reason = "the module says it once")]

use crate::device::gpu;
use pastey::paste;

macro_rules! fence {
    ($($name:ident, $ptx:literal;)*) => {$(
        #[doc = concat!("PTX: `", $ptx, "`.")]
        #[inline(always)]
        pub unsafe fn $name() {
            gpu!($name, () => {
                core::arch::asm!(concat!($ptx, ";"), options(nostack, preserves_flags))
            });
        }
    )*};
}

fence! {
    membar_block, "membar.cta";
    membar_device, "membar.gl";
    membar_system, "membar.sys";
    fence_sc_block, "fence.sc.cta";
    fence_sc_device, "fence.sc.gpu";
    fence_sc_system, "fence.sc.sys";
    fence_acqrel_block, "fence.acq_rel.cta";
    fence_acqrel_device, "fence.acq_rel.gpu";
    fence_acqrel_system, "fence.acq_rel.sys";
}

/// Calls `$macro!` for each scope, with rust-cuda's name and PTX's.
macro_rules! scopes {
    ($macro:ident, $($rest:tt)*) => {
        $macro!(block, "cta", $($rest)*);
        $macro!(device, "gpu", $($rest)*);
        $macro!(system, "sys", $($rest)*);
    };
}

macro_rules! load {
    ($scope:ident, $ptx_scope:literal, $width:literal) => {
        load!(@ $scope, $width, relaxed, concat!("ld.relaxed.", $ptx_scope));
        load!(@ $scope, $width, acquire, concat!("ld.acquire.", $ptx_scope));
        load!(@ $scope, $width, volatile, "ld.volatile");
    };
    (@ $scope:ident, $width:literal, $order:ident, $instruction:expr) => {
        paste! {
            #[doc = concat!("PTX: `", $instruction, ".b", $width, "`.")]
            #[inline(always)]
            pub unsafe fn [<atomic_load_ $order _ $width _ $scope>](ptr: *const [<u $width>]) -> [<u $width>] {
                gpu!([<atomic_load_ $order _ $width _ $scope>], (ptr) => {
                    let value: [<u $width>];
                    core::arch::asm!(
                        concat!($instruction, ".b", $width, " {}, [{}];"),
                        out([<reg $width>]) value,
                        in(reg64) ptr,
                        options(nostack, preserves_flags),
                    );
                    value
                })
            }
        }
    };
}

scopes!(load, 32);
scopes!(load, 64);

macro_rules! store {
    ($scope:ident, $ptx_scope:literal, $width:literal) => {
        store!(@ $scope, $width, relaxed, concat!("st.relaxed.", $ptx_scope));
        store!(@ $scope, $width, release, concat!("st.release.", $ptx_scope));
        store!(@ $scope, $width, volatile, "st.volatile");
    };
    (@ $scope:ident, $width:literal, $order:ident, $instruction:expr) => {
        paste! {
            #[doc = concat!("PTX: `", $instruction, ".b", $width, "`.")]
            #[inline(always)]
            pub unsafe fn [<atomic_store_ $order _ $width _ $scope>](ptr: *mut [<u $width>], value: [<u $width>]) {
                gpu!([<atomic_store_ $order _ $width _ $scope>], (ptr, value) => {
                    core::arch::asm!(
                        concat!($instruction, ".b", $width, " [{}], {};"),
                        in(reg64) ptr,
                        in([<reg $width>]) value,
                        options(nostack, preserves_flags),
                    )
                })
            }
        }
    };
}

scopes!(store, 32);
scopes!(store, 64);

/// One read-modify-write in every order.
macro_rules! fetch {
    ($scope:ident, $ptx_scope:literal, $operation:ident, $type:ident, $register:ident, $ptx:expr, $argument:ident => $operand:expr) => {
        fetch!(@ $scope, $operation, $type, $register, $argument => $operand, relaxed, concat!("atom.relaxed.", $ptx_scope, ".", $ptx));
        fetch!(@ $scope, $operation, $type, $register, $argument => $operand, acquire, concat!("atom.acquire.", $ptx_scope, ".", $ptx));
        fetch!(@ $scope, $operation, $type, $register, $argument => $operand, release, concat!("atom.release.", $ptx_scope, ".", $ptx));
        fetch!(@ $scope, $operation, $type, $register, $argument => $operand, acqrel, concat!("atom.acq_rel.", $ptx_scope, ".", $ptx));
        fetch!(@ $scope, $operation, $type, $register, $argument => $operand, volatile, concat!("atom.relaxed.", $ptx_scope, ".", $ptx));
    };
    (@ $scope:ident, $operation:ident, $type:ident, $register:ident, $argument:ident => $operand:expr, $order:ident, $instruction:expr) => {
        paste! {
            #[doc = concat!("PTX: `", $instruction, "`.")]
            #[inline(always)]
            pub unsafe fn [<atomic_fetch_ $operation _ $order _ $type _ $scope>](ptr: *mut $type, $argument: $type) -> $type {
                gpu!([<atomic_fetch_ $operation _ $order _ $type _ $scope>], (ptr, $argument) => {
                    let old: $type;
                    core::arch::asm!(
                        concat!($instruction, " {}, [{}], {};"),
                        out($register) old,
                        in(reg64) ptr,
                        in($register) $operand,
                        options(nostack, preserves_flags),
                    );
                    old
                })
            }
        }
    };
}

/// Compare-and-exchange in every order: stores `value` if the old one is `compare`.
macro_rules! cas {
    ($scope:ident, $ptx_scope:literal, $type:ident, $register:ident, $width:literal) => {
        cas!(@ $scope, $type, $register, relaxed, concat!("atom.relaxed.", $ptx_scope, ".cas.b", $width));
        cas!(@ $scope, $type, $register, acquire, concat!("atom.acquire.", $ptx_scope, ".cas.b", $width));
        cas!(@ $scope, $type, $register, release, concat!("atom.release.", $ptx_scope, ".cas.b", $width));
        cas!(@ $scope, $type, $register, acqrel, concat!("atom.acq_rel.", $ptx_scope, ".cas.b", $width));
        cas!(@ $scope, $type, $register, volatile, concat!("atom.relaxed.", $ptx_scope, ".cas.b", $width));
    };
    (@ $scope:ident, $type:ident, $register:ident, $order:ident, $instruction:expr) => {
        paste! {
            #[doc = concat!("PTX: `", $instruction, "`.")]
            #[inline(always)]
            pub unsafe fn [<atomic_fetch_cas_ $order _ $type _ $scope>](ptr: *mut $type, compare: $type, value: $type) -> $type {
                gpu!([<atomic_fetch_cas_ $order _ $type _ $scope>], (ptr, compare, value) => {
                    let old: $type;
                    core::arch::asm!(
                        concat!($instruction, " {}, [{}], {}, {};"),
                        out($register) old,
                        in(reg64) ptr,
                        in($register) compare,
                        in($register) value,
                        options(nostack, preserves_flags),
                    );
                    old
                })
            }
        }
    };
}

macro_rules! integer {
    ($type:ident, $register:ident, $width:literal, $add:literal, $min:literal, $max:literal) => {
        scopes!(fetch, add, $type, $register, $add, value => value);
        scopes!(fetch, sub, $type, $register, $add, value => value.wrapping_neg());
        scopes!(fetch, min, $type, $register, $min, value => value);
        scopes!(fetch, max, $type, $register, $max, value => value);
        bits!($type, $register, $width);
    };
}

macro_rules! bits {
    ($type:ident, $register:ident, $width:literal) => {
        scopes!(fetch, and, $type, $register, concat!("and.b", $width), value => value);
        scopes!(fetch, or, $type, $register, concat!("or.b", $width), value => value);
        scopes!(fetch, xor, $type, $register, concat!("xor.b", $width), value => value);
        scopes!(fetch, exch, $type, $register, concat!("exch.b", $width), value => value);
        scopes!(cas, $type, $register, $width);
    };
}

integer!(u32, reg32, 32, "add.u32", "min.u32", "max.u32");
integer!(i32, reg32, 32, "add.s32", "min.s32", "max.s32");
integer!(u64, reg64, 64, "add.u64", "min.u64", "max.u64");
integer!(i64, reg64, 64, "add.u64", "min.s64", "max.s64");

scopes!(fetch, inc, u32, reg32, "inc.u32", value => value);
scopes!(fetch, dec, u32, reg32, "dec.u32", value => value);

scopes!(fetch, add, f32, reg32, "add.f32", value => value);
scopes!(fetch, sub, f32, reg32, "add.f32", value => -value);
bits!(f32, reg32, 32);

scopes!(fetch, add, f64, reg64, "add.f64", value => value);
scopes!(fetch, sub, f64, reg64, "add.f64", value => -value);
bits!(f64, reg64, 64);
