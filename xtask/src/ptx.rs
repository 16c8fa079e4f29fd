//! How commands build kernels: as `quadscan`'s build script does, and where that has built them.

#[path = "../../kernels-crate/ptx.rs"]
mod options;

use std::env;
use std::path::{Path, PathBuf};

use cuda_builder::{CudaBuilder, NvvmArch};

use crate::cargo;

pub(crate) use options::ARCHS;

/// The newest of [`ARCHS`], for what is built for one alone.
pub(crate) const NEWEST: NvvmArch = ARCHS[ARCHS.len() - 1];

/// A builder of the kernels in `folder`, whose files go to `out`.
pub(crate) fn builder(folder: &Path, out: &Path) -> anyhow::Result<CudaBuilder> {
    let shared = env::var_os("CUDA_BUILDER_TARGET_DIR").filter(|shared| !shared.is_empty());
    let target = match shared {
        Some(shared) => PathBuf::from(shared),
        None => cargo::target_directory()?.join("cuda-builder"),
    };
    Ok(options::builder(folder).target_dir(target).out_dir(out))
}
