//! Builds the kernels to PTX and puts them into the program.
//!
//! The output is `artifact.rs`, which `src/device/artifact.rs` includes: the
//! manifest and the PTX of each part and architecture as text. The network is not used.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

use cuda_builder::{CudaBuilder, LintLevel, NvvmArch};

fn main() {
    record_revision();
    if let Err(reason) = embed() {
        eprintln!("{reason}");
        process::exit(1);
    }
}

/// Hands the checkout's revision to the program as `QUADSCAN_GIT_REVISION`, where
/// there is a checkout. Its log has a new line after every commit and checkout.
fn record_revision() {
    let git = |arguments: &[&str]| {
        let output = process::Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
        (output.status.success() && !text.is_empty()).then_some(text)
    };
    let Some(revision) = git(&["rev-parse", "HEAD"]) else {
        return;
    };
    println!("cargo::rustc-env=QUADSCAN_GIT_REVISION={revision}");
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"])
        && Path::new(&log).exists()
    {
        println!("cargo::rerun-if-changed={log}");
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
    let parts = manifest.modules().iter().flat_map(|module| &module.parts);
    for part in parts {
        let _ = writeln!(source, "    ({:?}, {}),", part.file, include(&part.file));
    }
    source.push_str("];\n");
    source
}
