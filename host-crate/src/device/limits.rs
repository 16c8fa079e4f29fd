//! Whether a launch's sizes fit the device and the kernel, before the launch.
//!
//! Pure functions. Each refusal names the quantity and its allowed range.

use super::{DeviceProperties, Dim3, FunctionAttributes, LaunchShape};
use crate::{Error, Result};

/// A kernel as far as its launch sizes go.
pub(super) struct KernelLimits<'a> {
    /// Entry name.
    pub(super) kernel: &'a str,
    /// What the loaded kernel takes up.
    pub(super) attributes: &'a FunctionAttributes,
    /// Blocks of a cluster along x, y, z; 0 for none.
    pub(super) cluster: [u32; 3],
}

/// Checks the sizes of a launch.
///
/// # Errors
///
/// [`Error::OutOfRange`], [`Error::NotAMultiple`], [`Error::TooManyThreads`].
pub(super) fn check(
    shape: &LaunchShape,
    device: &DeviceProperties,
    kernel: &KernelLimits<'_>,
) -> Result<()> {
    check_block(shape, device, kernel)?;
    check_grid(shape, device, kernel)?;
    check_threads(shape, device)?;
    check_shared(shape, device, kernel)
}

fn check_block(
    shape: &LaunchShape,
    device: &DeviceProperties,
    kernel: &KernelLimits<'_>,
) -> Result<()> {
    let block = shape.block;
    let most = device.max_threads_per_block.into();
    Error::unless_within("threads per block", block.count(), 1..=most, || on(device))?;
    let axes = [
        ("threads per block in x", block.x),
        ("threads per block in y", block.y),
        ("threads per block in z", block.z),
    ];
    for ((what, value), highest) in axes.into_iter().zip(device.max_block) {
        Error::unless_within(what, value.into(), 1..=highest.into(), || on(device))?;
    }
    let most = kernel.attributes.max_threads_per_block.into();
    Error::unless_within("threads per block", block.count(), 1..=most, || {
        kernel_on(kernel, device)
    })
}

fn check_grid(
    shape: &LaunchShape,
    device: &DeviceProperties,
    kernel: &KernelLimits<'_>,
) -> Result<()> {
    let grid = shape.grid;
    let axes = [
        ("blocks in x", "x", grid.x),
        ("blocks in y", "y", grid.y),
        ("blocks in z", "z", grid.z),
    ];
    let limits = device.max_grid.into_iter().zip(kernel.cluster);
    for ((what, axis, value), (highest, cluster)) in axes.into_iter().zip(limits) {
        Error::unless_within(what, value.into(), 1..=highest.into(), || on(device))?;
        if cluster > 1 && value % cluster != 0 {
            return Err(Error::NotAMultiple {
                axis,
                value,
                multiple: cluster,
                kernel: kernel.kernel.to_owned(),
            });
        }
    }
    Ok(())
}

/// The author's conditions, which come next, multiply grid and block: what does
/// not fit 64 bits is refused here.
fn check_threads(shape: &LaunchShape, device: &DeviceProperties) -> Result<()> {
    let (grid, block) = (shape.grid, shape.block);
    if grid.count().checked_mul(block.count()).is_some() {
        return Ok(());
    }
    let text = |size: Dim3| format!("{} x {} x {}", size.x, size.y, size.z);
    Err(Error::TooManyThreads {
        grid: text(grid),
        block: text(block),
        device: device.name.clone(),
    })
}

/// Checks that the blocks of a cooperative launch are no more than `resident`, which the
/// device holds at once.
///
/// # Errors
///
/// [`Error::OutOfRange`].
pub(super) fn check_together(
    shape: &LaunchShape,
    resident: u32,
    device: &DeviceProperties,
    kernel: &KernelLimits<'_>,
) -> Result<()> {
    let (blocks, allowed) = (shape.grid.count(), 1..=resident.into());
    Error::unless_within("blocks that wait for each other", blocks, allowed, || {
        let (threads, bytes) = (shape.block.count(), shape.shared_bytes);
        let each = format!("each of {threads} threads and {bytes} bytes of dynamic shared memory");
        format!("{each} {}", kernel_on(kernel, device))
    })
}

fn check_shared(
    shape: &LaunchShape,
    device: &DeviceProperties,
    kernel: &KernelLimits<'_>,
) -> Result<()> {
    let declared = kernel.attributes.static_shared_bytes;
    let most = most_shared(device).saturating_sub(declared);
    let what = "dynamic shared memory (bytes per block)";
    Error::unless_within(
        what,
        shape.shared_bytes.into(),
        0..=most.into(),
        || match declared {
            0 => on(device),
            _ => kernel_on(kernel, device),
        },
    )
}

/// Shared memory of a block at most. Devices without the opt-in tell 0 for it.
pub(super) fn most_shared(device: &DeviceProperties) -> u32 {
    device
        .max_shared_per_block_optin
        .max(device.max_shared_per_block)
}

/// True when the kernel needs to be allowed more dynamic shared memory than
/// every kernel has.
pub(super) fn needs_opt_in(
    shape: &LaunchShape,
    device: &DeviceProperties,
    attributes: &FunctionAttributes,
) -> bool {
    shape
        .shared_bytes
        .saturating_add(attributes.static_shared_bytes)
        > device.max_shared_per_block
}

fn on(device: &DeviceProperties) -> String {
    format!("on {}", device.name)
}

fn kernel_on(kernel: &KernelLimits<'_>, device: &DeviceProperties) -> String {
    format!("for kernel `{}` on {}", kernel.kernel, device.name)
}
