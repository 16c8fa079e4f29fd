//! Where a crate of kernels is, what it is called, and which folder it is built in: what cargo
//! knows of it without compiling.

use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use hmac_sha256::Hash as Sha256;
use serde::Deserialize;

use crate::CudaBuilderError;
use crate::toolchain::Toolchain;

/// The environment variable that names a folder for nested builds and what they keep, so
/// that builds with target folders of their own do not build the same kernels again.
const SHARED: &str = "CUDA_BUILDER_TARGET_DIR";

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
        // Whichever links lead to it.
        let workspace = self.workspace.canonicalize();
        let workspace = workspace.as_ref().unwrap_or(&self.workspace);
        target.join(format!("workspace-{}", short_hash(workspace)))
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

#[cfg(test)]
mod tests {
    use std::fs;

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
        std::os::unix::fs::symlink(at("c"), at("linked")).unwrap();
        assert_eq!(own, folder_of("linked", "[workspace]\n"));

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
