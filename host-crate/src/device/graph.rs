//! Graphs: work that is recorded once and started again and again with one call
//! of the driver, which is how kernels of a few microseconds are timed and run.
//!
//! A graph names memory and code by address. So that a safe interface can offer
//! it, nothing that the device gave out is taken back while one of its graphs
//! lives: what is dropped meanwhile is kept in [`Held`] and given back with the
//! last graph.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use super::{Device, GraphHandle, HostMemory, ModuleHandle};
use crate::{Error, Result};

/// Recorded work of one device: launches, fills and copies within the device.
/// Given back when dropped.
pub struct Graph {
    device: Device,
    handle: GraphHandle,
    /// A driver does not order calls of two threads that launch the same graph: CUDA's
    /// graph objects must not be accessed by several threads at once (CUDA driver API,
    /// "Graph object thread safety", 2026-11-22).
    launching: Mutex<()>,
    // Dropped after the handle is given back.
    _hold: Hold,
}

impl Graph {
    /// Asks the device for all of the recorded work, in its order. May return
    /// before it is done; each launch has the arguments that it was recorded with,
    /// and works on what their memory holds by then. From several threads it is asked
    /// for one after the other.
    ///
    /// # Errors
    ///
    /// [`Error::Recording`] while another thread records; the driver's; a fault of a kernel shows here or in the next call that waits.
    pub fn launch(&self) -> Result<()> {
        let _alone = self
            .launching
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let backend = self.device.at_work()?;
        // SAFETY: memory and modules of the device are not given back while
        // `_hold` lives, and whoever recorded an unsafe launch vouches for its
        // repetition.
        unsafe { backend.launch_graph(self.handle) }
    }

    /// The device that it was recorded on.
    pub fn device(&self) -> &Device {
        &self.device
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: the handle is this graph's own and dies with it. A failure means
        // a lost context, in which nothing is left to give back.
        let _ = unsafe { self.device.backend().destroy_graph(self.handle) };
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph")
            .field("device", &self.device)
            .finish_non_exhaustive()
    }
}

impl Device {
    /// Whether it has graphs.
    pub fn has_graphs(&self) -> bool {
        self.backend().has_graphs()
    }

    /// Records what `work` asks of this device, without doing it, as a [`Graph`].
    ///
    /// Launches, fills and copies between buffers can be recorded. Copies from and
    /// to the host, allocations and waiting cannot: they fail, and so does the
    /// recording. What other threads ask of this device meanwhile is refused with
    /// [`Error::Recording`], another recording among it, and is not in the graph.
    /// Buffers and modules that are dropped while the graph lives are given back
    /// with the device's last graph.
    ///
    /// A kernel has to be launched once before, because a driver may load its code
    /// at the first launch, which it cannot do while it records. One whose part of the
    /// artifact is not loaded yet is [`Error::NotPrepared`]: see [`Module::prepare`](super::Module::prepare).
    ///
    /// # Errors
    ///
    /// [`Error::NoGraphs`]; [`Error::Recording`]; the first error of `work`; the
    /// driver's for work that it cannot record.
    pub fn capture(&self, work: impl FnOnce() -> Result<()>) -> Result<Graph> {
        if !self.has_graphs() {
            return Err(Error::NoGraphs {
                device: self.properties().name.clone(),
            });
        }
        let hold = Hold::new(self);
        self.begin_recording()?;
        let recording = Recording(self);
        let worked = work();
        // From here on `Recording` has nothing to end.
        std::mem::forget(recording);
        let graph = self.end_recording().map(|handle| Graph {
            device: self.clone(),
            handle,
            launching: Mutex::default(),
            _hold: hold,
        });
        worked.and(graph)
    }
}

/// Ends a recording whose work panicked.
struct Recording<'a>(&'a Device);

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        if let Ok(handle) = self.0.end_recording() {
            // SAFETY: nobody else has the handle.
            let _ = unsafe { self.0.backend().destroy_graph(handle) };
        }
    }
}

/// What a device gave out, and gets back when it is dropped.
pub(super) enum Given {
    Memory(u64),
    Host(HostMemory),
    Module(ModuleHandle),
}

/// What was dropped while a graph may use it.
#[derive(Default)]
pub(super) struct Held {
    graphs: usize,
    given: Vec<Given>,
}

/// Keeps what a device gives out from being taken back.
struct Hold(Device);

impl Hold {
    fn new(device: &Device) -> Self {
        device.held().graphs += 1;
        Hold(device.clone())
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        // Held until all is given back, which waits for the device: no recording
        // begins meanwhile.
        let mut held = self.0.held();
        held.graphs -= 1;
        if held.graphs > 0 {
            return;
        }
        for given in std::mem::take(&mut held.given) {
            self.0.give_back_now(given);
        }
    }
}

impl Device {
    fn held(&self) -> std::sync::MutexGuard<'_, Held> {
        let held = self.inner.held.lock();
        held.unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives back what was dropped, or keeps it for the graphs. A recording is a graph from
    /// before its beginning, and begins when nothing is given back. Memory of the host is kept
    /// too: a driver that takes it back waits, which a recording does not bear.
    pub(super) fn give_back(&self, given: Given) {
        let mut held = self.held();
        if held.graphs > 0 {
            held.given.push(given);
            return;
        }
        self.give_back_now(given);
    }

    fn give_back_now(&self, given: Given) {
        let backend = self.backend();
        // SAFETY: what is given back is of a buffer or a module that is gone, and comes here
        // once: nobody has its address, or the handles of its functions. A failure means a lost
        // context, in which nothing is left to give back.
        let _ = unsafe {
            match given {
                Given::Memory(address) => backend.free(address),
                Given::Host(memory) => backend.free_host(memory),
                Given::Module(module) => backend.unload(module),
            }
        };
    }
}
