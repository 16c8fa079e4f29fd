//! The device that a command computes on, with the modules that it needs.

use std::path::Path;

use crate::error::{Error, Result};
use crate::modules;
use crate::ranks::Ranks;
use crate::table::list::refused;
use quadscan::device::{Device, DeviceChoice, Module};

/// What `--device` names.
///
/// # Errors
///
/// [`Error::Argument`].
pub(crate) fn choice(text: &str) -> Result<DeviceChoice> {
    text.parse().map_err(|_| {
        let problem = format!("`{text}` is unknown, allowed are auto, cuda, cuda:N and emulator");
        refused("--device", problem)
    })
}

/// The device that was asked for, and a sentence that names it.
fn open(choice: DeviceChoice) -> Result<(Device, String)> {
    let (device, no_gpu) = match choice {
        DeviceChoice::Auto => Device::open_best()?,
        named => match Device::open(named) {
            Err(quadscan::Error::NoDevice { reason }) => {
                let instead = "--device auto uses the emulator instead";
                let problem = format!("{named} is not available: {reason}; {instead}");
                return Err(refused("--device", problem));
            }
            other => (other?, None),
        },
    };
    let name = &device.properties().name;
    let notice = match no_gpu {
        None => format!("device: {name}"),
        Some(reason) => format!("device: {name}, since there is no GPU ({reason})"),
    };
    Ok((device, notice))
}

/// These modules on this process's device, of the folder that `--artifact` names where it names one, and a
/// sentence that names the device.
///
/// # Errors
///
/// [`Error::Argument`] for a device that is not there; those of the builder and the driver.
pub(crate) fn load(
    choice: DeviceChoice,
    artifact: Option<&Path>,
    needed: &[String],
    ranks: &Ranks,
) -> Result<(Module, String)> {
    let choice = ranks.device(choice);
    let folder = modules::folder(artifact, choice, &needed.iter().cloned().collect())?;
    // SAFETY: whoever names a folder with --artifact vouches that it was built from this
    // program's kernels.
    let artifact = unsafe { modules::artifact(folder.as_deref(), needed) }?;
    let (device, notice) = open(choice)?;
    let notice = match ranks.size() {
        1 => notice,
        size => format!("{notice}; {size} processes, each with its own"),
    };
    Ok((device.load(&artifact)?, notice))
}

/// What a folder that `--artifact` names lacks is no fault of the program's; `of` are its kernels
/// in words.
pub(crate) fn without_kernels(error: Error, artifact: Option<&Path>, of: &str) -> Error {
    match (error, artifact) {
        (Error::Quadscan(quadscan::Error::UnknownKernel { kernel }), Some(folder)) => {
            let folder = folder.display();
            let allowed = format!("allowed is a folder with the kernels of {of}");
            let problem = format!("{folder} has no kernel `{kernel}`, {allowed}");
            refused("--artifact", problem)
        }
        (error, _) => error,
    }
}
