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

use serde::Deserialize;

use crate::dep_info;
use crate::kernel_crate::Crate;
use crate::options::Options;
use crate::toolchain::Toolchain;
use crate::{CudaBuilderError, NvvmArch, advice, flags, linker};

/// The environment variable that tells cuda_std's macros which kernels are wanted.
const ONLY: &str = "CUDA_BUILDER_ONLY";

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
struct Message {
    reason: String,
    #[serde(default)]
    manifest_path: PathBuf,
    #[serde(default)]
    package_id: String,
    #[serde(default)]
    filenames: Vec<PathBuf>,
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
        let mut error = advice::failure(kernels, &run.errors);
        if let CudaBuilderError::NotFetched { remedy, .. } = &mut error
            && !toolchain.has_packages()
        {
            *remedy = toolchain.fetch_command();
        }
        return Err(error);
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
