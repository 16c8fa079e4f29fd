//! The driver's functions that the backend calls, and its codes as errors.
//!
//! `cust_raw` declares the results as Rust enums of the codes of CUDA 11; a
//! newer driver answers codes beyond them, which such an enum must not hold.
//! So the calls whose code matters are declared here, with plain integers.
//! `libcuda-lazy` defines the functions.

use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};
use std::ptr;

// Links the definitions of the functions declared below.
use libcuda_lazy as _;

use crate::{Error, Result};

/// `CUDA_ERROR_OUT_OF_MEMORY`.
pub(super) const OUT_OF_MEMORY: u32 = 2;
/// `CUDA_ERROR_NO_DEVICE`.
pub(super) const NO_DEVICE: u32 = 100;
/// `CU_EVENT_DISABLE_TIMING`.
pub(super) const EVENT_WITHOUT_TIME: c_uint = 2;
/// `CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED`.
pub(super) const PEER_ACCESS_ENABLED: u32 = 704;
/// `CUDA_ERROR_PEER_ACCESS_UNSUPPORTED`.
pub(super) const PEER_ACCESS_UNSUPPORTED: u32 = 217;
/// `CUDA_ERROR_TOO_MANY_PEERS`: the device has no room for another.
pub(super) const TOO_MANY_PEERS: u32 = 711;
/// `CUDA_ERROR_NOT_FOUND`.
pub(super) const NOT_FOUND: u32 = 500;

/// A context, module, function, stream, event or graph.
pub(super) type Handle = *mut c_void;

unsafe extern "C" {
    pub(super) fn cuGetErrorName(error: u32, text: *mut *const c_char) -> u32;
    pub(super) fn cuGetErrorString(error: u32, text: *mut *const c_char) -> u32;
    pub(super) fn cuInit(flags: c_uint) -> u32;
    pub(super) fn cuDeviceGetCount(count: *mut c_int) -> u32;
    pub(super) fn cuDeviceGetAttribute(value: *mut c_int, attribute: u32, device: c_int) -> u32;
    pub(super) fn cuDevicePrimaryCtxRetain(context: *mut Handle, device: c_int) -> u32;
    pub(super) fn cuDevicePrimaryCtxRelease_v2(device: c_int) -> u32;
    pub(super) fn cuDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int) -> u32;
    pub(super) fn cuCtxEnablePeerAccess(peer: Handle, flags: c_uint) -> u32;
    pub(super) fn cuCtxSetCurrent(context: Handle) -> u32;
    pub(super) fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> u32;
    pub(super) fn cuMemAlloc_v2(address: *mut u64, bytes: usize) -> u32;
    pub(super) fn cuMemFree_v2(address: u64) -> u32;
    pub(super) fn cuMemHostAlloc(start: *mut *mut c_void, bytes: usize, flags: c_uint) -> u32;
    pub(super) fn cuMemFreeHost(start: *mut c_void) -> u32;
    pub(super) fn cuMemcpyHtoDAsync_v2(
        target: u64,
        source: *const c_void,
        bytes: usize,
        stream: Handle,
    ) -> u32;
    pub(super) fn cuMemcpyDtoHAsync_v2(
        target: *mut c_void,
        source: u64,
        bytes: usize,
        stream: Handle,
    ) -> u32;
    pub(super) fn cuMemcpyDtoDAsync_v2(
        target: u64,
        source: u64,
        bytes: usize,
        stream: Handle,
    ) -> u32;
    pub(super) fn cuMemsetD8Async(address: u64, value: u8, bytes: usize, stream: Handle) -> u32;
    pub(super) fn cuModuleLoadDataEx(
        module: *mut Handle,
        image: *const c_void,
        count: c_uint,
        options: *mut u32,
        values: *mut *mut c_void,
    ) -> u32;
    pub(super) fn cuModuleUnload(module: Handle) -> u32;
    pub(super) fn cuModuleGetFunction(
        function: *mut Handle,
        module: Handle,
        name: *const c_char,
    ) -> u32;
    pub(super) fn cuFuncGetAttribute(value: *mut c_int, attribute: u32, function: Handle) -> u32;
    pub(super) fn cuFuncSetAttribute(function: Handle, attribute: u32, value: c_int) -> u32;
    pub(super) fn cuLaunchKernel(
        function: Handle,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared_bytes: c_uint,
        stream: Handle,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> u32;
    pub(super) fn cuLaunchCooperativeKernel(
        function: Handle,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared_bytes: c_uint,
        stream: Handle,
        parameters: *mut *mut c_void,
    ) -> u32;
    pub(super) fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int,
        function: Handle,
        threads: c_int,
        shared_bytes: usize,
    ) -> u32;
    pub(super) fn cuDeviceGetPCIBusId(text: *mut c_char, room: c_int, device: c_int) -> u32;
    pub(super) fn cuStreamBeginCapture_v2(stream: Handle, mode: c_uint) -> u32;
    pub(super) fn cuStreamEndCapture(stream: Handle, graph: *mut Handle) -> u32;
    pub(super) fn cuGraphInstantiateWithFlags(
        executable: *mut Handle,
        graph: Handle,
        flags: c_ulonglong,
    ) -> u32;
    pub(super) fn cuGraphDestroy(graph: Handle) -> u32;
    pub(super) fn cuGraphLaunch(executable: Handle, stream: Handle) -> u32;
    pub(super) fn cuGraphExecDestroy(executable: Handle) -> u32;
    pub(super) fn cuStreamWaitEvent(stream: Handle, event: Handle, flags: c_uint) -> u32;
    pub(super) fn cuStreamSynchronize(stream: Handle) -> u32;
    pub(super) fn cuEventCreate(event: *mut Handle, flags: c_uint) -> u32;
    pub(super) fn cuEventDestroy_v2(event: Handle) -> u32;
    pub(super) fn cuEventRecord(event: Handle, stream: Handle) -> u32;
    pub(super) fn cuEventSynchronize(event: Handle) -> u32;
    pub(super) fn cuEventElapsedTime(ms: *mut f32, start: Handle, end: Handle) -> u32;
}

/// Calls a driver function and turns its code into a `Result`.
macro_rules! call {
    ($name:ident($($argument:expr),* $(,)?)) => {
        $crate::device::cuda::driver::check(
            stringify!($name),
            $crate::device::cuda::driver::$name($($argument),*),
        )
    };
}
pub(super) use call;

/// A code as a `Result`.
pub(super) fn check(call: &'static str, code: u32) -> Result<()> {
    match code {
        0 => Ok(()),
        _ => Err(error(call, code)),
    }
}

/// A failed call's error.
pub(super) fn error(call: &'static str, code: u32) -> Error {
    Error::Driver {
        call,
        code,
        name: name(code),
        text: text(code),
    }
}

/// An error of `cust`, whose codes are the driver's.
pub(super) fn cust_error(call: &'static str) -> impl FnOnce(cust::error::CudaError) -> Error {
    move |cause| error(call, cause as u32)
}

/// A code's name, such as `CUDA_ERROR_INVALID_PTX`.
pub(super) fn name(code: u32) -> String {
    described(cuGetErrorName, code).unwrap_or_else(|| "an unknown error".to_owned())
}

/// The driver's description of a code.
pub(super) fn text(code: u32) -> String {
    described(cuGetErrorString, code)
        .unwrap_or_else(|| "the driver does not describe it".to_owned())
}

fn described(
    function: unsafe extern "C" fn(u32, *mut *const c_char) -> u32,
    code: u32,
) -> Option<String> {
    let mut text: *const c_char = ptr::null();
    // SAFETY: both functions take any code and write one pointer.
    let answer = unsafe { function(code, &mut text) };
    if answer != 0 || text.is_null() {
        return None;
    }
    // SAFETY: on success the pointer is a C string that lives as long as the driver.
    let text = unsafe { CStr::from_ptr(text) };
    Some(text.to_string_lossy().into_owned())
}
