//! Builds the kernels of the subjects and hands their artifact to the package.

use std::fmt::Write;
use std::path::PathBuf;
use std::{env, fs, process};

use cuda_builder::{CudaBuilder, Lint, LintLevel, NvvmArch};

fn main() {
    if let Err(reason) = embed() {
        eprintln!("{reason}");
        process::exit(1);
    }
}

fn embed() -> Result<(), String> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let artifact = CudaBuilder::new("kernels")
        .archs(&[NvvmArch::Compute75, NvvmArch::Compute90])
        // The host's bits.
        .fma_contraction(false)
        // Hashes and sorted vectors have arrays that no register can hold.
        .lint(Lint::LocalArray, LintLevel::Allow)
        // Atomics of a block take a pointer to whatever memory it is.
        .lint(Lint::SharedGeneric, LintLevel::Allow)
        .setup_command("cargo xtask setup")
        .build_all()
        .map_err(|error| error.to_string())?;
    let mut source = String::from("&[\n");
    let manifest = artifact.dir.join(cuda_builder::manifest::FILE_NAME);
    for path in artifact.ptx_paths().chain([manifest]) {
        let name = path.file_name().unwrap_or_default();
        let _ = writeln!(source, "    ({name:?}, include_bytes!({path:?})),");
    }
    source.push_str("]\n");
    fs::write(out.join("artifact.rs"), source).map_err(|error| error.to_string())
}
