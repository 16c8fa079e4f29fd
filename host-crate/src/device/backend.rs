//! What a device must be able to do, in bytes and handles.
//!
//! Object safe, so that a [`Device`](super::Device) holds any of them. All
//! checks of sizes, types and owners are made before a backend is called; it
//! makes none. Work happens in order, as on one stream.

use std::ffi::c_void;

use super::{Counts, DeviceProperties, FunctionAttributes, HostMemory, LaunchConfig, MemoryInfo};
use crate::{Error, Result};

/// A loaded module of a backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModuleHandle(pub u64);

/// A kernel of a loaded module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionHandle(pub u64);

/// An event of a backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EventHandle(pub u64);

/// A graph of a backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GraphHandle(pub u64);

/// Code to load.
#[derive(Clone, Copy, Debug)]
pub enum Image<'a> {
    /// PTX text.
    Ptx(&'a str),
    /// A cubin or fat binary.
    Cubin(&'a [u8]),
}

/// A device in bytes and handles.
///
/// Handles and addresses are valid for the backend that gave them, until they
/// are given back. `Drop` of a backend gives back what is left.
pub trait Backend: Send + Sync {
    /// What the device is and what it allows.
    fn properties(&self) -> &DeviceProperties;

    /// Bytes free and in all.
    fn memory_info(&self) -> Result<MemoryInfo>;

    /// The address of `bytes` new bytes (at least 1), aligned to 256.
    fn alloc(&self, bytes: usize) -> Result<u64>;

    /// Gives memory back once the work that was asked for before is done.
    ///
    /// # Safety
    ///
    /// `address` comes from this backend's [`Backend::alloc`], was not freed
    /// before, and is not used after.
    unsafe fn free(&self, address: u64) -> Result<()>;

    /// `bytes` new bytes (at least 1) of the host, initialised, from and to which the
    /// device copies at its full rate; ordinary memory where there is no difference.
    fn alloc_host(&self, bytes: usize) -> Result<HostMemory> {
        HostMemory::ordinary(bytes)
    }

    /// Whether kernels access the memory that [`Backend::alloc_host`] gives, at its address on the host.
    fn maps_host_memory(&self) -> bool {
        false
    }

    /// Gives memory of the host back.
    ///
    /// # Safety
    ///
    /// It comes from this backend's [`Backend::alloc_host`], and nobody uses it.
    unsafe fn free_host(&self, memory: HostMemory) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { memory.give_back_ordinary() };
        Ok(())
    }

    /// Copies to the device; returns when `source` may be changed again.
    ///
    /// # Safety
    ///
    /// `address` to `address + source.len()` lies within one living allocation.
    unsafe fn write(&self, address: u64, source: &[u8]) -> Result<()>;

    /// As [`Backend::write`], from memory that [`Backend::alloc_host`] gave; may return before it is copied.
    ///
    /// # Safety
    ///
    /// As [`Backend::write`]; `source` is neither changed nor given back until the work that was asked
    /// for is done.
    unsafe fn write_later(&self, address: u64, source: &[u8]) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { self.write(address, source) }
    }

    /// Copies from the device, after the work that was asked for before;
    /// returns when `target` is filled.
    ///
    /// # Safety
    ///
    /// `address` to `address + target.len()` lies within one living allocation.
    unsafe fn read(&self, address: u64, target: &mut [u8]) -> Result<()>;

    /// Sets `bytes` bytes to `value`.
    ///
    /// # Safety
    ///
    /// `address` to `address + bytes` lies within one living allocation.
    unsafe fn fill(&self, address: u64, value: u8, bytes: usize) -> Result<()>;

    /// Copies within the device.
    ///
    /// # Safety
    ///
    /// Both ranges of `bytes` bytes lie within living allocations and do not overlap.
    unsafe fn copy(&self, source: u64, target: u64, bytes: usize) -> Result<()>;

    /// Loads code.
    fn load(&self, image: Image<'_>) -> Result<ModuleHandle>;

    /// Unloads code.
    ///
    /// # Safety
    ///
    /// Neither the module nor its functions are used after.
    unsafe fn unload(&self, module: ModuleHandle) -> Result<()>;

    /// Finds a kernel by its entry name.
    fn function(&self, module: ModuleHandle, entry: &str) -> Result<FunctionHandle>;

    /// What a kernel takes up.
    fn attributes(&self, function: FunctionHandle) -> Result<FunctionAttributes>;

    /// Allows a kernel up to `bytes` bytes of dynamic shared memory.
    fn allow_dynamic_shared(&self, function: FunctionHandle, bytes: u32) -> Result<()>;

    /// Blocks of a kernel that the device holds at once, of so many threads and bytes of
    /// dynamic shared memory each, which the kernel is allowed.
    fn resident_blocks(&self, function: FunctionHandle, threads: u32, shared: u32) -> Result<u32>;

    /// Starts a kernel; each of `parameters` holds the bytes of one `.param`.
    /// May return before the kernel is done; a fault of it is the error of this
    /// call or of a later one that waits, and then of every call after it. The blocks
    /// of a cooperative launch are no more than are resident at once; a programmatic
    /// one may be made an ordinary one.
    ///
    /// # Safety
    ///
    /// The parameters are those of the kernel in number, size and meaning, and
    /// the kernel is sound for them and for this configuration.
    unsafe fn launch(
        &self,
        function: FunctionHandle,
        config: &LaunchConfig,
        parameters: &[&[u8]],
    ) -> Result<()>;

    /// What devices have in common that reach each other's memory by themselves, and whose launches
    /// that wait for each other have to be asked of one of them ([`Backend::launch_among`]): the
    /// same number. `None` for devices that are asked one by one.
    fn family(&self) -> Option<usize> {
        None
    }

    /// As [`Backend::launch`], on this device and, with `peers` as its parameters, on others of its
    /// [`family`](Backend::family) at the same time.
    ///
    /// # Safety
    ///
    /// As [`Backend::launch`], for every device.
    unsafe fn launch_among(
        &self,
        function: FunctionHandle,
        config: &LaunchConfig,
        parameters: &[&[u8]],
        peers: &[Vec<&[u8]>],
    ) -> Result<()> {
        debug_assert!(peers.is_empty(), "this device has no family");
        // SAFETY: the caller's.
        unsafe { self.launch(function, config, parameters) }
    }

    /// Lets kernels of this device access the memory of the device of the same kind that has the
    /// number `ordinal`; false where it cannot be reached.
    fn reach(&self, ordinal: u32) -> Result<bool> {
        Ok(ordinal == self.properties().ordinal)
    }

    /// Waits until all work is done.
    fn synchronize(&self) -> Result<()>;

    /// Makes an event.
    fn create_event(&self) -> Result<EventHandle>;

    /// Gives an event back.
    ///
    /// # Safety
    ///
    /// The event is not used after.
    unsafe fn destroy_event(&self, event: EventHandle) -> Result<()>;

    /// Marks the end of the work asked for so far.
    fn record_event(&self, event: EventHandle) -> Result<()>;

    /// Waits until the recorded mark is reached.
    fn synchronize_event(&self, event: EventHandle) -> Result<()>;

    /// Milliseconds on the device between two reached marks;
    /// [`Error::NoTimer`](crate::Error::NoTimer) on a device that has no time.
    fn elapsed_ms(&self, start: EventHandle, end: EventHandle) -> Result<f64>;

    /// The same device with another stream of work, whose events are on the same
    /// clock; [`Error::OneStream`](crate::Error::OneStream) on a device that does one
    /// thing after the other.
    fn another_stream(&self) -> Result<Box<dyn Backend>> {
        Err(Error::OneStream {
            device: self.properties().name.clone(),
        })
    }

    /// The stream as libraries in CUDA C++ know it (a `CUstream`, which is their
    /// `cudaStream_t`), once its context is current on this thread;
    /// [`Error::NotCuda`](crate::Error::NotCuda) on a device of another kind.
    fn cuda_stream(&self) -> Result<*mut c_void> {
        Err(Error::NotCuda {
            device: self.properties().name.clone(),
        })
    }

    /// Makes what `then` is given from now on wait for what `first` was given so far.
    ///
    /// # Safety
    ///
    /// Both are streams as [`Backend::cuda_stream`] gives them, `first` of this device and `then` of
    /// any, or null for this one's default stream.
    unsafe fn order_streams(&self, first: *mut c_void, then: *mut c_void) -> Result<()> {
        let _ = (first, then);
        self.cuda_stream().map(drop)
    }

    /// Whether work can be recorded into graphs.
    fn has_graphs(&self) -> bool {
        false
    }

    /// From now on launches, fills and copies within the device are recorded and
    /// not done; copies from and to the host and waiting fail.
    /// [`Error::NoGraphs`] on a device that has none.
    fn begin_capture(&self) -> Result<()> {
        Err(no_graphs(self.properties()))
    }

    /// Ends the recording, whatever became of it: what was recorded, or why it
    /// cannot be used.
    fn end_capture(&self) -> Result<GraphHandle> {
        Err(no_graphs(self.properties()))
    }

    /// Asks for all of the recorded work.
    ///
    /// # Safety
    ///
    /// Memory and functions that the recorded work uses are alive, and each
    /// recorded launch is sound now as [`Backend::launch`] demands.
    unsafe fn launch_graph(&self, graph: GraphHandle) -> Result<()> {
        let _ = graph;
        Err(no_graphs(self.properties()))
    }

    /// Gives a graph back.
    ///
    /// # Safety
    ///
    /// The graph is not used after.
    unsafe fn destroy_graph(&self, graph: GraphHandle) -> Result<()> {
        let _ = graph;
        Err(no_graphs(self.properties()))
    }

    /// Its place on the PCI bus, such as `0000:1b:00.0`, where it has one.
    fn pci_bus_id(&self) -> Option<&str> {
        None
    }

    /// What the kernels did that ended well since the last call; `None` on a
    /// device that does not count.
    fn take_counts(&self) -> Option<Counts> {
        None
    }
}

fn no_graphs(properties: &DeviceProperties) -> Error {
    Error::NoGraphs {
        device: properties.name.clone(),
    }
}
