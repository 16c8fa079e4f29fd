//! The nested cargo: from a crate of kernels to bitcode.
//!
//! It stops where a linker would start. What a linker would get is kept by
//! [`crate::linker`] and read by [`crate::passes`]; nothing here knows LLVM.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hmac_sha256::Hash as Sha256;
use serde::Deserialize;

use crate::builder::Options;
use crate::dep_info;
use crate::toolchain::Toolchain;
use crate::{CudaBuilderError, NvvmArch, advice, flags, linker};

/// The environment variable that names a folder for nested builds and what they keep, so
/// that builds with target folders of their own do not build the same kernels again.
const SHARED: &str = "CUDA_BUILDER_TARGET_DIR";

/// The environment variable that tells cuda_std's macros which kernels are wanted.
const ONLY: &str = "CUDA_BUILDER_ONLY";

/// Where a crate of kernels is and what it is called.
#[derive(Debug, Clone)]
pub(crate) struct Crate {
    pub(crate) folder: PathBuf,
    pub(crate) manifest: PathBuf,
    pub(crate) name: String,
    /// The library's name, with which the paths of its modules begin.
    pub(crate) library: String,
    pub(crate) version: String,
    pub(crate) workspace: PathBuf,
    /// The target folder that the crate's own workspace would use.
    target: PathBuf,
    /// Whether another clone of the workspace can share its target folder.
    shares: bool,
}

/// What a build leaves for the passes.
#[derive(Debug)]
pub(crate) struct Bitcode {
    /// The one module of everything.
    pub(crate) module: Vec<u8>,
    /// Archives to take missing functions from: compiler_builtins.
    pub(crate) archives: Vec<PathBuf>,
    /// Every file whose change makes this build stale, or whose coming does.
    pub(crate) sources: BTreeSet<PathBuf>,
    /// The workspace's, which may be new.
    pub(crate) lock_file: PathBuf,
    /// Every environment variable whose value went into it.
    pub(crate) variables: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_root: PathBuf,
    target_directory: PathBuf,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    manifest_path: PathBuf,
    #[serde(default)]
    targets: Vec<Target>,
    #[serde(default)]
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Dependency {
    path: Option<PathBuf>,
    kind: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    manifest_path: PathBuf,
    #[serde(default)]
    package_id: String,
    #[serde(default)]
    filenames: Vec<PathBuf>,
}

impl Package {
    /// The name of the library, as rustc has it.
    fn library(&self) -> String {
        let is_library = |target: &&Target| target.kind.iter().any(|kind| kind.ends_with("lib"));
        let library = self.targets.iter().find(is_library);
        library
            .map_or(&self.name, |target| &target.name)
            .replace('-', "_")
    }
}

impl Crate {
    /// Asks cargo what the crate at `folder` is.
    pub(crate) fn find(toolchain: &Toolchain, folder: &Path) -> Result<Self, CudaBuilderError> {
        let missing = || CudaBuilderError::CratePathDoesntExist(folder.to_owned());
        let folder = folder.canonicalize().map_err(|_| missing())?;
        let manifest = folder.join("Cargo.toml");
        if !manifest.is_file() {
            return Err(missing());
        }
        let mut command = toolchain.command();
        command
            .args(["metadata", "--no-deps", "--offline", "--format-version=1"])
            .arg("--manifest-path")
            .arg(&manifest)
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stderr(Stdio::inherit());
        let output = command.output().map_err(|source| CudaBuilderError::Start {
            program: toolchain.cargo(),
            source,
        })?;
        if !output.status.success() {
            return Err(CudaBuilderError::BuildFailed {
                crate_path: folder,
                advice: String::new(),
            });
        }
        let unexpected = |reason: String| CudaBuilderError::Unexpected {
            program: "cargo metadata",
            reason,
        };
        let metadata: Metadata = serde_json::from_slice(&output.stdout)
            .map_err(|error| unexpected(error.to_string()))?;
        let shares = shares(&metadata, &folder);
        let package = metadata
            .packages
            .into_iter()
            .find(|package| package.manifest_path == manifest)
            .ok_or_else(|| unexpected(format!("no package at {}", manifest.display())))?;
        Ok(Crate {
            folder,
            manifest,
            library: package.library(),
            name: package.name,
            version: package.version,
            workspace: metadata.workspace_root,
            target: metadata.target_directory,
            shares,
        })
    }

    /// The crate's name as rustc and file names have it.
    pub(crate) fn identifier(&self) -> String {
        self.name.replace('-', "_")
    }

    /// The folder that nested builds share: beside the caller's own, because
    /// the caller's cargo holds the lock on its target folder meanwhile. Or the one that
    /// [`SHARED`] names.
    pub(crate) fn nested_target(&self) -> PathBuf {
        if let Some(shared) = env::var_os(SHARED).filter(|shared| !shared.is_empty()) {
            return PathBuf::from(shared);
        }
        let own = match env::var_os("OUT_DIR").map(PathBuf::from) {
            Some(out) => match out
                .ancestors()
                .find(|dir| dir.join("CACHEDIR.TAG").is_file())
            {
                Some(target) => target.to_owned(),
                None => out,
            },
            None => match env::var_os("CARGO_TARGET_DIR") {
                Some(target) if !target.is_empty() => PathBuf::from(target),
                _ => self.target.clone(),
            },
        };
        own.join("cuda-builder")
    }

    /// The folder in `target` that this crate is built in.
    ///
    /// cargo takes packages of one name, version and place in their workspace
    /// for the same, whichever workspace that is. It compares their sources by
    /// content, so that clones share a folder, and core in it; but the files
    /// that a build script reads it compares by date, and a clone's may be
    /// older than what another left: then the workspace gets its own folder.
    pub(crate) fn target_in(&self, target: &Path) -> PathBuf {
        if self.shares {
            return target.to_owned();
        }
        target.join(format!("workspace-{}", short_hash(&self.workspace)))
    }

    /// A name for the artifact's folder that no other crate has.
    pub(crate) fn unique_name(&self) -> String {
        format!("{}-{}", self.identifier(), short_hash(&self.manifest))
    }
}

/// Whether no package in the workspace's folder that the one at `folder` needs
/// has a build script. Those that are no members are not listed, and may.
fn shares(metadata: &Metadata, folder: &Path) -> bool {
    let mut seen: BTreeSet<&Path> = BTreeSet::new();
    let mut left = vec![folder];
    while let Some(folder) = left.pop() {
        if !folder.starts_with(&metadata.workspace_root) || !seen.insert(folder) {
            continue;
        }
        let mut members = metadata.packages.iter();
        let member = members.find(|package| package.manifest_path.parent() == Some(folder));
        let Some(member) = member else {
            return false;
        };
        let mut kinds = member.targets.iter().flat_map(|target| &target.kind);
        if kinds.any(|kind| kind == "custom-build") {
            return false;
        }
        let needed = member.dependencies.iter();
        let needed = needed.filter(|other| other.kind.as_deref() != Some("dev"));
        left.extend(needed.filter_map(|other| other.path.as_deref()));
    }
    true
}

fn short_hash(path: &Path) -> String {
    let digest = Sha256::hash(path.as_os_str().as_encoded_bytes());
    digest[..6]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Compiles the crate for one architecture.
pub(crate) fn build(
    toolchain: &Toolchain,
    kernels: &Crate,
    options: &Options,
    arch: NvvmArch,
    target: &Path,
    quiet: bool,
) -> Result<Bitcode, CudaBuilderError> {
    let linker = linker::write(target)?;
    // Builds for other architectures put their module to the same place.
    let lock_path = target.join("cuda-builder.lock");
    let _lock = fs::File::create(&lock_path)
        .and_then(|file| file.lock().map(|()| file))
        .map_err(|source| CudaBuilderError::io("lock", &lock_path, source))?;
    let lock_file = kernels.workspace.join("Cargo.lock");
    let locked = lock_file.is_file();

    let mut command = toolchain.command();
    command
        .args(flags::cargo(
            toolchain,
            options,
            arch,
            &kernels.manifest,
            target,
            locked,
            quiet,
        ))
        .current_dir(&kernels.folder)
        // Set, though empty, so that no configuration file's flags are used.
        .env("CARGO_ENCODED_RUSTFLAGS", "")
        .env("CARGO_TARGET_NVPTX64_NVIDIA_CUDA_LINKER", &linker)
        // rust-cuda's name for the architecture, for build scripts of kernels.
        .env("CUDA_ARCH", cuda_arch(arch))
        .env(
            "CARGO_TERM_COLOR",
            if wants_colour() { "always" } else { "never" },
        );
    match options.only.as_slice() {
        [] => command.env_remove(ONLY),
        names => command.env(ONLY, format!("{}={}", kernels.library, names.join(","))),
    };
    let run = run(command, toolchain)?;
    if !run.success {
        return Err(advice::failure(kernels, &run.errors));
    }
    let bundle = run
        .messages
        .iter()
        .filter(|message| message.manifest_path == kernels.manifest)
        .flat_map(|message| &message.filenames)
        .find(|path| path.extension().is_some_and(|extension| extension == "ptx"))
        .ok_or_else(|| CudaBuilderError::Unexpected {
            program: "cargo",
            reason: format!("it built no module for {}", kernels.name),
        })?;
    let mut sources: BTreeSet<PathBuf> = run
        .messages
        .iter()
        .filter(|message| message.package_id.starts_with("path+"))
        .map(|message| message.manifest_path.clone())
        .filter(|path| !path.starts_with(&toolchain.sysroot))
        .collect();
    sources.insert(kernels.workspace.join("Cargo.toml"));
    let build_scripts: Vec<_> = sources
        .iter()
        .map(|manifest| manifest.with_file_name("build.rs"))
        .collect();
    sources.extend(build_scripts);
    if locked {
        sources.insert(lock_file.clone());
    }
    sources.extend(dep_info::files(
        &bundle.with_extension("d"),
        &toolchain.sysroot,
    )?);
    sources.extend(configuration(&kernels.folder));
    let (module, archives) = linker::read(bundle)?;
    let units = run
        .messages
        .iter()
        .filter(|message| message.package_id.starts_with("path+"))
        .filter(|message| !message.manifest_path.starts_with(&toolchain.sysroot))
        .flat_map(|message| &message.filenames)
        .chain([&module]);
    let variables = units.flat_map(|unit| dep_info::variables(unit)).collect();
    let module =
        fs::read(&module).map_err(|source| CudaBuilderError::io("read", &module, source))?;
    Ok(Bitcode {
        module,
        archives,
        sources,
        lock_file,
        variables,
    })
}

/// The files that configure cargo for a crate in `folder`, where they exist.
fn configuration(folder: &Path) -> Vec<PathBuf> {
    let home = match env::var_os("CARGO_HOME") {
        Some(home) if !home.is_empty() => Some(PathBuf::from(home)),
        _ => env::home_dir().map(|home| home.join(".cargo")),
    };
    folder
        .ancestors()
        .map(|folder| folder.join(".cargo"))
        .chain(home)
        .flat_map(|folder| ["config.toml", "config"].map(|name| folder.join(name)))
        .collect()
}

/// `900` for sm_90, as rust-cuda's builder sets `CUDA_ARCH`.
fn cuda_arch(arch: NvvmArch) -> String {
    let (major, minor) = arch.compute_capability();
    format!("{major}{minor}0")
}

struct Run {
    success: bool,
    messages: Vec<Message>,
    errors: String,
}

/// Runs cargo; its stderr passes through as it comes, and is kept.
fn run(mut command: Command, toolchain: &Toolchain) -> Result<Run, CudaBuilderError> {
    let start = |source| CudaBuilderError::Start {
        program: toolchain.cargo(),
        source,
    };
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(start)?;
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(start(std::io::ErrorKind::BrokenPipe.into()));
    };
    let errors = std::thread::spawn(move || forward(stderr));
    let mut messages = Vec::new();
    for line in BufReader::new(stdout).lines() {
        let line = line.map_err(start)?;
        // What is not a message was printed by a build script or a macro.
        match serde_json::from_str::<Message>(&line) {
            Ok(message) if message.reason == "compiler-artifact" => messages.push(message),
            Ok(_) => {}
            Err(_) => eprintln!("{line}"),
        }
    }
    let status = child.wait().map_err(start)?;
    Ok(Run {
        success: status.success(),
        messages,
        errors: errors.join().unwrap_or_default(),
    })
}

fn forward(mut from: impl Read) -> String {
    let mut kept = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        // A closed stderr is no reason to stop a build.
        let _ = std::io::stderr().write_all(&buffer[..count]);
        kept.extend_from_slice(&buffer[..count]);
    }
    String::from_utf8_lossy(&kept).into_owned()
}

/// Whether the terminal that will show cargo's errors shows colours: ours, or
/// that of the cargo that runs this build script and prints them later.
fn wants_colour() -> bool {
    match env::var("CARGO_TERM_COLOR").as_deref() {
        Ok("always") => return true,
        Ok("never") => return false,
        _ => {}
    }
    if env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) {
        return false;
    }
    if env::var_os("OUT_DIR").is_none() {
        return std::io::stderr().is_terminal();
    }
    let parent = format!("/proc/{}/fd/2", std::os::unix::process::parent_id());
    fs::File::open(parent).is_ok_and(|stderr| stderr.is_terminal())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_package(folder: &Path, name: &str, rest: &str) {
        fs::create_dir_all(folder.join("src")).unwrap();
        fs::write(folder.join("src/lib.rs"), "").unwrap();
        let text =
            format!("[package]\nname = {name:?}\nversion = \"0.1.0\"\nedition = \"2024\"\n{rest}");
        fs::write(folder.join("Cargo.toml"), text).unwrap();
    }

    #[test]
    fn clones_share_a_target_folder_unless_a_build_script_may_read_their_files() {
        let here = tempfile::tempdir().unwrap();
        let at = |name: &str| here.path().join(name);
        let target = Path::new("/t");
        let toolchain = crate::toolchain::find().unwrap();
        let folder_of = |name: &str, rest: &str| {
            write_package(&at(name), "kernels", rest);
            Crate::find(&toolchain, &at(name))
                .unwrap()
                .target_in(target)
        };

        assert_eq!(folder_of("a", "[workspace]\n"), target);
        assert_eq!(folder_of("b", "[workspace]\n"), target);

        for clone in ["c", "d"] {
            fs::create_dir_all(at(clone)).unwrap();
            fs::write(at(clone).join("build.rs"), "fn main() {}").unwrap();
        }
        let own = folder_of("c", "[workspace]\n");
        assert_eq!(own.parent(), Some(target));
        assert_ne!(own, folder_of("d", "[workspace]\n"));
        assert_eq!(own, folder_of("c", "[workspace]\n"));

        // cargo does not list what is no member, so it is not known.
        write_package(&at("e/part"), "part", "");
        let member = "[dependencies]\npart = { path = \"part\" }\n[workspace]\n";
        assert_eq!(folder_of("e", member), target);
        let outsider = format!("{member}exclude = [\"part\"]\n");
        assert_ne!(folder_of("e", &outsider), target);
        fs::write(at("e/part/build.rs"), "fn main() {}").unwrap();
        assert_ne!(folder_of("e", member), target);
        let unneeded = member.replace("[dep", "[dev-dep");
        assert_eq!(folder_of("e", &unneeded), target);
    }
}
