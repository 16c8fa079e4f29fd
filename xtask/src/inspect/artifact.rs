//! The PTX that is inspected: this checkout's, another revision's, or a folder's.
//!
//! Of another revision, only the part of one kernel is built, by this checkout's builder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::Context;
use cuda_builder::manifest::{Kernel, Manifest, Part};
use cuda_builder::{CudaBuilderError, NvvmArch, toolchain};
use cuda_inspect::listing::Sources;

use crate::error::{BuildFailed, Refused};
use crate::{cargo, ptx, setup, terminal};

/// The kernels, below the root of a checkout.
const KERNELS: &str = "kernels-crate";

/// What builds them, below the root.
const BUILDER: &str = "rust-cuda/cuda_builder/src";

/// With the number of a process behind it, the folder of its checkout.
const CHECKOUT: &str = "checkout-";

/// A folder with PTX, and its manifest.
#[derive(Debug)]
pub(super) struct Built {
    folder: PathBuf,
    pub(super) manifest: Manifest,
}

/// What a listing's head says of a kernel.
#[derive(Debug)]
pub(super) struct Described {
    pub(super) kernel: Kernel,
    pub(super) part: String,
}

impl Built {
    /// Reads a folder that a build wrote.
    pub(super) fn read(folder: &Path) -> anyhow::Result<Self> {
        let manifest = Manifest::read(folder)
            .map_err(|error| Refused(format!("--artifact {}: {error}", folder.display())))?;
        Ok(Built {
            folder: folder.to_owned(),
            manifest: manifest.of_what_is_built(),
        })
    }

    /// Builds this checkout's kernels.
    pub(super) fn here() -> anyhow::Result<Self> {
        setup::ensure()?;
        build(cargo::root(), "now", "the kernels", None)
    }

    /// Builds one part of the kernels of another revision, in a checkout that is gone
    /// afterwards; all parts where it has none of that name.
    pub(super) fn of(revision: &Revision, part: &str) -> anyhow::Result<Self> {
        let checkout = Checkout::new(revision)?;
        let revision = &revision.name;
        if !checkout.folder.join(KERNELS).is_dir() {
            return Err(Refused(format!("--against {revision}: it has no {KERNELS}")).into());
        }
        if checkout.differs_in(BUILDER) {
            terminal::note(&format!(
                "{BUILDER} differs from that of {revision}: both sides are built by this one, so its changes do not show"
            ));
        }
        build(
            &checkout.folder,
            "before",
            &format!("the kernels of {revision}"),
            Some(part),
        )
    }

    /// The path of a part's PTX.
    pub(super) fn path(&self, part: &Part) -> PathBuf {
        self.folder.join(&part.file)
    }

    /// A kernel of a module, and the PTX of its part.
    pub(super) fn kernel(&self, module: usize, entry: &str) -> anyhow::Result<(&Kernel, String)> {
        let (part, kernel) = self.find(module, entry)?;
        let path = self.path(part);
        let ptx = fs::read_to_string(&path)
            .with_context(|| format!("{} could not be read", path.display()))?;
        Ok((kernel, ptx))
    }

    /// The name of the part that a kernel is in.
    pub(super) fn part(&self, module: usize, entry: &str) -> anyhow::Result<&str> {
        self.find(module, entry).map(|(part, _)| part.name.as_str())
    }

    fn find(&self, module: usize, entry: &str) -> anyhow::Result<(&Part, &Kernel)> {
        let module = &self.manifest.modules[module];
        let mut all = module.parts.iter().flat_map(|part| {
            let kernels = part.kernels.iter();
            kernels.map(move |kernel| (part, kernel))
        });
        all.find(|(_, kernel)| kernel.entry == entry)
            .ok_or_else(|| {
                Refused(format!("the PTX for {} has no kernel {entry}", module.arch)).into()
            })
    }

    /// The kernel as the newest PTX that has it describes it.
    pub(super) fn described(&self, entry: &str) -> anyhow::Result<Described> {
        let places = (0..self.manifest.modules.len()).rev();
        let mut found = places.map(|module| self.find(module, entry));
        let (part, kernel) = found
            .find_map(Result::ok)
            .with_context(|| format!("no PTX has {entry}"))?;
        Ok(Described {
            kernel: kernel.clone(),
            part: part.name.clone(),
        })
    }
}

fn build(root: &Path, name: &str, what: &str, part: Option<&str>) -> anyhow::Result<Built> {
    let start = Instant::now();
    terminal::begin(&format!("building {what}"));
    let out = folder()?.join(name);
    let all = || ptx::builder(&root.join(KERNELS), &out);
    let built = match part {
        Some(part) => match all()?.only(&[part]).build_all() {
            // There is no such part.
            Err(CudaBuilderError::UnknownKernel(_)) => all()?.build_all(),
            built => built,
        },
        None => all()?.build_all(),
    };
    let artifact = built.map_err(|error| BuildFailed(error.to_string()))?;
    terminal::note(&terminal::duration(start.elapsed()));
    Ok(Built {
        folder: artifact.dir,
        manifest: artifact.manifest.of_what_is_built(),
    })
}

/// The LLVM IR that the PTX of a part is generated from.
pub(super) fn optimised_ir(arch: NvvmArch, part: &str) -> anyhow::Result<String> {
    terminal::begin(&format!(
        "building the part {part} for {arch} again, to keep its IR"
    ));
    let out = folder()?.join("ir");
    fs::create_dir_all(&out).with_context(|| format!("{} could not be made", out.display()))?;
    let path = out.join("module.ll");
    ptx::builder(&cargo::root().join(KERNELS), &out)?
        .arch(arch)
        .only(&[part])
        .final_module_path(&path)
        .build_all()
        .map_err(|error| BuildFailed(error.to_string()))?;
    fs::read_to_string(&path).with_context(|| format!("{} could not be read", path.display()))
}

/// What is made here, below the target folder.
fn folder() -> anyhow::Result<PathBuf> {
    Ok(cargo::target_directory()?.join("inspect"))
}

/// Where the sources are that our PTX names: the workspace's own, and core's.
pub(super) fn sources() -> Sources {
    let mut folders = vec![("./".to_owned(), cargo::root().to_owned())];
    if let Ok(toolchain) = toolchain::find() {
        let library = toolchain.sysroot.join("lib/rustlib/src/rust/library");
        folders.push(("/rustc/*/library/".to_owned(), library));
    }
    Sources::new(folders)
}

/// Another revision of this repository.
#[derive(Debug)]
pub(super) struct Revision {
    /// As it was given.
    pub(super) name: String,
    commit: String,
}

impl Revision {
    /// Asks git, which takes no time: a name that is none is refused before anything is built.
    pub(super) fn find(name: &str) -> Result<Self, Refused> {
        let commit = match name.starts_with('-') {
            // It would be an option.
            true => None,
            false => said(&[
                "rev-parse",
                "--verify",
                "--quiet",
                &format!("{name}^{{commit}}"),
            ]),
        };
        let name = name.to_owned();
        match commit {
            Some(commit) => Ok(Revision { name, commit }),
            None => Err(Refused(format!(
                "--against {name}: git knows no such revision of this repository"
            ))),
        }
    }
}

/// Another revision in a folder of its own, as long as this lives.
struct Checkout {
    folder: PathBuf,
    commit: String,
}

impl Checkout {
    fn new(revision: &Revision) -> anyhow::Result<Self> {
        let parent = folder()?;
        fs::create_dir_all(&parent)
            .with_context(|| format!("{} could not be made", parent.display()))?;
        remove_abandoned(&parent);
        let checkout = Checkout {
            folder: parent.join(format!("{CHECKOUT}{}", std::process::id())),
            commit: revision.commit.clone(),
        };
        let path = checkout.folder.to_string_lossy().into_owned();
        let add = [
            "worktree",
            "add",
            "--quiet",
            "--detach",
            &path,
            &checkout.commit,
        ];
        if !git(&add).status().is_ok_and(|status| status.success()) {
            anyhow::bail!("git could not check {} out to {path}", revision.name);
        }
        Ok(checkout)
    }

    /// Whether a folder of this checkout is not what it is there.
    fn differs_in(&self, path: &str) -> bool {
        let same = git(&["diff", "--quiet", &self.commit, "--", path]).status();
        !same.is_ok_and(|status| status.success())
    }
}

/// Removes checkouts of processes that were ended before they could.
fn remove_abandoned(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let process = name.strip_prefix(CHECKOUT);
        if process.is_some_and(|id| !Path::new("/proc").join(id).exists()) {
            let path = entry.path().to_string_lossy().into_owned();
            // One that git does not know is nobody's: it is written over by nobody either.
            let _ = git(&["worktree", "remove", "--force", &path]).status();
        }
    }
}

impl Drop for Checkout {
    fn drop(&mut self) {
        let path = self.folder.to_string_lossy().into_owned();
        let remove = git(&["worktree", "remove", "--force", &path]).status();
        if !remove.is_ok_and(|status| status.success()) {
            terminal::note(&format!(
                "{path} could not be removed: `git worktree remove --force` does it"
            ));
        }
    }
}

fn git(arguments: &[&str]) -> Command {
    let mut git = Command::new("git");
    git.args(arguments)
        .current_dir(cargo::root())
        .stdin(Stdio::null());
    git
}

fn said(arguments: &[&str]) -> Option<String> {
    let output = git(arguments).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_that_git_does_not_know_is_refused_by_its_name() {
        for name in ["no-such-revision", "--all"] {
            let text = Revision::find(name).unwrap_err().to_string();
            assert!(
                text.starts_with(&format!("--against {name}: git knows no")),
                "{text}"
            );
        }
    }

    #[test]
    fn a_folder_without_a_manifest_is_refused() {
        let here = tempfile::tempdir().unwrap();
        let error = Built::read(here.path()).unwrap_err();
        assert!(error.is::<Refused>(), "{error}");
        assert!(error.to_string().starts_with("--artifact "), "{error}");
    }
}
