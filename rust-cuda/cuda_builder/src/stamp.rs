//! What is known of an earlier build without building again: whether the PTX that it
//! left is what a new one would make.

use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::artifact::Built;
use crate::manifest::Part;

/// What a module was made from; as long as it holds, the PTX is what a new
/// run of the passes would make.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    /// Of everything that the PTX is made from.
    pub(crate) key: u64,
    /// Of the PTX file of each part.
    pub(crate) texts: Vec<u64>,
    pub(crate) built: Built,
}

impl Stamp {
    pub(crate) fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }

    pub(crate) fn holds(&self, dir: &Path, key: u64) -> bool {
        let parts = &self.built.module.parts;
        let same = |(part, text): (&Part, &u64)| {
            fs::read(dir.join(&part.file)).is_ok_and(|ptx| hash(&[&ptx]) == *text)
        };
        let there = parts.len() == self.texts.len() && parts.iter().zip(&self.texts).all(same);
        self.key == key && there
    }

    /// Removes the files of parts that are no more, so that the folder holds
    /// what the manifest lists. One that stays is read by nobody.
    pub(crate) fn remove_others(&self, dir: &Path, now: &Built) {
        for gone in &self.built.module.parts {
            if now.module.parts.iter().all(|part| part.file != gone.file) {
                let _ = fs::remove_file(dir.join(&gone.file));
            }
        }
    }
}

/// A hash that tells whether something changed; of no use against malice, and
/// fast in build scripts too, which are not optimised.
pub(crate) fn hash(parts: &[&[u8]]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for part in parts {
        hasher.write_usize(part.len());
        hasher.write(part);
    }
    hasher.finish()
}
