//! The CUDA driver as a backend: `cust` for devices, the context and the
//! stream, the driver's functions for what `cust` lacks or whose codes it drops.
//!
//! One primary context and one stream a backend. Every call makes the context
//! current first, so a backend may be used from any thread.

mod driver;
mod graph;
mod launch;
mod load;
mod peers;
mod query;

use std::ffi::{CString, c_int, c_void};
use std::ptr::{self, NonNull};

use cust::context::Context;
use cust::stream::{Stream, StreamFlags};

use self::driver::{Handle, call};
use self::launch::Extensible;
pub(super) use self::query::count;
use super::{
    Backend, DeviceProperties, EventHandle, FunctionAttributes, FunctionHandle, GraphHandle,
    HostMemory, Image, LaunchConfig, MemoryInfo, ModuleHandle,
};
use crate::{Error, Result};

/// A CUDA device with its context and one stream.
pub(super) struct Cuda {
    properties: DeviceProperties,
    bus_id: String,
    extensible: Option<Extensible>,
    // Dropped in this order: the stream is the context's.
    stream: Stream,
    context: Context,
}

/// Of the CUDA device with this number, which is not opened.
pub(super) fn compute_capability(ordinal: u32) -> Result<(u32, u32)> {
    query::compute_capability(query::find(ordinal)?)
}

impl Cuda {
    /// Opens the CUDA device with this number.
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] with one sentence that says why.
    pub(super) fn open(ordinal: u32) -> Result<Self> {
        let device = query::find(ordinal)?;
        let properties = query::properties(device, ordinal)?;
        let bus_id = query::bus_id(device)?;
        let mut retained = ptr::null_mut();
        // A device in exclusive use answers a code that cust's enum cannot
        // hold: ask once with a plain integer.
        // SAFETY: the device exists, the result goes to a living pointer, and
        // the retained context is released once cust holds its own reference.
        let context = unsafe {
            call!(cuDevicePrimaryCtxRetain(&mut retained, device.as_raw())).map_err(busy)?;
            let context = Context::new(device);
            let released = call!(cuDevicePrimaryCtxRelease_v2(device.as_raw()));
            let context = context.map_err(driver::cust_error("cuDevicePrimaryCtxRetain"))?;
            released.map(|()| context)?
        };
        let stream = Stream::new(StreamFlags::DEFAULT, None)
            .map_err(driver::cust_error("cuStreamCreateWithPriority"))?;
        let extensible = Extensible::find(properties.driver_version);
        Ok(Self {
            properties,
            bus_id,
            extensible,
            stream,
            context,
        })
    }

    /// Makes the context current on this thread, and gives the stream.
    fn enter(&self) -> Result<Handle> {
        // SAFETY: the context lives as long as `self`.
        unsafe { call!(cuCtxSetCurrent(self.context.as_raw().cast()))? };
        Ok(self.stream.as_inner().cast())
    }
}

/// A device that is there, but cannot be used.
fn busy(error: Error) -> Error {
    match error {
        Error::Driver {
            code, name, text, ..
        } if code != driver::OUT_OF_MEMORY => Error::NoDevice {
            reason: format!("the GPU cannot be used now: {name} ({code}): {text}"),
        },
        other => other,
    }
}

impl Backend for Cuda {
    fn properties(&self) -> &DeviceProperties {
        &self.properties
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        self.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: both results go to living integers.
        unsafe { call!(cuMemGetInfo_v2(&mut free, &mut total))? };
        Ok(MemoryInfo {
            free: free as u64,
            total: total as u64,
        })
    }

    fn alloc(&self, bytes: usize) -> Result<u64> {
        self.enter()?;
        let mut address = 0;
        // SAFETY: the result goes to a living integer.
        match unsafe { call!(cuMemAlloc_v2(&mut address, bytes)) } {
            Ok(()) => Ok(address),
            Err(Error::Driver { code, .. }) if code == driver::OUT_OF_MEMORY => {
                Err(Error::OutOfMemory {
                    wanted: bytes as u64,
                    free: self.memory_info()?.free,
                    device: self.properties.name.clone(),
                })
            }
            Err(error) => Err(error),
        }
    }

    unsafe fn free(&self, address: u64) -> Result<()> {
        // Work on the stream may still use the memory. A failure to wait means
        // a lost context, which no longer runs anything.
        let waited = self.synchronize();
        // SAFETY: the caller's: an address of `alloc`, not freed before.
        unsafe { call!(cuMemFree_v2(address))? };
        waited
    }

    fn alloc_host(&self, bytes: usize) -> Result<HostMemory> {
        self.enter()?;
        let mut start = ptr::null_mut();
        // SAFETY: the result goes to a living pointer.
        let code = unsafe { driver::cuMemHostAlloc(&mut start, bytes, 0) };
        let full = Error::OutOfHostMemory { wanted: bytes };
        match NonNull::new(start.cast::<u8>()) {
            _ if code == driver::OUT_OF_MEMORY => Err(full),
            _ if code != 0 => Err(driver::error("cuMemHostAlloc", code)),
            None => Err(full),
            Some(start) => {
                // SAFETY: the driver gave so many bytes, which nobody else knows.
                unsafe { start.write_bytes(0, bytes) };
                Ok(HostMemory { start, bytes })
            }
        }
    }

    /// Where addresses are unified, which they are on all systems of 64 bits that GPUs since compute
    /// capability 7.5 are in.
    fn maps_host_memory(&self) -> bool {
        true
    }

    unsafe fn free_host(&self, memory: HostMemory) -> Result<()> {
        self.enter()?;
        // SAFETY: the caller's: memory of `alloc_host`, not used after.
        unsafe { call!(cuMemFreeHost(memory.start.as_ptr().cast())) }
    }

    unsafe fn write(&self, address: u64, source: &[u8]) -> Result<()> {
        // SAFETY: the caller's for the target; the source is a living slice,
        // which is not read any more after the synchronisation.
        unsafe { self.write_later(address, source)? };
        self.synchronize()
    }

    unsafe fn write_later(&self, address: u64, source: &[u8]) -> Result<()> {
        let stream = self.enter()?;
        let (from, bytes) = (source.as_ptr().cast(), source.len());
        // SAFETY: the caller's.
        unsafe { call!(cuMemcpyHtoDAsync_v2(address, from, bytes, stream)) }
    }

    unsafe fn read(&self, address: u64, target: &mut [u8]) -> Result<()> {
        let stream = self.enter()?;
        // SAFETY: the caller's for the source; the target is a living slice,
        // which is not written any more after the synchronisation.
        unsafe {
            call!(cuMemcpyDtoHAsync_v2(
                target.as_mut_ptr().cast(),
                address,
                target.len(),
                stream
            ))?;
        }
        self.synchronize()
    }

    unsafe fn fill(&self, address: u64, value: u8, bytes: usize) -> Result<()> {
        let stream = self.enter()?;
        // SAFETY: the caller's.
        unsafe { call!(cuMemsetD8Async(address, value, bytes, stream)) }
    }

    unsafe fn copy(&self, source: u64, target: u64, bytes: usize) -> Result<()> {
        let stream = self.enter()?;
        // SAFETY: the caller's.
        unsafe { call!(cuMemcpyDtoDAsync_v2(target, source, bytes, stream)) }
    }

    fn load(&self, image: Image<'_>) -> Result<ModuleHandle> {
        self.enter()?;
        load::image(image)
    }

    unsafe fn unload(&self, module: ModuleHandle) -> Result<()> {
        // A kernel of the module may still run.
        let waited = self.synchronize();
        // SAFETY: the caller's: a module of `load`, not used after.
        unsafe { call!(cuModuleUnload(module.0 as Handle))? };
        waited
    }

    fn function(&self, module: ModuleHandle, entry: &str) -> Result<FunctionHandle> {
        self.enter()?;
        let name = CString::new(entry).map_err(|_| Error::unknown_kernel(entry))?;
        let mut function = ptr::null_mut();
        // SAFETY: the module is loaded, the name is a C string, and the result
        // goes to a living pointer.
        let found = unsafe {
            call!(cuModuleGetFunction(
                &mut function,
                module.0 as Handle,
                name.as_ptr()
            ))
        };
        match found {
            Ok(()) => Ok(FunctionHandle(function as u64)),
            Err(Error::Driver { code, .. }) if code == driver::NOT_FOUND => {
                Err(Error::unknown_kernel(entry))
            }
            Err(error) => Err(error),
        }
    }

    fn attributes(&self, function: FunctionHandle) -> Result<FunctionAttributes> {
        self.enter()?;
        query::attributes(function.0 as Handle)
    }

    fn allow_dynamic_shared(&self, function: FunctionHandle, bytes: u32) -> Result<()> {
        use cust::sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        self.enter()?;
        // SAFETY: the function's module is loaded.
        unsafe {
            call!(cuFuncSetAttribute(
                function.0 as Handle,
                CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as u32,
                c_int::try_from(bytes).unwrap_or(c_int::MAX),
            ))
        }
    }

    fn resident_blocks(&self, function: FunctionHandle, threads: u32, shared: u32) -> Result<u32> {
        self.enter()?;
        let each = query::resident_blocks(function.0 as Handle, threads, shared)?;
        Ok(each.saturating_mul(self.properties.sm_count))
    }

    unsafe fn launch(
        &self,
        function: FunctionHandle,
        config: &LaunchConfig,
        parameters: &[&[u8]],
    ) -> Result<()> {
        let stream = self.enter()?;
        let function = function.0 as Handle;
        let (device, extensible) = (&self.properties, self.extensible);
        // SAFETY: the caller's.
        unsafe { launch::launch(function, stream, config, parameters, device, extensible) }
    }

    fn reach(&self, ordinal: u32) -> Result<bool> {
        self.enter()?;
        peers::reach(self.properties.ordinal, ordinal)
    }

    fn synchronize(&self) -> Result<()> {
        let stream = self.enter()?;
        // SAFETY: the stream lives as long as `self`.
        unsafe { call!(cuStreamSynchronize(stream)) }
    }

    fn create_event(&self) -> Result<EventHandle> {
        self.enter()?;
        let mut event = ptr::null_mut();
        // SAFETY: the result goes to a living pointer.
        unsafe { call!(cuEventCreate(&mut event, 0))? };
        Ok(EventHandle(event as u64))
    }

    unsafe fn destroy_event(&self, event: EventHandle) -> Result<()> {
        self.enter()?;
        // SAFETY: the caller's: an event of `create_event`, not used after.
        unsafe { call!(cuEventDestroy_v2(event.0 as Handle)) }
    }

    fn record_event(&self, event: EventHandle) -> Result<()> {
        let stream = self.enter()?;
        // SAFETY: event and stream are of this context.
        unsafe { call!(cuEventRecord(event.0 as Handle, stream)) }
    }

    fn synchronize_event(&self, event: EventHandle) -> Result<()> {
        self.enter()?;
        // SAFETY: the event is of this context.
        unsafe { call!(cuEventSynchronize(event.0 as Handle)) }
    }

    fn elapsed_ms(&self, start: EventHandle, end: EventHandle) -> Result<f64> {
        self.enter()?;
        let mut ms = 0.0;
        // SAFETY: the events are of this context, and the result goes to a
        // living number.
        unsafe {
            call!(cuEventElapsedTime(
                &mut ms,
                start.0 as Handle,
                end.0 as Handle
            ))?;
        }
        Ok(ms.into())
    }

    /// The context is the device's primary one, so that events of both are in it.
    /// cust makes streams without `NON_BLOCKING`: they wait for work on the legacy
    /// default stream, to which this file gives none, and not for each other.
    fn another_stream(&self) -> Result<Box<dyn Backend>> {
        Ok(Box::new(Cuda::open(self.properties.ordinal)?))
    }

    fn cuda_stream(&self) -> Result<*mut c_void> {
        self.enter()
    }

    unsafe fn order_streams(&self, first: *mut c_void, then: *mut c_void) -> Result<()> {
        self.enter()?;
        let mut event = ptr::null_mut();
        // SAFETY: the result goes to a living pointer; the streams are the caller's. An event
        // that is waited for may be destroyed.
        unsafe {
            call!(cuEventCreate(&mut event, driver::EVENT_WITHOUT_TIME))?;
            let recorded = call!(cuEventRecord(event, first));
            let ordered = recorded.and_then(|()| call!(cuStreamWaitEvent(then, event, 0)));
            call!(cuEventDestroy_v2(event)).and(ordered)
        }
    }

    fn has_graphs(&self) -> bool {
        graph::are_there()
    }

    fn begin_capture(&self) -> Result<()> {
        graph::begin(self.enter()?)
    }

    fn end_capture(&self) -> Result<GraphHandle> {
        graph::end(self.enter()?)
    }

    unsafe fn launch_graph(&self, graph: GraphHandle) -> Result<()> {
        let stream = self.enter()?;
        // SAFETY: the caller's: a graph of `end_capture` whose memory and
        // functions are alive.
        unsafe { call!(cuGraphLaunch(graph.0 as Handle, stream)) }
    }

    unsafe fn destroy_graph(&self, graph: GraphHandle) -> Result<()> {
        self.enter()?;
        // SAFETY: the caller's: a graph of `end_capture`, not used after. The driver
        // waits for launches of it that are under way.
        unsafe { call!(cuGraphExecDestroy(graph.0 as Handle)) }
    }

    fn pci_bus_id(&self) -> Option<&str> {
        Some(&self.bus_id)
    }
}

impl Drop for Cuda {
    fn drop(&mut self) {
        // The stream is destroyed next, which needs its context. Where that is
        // lost there is nothing left to destroy.
        let _ = self.enter();
    }
}
