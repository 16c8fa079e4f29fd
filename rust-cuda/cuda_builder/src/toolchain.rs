//! The pinned nightly: which one, where it is, how it gets there.
//!
//! This is the only place that names it. Kernels need a nightly for
//! `-Zbuild-std`, and LLVM 23 for atomics that keep their memory order.
//! Building never installs or downloads anything: [`install`] does, when
//! somebody asks for it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::CudaBuilderError;
use crate::environment;

/// The nightly that kernels are built with.
pub const PINNED: &str = "nightly-2026-10-15";

/// LLVM before this version drops the memory order of atomic read-modify-writes.
pub const MINIMUM_LLVM: u32 = 23;

/// Names another toolchain: one that rustup lists, or the path of its folder.
pub const VARIABLE: &str = "CUDA_BUILDER_TOOLCHAIN";

/// The command that installs [`PINNED`].
pub const INSTALL_COMMAND: &str =
    "rustup toolchain install nightly-2026-10-15 --profile minimal -c rust-src";

/// A toolchain that can build kernels.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Toolchain {
    /// As rustup lists it, or the path that [`VARIABLE`] gave.
    pub name: String,
    /// The folder with `bin` and `lib` in it.
    pub sysroot: PathBuf,
    /// Release, commit and date: `1.101.0-nightly (7df81381d 2026-10-14)`.
    pub rustc: String,
    /// The date of the commit: `2026-10-14`.
    pub commit_date: String,
    /// The version of its LLVM: `23.1.3`.
    pub llvm: String,
    /// The library that holds it.
    pub llvm_library: PathBuf,
    /// What the author should know: that this is not [`PINNED`].
    pub warning: Option<String>,
}

/// What [`status`] found.
#[derive(Debug)]
#[non_exhaustive]
pub struct Status {
    /// The toolchain that was asked for: [`PINNED`], or what [`VARIABLE`] says.
    pub wanted: String,
    /// The toolchain that builds will use.
    pub toolchain: Result<Toolchain, CudaBuilderError>,
    /// Whether the packages that building core needs are on this machine.
    pub packages_fetched: bool,
}

/// Looks for the toolchain and what building core needs; changes nothing.
pub fn status() -> Status {
    let toolchain = find();
    let packages_fetched = toolchain.as_ref().is_ok_and(Toolchain::has_packages);
    Status {
        wanted: wanted().unwrap_or_else(|error| error.to_string()),
        toolchain,
        packages_fetched,
    }
}

/// Installs what is missing, and says what it does through `progress`, one
/// line at a time. Uses the network only for what is not there yet.
///
/// # Errors
///
/// [`CudaBuilderError::NoToolchain`] when rustup is missing or cannot install
/// it, with what rustup said.
pub fn install(progress: &mut dyn FnMut(&str)) -> Result<Toolchain, CudaBuilderError> {
    let wanted = wanted()?;
    let there = sysroot_of(&wanted).and_then(|sysroot| inspect(&wanted, &sysroot).ok());
    let toolchain = match there {
        Some(toolchain) => {
            progress(&format!("{wanted} is installed"));
            toolchain
        }
        None => {
            progress(&format!("installing {wanted} with rust-src"));
            rustup_install(&wanted)?;
            let sysroot = sysroot_of(&wanted).ok_or_else(|| missing(&wanted))?;
            inspect(&wanted, &sysroot)?
        }
    };
    if toolchain.has_packages() {
        progress("the packages that building core needs are there");
    } else {
        progress("fetching the packages that building core needs");
        fetch_library(&toolchain, false)?;
    }
    Ok(toolchain)
}

/// The toolchain that builds use: [`VARIABLE`]'s if it is set, else [`PINNED`],
/// else the newest installed nightly that will do, with a warning.
///
/// # Errors
///
/// [`CudaBuilderError::NoToolchain`], which names the command that mends it.
pub fn find() -> Result<Toolchain, CudaBuilderError> {
    let wanted = wanted()?;
    let mut refusal = missing(&wanted);
    if let Some(sysroot) = sysroot_of(&wanted) {
        match inspect(&wanted, &sysroot) {
            Ok(toolchain) => return Ok(toolchain),
            Err(error) if wanted != PINNED => return Err(error),
            // Said below, if nothing else will do.
            Err(error) => refusal = error,
        }
    } else if wanted != PINNED {
        return Err(CudaBuilderError::NoToolchain {
            reason: format!("{VARIABLE} names the toolchain {wanted}, which is not installed"),
            remedy: format!("rustup toolchain install {wanted} --profile minimal -c rust-src"),
        });
    }
    let mut toolchain = newest_substitute().ok_or(refusal)?;
    toolchain.warning = Some(format!(
        "{PINNED} is not installed; kernels are built with {} (LLVM {}) instead, so the PTX may differ",
        toolchain.name, toolchain.llvm
    ));
    Ok(toolchain)
}

impl Toolchain {
    /// The toolchain's own cargo.
    pub fn cargo(&self) -> PathBuf {
        self.sysroot.join("bin/cargo")
    }

    /// A command that runs the toolchain's cargo and rustc, whatever
    /// toolchain, flags and wrappers the caller runs under.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(self.cargo());
        environment::clear(&mut command);
        command
            .env("RUSTC", self.sysroot.join("bin/rustc"))
            .env("RUSTUP_TOOLCHAIN", &self.name);
        command
    }

    /// The files and folders whose change may make this another toolchain.
    pub(crate) fn sources(&self) -> Vec<PathBuf> {
        let mut sources = vec![self.sysroot.join("bin/rustc"), self.llvm_library.clone()];
        if self.warning.is_some() {
            // It changes with every toolchain that rustup installs, and cargo
            // looks at every file in a folder: those with the toolchains
            // themselves hold too many.
            sources.extend(rustup_folder().map(|folder| folder.join("update-hashes")));
        }
        sources.retain(|path| path.exists());
        sources
    }

    /// The N of release 1.N; 0 when rustc's version does not tell.
    pub(crate) fn minor_version(&self) -> u32 {
        let minor = self.rustc.split('.').nth(1);
        minor.and_then(|minor| minor.parse().ok()).unwrap_or(0)
    }

    /// Whether the packages that building core needs are on this machine.
    pub(crate) fn has_packages(&self) -> bool {
        fetch_library(self, true).is_ok()
    }

    /// The command that fetches them: another cargo may not understand that manifest.
    pub(crate) fn fetch_command(&self) -> String {
        let (cargo, manifest) = (self.cargo(), self.library_manifest());
        format!(
            "{} fetch --locked --manifest-path {}",
            cargo.display(),
            manifest.display()
        )
    }

    /// The manifest of the standard library's own workspace.
    fn library_manifest(&self) -> PathBuf {
        self.sysroot.join("lib/rustlib/src/rust/library/Cargo.toml")
    }
}

fn wanted() -> Result<String, CudaBuilderError> {
    match env::var_os(VARIABLE) {
        Some(name) if !name.is_empty() => name.into_string().map_err(|name| {
            CudaBuilderError::BadOption(format!(
                "{VARIABLE} is not UTF-8 ({}): name a toolchain that rustup lists, or the path of its folder",
                name.display()
            ))
        }),
        _ => Ok(PINNED.to_owned()),
    }
}

fn missing(name: &str) -> CudaBuilderError {
    CudaBuilderError::NoToolchain {
        reason: format!("kernels are built with {name} and rust-src, which are not installed"),
        remedy: INSTALL_COMMAND.replace(PINNED, name),
    }
}

/// Where rustup keeps what it has; `None` without a home folder.
fn rustup_folder() -> Option<PathBuf> {
    match env::var_os("RUSTUP_HOME") {
        Some(home) if !home.is_empty() => Some(PathBuf::from(home)),
        _ => Some(env::home_dir()?.join(".rustup")),
    }
}

fn toolchains_folder() -> Option<PathBuf> {
    Some(rustup_folder()?.join("toolchains"))
}

fn sysroot_of(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| path.is_dir());
    }
    let folder = toolchains_folder()?;
    let host = format!("{name}-{}-unknown-linux-gnu", env::consts::ARCH);
    [host.as_str(), name]
        .map(|entry| folder.join(entry))
        .into_iter()
        .find(|path| path.is_dir())
}

fn newest_substitute() -> Option<Toolchain> {
    let entries = fs::read_dir(toolchains_folder()?).ok()?;
    entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            inspect(&name, &entry.path()).ok()
        })
        .filter(|toolchain| toolchain.rustc.contains("nightly"))
        .max_by(|a, b| (&a.commit_date, &a.name).cmp(&(&b.commit_date, &b.name)))
}

/// Reads what a toolchain is, and refuses one that cannot build kernels.
fn inspect(name: &str, sysroot: &Path) -> Result<Toolchain, CudaBuilderError> {
    let unusable = |reason: String| CudaBuilderError::NoToolchain {
        reason,
        remedy: INSTALL_COMMAND.to_owned(),
    };
    if !sysroot
        .join("lib/rustlib/src/rust/library/Cargo.lock")
        .is_file()
    {
        return Err(CudaBuilderError::NoToolchain {
            reason: format!("the toolchain {name} has no rust-src"),
            remedy: format!("rustup component add rust-src --toolchain {name}"),
        });
    }
    let rustc = sysroot.join("bin/rustc");
    let mut command = Command::new(&rustc);
    environment::clear(&mut command);
    let output = command
        .arg("-vV")
        .stdin(Stdio::null())
        .output()
        .map_err(|source| CudaBuilderError::Start {
            program: rustc,
            source,
        })?;
    let text = String::from_utf8_lossy(&output.stdout);
    let field = |key: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(key))
            .map(str::trim)
    };
    let (Some(llvm), Some(version)) = (field("LLVM version:"), field("rustc ")) else {
        return Err(unusable(format!("the toolchain {name} is not rustc's")));
    };
    let major: u32 = llvm
        .split('.')
        .next()
        .and_then(|major| major.parse().ok())
        .unwrap_or(0);
    if major < MINIMUM_LLVM {
        return Err(unusable(format!(
            "the toolchain {name} has LLVM {llvm}, and kernels need {MINIMUM_LLVM} or newer"
        )));
    }
    let llvm_library = llvm_library(sysroot)
        .ok_or_else(|| unusable(format!("the toolchain {name} has no libLLVM of its own")))?;
    Ok(Toolchain {
        name: name.to_owned(),
        sysroot: sysroot.to_owned(),
        rustc: version.to_owned(),
        commit_date: field("commit-date:").unwrap_or_default().to_owned(),
        llvm: llvm.to_owned(),
        llvm_library,
        warning: None,
    })
}

/// The library itself; a file of a few bytes beside it is a linker script.
fn llvm_library(sysroot: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(sysroot.join("lib")).ok()?;
    entries
        .flatten()
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with("libLLVM") && name.contains(".so")
        })
        .filter_map(|entry| Some((fs::metadata(entry.path()).ok()?.len(), entry.path())))
        .max()
        .map(|(_, path)| path)
}

fn rustup_install(name: &str) -> Result<(), CudaBuilderError> {
    if name.contains('/') {
        return Err(missing(name));
    }
    let mut command = Command::new("rustup");
    environment::clear(&mut command);
    command.args([
        "toolchain",
        "install",
        name,
        "--profile",
        "minimal",
        "-c",
        "rust-src",
        "--no-self-update",
    ]);
    let output =
        command
            .stdin(Stdio::null())
            .output()
            .map_err(|_| CudaBuilderError::NoToolchain {
                reason: "rustup, which installs toolchains, was not found (https://rustup.rs)"
                    .into(),
                remedy: INSTALL_COMMAND.into(),
            })?;
    if output.status.success() {
        return Ok(());
    }
    Err(CudaBuilderError::NoToolchain {
        reason: format!(
            "rustup could not install {name} ({})",
            last_line(&output.stderr)
        ),
        remedy: INSTALL_COMMAND.replace(PINNED, name),
    })
}

/// Fetches what the standard library's lock file names; `offline` only looks.
fn fetch_library(toolchain: &Toolchain, offline: bool) -> Result<(), CudaBuilderError> {
    let mut command = toolchain.command();
    command
        .args(["fetch", "--locked", "--manifest-path"])
        .arg(toolchain.library_manifest());
    if offline {
        command.arg("--offline");
    }
    let output =
        command
            .stdin(Stdio::null())
            .output()
            .map_err(|source| CudaBuilderError::Start {
                program: toolchain.cargo(),
                source,
            })?;
    if output.status.success() {
        return Ok(());
    }
    Err(CudaBuilderError::NoToolchain {
        reason: format!(
            "the packages that building core needs could not be fetched ({})",
            last_line(&output.stderr)
        ),
        remedy: toolchain.fetch_command(),
    })
}

fn last_line(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let last = text.lines().map(str::trim).rfind(|line| !line.is_empty());
    last.unwrap_or("it gave no reason").to_owned()
}
