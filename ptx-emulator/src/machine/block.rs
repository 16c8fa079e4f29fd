//! A block: its warps, its shared memory, its barriers.

use super::memory::Cells;
use super::warp::Warp;

/// Barriers of a block.
pub(crate) const BARRIERS: usize = 16;

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

/// What the warps of a block share.
#[derive(Debug)]
pub(crate) struct BlockState {
    /// Block index in the grid.
    pub(crate) index: [u32; 3],
    /// As one number.
    pub(crate) linear: u64,
    pub(crate) shared: Cells,
    pub(crate) barriers: [BarrierState; BARRIERS],
    /// Threads that have not exited.
    pub(crate) live: u32,
    /// Which multiprocessor the block is thought to be on.
    pub(crate) multiprocessor: u32,
}

impl BlockState {
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

    /// Threads have exited: barriers of the whole block wait for fewer.
    pub(crate) fn exit(&mut self, threads: u32) {
        self.live -= threads;
        for id in 0..BARRIERS {
            if self.barriers[id].expected == 0 {
                self.check_barrier(id);
            }
        }
    }
}

#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) state: BlockState,
    pub(crate) warps: Vec<Warp>,
}
