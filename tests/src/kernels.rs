//! The kernels of `tests/kernels`, and all integrands that rules are tested with: the
//! catalogue's and those.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;

use cuda_builder::{CudaBuilder, CudaBuilderError, NvvmArch};
use quadscan::device::{Artifact, Module};
use quadscan::integrate::Entry;
use quadscan::{Error, Result};
use quadscan_kernels::integrate::catalogue::CATALOGUE;

/// Where the artifact of a crate of kernels that tests have is: in the folder that `variable`
/// names, for machines that cannot build it, or else what `builder` makes where that has not been
/// done.
///
/// # Errors
///
/// [`Error::CorruptArtifact`] with the builder's reason.
pub fn built(variable: &str, builder: impl FnOnce() -> CudaBuilder) -> Result<PathBuf> {
    if let Some(folder) = std::env::var_os(variable) {
        return Ok(folder.into());
    }
    let failed = |error: CudaBuilderError| Error::CorruptArtifact {
        file: variable.to_owned(),
        reason: error.to_string(),
    };
    Ok(builder().build_all().map_err(failed)?.dir)
}

/// Prints the folder, for who takes the artifact to another machine.
pub fn print_folder(folder: Result<PathBuf>) -> ExitCode {
    match folder {
        Ok(folder) => {
            println!("{}", folder.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Where the kernels of `tests/kernels` are.
///
/// # Errors
///
/// Those of [`built`].
pub fn folder() -> Result<PathBuf> {
    // For what all devices run, with the host's bits.
    let builder = || {
        CudaBuilder::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels"))
            .arch(NvvmArch::Compute75)
            .fma_contraction(false)
            .setup_command("cargo xtask setup")
    };
    built("QUADSCAN_TEST_KERNELS", builder)
}

/// The kernels of `tests/kernels`.
///
/// # Errors
///
/// Those of [`folder`] and [`Artifact::read`].
pub fn artifact() -> Result<Artifact> {
    static ARTIFACT: OnceLock<Artifact> = OnceLock::new();
    if let Some(artifact) = ARTIFACT.get() {
        return Ok(artifact.clone());
    }
    // SAFETY: it is of the crate that the launchers are of.
    let artifact = unsafe { Artifact::read(folder()?) }?;
    Ok(ARTIFACT.get_or_init(|| artifact).clone())
}

/// Every integrand with the module that has its kernels: those of the catalogue, which `module`
/// has, and where they were built those of `tests/kernels`, on the same device.
///
/// # Errors
///
/// Those of [`Device::load`](quadscan::device::Device::load).
pub fn integrands(module: &Module) -> Result<Vec<(Module, &'static Entry)>> {
    let others = module.device().load(&artifact()?)?;
    let own = CATALOGUE.iter().map(|entry| (module.clone(), entry));
    let tests = test_kernels::CATALOGUE.iter();
    Ok(own
        .chain(tests.map(|entry| (others.clone(), entry)))
        .collect())
}
