//! Races that were found: one finding a pair of instructions.

use std::collections::HashMap;

use crate::check::raw::{FindingKind, RawFinding};

/// Pairs of instructions that are kept; what comes later is not reported.
const MOST: usize = 1000;

/// The findings in the order of their first occurrence.
#[derive(Debug, Default)]
pub(super) struct Findings {
    list: Vec<RawFinding>,
    /// By both pcs, the lower one first: the finding, and the last access that
    /// was counted.
    known: HashMap<(u32, u32), (usize, u64)>,
}

impl Findings {
    /// Counts a race of the instructions `pair`, once an access; the first
    /// time, `describe` makes the finding.
    pub(super) fn add(
        &mut self,
        pair: (u32, u32),
        access: u64,
        count: u64,
        describe: impl FnOnce() -> RawFinding,
    ) {
        let key = (pair.0.min(pair.1), pair.0.max(pair.1));
        if let Some((index, last)) = self.known.get_mut(&key) {
            if *last != access {
                *last = access;
                self.list[*index].count += count;
            }
            return;
        }
        if self.list.len() < MOST {
            let mut finding = describe();
            debug_assert_eq!(finding.kind, FindingKind::Race);
            finding.count = count;
            self.known.insert(key, (self.list.len(), access));
            self.list.push(finding);
        }
    }

    pub(super) fn list(&self) -> Vec<RawFinding> {
        self.list.clone()
    }

    /// Takes in what another core found.
    pub(super) fn merge(&mut self, other: Findings) {
        let mut keys: Vec<(usize, (u32, u32))> = other
            .known
            .into_iter()
            .map(|(key, (index, _))| (index, key))
            .collect();
        keys.sort_unstable();
        for ((_, key), finding) in keys.into_iter().zip(other.list) {
            match self.known.get(&key) {
                Some(&(own, _)) => self.list[own].count += finding.count,
                None if self.list.len() < MOST => {
                    self.known.insert(key, (self.list.len(), 0));
                    self.list.push(finding);
                }
                None => {}
            }
        }
    }
}
