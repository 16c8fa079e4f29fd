//! The shared library of `peers/functions`, loaded: values of elementary functions, added up on a
//! device's stream, beside our own kernels and timed as they are.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::path::Path;

use super::interface::{Interface, c_name};
use quadscan::Result;
use quadscan::device::{Buffer, Device};

type Sum = unsafe extern "C" fn(
    what: *const c_char,
    results: *mut c_void,
    blocks: c_uint,
    threads: c_uint,
    turns: c_uint,
    first: f64,
    apart: f64,
    step: f64,
    second: f64,
    stream: *mut c_void,
) -> c_int;

/// A peer in CUDA C++.
pub struct Peer {
    /// The library, and what it says of itself.
    pub interface: Interface,
    sum: Sum,
}

/// Which values are added up.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Blocks.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Values of each of a thread's sums.
    pub turns: u32,
    /// The first argument, how far the next sum's is, and how far the next turn's.
    pub places: [f64; 3],
    /// The second argument, of functions that have one.
    pub second: f64,
}

impl Peer {
    /// Loads a library that [`super::compiler::Build`] made. Err in one sentence.
    ///
    /// # Safety
    ///
    /// The file is such a library: its functions are those of `peers/functions/library.cu`.
    pub unsafe fn load(path: &Path) -> std::result::Result<Self, String> {
        // SAFETY: the caller's: constructors and functions are those of our source, and
        // their types.
        unsafe {
            let interface = Interface::open(path)?;
            let sum = interface.function(c"quadscan_peer_function")?;
            Ok(Peer { interface, sum })
        }
    }

    /// Asks the device's stream for the sums of a function, as a launch does: it may return before
    /// it is done, and can be recorded in a graph.
    ///
    /// # Errors
    ///
    /// [`Error::NotCuda`](quadscan::Error::NotCuda), [`Error::Peer`](quadscan::Error::Peer); the
    /// driver's.
    ///
    /// # Safety
    ///
    /// `results` is of `device`, has a number of the name's type for each thread, and lives until
    /// the work is done and, where it is recorded, as long as the graph; nothing else uses it
    /// meanwhile.
    pub unsafe fn enqueue<T: bytemuck::Pod>(
        &self,
        device: &Device,
        name: &str,
        request: &Request,
        results: &Buffer<T>,
    ) -> Result<()> {
        let what = c_name(name);
        let [first, apart, step] = request.places;
        device.with_cuda_stream(|stream| {
            // SAFETY: the caller's for the memory; the name is a C string; the stream is the
            // device's, and its context is current.
            let code = unsafe {
                (self.sum)(
                    what.as_ptr(),
                    results.address() as *mut c_void,
                    request.blocks,
                    request.threads,
                    request.turns,
                    first,
                    apart,
                    step,
                    request.second,
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

    macro_rules! names {
        ($($name:ident, $low:expr, $high:expr, $second:expr, |$x:ident, $y:ident| $value:expr;)*) => {
            [$(stringify!($name)),*]
        };
    }

    #[test]
    fn the_source_has_every_function_by_our_names() {
        let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("../peers/functions/list.inc");
        let list = std::fs::read_to_string(list).expect("the list");
        let theirs = |prefix| {
            let lines = list
                .lines()
                .filter_map(move |line| line.strip_prefix(prefix));
            lines.filter_map(|line| Some(line.split_once(',')?.0))
        };
        let ours = function_kernels::for_each_function!(names);
        assert!(theirs("FUNCTION(").eq(ours));
        let ours = function_kernels::for_each_fast_function!(names);
        assert!(theirs("FAST(").eq(ours));
    }

    #[test]
    fn what_is_no_library_is_a_reason() {
        let path = Path::new("/nonexistent/functions.so");
        // SAFETY: it has no functions.
        let reason = unsafe { Peer::load(path) }.err().unwrap_or_default();
        let start = "/nonexistent/functions.so cannot be loaded: ";
        assert!(reason.starts_with(start), "{reason}");
    }
}
