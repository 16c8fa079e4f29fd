//! Vector loads and stores with cache hints, the sizes of shared memory, and the heap.
//!
//! What lives here: accesses of 16 (or 8) bytes in one instruction, between memory and scalars in
//! registers: an aggregate copied by Rust itself may take a detour through local memory. What does
//! not: atomic accesses ([`crate::atomic`]) and bulk copies.
//!
//! An array of scalars is the unit. Take it apart with constant indices or a pattern, so that it
//! stays in registers:
//!
//! ```
//! use cuda_std::mem::{LoadHint, StoreHint, load_global, store_global};
//! use cuda_std::{kernel, thread};
//!
//! /// Doubles 4 elements a thread; both pointers are multiples of 16.
//! #[kernel]
//! pub unsafe fn double(input: *const f32, output: *mut f32) {
//!     let i = 4 * thread::index_1d() as usize;
//!     unsafe {
//!         let [a, b, c, d] = load_global(input.add(i).cast::<[f32; 4]>(), LoadHint::Streaming);
//!         store_global(output.add(i).cast(), [2.0 * a, 2.0 * b, 2.0 * c, 2.0 * d], StoreHint::Streaming);
//!     }
//! }
//! ```

mod relaxed;

pub use self::relaxed::{load_relaxed, load_relaxed_system, store_relaxed, store_relaxed_system};
pub use crate::device::CUDAAllocator;
use crate::device::gpu;

/// How a load from global memory treats the caches. Hints change speed, not results. Those that
/// name L1 need PTX 7.4: below sm_87 they are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadHint {
    /// `ld.global`: all levels.
    All,
    /// `ld.global.cg`: L2 only.
    L2,
    /// `ld.global.cs`: read once, evict first.
    Streaming,
    /// `ld.global.L1::no_allocate`.
    NoAllocate,
    /// `ld.global.L1::evict_first`.
    EvictFirst,
    /// `ld.global.L1::evict_last`.
    EvictLast,
    /// `ld.global.nc`: read-only path. Nothing may write there while the kernel runs.
    ReadOnly,
    /// `ld.global.nc.L1::no_allocate`. Nothing may write there while the kernel runs.
    ReadOnlyNoAllocate,
    /// `ld.global.nc.L1::evict_last`. Nothing may write there while the kernel runs.
    ReadOnlyEvictLast,
}

/// How a store to global memory treats the caches. Hints change speed, not results. Those that
/// name L1 need PTX 7.4: below sm_87 they are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreHint {
    /// `st.global`: write back.
    All,
    /// `st.global.cg`: L2 only.
    L2,
    /// `st.global.cs`: written once, evict first.
    Streaming,
    /// `st.global.L1::no_allocate`.
    NoAllocate,
    /// `st.global.L1::evict_first`.
    EvictFirst,
    /// `st.global.L1::evict_last`.
    EvictLast,
}

/// What moves in one instruction: arrays of 2 or 4 scalars of 32 bits, arrays of 2 of 64 bits, and
/// a single one of either.
pub trait Vector: Copy + private::Sealed {
    #[doc(hidden)]
    unsafe fn load_global(ptr: *const Self, hint: LoadHint) -> Self;
    #[doc(hidden)]
    unsafe fn store_global(ptr: *mut Self, value: Self, hint: StoreHint);
    #[doc(hidden)]
    unsafe fn load_shared(address: u32) -> Self;
    #[doc(hidden)]
    unsafe fn store_shared(address: u32, value: Self);
}

mod private {
    pub trait Sealed {}
}

/// Reads a vector from global memory.
///
/// PTX: `ld.global[hint].v4.b32` and the like.
///
/// # Safety
///
/// `ptr` points into global memory, is a multiple of the vector's size (16, 8 or 4 bytes), and
/// may be read; for the read-only hints nothing writes there while the kernel runs.
#[inline(always)]
#[must_use]
pub unsafe fn load_global<V: Vector>(ptr: *const V, hint: LoadHint) -> V {
    // SAFETY: the caller's.
    unsafe { V::load_global(ptr, hint) }
}

/// Writes a vector to global memory.
///
/// PTX: `st.global[hint].v4.b32` and the like.
///
/// # Safety
///
/// `ptr` points into global memory, is a multiple of the vector's size (16, 8 or 4 bytes), and
/// may be written.
#[inline(always)]
pub unsafe fn store_global<V: Vector>(ptr: *mut V, value: V, hint: StoreHint) {
    // SAFETY: the caller's.
    unsafe { V::store_global(ptr, value, hint) }
}

/// Reads a vector from shared memory.
///
/// PTX: `ld.shared.v4.b32` and the like.
///
/// # Safety
///
/// `ptr` points into shared memory, is a multiple of the vector's size (16, 8 or 4 bytes), and
/// may be read.
#[inline(always)]
#[must_use]
pub unsafe fn load_shared<V: Vector>(ptr: *const V) -> V {
    // SAFETY: the caller's.
    unsafe { V::load_shared(crate::ptr::shared_address(ptr)) }
}

/// Writes a vector to shared memory.
///
/// PTX: `st.shared.v4.b32` and the like.
///
/// # Safety
///
/// `ptr` points into shared memory, is a multiple of the vector's size (16, 8 or 4 bytes), and
/// may be written.
#[inline(always)]
pub unsafe fn store_shared<V: Vector>(ptr: *mut V, value: V) {
    // SAFETY: the caller's.
    unsafe { V::store_shared(crate::ptr::shared_address(ptr), value) }
}

macro_rules! vector {
    ($($type:ty, $scalar:ty, $ptx:literal, $register:ident, [$($lane:ident)*], $list:literal, $pattern:pat => $value:expr;)*) => {$(
        impl private::Sealed for $type {}

        impl Vector for $type {
            #[inline(always)]
            unsafe fn load_global(ptr: *const Self, hint: LoadHint) -> Self {
                gpu!(load_global, (ptr, hint) => {
                    $(let $lane: $scalar;)*
                    macro_rules! load {
                        ($hint:literal) => {
                            core::arch::asm!(
                                "{{ .reg .b64 address; cvta.to.global.u64 address, {ptr};",
                                concat!("ld.global", $hint, $ptx, " ", $list, ", [address]; }}"),
                                $($lane = out($register) $lane,)*
                                ptr = in(reg64) ptr,
                                options(readonly, nostack, preserves_flags),
                            )
                        };
                    }
                    match hint {
                        LoadHint::L2 => load!(".cg"),
                        LoadHint::Streaming => load!(".cs"),
                        LoadHint::ReadOnly => load!(".nc"),
                        #[cfg(target_feature = "sm_87")]
                        LoadHint::NoAllocate => load!(".L1::no_allocate"),
                        #[cfg(target_feature = "sm_87")]
                        LoadHint::EvictFirst => load!(".L1::evict_first"),
                        #[cfg(target_feature = "sm_87")]
                        LoadHint::EvictLast => load!(".L1::evict_last"),
                        #[cfg(target_feature = "sm_87")]
                        LoadHint::ReadOnlyNoAllocate => load!(".nc.L1::no_allocate"),
                        #[cfg(target_feature = "sm_87")]
                        LoadHint::ReadOnlyEvictLast => load!(".nc.L1::evict_last"),
                        #[cfg(not(target_feature = "sm_87"))]
                        LoadHint::ReadOnlyNoAllocate | LoadHint::ReadOnlyEvictLast => load!(".nc"),
                        _ => load!(""),
                    }
                    $value
                })
            }

            #[inline(always)]
            unsafe fn store_global(ptr: *mut Self, value: Self, hint: StoreHint) {
                gpu!(store_global, (ptr, value, hint) => {
                    let $pattern = value;
                    macro_rules! store {
                        ($hint:literal) => {
                            core::arch::asm!(
                                "{{ .reg .b64 address; cvta.to.global.u64 address, {ptr};",
                                concat!("st.global", $hint, $ptx, " [address], ", $list, "; }}"),
                                ptr = in(reg64) ptr,
                                $($lane = in($register) $lane,)*
                                options(nostack, preserves_flags),
                            )
                        };
                    }
                    match hint {
                        StoreHint::L2 => store!(".cg"),
                        StoreHint::Streaming => store!(".cs"),
                        #[cfg(target_feature = "sm_87")]
                        StoreHint::NoAllocate => store!(".L1::no_allocate"),
                        #[cfg(target_feature = "sm_87")]
                        StoreHint::EvictFirst => store!(".L1::evict_first"),
                        #[cfg(target_feature = "sm_87")]
                        StoreHint::EvictLast => store!(".L1::evict_last"),
                        _ => store!(""),
                    }
                })
            }

            #[inline(always)]
            unsafe fn load_shared(address: u32) -> Self {
                gpu!(load_shared, (address) => {
                    $(let $lane: $scalar;)*
                    core::arch::asm!(
                        concat!("ld.shared", $ptx, " ", $list, ", [{address}];"),
                        $($lane = out($register) $lane,)*
                        address = in(reg32) address,
                        options(readonly, nostack, preserves_flags),
                    );
                    $value
                })
            }

            #[inline(always)]
            unsafe fn store_shared(address: u32, value: Self) {
                gpu!(store_shared, (address, value) => {
                    let $pattern = value;
                    core::arch::asm!(
                        concat!("st.shared", $ptx, " [{address}], ", $list, ";"),
                        address = in(reg32) address,
                        $($lane = in($register) $lane,)*
                        options(nostack, preserves_flags),
                    )
                })
            }
        }
    )*};
}

vector! {
    [u32; 4], u32, ".v4.b32", reg32, [a b c d], "{{{a}, {b}, {c}, {d}}}", [a, b, c, d] => [a, b, c, d];
    [i32; 4], i32, ".v4.b32", reg32, [a b c d], "{{{a}, {b}, {c}, {d}}}", [a, b, c, d] => [a, b, c, d];
    [f32; 4], f32, ".v4.b32", reg32, [a b c d], "{{{a}, {b}, {c}, {d}}}", [a, b, c, d] => [a, b, c, d];
    [u64; 2], u64, ".v2.b64", reg64, [a b], "{{{a}, {b}}}", [a, b] => [a, b];
    [i64; 2], i64, ".v2.b64", reg64, [a b], "{{{a}, {b}}}", [a, b] => [a, b];
    [f64; 2], f64, ".v2.b64", reg64, [a b], "{{{a}, {b}}}", [a, b] => [a, b];
    [u32; 2], u32, ".v2.b32", reg32, [a b], "{{{a}, {b}}}", [a, b] => [a, b];
    [i32; 2], i32, ".v2.b32", reg32, [a b], "{{{a}, {b}}}", [a, b] => [a, b];
    [f32; 2], f32, ".v2.b32", reg32, [a b], "{{{a}, {b}}}", [a, b] => [a, b];
    u64, u64, ".b64", reg64, [a], "{a}", a => a;
    i64, i64, ".b64", reg64, [a], "{a}", a => a;
    f64, f64, ".b64", reg64, [a], "{a}", a => a;
    u32, u32, ".b32", reg32, [a], "{a}", a => a;
    i32, i32, ".b32", reg32, [a], "{a}", a => a;
    f32, f32, ".b32", reg32, [a], "{a}", a => a;
}

/// Adds to a word of global memory, wrapping, and returns what it was: the counterpart of
/// [`load_relaxed`] for several writers.
///
/// PTX: `atom.relaxed.gpu.global.add.u64`.
///
/// # Safety
///
/// As for [`load_relaxed`].
#[inline(always)]
pub unsafe fn fetch_add_relaxed(ptr: *mut u64, value: u64) -> u64 {
    gpu!(fetch_add_relaxed, (ptr, value) => {
        let before: u64;
        core::arch::asm!(
            "{{ .reg .b64 address; cvta.to.global.u64 address, {};",
            "atom.relaxed.gpu.global.add.u64 {}, [address], {}; }}",
            in(reg64) ptr,
            out(reg64) before,
            in(reg64) value,
            options(nostack, preserves_flags),
        );
        before
    })
}

macro_rules! size {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        ///
        #[doc = concat!("PTX: `%", stringify!($name), "`.")]
        #[inline(always)]
        #[must_use]
        pub fn $name() -> u32 {
            gpu!($name, () => {
                let bytes: u32;
                core::arch::asm!(
                    concat!("mov.u32 {}, %", stringify!($name), ";"),
                    out(reg32) bytes,
                    options(pure, nomem, nostack, preserves_flags),
                );
                bytes
            })
        }
    )*};
}

size! {
    /// Bytes of dynamic shared memory that the launch asked for, a block.
    dynamic_smem_size;
    /// Bytes of shared memory of a block, static and dynamic, rounded up to the unit in which the
    /// architecture gives it out.
    total_smem_size;
}

/// Asks for the data around an address in global memory into the L2 cache. It is a hint and no
/// access: what another thread writes there before or after is seen all the same.
///
/// PTX: `prefetch.global.L2`.
///
/// # Safety
///
/// `ptr` points into global memory.
#[inline(always)]
pub unsafe fn prefetch_l2<T>(ptr: *const T) {
    gpu!(prefetch_l2, (ptr) => {
        core::arch::asm!(
            "{{ .reg .b64 address; cvta.to.global.u64 address, {};",
            "prefetch.global.L2 [address]; }}",
            in(reg64) ptr,
            options(nostack, preserves_flags),
        );
    });
}
