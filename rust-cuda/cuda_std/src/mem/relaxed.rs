//! Words of global memory that several threads share, of one device or of several.

use crate::device::gpu;

/// A load and a store of each scope.
macro_rules! relaxed {
    ($(
        $scope:literal: $(#[$of_load:meta])* $load:ident, $(#[$of_store:meta])* $store:ident;
    )*) => {$(
        $(#[$of_load])*
        #[inline(always)]
        #[must_use]
        pub unsafe fn $load(ptr: *const u64) -> u64 {
            gpu!($load, (ptr) => {
                let value: u64;
                core::arch::asm!(
                    "{{ .reg .b64 address; cvta.to.global.u64 address, {};",
                    concat!("ld.relaxed.", $scope, ".global.u64 {}, [address]; }}"),
                    in(reg64) ptr,
                    out(reg64) value,
                    options(nostack, preserves_flags),
                );
                value
            })
        }

        $(#[$of_store])*
        #[inline(always)]
        pub unsafe fn $store(ptr: *mut u64, value: u64) {
            gpu!($store, (ptr, value) => {
                core::arch::asm!(
                    "{{ .reg .b64 address; cvta.to.global.u64 address, {};",
                    concat!("st.relaxed.", $scope, ".global.u64 [address], {}; }}"),
                    in(reg64) ptr,
                    in(reg64) value,
                    options(nostack, preserves_flags),
                );
            });
        }
    )*};
}

relaxed! {
    "gpu":
    /// Reads a word of global memory that other threads of the device write: an atomic access, of no
    /// order. [`AtomicU64`](crate::atomic::AtomicU64) has it for any memory; knowing the space saves
    /// finding it out.
    ///
    /// PTX: `ld.relaxed.gpu.global.u64`.
    ///
    /// # Safety
    ///
    /// `ptr` points to a `u64` in global memory, aligned to 8; others access it atomically.
    load_relaxed,
    /// Writes a word of global memory that other threads of the device read: the counterpart of
    /// [`load_relaxed`].
    ///
    /// PTX: `st.relaxed.gpu.global.u64`.
    ///
    /// # Safety
    ///
    /// As for [`load_relaxed`].
    store_relaxed;

    "sys":
    /// [`load_relaxed`] of a word that threads of other devices write, too.
    ///
    /// PTX: `ld.relaxed.sys.global.u64`.
    ///
    /// # Safety
    ///
    /// As for [`load_relaxed`].
    load_relaxed_system,
    /// [`store_relaxed`] to a word that threads of other devices read: it may be in the memory of
    /// another device that this one can reach.
    ///
    /// PTX: `st.relaxed.sys.global.u64`.
    ///
    /// # Safety
    ///
    /// As for [`load_relaxed`].
    store_relaxed_system;
}
