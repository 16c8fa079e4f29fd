//! The kernels of `tests/kernels`, and all integrands that rules are tested with: the
//! catalogue's and those.

use std::path::Path;
use std::sync::OnceLock;

use cuda_builder::{CudaBuilder, CudaBuilderError, NvvmArch};
use quadscan::device::{Artifact, Module};
use quadscan::integrate::Entry;
use quadscan::{Error, Result};
use quadscan_kernels::integrate::catalogue::CATALOGUE;

/// The artifact of a crate of kernels that tests have: in the folder that `variable` names, for
/// machines that cannot build it, or else what `builder` makes where that has not been done.
///
/// # Safety
///
/// As for [`Artifact::read`].
///
/// # Errors
///
/// [`Error::CorruptArtifact`] with the builder's reason; those of [`Artifact::read`].
pub unsafe fn built(variable: &str, builder: impl FnOnce() -> CudaBuilder) -> Result<Artifact> {
    let folder = match std::env::var_os(variable) {
        Some(folder) => folder.into(),
        None => {
            let built = builder().build_all();
            let failed = |error: CudaBuilderError| Error::CorruptArtifact {
                file: variable.to_owned(),
                reason: error.to_string(),
            };
            built.map_err(failed)?.dir
        }
    };
    // SAFETY: the caller's.
    unsafe { Artifact::read(folder) }
}

/// The kernels of `tests/kernels`.
///
/// # Errors
///
/// Those of [`built`].
pub fn artifact() -> Result<Artifact> {
    static ARTIFACT: OnceLock<Artifact> = OnceLock::new();
    if let Some(artifact) = ARTIFACT.get() {
        return Ok(artifact.clone());
    }
    // For what all devices run, with the host's bits.
    let builder = || {
        CudaBuilder::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels"))
            .arch(NvvmArch::Compute75)
            .fma_contraction(false)
            .setup_command("cargo xtask setup")
    };
    // SAFETY: it is of the crate that the launchers are of.
    let artifact = unsafe { built("QUADSCAN_TEST_KERNELS", builder) }?;
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
