//! What decides the code of this crate's PTX, for everything that builds it: `quadscan`'s build
//! script, the commands of `xtask`, and tests include this file.

use std::path::Path;

use cuda_builder::{CudaBuilder, Lint, LintLevel, NvvmArch};

/// What there is PTX for: each runs on the GPUs of its own and of later architectures.
pub(crate) const ARCHS: [NvvmArch; 2] = [NvvmArch::Compute75, NvvmArch::Compute90];

/// A builder of the kernels in `folder`, which is this one or has some of the same kinds.
///
/// Products are rounded before they are added to: floating-point results are the host's. Decisions of a
/// batch of cubature are a thread's, with arrays that are indexed by axes: they may be in local memory.
pub(crate) fn builder(folder: impl AsRef<Path>) -> CudaBuilder {
    CudaBuilder::new(folder)
        .archs(&ARCHS)
        .fma_contraction(false)
        .lint_of_part("cubature_decide", Lint::LocalArray, LintLevel::Allow)
        .setup_command("cargo xtask setup")
}
