//! Reductions of an array of which several devices have a part each.
//!
//! The array is cut into blocks of neighbouring elements, whose size depends on the number of elements
//! and the partition's granule alone. Each device combines its blocks by the kernel of
//! [`Plan`](super::Plan), whose threads' blocks have several of them in turn, and writes their totals into
//! memory of the host, which combines them in pairs of neighbours, of neighbouring pairs, and so on. So
//! the bits of a result are the same for every number of devices and both layouts.

use std::fmt;
use std::marker::PhantomData;

use quadscan_kernels::operator::Identity;
use quadscan_kernels::reduce::{ReduceKernel, ReduceKernels, TOTALS, sizes};

use crate::device::host::Mapped;
use crate::device::{
    Devices, LaunchConfig, LaunchShape, Layout, Module, Partition, ShardedBuffer, arguments,
};
use crate::error::{Error, Result};

/// The most blocks of an array, unless it has more granules. The 132 SMs of an H200 have 264 at a time: of
/// 2, 4 and 8 devices all have as many as the others.
const BLOCKS: usize = 8 * 264;

/// The most blocks of a launch: a part of its tiles has a number of 32 bits.
const MOST: usize = 1 << 20;

/// Reductions by the operator `O` of an array that is on several devices.
///
/// Each device reads its elements once, and nothing is asked of the devices but to be there. A
/// reduction waits for its result, and cannot be recorded into a graph.
///
/// ```
/// use quadscan::device::{Artifact, Devices, Layout};
/// use quadscan::reduce::ShardedPlan;
/// use quadscan_kernels::operator::Sum;
///
/// # fn main() -> quadscan::Result<()> {
/// # /*
/// let devices = Devices::all()?;
/// let artifact = Artifact::embedded()?;
/// # */ let devices = Devices::emulated(2, None)?;
/// # let folder = std::env::var("QUADSCAN_ARTIFACT").expect("`cargo xtask test` sets it");
/// # let artifact = unsafe { Artifact::read(folder) }?;
/// let modules = devices.load(&artifact)?;
/// let mut plan = ShardedPlan::<Sum<u32>>::new(&devices, &modules, 5, Layout::Contiguous)?;
/// let data = devices.upload(plan.partition(), &[3u32, 1, 4, 1, 5])?;
/// assert_eq!(plan.reduce(&data)?, 14);
/// # Ok(())
/// # }
/// ```
pub struct ShardedPlan<O: ReduceKernels> {
    devices: Devices,
    partition: Partition,
    /// Elements of a block.
    block: usize,
    parts: Vec<Part<O>>,
}

/// What a device has for its part of an array.
struct Part<O: ReduceKernels> {
    module: Module,
    launches: Vec<Launch>,
    /// Of the blocks of all launches, one behind the other.
    totals: Mapped<O::Accumulator>,
    /// Blocks of threads that the device has at a time.
    resident: u32,
    operator: PhantomData<O>,
}

/// Neighbouring elements of a shard, and blocks that share them evenly.
#[derive(Clone, Copy, Debug)]
struct Launch {
    first: usize,
    len: usize,
    blocks: u32,
    /// Blocks of the launches before.
    at: usize,
}

impl<O: ReduceKernels + Identity> ShardedPlan<O> {
    /// A plan for arrays of `len` elements on these devices, of which `modules` are, in their order. Its
    /// granules are as large as reductions have them at best.
    ///
    /// # Errors
    ///
    /// As [`ShardedPlan::of`].
    pub fn new(devices: &Devices, modules: &[Module], len: usize, layout: Layout) -> Result<Self> {
        // A block each.
        let row = O::DEVICE.block() as usize;
        let granule = row * len.div_ceil(row * BLOCKS).max(1);
        let partition = Partition::new(len, granule, devices.len(), layout)?;
        Self::of(devices, modules, &partition)
    }

    /// A plan for arrays that are distributed as `partition` says, as that of a
    /// [`scan::ShardedPlan`](crate::scan::ShardedPlan) on these devices. The bits of floats depend on
    /// its granule.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for modules of other devices or of several artifacts, for a
    /// partition of another number of devices, and for one whose granule is not a multiple of what a
    /// block reads at once (8,192 elements of 4 bytes); those of [`Plan::new`](super::Plan::new).
    pub fn of(devices: &Devices, modules: &[Module], partition: &Partition) -> Result<Self> {
        devices.expect_modules(modules)?;
        let row = O::DEVICE.block() as usize;
        devices.expect_partition(partition)?;
        if !partition.granule().is_multiple_of(row) {
            let granule = partition.granule();
            let problem =
                format!("has granules of {granule} elements, allowed are multiples of {row}");
            return Err(Error::argument("partition", problem));
        }
        let block = row * rows_of_block(partition, row);
        let parts = modules.iter().enumerate();
        let part = |(number, module)| Part::new(module, partition.shard_len(number), block);
        Ok(Self {
            devices: devices.clone(),
            partition: *partition,
            block,
            parts: parts.map(part).collect::<Result<_>>()?,
        })
    }

    /// How the plan's arrays are distributed.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// What all elements are together, in their order; the operator's neutral element when there
    /// are none. Waits for it. Of floats, not the bits of [`Plan`](super::Plan), which cuts the array
    /// otherwise.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for an array that is not distributed as
    /// [`ShardedPlan::partition`] says, and within a recording of this thread;
    /// [`Error::ForeignBuffer`] for an array of other devices; [`Error::Recording`] while another thread
    /// records; the driver's.
    pub fn reduce(&mut self, input: &ShardedBuffer<O::Input>) -> Result<O::Output> {
        let (operation, argument) = (O::DEVICE.entry, "input");
        let places = input.places(&self.devices, &self.partition, operation, argument)?;
        self.devices
            .expect_no_recording("reductions of several devices")?;
        for (part, place) in self.parts.iter_mut().zip(places) {
            part.launch(place)?;
        }
        let whole = self.partition.len() / self.block;
        let mut totals = vec![bytemuck::Zeroable::zeroed(); whole];
        for (number, part) in self.parts.iter().enumerate() {
            let mut own = part.totals.to_vec()?;
            let mut of_pieces = own.drain(..part.whole(self.block));
            for piece in self.partition.pieces(number) {
                let to = piece.start / self.block..piece.end / self.block;
                totals[to]
                    .iter_mut()
                    .zip(&mut of_pieces)
                    .for_each(|(to, from)| *to = from);
            }
            drop(of_pieces);
            // Behind the last whole block of the array, on one device.
            totals.extend(own);
        }
        let all = in_pairs(totals, O::combine);
        Ok(O::finish(all.unwrap_or(O::IDENTITY)))
    }
}

impl<O: ReduceKernels> Part<O> {
    fn new(module: &Module, len: usize, block: usize) -> Result<Self> {
        let kernel = O::DEVICE;
        super::plan::expect::<O>(module, &kernel)?;
        let launches = launches(&kernel, len, block);
        let last = launches.last();
        let blocks = last.map_or(0, |last| last.at + last.blocks as usize);
        let device = module.device();
        let sms = device.properties().sm_count;
        Ok(Self {
            module: module.clone(),
            launches,
            totals: Mapped::new(device, blocks)?,
            resident: sms * sizes::BLOCKS_PER_SM,
            operator: PhantomData,
        })
    }

    /// Whole blocks of the shard.
    fn whole(&self, block: usize) -> usize {
        self.launches.iter().map(|launch| launch.len).sum::<usize>() / block
    }

    /// Combines the blocks of the shard at this address.
    fn launch(&mut self, input: u64) -> Result<()> {
        let kernel = O::DEVICE;
        for launch in &self.launches {
            let least = launch.blocks.div_ceil(sizes::MAX_SLICES);
            let blocks = launch.blocks.min(self.resident).max(least);
            let config = LaunchConfig::new(LaunchShape::new(blocks, kernel.threads()));
            let nothing: O::Accumulator = bytemuck::Zeroable::zeroed();
            let totals = launch.at * size_of::<O::Accumulator>();
            // SAFETY: the parameters are the kernel's. The elements are within the shard, there is room for
            // a total of each block, and no block of threads has more of them than it has room for.
            unsafe {
                self.module.launch_raw(
                    kernel.entry,
                    config.programmatic(),
                    &arguments![
                        input + (launch.first * size_of::<O::Input>()) as u64,
                        self.totals.address() + totals as u64,
                        launch.len as u64,
                        0u64,
                        nothing,
                        TOTALS,
                        0u64,
                        u64::from(launch.blocks),
                    ],
                )?;
            }
        }
        Ok(())
    }
}

impl<O: ReduceKernels> fmt::Debug for ShardedPlan<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShardedPlan")
            .field("operator", &std::any::type_name::<O>())
            .field("partition", &self.partition)
            .field("devices", &self.devices)
            .finish_non_exhaustive()
    }
}

/// How often each warp of a block reads a tile: the least divisor of what a granule has, of which
/// there are `row` elements each, that leaves no more than [`BLOCKS`] blocks, if there is one.
fn rows_of_block(partition: &Partition, row: usize) -> usize {
    let all = (partition.granule() / row).max(1);
    let granules = partition.len().div_ceil(partition.granule());
    let small = (1..=all.isqrt()).filter(|rows| all.is_multiple_of(*rows));
    let both = small.flat_map(|rows| [rows, all / rows]);
    both.filter(|rows| granules.saturating_mul(all / rows) <= BLOCKS)
        .min()
        .unwrap_or(all)
}

/// The launches for a shard of `len` elements: its whole blocks, as many as a launch may have, and what is
/// left, a tile a warp.
fn launches(kernel: &ReduceKernel, len: usize, block: usize) -> Vec<Launch> {
    let whole = len / block;
    let wholes = (0..whole).step_by(MOST).map(|first| {
        let end = whole.min(first + MOST);
        (first * block, end * block, end - first)
    });
    let rest = len - whole * block;
    let rest = (rest > 0).then(|| (whole * block, len, rest.div_ceil(kernel.block() as usize)));
    let mut at = 0;
    let launch = |(first, end, blocks): (usize, usize, usize)| {
        let launch = Launch {
            first,
            len: end - first,
            blocks: blocks as u32,
            at,
        };
        at += blocks;
        launch
    };
    wholes.chain(rest).map(launch).collect()
}

/// Neighbours combined in pairs, pairs of neighbours, and so on; what has no neighbour waits.
fn in_pairs<A: Copy>(mut values: Vec<A>, combine: fn(A, A) -> A) -> Option<A> {
    while values.len() > 1 {
        let pairs = values.len().div_ceil(2);
        for at in 0..pairs {
            values[at] = match values.get(2 * at + 1) {
                Some(&second) => combine(values[2 * at], second),
                None => values[2 * at],
            };
        }
        values.truncate(pairs);
    }
    values.first().copied()
}

#[cfg(test)]
mod tests {
    use quadscan_kernels::operator::Sum;

    use super::*;

    const KERNEL: ReduceKernel = ReduceKernel::new::<Sum<u32>>("", "", sizes::device::<Sum<u32>>());

    #[test]
    fn launches_have_every_element_once_and_blocks_of_one_size_but_for_the_rest() {
        let row = KERNEL.block() as usize;
        let block = 3 * row;
        for len in [
            0,
            1,
            row,
            block - 1,
            block,
            7 * block + 5,
            MOST * block,
            3 * MOST * block + 1,
        ] {
            let (mut end, mut blocks) = (0, 0);
            for launch in launches(&KERNEL, len, block) {
                assert_eq!((launch.first, launch.at), (end, blocks));
                assert!((1..=MOST).contains(&(launch.blocks as usize)));
                if launch.first + launch.len <= len / block * block {
                    assert_eq!(launch.len, launch.blocks as usize * block);
                } else {
                    assert_eq!(launch.blocks as usize, launch.len.div_ceil(row));
                }
                (end, blocks) = (end + launch.len, blocks + launch.blocks as usize);
            }
            assert_eq!(end, len);
        }
    }

    #[test]
    fn blocks_are_as_large_as_their_number_asks_for_and_fill_granules() -> Result<()> {
        let row = 8192;
        for (len, rows) in [
            (0, 1),
            (1 << 20, 1),
            (1 << 28, 18),
            (1 << 30, 63),
            (1 << 36, 126),
        ] {
            for devices in [1, 7] {
                let partition = Partition::new(len, 126 * row, devices, Layout::Dealt)?;
                assert_eq!(rows_of_block(&partition, row), rows, "{len}");
            }
        }
        Ok(())
    }

    #[test]
    fn pairs_of_neighbours_are_combined_in_their_order() {
        // (first, last), of neighbours alone.
        let joined = |a: (u32, u32), b: (u32, u32)| {
            assert_eq!(a.1 + 1, b.0);
            (a.0, b.1)
        };
        assert_eq!(in_pairs(vec![], joined), None);
        for count in 1..70 {
            let values = (0..count).map(|i| (i, i)).collect();
            assert_eq!(in_pairs(values, joined), Some((0, count - 1)));
        }
    }
}
