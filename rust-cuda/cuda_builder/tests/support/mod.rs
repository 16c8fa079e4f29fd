//! Where fixtures are, and how a test builds one.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};

use cuda_builder::{Artifact, CudaBuilder, NvvmArch};

/// A crate of kernels under `tests/fixtures`.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

/// The nested target folder of the workspace's own build scripts, so that core is
/// compiled once an architecture.
pub(crate) fn nested_target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("cuda-builder")
}

/// A builder for a crate of kernels, with its output in `out`.
pub(crate) fn builder(path: &Path, out: &Path) -> CudaBuilder {
    CudaBuilder::new(path)
        .arch(NvvmArch::Compute90)
        .fma_contraction(false)
        .target_dir(nested_target())
        .out_dir(out)
}

/// The PTX of the module at `index` in the manifest.
pub(crate) fn ptx(artifact: &Artifact, index: usize) -> String {
    let path = artifact
        .ptx_paths()
        .nth(index)
        .expect("the module was asked for");
    fs::read_to_string(path).expect("the module was written")
}

/// The text of one entry, from its name to its closing brace.
pub(crate) fn entry<'t>(ptx: &'t str, name: &str) -> &'t str {
    let start = ptx
        .find(&format!(".entry {name}("))
        .unwrap_or_else(|| panic!("no entry {name} in\n{ptx}"));
    let end = ptx[start..].find("\n}").expect("an entry ends");
    &ptx[start..start + end]
}

/// Copies a fixture, without what building left in it.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a temporary folder is writable");
    for entry in fs::read_dir(from).expect("fixtures are readable") {
        let entry = entry.expect("fixtures are readable");
        let target = to.join(entry.file_name());
        if entry.file_name() == "target" || entry.file_name() == "Cargo.lock" {
            continue;
        }
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
            continue;
        }
        let text = fs::read_to_string(entry.path()).expect("fixtures are text");
        fs::write(target, text).expect("a temporary folder is writable");
    }
}
