//! Builds the kernels of the application's own operators, and some of them once more, without
//! those that find where segments begin.

use std::env;
use std::path::Path;

use cuda_builder::{CudaBuilder, NvvmArch};

fn main() {
    let artifact = CudaBuilder::new("kernels")
        .archs(&[NvvmArch::Compute75, NvvmArch::Compute90])
        .build_all()
        .unwrap();
    println!("cargo::rustc-env=KERNELS={}", artifact.dir.display());
    let incomplete = CudaBuilder::new("kernels")
        .arch(NvvmArch::Compute75)
        .build_args(&["--no-default-features"])
        .out_dir(Path::new(&env::var_os("OUT_DIR").unwrap()).join("incomplete"))
        .build_all()
        .unwrap();
    println!(
        "cargo::rustc-env=WITHOUT_SEGMENT_FLAGS={}",
        incomplete.dir.display()
    );
}
