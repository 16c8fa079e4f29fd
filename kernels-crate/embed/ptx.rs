//! What decides the code of this crate's PTX, for everything that builds it: `quadscan`'s build
//! script, the commands of `xtask`, and tests include this file.

use std::path::Path;

use cuda_builder::{CudaBuilder, NvvmArch};

/// What there is PTX for: each runs on the GPUs of its own and of later architectures.
pub(crate) const ARCHS: [NvvmArch; 2] = [NvvmArch::Compute75, NvvmArch::Compute90];

/// A builder of the kernels in `folder`, which is this one or has some of the same kinds.
///
/// Products are rounded before they are added to: floating-point results are the host's.
pub(crate) fn builder(folder: impl AsRef<Path>) -> CudaBuilder {
    CudaBuilder::new(folder)
        .archs(&ARCHS)
        .fma_contraction(false)
        .setup_command("cargo xtask setup")
}
