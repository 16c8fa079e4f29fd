//! Weak memory: launches in which loads give older values than the newest, and stores take
//! their place before others that were made earlier, where PTX's memory model allows it (PTX
//! ISA, "Memory Consistency Model"; Lustig, Sahasrabuddhe, Giroux, "A Formal Analysis of the
//! NVIDIA PTX Memory Consistency Model", ASPLOS 2019).
//!
//! A load chooses among the writes of its bytes (`history`) that are not hidden by one which
//! comes before it in causality order: by program order, release and acquire patterns,
//! barriers, `fence.sc` in the order in which they run, and morally strong reads. A store
//! chooses its place in coherence order likewise. Atomics read and are the newest. What each
//! chooses is made from the schedule's seed.
//!
//! Not explored, although the model allows it: load buffering, as instructions run in program
//! order; bytes of one load that come from writes of different sizes in any mixture; `ldmatrix`
//! and asynchronous copies, which read the newest values; mbarriers. A store that is not told
//! (`MemoryAccess::values`) is seen by all at once.

use std::collections::HashMap;
use std::sync::Arc;

use super::Races;
use super::access::lanes_before;
use super::history::{History, Party, Seen, bits};
use super::location::{Contribution, Published, Trees};
use super::manner::{Manner, Reach, sides};
use super::shadow::{Numbered, Shadow};
use super::threads::{Block, lanes_of};
use super::vector_clock::{Lane, Stamp, VectorClock};
use crate::check::found::Found;
use crate::check::raw::{FindingKind, RawFinding, RawPlace};
use crate::machine::{Schedule, mix};
use crate::observe::{Memory, MemoryAccess, Order, Scope, Site};

/// A load that gave an old value.
#[derive(Debug)]
struct Stale {
    load: RawPlace,
    store: Party,
    memory: (Memory, u64, u32),
}

/// What a launch with weak memory keeps besides the histories.
#[derive(Debug)]
pub(super) struct Weak {
    seed: u64,
    /// Choices that have been made.
    choices: u64,
    /// The last load of each thread and address, while its value is old.
    stale: HashMap<(Lane, Memory, u64), Stale>,
    /// What threads knew at their `fence.sc`.
    fences: Published,
}

impl Weak {
    pub(super) fn new(schedule: Schedule) -> Self {
        Weak {
            seed: match schedule {
                Schedule::Deterministic => 0,
                Schedule::Seed(seed) => mix(seed),
            },
            choices: 0,
            stale: HashMap::new(),
            fences: Published::default(),
        }
    }

    /// One of `count`; half of them are the first.
    fn choose(&mut self, count: u64) -> u64 {
        if count == 1 {
            return 0;
        }
        self.choices += 1;
        let random = mix(self.seed ^ mix(self.choices));
        if random & 1 == 0 {
            0
        } else {
            (random >> 1) % count
        }
    }
}

/// Some bytes of a word of eight.
fn bytes_of(address: u64, bytes: u32) -> (u64, u8, u32) {
    let (first, shift) = (address % 8, address % 8 * 8);
    (
        address / 8,
        (((1u32 << bytes) - 1) << first) as u8,
        shift as u32,
    )
}

/// What comes before an access of a lane: of its own thread everything, of others what its
/// vector clock has.
fn known<'a>(
    blocks: &'a [Option<Box<Block>>],
    by: &'a Party,
    clock: &'a VectorClock,
) -> impl Fn(&Party) -> bool + 'a {
    |earlier| {
        earlier.by() == by.by()
            || lanes_before(blocks, &by.stamp, clock, &earlier.stamp) >> earlier.lane & 1 != 0
    }
}

/// The histories of a memory.
fn histories<'a>(
    global: &'a mut Shadow,
    shared: &'a mut [Option<Box<Shadow>>],
    memory: Memory,
    block: u32,
) -> Option<&'a mut Numbered<History>> {
    let shadow = match memory {
        Memory::Global => global,
        _ => shared.get_mut(block as usize)?.get_or_insert_default(),
    };
    Some(&mut shadow.histories)
}

impl Races {
    /// The access of a lane, with what it knows.
    fn party(&self, at: Site, lane: u32, manner: Manner) -> Option<(Party, Arc<VectorClock>)> {
        let number = at.block_linear as u32;
        let block = self.blocks.get(number as usize)?.as_deref()?;
        let stamp = Stamp {
            block: number,
            warp: at.warp,
            time: block.time(at.warp),
            interval: block.interval,
            pc: at.pc,
        };
        let party = Party {
            stamp,
            lane,
            manner,
        };
        Some((party, Arc::clone(block.clock(at.warp, lane))))
    }

    /// What a load of one lane, or the load of an atomic, reads; `None` where nobody has
    /// written.
    fn weak_read(&mut self, at: Site, access: &MemoryAccess<'_>, lane: u32) -> Option<Seen> {
        let manner = Manner::of(access, at.device);
        let (word, mask, _) = bytes_of(access.addresses[lane as usize], access.bytes);
        let number = at.block_linear as u32;
        if !histories(&mut self.global, &mut self.shared, access.memory, number)?
            .contains_key(&word)
        {
            return None;
        }
        let (by, clock) = self.party(at, lane, manner)?;
        let weak = self.weak.as_mut()?;
        let histories = histories(&mut self.global, &mut self.shared, access.memory, number)?;
        let knows = known(&self.blocks, &by, &clock);
        let seen = histories.get_mut(&word)?.read(by, mask, knows, |count| {
            if manner.writes { 0 } else { weak.choose(count) }
        });
        if manner.strong {
            let block = self.blocks.get_mut(number as usize)?.as_deref_mut()?;
            block.observe(by.by(), access.order, manner.reach, &seen.published);
        }
        Some(seen)
    }

    /// A load of one lane: the value that it gives instead of the newest.
    pub(super) fn weak_load(
        &mut self,
        at: Site,
        access: &MemoryAccess<'_>,
        lane: u32,
    ) -> Option<u64> {
        let seen = self.weak_read(at, access, lane)?;
        let address = access.addresses[lane as usize];
        let (_, mask, shift) = bytes_of(address, access.bytes);
        let by = Lane {
            block: at.block_linear as u32,
            warp: at.warp,
            lane,
        };
        let key = (by, access.memory, address);
        let stale = &mut self.weak.as_mut()?.stale;
        match seen.missed {
            None => {
                stale.remove(&key);
            }
            Some(store) => {
                let load = RawPlace::new(at, 1 << lane, "reads the old value");
                let memory = (access.memory, address, access.bytes);
                stale.insert(
                    key,
                    Stale {
                        load,
                        store,
                        memory,
                    },
                );
            }
        }
        seen.old.map(|value| (value & bits(mask)) >> shift)
    }

    /// A store or an atomic of one lane, which found `old`; whether it is the newest.
    pub(super) fn weak_store(
        &mut self,
        at: Site,
        access: &MemoryAccess<'_>,
        lane: u32,
        (old, new): (u64, u64),
    ) -> Option<bool> {
        let manner = Manner::of(access, at.device);
        let (word, mask, shift) = bytes_of(access.addresses[lane as usize], access.bytes);
        let (_, releases) = sides(access.order);
        if manner.reads {
            self.weak_read(at, access, lane);
        }
        let (by, clock) = self.party(at, lane, manner)?;
        let number = by.stamp.block;
        let block = self.blocks.get_mut(number as usize)?.as_deref_mut()?;
        let contribution = if manner.strong {
            block.contribution(by.by(), releases, manner.reach)
        } else {
            Default::default()
        };
        if releases {
            block.tick(at.warp);
        }
        let weak = self.weak.as_mut()?;
        let histories = histories(&mut self.global, &mut self.shared, access.memory, number)?;
        let knows = known(&self.blocks, &by, &clock);
        let values = (mask, old << shift, new << shift);
        let choose = |count| weak.choose(count);
        let history = histories.entry(word).or_default();
        Some(history.write(by, values, knows, contribution, choose))
    }

    /// Bytes are written by what does not tell its values.
    pub(super) fn weak_overwrite(&mut self, at: Site, access: &MemoryAccess<'_>) {
        let number = at.block_linear as u32;
        let Some(histories) = histories(&mut self.global, &mut self.shared, access.memory, number)
        else {
            return;
        };
        for lane in lanes_of(access.lanes) {
            let address = access.addresses[lane as usize];
            let end = address.saturating_add(u64::from(access.bytes));
            for word in address / 8..end.div_ceil(8) {
                histories.remove(&word);
            }
        }
    }

    /// A `fence.sc`: those that are morally strong synchronise in the order in which they run.
    pub(super) fn weak_fence(&mut self, at: Site, lanes: u32, scope: Scope) -> Option<()> {
        let number = at.block_linear as u32;
        let block = self.blocks.get_mut(number as usize)?.as_deref_mut()?;
        let weak = self.weak.as_mut()?;
        let reach = Reach::of(scope);
        for lane in lanes_of(lanes) {
            let by = Lane {
                block: number,
                warp: at.warp,
                lane,
            };
            let mut seen = Trees::default();
            weak.fences.read(number, at.device, &mut seen);
            block.acquire_within(by, reach, &seen);
            block.fence(at.warp, 1 << lane, Order::SequentiallyConsistent, scope);
            let clock = block.clock(at.warp, lane);
            let tree = clock.published(by, block.interval, block.time(at.warp));
            let mut contribution = Contribution::default();
            contribution.set(reach, &tree);
            weak.fences.add(number, at.device, &contribution);
            block.tick(at.warp);
        }
        Some(())
    }

    /// The loads whose threads have read no newer value since.
    pub(crate) fn stale_reads(&self) -> Vec<RawFinding> {
        let mut found = Found::default();
        for stale in self.weak.iter().flat_map(|weak| weak.stale.values()) {
            let Party { stamp, lane, .. } = stale.store;
            let store = RawPlace {
                pc: stamp.pc,
                block: stamp.block.into(),
                thread: stamp.warp * 32 + lane,
                verb: "had written",
            };
            let message = "an old value, although a newer one was written before, and nothing \
                           orders that write before the read";
            let finding = RawFinding {
                memory: Some(stale.memory),
                ..RawFinding::new(FindingKind::StaleRead, message.to_owned(), stale.load)
            };
            let key = (stale.load.pc, stamp.pc, 0);
            found.add(key, finding.and(store));
        }
        found.list()
    }
}
