//! Warp collectives whose member mask names a lane that has exited.
//!
//! PTX waits for the lanes of the mask that have not exited, so such a
//! collective completes; what it yields for a lane that is gone is undefined,
//! and `bar.warp.sync` asks for all of them. Lanes that a short last warp
//! never had may be named. A lane outside of its own mask stops the kernel, and
//! a lane that never comes is a deadlock: those are the machine's, and the
//! report names both lanes.

use std::collections::HashMap;

use super::found::Found;
use super::raw::{FindingKind, RawFinding, RawPlace};
use crate::ir::{lanes_of, mask_of};
use crate::observe::{Observer, Site};

/// Lanes at a collective that is not complete.
#[derive(Copy, Clone, Debug)]
struct Arrival {
    pc: u32,
    lanes: u32,
    members: u32,
}

#[derive(Debug, Default)]
struct Warp {
    waiting: Vec<Arrival>,
    /// Where lanes exited.
    exits: Vec<(u32, u32)>,
    /// The member mask of each lane's last collective; 0 before the first.
    last: [u32; 32],
}

/// The checker.
#[derive(Debug, Default)]
pub(crate) struct Collectives {
    /// The warps of each resident block, as far as they were seen.
    blocks: HashMap<u64, Vec<Warp>>,
    found: Found,
}

impl Collectives {
    pub(crate) fn findings(&self) -> Vec<RawFinding> {
        self.found.list()
    }

    fn warp(&mut self, at: Site) -> &mut Warp {
        let warps = self.blocks.entry(at.block_linear).or_default();
        let index = at.warp as usize;
        if warps.len() <= index {
            warps.resize_with(index + 1, Warp::default);
        }
        &mut warps[index]
    }
}

/// Lanes may be gone because they took part in another collective instead:
/// those of `gone` whose last one had another mask, in words.
fn elsewhere(last: &[u32; 32], gone: u32, members: u32) -> String {
    let other = |&lane: &usize| ![0, members].contains(&last[lane]);
    let Some(first) = lanes_of(gone).find(other) else {
        return String::new();
    };
    let mask = last[first];
    let lanes = gone & mask_of(|lane| last[lane] == mask);
    format!("; the last collective of {lanes:#010x} had the member mask {mask:#010x}")
}

impl Observer for Collectives {
    const CONTROL: bool = true;

    fn fork(&self) -> Self {
        Collectives::default()
    }

    fn merge(&mut self, other: Self) {
        self.found.merge(other.found);
        self.blocks.extend(other.blocks);
    }

    fn block_ends(&mut self, _block: [u32; 3], linear: u64) {
        self.blocks.remove(&linear);
    }

    fn collective(&mut self, at: Site, lanes: u32, members: u32, _live: u32) {
        let warp = self.warp(at);
        for lane in lanes_of(lanes) {
            warp.last[lane] = members;
        }
        warp.waiting.push(Arrival {
            pc: at.pc,
            lanes,
            members,
        });
    }

    fn collective_completes(&mut self, at: Site, lanes: u32, _orders: bool) {
        let mut warp = std::mem::take(self.warp(at));
        let present = |arrival: &mut Arrival| arrival.lanes & lanes != 0;
        for arrival in warp.waiting.extract_if(.., present) {
            // Now every member is here or has exited.
            for &(exit, exited) in &warp.exits {
                let gone = arrival.members & exited;
                if gone == 0 {
                    continue;
                }
                let place = |pc, lanes, verb| RawPlace::new(Site { pc, ..at }, lanes, verb);
                let message = format!(
                    "the member mask {:#010x} names lanes that have exited ({gone:#010x}){}",
                    arrival.members,
                    elsewhere(&warp.last, gone, arrival.members)
                );
                let there = place(arrival.pc, arrival.lanes, "takes part");
                let finding = RawFinding {
                    count: u64::from(arrival.lanes.count_ones()),
                    ..RawFinding::new(FindingKind::Collective, message, there)
                };
                let finding = finding.and(place(exit, gone, "exited"));
                self.found.add((arrival.pc, exit, 0), finding);
            }
        }
        *self.warp(at) = warp;
    }

    fn exit(&mut self, at: Site, lanes: u32) {
        let warp = self.warp(at);
        match warp.exits.iter_mut().find(|(pc, _)| *pc == at.pc) {
            Some((_, known)) => *known |= lanes,
            None => warp.exits.push((at.pc, lanes)),
        }
    }
}
