//! Selections from an array of which several devices have a part each: every device selects from its
//! own part, so what is selected of all lies on the devices in the order of the array.

use quadscan_kernels::select::{BY_FLAGS, PARTITION, SelectKernels, UNIQUE};

use super::plan::Plan;
use crate::device::{Buffer, Devices, Layout, Module, Partition, ShardedBuffer};
use crate::error::{Error, Result};

/// Selections by `P` from an array that is on several devices, [contiguously](Layout::Contiguous).
///
/// A device writes what it selects to the first elements of its shard of the output, and how many
/// these are to its [count](ShardedPlan::counts). The selected elements of one device after the other's
/// are those that one device alone selects, in the same order, whatever the number of devices;
/// [`ShardedPlan::selected`] takes them to the host.
///
/// ```
/// use quadscan::device::{Artifact, Devices};
/// use quadscan::select::{Compare, Condition, ShardedPlan};
///
/// # fn main() -> quadscan::Result<()> {
/// # /*
/// let devices = Devices::all()?;
/// let artifact = Artifact::embedded()?;
/// # */ let devices = Devices::emulated(2, None)?;
/// # let folder = std::env::var("QUADSCAN_ARTIFACT").expect("`cargo xtask test` sets it");
/// # let artifact = unsafe { Artifact::read(folder) }?;
/// let modules = devices.load(&artifact)?;
/// let mut plan = ShardedPlan::<Compare<i32>>::new(&devices, &modules, 5)?;
/// let input = devices.upload(plan.partition(), &[3, -1, 4, 4, -5])?;
/// let mut output = devices.alloc(plan.partition())?;
/// plan.select(Condition::greater(0), &input, &mut output)?;
/// assert_eq!(plan.selected(&output)?, [3, 4, 4]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ShardedPlan<P: SelectKernels> {
    devices: Devices,
    partition: Partition,
    plans: Vec<Plan<P>>,
    counts: Vec<Buffer<u64>>,
}

/// Every selection may fail, before anything is launched, with [`Error::Argument`] for arrays that are not
/// distributed as [`ShardedPlan::partition`] says and within a recording of this thread, with
/// [`Error::ForeignBuffer`] for arrays of other devices, and with [`Error::Recording`] while another
/// thread records; then with the driver's errors. All but [`ShardedPlan::unique`] are asynchronous.
impl<P: SelectKernels> ShardedPlan<P> {
    /// A plan for arrays of `len` elements on these devices, of which `modules` are, in their order.
    ///
    /// # Errors
    ///
    /// As [`ShardedPlan::of`].
    pub fn new(devices: &Devices, modules: &[Module], len: usize) -> Result<Self> {
        let partition = Partition::new(len, 1, devices.len(), Layout::Contiguous)?;
        Self::of(devices, modules, &partition)
    }

    /// A plan for arrays that are distributed as `partition` says.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for modules of other devices or of several artifacts, and for a partition
    /// of another number of devices or that is [dealt](Layout::Dealt), of which the order of
    /// the array would be lost; those of [`Plan::new`].
    pub fn of(devices: &Devices, modules: &[Module], partition: &Partition) -> Result<Self> {
        devices.expect_modules(modules)?;
        devices.expect_partition(partition)?;
        if partition.layout() != Layout::Contiguous {
            let problem = "is Dealt, allowed is Contiguous: the order of elements would be lost";
            return Err(Error::argument("partition", problem));
        }
        let plans = modules.iter().enumerate();
        let plan = |(number, module)| Plan::new(module, partition.shard_len(number));
        let count = |module: &Module| module.device().alloc_zeroed(1);
        Ok(Self {
            devices: devices.clone(),
            partition: *partition,
            plans: plans.map(plan).collect::<Result<_>>()?,
            counts: modules.iter().map(count).collect::<Result<_>>()?,
        })
    }

    /// How the plan's arrays are distributed.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// How many elements each device has selected, a number in the memory of each.
    pub fn counts(&self) -> &[Buffer<u64>] {
        &self.counts
    }

    /// What was selected last to `output`, in the order of the array. Waits for it.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] and [`Error::ForeignBuffer`] for another array; the driver's.
    pub fn selected(&self, output: &ShardedBuffer<P::Item>) -> Result<Vec<P::Item>> {
        output.places(&self.devices, &self.partition, "select", "output")?;
        let mut selected = Vec::new();
        for (shard, count) in output.shards().iter().zip(&self.counts) {
            // A count is no larger than the shard.
            let count = count.to_vec()?[0] as usize;
            selected.extend(shard.slice(..count)?.to_vec()?);
        }
        Ok(selected)
    }

    /// Selects the elements of which the predicate holds, with this parameter.
    ///
    /// # Errors
    ///
    /// As said above.
    pub fn select(
        &mut self,
        parameter: P::Parameter,
        input: &ShardedBuffer<P::Item>,
        output: &mut ShardedBuffer<P::Item>,
    ) -> Result<()> {
        self.ask(0, parameter, None, input, output)
    }

    /// Selects the elements whose flags are not 0.
    ///
    /// # Errors
    ///
    /// As said above.
    pub fn by_flags(
        &mut self,
        flags: &ShardedBuffer<u8>,
        input: &ShardedBuffer<P::Item>,
        output: &mut ShardedBuffer<P::Item>,
    ) -> Result<()> {
        self.ask(BY_FLAGS, P::of_runs(), Some(flags), input, output)
    }

    /// Selects the first element of every run of equal ones
    /// ([`Predicate::repeats`](super::Predicate::repeats)), of which neighbouring devices may have parts.
    /// Waits for the elements at the ends of the shards.
    ///
    /// # Errors
    ///
    /// As said above.
    pub fn unique(
        &mut self,
        input: &ShardedBuffer<P::Item>,
        output: &mut ShardedBuffer<P::Item>,
    ) -> Result<()> {
        self.ask(UNIQUE, P::of_runs(), None, input, output)
    }

    /// As [`ShardedPlan::select`]; each device writes the other elements of its shard too, from the shard's
    /// end backwards.
    ///
    /// # Errors
    ///
    /// As said above.
    pub fn partition_by(
        &mut self,
        parameter: P::Parameter,
        input: &ShardedBuffer<P::Item>,
        output: &mut ShardedBuffer<P::Item>,
    ) -> Result<()> {
        self.ask(PARTITION, parameter, None, input, output)
    }

    /// As [`ShardedPlan::by_flags`], and writes the other elements as [`ShardedPlan::partition_by`] does.
    ///
    /// # Errors
    ///
    /// As said above.
    pub fn partition_by_flags(
        &mut self,
        flags: &ShardedBuffer<u8>,
        input: &ShardedBuffer<P::Item>,
        output: &mut ShardedBuffer<P::Item>,
    ) -> Result<()> {
        let mode = BY_FLAGS | PARTITION;
        self.ask(mode, P::of_runs(), Some(flags), input, output)
    }

    fn ask(
        &mut self,
        mode: u32,
        parameter: P::Parameter,
        flags: Option<&ShardedBuffer<u8>>,
        input: &ShardedBuffer<P::Item>,
        output: &mut ShardedBuffer<P::Item>,
    ) -> Result<()> {
        let (devices, partition) = (&self.devices, &self.partition);
        input.places(devices, partition, "select", "input")?;
        output.places(devices, partition, "select", "output")?;
        if let Some(flags) = flags {
            flags.places(devices, partition, "select", "flags")?;
        }
        devices.expect_no_recording("selections of several devices")?;
        let mut skipped = vec![0; devices.len()];
        if mode & UNIQUE != 0 {
            let repeats = |item, before| P::repeats(item, before, parameter);
            for (number, goes_on) in input.borders(repeats)?.into_iter().enumerate() {
                skipped[number] = u64::from(goes_on);
            }
        }
        let outputs = output.shards_mut().iter_mut().zip(&mut self.counts);
        for (number, (output, count)) in outputs.enumerate() {
            let flags = flags.map(|of| (&of.shards()[number]).into());
            let arrays = (
                (&input.shards()[number]).into(),
                output.into(),
                count.into(),
            );
            self.plans[number].ask_behind(skipped[number], mode, parameter, flags, arrays)?;
        }
        Ok(())
    }
}
