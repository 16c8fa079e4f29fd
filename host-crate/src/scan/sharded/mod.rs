//! Scans of an array of which several devices have a part each.
//!
//! What is combined with what is that of [`Algorithm::LookAhead`] on one device: the tiles of the
//! whole array, in groups. So the bits of a result are the same for every number of devices, for
//! both layouts, and as on one device alone.
//!
//! - Groups of tiles that are [dealt](Layout::Dealt): the devices run one kernel together, which
//!   reads every element once and writes every result once, and tell each other the totals of their
//!   tiles in each other's memory. Through the host's memory it would be 50 times as slow: each SM reads
//!   the totals of all tiles.
//! - [Contiguous](Layout::Contiguous) parts: the devices total the groups of their tiles; the host
//!   combines these, a few kilobytes, in their order; then each device scans its part behind what
//!   stands before it. Every element is read twice. Nothing is asked of the devices but to be there.
//!
//! [`Algorithm::LookAhead`]: quadscan_kernels::scan::Algorithm::LookAhead

mod part;
mod segmented;

pub use self::segmented::{ShardedSegmentedPlan, ShardedSegments};

use std::fmt;
use std::marker::PhantomData;

use quadscan_kernels::operator::Operator;
use quadscan_kernels::scan::scratch::{
    ALL_TILES, BEFORE, DEVICES, GROUP, HEAD, MAX_DEVICES, OWN_DEVICE, SCRATCHES,
};
use quadscan_kernels::scan::{DEALT, FOLLOWS, HAS_INITIAL, ScanKernels, TOTALS};

use self::part::{Part, flags_of, fold, kernel, part};
use super::launch::{self, Kind};
use super::textbook::{Scan, parameters};
use crate::device::{Actual, Devices, Layout, Module, Partition, ShardedBuffer};
use crate::error::{Error, Result};

/// Scans by the operator `O` of an array that is on several devices.
///
/// The devices have compute capability 9.0 or higher. Those of [dealt](Layout::Dealt) arrays reach
/// each other's memory. Contiguous scans wait for the totals of the devices, dealt ones for nothing.
/// None can be recorded into a graph.
///
/// ```
/// use quadscan::device::{Artifact, Devices, Layout};
/// use quadscan::scan::{ShardedPlan, Sum};
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
/// let mut data = devices.upload(plan.partition(), &[3u32, 1, 4, 1, 5])?;
/// plan.inclusive_in_place(&mut data)?;
/// assert_eq!(data.to_vec()?, [3, 4, 8, 9, 14]);
/// # Ok(())
/// # }
/// ```
pub struct ShardedPlan<O: ScanKernels> {
    devices: Devices,
    partition: Partition,
    parts: Vec<Part<O::Accumulator>>,
    /// Whether only some of the devices of a dealt array may have been given a launch.
    is_broken: bool,
    operator: PhantomData<O>,
}

impl<O: ScanKernels> ShardedPlan<O> {
    /// A plan for arrays of `len` elements on these devices, of which `modules` are, in their order.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for modules of other devices or of several artifacts, for devices that
    /// cannot [look ahead](quadscan_kernels::scan::Algorithm::LookAhead), and where the layout is
    /// [`Layout::Dealt`] for those that do not reach each other; those of
    /// [`Plan::new`](super::Plan::new).
    pub fn new(devices: &Devices, modules: &[Module], len: usize, layout: Layout) -> Result<Self> {
        devices.expect_modules(modules)?;
        if layout == Layout::Dealt && !devices.reach_each_other()? {
            let problem = "is Dealt, and two of the devices cannot reach each other's memory: \
                           allowed is Contiguous";
            return Err(Error::argument("layout", problem));
        }
        let kernel = kernel::<O>()?;
        let granule = usize::try_from(kernel.tile * GROUP).map_err(|_| super::plan::too_many(0))?;
        let partition = Partition::new(len, granule, devices.len(), layout)?;
        let parts = modules.iter().enumerate();
        let parts = parts.map(|(number, module)| part::<O>(module, &partition, number));
        let mut plan = Self {
            devices: devices.clone(),
            partition,
            parts: parts.collect::<Result<_>>()?,
            is_broken: false,
            operator: PhantomData,
        };
        plan.introduce()?;
        Ok(plan)
    }

    /// How the plan's arrays are distributed.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// Tells each device which one it is, and where the others' scratch memories are.
    fn introduce(&mut self) -> Result<()> {
        let mut head = [0; HEAD as usize];
        head[DEVICES] = self.parts.len() as u64;
        head[ALL_TILES] = kernel::<O>()?.tiles(self.partition.len() as u64);
        for (number, part) in self.parts.iter().enumerate() {
            head[SCRATCHES + number] = part.scratch.address();
        }
        for (number, part) in self.parts.iter_mut().enumerate() {
            head[OWN_DEVICE] = number as u64;
            part.scratch.slice_mut(..HEAD as usize)?.copy_from(&head)?;
        }
        Ok(())
    }

    /// Writes to each element of `output` what the elements of `input` up to it are together.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for arrays that are not distributed as
    /// [`ShardedPlan::partition`] says, within a recording of this thread, and of a dealt plan
    /// after a launch has failed; [`Error::ForeignBuffer`] for arrays of other devices;
    /// [`Error::Recording`] while another thread records; the driver's.
    pub fn inclusive(
        &mut self,
        input: &ShardedBuffer<O::Input>,
        output: &mut ShardedBuffer<O::Output>,
    ) -> Result<()> {
        self.scan(Kind::Inclusive(None), input, output)
    }

    /// As [`ShardedPlan::inclusive`], with `initial` before the first element.
    ///
    /// # Errors
    ///
    /// As [`ShardedPlan::inclusive`].
    pub fn inclusive_with(
        &mut self,
        initial: O::Accumulator,
        input: &ShardedBuffer<O::Input>,
        output: &mut ShardedBuffer<O::Output>,
    ) -> Result<()> {
        self.scan(Kind::Inclusive(Some(initial)), input, output)
    }

    /// As [`ShardedPlan::inclusive_with`], without the element itself: the first result is
    /// `initial`.
    ///
    /// # Errors
    ///
    /// As [`ShardedPlan::inclusive`].
    pub fn exclusive_with(
        &mut self,
        initial: O::Accumulator,
        input: &ShardedBuffer<O::Input>,
        output: &mut ShardedBuffer<O::Output>,
    ) -> Result<()> {
        self.scan(Kind::Exclusive(initial), input, output)
    }

    /// As [`ShardedPlan::inclusive`], each result in the place of its element.
    ///
    /// # Errors
    ///
    /// As [`ShardedPlan::inclusive`].
    pub fn inclusive_in_place<T>(&mut self, data: &mut ShardedBuffer<T>) -> Result<()>
    where
        T: bytemuck::Pod,
        O: Operator<Input = T, Output = T>,
    {
        let places = self.places("data", data)?;
        self.run(Kind::Inclusive(None), &places, &places)
    }

    /// As [`ShardedPlan::exclusive_with`], each result in the place of its element.
    ///
    /// # Errors
    ///
    /// As [`ShardedPlan::inclusive`].
    pub fn exclusive_with_in_place<T>(
        &mut self,
        initial: O::Accumulator,
        data: &mut ShardedBuffer<T>,
    ) -> Result<()>
    where
        T: bytemuck::Pod,
        O: Operator<Input = T, Output = T>,
    {
        let places = self.places("data", data)?;
        self.run(Kind::Exclusive(initial), &places, &places)
    }

    fn scan(
        &mut self,
        kind: Kind<O::Accumulator>,
        input: &ShardedBuffer<O::Input>,
        output: &mut ShardedBuffer<O::Output>,
    ) -> Result<()> {
        let input = self.places("input", input)?;
        let output = self.places("output", output)?;
        self.run(kind, &input, &output)
    }

    /// Where the shards are, of an array that is the plan's.
    fn places<T: bytemuck::Pod>(
        &self,
        argument: &str,
        array: &ShardedBuffer<T>,
    ) -> Result<Vec<u64>> {
        array.places(&self.devices, &self.partition, "scan", argument)
    }

    /// Err where it is known before the first launch that one of them would fail.
    fn expect_ready(&self) -> Result<()> {
        if self.is_broken {
            let problem = "cannot be used after a launch has failed: make a new one";
            return Err(Error::argument("the plan", problem));
        }
        self.devices.expect_no_recording("scans of several devices")
    }

    fn run(&mut self, kind: Kind<O::Accumulator>, input: &[u64], output: &[u64]) -> Result<()> {
        self.expect_ready()?;
        if self.partition.is_empty() {
            return Ok(());
        }
        match self.partition.layout() {
            Layout::Contiguous => self.contiguous(kind, input, output),
            Layout::Dealt => {
                let launched = self.dealt(kind, input, output);
                // If it failed, the devices no longer have launches with the same tags, and would
                // wait for each other for ever.
                self.is_broken = launched.is_err();
                launched
            }
        }
    }

    /// Totals all parts, and scans each behind what stands before it.
    fn contiguous(
        &mut self,
        kind: Kind<O::Accumulator>,
        input: &[u64],
        output: &[u64],
    ) -> Result<()> {
        // Nobody asks for the last one's.
        let but_last = &input[..self.parts.len() - 1];
        for (number, &place) in but_last.iter().enumerate() {
            self.total(number, place)?;
        }
        let (kind, initial) = flags_of(kind);
        // What stands before a segment is no part of what it is combined to.
        let mut before = initial.filter(|_| !O::IS_SEGMENTED);
        for (number, part) in self.parts.iter_mut().enumerate() {
            let is_last = number + 1 == self.devices.len();
            // Before the device is given more to do, for which reading them would wait.
            let totals = match is_last {
                true => Vec::new(),
                false => part.totals.to_vec()?,
            };
            if part.len > 0 {
                let mut flags = kind;
                let mut initial = initial;
                match before {
                    Some(before) if O::IS_SEGMENTED => {
                        part.put_before(before)?;
                        flags |= FOLLOWS;
                    }
                    before => initial = before.or(initial),
                }
                flags |= initial.map_or(0, |_| HAS_INITIAL);
                let scan = part.scan(input[number], output[number], flags, initial);
                // SAFETY: as `launch::run` has it, of a part that is this device's.
                unsafe { part.launch::<O>(&scan)? };
            }
            before = fold::<O>(before, &totals);
        }
        Ok(())
    }

    /// One launch on all devices.
    fn dealt(&mut self, kind: Kind<O::Accumulator>, input: &[u64], output: &[u64]) -> Result<()> {
        let (flags, initial) = flags_of(kind);
        let scans = self.parts.iter().enumerate().map(|(number, part)| {
            let follows = match (initial, number) {
                (Some(_), _) => HAS_INITIAL,
                (None, 0) => 0,
                (None, _) => HAS_INITIAL | FOLLOWS,
            };
            let flags = flags | DEALT | follows;
            part.scan(input[number], output[number], flags, initial)
        });
        let scans: Vec<Scan<'_, O::Accumulator>> = scans.collect();
        let arguments: Vec<Vec<Actual<'_>>> = scans
            .iter()
            .map(|scan| parameters(scan)[..launch::taken::<O>()].to_vec())
            .collect();
        let blocks = self.parts.iter().map(|part| part.candidate.blocks).min();
        let tiles = self.parts.iter().map(Part::tiles).max();
        let blocks = tiles.min(blocks).unwrap_or(0).max(1);
        let modules: Vec<&Module> = self.parts.iter().map(|part| &part.module).collect();
        let config = self.parts[0].config(blocks);
        // SAFETY: as `launch::run` has it. The devices reach each other, as was asked when the
        // plan was made, and their scratch memories have room for all tiles. Every call launches on
        // all of them, so that their launches have the same tags; no device begins before all have
        // ended what came before (`join`), nor are the memories freed.
        unsafe {
            Module::launch_among(&modules, kernel::<O>()?.entry, config, &arguments)?;
        }
        self.devices.join()
    }

    /// Totals the groups of a device's tiles.
    fn total(&mut self, number: usize, input: u64) -> Result<()> {
        let part = &self.parts[number];
        if part.len == 0 {
            return Ok(());
        }
        let scan = part.scan(input, part.totals.address(), TOTALS, None);
        // SAFETY: as `launch::run` has it; the totals have room for the groups.
        unsafe { part.launch::<O>(&scan) }
    }
}

impl<O: ScanKernels> fmt::Debug for ShardedPlan<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShardedPlan")
            .field("operator", &std::any::type_name::<O>())
            .field("partition", &self.partition)
            .field("devices", &self.devices)
            .finish_non_exhaustive()
    }
}

const _: () = assert!(SCRATCHES + MAX_DEVICES <= BEFORE && BEFORE + 4 <= HEAD as usize);
