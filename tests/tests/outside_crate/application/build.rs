//! Builds the application's kernels to PTX.

use cuda_builder::{CudaBuilder, NvvmArch};

fn main() {
    let artifact = CudaBuilder::new("kernels")
        .archs(&[NvvmArch::Compute75, NvvmArch::Compute90])
        .build_all()
        .unwrap();
    println!("cargo::rustc-env=KERNELS={}", artifact.dir.display());
}
