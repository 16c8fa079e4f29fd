//! Builds the kernels to PTX and puts them into the program.
//!
//! The output is `artifact.rs`, which `src/device/artifact.rs` includes: the
//! manifest and the PTX of each architecture as text. The network is not used.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

use cuda_builder::{CudaBuilder, LintLevel, NvvmArch};

fn main() {
    if let Err(reason) = embed() {
        eprintln!("{reason}");
        process::exit(1);
    }
}

fn embed() -> Result<(), String> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let artifact = CudaBuilder::new("../kernels-crate")
        .archs(&[NvvmArch::Compute75, NvvmArch::Compute90])
        .fma_contraction(false)
        .lints(LintLevel::Deny)
        .setup_command("cargo xtask setup")
        .build_all()
        .map_err(|error| error.to_string())?;
    let source = source(&artifact.manifest, &artifact.dir);
    let path = out.join("artifact.rs");
    fs::write(&path, source).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Rust source that holds the artifact's files.
fn source(manifest: &cuda_builder::manifest::Manifest, dir: &Path) -> String {
    let include = |file: &str| format!("include_str!({:?})", dir.join(file));
    let mut source = format!(
        "pub(super) const MANIFEST: &str = {};\n\
         pub(super) const PTX: &[(&str, &str)] = &[\n",
        include(cuda_builder::manifest::FILE_NAME)
    );
    for module in manifest.modules() {
        let _ = writeln!(
            source,
            "    ({:?}, {}),",
            module.file,
            include(&module.file)
        );
    }
    source.push_str("];\n");
    source
}
