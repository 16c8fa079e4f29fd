//! Barriers of the block that not all threads come to alike.
//!
//! PTX ISA, "barrier": without a count, all threads of the block take part;
//! `.aligned` (and so every `bar`) asks that all threads of a warp come to the
//! same instruction. A barrier without `.aligned` counts threads one by one,
//! so with a count a part of a warp may come. Different counts at one barrier
//! stop the kernel: that is the machine's. `barrier.cluster` is for the threads
//! that have not exited, so that some may (PTX ISA, "barrier.cluster").

use std::collections::HashMap;

use super::found::Found;
use super::raw::{FindingKind, RawFinding, RawPlace};
use crate::machine::{CLUSTER_BARRIER, OBSERVED_BARRIERS, full_mask};
use crate::observe::{BarrierArrival, LaunchInfo, Observer, Site};

/// Lanes of a warp at a barrier instruction.
#[derive(Copy, Clone, Debug)]
struct Arrival {
    pc: u32,
    warp: u32,
    lanes: u32,
    expected: u32,
    aligned: bool,
    waits: bool,
}

#[derive(Debug, Default)]
struct Block {
    number: u64,
    /// Those of the current phase of each barrier.
    arrivals: [Vec<Arrival>; OBSERVED_BARRIERS],
    /// Lanes of each warp that have exited.
    exited: Vec<u32>,
    /// Where threads exited: the instruction, and the first of them.
    exits: Vec<(u32, u32)>,
}

/// The checker.
#[derive(Debug, Default)]
pub(crate) struct Barriers {
    threads: u32,
    blocks: HashMap<u64, Block>,
    found: Found,
}

/// What tells the findings at one pair of instructions apart.
const EXITED: u8 = 0;
const DIVIDED: u8 = 1;
const PARTIAL: u8 = 2;

fn place(block: u64, pc: u32, thread: u32, verb: &'static str) -> RawPlace {
    RawPlace {
        pc,
        block,
        thread,
        verb,
    }
}

impl Arrival {
    fn place(&self, block: u64) -> RawPlace {
        let thread = self.warp * 32 + self.lanes.trailing_zeros();
        let verb = if self.waits { "waits" } else { "arrives" };
        place(block, self.pc, thread, verb)
    }
}

impl Barriers {
    pub(crate) fn findings(&self) -> Vec<RawFinding> {
        self.found.list()
    }

    /// The first thread that has come to a barrier which is not complete.
    pub(crate) fn first_arrival(&self, block: u64, id: u32) -> Option<RawPlace> {
        let arrivals = &self.blocks.get(&block)?.arrivals;
        Some(arrivals.get(id as usize)?.first()?.place(block))
    }

    fn divided(&mut self, block: u64, id: u32, one: &Arrival, two: &Arrival) {
        let (first, second) = if one.pc <= two.pc {
            (one, two)
        } else {
            (two, one)
        };
        let name = match id {
            CLUSTER_BARRIER => "the barrier of the cluster".to_owned(),
            _ => format!("barrier {id}"),
        };
        let message = format!(
            "threads of one warp come to {name} at different instructions, \
             and it is an aligned one"
        );
        let finding = RawFinding::new(FindingKind::Barrier, message, first.place(block));
        let finding = finding.and(second.place(block));
        self.found.add((first.pc, second.pc, DIVIDED), finding);
    }

    /// A barrier of the whole block is complete without those that exited.
    fn without_exited(&mut self, block: &Block, id: u32, arrivals: &[Arrival]) {
        let come: u32 = arrivals.iter().map(|a| a.lanes.count_ones()).sum();
        let missing = self.threads.saturating_sub(come);
        let s = if missing == 1 { "" } else { "s" };
        let message = format!(
            "barrier {id} completes although {missing} thread{s} of the block exited without \
             coming to it"
        );
        let mut pcs: Vec<u32> = arrivals.iter().map(|arrival| arrival.pc).collect();
        pcs.sort_unstable();
        pcs.dedup();
        for pc in pcs {
            let of_pc = arrivals.iter().filter(|arrival| arrival.pc == pc);
            let Some(at) = of_pc
                .map(|a| a.place(block.number))
                .min_by_key(|p| p.thread)
            else {
                continue;
            };
            for &(exit, thread) in &block.exits {
                let finding = RawFinding::new(FindingKind::Barrier, message.clone(), at);
                let finding = finding.and(place(block.number, exit, thread, "exited"));
                self.found.add((pc, exit, EXITED), finding);
            }
        }
    }

    /// A barrier for a number of threads is complete with a part of a warp.
    fn with_parts(&mut self, block: &Block, id: u32, arrivals: &[Arrival]) {
        for arrival in arrivals.iter().filter(|arrival| arrival.aligned) {
            let same_warp = arrivals.iter().filter(|a| a.warp == arrival.warp);
            let come = same_warp.fold(0, |lanes, a| lanes | a.lanes);
            let gone = block.exited.get(arrival.warp as usize).unwrap_or(&0);
            let missing = full_mask(self.threads, arrival.warp) & !gone & !come;
            if missing == 0 {
                continue;
            }
            let message = format!(
                "barrier {id} for {} threads completes although a part of the warp has \
                 not come to it, and it is an aligned one",
                arrival.expected
            );
            let at = arrival.place(block.number);
            let finding = RawFinding::new(FindingKind::Barrier, message, at);
            self.found.add((arrival.pc, 0, PARTIAL), finding);
        }
    }
}

impl Observer for Barriers {
    const CONTROL: bool = true;

    fn fork(&self) -> Self {
        Barriers {
            threads: self.threads,
            ..Barriers::default()
        }
    }

    fn merge(&mut self, other: Self) {
        self.found.merge(other.found);
        self.blocks.extend(other.blocks);
    }

    fn launch(&mut self, info: &LaunchInfo) {
        self.threads = info.block.iter().product();
    }

    fn block_begins(&mut self, _block: [u32; 3], linear: u64) {
        let block = Block {
            number: linear,
            exited: vec![0; self.threads.div_ceil(32) as usize],
            ..Block::default()
        };
        self.blocks.insert(linear, block);
    }

    fn block_ends(&mut self, _block: [u32; 3], linear: u64) {
        self.blocks.remove(&linear);
    }

    fn barrier(&mut self, at: Site, arrival: &BarrierArrival) {
        let Some(block) = self.blocks.get_mut(&at.block_linear) else {
            return;
        };
        let Some(arrivals) = block.arrivals.get_mut(arrival.id as usize) else {
            return;
        };
        let new = Arrival {
            pc: at.pc,
            warp: at.warp,
            lanes: arrival.lanes,
            expected: arrival.expected,
            aligned: arrival.aligned,
            waits: arrival.waits,
        };
        let elsewhere = arrivals.iter().copied().find(|other| {
            other.warp == at.warp
                && other.pc != at.pc
                && other.lanes & new.lanes == 0
                && (other.aligned || new.aligned)
        });
        arrivals.push(new);
        if let Some(other) = elsewhere {
            self.divided(at.block_linear, arrival.id, &other, &new);
        }
    }

    fn barrier_completes(&mut self, block_linear: u64, id: u32) {
        let Some(mut block) = self.blocks.remove(&block_linear) else {
            return;
        };
        let list = block.arrivals.get_mut(id as usize);
        let arrivals = list.map(std::mem::take).unwrap_or_default();
        if arrivals.iter().any(|arrival| arrival.expected != 0) {
            self.with_parts(&block, id, &arrivals);
        } else if id != CLUSTER_BARRIER && !block.exits.is_empty() {
            self.without_exited(&block, id, &arrivals);
        }
        self.blocks.insert(block_linear, block);
    }

    fn exit(&mut self, at: Site, lanes: u32) {
        let Some(block) = self.blocks.get_mut(&at.block_linear) else {
            return;
        };
        if let Some(exited) = block.exited.get_mut(at.warp as usize) {
            *exited |= lanes;
        }
        let thread = at.warp * 32 + lanes.trailing_zeros();
        match block.exits.iter_mut().find(|(pc, _)| *pc == at.pc) {
            Some((_, first)) => *first = thread.min(*first),
            None => block.exits.push((at.pc, thread)),
        }
    }
}
