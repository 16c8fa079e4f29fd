//! Recording work of a stream into a graph that the driver can start at once.
//!
//! Functions of CUDA 11.4, which drivers of today export under the same names.

use std::ptr;

use super::driver::{Handle, call};
use crate::Result;
use crate::device::GraphHandle;

/// `CU_STREAM_CAPTURE_MODE_THREAD_LOCAL`: what other threads do on streams of their
/// own does not end the recording, and this thread cannot do what must not happen
/// meanwhile.
const THREAD_LOCAL: u32 = 1;

/// Whether the driver has the newest function that graphs need.
pub(super) fn are_there() -> bool {
    libcuda_lazy::symbol("cuGraphInstantiateWithFlags").is_ok()
}

/// Records the stream's work from now on. The context is current.
pub(super) fn begin(stream: Handle) -> Result<()> {
    // SAFETY: the stream is the current context's.
    unsafe { call!(cuStreamBeginCapture_v2(stream, THREAD_LOCAL)) }
}

/// Ends the recording and makes it a graph that can be launched.
pub(super) fn end(stream: Handle) -> Result<GraphHandle> {
    let mut graph = ptr::null_mut();
    // SAFETY: the stream is the current context's, and the result goes to a living
    // pointer.
    unsafe { call!(cuStreamEndCapture(stream, &mut graph))? };
    let mut executable = ptr::null_mut();
    // SAFETY: the graph is the one that was just made; nobody uses it after its
    // executable form is made from it.
    unsafe {
        let made = call!(cuGraphInstantiateWithFlags(&mut executable, graph, 0));
        let destroyed = call!(cuGraphDestroy(graph));
        made?;
        destroyed?;
    }
    Ok(GraphHandle(executable as u64))
}
