//! Builds the kernels to PTX and puts them into the program.
//!
//! The output is `artifact.rs`, which `src/device/artifact.rs` includes: the
//! manifest and the PTX of each part and architecture as text. The network is not used.

use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

use cuda_builder::manifest::Manifest;
use cuda_builder::{CudaBuilder, LintLevel, NvvmArch};
use flate2::Compression;
use flate2::read::ZlibEncoder;

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
    let source = source(&artifact.manifest, &artifact.dir, &out)?;
    write(&out.join("artifact.rs"), source.as_bytes())
}

/// Rust source that holds the artifact's files; packs those of PTX into `out`.
fn source(manifest: &Manifest, dir: &Path, out: &Path) -> Result<String, String> {
    let mut source = format!(
        "pub(super) const MANIFEST: &str = include_str!({:?});\n\
         pub(super) const PTX: &[(&str, &[u8])] = &[\n",
        dir.join(cuda_builder::manifest::FILE_NAME)
    );
    let parts = manifest.modules().iter().flat_map(|module| &module.parts);
    for part in parts {
        let path = dir.join(&part.file);
        let text =
            fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let packed = out.join(format!("{}.z", part.file));
        write(&packed, &pack(&text))?;
        let _ = writeln!(source, "    ({:?}, include_bytes!({packed:?})),", part.file);
    }
    source.push_str("];\n");
    Ok(source)
}

fn pack(text: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut encoder = ZlibEncoder::new(text, Compression::default());
    // Neither side of this can fail: both are memory.
    let _ = encoder.read_to_end(&mut packed);
    packed
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    fs::write(path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
