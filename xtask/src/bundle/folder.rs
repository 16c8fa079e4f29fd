//! A folder that is replaced as a whole, and only if every file in it was
//! written by the last replacement.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use hmac_sha256::Hash as Sha256;

use crate::error::Refused;

/// Lists the folder's files, in the format of `sha256sum`.
const SUMS: &str = "SHA256SUMS";

/// A folder being written. Until [`Folder::finish`] it has no list of its
/// files, so an interrupted one is refused by the next run.
#[derive(Debug)]
pub(crate) struct Folder {
    root: PathBuf,
    /// Relative path to hash.
    sums: BTreeMap<String, String>,
    bytes: u64,
}

impl Folder {
    /// Whether `root` may be replaced, which `argument` of the command line names.
    ///
    /// # Errors
    ///
    /// [`Refused`] when it is not a folder, or holds a file that was not
    /// written here or has been changed since.
    pub(crate) fn check(argument: &str, root: &Path) -> anyhow::Result<()> {
        if let Some(foreign) = foreign(root)? {
            let problem = if foreign == root {
                format!("{argument} {} is not a folder", root.display())
            } else {
                format!(
                    "{argument} {} holds {}, which no earlier bundle has written",
                    root.display(),
                    foreign.strip_prefix(root).unwrap_or(&foreign).display()
                )
            };
            return Err(Refused(format!(
                "{problem}: name a folder that is empty, new or an earlier bundle"
            ))
            .into());
        }
        Ok(())
    }

    /// Removes what an earlier run wrote to `root`, and starts anew.
    pub(crate) fn replace(argument: &str, root: &Path) -> anyhow::Result<Folder> {
        Folder::check(argument, root)?;
        if root.exists() {
            fs::remove_dir_all(root)
                .with_context(|| format!("{} could not be removed", root.display()))?;
        }
        // A folder that cannot be made is a request that cannot be carried out.
        fs::create_dir_all(root).map_err(|error| {
            Refused(format!(
                "{argument} {} cannot be made: {error}",
                root.display()
            ))
        })?;
        Ok(Folder {
            root: root.to_owned(),
            sums: BTreeMap::new(),
            bytes: 0,
        })
    }

    pub(crate) fn write(&mut self, name: &str, contents: &[u8]) -> anyhow::Result<()> {
        self.write_with_mode(name, contents, 0o644)
    }

    pub(crate) fn write_executable(&mut self, name: &str, contents: &[u8]) -> anyhow::Result<()> {
        self.write_with_mode(name, contents, 0o755)
    }

    pub(crate) fn copy(&mut self, from: &Path, name: &str) -> anyhow::Result<()> {
        let contents =
            fs::read(from).with_context(|| format!("{} could not be read", from.display()))?;
        self.write(name, &contents)
    }

    /// Copies every file below `from` to below `name`.
    pub(crate) fn copy_all(&mut self, from: &Path, name: &str) -> anyhow::Result<()> {
        for path in files(from).with_context(|| format!("{} could not be read", from.display()))? {
            let relative = path.strip_prefix(from).unwrap_or(&path);
            self.copy(&path, &format!("{name}/{}", relative.display()))?;
        }
        Ok(())
    }

    /// Writes the list of files; returns the bytes of all of them.
    pub(crate) fn finish(self) -> anyhow::Result<u64> {
        let list: String = self
            .sums
            .iter()
            .map(|(name, sum)| format!("{sum}  {name}\n"))
            .collect();
        let path = self.root.join(SUMS);
        fs::write(&path, &list).with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(self.bytes + list.len() as u64)
    }

    fn write_with_mode(&mut self, name: &str, contents: &[u8], mode: u32) -> anyhow::Result<()> {
        let path = self.root.join(name);
        let write = || -> io::Result<()> {
            fs::create_dir_all(path.parent().unwrap_or(&self.root))?;
            fs::write(&path, contents)?;
            fs::set_permissions(&path, fs::Permissions::from_mode(mode))
        };
        write().with_context(|| format!("{} cannot be written", path.display()))?;
        self.sums.insert(name.to_owned(), sum(contents));
        self.bytes += contents.len() as u64;
        Ok(())
    }
}

/// The first thing at `root` that no finished [`Folder`] has put there.
fn foreign(root: &Path) -> anyhow::Result<Option<PathBuf>> {
    if root.symlink_metadata().is_err() {
        return Ok(None);
    }
    if !root.is_dir() {
        return Ok(Some(root.to_owned()));
    }
    let read = || format!("{} could not be read", root.display());
    let list = fs::read_to_string(root.join(SUMS)).unwrap_or_default();
    let sums: BTreeMap<&str, &str> = list
        .lines()
        .filter_map(|line| line.split_once("  "))
        .map(|(sum, name)| (name, sum))
        .collect();
    for path in files(root).with_context(read)? {
        let relative = path.strip_prefix(root).unwrap_or(&path);
        let known = relative.to_str().and_then(|name| sums.get(name));
        let own = match known {
            Some(known) => sum(&fs::read(&path).with_context(read)?) == **known,
            None => relative == Path::new(SUMS),
        };
        if !own {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// Every file and link below `folder`, and every folder with nothing in it,
/// in the order of their names.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<_>>()?;
    entries.sort();
    let mut found = Vec::new();
    for entry in entries {
        if entry.symlink_metadata()?.is_dir() {
            let below = files(&entry)?;
            if below.is_empty() {
                found.push(entry);
            } else {
                found.extend(below);
            }
        } else {
            found.push(entry);
        }
    }
    Ok(found)
}

fn sum(contents: &[u8]) -> String {
    Sha256::hash(contents)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARGUMENT: &str = "--bundle";

    fn written(root: &Path) {
        let mut folder = Folder::replace(ARGUMENT, root).expect("may be replaced");
        folder.write("README.md", b"read me").expect("written");
        folder
            .write_executable("bin/tool", b"#!/bin/sh\n")
            .expect("written");
        assert!(folder.finish().expect("finished") > 17);
    }

    fn refusal(root: &Path) -> String {
        let error = Folder::check(ARGUMENT, root).expect_err("refused");
        assert!(error.is::<Refused>(), "{error:?}");
        error.to_string()
    }

    #[test]
    fn an_earlier_bundle_is_replaced_and_leaves_nothing_behind() {
        let temporary = tempfile::tempdir().expect("a temporary folder");
        let root = temporary.path().join("bundle");
        written(&root);
        let mut folder = Folder::replace(ARGUMENT, &root).expect("its own files may go");
        folder.write("other", b"").expect("written");
        folder.finish().expect("finished");
        assert!(!root.join("README.md").exists());
        assert!(root.join("other").exists());
    }

    #[test]
    fn a_file_that_was_added_is_named_and_kept() {
        let temporary = tempfile::tempdir().expect("a temporary folder");
        written(temporary.path());
        let results = temporary.path().join("results/records.jsonl");
        fs::create_dir_all(results.parent().expect("has one")).expect("made");
        fs::write(&results, "{}").expect("written");
        assert!(refusal(temporary.path()).contains("results/records.jsonl"));
        assert!(Folder::replace(ARGUMENT, temporary.path()).is_err());
        assert!(results.exists());
    }

    #[test]
    fn a_file_that_was_changed_is_not_ours_any_more() {
        let temporary = tempfile::tempdir().expect("a temporary folder");
        written(temporary.path());
        fs::write(temporary.path().join("README.md"), "notes of my own").expect("written");
        assert!(refusal(temporary.path()).contains("holds README.md"));
    }

    #[test]
    fn a_folder_of_somebody_else_is_refused_and_an_empty_one_is_not() {
        let temporary = tempfile::tempdir().expect("a temporary folder");
        assert!(Folder::check(ARGUMENT, temporary.path()).is_ok());
        fs::create_dir(temporary.path().join("empty")).expect("made");
        assert!(refusal(temporary.path()).contains("holds empty"));
        let file = temporary.path().join("file");
        fs::write(&file, "").expect("written");
        let sentence = format!(
            "--bundle {} is not a folder: name a folder that is empty, new or an earlier bundle",
            file.display()
        );
        assert_eq!(refusal(&file), sentence);
    }

    #[test]
    fn the_list_is_what_sha256sum_checks() {
        let temporary = tempfile::tempdir().expect("a temporary folder");
        written(temporary.path());
        let list = fs::read_to_string(temporary.path().join(SUMS)).expect("there");
        // sha256sum of the seven bytes `read me`, computed by coreutils.
        let expected =
            "3f22095641508576e91dc7c6c7f7e08a093985d53ea998043c6619ad240dc92c  README.md";
        assert!(list.lines().any(|line| line == expected), "{list}");
    }

    #[test]
    fn programs_may_be_run() {
        let temporary = tempfile::tempdir().expect("a temporary folder");
        written(temporary.path());
        let mode = |name: &str| {
            temporary
                .path()
                .join(name)
                .metadata()
                .expect("there")
                .permissions()
                .mode()
                & 0o777
        };
        assert_eq!((mode("bin/tool"), mode("README.md")), (0o755, 0o644));
    }
}
