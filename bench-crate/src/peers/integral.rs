//! The shared library of `peers/integrate`, loaded: one integral by a composite rule, on a
//! device's stream, beside our own kernel and timed as it is.

use std::ffi::{c_char, c_int, c_void};
use std::path::Path;

use super::interface::{Interface, c_name};
use quadscan::Result;
use quadscan::device::{Buffer, Device};
use quadscan::integrate::{Parameters, Real};

type ScratchBytes = unsafe extern "C" fn(*mut usize) -> c_int;
type Integrate = unsafe extern "C" fn(
    what: *const c_char,
    scratch: *mut c_void,
    from: f64,
    to: f64,
    parameters: *const f64,
    output: *mut c_void,
    strips: u64,
    stream: *mut c_void,
) -> c_int;

/// A peer in CUDA C++.
pub struct Peer {
    /// The library, and what it says of itself.
    pub interface: Interface,
    scratch: ScratchBytes,
    integrate: Integrate,
}

/// An integral.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// From where to where.
    pub limits: (f64, f64),
    /// The integrand's; those that it does not have are 0.
    pub parameters: Parameters<f64>,
    /// Strips.
    pub strips: u64,
}

impl Peer {
    /// Loads a library that [`super::compiler::Build`] made. Err in one sentence.
    ///
    /// # Safety
    ///
    /// The file is such a library: its functions are those of `peers/integrate/library.cu`.
    pub unsafe fn load(path: &Path) -> std::result::Result<Self, String> {
        // SAFETY: the caller's: constructors and functions are those of our source, and
        // their types.
        unsafe {
            let interface = Interface::open(path)?;
            let scratch = interface.function(c"quadscan_peer_scratch")?;
            let integrate = interface.function(c"quadscan_peer_integrate")?;
            Ok(Peer {
                interface,
                scratch,
                integrate,
            })
        }
    }

    /// The integral of an integrand by a rule, as it is called there, if it has it.
    pub fn integral<R: Real>(&self, integrand: &str, rule: &str) -> Option<String> {
        let name = format!("{integrand}_{}_{rule}", R::TYPE_NAME);
        self.interface.has(&name).then_some(name)
    }

    /// Scratch memory for calls one after the other.
    ///
    /// # Errors
    ///
    /// [`Error::NotCuda`](quadscan::Error::NotCuda),
    /// [`Error::Peer`](quadscan::Error::Peer); the driver's.
    pub fn scratch(&self, device: &Device) -> Result<Buffer<u8>> {
        let mut bytes = 0;
        device.with_cuda_stream(|_| {
            // SAFETY: the result goes to a living integer; the device's context is current.
            let code = unsafe { (self.scratch)(&mut bytes) };
            self.interface.check("scratch memory", code)
        })?;
        device.alloc_zeroed(bytes)
    }

    /// Asks the device's stream for the integral of this [name](Peer::integral), as a launch
    /// does: it may return before it is done, and can be recorded in a graph.
    ///
    /// # Errors
    ///
    /// As [`Peer::scratch`].
    ///
    /// # Safety
    ///
    /// `scratch` is of [`Peer::scratch`], both buffers are of `device` and live until the
    /// work is done and, where it is recorded, as long as the graph; nothing else uses them
    /// meanwhile. `R` is the name's, and `output` has a number.
    pub unsafe fn enqueue<R: Real>(
        &self,
        device: &Device,
        name: &str,
        scratch: &Buffer<u8>,
        request: &Request,
        output: &Buffer<R>,
    ) -> Result<()> {
        let what = c_name(name);
        device.with_cuda_stream(|stream| {
            // SAFETY: the caller's for the memory; the name is a C string and the parameters
            // are as many as the library reads before it returns; the stream is the device's,
            // and its context is current.
            let code = unsafe {
                (self.integrate)(
                    what.as_ptr(),
                    scratch.address() as *mut c_void,
                    request.limits.0,
                    request.limits.1,
                    request.parameters.as_ptr(),
                    output.address() as *mut c_void,
                    request.strips,
                    stream,
                )
            };
            self.interface.check(name, code)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::integrals::single::Single;
    use quadscan::integrate::names::rule_by_name;
    use std::fs;

    fn source(name: &str) -> String {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../peers/integrate");
        fs::read_to_string(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    #[test]
    fn the_source_has_every_integrand_and_rules_by_our_names() {
        let library = source("library.cu");
        for single in Single::ALL {
            let text = source(&format!("{}.cu", single.name));
            assert!(
                text.contains(&format!("INTEGRAND({},", single.name)),
                "{text}"
            );
            assert!(library.contains(&format!("peer::{}()", single.name)));
        }
        let header = source("peer.cuh");
        let names = header.split("*name = \"").skip(1);
        let rules: Vec<_> = names
            .filter_map(|rest| rest.split('"').next())
            .map(|name| rule_by_name(name).unwrap_or_else(|| panic!("{name}")))
            .collect();
        assert_eq!(rules.len(), 6);
    }

    #[test]
    fn what_is_no_library_is_a_reason() {
        let path = Path::new("/nonexistent/integrate.so");
        // SAFETY: it has no functions.
        let reason = unsafe { Peer::load(path) }.err().unwrap_or_default();
        let start = "/nonexistent/integrate.so cannot be loaded: ";
        assert!(reason.starts_with(start), "{reason}");
    }
}
