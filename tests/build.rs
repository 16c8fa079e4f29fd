//! Makes nothing. What build scripts and macros depend on gets the features that it has in tests, so that
//! `cargo xtask test` compiles it once for both.

use cuda_builder as _;
use serde_core as _;
use serde_json as _;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}
