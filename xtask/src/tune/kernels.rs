//! The crate of kernels that a sweep runs: an entry a candidate, made from a template, and
//! its PTX.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;

use super::candidates::{self, Algorithm, Candidate};
use crate::{BuildFailed, cargo, ptx};

const TEMPLATE: &str = include_str!("kernels.rs.template");

/// The operator that stands for a class: one whose results are exact in any order.
fn operator(candidate: &Candidate) -> &'static str {
    match (candidate.element, candidate.result) {
        (1, 1) => "Sum<u8>",
        (1, 4) => "Sum<u8, u32>",
        (1, 8) => "Sum<u8, u64>",
        (2, _) => "Sum<u16>",
        (4, _) => "Sum<u32>",
        (8, _) => "Sum<u64>",
        _ => "Compose",
    }
}

/// The source of the crate.
pub(crate) fn source(candidates: &[Candidate]) -> String {
    let mut source = TEMPLATE.to_owned();
    for one in candidates {
        // Writing to a string does not fail.
        let _ = writeln!(source, "\n{}", entry(one));
    }
    source
}

fn entry(one: &Candidate) -> String {
    let Candidate {
        entry,
        warps,
        rows,
        delay,
        ahead,
        items,
        vectors,
        results,
        ..
    } = one;
    let head = format!(
        "candidate! {{ width_{}_{} {entry}: {},",
        one.element,
        one.result,
        operator(one)
    );
    // The bounds are those of `scan_kernels!`, so that the code is the same.
    let (bounds, algorithm) = match one.algorithm {
        Algorithm::OneBlock => ("1024", "one_block"),
        Algorithm::OneWaveSmall | Algorithm::OneWave => ("512, 2", "one_wave"),
        Algorithm::Lookahead => {
            return format!(
                "const _: () = shape({vectors}, {results}, {warps}, {delay}, {ahead});\n\
                 {head} lookahead::scan[{items}, {vectors}, {results}, {warps}, {delay}, {ahead}, false] }}"
            );
        }
    };
    format!(
        "{head} #[launch_bounds({bounds})] {algorithm}::scan[{warps}, {rows}, {items}, {vectors}, {results}] }}"
    )
}

fn manifest() -> String {
    let root = cargo::root().display();
    format!(
        "[package]\nname = \"quadscan-tune\"\nedition = \"2024\"\n\n[dependencies]\n\
         cuda_std = {{ path = \"{root}/rust-cuda/cuda_std\" }}\n\
         quadscan-kernels = {{ path = \"{root}/kernels-crate\" }}\n\n[workspace]\n"
    )
}

/// Makes the crate in `folder` and its PTX in `folder/artifact`, with the list of the
/// candidates; returns where.
pub(crate) fn build(folder: &Path, candidates: &[Candidate]) -> anyhow::Result<PathBuf> {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        // What is the same is not built again.
        if fs::read_to_string(&path).is_ok_and(|there| there == text) {
            return Ok(());
        }
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, text))
            .with_context(|| format!("{} could not be written", path.display()))
    };
    let lock = cargo::root().join("Cargo.lock");
    let lock = fs::read_to_string(&lock)
        .with_context(|| format!("{} could not be read", lock.display()))?;
    write("Cargo.toml", &manifest())?;
    write("src/lib.rs", &source(candidates))?;
    write("Cargo.lock", &lock)?;
    take_from_lock(folder)?;
    let artifact = folder.join("artifact");
    ptx::builder(folder, &artifact)?
        .arch(ptx::NEWEST)
        .build_all()
        .map_err(|error| BuildFailed(error.to_string()))?;
    let list = serde_json::to_string_pretty(candidates)?;
    let path = artifact.join(candidates::FILE_NAME);
    fs::write(&path, list).with_context(|| format!("{} could not be written", path.display()))?;
    Ok(artifact)
}

/// Makes the workspace's lock file the crate's: the versions in it are on this machine, so
/// that nothing is downloaded, and cargo takes out what the crate does not need.
fn take_from_lock(folder: &Path) -> anyhow::Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args([
            "metadata",
            "--offline",
            "--format-version=1",
            "--manifest-path",
        ])
        .arg(folder.join("Cargo.toml"))
        .stderr(Stdio::inherit())
        .output()
        .context("cargo could not be started")?;
    match output.status.success() {
        true => Ok(()),
        false => Err(BuildFailed("cargo metadata failed".to_owned()).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_candidate_is_an_entry() {
        let all = candidates::all();
        let source = source(&all);
        for one in &all {
            assert!(
                source.contains(&format!(" {}: ", one.entry)),
                "{}",
                one.entry
            );
        }
    }

    /// One of each kind of entry: registers and shared memory.
    #[test]
    fn the_crate_becomes_ptx_with_the_entries_of_its_list() {
        let mut few = candidates::all();
        few.retain(|one| (one.element, one.result) == (4, 4));
        few.retain(|one| matches!(one.algorithm, Algorithm::OneBlock | Algorithm::Lookahead));
        let few = [few[0].clone(), few[few.len() - 1].clone()];
        let folder = tempfile::tempdir().expect("a temporary folder");
        let artifact = build(folder.path(), &few).expect("it builds");
        let manifest = fs::read_to_string(artifact.join("manifest.json")).expect("a manifest");
        let list = fs::read_to_string(artifact.join(candidates::FILE_NAME)).expect("a list");
        for one in &few {
            assert!(manifest.contains(&one.entry), "{}", one.entry);
            assert!(list.contains(&one.entry), "{}", one.entry);
        }
    }
}
