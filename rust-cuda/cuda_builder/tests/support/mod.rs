//! Where fixtures are, and how a test builds one.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};

use cuda_builder::{Artifact, CudaBuilder, CudaBuilderError, NvvmArch};

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

/// Crates of kernels without dependencies, each in a folder of its own.
pub(crate) struct Kernels {
    pub(crate) folder: tempfile::TempDir,
}

impl Kernels {
    /// A crate of this source; `metadata!` is at hand.
    pub(crate) fn new(source: &str) -> Self {
        let kernels = Kernels {
            folder: tempfile::tempdir().unwrap(),
        };
        kernels.write(
            "Cargo.toml",
            "[package]\nname = \"own-kernels\"\nedition = \"2024\"\n[workspace]\n",
        );
        let helper = fs::read_to_string(fixture("lints").join("src/kernel.rs")).unwrap();
        kernels.write("src/kernel.rs", &helper);
        let head = "#![cfg_attr(target_os = \"cuda\", feature(asm_experimental_arch, stdarch_nvptx))]\n\
                    #![cfg(target_os = \"cuda\")]\npub mod kernel;\n";
        kernels.write("src/lib.rs", &format!("{head}{source}"));
        kernels
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn builder(&self) -> CudaBuilder {
        builder(self.folder.path(), &self.folder.path().join("out"))
    }

    /// Why there is no PTX, with the folder's path as `KERNELS`.
    pub(crate) fn refused(&self) -> String {
        let error = self.builder().build_all().unwrap_err();
        self.said(&error)
    }

    pub(crate) fn said(&self, error: &CudaBuilderError) -> String {
        let folder = self.folder.path().canonicalize().unwrap();
        error
            .to_string()
            .replace(folder.to_str().unwrap(), "KERNELS")
    }
}

/// One kernel without parameters and its metadata.
pub(crate) fn kernel(module: &str, name: &str, body: &str) -> String {
    format!(
        "#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn {name}() {{ {body} }}\n\
         metadata!(OF, [0, 0, 0, 0, 0, 0], r#\"{{\"entry\":\"{name}\",\"module\":\"{module}\",\"parameters\":[]}}\"#);\n"
    )
}
