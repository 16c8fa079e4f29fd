//! Names the folder with the stub of the driver's library to the linker, which cust's `-lcuda` looks
//! for: what `CUDA_LIBRARY_PATH` names then needs no library, only a folder `lib64`.
//!
//! That variable itself nobody can set from here: cargo runs the build scripts of `cust` and
//! `cust_raw` with the user's environment, and orders no two that do not depend on each other. Theirs
//! fail where no such folder is found; this one says what to write.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// What to write where `cust` finds no CUDA toolkit.
const ADVICE: &str = "no CUDA toolkit is found, without which cust does not build: write \
    `[env]` and below it `CUDA_LIBRARY_PATH = \"/usr\"`, or another folder that holds a folder \
    `lib64`, into .cargo/config.toml; see libcuda-lazy's README.md";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=CUDA_LIBRARY_PATH");
    let package = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let stub = Path::new(&package).join("stub/lib64");
    println!("cargo::rustc-link-search=native={}", stub.display());
    if env::var_os("DOCS_RS").is_none() && !candidates().iter().any(|folder| is_toolkit(folder)) {
        println!("cargo::warning={ADVICE}");
    }
}

/// Where cust looks for a toolkit.
fn candidates() -> Vec<PathBuf> {
    let named = env::var_os("CUDA_LIBRARY_PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = env::split_paths(&named).collect();
    folders.push("/opt/cuda".into());
    let installed = fs::read_dir("/usr/local").into_iter().flatten().flatten();
    let is_cuda = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name == "cuda" || name.starts_with("cuda-")
    };
    folders.extend(installed.map(|entry| entry.path()).filter(is_cuda));
    folders
}

/// Whether cust takes a folder for one.
fn is_toolkit(folder: &Path) -> bool {
    let header = folder.join("targets/x86_64-linux/include/cuda.h");
    folder.join("lib64").is_dir() || header.is_file()
}
