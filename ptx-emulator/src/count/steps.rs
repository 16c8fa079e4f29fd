//! Steps of blocks: what lies between two barriers of a whole block, and, for
//! each warp, between two `pmevent` marks.
//!
//! A step ends for all warps of a block when a barrier that waits for the
//! whole block is complete, and for one warp when it has run a `pmevent` (the
//! parts of a divergent warp that run the same one, each lane once, end it
//! once). Behind a barrier all warps are in the same step again. The steps of
//! a grid are those of its blocks, added up by their number.

use super::wavefronts::{SharedRequests, shared_request};
use super::{ByKind, at, sums};
use crate::machine::{OBSERVED_BARRIERS, Resident};
use crate::observe::{
    AccessKind, BarrierArrival, Class, LaunchInfo, Memory, MemoryAccess, Observer, Site,
};

/// Steps that are kept apart; what comes later is added to the last one.
pub const MAX_STEPS: usize = 1024;

/// Who took part in something.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// Threads, of all blocks.
    pub threads: u64,
    /// Warps with at least one such thread, of all blocks.
    pub warps: u64,
    /// The most threads of one block.
    pub most_threads: u64,
    /// The most warps of one block.
    pub most_warps: u64,
}

impl Activity {
    /// Another warp of the block, by its lanes.
    fn warp(&mut self, lanes: u32) {
        self.threads += u64::from(lanes.count_ones());
        self.warps += u64::from(lanes != 0);
        (self.most_threads, self.most_warps) = (self.threads, self.warps);
    }
}

sums!(Activity: threads, warps; most_threads, most_warps);

/// One step of all blocks. An atomic counts as a load and as a store.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Blocks that had this step.
    pub blocks: u64,
    /// Ran any instruction.
    pub ran: Activity,
    /// Loaded from shared memory.
    pub shared_loads: Activity,
    /// Stored to shared memory.
    pub shared_stores: Activity,
    /// Combined elements in shared memory: loaded at least twice and stored.
    /// A thread that only copies an element loads once, and does not count.
    pub combines: Activity,
    /// Loaded from global memory.
    pub global_loads: Activity,
    /// Stored to global memory.
    pub global_stores: Activity,
    /// Requests to shared memory and their wavefronts.
    pub shared: ByKind<SharedRequests>,
}

sums!(Step: blocks, ran, shared_loads, shared_stores, combines, global_loads, global_stores, shared; );

/// Counts what blocks do in each step.
///
/// The unfinished step of a block that a fault stopped is not counted.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// In order; at most `MAX_STEPS`.
    pub steps: Vec<Step>,
    /// Steps of blocks that were added to the last one.
    pub beyond: u64,
    threads: u32,
    blocks: Resident<BlockSteps>,
}

/// The lanes of a warp that did something in its step.
#[derive(Copy, Clone, Debug, Default)]
struct WarpStep {
    ran: u32,
    shared_loads: u32,
    /// Loaded twice.
    shared_loads_again: u32,
    shared_stores: u32,
    global_loads: u32,
    global_stores: u32,
    /// Which of the block's unfinished steps the warp is in.
    step: usize,
    /// The last `pmevent`, and the lanes that have run it.
    mark: (u32, u32),
}

impl WarpStep {
    /// Adds the warp's part to the block's step.
    fn finish(&mut self, steps: &mut Vec<Step>) {
        let step = at(steps, self.step, Step::default());
        step.ran.warp(self.ran);
        step.shared_loads.warp(self.shared_loads);
        step.shared_stores.warp(self.shared_stores);
        step.combines
            .warp(self.shared_loads_again & self.shared_stores);
        step.global_loads.warp(self.global_loads);
        step.global_stores.warp(self.global_stores);
        *self = WarpStep {
            step: self.step,
            mark: self.mark,
            ..WarpStep::default()
        };
    }
}

#[derive(Clone, Debug)]
struct BlockSteps {
    warps: Vec<WarpStep>,
    /// Steps since the last barrier.
    steps: Vec<Step>,
    /// Steps before them.
    before: usize,
    /// Barriers that wait for the whole block.
    whole: [bool; OBSERVED_BARRIERS],
}

impl BlockSteps {
    /// Ends the step of all warps, and adds all steps since the last barrier.
    fn finish(&mut self, sums: &mut Vec<Step>, beyond: &mut u64) {
        for warp in &mut self.warps {
            warp.finish(&mut self.steps);
            (warp.step, warp.mark) = (0, (0, 0));
        }
        for mut step in self.steps.drain(..) {
            // Behind the last mark nothing may have run.
            if step.ran.threads > 0 {
                step.blocks = 1;
                *at(sums, self.before.min(MAX_STEPS - 1), Step::default()) += step;
                *beyond += u64::from(self.before >= MAX_STEPS);
                self.before += 1;
            }
        }
    }
}

impl Steps {
    fn warp(&mut self, site: Site) -> Option<&mut WarpStep> {
        self.blocks
            .get(site.block_linear)?
            .warps
            .get_mut(site.warp as usize)
    }

    /// As `access`, for the counter that knows the request's wavefronts.
    pub(super) fn shared_access(
        &mut self,
        site: Site,
        access: &MemoryAccess<'_>,
        request: SharedRequests,
    ) {
        let Some(block) = self.blocks.get(site.block_linear) else {
            return;
        };
        let Some(warp) = block.warps.get_mut(site.warp as usize) else {
            return;
        };
        if access.kind != AccessKind::Store {
            warp.shared_loads_again |= warp.shared_loads & access.lanes;
            warp.shared_loads |= access.lanes;
        }
        if access.kind != AccessKind::Load {
            warp.shared_stores |= access.lanes;
        }
        let step = at(&mut block.steps, warp.step, Step::default());
        *step.shared.of_mut(access.kind) += request;
    }

    pub(super) fn global_access(&mut self, site: Site, access: &MemoryAccess<'_>) {
        let Some(warp) = self.warp(site) else { return };
        if access.kind != AccessKind::Store {
            warp.global_loads |= access.lanes;
        }
        if access.kind != AccessKind::Load {
            warp.global_stores |= access.lanes;
        }
    }
}

impl Observer for Steps {
    const INSTRUCTIONS: bool = true;
    const MEMORY: bool = true;
    const CONTROL: bool = true;

    fn fork(&self) -> Self {
        Steps {
            threads: self.threads,
            ..Steps::default()
        }
    }

    fn merge(&mut self, other: Self) {
        super::add_all(&mut self.steps, &other.steps);
        self.beyond += other.beyond;
    }

    fn launch(&mut self, info: &LaunchInfo) {
        self.threads = info.block.iter().product();
        self.blocks = Resident::default();
    }

    fn block_begins(&mut self, _block: [u32; 3], linear: u64) {
        let block = BlockSteps {
            warps: vec![WarpStep::default(); self.threads.div_ceil(32) as usize],
            steps: Vec::new(),
            before: 0,
            whole: [false; OBSERVED_BARRIERS],
        };
        self.blocks.begin(linear, block);
    }

    fn block_ends(&mut self, _block: [u32; 3], linear: u64) {
        if let Some(mut block) = self.blocks.end(linear) {
            block.finish(&mut self.steps, &mut self.beyond);
        }
    }

    #[inline(always)]
    fn instruction(&mut self, site: Site, _class: Class, active: u32, _path: u32) {
        if let Some(warp) = self.warp(site) {
            warp.ran |= active;
        }
    }

    fn access(&mut self, site: Site, access: &MemoryAccess<'_>) {
        match access.memory {
            Memory::Shared => self.shared_access(site, access, shared_request(access)),
            Memory::Global => self.global_access(site, access),
            _ => {}
        }
    }

    fn barrier(&mut self, site: Site, arrival: &BarrierArrival) {
        let threads = self.threads;
        if let Some(block) = self.blocks.get(site.block_linear)
            && let Some(whole) = block.whole.get_mut(arrival.id as usize)
        {
            *whole = arrival.expected == 0 || arrival.expected >= threads;
        }
    }

    fn barrier_completes(&mut self, block_linear: u64, id: u32) {
        if let Some(block) = self.blocks.get(block_linear)
            && block.whole.get(id as usize) == Some(&true)
        {
            block.finish(&mut self.steps, &mut self.beyond);
        }
    }

    fn mark(&mut self, site: Site, lanes: u32) {
        let Some(block) = self.blocks.get(site.block_linear) else {
            return;
        };
        let Some(warp) = block.warps.get_mut(site.warp as usize) else {
            return;
        };
        let (pc, marked) = warp.mark;
        if pc == site.pc && marked != 0 && marked & lanes == 0 {
            warp.mark.1 |= lanes;
            return;
        }
        warp.finish(&mut block.steps);
        warp.mark = (site.pc, lanes);
        warp.step = (warp.step + 1).min(MAX_STEPS);
    }
}
