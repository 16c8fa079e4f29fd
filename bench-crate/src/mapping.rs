//! Ways to divide strips over threads and to add up what the threads have: the names
//! of the table `mapping`, and the launches. The only file that names these kernels.
//!
//! What does not live here: what a sum has to be (`oracle::mapping`), and times.

use quadscan_kernels::integrate::mapping::{self as kernels, SUM_THREADS};

use crate::named::named;
use crate::trapezoid::Grid;
use quadscan::Result;
use quadscan::device::{Buffer, LaunchShape, Module};

named! {
    /// Which thread has which strip.
    Mapping {
        /// Each thread has a range of strips.
        Contiguous = "contiguous",
        /// Neighbouring threads have neighbouring strips, and the next ones of a
        /// thread are as many further as the grid has threads.
        Strided = "strided",
        /// Each block has a range, in which its threads stride by the block's width.
        BlockStrided = "block_strided",
    }
}

named! {
    /// Where a thread's running sum is.
    Partials {
        /// In a register.
        Registers = "registers",
        /// In shared memory, a warp's words next to each other.
        Shared = "shared",
        /// In shared memory, a warp's words in one pair of banks.
        SharedConflicts = "shared_conflicts",
        /// In global memory.
        Global = "global",
    }
}

named! {
    /// Who adds the threads' sums up.
    Finish {
        /// The host, in order, from a copy of all of them.
        Host = "host",
        /// A second kernel of one block.
        SecondLaunch = "second_launch",
        /// Each block, and the last one the blocks' sums.
        SameLaunch = "same_launch",
        /// Every thread, by an atomic addition to one word.
        Atomics = "atomics",
    }
}

/// A way to sum: a row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Way {
    /// Which thread has which strip.
    pub mapping: Mapping,
    /// Where its running sum is.
    pub partials: Partials,
    /// Who adds the sums up.
    pub finish: Finish,
}

/// The numbers of a launch that say which strips a thread has.
#[derive(Clone, Copy, Debug)]
struct Strips {
    count: u32,
    per_block: u32,
    per_thread: u32,
    stride: f64,
    step: f64,
}

impl Strips {
    /// Err when the threads do not divide the strips; every product is at most
    /// their number otherwise.
    fn new(mapping: Mapping, grid: Grid) -> Result<Self> {
        let count = grid.count()?;
        let (per_block, per_thread, stride) = match mapping {
            Mapping::Contiguous => (grid.threads * count, count, 1.0),
            Mapping::Strided => (grid.threads, 1, grid.partials() as f64),
            Mapping::BlockStrided => (grid.threads * count, 1, f64::from(grid.threads)),
        };
        Ok(Strips {
            count,
            per_block,
            per_thread,
            stride,
            step: 1.0 / grid.strips as f64,
        })
    }
}

/// A way with the memory that it needs.
pub struct Summation {
    module: Module,
    way: Way,
    shape: LaunchShape,
    strips: Strips,
    partials: Buffer<f64>,
    block_sums: Buffer<f64>,
    finished: Buffer<u32>,
    total: Buffer<f64>,
    on_host: Vec<f64>,
}

/// Launches the kernel of a place, of the given three, with the arguments of its
/// finish.
macro_rules! launch {
    ($self:ident, $stored:ident, $same_launch:ident, $atomics:ident) => {{
        let Summation {
            module,
            shape,
            strips,
            partials,
            block_sums,
            finished,
            total,
            ..
        } = $self;
        let Strips {
            count,
            per_block,
            per_thread,
            stride,
            step,
        } = *strips;
        match $self.way.finish {
            Finish::Host | Finish::SecondLaunch => {
                let arguments = (partials, count, per_block, per_thread, stride, step);
                module.launch(kernels::$stored, *shape, arguments)
            }
            Finish::SameLaunch => {
                let arguments = (
                    partials, block_sums, finished, total, count, per_block, per_thread, stride,
                    step,
                );
                module.launch(kernels::$same_launch, *shape, arguments)
            }
            Finish::Atomics => {
                let arguments = (partials, total, count, per_block, per_thread, stride, step);
                module.launch(kernels::$atomics, *shape, arguments)
            }
        }
    }};
}

impl Summation {
    /// Memory for a way on a grid. Err when the threads do not divide the strips,
    /// or the device has no room.
    pub fn new(module: &Module, way: Way, grid: Grid) -> Result<Self> {
        let device = module.device();
        let strips = Strips::new(way.mapping, grid)?;
        let partials = grid.partials() as usize;
        Ok(Summation {
            module: module.clone(),
            way,
            shape: grid.shape(),
            strips,
            partials: device.alloc_zeroed(partials)?,
            block_sums: device.alloc_zeroed(grid.blocks as usize)?,
            finished: device.alloc_zeroed(1)?,
            total: device.alloc_zeroed(1)?,
            on_host: vec![0.0; partials],
        })
    }

    /// The kernels alone, asynchronously. Atomics add to what the total was.
    pub fn launch(&mut self) -> Result<()> {
        match self.way.partials {
            Partials::Registers => launch!(
                self,
                mapped_registers,
                mapped_registers_same_launch,
                mapped_registers_atomics
            ),
            Partials::Shared => launch!(
                self,
                mapped_shared,
                mapped_shared_same_launch,
                mapped_shared_atomics
            ),
            Partials::SharedConflicts => launch!(
                self,
                mapped_shared_conflicts,
                mapped_shared_conflicts_same_launch,
                mapped_shared_conflicts_atomics
            ),
            Partials::Global => launch!(
                self,
                mapped_global,
                mapped_global_same_launch,
                mapped_global_atomics
            ),
        }?;
        if self.way.finish == Finish::SecondLaunch {
            let shape = LaunchShape::new(1, SUM_THREADS);
            let arguments = (&self.partials, &mut self.total);
            self.module
                .launch(kernels::sum_partials, shape, arguments)?;
        }
        Ok(())
    }

    /// The whole way: from before the first launch, or the clearing of the total,
    /// until the host has the sum.
    pub fn sum(&mut self) -> Result<f64> {
        if self.way.finish == Finish::Atomics {
            self.total.fill_bytes(0)?;
        }
        self.launch()?;
        if self.way.finish == Finish::Host {
            self.partials.copy_to(&mut self.on_host)?;
            return Ok(self.on_host.iter().fold(0.0, |sum, partial| sum + partial));
        }
        let mut total = [0.0];
        self.total.copy_to(&mut total)?;
        Ok(total[0])
    }

    /// The threads' sums of the last launch, where the way leaves them in memory.
    pub fn partials(&self) -> Result<Option<Vec<f64>>> {
        match self.way.finish {
            Finish::Host | Finish::SecondLaunch => self.partials.to_vec().map(Some),
            Finish::SameLaunch | Finish::Atomics => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mapping_gives_every_strip_to_one_thread() {
        let grid = Grid {
            strips: 3 * 5 * 4,
            blocks: 3,
            threads: 5,
        };
        for &mapping in Mapping::ALL {
            let Ok(of) = Strips::new(mapping, grid) else {
                panic!("{mapping:?} refuses {grid:?}")
            };
            let mut all: Vec<u32> = (0..3)
                .flat_map(|block| (0..5).map(move |thread| (block, thread)))
                .flat_map(|(block, thread)| {
                    let first = block * of.per_block + thread * of.per_thread;
                    (0..of.count).map(move |k| first + k * of.stride as u32)
                })
                .collect();
            all.sort_unstable();
            assert!(all.iter().copied().eq(0..60), "{mapping:?}: {all:?}");
        }
    }

    #[test]
    fn names_are_found_again() {
        for &mapping in Mapping::ALL {
            assert_eq!(Mapping::by_name(mapping.name()), Some(mapping));
        }
        assert_eq!(Finish::by_name("second_launch"), Some(Finish::SecondLaunch));
        assert_eq!(Partials::by_name("nowhere"), None);
    }
}
