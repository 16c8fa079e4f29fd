//! What LLVM cannot go on from: it ends this process, and says of what it could not, but
//! not which kernels it was about. Here it ends with both.
//!
//! LLVM's handler must not return, and nothing can unwind through LLVM, so no error can
//! be made of it.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int};

thread_local! {
    /// The kernels that this thread has LLVM work on.
    static KERNELS: RefCell<String> = const { RefCell::new(String::new()) };
}

unsafe extern "C" {
    /// Ends the process at once. LLVM works on other threads, and what runs when a
    /// program exits would take it from under them.
    safe fn _exit(code: c_int) -> !;
}

/// Says for which kernels LLVM does what this thread asks of it next.
pub(crate) fn about(kernels: String) {
    KERNELS.set(kernels);
}

/// Prints one sentence and ends the process as a failed build.
///
/// # Safety
///
/// `reason` is a C string: LLVM calls this, with its own.
pub(super) unsafe extern "C" fn handler(reason: *const c_char) {
    // SAFETY: the caller's.
    let reason = unsafe { CStr::from_ptr(reason) }.to_string_lossy();
    let kernels = KERNELS.take();
    eprintln!(
        "error: LLVM cannot generate code for {kernels}: {reason}; something in them is nothing that a GPU does, such as arithmetic in f128: leave it away"
    );
    _exit(1)
}
