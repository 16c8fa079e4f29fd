//! One launch: which blocks are resident, who runs next, who is stuck.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::block::{Block, BlockState};
use super::heap::Heap;
use super::memory::{Cells, Global};
use super::model::Model;
use super::path::{Path, Wait};
use super::printed::Printed;
use super::transfer;
use super::warp::{Context, Turn, Warp, full_mask};
use crate::error::{LaunchError, Waiter};
use crate::ir::{Instruction, Pool};
use crate::lower::Code;
use crate::observe::Observer;

/// Warp instructions of one turn of a warp.
const TURN: u32 = 8192;
/// Turns between looks at the shared budget and the error flag.
const BUDGET_STEP: u64 = 1 << 20;

/// How often in a row all of a block may wait at mbarriers in vain: then they
/// are taken to wait for ever. A kernel may count its attempts, but not so far.
const TIMEOUTS: u32 = 1 << 16;

/// Which of the legal interleavings is run.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub enum Schedule {
    /// Round robin, always the same.
    #[default]
    Deterministic,
    /// Turns of random length in random order, from a seed.
    Seed(u64),
}

/// How a launch is run.
#[derive(Clone, Debug)]
pub struct LaunchOptions {
    /// The interleaving of warps, blocks and divergent paths.
    pub schedule: Schedule,
    /// Warp instructions after which a launch is a livelock.
    pub budget: u64,
    /// Host threads that run blocks; 1 keeps the order of atomics the same
    /// from run to run.
    pub cores: usize,
}

impl Default for LaunchOptions {
    fn default() -> Self {
        LaunchOptions {
            schedule: Schedule::Deterministic,
            budget: 1 << 40,
            cores: 1,
        }
    }
}

/// What all warps of a launch share; but for the heap and what is
/// printed, nothing here changes while it runs.
pub(crate) struct Launch<'a> {
    pub(crate) code: &'a Code,
    pub(crate) pool: Pool,
    pub(crate) kernel: u32,
    pub(crate) parameters: Cells,
    pub(crate) constants: &'a Cells,
    pub(crate) global: &'a Global,
    pub(crate) heap: &'a Heap,
    pub(crate) printed: Printed,
    pub(crate) model: &'a Model,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// Static and dynamic.
    pub(crate) shared_bytes: u32,
    pub(crate) dynamic_shared_bytes: u32,
    pub(crate) options: LaunchOptions,
}

/// splitmix64: a good mixing of any 64 bits.
fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

impl Launch<'_> {
    #[inline(always)]
    pub(crate) fn instructions(&self) -> &[Instruction] {
        &self.code.instructions
    }

    fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// The index of a thread of the block.
    pub(crate) fn thread(&self, linear: u32) -> [u32; 3] {
        let [x, y, _] = self.block;
        [linear % x, linear / x % y, linear / (x * y)]
    }

    /// Whether the lanes that take a divergent branch run before the others.
    pub(crate) fn away_first(&self, executed: u64, pc: u32) -> bool {
        match self.options.schedule {
            Schedule::Deterministic => false,
            Schedule::Seed(seed) => mix(seed ^ mix(executed ^ u64::from(pc) << 40)) & 1 != 0,
        }
    }

    /// True about once in eight times, with a seed.
    pub(crate) fn now_and_then(&self, executed: u64, pc: u32) -> bool {
        match self.options.schedule {
            Schedule::Deterministic => false,
            Schedule::Seed(seed) => mix(!seed ^ mix(executed ^ u64::from(pc) << 40)) & 7 == 0,
        }
    }

    fn block_index(&self, linear: u64) -> [u32; 3] {
        let (x, y) = (u64::from(self.grid[0]), u64::from(self.grid[1]));
        [
            (linear % x) as u32,
            (linear / x % y) as u32,
            (linear / (x * y)) as u32,
        ]
    }

    fn state(&self, linear: u64) -> BlockState {
        BlockState {
            index: self.block_index(linear),
            linear,
            shared: Cells::zeroed(u64::from(self.shared_bytes)),
            barriers: Default::default(),
            live: self.threads(),
            mbarriers: Default::default(),
            timeouts: 0,
            transfers: Default::default(),
            cluster: Default::default(),
            multiprocessor: (linear % u64::from(self.model.multiprocessors)) as u32,
        }
    }

    /// Runs all blocks; returns the warp instructions, the observer, and how
    /// it ended.
    pub(crate) fn run<O: Observer>(&self, observer: O) -> (u64, O, Result<(), LaunchError>) {
        let blocks: u64 = self.grid.iter().map(|&n| u64::from(n)).product();
        let resident = self
            .model
            .resident_blocks(self.threads(), self.shared_bytes)
            .min(blocks)
            .max(1);
        let cores = if O::SERIAL {
            1
        } else {
            self.options.cores.max(1).min(resident as usize)
        };
        let shared = Shared {
            next: AtomicU64::new(0),
            blocks,
            executed: AtomicU64::new(0),
            stop: AtomicU64::new(0),
        };
        let executed = &shared.executed;
        if cores == 1 {
            let mut worker = Worker {
                launch: self,
                shared: &shared,
                observer,
                resident: resident as usize,
                unbooked: 0,
            };
            let outcome = worker.run();
            let executed = executed.load(Ordering::Relaxed) + worker.unbooked;
            return (executed, worker.observer, outcome);
        }
        let each = (resident as usize).div_ceil(cores);
        let forks: Vec<O> = (1..cores).map(|_| observer.fork()).collect();
        let outcome: Mutex<(O, Option<LaunchError>)> = Mutex::new((observer, None));
        let own = outcome
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .0
            .fork();
        let work = |fork: O| {
            let mut worker = Worker {
                launch: self,
                shared: &shared,
                observer: fork,
                resident: each,
                unbooked: 0,
            };
            let result = worker.run();
            shared
                .executed
                .fetch_add(worker.unbooked, Ordering::Relaxed);
            if result.is_err() {
                shared.stop.store(1, Ordering::Relaxed);
            }
            let mut outcome = outcome
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            outcome.0.merge(worker.observer);
            if let Err(error) = result {
                outcome.1.get_or_insert(error);
            }
        };
        let work = &work;
        std::thread::scope(|scope| {
            for fork in forks {
                scope.spawn(move || work(fork));
            }
            work(own);
        });
        let (observer, error) = outcome
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        (
            executed.load(Ordering::Relaxed),
            observer,
            error.map_or(Ok(()), Err),
        )
    }
}

/// A copy that could not be made, as a fault of whoever asked for it.
fn failed<O: Observer>(
    warp: &Warp,
    context: &Context<'_, O>,
    failure: transfer::Failure,
) -> LaunchError {
    let path = Path::new(failure.pc, 1 << failure.lane, context.launch.kernel);
    LaunchError::Fault(warp.fault(context, &path, failure.lane, failure.kind))
}

/// What the cores of a launch share.
struct Shared {
    /// The next block to become resident.
    next: AtomicU64,
    blocks: u64,
    executed: AtomicU64,
    stop: AtomicU64,
}

/// One host thread with its resident blocks.
struct Worker<'a, O> {
    launch: &'a Launch<'a>,
    shared: &'a Shared,
    observer: O,
    resident: usize,
    /// Warp instructions that `Shared::executed` does not hold yet.
    unbooked: u64,
}

impl<O: Observer> Worker<'_, O> {
    fn next_block(&mut self, old: Option<Block>) -> Option<Block> {
        let linear = self.shared.next.fetch_add(1, Ordering::Relaxed);
        if linear >= self.shared.blocks {
            return None;
        }
        let launch = self.launch;
        let state = launch.state(linear);
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
    fn run(&mut self) -> Result<(), LaunchError> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut round = 0u64;
        loop {
            round += 1;
            if let Schedule::Seed(seed) = self.launch.options.schedule {
                while blocks.len() < self.resident
                    && let Some(block) = self.next_block(None)
                {
                    blocks.push(block);
                }
                let count = blocks.len().max(1) as u64;
                blocks.rotate_left((mix(seed ^ round) % count) as usize);
            }
            let mut index = 0;
            while index < self.resident {
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
                let (budget, choice) = match self.launch.options.schedule {
                    Schedule::Deterministic => (TURN, 0),
                    Schedule::Seed(seed) => {
                        let random = mix(seed
                            ^ round << 32
                            ^ pass << 24
                            ^ (index as u64)
                            ^ block.state.linear << 44);
                        (1 + (random % 257) as u32, random >> 16 | 1)
                    }
                };
                let time = (self.shared.executed.load(Ordering::Relaxed) + self.unbooked)
                    * self.launch.model.nanoseconds_per_instruction;
                let mut context = Context {
                    launch: self.launch,
                    block: &mut block.state,
                    observer: &mut self.observer,
                    time,
                };
                if choice != 0 {
                    let mut random = choice;
                    let next = || {
                        random = mix(random);
                        random
                    };
                    if let Err(failure) = transfer::stir(&mut context, next) {
                        let index = failure.warp as usize;
                        return Err(failed(&block.warps[index], &context, failure));
                    }
                }
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
                return self.end_transfers(block);
            }
            if spinning {
                return Ok(());
            }
            if !progress {
                break;
            }
        }
        if !moved && self.release_mbarriers(block)? {
            return Ok(());
        }
        if !moved {
            let waiters = block
                .warps
                .iter()
                .flat_map(|warp| warp.waiters(self.launch, &block.state))
                .collect();
            return Err(LaunchError::Deadlock(waiters));
        }
        Ok(())
    }

    /// The copies that nobody waited for are made when the block ends.
    fn end_transfers(&mut self, block: &mut Block) -> Result<(), LaunchError> {
        let mut context = Context {
            launch: self.launch,
            block: &mut block.state,
            observer: &mut self.observer,
            time: 0,
        };
        transfer::finish(&mut context)
            .map_err(|failure| failed(&block.warps[failure.warp as usize], &context, failure))
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
        if !block.state.transfers.is_empty() {
            let mut context = Context {
                launch: self.launch,
                block: &mut block.state,
                observer: &mut self.observer,
                time: 0,
            };
            for offset in awaited {
                if let Err(failure) = transfer::serve(&mut context, offset) {
                    let index = failure.warp as usize;
                    return Err(failed(&block.warps[index], &context, failure));
                }
            }
        }
        block.state.timeouts += 1;
        for warp in &mut block.warps {
            warp.expire();
        }
        Ok(true)
    }

    fn livelock(&self, blocks: &[Block]) -> LaunchError {
        let waiters: Vec<Waiter> = blocks
            .iter()
            .flat_map(|block| {
                block
                    .warps
                    .iter()
                    .flat_map(|warp| warp.waiters(self.launch, &block.state))
            })
            .take(64)
            .collect();
        LaunchError::Livelock {
            budget: self.launch.options.budget,
            waiters,
        }
    }
}
