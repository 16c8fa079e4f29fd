//! What a build leaves: a folder with a manifest and PTX.

use std::fs;
use std::path::PathBuf;

use crate::CudaBuilderError;
use crate::manifest::{Manifest, Part};

/// A folder with `manifest.json` and the PTX that it lists.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Artifact {
    /// The folder.
    pub dir: PathBuf,
    /// What `manifest.json` in it says.
    pub manifest: Manifest,
    /// The files that this build was asked for.
    pub(crate) asked: Vec<String>,
}

impl Artifact {
    /// The paths of the PTX files that were asked for, in the manifest's order: all parts of
    /// the first architecture, then those of the next.
    pub fn ptx_paths(&self) -> impl Iterator<Item = PathBuf> + '_ {
        self.asked.iter().map(|file| self.dir.join(file))
    }

    /// What is to be said of PTX that nothing can be launched of and nothing linked with.
    pub(crate) fn without_kernels(&self) -> Option<String> {
        let mut modules = self.manifest.modules.iter();
        let has_kernels = modules.any(|module| module.kernels().next().is_some());
        let is_visible = |path: PathBuf| {
            let text = fs::read_to_string(path).unwrap_or_default();
            text.lines().any(|line| line.starts_with(".visible "))
        };
        if has_kernels || self.ptx_paths().any(is_visible) {
            return None;
        }
        Some(format!(
            "{} has no kernel, so its PTX is empty: write #[kernel] above an `unsafe fn` of it; those of crates that it depends on are there with kernels_of_dependencies(true)",
            self.manifest.crate_name
        ))
    }

    /// The path of the only PTX file that was asked for.
    pub(crate) fn only_path(&self) -> Result<PathBuf, CudaBuilderError> {
        if let Some(module) = self.manifest.modules.first() {
            let is_asked = |part: &&Part| self.asked.contains(&part.file);
            let asked = module.parts.iter().filter(is_asked);
            one_file(asked.map(|part| part.name.as_str()))?;
        }
        let none = || CudaBuilderError::BadOption("the build made no module".to_owned());
        self.ptx_paths().next().ok_or_else(none)
    }
}

/// Err where the kernels are in several parts and one file was asked for.
pub(crate) fn one_file<'n>(parts: impl Iterator<Item = &'n str>) -> Result<(), CudaBuilderError> {
    let names: Vec<&str> = parts.collect();
    let count = names.len();
    if count <= 1 {
        return Ok(());
    }
    Err(CudaBuilderError::BadOption(format!(
        "build(), copy_to and final_module_path are for one file, and #[part] puts the kernels into {count}, {}: use build_all() and out_dir",
        names.join(", ")
    )))
}
