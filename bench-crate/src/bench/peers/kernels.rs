//! The peer from CUDA C++: `quarter_circle.cu`, compiled by nvcc where there is
//! one, with the strips as a compile-time constant as in the published program.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::peers::compiler::{architecture, compile, find_nvcc, find_source};

/// The source's name in its folder.
const SOURCE: &str = "quarter_circle.cu";

/// Compiled peers, each built once a run.
pub(super) struct Kernels {
    source: PathBuf,
    nvcc: PathBuf,
    target: PathBuf,
    arch: String,
    built: HashMap<u64, Result<PathBuf, String>>,
}

impl Kernels {
    /// Finds the source and the compiler. Err in one sentence when one is missing.
    pub(super) fn find(folder: &Path, target: PathBuf, capability: &str) -> Result<Self, String> {
        let source = find_source(folder, SOURCE)
            .ok_or_else(|| format!("--peers: {} has no {SOURCE}", folder.display()))?;
        let nvcc = find_nvcc().ok_or_else(|| {
            "--peers: nvcc is not on the path, so its columns stay empty".to_owned()
        })?;
        let arch = architecture(capability);
        Ok(Kernels {
            source,
            nvcc,
            target,
            arch,
            built: HashMap::new(),
        })
    }

    /// What they are built from, by what and for what: other peers have another
    /// description.
    pub(super) fn describe(&self) -> String {
        format!(
            "{} {} {}",
            self.source.display(),
            self.nvcc.display(),
            self.arch
        )
    }

    /// The cubin for a number of strips. Err in one sentence when it could not be built.
    pub(super) fn of(&mut self, strips: u64) -> Result<PathBuf, String> {
        if let Some(built) = self.built.get(&strips) {
            return built.clone();
        }
        let built = self.build(strips);
        self.built.insert(strips, built.clone());
        built
    }

    fn build(&self, strips: u64) -> Result<PathBuf, String> {
        let failed = |problem: String| format!("--peers: {problem}");
        if i32::try_from(strips).is_err() {
            return Err(failed(format!(
                "{strips} strips do not fit into the peer's int"
            )));
        }
        std::fs::create_dir_all(&self.target)
            .map_err(|e| failed(format!("{}: {e}", self.target.display())))?;
        let cubin = self
            .target
            .join(format!("quarter_circle.{}.{strips}.cubin", self.arch));
        let mut command = Command::new(&self.nvcc);
        command
            .args(["-O3", "-cubin"])
            .arg(format!("-arch={}", self.arch))
            .arg(format!("-DSTRIPS={strips}"))
            .arg("-o")
            .arg(&cubin)
            .arg(&self.source);
        compile(&mut command).map_err(failed)?;
        // The measuring process may have another working folder one day.
        std::path::absolute(&cubin).map_err(|e| failed(e.to_string()))
    }
}
