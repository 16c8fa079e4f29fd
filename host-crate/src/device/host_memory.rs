//! Memory of the host as a backend gives it out, in bytes. What a program holds of it is
//! [`HostBuffer`](super::HostBuffer).

use std::alloc::{self, Layout};
use std::ptr::NonNull;

use crate::{Error, Result};

/// Bytes that host memory is aligned to, at least.
pub(super) const ALIGNMENT: usize = 4096;

/// Memory of the host that a backend gave out: `bytes` initialised bytes at `start`,
/// which is aligned to 4096.
#[derive(Debug)]
pub struct HostMemory {
    /// The first byte.
    pub start: NonNull<u8>,
    /// How many there are, at least 1.
    pub bytes: usize,
}

// SAFETY: it is an address of memory that belongs to no thread.
unsafe impl Send for HostMemory {}
// SAFETY: as above; nothing is accessed through a shared one.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    /// Ordinary memory, for devices whose memory is the host's; every byte zero.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfHostMemory`].
    pub fn ordinary(bytes: usize) -> Result<Self> {
        let full = || Error::OutOfHostMemory { wanted: bytes };
        let layout = Layout::from_size_align(bytes.max(1), ALIGNMENT).map_err(|_| full())?;
        // SAFETY: the layout is of at least one byte.
        let start = NonNull::new(unsafe { alloc::alloc_zeroed(layout) }).ok_or_else(full)?;
        let bytes = layout.size();
        Ok(Self { start, bytes })
    }

    /// Gives it back.
    ///
    /// # Safety
    ///
    /// It comes from [`HostMemory::ordinary`], and nobody uses it.
    pub unsafe fn give_back_ordinary(self) {
        if let Ok(layout) = Layout::from_size_align(self.bytes, ALIGNMENT) {
            // SAFETY: the caller's, and the layout is the one that it was made with.
            unsafe { alloc::dealloc(self.start.as_ptr(), layout) }
        }
    }
}
