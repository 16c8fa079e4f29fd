//! What is known of an earlier build without building again: what it read, and whether the
//! PTX that it left is what a new one would make.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::CudaBuilderError;
use crate::built::Built;
use crate::cargo::Bitcode;
use crate::files;

/// How much older than the clock a file's date may be that was just written.
const COARSE: Duration = Duration::from_millis(10);

/// The parts of one architecture in a folder, and what they were made from.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Stamp {
    /// What decides the code beside the sources.
    key: String,
    /// A hash of every file that a build read, or would read if it were there.
    sources: BTreeMap<PathBuf, Option<u64>>,
    variables: BTreeMap<String, Option<String>>,
    /// A hash of every PTX file.
    texts: BTreeMap<String, u64>,
    pub(crate) built: Built,
}

impl Stamp {
    /// The stamp at `path`, if a new build would find the same sources; without the parts
    /// whose files in `dir` are not those of the build.
    pub(crate) fn read(path: &Path, key: &str, dir: &Path) -> Option<Self> {
        let mut stamp: Stamp = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        let is_current = stamp.key == key
            && stamp.sources.iter().all(|(path, hash)| of(path) == *hash)
            && stamp
                .variables
                .iter()
                .all(|(name, value)| env::var(name).ok() == *value);
        if !is_current {
            return None;
        }
        let Stamp { built, texts, .. } = &mut stamp;
        built.forget(|file| of(&dir.join(file)).is_none_or(|hash| texts.get(file) != Some(&hash)));
        Some(stamp)
    }

    /// Of what a build that began then read and made, and of what was there `before`.
    pub(crate) fn new(
        key: String,
        begin: SystemTime,
        bitcode: &Bitcode,
        texts: impl IntoIterator<Item = (String, u64)>,
        built: Built,
        before: Option<Stamp>,
    ) -> Self {
        let (mut sources, mut variables, mut all) = match before {
            Some(before) => (before.sources, before.variables, before.texts),
            None => Default::default(),
        };
        // Which text the build has read of a file that changed since it began is not known.
        let is_known = |path: &Path| {
            let date = fs::metadata(path).and_then(|data| data.modified());
            date.is_ok_and(|date| date + COARSE < begin)
        };
        let hash = |path: &Path| of(path).filter(|_| is_known(path));
        let read = bitcode.sources.iter();
        sources.extend(read.map(|path| (path.clone(), hash(path))));
        // cargo has written it where there was none.
        sources.insert(bitcode.lock_file.clone(), of(&bitcode.lock_file));
        let read = bitcode.variables.iter();
        variables.extend(read.map(|name| (name.clone(), env::var(name).ok())));
        all.extend(texts);
        Stamp {
            key,
            sources,
            variables,
            texts: all,
            built,
        }
    }

    pub(crate) fn write(&self, path: &Path) -> Result<(), CudaBuilderError> {
        let text = serde_json::to_string(self).unwrap_or_default();
        files::write(path, text)
    }

    /// Every file and every environment variable that decides the code.
    pub(crate) fn inputs(&self) -> (BTreeSet<PathBuf>, BTreeSet<String>) {
        let (sources, variables) = (self.sources.keys(), self.variables.keys());
        (sources.cloned().collect(), variables.cloned().collect())
    }
}

/// A hash of a file's contents; none where there is no file.
fn of(path: &Path) -> Option<u64> {
    fs::read(path).ok().map(|bytes| hash(&bytes))
}

/// A hash that tells whether something changed; of no use against malice, and
/// fast in build scripts too, which are not optimised.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}
