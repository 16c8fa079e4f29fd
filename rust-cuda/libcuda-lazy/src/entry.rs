//! The exported functions: a slot and a jump each, and the slow path that
//! fills the slot.
//!
//! A function here does not know its own parameters. It leaves every argument
//! register and the stack as they are and jumps, so the driver's function
//! finds what the caller put there, and returns to the caller directly.

use std::arch::naked_asm;
use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use crate::library::{self, LoadError};
use crate::names::with_driver_functions;

/// `CUDA_ERROR_NOT_INITIALIZED`: the answer of every function without a driver.
const NOT_INITIALIZED: c_int = 3;
/// `CUDA_ERROR_NOT_FOUND`: the answer of a function that the driver lacks.
const NOT_FOUND: c_int = 500;

macro_rules! define {
    ($($name:ident,)*) => {
        /// The index of each function's slot.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[derive(Clone, Copy)]
        #[repr(u32)]
        enum Index { $($name),* }

        pub(crate) const NAMES: &[&str] = &[$(stringify!($name)),*];
        const COUNT: usize = NAMES.len();

        $(
            #[doc = concat!("The driver's `", stringify!($name), "`.")]
            #[allow(non_snake_case)]
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name() -> c_int {
                #[cfg(target_arch = "x86_64")]
                naked_asm!(
                    "mov r11, qword ptr [rip + {slots} + 8 * {index}]",
                    "test r11, r11",
                    "jz 2f",
                    "jmp r11",
                    "2:",
                    "mov r11d, {index}",
                    "jmp {slow}",
                    slots = sym SLOTS,
                    index = const Index::$name as u32,
                    slow = sym slow_path,
                );
                #[cfg(target_arch = "aarch64")]
                naked_asm!(
                    "adrp x16, {slots} + 8 * {index}",
                    "ldr x16, [x16, #:lo12:{slots} + 8 * {index}]",
                    "cbz x16, 2f",
                    "br x16",
                    "2:",
                    "mov w17, #{index}",
                    "b {slow}",
                    slots = sym SLOTS,
                    index = const Index::$name as u32,
                    slow = sym slow_path,
                );
            }
        )*

        /// Keeps the functions in the program whatever the linker's order of
        /// archives: who links this crate links all of them.
        #[used]
        static KEPT: [unsafe extern "C" fn() -> c_int; COUNT] = [$($name),*];
    };
}
with_driver_functions!(define);

/// The driver's functions by index; null until first needed.
static SLOTS: [AtomicPtr<c_void>; COUNT] = [const { AtomicPtr::new(ptr::null_mut()) }; COUNT];
/// Which functions were called although the library lacks them.
static MISSING: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];

/// Saves all argument registers, asks [`resolve`] where to go, restores them
/// and goes there. The index comes in the platform's scratch register.
#[unsafe(naked)]
unsafe extern "C" fn slow_path() {
    #[cfg(target_arch = "x86_64")]
    naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "sub rsp, 192",
        "mov [rsp], rdi",
        "mov [rsp + 8], rsi",
        "mov [rsp + 16], rdx",
        "mov [rsp + 24], rcx",
        "mov [rsp + 32], r8",
        "mov [rsp + 40], r9",
        "mov [rsp + 48], rax",
        "mov [rsp + 56], r10",
        "movaps [rsp + 64], xmm0",
        "movaps [rsp + 80], xmm1",
        "movaps [rsp + 96], xmm2",
        "movaps [rsp + 112], xmm3",
        "movaps [rsp + 128], xmm4",
        "movaps [rsp + 144], xmm5",
        "movaps [rsp + 160], xmm6",
        "movaps [rsp + 176], xmm7",
        "mov edi, r11d",
        "call {resolve}",
        "mov r11, rax",
        "mov rdi, [rsp]",
        "mov rsi, [rsp + 8]",
        "mov rdx, [rsp + 16]",
        "mov rcx, [rsp + 24]",
        "mov r8, [rsp + 32]",
        "mov r9, [rsp + 40]",
        "mov rax, [rsp + 48]",
        "mov r10, [rsp + 56]",
        "movaps xmm0, [rsp + 64]",
        "movaps xmm1, [rsp + 80]",
        "movaps xmm2, [rsp + 96]",
        "movaps xmm3, [rsp + 112]",
        "movaps xmm4, [rsp + 128]",
        "movaps xmm5, [rsp + 144]",
        "movaps xmm6, [rsp + 160]",
        "movaps xmm7, [rsp + 176]",
        "mov rsp, rbp",
        "pop rbp",
        "jmp r11",
        resolve = sym resolve,
    );
    #[cfg(target_arch = "aarch64")]
    naked_asm!(
        "stp x29, x30, [sp, #-224]!",
        "mov x29, sp",
        "stp x0, x1, [sp, #16]",
        "stp x2, x3, [sp, #32]",
        "stp x4, x5, [sp, #48]",
        "stp x6, x7, [sp, #64]",
        "str x8, [sp, #80]",
        "stp q0, q1, [sp, #96]",
        "stp q2, q3, [sp, #128]",
        "stp q4, q5, [sp, #160]",
        "stp q6, q7, [sp, #192]",
        "mov w0, w17",
        "bl {resolve}",
        "mov x16, x0",
        "ldp x0, x1, [sp, #16]",
        "ldp x2, x3, [sp, #32]",
        "ldp x4, x5, [sp, #48]",
        "ldp x6, x7, [sp, #64]",
        "ldr x8, [sp, #80]",
        "ldp q0, q1, [sp, #96]",
        "ldp q2, q3, [sp, #128]",
        "ldp q4, q5, [sp, #160]",
        "ldp q6, q7, [sp, #192]",
        "ldp x29, x30, [sp], #224",
        "br x16",
        resolve = sym resolve,
    );
}

/// Where a call of function `index` goes. Fills the slot when the driver has
/// the function; the answers for want of one are looked up again each time.
extern "C" fn resolve(index: u32) -> *const c_void {
    let index = index as usize;
    match library::symbol(NAMES[index]) {
        Ok(address) => {
            SLOTS[index].store(address.as_ptr(), Ordering::Release);
            address.as_ptr()
        }
        Err(LoadError::MissingSymbol { .. }) => {
            MISSING[index].store(true, Ordering::Relaxed);
            answer_not_found as *const c_void
        }
        Err(_)
            if index == Index::cuGetErrorString as usize
                || index == Index::cuGetErrorName as usize =>
        {
            describe_without_driver as *const c_void
        }
        Err(_) => answer_not_initialized as *const c_void,
    }
}

extern "C" fn answer_not_initialized() -> c_int {
    NOT_INITIALIZED
}

extern "C" fn answer_not_found() -> c_int {
    NOT_FOUND
}

/// `cuGetErrorString` and `cuGetErrorName` on a machine without a driver: the
/// reason why there is none. `cust` cannot print an error without them.
unsafe extern "C" fn describe_without_driver(_error: c_int, text: *mut *const c_char) -> c_int {
    static REASON: OnceLock<CString> = OnceLock::new();
    let reason = REASON.get_or_init(|| {
        let reason = library::status().map_or_else(|error| error.to_string(), |_| String::new());
        CString::new(reason).unwrap_or_default()
    });
    if !text.is_null() {
        // SAFETY: the caller passes a place for a pointer, as the driver's
        // function asks; the text lives as long as the program.
        unsafe { text.write(reason.as_ptr()) };
    }
    0
}

pub(crate) fn missing() -> Vec<&'static str> {
    (0..COUNT)
        .filter(|&index| MISSING[index].load(Ordering::Relaxed))
        .map(|index| NAMES[index])
        .collect()
}
