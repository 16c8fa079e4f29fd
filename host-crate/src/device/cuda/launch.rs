//! Launches: the plain one, and those with attributes.
//!
//! `cuLaunchKernelEx` came with CUDA 11.8, later than `cust_raw`, which
//! `libcuda-lazy` follows: it is looked up by its name. Its structures are declared
//! here with plain integers, as the header of CUDA 13.0 has them (`cuda.h`,
//! `CUlaunchConfig` and `CUlaunchAttribute`, 2026-11-22).

use std::ffi::{c_int, c_uint, c_void};
use std::{mem, ptr};

use super::driver::{self, Handle, call};
use crate::Result;
use crate::device::launch::PROGRAMMATIC;
use crate::device::{DeviceProperties, LaunchConfig};

/// The CUDA version with `cuLaunchKernelEx`.
const EXTENSIBLE: (u32, u32) = (11, 8);
/// The CUDA version whose graphs keep programmatic dependencies between kernels: edges
/// have data since (CUDA Toolkit 12.3 release notes). A launch does not know whether
/// it is recorded.
const PROGRAMMATIC_GRAPHS: (u32, u32) = (12, 3);

/// `CU_LAUNCH_ATTRIBUTE_COOPERATIVE`.
const COOPERATIVE: u32 = 2;
/// `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION`.
const PROGRAMMATIC_STREAM_SERIALIZATION: u32 = 6;

/// `CUlaunchAttribute`, whose value is one of the union's integers.
#[repr(C)]
struct Attribute {
    id: u32,
    pad: u32,
    value: Value,
}

/// `CUlaunchAttributeValue`: an integer at the union's beginning.
#[repr(C, align(8))]
struct Value {
    number: c_int,
    rest: [u8; 60],
}

impl Attribute {
    /// The attribute with the value 1.
    const fn set(id: u32) -> Self {
        Self {
            id,
            pad: 0,
            value: Value {
                number: 1,
                rest: [0; 60],
            },
        }
    }
}

/// `CUlaunchConfig`.
#[repr(C)]
struct Config {
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared_bytes: c_uint,
    stream: Handle,
    attributes: *const Attribute,
    count: c_uint,
}

const _: () = assert!(size_of::<Attribute>() == 72 && align_of::<Attribute>() == 8);
const _: () = assert!(size_of::<Config>() == 56 && mem::offset_of!(Config, attributes) == 40);

type LaunchKernelEx = unsafe extern "C" fn(
    config: *const Config,
    function: Handle,
    parameters: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> u32;

/// `cuLaunchKernelEx`, where the driver has it.
#[derive(Clone, Copy)]
pub(super) struct Extensible(LaunchKernelEx);

impl Extensible {
    /// Looks for it, in a driver of this CUDA version.
    pub(super) fn find(driver: Option<(u32, u32)>) -> Option<Self> {
        if driver < Some(EXTENSIBLE) {
            return None;
        }
        let address = libcuda_lazy::symbol("cuLaunchKernelEx").ok()?;
        // SAFETY: the driver's function of this name has this signature.
        Some(Self(unsafe {
            mem::transmute::<ptr::NonNull<c_void>, LaunchKernelEx>(address)
        }))
    }
}

/// Whether kernels of a device can begin before the one ahead has ended.
pub(super) fn is_programmatic_there(capability: (u32, u32), driver: Option<(u32, u32)>) -> bool {
    capability >= PROGRAMMATIC
        && driver >= Some(PROGRAMMATIC_GRAPHS)
        && Extensible::find(driver).is_some()
}

/// Starts a kernel on the current context's stream.
///
/// # Safety
///
/// As [`Backend::launch`](crate::device::Backend::launch).
pub(super) unsafe fn launch(
    function: Handle,
    stream: Handle,
    config: &LaunchConfig,
    parameters: &[&[u8]],
    device: &DeviceProperties,
    extensible: Option<Extensible>,
) -> Result<()> {
    let mut parameters: Vec<*mut c_void> = parameters
        .iter()
        .map(|bytes| bytes.as_ptr().cast_mut().cast())
        .collect();
    let parameters = parameters.as_mut_ptr();
    let is_programmatic = config.is_programmatic() && device.has_programmatic_launch;
    let attributes = [
        (config.is_cooperative(), COOPERATIVE),
        (is_programmatic, PROGRAMMATIC_STREAM_SERIALIZATION),
    ];
    let wanted = attributes.into_iter().filter(|(is_wanted, _)| *is_wanted);
    let attributes: Vec<_> = wanted.map(|(_, id)| Attribute::set(id)).collect();
    let shape = config.shape();
    let (grid, block) = (shape.grid, shape.block);
    let sizes = (grid.x, grid.y, grid.z, block.x, block.y, block.z);
    let (gx, gy, gz, bx, by, bz) = sizes;
    let shared = shape.shared_bytes;
    // SAFETY: the caller's for the kernel and its parameters, which the driver only
    // reads, and before it returns; as it does the attributes.
    unsafe {
        match extensible {
            Some(Extensible(launch)) if !attributes.is_empty() => {
                let config = Config {
                    grid: [gx, gy, gz],
                    block: [bx, by, bz],
                    shared_bytes: shared,
                    stream,
                    attributes: attributes.as_ptr(),
                    count: attributes.len() as c_uint,
                };
                let code = launch(&config, function, parameters, ptr::null_mut());
                driver::check("cuLaunchKernelEx", code)
            }
            None if config.is_cooperative() => call!(cuLaunchCooperativeKernel(
                function, gx, gy, gz, bx, by, bz, shared, stream, parameters
            )),
            _ => call!(cuLaunchKernel(
                function,
                gx,
                gy,
                gz,
                bx,
                by,
                bz,
                shared,
                stream,
                parameters,
                ptr::null_mut()
            )),
        }
    }
}
