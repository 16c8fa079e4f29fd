//! The CUDA context that is current on a thread, which is what other packages take their device
//! from: it is the same after a call as before.

use std::ffi::c_void;
use std::ptr;

// Links the definitions of the functions declared below.
use libcuda_lazy as _;

unsafe extern "C" {
    fn cuCtxGetCurrent(context: *mut *mut c_void) -> u32;
    fn cuCtxSetCurrent(context: *mut c_void) -> u32;
}

/// Makes the context current again that was so when this was made.
pub(crate) struct Kept(usize);

impl Kept {
    /// The current context; none before the driver is initialised.
    pub(crate) fn new() -> Self {
        let mut context = ptr::null_mut();
        // SAFETY: the result goes to a living pointer, and stays null where there is none.
        let _ = unsafe { cuCtxGetCurrent(&mut context) };
        Self(context as usize)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        // SAFETY: a context that was current a moment ago, or null, which is none. Without a
        // driver there is nothing to restore.
        let _ = unsafe { cuCtxSetCurrent(self.0 as *mut c_void) };
    }
}
