//! Parts that were built before, in the target folder, by what they were made of.
//!
//! A part's name here is a hash of its module before anything is optimised, of
//! what cuda_std says about its kernels, and of everything else that decides
//! code: toolchain, options, architecture, and this package's own sources. So an
//! edit rebuilds the parts that it reaches. Groups of parts have names too, and
//! hold those of their members: what did not change at all is not taken apart.
//!
//! An entry is written beside its place and renamed, and starts with a hash of
//! the rest: one that is torn or damaged counts as absent. A store that cannot
//! be written makes builds slow and never wrong, so that is no error.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::SystemTime;

use hmac_sha256::Hash as Sha256;

use crate::NvvmArch;
use crate::built::Text;
use crate::files::hex;
use crate::kernel_crate::Crate;
use crate::options::Options;
use crate::toolchain::Toolchain;

/// All entries together have at most about as many bytes: a few builds of a
/// hundred parts. Those that were not used for longest leave.
const MOST_BYTES: u64 = 256 << 20;

/// A hash of this package's sources, from its build script.
pub(crate) const SOURCES: &str = env!("CUDA_BUILDER_SOURCES");

/// The parts of one crate, architecture and set of options.
#[derive(Debug)]
pub(crate) struct Store {
    folder: PathBuf,
    /// What every entry depends on.
    base: String,
}

/// The name of an entry; of none where nothing is stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Key(String);

impl Store {
    /// The store in the folder that nested builds share.
    pub(crate) fn new(
        target: &Path,
        toolchain: &Toolchain,
        kernels: &Crate,
        options: &Options,
        arch: NvvmArch,
    ) -> Self {
        let base = format!(
            "{SOURCES} {} {} {arch} {} {}",
            toolchain.rustc,
            toolchain.llvm,
            kernels.identifier(),
            options.of_code()
        );
        Store {
            folder: target.join("parts"),
            base,
        }
    }

    /// The name of what is made of a module; `described` is what else is known of
    /// the parts in it.
    pub(crate) fn key(&self, module: &[u8], described: &str) -> Key {
        let mut hasher = Sha256::new();
        for bytes in [self.base.as_bytes(), described.as_bytes(), module] {
            hasher.update(bytes.len().to_le_bytes());
            hasher.update(bytes);
        }
        Key(hex(hasher.finalize()))
    }

    /// One part, if it was built.
    pub(crate) fn part(&self, key: &Key) -> Option<Text> {
        let entry = self.read(key)?;
        let (description, ptx) = entry.split_once('\n')?;
        let (part, findings) = serde_json::from_str(description).ok()?;
        Some(Text {
            part,
            findings,
            ptx: ptx.to_owned(),
            before: None,
            after: None,
        })
    }

    pub(crate) fn keep_part(&self, key: &Key, text: &Text) {
        if let Ok(description) = serde_json::to_string(&(&text.part, &text.findings)) {
            self.write(key, &format!("{description}\n{}", text.ptx));
        }
    }

    /// All parts of a group with their names, if they were built.
    pub(crate) fn group(&self, key: &Key) -> Option<Vec<(Key, Text)>> {
        let entry = self.read(key)?;
        let members = entry.lines().map(|name| Key(name.to_owned()));
        members
            .map(|key| Some((key.clone(), self.part(&key)?)))
            .collect()
    }

    pub(crate) fn keep_group(&self, key: &Key, members: &[(Key, Text)]) {
        let names: Vec<&str> = members.iter().map(|(key, _)| key.0.as_str()).collect();
        self.write(key, &names.join("\n"));
    }

    fn read(&self, key: &Key) -> Option<String> {
        let path = self.folder.join(&key.0);
        let entry = fs::read_to_string(&path).ok()?;
        let (hash, rest) = entry.split_once('\n')?;
        if hash != hex(Sha256::hash(rest.as_bytes())) {
            return None;
        }
        // Its date says when it was last of use.
        let _ = fs::File::options()
            .append(true)
            .open(&path)
            .and_then(|file| file.set_modified(SystemTime::now()));
        Some(rest.to_owned())
    }

    fn write(&self, key: &Key, rest: &str) {
        static WRITTEN: AtomicU32 = AtomicU32::new(0);
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let new = format!("{}.{}.{number}", key.0, std::process::id());
        let new = self.folder.join(new);
        let hash = hex(Sha256::hash(rest.as_bytes()));
        let written = fs::create_dir_all(&self.folder)
            .and_then(|()| fs::write(&new, format!("{hash}\n{rest}")))
            .and_then(|()| fs::rename(&new, self.folder.join(&key.0)));
        if written.is_err() {
            let _ = fs::remove_file(&new);
        }
    }

    /// Lets the entries go that were not used for longest, down to the limit.
    pub(crate) fn trim(&self) {
        trim(&self.folder, MOST_BYTES);
    }
}

fn trim(folder: &Path, most: u64) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut entries: Vec<(SystemTime, u64, PathBuf)> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let data = entry.metadata().ok()?;
            Some((data.modified().ok()?, data.len(), entry.path()))
        })
        .collect();
    entries.sort();
    let mut bytes: u64 = entries.iter().map(|(_, bytes, _)| bytes).sum();
    for (_, length, path) in entries {
        if bytes <= most {
            return;
        }
        // Another build may have removed it.
        let _ = fs::remove_file(path);
        bytes -= length;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_was_not_used_for_longest_leaves_first() {
        let here = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        for (age, name) in [(3, "a"), (1, "b"), (2, "c")] {
            let path = here.path().join(name);
            fs::write(&path, [0; 100]).unwrap();
            let file = fs::File::options().append(true).open(path).unwrap();
            file.set_modified(now - Duration::from_secs(age)).unwrap();
        }
        let left = || {
            let mut names: Vec<_> = fs::read_dir(here.path())
                .unwrap()
                .map(|entry| entry.unwrap().file_name())
                .collect();
            names.sort();
            names
        };
        trim(here.path(), 300);
        assert_eq!(left(), ["a", "b", "c"]);
        trim(here.path(), 299);
        assert_eq!(left(), ["b", "c"]);
        trim(here.path(), 150);
        assert_eq!(left(), ["b"]);
    }

    #[test]
    fn an_entry_that_is_torn_is_absent() {
        let here = tempfile::tempdir().unwrap();
        let store = Store {
            folder: here.path().join("parts"),
            base: String::new(),
        };
        let key = store.key(b"module", "");
        store.write(&key, "one\ntwo");
        assert_eq!(store.read(&key).as_deref(), Some("one\ntwo"));
        let path = store.folder.join(&key.0);
        let whole = fs::read(&path).unwrap();
        for length in [0, 10, whole.len() - 1] {
            fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(store.read(&key), None);
        }
        assert_ne!(store.key(b"module", "other"), key);
        assert_ne!(store.key(b"other", ""), key);
    }
}
