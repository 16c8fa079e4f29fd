//! Host programs in the style of rust-cuda's examples.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use super::{Ptx, folder, lock, scratch, target};

/// Their build script calls the builder, they use `cust`, and without a driver they say so in words.
pub(super) fn programs() {
    let (host, kernels) = (folder("host"), folder("host/kernels"));
    lock(&host);
    lock(&kernels);
    let output = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--bins", "--manifest-path"])
        .arg(host.join("Cargo.toml"))
        // What is built of the builder's dependencies is the workspace's.
        .arg("--config")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml"))
        // The builder itself is built anew, and has little to do.
        .args(["--config", "profile.dev.package.cuda_builder.opt-level=0"])
        .args(["--config", "profile.dev.package.ptx-syntax.opt-level=0"])
        .env("CARGO_BUILD_BUILD_DIR", target())
        .env("CARGO_TARGET_DIR", scratch("host"))
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let ptx = Ptx::of(&host.join("resources/kernels.ptx"));
    assert_eq!(ptx.entries(), BTreeSet::from(["gemm", "vecadd"]));
    ptx.has("vecadd", &["ld.global.nc.b32", "st.global.b32", "add."]);
    for program in ["vecadd", "streams", "gemm"] {
        let program = scratch("host").join("debug").join(program);
        let mut without = Command::new(&program);
        let without = without.env("LIBCUDA_LAZY_LIBRARY", "/nonexistent/libcuda.so.1");
        let ended = without.output().expect("it starts without a driver");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(2), "{said}");
        assert!(said.contains("could not be loaded"), "{said}");
        // With a GPU, it checks its own results.
        let ended = Command::new(&program).output().expect("it starts");
        let said = String::from_utf8_lossy(&ended.stderr);
        match ended.status.code() {
            Some(0) => assert!(String::from_utf8_lossy(&ended.stdout).contains("are right")),
            code => assert_eq!(code, Some(2), "{said}"),
        }
    }
}
