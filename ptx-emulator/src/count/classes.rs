//! Warp instructions, the lanes that they ran, and the lanes that idled.

use std::collections::BTreeMap;

use super::{add_all, at, sums};
use crate::machine::{Resident, full_mask};
use crate::observe::{Class, LaunchInfo, Observer, Site};

/// Lanes of a warp.
const LANES: u32 = 32;

/// What warps ran.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Instructions {
    /// Warp instructions; the two sides of a divergent branch count apart.
    pub warps: u64,
    /// Lanes that took part.
    pub lanes: u64,
    /// Lanes that came to the instruction and that its predicate held back.
    pub predicated_off: u64,
    /// Lanes that had not exited and were elsewhere, on another side of a
    /// divergent branch.
    pub diverged: u64,
    /// Branches that lanes of one warp took differently.
    pub divergent_branches: u64,
}

sums!(Instructions: warps, lanes, predicated_off, diverged, divergent_branches; );

/// Counts warp instructions and their lanes.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    /// By the index of the instruction in the program, as far as any ran.
    pub by_instruction: Vec<Instructions>,
    /// The class of each, `Class::Other` for one that never ran.
    classes: Vec<Class>,
    /// Threads of a block.
    threads: u32,
    /// Lanes of each warp that have not exited.
    live: Resident<Vec<u32>>,
    /// Block, warp and how many lanes of it live: the warp that ran last.
    running: Option<(u64, u32, u32)>,
}

impl Classes {
    /// All classes that ran.
    pub fn by_class(&self) -> BTreeMap<Class, Instructions> {
        let mut sums = BTreeMap::<Class, Instructions>::new();
        for (class, counts) in self.classes.iter().zip(&self.by_instruction) {
            if *counts != Instructions::default() {
                *sums.entry(*class).or_default() += *counts;
            }
        }
        sums
    }

    /// All instructions together.
    pub fn total(&self) -> Instructions {
        let mut sum = Instructions::default();
        for counts in &self.by_instruction {
            sum += *counts;
        }
        sum
    }

    #[inline(always)]
    fn live(&mut self, site: Site) -> u32 {
        match self.running {
            Some((block, warp, live)) if block == site.block_linear && warp == site.warp => live,
            _ => self.live_of_another(site),
        }
    }

    #[cold]
    fn live_of_another(&mut self, site: Site) -> u32 {
        let warps = self.live.get(site.block_linear);
        let live = warps
            .and_then(|warps| warps.get(site.warp as usize))
            .map_or(0, |lanes| lanes.count_ones());
        self.running = Some((site.block_linear, site.warp, live));
        live
    }
}

impl Observer for Classes {
    const INSTRUCTIONS: bool = true;
    const CONTROL: bool = true;

    fn fork(&self) -> Self {
        Classes {
            threads: self.threads,
            ..Classes::default()
        }
    }

    fn merge(&mut self, other: Self) {
        add_all(&mut self.by_instruction, &other.by_instruction);
        for (index, class) in other.classes.into_iter().enumerate() {
            if class != Class::Other {
                *at(&mut self.classes, index, Class::Other) = class;
            }
        }
    }

    fn launch(&mut self, info: &LaunchInfo) {
        self.threads = info.block.iter().product();
        self.live = Resident::default();
        self.running = None;
    }

    fn block_begins(&mut self, _block: [u32; 3], linear: u64) {
        let threads = self.threads;
        let full = |index| full_mask(threads, index);
        let warps = (0..threads.div_ceil(LANES)).map(full).collect();
        self.live.begin(linear, warps);
        self.running = None;
    }

    fn block_ends(&mut self, _block: [u32; 3], linear: u64) {
        self.live.end(linear);
        self.running = None;
    }

    #[inline(always)]
    fn instruction(&mut self, site: Site, class: Class, active: u32, path: u32) {
        let live = self.live(site);
        let index = site.pc as usize;
        if self.by_instruction.len() <= index {
            at(&mut self.by_instruction, index, Instructions::default());
            at(&mut self.classes, index, Class::Other);
        }
        let lanes = active.count_ones();
        let came = path.count_ones();
        let own = &mut self.by_instruction[index];
        own.warps += 1;
        own.lanes += u64::from(lanes);
        own.predicated_off += u64::from(came - lanes);
        own.diverged += u64::from(live.saturating_sub(came));
        self.classes[index] = class;
    }

    fn branch(&mut self, site: Site, _taken: u32, _path: u32) {
        let index = site.pc as usize;
        at(&mut self.by_instruction, index, Instructions::default()).divergent_branches += 1;
    }

    fn exit(&mut self, site: Site, lanes: u32) {
        if let Some(warps) = self.live.get(site.block_linear)
            && let Some(live) = warps.get_mut(site.warp as usize)
        {
            *live &= !lanes;
        }
        self.running = None;
    }
}
