//! The shared library of `peers/scan`, loaded: its operations on a device's stream,
//! beside our own kernels and timed as they are.

use std::ffi::{c_char, c_int, c_void};
use std::path::Path;

use super::interface::{Interface, c_name};
use crate::workload::memory::Call;
use crate::workload::operation::Operation;
use quadscan::Result;
use quadscan::device::Device;

type Scratch = unsafe extern "C" fn(*const c_char, u64, u64, *mut usize) -> c_int;
type Run = unsafe extern "C" fn(
    what: *const c_char,
    scratch: *mut c_void,
    bytes: usize,
    input: *const c_void,
    keys_or_offsets: *const c_void,
    output: *mut c_void,
    n: u64,
    segments: u64,
    stream: *mut c_void,
) -> c_int;

/// A peer in CUDA C++.
pub struct Peer {
    /// The library, and what it says of itself.
    pub interface: Interface,
    scratch: Scratch,
    run: Run,
}

impl Peer {
    /// Loads a library that [`super::compiler::Build`] made. Err in one sentence.
    ///
    /// # Safety
    ///
    /// The file is such a library: its functions are those of `peers/scan/library.cu`.
    pub unsafe fn load(path: &Path) -> std::result::Result<Self, String> {
        // SAFETY: the caller's: constructors and functions are those of our source, and
        // their types.
        unsafe {
            let interface = Interface::open(path)?;
            let scratch = interface.function(c"quadscan_peer_scratch")?;
            let run = interface.function(c"quadscan_peer_run")?;
            Ok(Peer {
                interface,
                scratch,
                run,
            })
        }
    }

    /// Whether it has an operation.
    pub fn has(&self, operation: Operation) -> bool {
        self.interface.has(&operation.to_string())
    }

    /// Bytes of scratch memory that an operation needs on `device`, at least 1.
    ///
    /// # Errors
    ///
    /// [`Error::NotCuda`](quadscan::Error::NotCuda); [`Error::Peer`](quadscan::Error::Peer) for an
    /// operation that it has not; the
    /// driver's.
    pub fn scratch_bytes(
        &self,
        device: &Device,
        operation: Operation,
        n: u64,
        segments: u64,
    ) -> Result<usize> {
        let what = operation.to_string();
        let name = c_name(&what);
        let mut bytes = 0;
        device.with_cuda_stream(|_| {
            // SAFETY: the name is a C string and the result goes to a living integer;
            // the device's context is current.
            let code = unsafe { (self.scratch)(name.as_ptr(), n, segments, &mut bytes) };
            self.interface.check(&what, code)
        })?;
        Ok(bytes)
    }

    /// Asks the device's stream for an operation, as a launch does: it may return
    /// before the operation is done, and can be recorded in a graph once it ran before.
    ///
    /// # Errors
    ///
    /// As [`Peer::scratch_bytes`].
    ///
    /// # Safety
    ///
    /// The addresses are of the device's memory, aligned to their elements; the
    /// arrays have the sizes of [`Operation::sizes`] and do not overlap, but for a
    /// scan in place; `scratch` has as many bytes as [`Peer::scratch_bytes`] says for
    /// the same operation, and nothing else uses it meanwhile; offsets are
    /// as [`Call`] says. All of it lives until the work is done and, where it is
    /// recorded, as long as the graph.
    pub unsafe fn enqueue(
        &self,
        device: &Device,
        operation: Operation,
        (scratch, bytes): (u64, usize),
        call: Call,
    ) -> Result<()> {
        let what = operation.to_string();
        let name = c_name(&what);
        device.with_cuda_stream(|stream| {
            // SAFETY: the caller's for the memory; the stream is the device's, and its
            // context is current.
            let code = unsafe {
                (self.run)(
                    name.as_ptr(),
                    scratch as *mut c_void,
                    bytes,
                    call.input as *const c_void,
                    call.keys_or_offsets as *const c_void,
                    call.output as *mut c_void,
                    call.n,
                    call.segments,
                    stream,
                )
            };
            self.interface.check(&what, code)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_library_is_a_reason() {
        let folder = tempfile::tempdir().unwrap_or_else(|e| panic!("{e}"));
        let path = folder.path().join("scan.so");
        assert!(std::fs::write(&path, "text").is_ok());
        for path in [path, folder.path().join("nowhere.so")] {
            // SAFETY: neither has functions.
            let reason = unsafe { Peer::load(&path) }.err().unwrap_or_default();
            let start = format!("{} cannot be loaded: ", path.display());
            assert!(reason.starts_with(&start), "{reason}");
        }
    }
}
