//! The emulator's errors as those of this crate, one sentence each.

use ptx_emulator::{Attributes, LaunchError, LoadError, MemoryError};

use crate::Error;
use crate::device::DeviceProperties;

/// Text on one line.
fn one_line(text: &str) -> String {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("; ")
}

/// Something that a sound caller does not ask for.
pub(super) fn of(action: &str, reason: &str) -> Error {
    Error::Emulator {
        action: action.to_owned(),
        reason: one_line(reason),
    }
}

/// A copy or an allocation that cannot be made.
pub(super) fn of_memory(action: &str, error: MemoryError, device: &DeviceProperties) -> Error {
    match error {
        MemoryError::Full { bytes, free } => Error::OutOfMemory {
            wanted: bytes,
            free,
            device: device.name.clone(),
        },
        MemoryError::Host { .. } | MemoryError::NotAllocated { .. } => {
            of(action, &error.to_string())
        }
    }
}

/// PTX that is none, or that the emulator does not know.
pub(super) fn of_load(error: &LoadError) -> Error {
    Error::UnsupportedModule {
        what: "the module".to_owned(),
        reason: one_line(&error.to_string()),
    }
}

/// Code that is no PTX.
pub(super) fn of_machine_code() -> Error {
    Error::UnsupportedModule {
        what: "the module".to_owned(),
        reason: "it runs PTX, and this is machine code".to_owned(),
    }
}

/// A kernel with more static shared memory than a block may have, which a driver's compiler
/// refuses.
pub(super) fn of_size(
    kernel: &str,
    attributes: &Attributes,
    device: &DeviceProperties,
) -> Option<Error> {
    let (bytes, most) = (attributes.shared, device.max_shared_per_block);
    (bytes > u64::from(most)).then(|| Error::UnsupportedModule {
        what: format!("kernel `{kernel}`"),
        reason: format!("its static shared memory is {bytes} bytes, and a block may have {most}"),
    })
}

/// A launch that cannot begin, or did not end well.
pub(super) fn of_launch(kernel: &str, cause: &LaunchError, device: &DeviceProperties) -> Error {
    let action = format!("launch kernel `{kernel}`");
    match cause {
        LaunchError::NoKernel { .. } => Error::unknown_kernel(kernel),
        LaunchError::Shape(_) | LaunchError::Parameter { .. } | LaunchError::WeakMemory => {
            of(&action, &cause.to_string())
        }
        LaunchError::Memory(error) => of_memory(&action, error.clone(), device),
        LaunchError::Fault(_) | LaunchError::Deadlock(_) | LaunchError::Livelock { .. } => {
            stopped(kernel, cause)
        }
    }
}

/// A kernel that did not end well, now or in an earlier launch.
pub(super) fn stopped(kernel: &str, cause: &LaunchError) -> Error {
    let report = match cause {
        // It names the kernel itself.
        LaunchError::Fault(fault) => fault.to_string(),
        other => format!("kernel `{kernel}`: {other}"),
    };
    Error::KernelStopped {
        report: one_line(&report),
        cause: Box::new(cause.clone()),
    }
}
