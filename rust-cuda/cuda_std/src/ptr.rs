//! Address spaces of pointers.
//!
//! Every pointer in Rust is generic: it may point into any space, and the instructions that take
//! it find out. What lives here: to ask which space it is, and to convert for inline assembly of
//! one's own. Ordinary code needs neither.

use crate::device::gpu;
#[cfg(target_os = "cuda")]
use crate::device::instruction;

/// A part of the memory that a thread sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressSpace {
    /// The device's memory.
    Global,
    /// The memory of the block.
    Shared,
    /// Read-only memory, the same for all threads.
    Constant,
    /// The memory of the thread alone.
    Local,
}

#[cfg(target_os = "cuda")]
macro_rules! by_space {
    ($space:ident, $macro:ident) => {
        match $space {
            AddressSpace::Global => $macro!("global"),
            AddressSpace::Shared => $macro!("shared"),
            AddressSpace::Constant => $macro!("const"),
            AddressSpace::Local => $macro!("local"),
        }
    };
}

/// Whether `ptr` points into `address_space`.
///
/// PTX: `isspacep`.
///
/// # Safety
///
/// `ptr` is a generic address; it is not read.
#[inline(always)]
#[must_use]
pub unsafe fn is_in_address_space<T>(ptr: *const T, address_space: AddressSpace) -> bool {
    gpu!(is_in_address_space, (ptr, address_space) => {
        macro_rules! ask {
            ($space:literal) => {{
                let inside: u32;
                core::arch::asm!(
                    "{{ .reg .pred p;",
                    concat!("isspacep.", $space, " p, {ptr};"),
                    "selp.u32 {inside}, 1, 0, p; }}",
                    ptr = in(reg64) ptr,
                    inside = out(reg32) inside,
                    options(pure, nomem, nostack, preserves_flags),
                );
                inside != 0
            }};
        }
        by_space!(address_space, ask)
    })
}

/// The address within `address_space` of what the generic `ptr` points to. Not to be followed by
/// Rust, which takes every pointer as generic; for inline assembly.
///
/// PTX: `cvta.to`.
///
/// # Safety
///
/// `ptr` points into `address_space`.
#[inline(always)]
#[must_use]
pub unsafe fn convert_generic_to_specific_address_space<T>(
    ptr: *const T,
    address_space: AddressSpace,
) -> *const T {
    gpu!(convert_generic_to_specific_address_space, (ptr, address_space) => {
        macro_rules! convert {
            ($space:literal) => {
                instruction!(concat!("cvta.to.", $space, ".u64"), reg64 *const T, (reg64 ptr))
            };
        }
        by_space!(address_space, convert)
    })
}

/// The generic pointer to the address `ptr` of `address_space`.
///
/// PTX: `cvta`.
///
/// # Safety
///
/// `ptr` is an address of `address_space`, from
/// [`convert_generic_to_specific_address_space`] or from inline assembly.
#[inline(always)]
#[must_use]
pub unsafe fn convert_specific_address_space_to_generic<T>(
    ptr: *const T,
    address_space: AddressSpace,
) -> *const T {
    gpu!(convert_specific_address_space_to_generic, (ptr, address_space) => {
        macro_rules! convert {
            ($space:literal) => {
                instruction!(concat!("cvta.", $space, ".u64"), reg64 *const T, (reg64 ptr))
            };
        }
        by_space!(address_space, convert)
    })
}

/// The 32-bit address in shared memory that the instructions for bulk copies and barriers take.
///
/// PTX: `cvta.to.shared.u64`, `cvt.u32.u64`.
///
/// # Safety
///
/// `ptr` points into shared memory.
#[inline(always)]
#[must_use]
pub unsafe fn shared_address<T>(ptr: *const T) -> u32 {
    // SAFETY: the caller's.
    unsafe { convert_generic_to_specific_address_space(ptr, AddressSpace::Shared).addr() as u32 }
}
