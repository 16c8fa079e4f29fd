//! Scans of the segments of an array: where they begin is found first, by one kernel for
//! keys, flags or offsets, and then all are scanned at once.

use std::fmt;

use bytemuck::Pod;
use quadscan_kernels::operator::{Identity, Operator};
use quadscan_kernels::scan::segmented::{Flagged, Segmented};
use quadscan_kernels::scan::{
    Algorithm, BY_OFFSETS, OF_LENGTH, SegmentedScanKernels, WIDE_OFFSETS, segment_flags,
};

use super::launch::{self, Call, InMemory, Kind};
use super::methods::scans;
use super::options::Options;
use super::plan::{Plan, too_many};
use super::segment_source::{By, Finders, OF_KEYS, OF_OFFSETS, Source};
use crate::device::{
    Buffer, LaunchConfig, LaunchShape, Module, Readable, View, Writable, arguments,
};
use crate::error::{Error, Result};
use crate::reduce::Offsets;

/// Blocks on each SM of the kernels that find segments, at most.
const BLOCKS_PER_SM: u64 = 8;

/// The most offsets that a small scan looks at itself, in every block, and no kernel before it.
const MOST_OFFSETS: u64 = 4096;

/// Scans by the operator `O` of the segments of up to a number of elements: millions of
/// short ones, a few long ones, or both; the time depends on the number of elements alone.
///
/// ```
/// use quadscan::device::{Artifact, Device, DeviceChoice};
/// use quadscan::scan::{SegmentedPlan, Sum};
///
/// # fn main() -> quadscan::Result<()> {
/// # let choice = DeviceChoice::Emulator { schedule: None };
/// # /*
/// let device = Device::open(DeviceChoice::Auto)?;
/// # */ let device = Device::open(choice)?;
/// # /*
/// let module = device.load(&Artifact::embedded()?)?;
/// # */ let folder = std::env::var("QUADSCAN_ARTIFACT").expect("`cargo xtask test` sets it");
/// # let module = device.load(&unsafe { Artifact::read(folder) }?)?;
/// let values = device.upload(&[3u32, 1, 4, 1, 5])?;
/// let mut output = device.alloc::<u32>(5)?;
/// let mut plan = SegmentedPlan::<Sum<u32>>::new(&module, 5)?;
///
/// let keys = device.upload(b"aabbb")?;
/// plan.by_key(&keys).inclusive(&values, &mut output)?;
/// assert_eq!(output.to_vec()?, [3, 4, 4, 5, 10]);
///
/// let offsets = device.upload(&[0u32, 2, 2, 5])?;
/// plan.by_offsets(&offsets).exclusive_with(100, &values, &mut output)?;
/// assert_eq!(output.to_vec()?, [100, 103, 100, 104, 105]);
/// # Ok(())
/// # }
/// ```
///
/// What stands before a segment is an initial value, the same for all; it is combined with
/// each result at the end, and not with the first element. Otherwise the results are those
/// of a [`Plan`], in float bits too up to the order of combination: that depends on where
/// in the array a segment lies, and not on timing.
pub struct SegmentedPlan<O: SegmentedScanKernels> {
    plan: Plan<Segmented<O>>,
    /// A bit an element: whether a segment begins there.
    segment_flags: Buffer<u32>,
    finders: Finders,
}

impl<O: SegmentedScanKernels> SegmentedPlan<O> {
    /// A plan for up to `capacity` elements. Its memory is an eighth of a byte an element,
    /// beside what a [`Plan`] has.
    ///
    /// # Errors
    ///
    /// As [`Plan::new`]; [`Error::NoSegmentFlags`] where neither the operator's crate nor this
    /// program has the kernels of
    /// [`segment_flags_kernels!`](quadscan_kernels::segment_flags_kernels).
    pub fn new(module: &Module, capacity: u64) -> Result<Self> {
        Self::with(module, capacity, Options::default())
    }

    /// A plan with options.
    ///
    /// # Errors
    ///
    /// As [`SegmentedPlan::new`] and [`Plan::with`].
    pub fn with(module: &Module, capacity: u64, options: Options) -> Result<Self> {
        let plan = Plan::with(module, capacity, options)?;
        let words = segment_flags::padded_words(capacity);
        let words = usize::try_from(words).map_err(|_| too_many(capacity))?;
        Ok(Self {
            plan,
            segment_flags: module.device().alloc_zeroed(words)?,
            finders: Finders::of::<O>(module)?,
        })
    }

    /// The most elements of a scan.
    pub fn capacity(&self) -> u64 {
        self.plan.capacity()
    }

    /// The algorithm that scans `n` elements at addresses that are multiples of 16; `None`
    /// when there is none, as for more than the capacity.
    pub fn algorithm_for(&self, n: u64) -> Option<Algorithm> {
        self.plan.algorithm_for(n)
    }

    /// Scans of neighbours with equal keys: a segment begins at every key that differs from
    /// the one before it, in any bit. Keys have 1, 2, 4, 8 or 16 bytes, and there are as
    /// many as elements, or more.
    pub fn by_key<'p, K: Pod>(&'p mut self, keys: impl Readable<'p, K>) -> Segments<'p, O> {
        let keys = keys.into();
        self.segments(Source {
            argument: "keys",
            by: By::Keys(size_of::<K>()),
            address: keys.address(),
            len: keys.len() as u64,
            device: Some(keys.device()),
        })
    }

    /// Scans of the segments that begin where a flag is not 0; the first begins with the
    /// first element in any case. There are as many flags as elements, or more.
    pub fn by_flags<'p>(&'p mut self, flags: impl Readable<'p, u8>) -> Segments<'p, O> {
        let flags = flags.into();
        self.segments(Source {
            argument: "flags",
            by: By::Flags,
            address: flags.address(),
            len: flags.len() as u64,
            device: Some(flags.device()),
        })
    }

    /// Scans of the segments that begin at offsets. Segments may be empty, and offsets need
    /// not be in order, though they cost less where they are. Offsets from the number of
    /// elements on, such as the end of the last segment, are passed over. Elements before the
    /// lowest offset are a segment too.
    pub fn by_offsets<'p>(&'p mut self, offsets: impl Into<Offsets<'p>>) -> Segments<'p, O> {
        let offsets = offsets.into();
        let (address, len, device) = offsets.parts();
        self.segments(Source {
            argument: "offsets",
            by: By::Offsets(offsets.bytes()),
            address,
            len: len as u64,
            device: Some(device),
        })
    }

    /// Scans of segments of `length` elements each, at least 1, the last of which may have fewer: by
    /// one launch, which reads nothing but the elements.
    ///
    /// ```
    /// # use quadscan::device::{Artifact, Device, DeviceChoice};
    /// # use quadscan::scan::{SegmentedPlan, Sum};
    /// # fn main() -> quadscan::Result<()> {
    /// # let device = Device::open(DeviceChoice::Emulator { schedule: None })?;
    /// # let folder = std::env::var("QUADSCAN_ARTIFACT").expect("`cargo xtask test` sets it");
    /// # let module = device.load(&unsafe { Artifact::read(folder) }?)?;
    /// let mut data = device.upload(&[3u32, 1, 4, 1, 5])?;
    /// let mut plan = SegmentedPlan::<Sum<u32>>::new(&module, 5)?;
    /// plan.by_length(2).inclusive_in_place(&mut data)?;
    /// assert_eq!(data.to_vec()?, [3, 4, 4, 5, 5]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn by_length(&mut self, length: u64) -> Segments<'_, O> {
        self.segments(Source {
            argument: "length",
            by: By::Length,
            address: 0,
            len: length,
            device: None,
        })
    }

    fn segments<'p>(&'p mut self, source: Source<'p>) -> Segments<'p, O> {
        Segments {
            plan: self,
            source,
            count: None,
        }
    }
}

/// Scans in segments: see [`SegmentedPlan`].
pub struct Segments<'p, O: SegmentedScanKernels> {
    plan: &'p mut SegmentedPlan<O>,
    source: Source<'p>,
    count: Option<View<'p, u64>>,
}

impl<'p, O: SegmentedScanKernels> Segments<'p, O> {
    /// The same scans of the first elements of an array, as many as the device knows: see
    /// [`Plan::counted`].
    pub fn counted(mut self, count: impl Readable<'p, u64>) -> Self {
        self.count = Some(count.into());
        self
    }

    /// Finds where the segments begin that the keys or flags of `n` elements say, for a scan by
    /// others; the address of the segment flags. The first of them goes on with one of another
    /// array where that is said.
    pub(super) fn find_alone(mut self, n: u64, goes_on: bool) -> Result<u64> {
        self.check(n)?;
        self.find(n, 0)?;
        if goes_on {
            let mut first = self.plan.segment_flags.slice_mut(..1)?;
            let word = first.as_view().to_vec()?[0];
            first.copy_from(&[word & !1])?;
        }
        Ok(self.plan.segment_flags.address())
    }

    /// Asks for a scan.
    fn ask(&mut self, call: Call<'_>, kind: Kind<O::Accumulator>) -> Result<()> {
        let call = match self.count {
            Some(count) => call.counted(count),
            None => call,
        };
        let candidate = launch::checked::<Segmented<O>>(&self.plan.plan.prepared, &call)?;
        let is_small = candidate.kernel.algorithm == Algorithm::OneWaveSmall;
        self.check(call.n())?;
        if call.n() == 0 {
            return Ok(());
        }
        let segments = match self.said(is_small) {
            Some(segments) => segments,
            None => self.find(call.n(), call.count())?,
        };
        let call = call.segmented(segments);
        let kind = match kind {
            Kind::Inclusive(initial) => Kind::Inclusive(initial.map(Flagged::new)),
            Kind::Exclusive(initial) => Kind::Exclusive(Flagged::new(initial)),
        };
        launch::run::<Segmented<O>>(&mut self.plan.plan.prepared, &call, kind)
    }

    /// What a kernel is told without any that finds where segments begin, if it can be.
    fn said(&self, is_small: bool) -> Option<InMemory> {
        let flags = match self.source.by {
            By::Length => OF_LENGTH,
            By::Offsets(_) if !is_small || self.source.len > MOST_OFFSETS => return None,
            By::Offsets(4) => BY_OFFSETS,
            By::Offsets(_) => BY_OFFSETS | WIDE_OFFSETS,
            By::Keys(_) | By::Flags => return None,
        };
        Some(InMemory {
            address: self.source.address,
            segments: self.source.len,
            flags,
        })
    }

    /// Err when what says where the segments of `n` elements begin does not fit.
    fn check(&self, n: u64) -> Result<()> {
        let Source { argument, .. } = self.source;
        let refused = |problem| Err(Error::argument(argument, problem));
        if let By::Length = self.source.by {
            return match self.source.len {
                0 => refused("is 0, allowed are 1 or more".to_owned()),
                _ => Ok(()),
            };
        }
        if let Some(owner) = self.source.device {
            let device = self.plan.finders.module.device();
            device.expect_own(owner, "scan", argument)?;
        }
        let parameters: &[u64] = match self.source.is_offsets() {
            true => &OF_OFFSETS,
            false => &OF_KEYS,
        };
        let Finders { module, origin } = &self.plan.finders;
        match module.expect_parameters(origin, &self.source.entry(n), parameters) {
            Err(Error::UnknownKernel { .. }) => {
                return refused(
                    "have a size that is not allowed: 1, 2, 4, 8 or 16 bytes".to_owned(),
                );
            }
            there => there?,
        }
        if !self.source.is_offsets() && self.source.len < n {
            let len = self.source.len;
            return refused(format!("has {len} elements, needed are the input's {n}"));
        }
        Ok(())
    }

    /// Finds where the segments of `n` elements begin, or of as many as are at `count`: segment flags.
    fn find(&mut self, n: u64, count: u64) -> Result<InMemory> {
        let Source { address, len, .. } = self.source;
        let (is_offsets, is_few) = (self.source.is_offsets(), self.source.is_few(n));
        if is_offsets && !is_few {
            let words = segment_flags::words(n) as usize;
            self.plan.segment_flags.slice_mut(..words)?.fill_bytes(0)?;
        }
        let flags = self.plan.segment_flags.address();
        let shape = if is_few {
            let blocks = n.div_ceil(segment_flags::FEW_PER_BLOCK) as u32;
            LaunchShape::new(blocks, segment_flags::FEW_THREADS)
        } else {
            let work = if is_offsets { len } else { n };
            let device = self.plan.finders.module.device();
            let sms = u64::from(device.properties().sm_count);
            let most = sms.max(1) * BLOCKS_PER_SM;
            let blocks = work.div_ceil(segment_flags::PER_BLOCK).clamp(1, most) as u32;
            LaunchShape::new(blocks, segment_flags::THREADS)
        };
        // SAFETY: before it waits for earlier launches, a thread asks for lines into the L2
        // cache, which is no access; and what they write is behind raw pointers.
        let config = unsafe { LaunchConfig::new(shape).programmatic() };
        // SAFETY: the entry is one of `segment_flags_kernels!` (`SegmentedScanKernels`). Keys and flags
        // are as many as elements, and borrowed; so are the offsets and the count. The words
        // are this plan's, of its capacity, which is borrowed exclusively.
        unsafe {
            let module = &self.plan.finders.module;
            let entry = self.source.entry(n);
            match is_offsets {
                true => {
                    module.launch_raw(&entry, config, &arguments![address, len, n, count, flags])
                }
                false => module.launch_raw(&entry, config, &arguments![address, n, count, flags]),
            }?;
        }
        Ok(InMemory {
            address: flags,
            ..InMemory::default()
        })
    }
}

scans! { SegmentedScanKernels: Segments<'_, O> }

impl<O: SegmentedScanKernels> fmt::Debug for SegmentedPlan<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SegmentedPlan")
            .field("operator", &std::any::type_name::<O>())
            .field("capacity", &self.capacity())
            .finish_non_exhaustive()
    }
}

impl<O: SegmentedScanKernels> fmt::Debug for Segments<'_, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Segments")
            .field("plan", &self.plan)
            .field("by", &self.source.argument)
            .finish_non_exhaustive()
    }
}
