//! What a CUDA device and a loaded kernel say about themselves.

use std::ffi::{CStr, c_char, c_int};
use std::fs;

use cust::device::Device;
use cust::sys::CUdevice_attribute::{self as A, *};
use cust::sys::CUfunction_attribute::{self as F, *};

use super::driver::{self, Handle, call};
use super::launch::is_programmatic_there;
use crate::device::{DeviceProperties, FunctionAttributes};
use crate::{Error, Result};

/// Starts the driver and counts its devices: there is one at least.
pub(in super::super) fn count() -> Result<u32> {
    let none = |reason: String| Error::NoDevice { reason };
    libcuda_lazy::status().map_err(|error| none(error.to_string()))?;
    // SAFETY: no preconditions.
    let code = unsafe { driver::cuInit(0) };
    match code {
        0 => {}
        driver::NO_DEVICE => return Err(none("the NVIDIA driver finds no GPU".to_owned())),
        _ => {
            let (name, text) = (driver::name(code), driver::text(code));
            let reason = format!("the NVIDIA driver does not start: {name} ({code}): {text}");
            return Err(none(reason));
        }
    }
    let mut count: c_int = 0;
    // SAFETY: the result goes to a living integer.
    unsafe { call!(cuDeviceGetCount(&mut count))? };
    match u32::try_from(count) {
        Ok(0) | Err(_) => Err(none("the NVIDIA driver finds no GPU".to_owned())),
        Ok(count) => Ok(count),
    }
}

/// Starts the driver and finds a device by its number.
pub(super) fn find(ordinal: u32) -> Result<Device> {
    let count = count()?;
    if ordinal >= count {
        let reason = format!(
            "cuda:{ordinal} is not there, allowed are cuda:0 to cuda:{}",
            count - 1
        );
        return Err(Error::NoDevice { reason });
    }
    Device::get_device(ordinal).map_err(driver::cust_error("cuDeviceGet"))
}

/// Major and minor compute capability.
pub(super) fn compute_capability(device: Device) -> Result<(u32, u32)> {
    Ok((
        attribute_of(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
        attribute_of(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
    ))
}

/// Everything that the crate wants to know about a device.
pub(super) fn properties(device: Device, ordinal: u32) -> Result<DeviceProperties> {
    let get = |attribute| attribute_of(device, attribute);
    let name = device
        .name()
        .map_err(driver::cust_error("cuDeviceGetName"))?;
    let total_memory = device
        .total_memory()
        .map_err(driver::cust_error("cuDeviceTotalMem_v2"))?;
    let compute_capability = compute_capability(device)?;
    let driver_version = libcuda_lazy::status().ok().map(|driver| driver.cuda);
    Ok(DeviceProperties {
        name,
        kind: "cuda",
        ordinal,
        compute_capability,
        driver_version,
        driver: driver_release(),
        sm_count: get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        warp_size: get(CU_DEVICE_ATTRIBUTE_WARP_SIZE)?,
        max_threads_per_block: get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        max_block: [
            get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
            get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
            get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
        ],
        max_grid: [
            get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
            get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
            get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
        ],
        max_threads_per_sm: get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
        max_blocks_per_sm: get(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)?,
        registers_per_sm: get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR)?,
        max_shared_per_block: get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?,
        max_shared_per_block_optin: get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        shared_per_sm: get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?,
        l2_cache: known(get(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?),
        total_memory: total_memory as u64,
        clock_khz: known(get(CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?),
        memory_clock_khz: known(get(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)?),
        memory_bus_bits: known(get(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)?),
        has_kernel_time_limit: get(CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT)? != 0,
        has_cooperative_launch: get(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)? != 0,
        has_programmatic_launch: is_programmatic_there(compute_capability, driver_version),
        has_timer: true,
    })
}

/// The device's place on the PCI bus, such as `0000:1b:00.0`, by which other
/// libraries know it too: their numbers need not be the driver's.
pub(super) fn bus_id(device: Device) -> Result<String> {
    let mut text: [c_char; 32] = [0; 32];
    // SAFETY: the device exists, and the driver writes no more than the room with a
    // zero byte at the end.
    unsafe {
        call!(cuDeviceGetPCIBusId(
            text.as_mut_ptr(),
            text.len() as c_int,
            device.as_raw()
        ))?;
    }
    // SAFETY: the driver has ended the text with a zero byte.
    let text = unsafe { CStr::from_ptr(text.as_ptr()) };
    Ok(text.to_string_lossy().into_owned())
}

/// What a loaded kernel takes up.
pub(super) fn attributes(function: Handle) -> Result<FunctionAttributes> {
    let get = |attribute: F| {
        let mut value: c_int = 0;
        // SAFETY: the function's module is loaded, and the result goes to a
        // living integer.
        unsafe { call!(cuFuncGetAttribute(&mut value, attribute as u32, function))? };
        Ok::<_, Error>(u32::try_from(value).unwrap_or(0))
    };
    Ok(FunctionAttributes {
        max_threads_per_block: get(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        registers: Some(get(CU_FUNC_ATTRIBUTE_NUM_REGS)?),
        local_bytes: get(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
        static_shared_bytes: get(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
        constant_bytes: get(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES)?,
        ptx_version: Some(get(CU_FUNC_ATTRIBUTE_PTX_VERSION)?),
        binary_version: Some(get(CU_FUNC_ATTRIBUTE_BINARY_VERSION)?),
    })
}

/// Blocks of a loaded kernel that one SM holds at once.
pub(super) fn resident_blocks(function: Handle, threads: u32, shared: u32) -> Result<u32> {
    let mut blocks: c_int = 0;
    // SAFETY: the function's module is loaded, and the result goes to a living
    // integer.
    unsafe {
        call!(cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &mut blocks,
            function,
            c_int::try_from(threads).unwrap_or(c_int::MAX),
            shared as usize,
        ))?;
    }
    Ok(u32::try_from(blocks).unwrap_or(0))
}

fn attribute_of(device: Device, attribute: A) -> Result<u32> {
    let mut value: c_int = 0;
    // SAFETY: the device exists, and the result goes to a living integer.
    unsafe {
        call!(cuDeviceGetAttribute(
            &mut value,
            attribute as u32,
            device.as_raw()
        ))?;
    }
    Ok(u32::try_from(value).unwrap_or(0))
}

/// Drivers answer 0 for what they do not know.
fn known(value: u32) -> Option<u32> {
    (value > 0).then_some(value)
}

/// The driver's release, such as `580.159.04`, as the kernel module tells it.
fn driver_release() -> Option<String> {
    let text = fs::read_to_string("/sys/module/nvidia/version")
        .or_else(|_| fs::read_to_string("/proc/driver/nvidia/version"))
        .ok()?;
    text.split_whitespace()
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))
        .map(str::to_owned)
}
