//! One launch: what all its warps share, and which interleaving is run.

use super::heap::Heap;
use super::memory::{Cells, Global};
use super::model::Model;
use super::printed::Printed;
use crate::ir::{Instruction, Pool};
use crate::lower::Code;

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
    /// Whether loads may give older values than the newest, and stores may come before others
    /// that were made earlier, where PTX's memory model allows it: in launches that are checked
    /// for races (`Checks::races`). Which do is the schedule's choice.
    pub weak_memory: bool,
    /// Warp instructions after which a launch is a livelock.
    pub budget: u64,
    /// Host threads that run blocks; 1 keeps the order of atomics the same
    /// from run to run.
    pub cores: usize,
    /// The parameters of the same launch on further devices, which share this one's memory and
    /// run at the same time: blocks of different devices may wait for each other, and each device
    /// holds as many as one alone. At most 7. Between devices, accesses are morally strong, and
    /// fences synchronise, only with the scope of the system.
    pub peers: Vec<Vec<Vec<u8>>>,
}

/// The most devices of a launch.
pub(crate) const MAX_DEVICES: usize = 8;

impl Default for LaunchOptions {
    fn default() -> Self {
        LaunchOptions {
            schedule: Schedule::Deterministic,
            weak_memory: false,
            budget: 1 << 40,
            cores: 1,
            peers: Vec::new(),
        }
    }
}

/// What all warps of a launch share; but for the heap and what is
/// printed, nothing here changes while it runs.
pub(crate) struct Launch<'a> {
    pub(crate) code: &'a Code,
    pub(crate) pool: Pool,
    pub(crate) kernel: u32,
    /// Of each device.
    pub(crate) parameters: Vec<Cells>,
    pub(crate) constants: &'a Cells,
    pub(crate) global: &'a Global,
    pub(crate) heap: &'a Heap,
    pub(crate) printed: Printed,
    pub(crate) model: &'a Model,
    /// Blocks of a device.
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// Static and dynamic.
    pub(crate) shared_bytes: u32,
    pub(crate) dynamic_shared_bytes: u32,
    pub(crate) options: LaunchOptions,
}

/// splitmix64: a good mixing of any 64 bits.
pub(crate) fn mix(mut x: u64) -> u64 {
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

    /// Blocks of a device.
    pub(crate) fn blocks(&self) -> u64 {
        self.grid.iter().map(|&n| u64::from(n)).product()
    }

    /// The number of a device, where there are several.
    pub(crate) fn device(&self, number: usize) -> Option<u32> {
        (self.parameters.len() > 1).then_some(number as u32)
    }

    /// Threads of a block.
    pub(crate) fn threads(&self) -> u32 {
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

    /// The index of a block of the grid.
    pub(super) fn block_index(&self, linear: u64) -> [u32; 3] {
        let [x, y, _] = self.grid.map(u64::from);
        [linear % x, linear / x % y, linear / (x * y)].map(|index| index as u32)
    }
}
