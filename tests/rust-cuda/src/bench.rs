//! A device with the subjects' kernels on it.

use std::path::{Path, PathBuf};

use cuda_builder::{CudaBuilder, Lint, LintLevel, NvvmArch};
use quadscan::Result;
use quadscan::device::{Artifact, Device, DeviceChoice};
use quadscan_tests::kernels;
use quadscan_tests::suite::Bench;

/// Opens a device and loads the kernels.
///
/// # Errors
///
/// [`quadscan::Error::NoDevice`] when there is none; any other error is a fault of the product.
pub fn open(choice: DeviceChoice) -> Result<Bench> {
    Bench::new(Device::open(choice)?, artifact()?)
}

/// The kernels of the subjects.
///
/// # Errors
///
/// Those of [`folder`] and [`Artifact::read`].
pub fn artifact() -> Result<Artifact> {
    // SAFETY: it is of the crate that the launchers are of.
    unsafe { Artifact::read(folder()?) }
}

/// Where they are.
///
/// # Errors
///
/// Those of [`kernels::built`].
pub fn folder() -> Result<PathBuf> {
    let builder = || {
        CudaBuilder::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels"))
            .archs(&[NvvmArch::Compute75, NvvmArch::Compute90])
            // The host's bits.
            .fma_contraction(false)
            // Hashes and sorted vectors have arrays that no register can hold.
            .lint(Lint::LocalArray, LintLevel::Allow)
            // Atomics of a block take a pointer to whatever memory it is.
            .lint(Lint::SharedGeneric, LintLevel::Allow)
            .setup_command("cargo xtask setup")
    };
    kernels::built("QUADSCAN_SUBJECTS", builder)
}
