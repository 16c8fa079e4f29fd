//! A device with the subjects' kernels on it.

use quadscan::device::{Artifact, Device, DeviceChoice};
use quadscan::{Error, Result};
use quadscan_tests::suite::Bench;

/// Name and contents of each file of the artifact that `build.rs` made.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/artifact.rs"));

/// Opens a device and loads the kernels, which this program carries.
///
/// # Errors
///
/// [`Error::NoDevice`] when there is none; any other error is a fault of the product.
pub fn open(choice: DeviceChoice) -> Result<Bench> {
    Bench::new(Device::open(choice)?, artifact()?)
}

/// The kernels of the subjects, as `build.rs` made them.
///
/// # Errors
///
/// [`Error::Unreadable`] when there is no temporary folder.
pub fn artifact() -> Result<Artifact> {
    let folder = unpacked().map_err(|source| Error::Unreadable {
        path: std::env::temp_dir(),
        source,
    })?;
    // SAFETY: `build.rs` built it of the crate that the launchers are of.
    unsafe { Artifact::read(folder.path()) }
}

fn unpacked() -> std::io::Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    for (name, bytes) in FILES {
        std::fs::write(folder.path().join(name), bytes)?;
    }
    Ok(folder)
}
