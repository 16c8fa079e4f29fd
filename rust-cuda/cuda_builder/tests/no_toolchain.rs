//! Without a toolchain there is one sentence. A process of its own, because
//! the test changes the environment.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use cuda_builder::{CudaBuilder, CudaBuilderError, toolchain};

/// A toolchain that rustup could have, and has not.
const OTHER: &str = "nightly-2020-01-01";

fn set(variable: &str, value: impl AsRef<OsStr>) {
    // SAFETY: this process has one test, and no other thread reads the environment.
    unsafe { std::env::set_var(variable, value) };
}

fn unset(variable: &str) {
    // SAFETY: as above.
    unsafe { std::env::remove_var(variable) };
}

/// What an author reads whose kernels are built now: one line.
fn refused() -> String {
    let error = CudaBuilder::new("kernels").build().unwrap_err();
    assert!(
        matches!(error, CudaBuilderError::NoToolchain { .. }),
        "{error}"
    );
    let text = error.to_string();
    assert_eq!(text.lines().count(), 1, "{text}");
    text
}

/// The folder that rustup would give a toolchain.
fn folder(home: &Path, name: &str) -> PathBuf {
    let host = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    home.join("toolchains").join(format!("{name}-{host}"))
}

/// Puts a `rustc` there that prints this, and rust-src.
fn install(folder: &Path, printed: &str) {
    let library = folder.join("lib/rustlib/src/rust/library");
    fs::create_dir_all(&library).unwrap();
    fs::write(library.join("Cargo.lock"), "").unwrap();
    fs::create_dir_all(folder.join("bin")).unwrap();
    let rustc = folder.join("bin/rustc");
    fs::write(&rustc, format!("#!/bin/sh\necho '{printed}'\n")).unwrap();
    fs::set_permissions(&rustc, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_toolchain_that_is_missing_or_too_old_is_one_sentence_that_names_the_command() {
    let sysroot = toolchain::find().unwrap().sysroot;
    let home = tempfile::tempdir().unwrap();
    set("RUSTUP_HOME", home.path());

    the_pinned_one_is_missing_or_has_no_rust_src(home.path());
    one_that_was_named_is_missing_or_will_not_do(home.path());
    nothing_can_be_installed_without_rustup();
    another_nightly_is_used_with_a_warning(home.path(), &sysroot);
}

fn the_pinned_one_is_missing_or_has_no_rust_src(home: &Path) {
    let pinned = toolchain::PINNED;
    assert_eq!(
        refused(),
        format!(
            "kernels are built with {pinned} and rust-src, which are not installed: run `{}`",
            toolchain::INSTALL_COMMAND
        )
    );
    let text = CudaBuilder::new("kernels")
        .setup_command("make tools")
        .build()
        .unwrap_err()
        .to_string();
    assert!(text.ends_with("run `make tools`"), "{text}");
    assert!(!toolchain::status().packages_fetched);

    let folder = folder(home, pinned);
    fs::create_dir_all(&folder).unwrap();
    assert_eq!(
        refused(),
        format!(
            "the toolchain {pinned} has no rust-src: run `rustup component add rust-src --toolchain {pinned}`"
        )
    );
    fs::remove_dir_all(folder).unwrap();
}

fn one_that_was_named_is_missing_or_will_not_do(home: &Path) {
    let variable = toolchain::VARIABLE;
    set(variable, OTHER);
    assert_eq!(
        refused(),
        format!(
            "{variable} names the toolchain {OTHER}, which is not installed: \
             run `rustup toolchain install {OTHER} --profile minimal -c rust-src`"
        )
    );
    let folder = folder(home, OTHER);
    for (printed, reason) in [
        (
            "rustc 1.42.0-nightly\nLLVM version: 9.0",
            "has LLVM 9.0, and kernels need 23 or newer",
        ),
        ("no compiler", "is not rustc's"),
        (
            "rustc 1.101.0-nightly\nLLVM version: 23.1",
            "has no libLLVM of its own",
        ),
    ] {
        install(&folder, printed);
        assert_eq!(
            refused(),
            format!(
                "the toolchain {OTHER} {reason}: run `{}`",
                toolchain::INSTALL_COMMAND
            )
        );
    }
    fs::remove_dir_all(folder).unwrap();

    set(variable, OsStr::from_bytes(b"night\xffly"));
    let text = toolchain::find().unwrap_err().to_string();
    assert!(text.contains("is not UTF-8"), "{text}");
    assert_eq!(text.lines().count(), 1);
}

fn nothing_can_be_installed_without_rustup() {
    set(toolchain::VARIABLE, OTHER);
    let path = std::env::var_os("PATH").unwrap_or_default();
    set("PATH", "");
    let mut said = Vec::new();
    let error = toolchain::install(&mut |line| said.push(line.to_owned())).unwrap_err();
    set("PATH", path);
    assert_eq!(said, [format!("installing {OTHER} with rust-src")]);
    assert_eq!(
        error.to_string(),
        format!(
            "rustup, which installs toolchains, was not found (https://rustup.rs): run `{}`",
            toolchain::INSTALL_COMMAND
        )
    );
}

/// Without the pinned one, the newest nightly that will do.
fn another_nightly_is_used_with_a_warning(home: &Path, sysroot: &Path) {
    unset(toolchain::VARIABLE);
    let other = folder(home, "nightly-2099-01-01");
    fs::create_dir_all(other.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(sysroot, other).unwrap();
    let found = toolchain::find().unwrap();
    assert!(found.name.starts_with("nightly-2099-01-01"), "{found:?}");
    let warning = found.warning.unwrap();
    let expected = format!(
        "{} is not installed; kernels are built with nightly-2099-01-01",
        toolchain::PINNED
    );
    assert!(warning.starts_with(&expected), "{warning}");
}
