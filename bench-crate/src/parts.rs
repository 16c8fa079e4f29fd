//! `quadscan artifact`: the parts of the artifact, how large each is, and how long a
//! device takes to load it. What a part is, and when a program loads it, is
//! `device`'s.

use std::fs;
use std::path::Path;
use std::time::Instant;

use cuda_builder::manifest::FILE_NAME;

use crate::cli::ArtifactArguments;
use crate::device::choice;
use crate::error::{Error, Result};
use crate::export;
use crate::modules;
use crate::modules::expect_artifact;
use quadscan::device::{Artifact, ArtifactPart, Device, DeviceChoice};

/// The columns. Of the times, the first load may find the code in the driver's cache
/// on disk; the second one always may.
const COLUMNS: [&str; 7] = [
    "arch",
    "part",
    "kernels",
    "ptx_bytes",
    "load_ms",
    "load_again_ms",
    "sha256",
];

/// Digits of a hash that are shown.
const DIGITS: usize = 12;

/// What `quadscan artifact` found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// A line a part, below a header.
    pub text: String,
    /// Which device loaded the parts, or why there are no times.
    pub notice: String,
}

/// Carries out `quadscan artifact`. Only the parts of the architecture that the device
/// runs are loaded: the others have no times, and none has where there is no GPU.
///
/// # Errors
///
/// Those of [`DeviceChoice`], [`quadscan::device::Artifact::read`], [`Device::open`] and
/// [`Device::load`], and of a part that does not load, with its file.
pub fn list(arguments: &ArtifactArguments) -> Result<Listing> {
    let choice = choice(&arguments.device)?;
    expect_artifact(arguments.artifact.as_deref())?;
    // SAFETY: nothing of it is launched.
    let artifact = unsafe { modules::artifact(arguments.artifact.as_deref(), &[]) }?;
    if let Some(folder) = &arguments.write {
        return write(&artifact, folder);
    }
    let (device, no_gpu) = match choice {
        DeviceChoice::Auto => Device::open_best()?,
        named => (Device::open(named)?, None),
    };
    let module = device.load(&artifact)?;
    let chosen = module.manifest().map(|module| module.arch.clone());
    let mut rows = Vec::new();
    for part in artifact.parts() {
        let is_timed = device.properties().has_timer && chosen.as_deref() == Some(part.arch);
        rows.push(row(&part, is_timed.then_some(&device))?);
    }
    let name = &device.properties().name;
    let notice = match (device.properties().has_timer, no_gpu) {
        (true, _) => format!("device: {name}"),
        (false, None) => format!("device: {name}; it has no times"),
        (false, Some(reason)) => {
            format!("device: {name}, since there is no GPU ({reason}); it has no times")
        }
    };
    let header = COLUMNS.map(str::to_owned);
    let text = export::lines(&header, &rows);
    Ok(Listing { text, notice })
}

/// Writes an artifact's files, the manifest last, as `--artifact` and `QUADSCAN_ARTIFACT` name
/// them.
fn write(artifact: &Artifact, folder: &Path) -> Result<Listing> {
    let files = artifact.parts().map(|part| (&*part.part.file, part.ptx()));
    let manifest = artifact.manifest().to_json();
    let files = files.chain([(FILE_NAME, &*manifest)]);
    let written = fs::create_dir_all(folder).and_then(|()| {
        let mut files = files.map(|(name, text)| fs::write(folder.join(name), text));
        files.try_for_each(|written| written)
    });
    written.map_err(|error| Error::Argument {
        argument: "--write".to_owned(),
        problem: format!("is {}, which cannot be written: {error}", folder.display()),
    })?;
    Ok(Listing {
        text: format!("{}\n", folder.display()),
        notice: format!("PTX of {} parts", artifact.parts().count()),
    })
}

fn row(part: &ArtifactPart<'_>, device: Option<&Device>) -> Result<Vec<String>> {
    let time = || device.map(|device| load_ms(part, device)).transpose();
    let text = |ms: Option<f64>| ms.map_or(String::new(), |ms| format!("{ms:.1}"));
    let (first, again) = (time()?, time()?);
    Ok(vec![
        part.arch.to_owned(),
        part.part.name.clone(),
        part.part.kernels.len().to_string(),
        part.ptx().len().to_string(),
        text(first),
        text(again),
        part.part
            .sha256
            .iter()
            .flat_map(|hash| hash.chars())
            .take(DIGITS)
            .collect(),
    ])
}

/// Loads a part, looks all of its kernels up (a driver may put the work off until
/// then), and unloads it again; ms of the host's clock for the first two.
fn load_ms(part: &ArtifactPart<'_>, device: &Device) -> Result<f64> {
    let kernels = part.part.kernels.iter();
    let kernels: Vec<&str> = kernels.map(|kernel| kernel.entry.as_str()).collect();
    let start = Instant::now();
    let module = device.load_part(part)?;
    module.prepare(&kernels)?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}
