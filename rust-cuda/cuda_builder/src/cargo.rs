//! The nested cargo: from a crate of kernels to bitcode.
//!
//! It stops where a linker would start. What a linker would get is kept by a
//! stand-in and read by [`crate::passes`]; nothing here knows LLVM.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::builder::Options;
use crate::flags;
use crate::toolchain::Toolchain;
use crate::{CudaBuilderError, NvvmArch};

/// Where a crate of kernels is and what it is called.
#[derive(Debug, Clone)]
pub(crate) struct Crate {
    pub(crate) folder: PathBuf,
    pub(crate) manifest: PathBuf,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) workspace: PathBuf,
    /// The target folder that the crate's own workspace would use.
    target: PathBuf,
}

/// What a build leaves for the passes.
#[derive(Debug)]
pub(crate) struct Bitcode {
    /// The one module of everything.
    pub(crate) module: Vec<u8>,
    /// Archives to take missing functions from: compiler_builtins.
    pub(crate) archives: Vec<PathBuf>,
    /// Every file whose change makes this build stale.
    pub(crate) sources: BTreeSet<PathBuf>,
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
        let package = metadata
            .packages
            .into_iter()
            .find(|package| package.manifest_path == manifest)
            .ok_or_else(|| unexpected(format!("no package at {}", manifest.display())))?;
        Ok(Crate {
            folder,
            manifest,
            name: package.name,
            version: package.version,
            workspace: metadata.workspace_root,
            target: metadata.target_directory,
        })
    }

    /// The crate's name as rustc and file names have it.
    pub(crate) fn identifier(&self) -> String {
        self.name.replace('-', "_")
    }

    /// The folder that nested builds share: beside the caller's own, because
    /// the caller's cargo holds the lock on its target folder meanwhile.
    pub(crate) fn nested_target(&self) -> PathBuf {
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
}

/// Compiles the crate for one architecture.
pub(crate) fn build(
    toolchain: &Toolchain,
    kernels: &Crate,
    options: &Options,
    arch: NvvmArch,
    target: &Path,
) -> Result<Bitcode, CudaBuilderError> {
    let linker = write_linker(target)?;
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
    let run = run(command, toolchain)?;
    if !run.success {
        return Err(failure(kernels, &run.errors));
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
    if locked {
        sources.insert(lock_file);
    }
    sources.extend(dep_info(&bundle.with_extension("d"), &toolchain.sysroot)?);
    let (module, archives) = read_bundle(bundle)?;
    let module =
        fs::read(&module).map_err(|source| CudaBuilderError::io("read", &module, source))?;
    Ok(Bitcode {
        module,
        archives,
        sources,
    })
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

/// Turns what cargo said into an error that says what to do.
fn failure(kernels: &Crate, errors: &str) -> CudaBuilderError {
    let not_fetched = ["--offline", "failed to download", "no matching package"];
    if not_fetched.iter().any(|text| errors.contains(text)) {
        return CudaBuilderError::NotFetched {
            crate_path: kernels.folder.clone(),
            remedy: format!("cargo fetch --manifest-path {}", kernels.manifest.display()),
        };
    }
    CudaBuilderError::BuildFailed {
        crate_path: kernels.folder.clone(),
        advice: advice(errors),
    }
}

/// What to write instead of what rustc has removed since 2021, for kernel
/// crates of that time.
fn advice(errors: &str) -> String {
    const REPLACED: &[(&str, &str)] = &[
        (
            "register_attr",
            "`feature(register_attr)` and `register_attr(nvvm_internal)` are gone from rustc: delete the `cfg_attr` that names them, and `no_std` with it, because the builder sets what kernels need",
        ),
        (
            "nvvm_internal",
            "`nvvm_internal` attributes belong to rust-cuda's own backend: use cuda_std's `#[kernel]`, `#[address_space(..)]` and `#[externally_visible]`",
        ),
        (
            "feature `asm` has been removed",
            "`feature(asm)` is stable: delete it, and take the macro from `core::arch::asm`",
        ),
        (
            "#[panic_handler]",
            "a crate of kernels gets its panic handler from cuda_std: write `use cuda_std::prelude::*;`, and define none yourself",
        ),
    ];
    REPLACED
        .iter()
        .find(|(sign, _)| errors.contains(sign))
        .map(|(_, text)| format!("; {text}"))
        .unwrap_or_default()
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

/// What stands in for a linker: keeps the inputs, and lists them in the output.
///
/// The object files are temporary, so they are copied; archives stay. cargo
/// sees an output that exists, and so knows when there is nothing to do.
const LINKER: &str = r#"#!/bin/sh
# Stands in for a linker: keeps what it is given for cuda_builder.
set -e
output=
previous=
for argument in "$@"; do
    [ "$previous" = -o ] && output=$argument
    previous=$argument
done
: > "$output.list"
for argument in "$@"; do
    case $argument in
        *.rlib) printf 'archive %s\n' "$argument" >> "$output.list" ;;
        *.o)
            cp "$argument" "$output.bc"
            printf 'module %s\n' "$output.bc" >> "$output.list"
            ;;
    esac
done
mv "$output.list" "$output"
"#;

fn write_linker(target: &Path) -> Result<PathBuf, CudaBuilderError> {
    use std::os::unix::fs::PermissionsExt;

    fs::create_dir_all(target).map_err(|source| CudaBuilderError::io("create", target, source))?;
    let path = target.join("keep-linker-inputs.sh");
    if fs::read(&path).is_ok_and(|there| there == LINKER.as_bytes()) {
        return Ok(path);
    }
    // Renamed into place: another build may be running the old one.
    let new = target.join(format!("keep-linker-inputs.{}", std::process::id()));
    let write = || {
        fs::write(&new, LINKER)?;
        fs::set_permissions(&new, fs::Permissions::from_mode(0o755))?;
        fs::rename(&new, &path)
    };
    write().map_err(|source| CudaBuilderError::io("write", &path, source))?;
    Ok(path)
}

fn read_bundle(bundle: &Path) -> Result<(PathBuf, Vec<PathBuf>), CudaBuilderError> {
    let text = fs::read_to_string(bundle)
        .map_err(|source| CudaBuilderError::io("read", bundle, source))?;
    let listed = |kind: &str| -> Vec<PathBuf> {
        text.lines()
            .filter_map(|line| line.strip_prefix(kind))
            .map(PathBuf::from)
            .collect()
    };
    let modules = listed("module ");
    let archives = listed("archive ");
    let [module] = modules.as_slice() else {
        return Err(CudaBuilderError::Unexpected {
            program: "rustc",
            reason: format!("it gave {} modules to link, not one", modules.len()),
        });
    };
    Ok((module.clone(), archives))
}

/// The files that a make-style dependency file names. Those of the standard
/// library change with the toolchain alone and are left out.
fn dep_info(path: &Path, sysroot: &Path) -> Result<Vec<PathBuf>, CudaBuilderError> {
    let text =
        fs::read_to_string(path).map_err(|source| CudaBuilderError::io("read", path, source))?;
    let mut files = Vec::new();
    for line in text.lines() {
        let Some((_, sources)) = line.split_once(": ") else {
            continue;
        };
        // A space in a name is written as `\ `.
        let sources = sources.replace("\\ ", "\0");
        files.extend(
            sources
                .split_whitespace()
                .map(|file| PathBuf::from(file.replace('\0', " ")))
                .filter(|file| !file.starts_with(sysroot)),
        );
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dep_info_lists_sources_with_spaces_and_leaves_the_standard_library_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k.d");
        fs::write(
            &path,
            "/t/k.ptx: /a/lib.rs /with\\ space/b.rs /sys/lib/core.rs\n",
        )
        .unwrap();
        let files = dep_info(&path, Path::new("/sys")).unwrap();
        assert_eq!(
            files,
            [
                PathBuf::from("/a/lib.rs"),
                PathBuf::from("/with space/b.rs")
            ]
        );
    }

    #[test]
    fn a_feature_that_rustc_removed_gets_a_sentence_that_says_what_to_write() {
        let errors = "error[E0557]: feature has been removed\n #![feature(register_attr)]";
        assert!(advice(errors).contains("delete the `cfg_attr`"));
        assert_eq!(advice("error[E0308]: mismatched types"), "");
    }
}
