//! How commands build kernels: with the options of `kernels-crate/embed/ptx.rs`, into the target folder.
//!
//! `cargo xtask ptx` builds modules: those that are named, for one compute capability, when the
//! program `quadscan` first needs them; or all of them, for tests and for readers.

#[path = "../../kernels-crate/embed/ptx.rs"]
mod options;

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cuda_builder::{CudaBuilder, LintLevel, NvvmArch};

use crate::error::{BuildFailed, Refused};
use crate::{cargo, setup, terminal};

pub(crate) use options::ARCHS;

/// The variable that names the folder of an artifact to the program and to tests.
pub(crate) const ARTIFACT: &str = "QUADSCAN_ARTIFACT";

/// The module of the table `functions`: a crate and a folder of its own, because nothing else
/// launches its kernels.
const FUNCTIONS: &str = "functions";

/// The newest of [`ARCHS`], for what is built for one alone.
pub(crate) const NEWEST: NvvmArch = ARCHS[ARCHS.len() - 1];

/// Which modules, and what for.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// For devices of this compute capability, such as 9.0 [default: for all that there is PTX for]
    #[arg(long, value_name = "X.Y", value_parser = capability)]
    capability: Option<(u32, u32)>,
    /// Modules of the PTX, such as main or sum_u32 [default: all]
    #[arg(value_name = "MODULE", value_parser = module)]
    modules: Vec<String>,
}

/// What a module can be called.
fn module(text: &str) -> Result<String, String> {
    match is_word(text) {
        true => Ok(text.to_owned()),
        false => Err("allowed are names such as main or sum_u32".to_owned()),
    }
}

/// Whether a text is in snake case, as the names of entries and modules are.
pub(crate) fn is_word(text: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let begins = |c: char| c.is_ascii_lowercase() || c == '_';
    text.starts_with(begins) && text.chars().all(is_allowed)
}

fn capability(text: &str) -> Result<(u32, u32), String> {
    let number = |text: &str| text.parse().ok();
    let parts = text.split_once('.');
    parts
        .and_then(|(major, minor)| Some((number(major)?, number(minor)?)))
        .ok_or_else(|| "allowed are a major and a minor version, such as 9.0".to_owned())
}

/// Prints the folder.
pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    setup::ensure()?;
    let archs = match options.capability {
        Some(capability) => vec![best(capability)?],
        None => ARCHS.to_vec(),
    };
    println!("{}", modules(&archs, &options.modules)?.display());
    Ok(ExitCode::SUCCESS)
}

/// What a device of this compute capability runs best.
fn best(capability: (u32, u32)) -> anyhow::Result<NvvmArch> {
    let runs = |arch: &&NvvmArch| arch.compute_capability() <= capability;
    let best = ARCHS.iter().rev().find(runs);
    best.copied().ok_or_else(|| {
        let oldest = ARCHS[0].compute_capability();
        let problem = format!(
            "--capability is {}.{}, and there is PTX for {}.{} and newer devices",
            capability.0, capability.1, oldest.0, oldest.1
        );
        Refused(problem).into()
    })
}

/// The folder with these modules, built where they are not there yet; with all where none is
/// named.
pub(crate) fn modules(archs: &[NvvmArch], names: &[String]) -> anyhow::Result<PathBuf> {
    let out = folder(archs)?;
    let (functions, names): (Vec<_>, Vec<_>) =
        names.iter().cloned().partition(|name| name == FUNCTIONS);
    if !functions.is_empty() {
        let of = cargo::root().join("bench-crate/functions");
        build(&of, &out.join(FUNCTIONS), archs, &[])?;
        if names.is_empty() {
            return Ok(out);
        }
    }
    build(&cargo::root().join("kernels-crate"), &out, archs, &names)?;
    Ok(out)
}

/// The kernels of a folder, or those of these modules.
fn build(of: &Path, out: &Path, archs: &[NvvmArch], names: &[String]) -> anyhow::Result<()> {
    let builder = builder(of, out)?
        .archs(archs)
        .only(names)
        .lints(LintLevel::Deny)
        .progress(|progress| terminal::note(&progress.to_string()));
    let built = builder.build_all();
    built.map_err(|error| BuildFailed(error.to_string()))?;
    Ok(())
}

/// Where PTX of these architectures is.
pub(crate) fn folder(archs: &[NvvmArch]) -> anyhow::Result<PathBuf> {
    let name = match archs {
        [arch] => arch.to_string(),
        _ => "all".to_owned(),
    };
    Ok(cargo::target_directory()?.join("ptx").join(name))
}

/// A builder of the kernels in `folder`, whose files go to `out`.
pub(crate) fn builder(folder: &Path, out: &Path) -> anyhow::Result<CudaBuilder> {
    let shared = env::var_os("CUDA_BUILDER_TARGET_DIR").filter(|shared| !shared.is_empty());
    let target = match shared {
        Some(shared) => PathBuf::from(shared),
        None => cargo::target_directory()?.join("cuda-builder"),
    };
    Ok(options::builder(folder).target_dir(target).out_dir(out))
}
