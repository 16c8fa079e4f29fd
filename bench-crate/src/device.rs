//! The device that a command computes on, or several, with the modules that it needs.

use std::path::Path;
use std::thread;

use hmac_sha256::Hash as Sha256;

use crate::error::{Error, Result};
use crate::modules;
use crate::ranks::Ranks;
use crate::table::list::refused;
use quadscan::device::{DeviceChoice, DevicesChoice, Module};

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

/// What `--device` names where a command takes several.
///
/// # Errors
///
/// [`Error::Argument`].
pub(crate) fn choices(text: &str) -> Result<DevicesChoice> {
    let choice: quadscan::Result<DevicesChoice> = text.parse();
    choice.map_err(of_option)
}

/// The sentence of an error about `devices`, about `--device`.
fn of_option(error: quadscan::Error) -> Error {
    match error {
        quadscan::Error::Argument { argument, problem } if argument == "devices" => {
            refused("--device", problem)
        }
        quadscan::Error::OutOfRange {
            what: "devices",
            value,
            lowest,
            highest,
            ..
        } => {
            let problem = format!("names {value} devices, allowed are {lowest} to {highest}");
            refused("--device", problem)
        }
        error => error.into(),
    }
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
    let one = DevicesChoice::One(choice);
    let (mut modules, notice) = load_on_each(&one, artifact, needed, ranks)?;
    Ok((modules.swap_remove(0), notice))
}

/// The same on each of several devices, which one process alone can have.
///
/// # Errors
///
/// As [`load`].
pub(crate) fn load_on_each(
    choice: &DevicesChoice,
    artifact: Option<&Path>,
    needed: &[String],
    ranks: &Ranks,
) -> Result<(Vec<Module>, String)> {
    let choice = match choice {
        DevicesChoice::One(choice) => DevicesChoice::One(ranks.device(*choice)),
        several if ranks.is_alone() => several.clone(),
        several => {
            let processes = ranks.size();
            let allowed = format!("allowed is one for each of the {processes} processes");
            return Err(refused(
                "--device",
                format!("{several} is several, {allowed}"),
            ));
        }
    };
    let names = needed.iter().cloned().collect();
    let folder = modules::folder(artifact, choice.first(), &names)?;
    // SAFETY: whoever names a folder with --artifact vouches that it was built from this
    // program's kernels.
    let artifact = unsafe { modules::artifact(folder.as_deref(), needed) }?;
    let (devices, no_gpu) = choice.open().map_err(|error| match error {
        quadscan::Error::NoDevice { reason }
            if choice != DevicesChoice::One(DeviceChoice::Auto) =>
        {
            let instead = "--device auto uses the emulator instead";
            let problem = format!("{choice} is not available: {reason}; {instead}");
            refused("--device", problem)
        }
        error => of_option(error),
    })?;
    let names: Vec<&str> = devices.iter().map(|one| &*one.properties().name).collect();
    let name = match names[..] {
        [name] => name.to_owned(),
        _ => format!("{} devices, {}", names.len(), names.join(", ")),
    };
    let notice = match (no_gpu, ranks.size()) {
        (None, 1) => format!("device: {name}"),
        (None, size) => format!("device: {name}; {size} processes, each with its own"),
        (Some(reason), 1) => format!("device: {name}, since there is no GPU ({reason})"),
        (Some(reason), size) => format!(
            "device: {name}, since there is no GPU ({reason}); {size} processes, each with its own"
        ),
    };
    Ok((devices.load(&artifact)?, notice))
}

/// What comes of things on the first of the devices, a thing each, at the same time. There are no fewer
/// devices than things.
pub(crate) fn at_once<D: Send, T: Sync, R: Send>(
    devices: &mut [D],
    things: &[T],
    work: impl Fn(&mut D, &T) -> R + Sync,
) -> Vec<R> {
    let mut pairs = devices.iter_mut().zip(things);
    if things.len() == 1 {
        return pairs.map(|(device, thing)| work(device, thing)).collect();
    }
    thread::scope(|scope| {
        let started = pairs
            .by_ref()
            .map(|(device, thing)| scope.spawn(|| work(device, thing)));
        let started: Vec<_> = started.collect();
        let ended = started.into_iter().map(|thread| thread.join());
        ended
            .map(|of| of.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// The digest of the PTX of these modules, as the first of several devices has it.
pub(crate) fn digest(modules: &[Module], of: &[String]) -> [u8; 32] {
    let loaded = modules.first().and_then(Module::manifest);
    let parts = loaded.into_iter().flat_map(|module| &module.parts);
    let digests = parts.filter(|part| of.contains(&part.name));
    let digests: Vec<&str> = digests.filter_map(|part| part.sha256.as_deref()).collect();
    Sha256::hash(digests.concat().as_bytes())
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
