//! `cargo xtask bundle [DIR]`: a folder that runs on a GPU machine with a
//! driver and nothing else.
//!
//! The folder's `SHA256SUMS` lists the files that the command wrote. A later run distinguishes
//! them from other files by it, and the other machine checks the transfer with it
//! (`sha256sum --check SHA256SUMS`).

pub(crate) mod folder;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context, bail};

use crate::cargo::{self, Executable};
use crate::{bench, quadscan, setup, terminal};
use folder::Folder;

/// The suites that need a GPU: test targets of these packages.
const GPU_SUITES: &[(&str, &str)] = &[
    (TESTS, WITH_KERNELS[0]),
    (TESTS, FIXTURES),
    ("rust-cuda-tests", WITH_KERNELS[1]),
];

/// Those that launch kernels of their own, too, whose folder they print when they are asked for
/// `ptx`.
const WITH_KERNELS: [&str; 2] = ["conformance", "subjects"];

/// The suite that records a GPU.
pub(crate) const FIXTURES: &str = "fixtures";

/// The package of nearly all suites.
const TESTS: &str = "quadscan-tests";

/// The largest bundle that is let through.
const MAX_BYTES: u64 = 40_000_000;

/// The file with the suites and their PTX.
const PACKED: &str = "gpu-tests.tar.gz";

/// The argument that names the folder.
const ARGUMENT: &str = "DIR";

const README: &str = include_str!("bundle/README.md");
const RUN_GPU_TESTS: &str = include_str!("bundle/run-gpu-tests.sh");

pub(crate) fn run(directory: Option<PathBuf>) -> anyhow::Result<ExitCode> {
    let directory = match directory {
        Some(directory) => directory,
        None => cargo::target_directory()?.join("bundle"),
    };
    // Refuse before building: that takes a second, a build minutes.
    Folder::check(ARGUMENT, &directory)?;
    setup::ensure()?;

    let start = Instant::now();
    terminal::begin("building quadscan and its GPU tests");
    let program = bench::embedding()?;
    let suites = suites(GPU_SUITES)?;

    terminal::begin(&format!("writing {}", directory.display()));
    let mut folder = Folder::replace(ARGUMENT, &directory)?;
    let readme = README.replace("@processor@", std::env::consts::ARCH);
    folder.write("README.md", readme.as_bytes())?;
    folder.write_executable("run-gpu-tests.sh", RUN_GPU_TESTS.as_bytes())?;
    folder.write_executable("quadscan", &stripped(&program.path)?)?;
    folder.write(PACKED, &packed(&suites)?)?;
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        folder.copy(&cargo::root().join(name), name)?;
    }
    folder.copy_all(&cargo::root().join("peers"), "peers")?;
    for (name, page) in quadscan::manual().context("the manual could not be made")? {
        folder.write(&format!("man/{name}"), &page)?;
    }
    let bytes = folder.finish()?;

    if bytes > MAX_BYTES {
        bail!(
            "the bundle in {} has {bytes} bytes, more than the {MAX_BYTES} allowed",
            directory.display()
        );
    }
    terminal::took(&format!("{:.1} MB", bytes as f64 / 1e6), start);
    println!("{}", directory.display());
    Ok(ExitCode::SUCCESS)
}

/// The suites, and the PTX of each that has some of its own; ours is in the program.
fn packed(suites: &[Executable]) -> anyhow::Result<Vec<u8>> {
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let folder = folder.path();
    for name in ["gpu-tests", "ptx"] {
        fs::create_dir(folder.join(name)).context("no temporary folder")?;
    }
    for suite in suites {
        let path = folder.join("gpu-tests").join(&suite.name);
        let cannot = || format!("{} could not be written", path.display());
        fs::write(&path, stripped(&suite.path)?).with_context(cannot)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).with_context(cannot)?;
    }
    let with_kernels = suites
        .iter()
        .filter(|suite| WITH_KERNELS.contains(&&*suite.name));
    for suite in with_kernels {
        let said = Command::new(&suite.path).arg("ptx").output();
        let said = said.with_context(|| format!("{} does not start", suite.name))?;
        if !said.status.success() {
            bail!("{}: {}", suite.name, String::from_utf8_lossy(&said.stderr));
        }
        let printed = String::from_utf8_lossy(&said.stdout);
        let link = folder.join("ptx").join(&suite.name);
        symlink(printed.trim_end(), &link)
            .with_context(|| format!("{} could not be made", link.display()))?;
    }
    // What the builder keeps beside the artifact is none of it.
    let packed = Command::new("tar")
        .args(["--create", "--gzip", "--dereference", "--sort=name"])
        .args(["--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"])
        .args(["--exclude=*.lock", "--exclude=*.stamp", "--directory"])
        .arg(folder)
        .args(["gpu-tests", "ptx"])
        .output()
        .context("tar could not be started")?;
    if !packed.status.success() {
        bail!("tar failed: {}", String::from_utf8_lossy(&packed.stderr));
    }
    Ok(packed.stdout)
}

/// Builds test programs of the package `quadscan-tests` in release.
pub(crate) fn gpu_suites(names: &[&str]) -> anyhow::Result<Vec<Executable>> {
    suites(&names.iter().map(|name| (TESTS, *name)).collect::<Vec<_>>())
}

/// Builds these test programs, each by its package and its name, in release.
fn suites(wanted: &[(&str, &str)]) -> anyhow::Result<Vec<Executable>> {
    let mut build = cargo::command("test");
    build.args(["--no-run", "--release"]);
    let packages: BTreeSet<&str> = wanted.iter().map(|(package, _)| *package).collect();
    for package in packages {
        build.args(["--package", package]);
    }
    for (_, name) in wanted {
        build.args(["--test", name]);
    }
    let mut suites = cargo::build(build, "the GPU tests")?;
    suites.retain(|executable| executable.is_test);
    for (_, name) in wanted {
        if !suites.iter().any(|suite| suite.name == *name) {
            bail!("cargo built the tests and named no executable for {name}");
        }
    }
    Ok(suites)
}

/// The executable's bytes without symbols, when there is a `strip`
/// (there is one wherever there is a linker).
pub(crate) fn stripped(executable: &Path) -> anyhow::Result<Vec<u8>> {
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let target = folder.path().join("stripped");
    let strip = Command::new("strip")
        .arg("--strip-all")
        .arg("-o")
        .arg(&target)
        .arg(executable)
        .status();
    let from = match strip {
        Ok(status) if status.success() => target.as_path(),
        _ => {
            terminal::note(&format!(
                "{}: `strip` failed, kept as it is",
                executable.display()
            ));
            executable
        }
    };
    fs::read(from).with_context(|| format!("{} could not be read", from.display()))
}
