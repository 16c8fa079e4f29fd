//! Tells `quadscan-ptx`, which builds the kernels to PTX, where their sources are: beside it in a
//! checkout, and wherever cargo unpacked them otherwise.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if let Ok(folder) = env::var("CARGO_MANIFEST_DIR") {
        println!("cargo::metadata=folder={folder}");
    }
}
