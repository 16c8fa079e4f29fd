//! Without a toolchain there is one sentence. A process of its own, because
//! the test changes the environment.

use std::os::unix::fs::PermissionsExt;

use cuda_builder::{CudaBuilder, CudaBuilderError, toolchain};

#[test]
fn a_toolchain_that_is_missing_or_too_old_is_one_sentence_that_names_the_command() {
    let pinned = toolchain::find().unwrap();
    let empty = tempfile::tempdir().unwrap();
    // SAFETY: this process has one test, and no other thread reads the environment.
    unsafe { std::env::set_var("RUSTUP_HOME", empty.path()) };
    let error = CudaBuilder::new("kernels").build().unwrap_err();
    assert!(matches!(error, CudaBuilderError::NoToolchain { .. }));
    let text = error.to_string();
    assert!(text.contains(toolchain::INSTALL_COMMAND), "{text}");
    assert_eq!(text.lines().count(), 1);

    let text = CudaBuilder::new("kernels")
        .setup_command("make tools")
        .build()
        .unwrap_err()
        .to_string();
    assert!(text.ends_with("run `make tools`"), "{text}");
    assert!(!toolchain::status().packages_fetched);

    // SAFETY: as above.
    unsafe { std::env::set_var(toolchain::VARIABLE, "nightly-2020-01-01") };
    let text = CudaBuilder::new("kernels").build().unwrap_err().to_string();
    assert!(
        text.contains("rustup toolchain install nightly-2020-01-01"),
        "{text}"
    );

    let bytes = std::os::unix::ffi::OsStrExt::from_bytes(b"night\xffly");
    // SAFETY: as above.
    unsafe { std::env::set_var::<_, &std::ffi::OsStr>(toolchain::VARIABLE, bytes) };
    let text = toolchain::find().unwrap_err().to_string();
    assert!(text.contains("is not UTF-8"), "{text}");
    assert_eq!(text.lines().count(), 1);
    // SAFETY: as above.
    unsafe { std::env::set_var(toolchain::VARIABLE, "nightly-2020-01-01") };

    // One that is older than LLVM 23 is told from one that will do.
    let host = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let toolchains = empty.path().join("toolchains");
    let old = toolchains.join(format!("nightly-2020-01-01-{host}"));
    std::fs::create_dir_all(old.join("bin")).unwrap();
    let text = toolchain::find().unwrap_err().to_string();
    assert!(text.contains("rustup component add rust-src"), "{text}");
    std::fs::create_dir_all(old.join("lib/rustlib/src/rust/library")).unwrap();
    std::fs::write(old.join("lib/rustlib/src/rust/library/Cargo.lock"), "").unwrap();
    let rustc = old.join("bin/rustc");
    std::fs::write(
        &rustc,
        "#!/bin/sh\necho 'rustc 1.42.0-nightly'\necho 'LLVM version: 9.0'\n",
    )
    .unwrap();
    std::fs::set_permissions(&rustc, std::fs::Permissions::from_mode(0o755)).unwrap();
    let text = toolchain::find().unwrap_err().to_string();
    assert!(text.contains("has LLVM 9.0, and kernels need 23"), "{text}");

    // Without the pinned one, the newest nightly that will do, and a warning.
    // SAFETY: as above.
    unsafe { std::env::remove_var(toolchain::VARIABLE) };
    let other = toolchains.join(format!("nightly-2099-01-01-{host}"));
    std::os::unix::fs::symlink(&pinned.sysroot, other).unwrap();
    let found = toolchain::find().unwrap();
    assert!(found.name.starts_with("nightly-2099-01-01"), "{found:?}");
    assert!(found.warning.unwrap().contains("is not installed"));
}
