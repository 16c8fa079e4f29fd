//! Where a command gets its PTX: from a named folder, from a builder that makes missing
//! modules, or from inside the program.
//!
//! `cargo xtask` starts the program with the variable [`BUILDER`]. It names a program that takes
//! names of modules, builds those that are missing, and prints their folder.

use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use cuda_builder::manifest::FILE_NAME as MANIFEST;
use hmac_sha256::Hash as Sha256;
use quadscan::device::{Artifact, DeviceChoice};

use crate::error::{Error, Result};

/// The variable that names the program which builds modules:
/// `BUILDER ptx --capability 9.0 NAME...` prints a folder.
pub const BUILDER: &str = "QUADSCAN_BUILDER";

/// The variable that names the folder of an artifact, where none is named otherwise.
pub const ARTIFACT: &str = "QUADSCAN_ARTIFACT";

/// The modules of an integrand.
pub(crate) fn of_integrand(name: &str) -> String {
    format!("integrate_{name}")
}

/// The module of formulas over boxes, beside that of formulas.
pub(crate) fn of_boxes() -> String {
    "cubature_formula".to_owned()
}

/// The module of decisions for batches of them.
pub(crate) fn of_decisions() -> String {
    "cubature_decide".to_owned()
}

/// The module of formulas at random points, beside that of formulas.
pub(crate) fn of_samples() -> String {
    "monte_carlo_formula".to_owned()
}

/// The folder with these modules for the device; `None` where the program has its own, and where
/// there is no such device.
///
/// # Errors
///
/// [`Error::Build`] when the builder fails, which says why itself; the driver's.
pub(crate) fn folder(
    named: Option<&Path>,
    device: DeviceChoice,
    modules: &BTreeSet<String>,
) -> Result<Option<PathBuf>> {
    if let Some(folder) = named {
        return Ok(Some(folder.to_owned()));
    }
    let Some(builder) = env::var_os(BUILDER).filter(|builder| !builder.is_empty()) else {
        return Ok(None);
    };
    if modules.is_empty() {
        return Ok(None);
    }
    let (major, minor) = match device.compute_capability() {
        Ok(capability) => capability,
        // Whoever opens it says so.
        Err(quadscan::Error::NoDevice { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let built = Command::new(&builder)
        .args(["ptx", "--capability", &format!("{major}.{minor}")])
        .args(modules)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output();
    let output = built.map_err(|source| Error::NoBuilder {
        path: builder.into(),
        source,
    })?;
    if !output.status.success() {
        return Err(Error::Build);
    }
    let folder = String::from_utf8_lossy(&output.stdout);
    Ok(Some(PathBuf::from(folder.trim_end_matches('\n'))))
}

/// Err when the folder that `--artifact` names has no manifest.
///
/// # Errors
///
/// [`Error::Argument`].
pub(crate) fn expect_artifact(folder: Option<&Path>) -> Result<()> {
    match folder {
        Some(folder) if !folder.join(MANIFEST).is_file() => Err(Error::Argument {
            argument: "--artifact".to_owned(),
            problem: format!(
                "{} has no {MANIFEST}, allowed is a folder that cuda_builder wrote",
                folder.display()
            ),
        }),
        _ => Ok(()),
    }
}

/// Of the artifact in a folder, or of [`ours`], these modules; all where none is named.
///
/// # Safety
///
/// As for [`Artifact::read`].
///
/// # Errors
///
/// Those of [`Artifact::read`] and [`Artifact::embedded`].
pub(crate) unsafe fn artifact(
    folder: Option<&Path>,
    modules: &[String],
) -> quadscan::Result<Artifact> {
    let folder = folder.map(Path::to_owned).or_else(named);
    match folder {
        // SAFETY: the caller's.
        Some(folder) if modules.is_empty() => unsafe { Artifact::read(folder) },
        // SAFETY: the caller's.
        Some(folder) => unsafe { Artifact::read_parts(folder, modules) },
        None => Artifact::embedded(),
    }
}

/// The artifact in the folder that [`ARTIFACT`] names, or else the one inside the program. It is read
/// once: its hashes cover 40 MB.
///
/// # Errors
///
/// Those of [`Artifact::read`] and [`Artifact::embedded`].
pub fn ours() -> quadscan::Result<Artifact> {
    static OURS: OnceLock<Artifact> = OnceLock::new();
    if let Some(artifact) = OURS.get() {
        return Ok(artifact.clone());
    }
    // SAFETY: whoever sets the variable vouches for the folder.
    let artifact = unsafe { artifact(None, &[]) }?;
    Ok(OURS.get_or_init(|| artifact).clone())
}

/// The folder that [`ARTIFACT`] names.
pub(crate) fn named() -> Option<PathBuf> {
    let folder = env::var_os(ARTIFACT).filter(|folder| !folder.is_empty());
    folder.map(PathBuf::from)
}

/// SHA-256 of the PTX of these modules one behind the other, in the artifact's order, which is
/// what says which code was measured; of all there are where none is named. Hexadecimal.
pub(crate) fn hash(artifact: &Artifact, arch: &str, modules: &[String]) -> String {
    let is_asked = |name: &String| modules.is_empty() || modules.contains(name);
    let parts = artifact.parts().filter(|part| part.arch == arch);
    let mut whole = Sha256::new();
    for part in parts.filter(|part| is_asked(&part.part.name)) {
        whole.update(part.ptx());
    }
    let digits = whole.finalize();
    digits.iter().map(|byte| format!("{byte:02x}")).collect()
}
