//! What a build script tells cargo: when to run it again, and warnings.
//!
//! Which files and variables a build depends on is known by
//! [`crate::cargo`] and [`crate::toolchain`]; here they are only said.

use std::collections::BTreeSet;
use std::env;
use std::path::{Component, Path, PathBuf};

use crate::kernel_crate::Crate;
use crate::toolchain::{self, Toolchain};

/// Announces what builds depend on; silent outside build scripts.
pub(crate) struct Announcer<'b> {
    toolchain: &'b Toolchain,
    /// The folder of the kernels' workspace, and the way to it from the
    /// package whose build script this is.
    relative: Option<(&'b Path, PathBuf)>,
}

impl<'b> Announcer<'b> {
    /// `path` is the kernels' folder as the caller gave it.
    ///
    /// A relative one is announced relatively: cargo may keep what is
    /// announced here for a clone of the host's workspace, whose kernels are
    /// where they are from there.
    pub(crate) fn new(toolchain: &'b Toolchain, kernels: &'b Crate, path: &Path) -> Self {
        let workspace = kernels.workspace.as_path();
        let here = env::current_dir().and_then(|here| here.canonicalize());
        let relative = here
            .ok()
            .filter(|_| path.is_relative())
            .map(|here| (workspace, way(&here, workspace)));
        Announcer {
            toolchain,
            relative,
        }
    }

    /// Tells cargo what one module depends on: files, as far as they exist, and variables.
    pub(crate) fn inputs(&self, (files, variables): &(BTreeSet<PathBuf>, BTreeSet<String>)) {
        if !in_build_script() {
            return;
        }
        let files = files.iter().filter(|path| path.is_file());
        for source in files.chain(&self.toolchain.sources()) {
            println!(
                "cargo::rerun-if-changed={}",
                self.seen_from_here(source).display()
            );
        }
        let ours = [toolchain::VARIABLE, "RUSTUP_HOME", "CARGO_HOME"];
        let theirs = variables.iter().map(String::as_str);
        for variable in ours.into_iter().chain(theirs) {
            println!("cargo::rerun-if-env-changed={variable}");
        }
    }

    fn seen_from_here(&self, source: &Path) -> PathBuf {
        let Some((workspace, way)) = &self.relative else {
            return source.to_owned();
        };
        match source.strip_prefix(workspace) {
            Ok(rest) => way.join(rest),
            Err(_) => source.to_owned(),
        }
    }
}

/// The relative path of the absolute `to` as seen from the absolute `from`.
fn way(from: &Path, to: &Path) -> PathBuf {
    let common = from
        .components()
        .zip(to.components())
        .take_while(|(from, to)| from == to)
        .count();
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    up.chain(to.components().skip(common)).collect()
}

/// Shows a warning, through cargo in a build script.
pub(crate) fn warn(text: &str) {
    if in_build_script() {
        println!("cargo::warning={text}");
    } else {
        eprintln!("warning: {text}");
    }
}

/// Whether cargo reads our stdout as a build script's.
fn in_build_script() -> bool {
    env::var_os("OUT_DIR").is_some() && env::var_os("CARGO_MANIFEST_DIR").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_said_from_the_host_package() {
        let said = |from: &str, to: &str| way(Path::new(from), Path::new(to));
        assert_eq!(said("/w/host", "/w/kernels"), Path::new("../kernels"));
        assert_eq!(said("/w/host", "/w"), Path::new(".."));
        assert_eq!(said("/w/host", "/w/host/kernels"), Path::new("kernels"));
    }
}
