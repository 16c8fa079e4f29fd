//! What is published at a location, and who gets it by reading there.
//!
//! PTX ISA, "Memory Consistency Model", "Release and Acquire Patterns": a
//! release pattern ends in a strong write, an acquire pattern begins with a
//! strong read that observes it, through any number of atomics in between;
//! all of these, and the patterns' outer ends, are morally strong in pairs.

use std::collections::BTreeMap;

use super::manner::{Manner, Reach, sides};
use super::vector_clock::{Lane, Tree};
use super::{Races, words};
use crate::ir::lanes_of;
use crate::observe::{Memory, MemoryAccess, Site};

/// What a thread can take in, by how far its acquire has to reach.
pub(super) type Trees = [Tree; 3];

/// What a strong write publishes, by how far; what goes far goes to those nearby too.
#[derive(Clone, Debug, Default)]
pub(super) struct Contribution([Option<Tree>; 3]);

impl Contribution {
    /// This goes so far, instead of what did.
    pub(super) fn set(&mut self, reach: Reach, tree: &Tree) {
        self.0[..=reach as usize].fill(Some(tree.clone()));
    }

    /// To threads of the same block.
    pub(super) fn near(&self) -> Option<&Tree> {
        self.0[0].as_ref()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.near().is_none()
    }

    pub(super) fn join(&mut self, other: &Contribution) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            if let Some(other) = other {
                own.get_or_insert_default().join(other);
            }
        }
    }
}

/// What several threads have published, by who may take it in.
#[derive(Clone, Debug, Default)]
pub(super) struct Published {
    /// Threads of these blocks.
    blocks: BTreeMap<u32, Tree>,
    /// Threads of these devices.
    devices: BTreeMap<u8, Tree>,
    all: Tree,
}

impl Published {
    /// A thread of a block and a device publishes.
    pub(super) fn add(&mut self, block: u32, device: u8, contribution: &Contribution) {
        let [near, far, all] = &contribution.0;
        if let Some(tree) = near {
            self.blocks.entry(block).or_default().join(tree);
        }
        if let Some(tree) = far {
            self.devices.entry(device).or_default().join(tree);
        }
        if let Some(tree) = all {
            self.all.join(tree);
        }
    }

    /// Adds to `seen` what a thread of a block and a device can take in.
    pub(super) fn read(&self, block: u32, device: u8, seen: &mut Trees) {
        let (near, far) = (self.blocks.get(&block), self.devices.get(&device));
        for (seen, tree) in seen.iter_mut().zip([near, far, Some(&self.all)]) {
            if let Some(tree) = tree {
                seen.join(tree);
            }
        }
    }
}

/// What is published at some bytes of a word.
#[derive(Clone, Debug)]
pub(super) struct Location {
    /// Bytes of the word.
    mask: u8,
    /// Of the last write.
    manner: Manner,
    /// The last writer; everything is its own while no one else's is here.
    writer: Lane,
    alone: bool,
    published: Published,
}

impl Location {
    /// Whether the access and the last write are morally strong.
    fn observed(&self, block: u32, manner: Manner, mask: u8) -> bool {
        self.mask & mask != 0
            && self
                .manner
                .is_morally_strong(self.writer.block, manner, block)
    }
}

/// What a strong read observes.
fn read(locations: &[Location], block: u32, manner: Manner, mask: u8) -> Trees {
    let mut seen = Trees::default();
    for location in locations {
        if location.observed(block, manner, mask) {
            location.published.read(block, manner.device, &mut seen);
        }
    }
    seen
}

/// A write: what was published at these bytes ends, unless an atomic carries
/// it on, or the same thread writes again.
fn write(
    locations: &mut Vec<Location>,
    by: Lane,
    manner: Manner,
    mask: u8,
    contribution: Contribution,
) {
    let mut carried = None;
    let mut index = 0;
    while let Some(location) = locations.get_mut(index) {
        let own = location.alone && location.writer == by;
        let carries = location.observed(by.block, manner, mask) && (manner.reads || own);
        let rest = location.mask & !mask;
        if rest != 0 {
            if carries {
                carried = Some((location.clone(), own));
            }
            location.mask = rest;
            index += 1;
        } else {
            let location = locations.swap_remove(index);
            if carries {
                carried = Some((location, own));
            }
        }
    }
    if carried.is_none() && contribution.is_empty() {
        return;
    }
    let mut location = match carried {
        Some((location, alone)) => Location {
            mask,
            manner,
            writer: by,
            alone,
            ..location
        },
        None => Location {
            mask,
            manner,
            writer: by,
            alone: true,
            published: Published::default(),
        },
    };
    let published = &mut location.published;
    published.add(by.block, manner.device, &contribution);
    locations.push(location);
}

impl Races {
    /// What a strong access, or a weak write where something is published,
    /// makes known.
    pub(super) fn synchronise(
        &mut self,
        at: Site,
        access: &MemoryAccess<'_>,
        manner: Manner,
    ) -> Option<()> {
        let index = at.block_linear as usize;
        let shadow = match access.memory {
            Memory::Global => &mut self.global,
            _ => self.shared.get_mut(index)?.as_deref_mut()?,
        };
        let block = self.blocks.get_mut(index)?.as_deref_mut()?;
        let (_, releases) = sides(access.order);
        for lane in lanes_of(access.lanes).map(|lane| lane as u32) {
            let by = Lane {
                block: at.block_linear as u32,
                warp: at.warp,
                lane,
            };
            let address = access.addresses[lane as usize];
            let words = words(address, manner.bytes);
            if manner.strong && manner.reads {
                for (word, mask) in words.clone() {
                    let Some(locations) = shadow.locations.get(&word) else {
                        continue;
                    };
                    let seen = read(locations, by.block, manner, mask);
                    block.observe(by, access.order, manner.reach, &seen);
                }
            }
            if !manner.writes {
                continue;
            }
            let contribution = if manner.strong {
                block.contribution(by, releases, manner.reach)
            } else {
                Default::default()
            };
            for (word, mask) in words {
                if contribution.is_empty() && !shadow.locations.contains_key(&word) {
                    continue;
                }
                let locations = shadow.locations.entry(word).or_default();
                write(locations, by, manner, mask, contribution.clone());
                if locations.is_empty() {
                    shadow.locations.remove(&word);
                } else {
                    shadow.publish(word);
                }
            }
        }
        if releases && manner.writes {
            block.tick(at.warp);
        }
        Some(())
    }
}
