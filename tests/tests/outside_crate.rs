//! A crate outside the workspace depends on `quadscan` by its path, and builds
//! with the toolchain at hand and the two lines of configuration that the
//! README gives.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("the workspace").to_owned()
}

/// The target folder that this test was built in: `TARGET/debug/deps/test`.
fn target() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    test.ancestors().nth(3).expect("a target folder").to_owned()
}

/// The fenced block of the README that follows the words `heading`.
fn block_after(readme: &str, heading: &str) -> String {
    let (_, rest) = readme.split_once(heading).expect(heading);
    let (_, rest) = rest.split_once("\n```").expect("a fenced block");
    let (_, rest) = rest.split_once('\n').expect("a line that opens it");
    let (block, _) = rest.split_once("\n```").expect("its end");
    block.replace("../quadscan", root().to_str().expect("a path in UTF-8"))
}

#[test]
fn a_crate_outside_the_workspace_builds_and_runs_with_the_readmes_two_lines() {
    let readme = fs::read_to_string(root().join("README.md")).expect("there is a README");
    let configuration = block_after(&readme, "`.cargo/config.toml`");
    assert_eq!(
        configuration.lines().count(),
        2,
        "not two lines: {configuration}"
    );

    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("has one")).expect("made");
        fs::write(path, text).expect("written");
    };
    let dependency = block_after(&readme, "`Cargo.toml`");
    write(
        "Cargo.toml",
        &format!(
            "[package]\nname = \"outside\"\nedition = \"2024\"\n\n{dependency}\n\n[workspace]\n\n\
             [profile.dev]\ndebug = \"line-tables-only\"\n"
        ),
    );
    write(".cargo/config.toml", &configuration);
    write("src/main.rs", PROGRAM);
    // The workspace's versions are on this machine: nothing is downloaded.
    fs::copy(root().join("Cargo.lock"), folder.path().join("Cargo.lock")).expect("copied");

    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["run", "--offline", "--quiet"])
        .current_dir(folder.path())
        // With the workspace's own packages, built a moment ago, to be quick.
        .env("CARGO_TARGET_DIR", target())
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
use quadscan::device::{Artifact, Device, DeviceChoice};

fn main() -> quadscan::Result<()> {
    let artifact = Artifact::embedded()?;
    assert!(artifact.modules().count() > 0);
    match Device::open(DeviceChoice::Auto) {
        Ok(device) => println!("a device: {}", device.properties().name),
        Err(error) => println!("{error}"),
    }
    Ok(())
}
"#;
