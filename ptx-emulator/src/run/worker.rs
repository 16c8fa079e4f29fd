//! One host thread with its resident blocks: whose turn it is.

use std::sync::atomic::{AtomicU64, Ordering};

use super::warp::Turn;
use crate::error::{LaunchError, Waiter};
use crate::machine::{
    BlockState, Context, Launch, Path, Schedule, Wait, Warp, copying, full_mask, mix, transfer,
};
use crate::observe::Observer;

/// Warp instructions of one turn of a warp.
const TURN: u32 = 8192;
/// Turns between looks at the shared budget and the error flag.
const BUDGET_STEP: u64 = 1 << 20;

/// How often in a row all of a block may wait at mbarriers in vain: then they
/// are taken to wait for ever. A kernel may count its attempts, but not so far.
const TIMEOUTS: u32 = 1 << 16;

/// Rounds in which no block ends, after which further blocks become resident whatever they take: those that
/// are may wait for them.
const QUIET: usize = 32;

/// Blocks of a host thread that are resident at once.
#[derive(Copy, Clone, Debug)]
pub(super) struct Room {
    /// So many, whose registers have memory;
    pub(super) few: usize,
    /// as many more each time that for long none has ended, up to
    pub(super) most: usize,
}

/// What the cores of a launch share.
pub(super) struct Shared {
    /// The next block to become resident.
    pub(super) next: AtomicU64,
    pub(super) blocks: u64,
    pub(super) executed: AtomicU64,
    pub(super) stop: AtomicU64,
}

/// A block and its warps.
#[derive(Debug)]
struct Block {
    state: BlockState,
    warps: Vec<Warp>,
}

/// One host thread with its resident blocks.
pub(super) struct Worker<'a, O> {
    launch: &'a Launch<'a>,
    shared: &'a Shared,
    pub(super) observer: O,
    room: Room,
    /// Warp instructions that `Shared::executed` does not hold yet.
    pub(super) unbooked: u64,
}

impl<'a, O: Observer> Worker<'a, O> {
    /// A host thread that has not begun.
    pub(super) fn new(launch: &'a Launch<'a>, shared: &'a Shared, observer: O, room: Room) -> Self {
        Worker {
            launch,
            shared,
            observer,
            room,
            unbooked: 0,
        }
    }

    /// Warp instructions of all threads, as far as they are booked, and of this
    /// one.
    pub(super) fn executed(&self) -> u64 {
        self.shared.executed.load(Ordering::Relaxed) + self.unbooked
    }

    fn next_block(&mut self, old: Option<Block>) -> Option<Block> {
        let turn = self.shared.next.fetch_add(1, Ordering::Relaxed);
        if turn >= self.shared.blocks {
            return None;
        }
        let launch = self.launch;
        // Devices take turns, so that each begins with as many as alone.
        let devices = launch.parameters.len() as u64;
        let linear = turn % devices * launch.blocks() + turn / devices;
        let state = BlockState::new(launch, linear);
        self.observer.block_begins(state.index, linear);
        let threads = launch.threads();
        let warps = match old {
            Some(mut block) => {
                for (index, warp) in block.warps.iter_mut().enumerate() {
                    warp.reset(launch, full_mask(threads, index as u32));
                }
                block.warps
            }
            None => (0..threads.div_ceil(32))
                .map(|index| Warp::new(launch, index, full_mask(threads, index)))
                .collect(),
        };
        Some(Block { state, warps })
    }

    /// Gives each resident block turns until all blocks have ended. A block
    /// becomes resident only when those before it have had a turn, and takes
    /// the place of one that has ended: short blocks use the same memory, one
    /// after the other.
    pub(super) fn run(&mut self) -> Result<(), LaunchError> {
        let mut blocks: Vec<Block> = Vec::new();
        let (mut round, mut quiet) = (0u64, 0);
        loop {
            round += 1;
            quiet += 1;
            let resident = self.room.most.min(self.room.few * (1 + quiet / QUIET));
            if let Schedule::Seed(seed) = self.launch.options.schedule {
                while blocks.len() < resident
                    && let Some(block) = self.next_block(None)
                {
                    blocks.push(block);
                }
                let count = blocks.len().max(1) as u64;
                blocks.rotate_left((mix(seed ^ round) % count) as usize);
            }
            let mut index = 0;
            while index < blocks.len().max(resident) {
                if index == blocks.len() {
                    match self.next_block(None) {
                        Some(block) => blocks.push(block),
                        None => break,
                    }
                }
                let block = &mut blocks[index];
                self.run_block(block, round)?;
                if block.warps.iter().all(|warp| warp.paths.live == 0) {
                    self.observer
                        .block_ends(block.state.index, block.state.linear);
                    quiet = 0;
                    let ended = blocks.swap_remove(index);
                    if let Some(next) = self.next_block(Some(ended)) {
                        blocks.push(next);
                        let last = blocks.len() - 1;
                        blocks.swap(index, last);
                    }
                } else {
                    index += 1;
                }
                if self.is_stopped(&blocks)? {
                    return Ok(());
                }
            }
            if blocks.is_empty() {
                return Ok(());
            }
        }
    }

    /// Books instructions now and then; true when another core has failed.
    fn is_stopped(&mut self, blocks: &[Block]) -> Result<bool, LaunchError> {
        let budget = self.launch.options.budget;
        if self.unbooked < BUDGET_STEP.min(budget / 16 + 1) {
            return Ok(false);
        }
        let shared = self.shared;
        let before = shared.executed.fetch_add(self.unbooked, Ordering::Relaxed);
        let total = before + self.unbooked;
        self.unbooked = 0;
        if shared.stop.load(Ordering::Relaxed) != 0 {
            return Ok(true);
        }
        if total > budget {
            return Err(self.livelock(blocks));
        }
        Ok(false)
    }

    /// Gives every warp of the block turns until none can go on without
    /// other blocks: all have ended, or all wait at the end of a long turn.
    fn run_block(&mut self, block: &mut Block, round: u64) -> Result<(), LaunchError> {
        let mut moved = false;
        let count = block.warps.len();
        let start = match self.launch.options.schedule {
            Schedule::Deterministic => 0,
            Schedule::Seed(seed) => {
                (mix(seed ^ round ^ block.state.linear << 20) % count as u64) as usize
            }
        };
        // Several rounds while barriers hand the block on cheaply.
        for pass in 0..16u64 {
            let mut progress = false;
            let mut spinning = false;
            for step in 0..count {
                let index = (start + step) % count;
                if block.warps[index].paths.live == 0 {
                    continue;
                }
                let place = round << 32 ^ pass << 24 ^ index as u64 ^ block.state.linear << 44;
                let (budget, choice) = self.turn(place);
                let time = self.executed() * self.launch.model.nanoseconds_per_instruction;
                if choice != 0 {
                    let mut random = choice;
                    self.make(block, time, |context| {
                        copying::stir(context, || {
                            random = mix(random);
                            random
                        })
                    })?;
                }
                let mut context =
                    Context::new(self.launch, &mut block.state, &mut self.observer, time);
                let warp = &mut block.warps[index];
                let mut left = budget;
                let turn = warp.run(&mut context, &mut left, choice);
                let ran = budget - left;
                self.unbooked += u64::from(ran);
                let turn = turn.map_err(LaunchError::Fault)?;
                // A finish may have completed a barrier without running on.
                progress |= ran > 0 || turn == Turn::Finished;
                spinning |= turn == Turn::Ready;
            }
            moved |= progress;
            if block.warps.iter().all(|warp| warp.paths.live == 0) {
                // The copies that nobody waited for are made when the block ends.
                return self.make(block, 0, |context| copying::finish(context));
            }
            if spinning {
                return Ok(());
            }
            if !progress {
                break;
            }
        }
        if moved || self.release_mbarriers(block)? {
            return Ok(());
        }
        Err(LaunchError::Deadlock(self.waiters(block)))
    }

    /// The length of a warp's turn, and which of its paths runs first; 0 leaves
    /// that to the warp.
    fn turn(&self, place: u64) -> (u32, u64) {
        match self.launch.options.schedule {
            Schedule::Deterministic => (TURN, 0),
            Schedule::Seed(seed) => {
                let random = mix(seed ^ place);
                (1 + (random % 257) as u32, random >> 16 | 1)
            }
        }
    }

    /// Makes copies of a block; one that cannot be made is a fault of whoever
    /// asked for it.
    fn make(
        &mut self,
        block: &mut Block,
        time: u64,
        copies: impl FnOnce(&mut Context<'_, O>) -> Result<(), transfer::Failure>,
    ) -> Result<(), LaunchError> {
        let mut context = Context::new(self.launch, &mut block.state, &mut self.observer, time);
        copies(&mut context).map_err(|failure| {
            let path = Path::new(failure.pc, 1 << failure.lane, self.launch.kernel);
            let warp = &block.warps[failure.warp as usize];
            LaunchError::Fault(warp.fault(&context, &path, (failure.lane, failure.kind)))
        })
    }

    /// Nothing can move: makes the copies that mbarriers wait for, or ends
    /// the `try_wait`s there without success. False when nobody waits at one,
    /// or all have tried in vain for too long.
    fn release_mbarriers(&mut self, block: &mut Block) -> Result<bool, LaunchError> {
        let awaited: Vec<u64> = block
            .warps
            .iter()
            .flat_map(|warp| &warp.paths.list)
            .filter_map(|path| match path.wait {
                Some(Wait::Mbarrier { offset, .. }) => Some(offset),
                _ => None,
            })
            .collect();
        if awaited.is_empty() || block.state.timeouts >= TIMEOUTS {
            return Ok(false);
        }
        self.make(block, 0, |context| {
            let mut awaited = awaited.into_iter();
            awaited.try_for_each(|offset| copying::serve(context, offset))
        })?;
        block.state.timeouts += 1;
        for warp in &mut block.warps {
            warp.expire();
        }
        Ok(true)
    }

    /// Where the paths of a block are.
    fn waiters(&self, block: &Block) -> Vec<Waiter> {
        let warps = block.warps.iter();
        warps
            .flat_map(|warp| warp.waiters(self.launch, &block.state))
            .collect()
    }

    fn livelock(&self, blocks: &[Block]) -> LaunchError {
        let waiters = blocks.iter().flat_map(|block| self.waiters(block));
        let waiters = waiters.take(64).collect();
        LaunchError::Livelock {
            budget: self.launch.options.budget,
            waiters,
        }
    }
}
