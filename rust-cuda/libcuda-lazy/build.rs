//! Names the folder with the stub of the driver's library to the linker, which cust's `-lcuda` looks
//! for: what `CUDA_LIBRARY_PATH` names then needs no library, only a folder `lib64`.
//!
//! That variable itself nobody can set from here: cargo runs the build scripts of `cust` and
//! `cust_raw` with the user's environment, and orders no two that do not depend on each other.

use std::env;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let package = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let stub = Path::new(&package).join("stub/lib64");
    println!("cargo::rustc-link-search=native={}", stub.display());
}
