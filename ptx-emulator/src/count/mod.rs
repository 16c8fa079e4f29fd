//! Counters: observers of instructions and lanes, of bank conflicts, of
//! sectors and of steps, a file each, and `Counts` with all of them.
//!
//! A counter adds up, so what several cores saw does not depend on who ran
//! which block. Counts are by the index of an instruction, and so of one
//! program: give the launches of another program another counter.
//!
//! ```
//! use ptx_emulator::{Gpu, LaunchOptions, Model, Program, Shape};
//!
//! let program = Program::load(
//!     ".version 8.0 .target sm_75 .address_size 64
//!      .visible .entry stride() {
//!          .reg .b32 %r<3>; .shared .align 4 .b8 words[1024];
//!          mov.u32 %r1, %tid.x;
//!          mov.u32 %r2, words;
//!          mad.lo.u32 %r2, %r1, 32, %r2;
//!          st.shared.u32 [%r2], %r1;
//!          ret;
//!      }",
//! )?;
//! let shape = Shape { grid: [1, 1, 1], block: [32, 1, 1], shared_bytes: 0 };
//! let (_, counts) = Gpu::new(Model::h200())
//!     .count(&program, "stride", shape, &[], &LaunchOptions::default())?;
//! // Every eighth word: eight lanes meet in a bank.
//! assert_eq!(counts.total().shared.stores.wavefronts, 8);
//! println!("{}", counts.table(&program));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod classes;
mod lines;
mod sectors;
mod steps;
mod table;
mod wavefronts;

use std::ops::AddAssign;

pub use classes::{Classes, Instructions};
pub use lines::{LineCounts, Tally};
pub use sectors::{GlobalRequests, Sectors};
pub use steps::{Activity, MAX_STEPS, Step, Steps};
pub use table::Table;
pub use wavefronts::{SharedRequests, Wavefronts};

use crate::error::LaunchError;
use crate::gpu::{Gpu, Report, Shape};
use crate::machine::LaunchOptions;
use crate::observe::{
    AccessKind, BarrierArrival, Class, LaunchInfo, Memory, MemoryAccess, Observer, Site,
};
use crate::program::Program;
use wavefronts::shared_request;

impl Gpu {
    /// Runs a kernel with all counters. Parameters as in `launch`.
    ///
    /// # Errors
    ///
    /// As `launch`.
    pub fn count(
        &mut self,
        program: &Program,
        kernel: &str,
        shape: Shape,
        parameters: &[&[u8]],
        options: &LaunchOptions,
    ) -> Result<(Report, Counts), LaunchError> {
        let counts = Counts::default();
        self.launch_observed(program, kernel, shape, parameters, options, counts)?
            .finished()
    }
}

/// Adds field by field, or takes the larger one.
macro_rules! sums {
    ($T:ident: $($sum:ident),*; $($most:ident),*) => {
        impl std::ops::AddAssign for $T {
            fn add_assign(&mut self, other: Self) {
                $(self.$sum += other.$sum;)*
                $(self.$most = self.$most.max(other.$most);)*
            }
        }
    };
}
use sums;

/// Loads, stores and atomics apart.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct ByKind<T> {
    /// Of loads.
    pub loads: T,
    /// Of stores.
    pub stores: T,
    /// Of atomics and reductions in memory.
    pub atomics: T,
}

impl<T: Copy + Default + AddAssign> ByKind<T> {
    pub(crate) fn of_mut(&mut self, kind: AccessKind) -> &mut T {
        match kind {
            AccessKind::Load => &mut self.loads,
            AccessKind::Store => &mut self.stores,
            AccessKind::Atomic => &mut self.atomics,
        }
    }

    /// Of all kinds together.
    pub fn total(&self) -> T {
        let mut sum = self.loads;
        sum += self.stores;
        sum += self.atomics;
        sum
    }

    pub(crate) fn sum(all: &[Self]) -> Self {
        let mut sum = ByKind::default();
        for one in all {
            sum += *one;
        }
        sum
    }
}

impl<T: AddAssign> AddAssign for ByKind<T> {
    fn add_assign(&mut self, other: Self) {
        self.loads += other.loads;
        self.stores += other.stores;
        self.atomics += other.atomics;
    }
}

/// An entry of a list that grows as far as it is used.
fn at<T: Clone>(list: &mut Vec<T>, index: usize, empty: T) -> &mut T {
    if list.len() <= index {
        list.resize(index + 1, empty);
    }
    &mut list[index]
}

/// Adds two lists entry by entry.
fn add_all<T: Copy + Default + AddAssign>(own: &mut Vec<T>, other: &[T]) {
    if own.len() < other.len() {
        own.resize(other.len(), T::default());
    }
    for (own, other) in own.iter_mut().zip(other) {
        *own += *other;
    }
}

/// Counts everything, of one launch or of several of one program.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Instructions and lanes.
    pub classes: Classes,
    /// Shared memory: wavefronts.
    pub wavefronts: Wavefronts,
    /// Global memory: sectors.
    pub sectors: Sectors,
    /// Steps of the blocks.
    pub steps: Steps,
}

impl Observer for Counts {
    const INSTRUCTIONS: bool = true;
    const MEMORY: bool = true;
    const CONTROL: bool = true;

    fn fork(&self) -> Self {
        Counts {
            classes: self.classes.fork(),
            wavefronts: self.wavefronts.fork(),
            sectors: self.sectors.fork(),
            steps: self.steps.fork(),
        }
    }

    fn merge(&mut self, other: Self) {
        self.classes.merge(other.classes);
        self.wavefronts.merge(other.wavefronts);
        self.sectors.merge(other.sectors);
        self.steps.merge(other.steps);
    }

    fn launch(&mut self, info: &LaunchInfo) {
        self.classes.launch(info);
        self.steps.launch(info);
    }

    fn block_begins(&mut self, block: [u32; 3], linear: u64) {
        self.classes.block_begins(block, linear);
        self.steps.block_begins(block, linear);
    }

    fn block_ends(&mut self, block: [u32; 3], linear: u64) {
        self.classes.block_ends(block, linear);
        self.steps.block_ends(block, linear);
    }

    #[inline(always)]
    fn instruction(&mut self, site: Site, class: Class, active: u32, path: u32) {
        self.classes.instruction(site, class, active, path);
        self.steps.instruction(site, class, active, path);
    }

    fn access(&mut self, site: Site, access: &MemoryAccess<'_>) {
        match access.memory {
            Memory::Shared => {
                let request = shared_request(access);
                self.wavefronts.add(site.pc, access.kind, request);
                self.steps.shared_access(site, access, request);
            }
            Memory::Global => {
                self.sectors.access(site, access);
                self.steps.global_access(site, access);
            }
            _ => {}
        }
    }

    fn barrier(&mut self, site: Site, arrival: &BarrierArrival) {
        self.steps.barrier(site, arrival);
    }

    fn barrier_completes(&mut self, block_linear: u64, id: u32) {
        self.steps.barrier_completes(block_linear, id);
    }

    fn branch(&mut self, site: Site, taken: u32, path: u32) {
        self.classes.branch(site, taken, path);
    }

    fn exit(&mut self, site: Site, lanes: u32) {
        self.classes.exit(site, lanes);
    }

    fn mark(&mut self, site: Site, lanes: u32) {
        self.steps.mark(site, lanes);
    }
}
