//! A kernel among all: its statements launch others too, so that one built alone is not enough.
//!
//! All kernels are built once and kept (`dev/all` in the target folder); at every save the
//! kernels that are watched are built anew and take the places of those. The others stay what
//! they were, as long as the host takes the same of their sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use cuda_builder::manifest::{FILE_NAME, Kernel, Manifest, Part};
use cuda_builder::names;
use sha2::{Digest, Sha256};

use super::round::environment;
use super::sources::{Change, Sources};
use crate::{alone, cargo, subject, terminal};

/// The file that says what the kernels beside it were built from.
const BUILT: &str = "built.json";

/// Before the name of a file with kernels that were built anew.
const ANEW: &str = "dev.";

/// Kernels among all.
#[derive(Debug)]
pub(super) struct Among {
    /// All kernels.
    all: PathBuf,
    /// The kernels built anew, alone.
    anew: PathBuf,
    /// All kernels, those among them.
    merged: PathBuf,
    pub(super) entries: Vec<String>,
}

impl Among {
    /// The kernels that a name stands for; all are built, unless they have been.
    ///
    /// `folder` is one of the name's own. Errors: [`Refused`](crate::Refused) when it is no
    /// kernel's name.
    pub(super) fn find(name: &str, folder: &Path, sources: &Sources) -> anyhow::Result<Self> {
        let mut among = Among {
            all: cargo::target_directory()?.join("dev").join("all"),
            anew: folder.join("anew"),
            merged: folder.join("merged"),
            entries: Vec::new(),
        };
        among.build_all(sources)?;
        let manifest = read(&among.all)?;
        let parts = manifest.modules().iter().flat_map(|module| &module.parts);
        let entries = names::entries(name, parts)
            .map_err(|unknown| subject::refused(&unknown, subject::ALLOWED))?;
        among.entries = entries.into_iter().map(str::to_owned).collect();
        Ok(among)
    }

    /// All kernels' launches are those of these sources.
    fn is_built(&self, sources: &Sources) -> bool {
        let text = fs::read(self.all.join(BUILT)).unwrap_or_default();
        let built: Option<(Vec<Option<String>>, Sources)> = serde_json::from_slice(&text).ok();
        built.is_some_and(|(built_in, before)| {
            let change = before.change_of_kernels(sources);
            built_in == environment() && !matches!(change, Change::Host(_))
        })
    }

    /// Builds all kernels, unless they have been.
    pub(super) fn build_all(&self, sources: &Sources) -> anyhow::Result<()> {
        if self.is_built(sources) {
            return Ok(());
        }
        terminal::begin("building all kernels, which statements launch too: minutes, once");
        make(&self.all)?;
        alone::entries(&[], &self.all)?;
        let text = serde_json::to_vec(&(environment(), sources))?;
        write(&self.all.join(BUILT), &text)
    }

    /// Where the kernels are that were built anew, alone.
    pub(super) fn anew(&self) -> &Path {
        &self.anew
    }

    /// Builds the kernels anew; a folder with them among all others.
    pub(super) fn artifact(&self) -> anyhow::Result<PathBuf> {
        alone::entries(&self.entries, &self.anew)?;
        self.merge()?;
        Ok(self.merged.clone())
    }

    fn merge(&self) -> anyhow::Result<()> {
        make(&self.merged)?;
        let (all, anew) = (read(&self.all)?, read(&self.anew)?);
        let merged = merged(all, anew);
        let mut manifest = merged.context("the kernels were built for two architectures")?;
        for module in &mut manifest.modules {
            let mut whole = Sha256::new();
            for part in &module.parts {
                let from = match part.file.strip_prefix(ANEW) {
                    Some(file) => self.anew.join(file),
                    None => self.all.join(&part.file),
                };
                let text = fs::read(&from)
                    .with_context(|| format!("{} could not be read", from.display()))?;
                whole.update(&text);
                write(&self.merged.join(&part.file), &text)?;
            }
            let digest = whole.finalize();
            module.sha256 = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        }
        let text = serde_json::to_vec(&manifest)?;
        write(&self.merged.join(FILE_NAME), &text)
    }
}

/// All kernels, without those that were built anew, and these in parts of their own; `None`
/// where the two are not of the same architectures.
fn merged(mut all: Manifest, anew: Manifest) -> Option<Manifest> {
    for module in &mut all.modules {
        let new = anew.modules.iter().find(|new| new.arch == module.arch)?;
        let entries: BTreeSet<&str> = new.kernels().map(|kernel| &*kernel.entry).collect();
        for part in &mut module.parts {
            let is_other = |kernel: &Kernel| !entries.contains(kernel.entry.as_str());
            part.kernels.retain(is_other);
        }
        // The first one is loaded at once, with or without kernels.
        let mut first = true;
        let mut is_left = |part: &Part| std::mem::take(&mut first) || !part.kernels.is_empty();
        module.parts.retain(&mut is_left);
        module.parts.extend(new.parts.iter().map(|part| Part {
            name: format!("{ANEW}{}", part.name),
            file: format!("{ANEW}{}", part.file),
            ..part.clone()
        }));
    }
    Some(all)
}

fn read(folder: &Path) -> anyhow::Result<Manifest> {
    Manifest::read(folder).with_context(|| format!("{} could not be read", folder.display()))
}

fn make(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("{} could not be made", folder.display()))
}

/// Writes a file unless it is that already.
fn write(path: &Path, text: &[u8]) -> anyhow::Result<()> {
    let is_same = fs::metadata(path).is_ok_and(|there| there.len() == text.len() as u64)
        && fs::read(path).is_ok_and(|there| there == text);
    if is_same {
        return Ok(());
    }
    fs::write(path, text).with_context(|| format!("{} could not be written", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuda_builder::manifest::Module;

    /// A manifest of parts with entries.
    fn manifest(parts: &[(&str, &[&str])]) -> Manifest {
        let kernel = |entry: &&str| Kernel {
            entry: (*entry).to_owned(),
            ..Kernel::default()
        };
        let part = |(name, entries): &(&str, &[&str])| Part {
            name: (*name).into(),
            file: format!("{name}.ptx"),
            kernels: entries.iter().map(kernel).collect(),
            ..Part::default()
        };
        let module = Module {
            parts: parts.iter().map(part).collect(),
            ..Module::default()
        };
        Manifest {
            modules: vec![module],
            ..Manifest::default()
        }
    }

    #[test]
    fn kernels_that_were_built_anew_take_the_places_of_those_before() {
        let all = manifest(&[("main", &["copy"]), ("sums", &["a", "b"]), ("one", &["c"])]);
        let anew = manifest(&[("sums", &["b"]), ("one", &["c"])]);
        let merged = merged(all, anew).expect("of one architecture");
        let parts = &merged.modules[0].parts;
        let parts: Vec<_> = parts
            .iter()
            .map(|part| {
                let entries = part.kernels.iter().map(|kernel| kernel.entry.as_str());
                (part.file.as_str(), entries.collect::<Vec<_>>())
            })
            .collect();
        assert_eq!(
            parts,
            [
                ("main.ptx", vec!["copy"]),
                ("sums.ptx", vec!["a"]),
                ("dev.sums.ptx", vec!["b"]),
                ("dev.one.ptx", vec!["c"]),
            ]
        );
    }

    #[test]
    fn the_first_part_stays_the_first() {
        let all = manifest(&[("main", &["copy"]), ("sums", &["a"])]);
        let merged = merged(all, manifest(&[("main", &["copy"])])).expect("of one architecture");
        let files = merged.modules[0].parts.iter().map(|part| &*part.file);
        let files: Vec<&str> = files.collect();
        assert_eq!(files, ["main.ptx", "sums.ptx", "dev.main.ptx"]);
    }
}
