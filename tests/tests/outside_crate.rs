//! A crate outside the workspace depends on `quadscan` by its path, and builds
//! with the toolchain at hand and the README's own lines, as they stand there:
//! the checkout is `quadscan`, and the crate's folder is beside it. The README's
//! kernel and its launch are in that crate.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("the workspace")
}

/// The target folder that this test was built in: `TARGET/debug/deps/test`.
fn target() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    test.ancestors().nth(3).expect("a target folder").to_owned()
}

/// A folder outside of every workspace, the same each time for a checkout: cargo
/// tells packages apart by their paths, and has built these before.
fn folder() -> PathBuf {
    let mut hasher = DefaultHasher::new();
    root().hash(&mut hasher);
    let name = format!("quadscan-outside-{:016x}", hasher.finish());
    std::env::temp_dir().join(name)
}

/// The fenced block of the README that follows the words `heading`.
fn block_after<'a>(readme: &'a str, heading: &str) -> &'a str {
    let (_, rest) = readme.split_once(heading).expect(heading);
    let (_, rest) = rest.split_once("\n```").expect("a fenced block");
    let (_, rest) = rest.split_once('\n').expect("a line that opens it");
    let (block, _) = rest.split_once("\n```").expect("its end");
    block
}

#[test]
fn a_crate_outside_the_workspace_builds_and_runs_with_the_readmes_lines() {
    let readme = fs::read_to_string(root().join("README.md")).expect("there is a README");
    let dependency = block_after(&readme, "In your `Cargo.toml`");
    let configuration = block_after(&readme, "`.cargo/config.toml`");

    let kernel = block_after(&readme, "line in its `mod.rs`");
    let launch = block_after(&readme, "breaks the contract is an `Err`");

    let app = folder().join("app");
    fs::create_dir_all(&app).expect("a temporary folder");
    match symlink(root(), folder().join("quadscan")) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        linked => linked.expect("a link to the checkout"),
    }
    let write = |name: &str, text: &str| {
        let path = app.join(name);
        fs::create_dir_all(path.parent().expect("has one")).expect("made");
        fs::write(path, text).expect("written");
    };
    write(
        "Cargo.toml",
        &format!(
            "[package]\nname = \"outside\"\nedition = \"2024\"\n\n{dependency}\n\
             cuda_std = {{ path = \"../quadscan/rust-cuda/cuda_std\" }}\n\n\
             [profile.dev]\ndebug = false\n"
        ),
    );
    write(".cargo/config.toml", configuration);
    write("src/kernel.rs", kernel);
    write("src/main.rs", &PROGRAM.replace("LAUNCH", launch));
    // The workspace's versions are on this machine: nothing is downloaded.
    fs::copy(root().join("Cargo.lock"), app.join("Cargo.lock")).expect("copied");

    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["run", "--offline", "--quiet"])
        .current_dir(&app)
        // Not the workspace's: there, what depends on the way to the stub would
        // be built anew each time that the two ways take turns.
        .env("CARGO_TARGET_DIR", target().join("outside_crate"))
        .env_remove("CUDA_LIBRARY_PATH")
        .output()
        .expect("cargo starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        printed.contains("a device") || printed.contains("no device"),
        "{printed}"
    );
}

const PROGRAM: &str = r#"
mod kernel;

use cuda_std::launch::{Actual, SafeLaunch};
use kernel::scale;
use quadscan::device::{Dim3, LaunchShape};

fn example() -> quadscan::Result<()> {
    LAUNCH
    Ok(())
}

/// Whether the contract allows a block of this size for 64 elements.
fn allows<K: SafeLaunch>(_: K, block: impl Into<Dim3>) -> bool {
    let buffer = Actual { bytes: &[0; 8], elements: Some(64) };
    let factor = Actual { bytes: &[0; 4], elements: None };
    // SAFETY: the factor is an f32, and any four bytes are one.
    unsafe { K::check(&LaunchShape::new(2, block), &[buffer, factor, buffer]) }.is_ok()
}

fn main() {
    // One thread an element, and no two of them the same.
    assert!(allows(scale, 32));
    assert!(!allows(scale, (32, 2)));
    assert!(!allows(scale, (32, 1, 2)));
    match example() {
        Err(error @ quadscan::Error::NoDevice { .. }) => println!("{error}"),
        // This crate's kernel is not among quadscan's own.
        Err(error @ quadscan::Error::UnknownKernel { .. }) => println!("a device: {error}"),
        other => panic!("{other:?}"),
    }
}
"#;
