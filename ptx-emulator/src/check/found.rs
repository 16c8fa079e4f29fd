//! The findings of one checker: a pair of instructions once, with how often.

use std::collections::BTreeMap;

use super::raw::RawFinding;

/// The instructions of a finding, and what else tells findings apart.
pub(crate) type Key = (u32, u32, u8);

/// Findings by their instructions. Of several with the same key the one in the
/// first block and thread is shown, so that a report does not depend on the
/// schedule.
#[derive(Debug, Default)]
pub(crate) struct Found {
    by_key: BTreeMap<Key, RawFinding>,
}

impl Found {
    pub(crate) fn add(&mut self, key: Key, finding: RawFinding) {
        match self.by_key.entry(key) {
            std::collections::btree_map::Entry::Vacant(entry) => {
                entry.insert(finding);
            }
            std::collections::btree_map::Entry::Occupied(mut entry) => {
                let known = entry.get_mut();
                let count = known.count + finding.count;
                let parties = |finding: &RawFinding| {
                    let other = finding.other.map(|place| (place.block, place.thread));
                    (finding.at.block, finding.at.thread, other)
                };
                if parties(&finding) < parties(known) {
                    *known = finding;
                }
                known.count = count;
            }
        }
    }

    /// Takes what another checker of the same kind found.
    pub(crate) fn merge(&mut self, other: Found) {
        for (key, finding) in other.by_key {
            self.add(key, finding);
        }
    }

    pub(crate) fn list(&self) -> Vec<RawFinding> {
        self.by_key.values().cloned().collect()
    }
}
