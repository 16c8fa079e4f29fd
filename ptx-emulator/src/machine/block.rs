//! A block: its shared memory, its barriers, its copies.

use std::collections::BTreeMap;

use super::launch::Launch;
use super::memory::Cells;
use super::transfer::Transfers;
use crate::observe::Site;

/// Barriers of a block.
pub(crate) const BARRIERS: usize = 16;
/// The number that observers see of the barrier of the cluster.
pub(crate) const CLUSTER_BARRIER: u32 = BARRIERS as u32;

/// Barriers that observers see.
pub(crate) const OBSERVED_BARRIERS: usize = BARRIERS + 1;

/// One of the block's barriers.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct BarrierState {
    /// How often it has been completed.
    pub(crate) phase: u64,
    /// Threads that have come in this phase.
    pub(crate) arrived: u32,
    /// Threads that are expected; 0 for all of the block.
    pub(crate) expected: u32,
    /// Threads whose predicate was true.
    pub(crate) votes: u32,
    /// Threads that voted.
    pub(crate) voters: u32,
    /// Votes and voters of the last two completed phases, by parity.
    pub(crate) result: [(u32, u32); 2],
}

/// The barrier of a cluster of one block: to arrive and to wait are two steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClusterBarrier {
    /// How often it has been completed.
    pub(crate) phase: u64,
    /// Threads that have come in this phase.
    pub(crate) arrived: u32,
    /// The phase in which each thread has arrived and not yet waited.
    pub(crate) threads: BTreeMap<u32, u64>,
}

impl ClusterBarrier {
    /// Completes it when all `live` threads are there.
    pub(crate) fn check(&mut self, live: u32) -> bool {
        let complete = self.arrived > 0 && self.arrived >= live;
        if complete {
            self.phase += 1;
            self.arrived = 0;
        }
        complete
    }

    /// A thread that has exited counts for no phase.
    fn forget(&mut self, thread: u32) {
        if self.threads.remove(&thread) == Some(self.phase) {
            self.arrived -= 1;
        }
    }
}

/// What the warps of a block share.
#[derive(Debug)]
pub(crate) struct BlockState {
    /// Block index in the grid.
    pub(crate) index: [u32; 3],
    /// As one number; those of further devices follow.
    pub(crate) linear: u64,
    /// The number of its device.
    pub(crate) device: usize,
    pub(crate) shared: Cells,
    pub(crate) barriers: [BarrierState; BARRIERS],
    /// Threads that have not exited.
    pub(crate) live: u32,
    /// Where mbarrier objects are in shared memory, and their last value.
    pub(crate) mbarriers: BTreeMap<u64, u64>,
    /// How often in a row all of the block waited at mbarriers in vain.
    pub(crate) timeouts: u32,
    /// Copies that have been asked for and are not complete.
    pub(crate) transfers: Transfers,
    /// `barrier.cluster` of a cluster that is this block.
    pub(crate) cluster: ClusterBarrier,
    /// Which SM the block is thought to be on.
    pub(crate) sm: u32,
}

impl BlockState {
    /// A block that becomes resident.
    pub(crate) fn new(launch: &Launch<'_>, linear: u64) -> Self {
        let (device, in_device) = (linear / launch.blocks(), linear % launch.blocks());
        BlockState {
            index: launch.block_index(in_device),
            linear,
            device: device as usize,
            shared: Cells::zeroed(u64::from(launch.shared_bytes)),
            barriers: Default::default(),
            live: launch.threads(),
            mbarriers: BTreeMap::new(),
            timeouts: 0,
            transfers: Transfers::default(),
            cluster: ClusterBarrier::default(),
            sm: (in_device % u64::from(launch.model.sms)) as u32,
        }
    }

    /// Instruction `pc` of a warp of the block.
    pub(crate) fn site(&self, pc: u32, warp: u32) -> Site {
        Site {
            pc,
            block: self.index,
            block_linear: self.linear,
            device: self.device as u8,
            warp,
        }
    }

    /// Completes a barrier when all are there.
    pub(crate) fn check_barrier(&mut self, id: usize) -> bool {
        let barrier = &mut self.barriers[id];
        let expected = if barrier.expected == 0 {
            self.live
        } else {
            barrier.expected
        };
        if barrier.arrived == 0 || barrier.arrived < expected {
            return false;
        }
        barrier.result[(barrier.phase & 1) as usize] = (barrier.votes, barrier.voters);
        barrier.phase += 1;
        (
            barrier.arrived,
            barrier.expected,
            barrier.votes,
            barrier.voters,
        ) = (0, 0, 0, 0);
        true
    }

    /// Lanes of a warp have exited: barriers of the whole block wait for fewer.
    pub(crate) fn exit(&mut self, warp: u32, lanes: u32) {
        self.live -= lanes.count_ones();
        for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
            self.cluster.forget(warp * 32 + lane);
        }
        self.cluster.check(self.live);
        for id in 0..BARRIERS {
            if self.barriers[id].expected == 0 {
                self.check_barrier(id);
            }
        }
    }
}
