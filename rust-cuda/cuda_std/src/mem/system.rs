//! Words of global memory that several devices share: accesses of the scope of the system.

use crate::device::gpu;

/// [`load_relaxed`](super::load_relaxed) of a word that threads of other devices write, too.
///
/// PTX: `ld.relaxed.sys.global.u64`.
///
/// # Safety
///
/// As for [`load_relaxed`](super::load_relaxed).
#[inline(always)]
#[must_use]
pub unsafe fn load_relaxed_system(ptr: *const u64) -> u64 {
    gpu!(load_relaxed_system, (ptr) => {
        let value: u64;
        core::arch::asm!(
            "{{ .reg .b64 address; cvta.to.global.u64 address, {};",
            "ld.relaxed.sys.global.u64 {}, [address]; }}",
            in(reg64) ptr,
            out(reg64) value,
            options(nostack, preserves_flags),
        );
        value
    })
}

/// [`store_relaxed`](super::store_relaxed) to a word that threads of other devices read: it may be in the memory of
/// another device that this one can reach.
///
/// PTX: `st.relaxed.sys.global.u64`.
///
/// # Safety
///
/// As for [`load_relaxed`](super::load_relaxed).
#[inline(always)]
pub unsafe fn store_relaxed_system(ptr: *mut u64, value: u64) {
    gpu!(store_relaxed_system, (ptr, value) => {
        core::arch::asm!(
            "{{ .reg .b64 address; cvta.to.global.u64 address, {};",
            "st.relaxed.sys.global.u64 [address], {}; }}",
            in(reg64) ptr,
            in(reg64) value,
            options(nostack, preserves_flags),
        );
    });
}
