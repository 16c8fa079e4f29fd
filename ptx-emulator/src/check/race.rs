//! Data races in shared and global memory, by happens-before.
//!
//! Two accesses to the same bytes, one of them a write, race unless one is
//! ordered before the other, or both are strong, name each other's thread by
//! their scopes and overlap in full, element by element where they are vectors
//! (PTX ISA, "Memory Consistency Model": "Data races", "Morally strong
//! operations", "Vector Data-types"). What orders: a thread's own program,
//! barriers of the block and of the cluster, `bar.warp.sync`, and release
//! patterns that acquire patterns observe. Shuffles and votes order nothing,
//! and neither does it that lanes of a warp run together: two lanes of one
//! instruction can race.
//!
//! A run is one interleaving, yet the verdict does not hang on its luck, save
//! for what is read from where: a race is found whichever access came first.
//!
//! `fence.sc` counts as `fence.acq_rel`, `.volatile` as `.relaxed.sys`, a
//! cluster as one block. Two `fence.sc` that no message goes between order
//! nothing here: a program that rests on the order in which they run is
//! reported. In launches with weak memory (`weak`) they synchronise, as the model says.
//!
//! What may be missed: of a word that many warps access unordered, races with
//! all but the last 34 of them. An asynchronous copy (`cp.async` and its like)
//! is an access of the thread that asked for it, when the copy is made: what
//! the same thread does to these bytes between the copy and the wait is in
//! order here, and on a GPU it is not.
//!
//! What may be reported although it is in order, because less is kept than the
//! model allows: a release that the same thread's later strong store carries
//! on after another thread has written there; a message that a relaxed load
//! has observed and only an acquire load of a later value at the same address
//! takes in.

mod access;
mod findings;
mod history;
mod location;
mod manner;
mod shadow;
mod threads;
mod vector_clock;
mod weak;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use access::{Now, message};
use findings::Findings;
use manner::{Manner, sides};
use shadow::{PAGE, Shadow, Stamps};
use threads::{Block, lanes_of};
use vector_clock::Stamp;
use weak::Weak;

use super::raw::{FindingKind, RawFinding, RawPlace};
use crate::machine::LaunchOptions;
use crate::observe::{
    BarrierArrival, LaunchInfo, Memory, MemoryAccess, Observer, Order, Scope, Site,
};

/// Finds data races of a launch.
#[derive(Debug, Default)]
pub(crate) struct Races {
    threads: u32,
    /// By number; those that have ended are kept when others must know who
    /// left early.
    blocks: Vec<Option<Box<Block>>>,
    stamps: Stamps,
    global: Shadow,
    /// By number of the block.
    shared: Vec<Option<Box<Shadow>>>,
    findings: Findings,
    /// Accesses of lanes, counted.
    accesses: u64,
    /// Of a launch with weak memory.
    weak: Option<Weak>,
}

impl Races {
    /// Of a launch with these options.
    pub(crate) fn of(options: &LaunchOptions) -> Self {
        Races {
            weak: options.weak_memory.then(|| Weak::new(options.schedule)),
            ..Races::default()
        }
    }

    /// What was found, in the order of the first occurrence.
    pub(crate) fn findings(&self) -> Vec<RawFinding> {
        self.findings.list()
    }

    fn block(&mut self, linear: u64) -> Option<&mut Block> {
        let index = usize::try_from(linear).ok()?;
        self.blocks.get_mut(index)?.as_deref_mut()
    }

    /// The number of the stamp of an access.
    fn number(&mut self, stamp: Stamp) -> Option<u32> {
        let block = self.blocks.get_mut(stamp.block as usize)?.as_deref_mut()?;
        let place = block.stamp(stamp.warp, stamp.pc);
        if *self.stamps.get(*place) != stamp {
            *place = self.stamps.add(stamp);
        }
        Some(*place)
    }

    fn sweep(&mut self) {
        let shared = self.shared.iter().flatten().map(|shadow| &**shadow);
        self.stamps
            .sweep(std::iter::once(&self.global).chain(shared));
    }

    /// Looks for races of an access, and takes it down.
    fn check(&mut self, at: Site, access: &MemoryAccess<'_>, manner: Manner) -> Option<bool> {
        let index = at.block_linear as u32;
        let (interval, time) = {
            let block = self.block(at.block_linear)?;
            (block.interval, block.time(at.warp))
        };
        let stamp = Stamp {
            block: index,
            warp: at.warp,
            time,
            interval,
            pc: at.pc,
        };
        let number = self.number(stamp)?;
        let block = self.blocks.get(index as usize)?.as_deref()?;
        let shadow = match access.memory {
            Memory::Global => &mut self.global,
            _ => self.shared.get_mut(index as usize)?.get_or_insert_default(),
        };
        let mut lanes = lanes_of(access.lanes).peekable();
        let first = *lanes.peek()?;
        let mut now = Now {
            stamps: &self.stamps,
            blocks: &self.blocks,
            stamp,
            number,
            manner,
            clock: block.clock(at.warp, first),
            lanes: 0,
            memo: [(0, 0); 4],
        };
        let findings = &mut self.findings;
        let mut published = false;
        let mut page_number = access.addresses[first as usize] / (4 * PAGE as u64);
        let mut page = shadow.pages.entry(page_number).or_default();
        while let Some(lane) = lanes.next() {
            let address = access.addresses[lane as usize];
            let clock = block.clock(at.warp, lane);
            if !Arc::ptr_eq(now.clock, clock) {
                (now.clock, now.memo) = (clock, [(0, 0); 4]);
            }
            now.lanes = 1 << lane;
            // Weak writes of several lanes have to be told apart.
            while (manner.strong || !manner.writes)
                && let Some(next) = lanes.next_if(|&next| {
                    access.addresses[next as usize] == address
                        && Arc::ptr_eq(clock, block.clock(at.warp, next))
                })
            {
                now.lanes |= 1 << next;
            }
            self.accesses += 1;
            for (word, mask) in words(address, manner.bytes) {
                if word / PAGE as u64 != page_number {
                    page_number = word / PAGE as u64;
                    page = shadow.pages.entry(page_number).or_default();
                }
                published |= page.published;
                let cell = &mut page.cells[word as usize % PAGE];
                let count = u64::from(now.lanes.count_ones());
                let (stamps, serial) = (now.stamps, self.accesses);
                now.visit(cell, mask, |record, other, their_lane, our_lane| {
                    let earlier = *stamps.get(record.stamp);
                    findings.add((earlier.pc, at.pc), serial, count, || {
                        let message = message(other, manner, record.stamp == number);
                        let here = RawPlace::new(at, 1 << our_lane, manner.verb());
                        let there = RawPlace {
                            pc: earlier.pc,
                            block: earlier.block.into(),
                            thread: earlier.warp * 32 + their_lane,
                            verb: other.verb(),
                        };
                        let common = record.mask & mask;
                        let (start, bytes) = if other.bytes == manner.bytes {
                            (address, u32::from(manner.bytes))
                        } else {
                            let first = word * 4 + u64::from(common.trailing_zeros());
                            (first, common.count_ones())
                        };
                        RawFinding {
                            memory: Some((access.memory, start, bytes)),
                            ..RawFinding::new(FindingKind::Race, message, here).and(there)
                        }
                    });
                });
            }
        }
        Some(published)
    }
}

/// The words that some bytes lie in, and which bytes of each.
#[inline(always)]
fn words(address: u64, bytes: u8) -> impl Iterator<Item = (u64, u8)> + Clone {
    let end = address.saturating_add(u64::from(bytes));
    (address / 4..end.div_ceil(4)).map(move |word| {
        let start = word * 4;
        let first = address.max(start) - start;
        let last = end.min(start.saturating_add(4)) - start;
        (word, (1 << last) - (1 << first))
    })
}

impl Observer for Races {
    const MEMORY: bool = true;
    const CONTROL: bool = true;
    const VALUES: bool = true;
    const SERIAL: bool = true;

    fn fork(&self) -> Self {
        Races {
            threads: self.threads,
            ..Races::default()
        }
    }

    fn merge(&mut self, other: Self) {
        self.findings.merge(other.findings);
    }

    fn launch(&mut self, info: &LaunchInfo) {
        *self = Races {
            threads: info.block.iter().product(),
            findings: std::mem::take(&mut self.findings),
            weak: self.weak.take(),
            ..Races::default()
        };
    }

    fn block_begins(&mut self, _block: [u32; 3], linear: u64) {
        // Blocks beyond the numbers are not looked at; no run gets there.
        let Ok(number) = u32::try_from(linear) else {
            return;
        };
        let needed = number as usize + 1;
        if self.blocks.len() < needed {
            self.blocks.resize_with(needed, || None);
            self.shared.resize_with(needed, || None);
        }
        self.blocks[number as usize] = Some(Box::new(Block::new(number, self.threads)));
    }

    fn block_ends(&mut self, _block: [u32; 3], linear: u64) {
        if let Some(shared) = self.shared.get_mut(linear as usize) {
            *shared = None;
        }
        if let Some(block) = self.blocks.get_mut(linear as usize)
            && !block.as_mut().is_some_and(|block| block.end())
        {
            *block = None;
        }
    }

    fn access(&mut self, at: Site, access: &MemoryAccess<'_>) {
        if !matches!(access.memory, Memory::Global | Memory::Shared) || access.lanes == 0 {
            return;
        }
        if self.stamps.full() {
            self.sweep();
        }
        let manner = Manner::of(access, at.device);
        let Some(published) = self.check(at, access, manner) else {
            return;
        };
        if self.weak.is_some() && access.values {
            return;
        }
        if self.weak.is_some() && manner.writes {
            self.weak_overwrite(at, access);
        }
        let (_, releases) = sides(access.order);
        let fenced = || {
            let block = self.blocks.get(at.block_linear as usize);
            block.is_some_and(|block| block.as_ref().is_some_and(|b| b.has_released(at.warp)))
        };
        let strong_write = manner.strong && manner.writes;
        if published && (manner.strong || manner.writes) || strong_write && (releases || fenced()) {
            self.synchronise(at, access, manner);
        }
    }

    fn loaded(&mut self, at: Site, access: &MemoryAccess<'_>, values: &mut [u64; 32]) {
        for lane in lanes_of(access.lanes) {
            if let Some(old) = self.weak_load(at, access, lane) {
                values[lane as usize] = old;
            }
        }
    }

    fn stored(
        &mut self,
        at: Site,
        access: &MemoryAccess<'_>,
        old: &[u64; 32],
        new: &[u64; 32],
        hidden: &mut u32,
    ) {
        for lane in lanes_of(access.lanes) {
            let values = (old[lane as usize], new[lane as usize]);
            if self.weak_store(at, access, lane, values) == Some(false) {
                *hidden |= 1 << lane;
            }
        }
    }

    fn fence(&mut self, at: Site, lanes: u32, order: Order, scope: Scope) {
        if self.weak.is_some() && order == Order::SequentiallyConsistent {
            self.weak_fence(at, lanes, scope);
            return;
        }
        if let Some(block) = self.block(at.block_linear) {
            block.fence(at.warp, lanes, order, scope);
        }
    }

    fn barrier(&mut self, at: Site, arrival: &BarrierArrival) {
        if let Some(block) = self.block(at.block_linear) {
            block.arrive(at.warp, arrival);
        }
    }

    fn barrier_passed(&mut self, at: Site, lanes: u32) {
        if let Some(block) = self.block(at.block_linear) {
            block.wait_for_cluster(at.warp, lanes);
        }
    }

    fn barrier_completes(&mut self, block_linear: u64, id: u32) {
        if let Some(block) = self.block(block_linear) {
            block.complete(id);
        }
    }

    fn collective_completes(&mut self, at: Site, lanes: u32, orders: bool) {
        if orders && let Some(block) = self.block(at.block_linear) {
            block.warp_barrier(at.warp, lanes);
        }
    }

    fn exit(&mut self, at: Site, lanes: u32) {
        if let Some(block) = self.block(at.block_linear) {
            block.exit(at.warp, lanes);
        }
    }
}
