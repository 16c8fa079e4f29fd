//! What is published at a location, and who gets it by reading there.
//!
//! PTX ISA, "Memory Consistency Model", "Release and Acquire Patterns": a
//! release pattern ends in a strong write, an acquire pattern begins with a
//! strong read that observes it, through any number of atomics in between;
//! all of these, and the patterns' outer ends, are morally strong in pairs.

use std::collections::BTreeMap;

use super::manner::{Manner, sides};
use super::vector_clock::{Lane, Tree};
use super::{Races, words};
use crate::ir::lanes_of;
use crate::observe::{Memory, MemoryAccess, Site};

/// What a strong write publishes.
#[derive(Clone, Debug, Default)]
pub(super) struct Contribution {
    /// To threads of the same block.
    pub(super) near: Option<Tree>,
    /// To threads of other blocks.
    pub(super) far: Option<Tree>,
}

impl Contribution {
    pub(super) fn is_empty(&self) -> bool {
        self.near.is_none() && self.far.is_none()
    }

    pub(super) fn join(&mut self, other: &Contribution) {
        for (own, other) in [(&mut self.near, &other.near), (&mut self.far, &other.far)] {
            if let Some(other) = other {
                own.get_or_insert_default().join(other);
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
    /// By block, to threads of that block.
    near: BTreeMap<u32, Tree>,
    /// By all, to threads of other blocks.
    far: Tree,
}

impl Location {
    /// Whether the access and the last write are morally strong.
    fn observed(&self, block: u32, manner: Manner, mask: u8) -> bool {
        self.mask & mask != 0
            && self
                .manner
                .is_morally_strong(self.writer.block, manner, block)
    }

    fn add(&mut self, by: Lane, contribution: Contribution) {
        if let Some(tree) = contribution.near {
            self.near.entry(by.block).or_default().join(&tree);
        }
        if let Some(tree) = contribution.far {
            self.far.join(&tree);
        }
    }
}

/// What a strong read observes: what its own block published, and what all
/// did, for other blocks; the latter it gets by an acquire of wide scope.
fn read(locations: &[Location], block: u32, manner: Manner, mask: u8) -> (Tree, Tree) {
    let (mut near, mut far) = (Tree::default(), Tree::default());
    for location in locations {
        if location.observed(block, manner, mask) {
            if let Some(tree) = location.near.get(&block) {
                near.join(tree);
            }
            far.join(&location.far);
        }
    }
    (near, far)
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
            near: BTreeMap::new(),
            far: Tree::default(),
        },
    };
    location.add(by, contribution);
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
                    let (near, far) = read(locations, by.block, manner, mask);
                    block.observe(by, access.order, manner.wide, (&near, &far));
                }
            }
            if !manner.writes {
                continue;
            }
            let contribution = if manner.strong {
                block.contribution(by, releases, manner.wide)
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
