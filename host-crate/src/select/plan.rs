//! From a selection that is asked for to its launches: the checks, the choice of a kernel, the
//! grid and the parameters.

use std::marker::PhantomData;

use quadscan_kernels::select::predicate::to_parameter;
use quadscan_kernels::select::{
    BY_FLAGS, PARTITION, SelectKernel, SelectKernels, TURN, UNIQUE, sizes,
};

use crate::device::{
    Buffer, LaunchConfig, LaunchShape, Module, Readable, View, ViewMut, Writable, arguments,
};
use crate::{Error, Result};

/// A kernel that the module has.
#[derive(Clone, Copy, Debug)]
struct Ready {
    kernel: SelectKernel,
    /// Blocks that the device holds at once, or fewer that the plan may use.
    blocks: u64,
}

/// Selections by `P` from up to so many elements.
///
/// Every one of them writes to `count`, one number in the device's memory, how many elements it
/// has selected; reading it is what waits for them. The selected ones are the first elements of
/// `output`, in their order; behind them, unless it is a partition, `output` stays as it is.
#[derive(Debug)]
pub struct Plan<P: SelectKernels> {
    module: Module,
    capacity: usize,
    one_wave: Ready,
    /// Where the device looks ahead.
    lookahead: Option<Ready>,
    /// What blocks tell each other. Its first word counts the launches.
    scratch: Buffer<u64>,
    predicate: PhantomData<P>,
}

/// Those of a selection: its input, its output, and the number of selected elements.
pub(super) type Arrays<'a, 'b, 'c, T> = (View<'a, T>, ViewMut<'b, T>, ViewMut<'c, u64>);

/// Every selection may fail, before anything is launched, with [`Error::Argument`] for an output
/// or flags with fewer elements than the input, for more elements than the plan's capacity, and
/// for a count that is not one number, and with [`Error::ForeignBuffer`] for memory of another
/// device; then with the driver's errors. All are asynchronous.
impl<P: SelectKernels> Plan<P> {
    /// A plan for up to `capacity` elements.
    ///
    /// # Errors
    ///
    /// [`Error::NoManifest`] and [`Error::UnknownKernel`] where `module` does not have the
    /// kernels, [`Error::SignatureMismatch`] for one that was built from another source,
    /// [`Error::OutOfMemory`]; the driver's.
    pub fn new(module: &Module, capacity: usize) -> Result<Self> {
        Self::with_blocks(module, capacity, u32::MAX)
    }

    /// A plan of launches of up to `blocks` blocks, 1 or more. The results are the same with
    /// any number.
    ///
    /// # Errors
    ///
    /// As [`Plan::new`]; [`Error::Argument`] for 0 blocks.
    pub fn with_blocks(module: &Module, capacity: usize, blocks: u32) -> Result<Self> {
        if blocks == 0 {
            return Err(Error::argument("blocks", "is 0, allowed are 1 or more"));
        }
        let [one_wave, lookahead] = P::KERNELS;
        let mut one_wave = ready(module, one_wave, blocks)?;
        one_wave.kernel.max_tiles = one_wave.kernel.max_tiles.min(one_wave.blocks);
        let lookahead = match ready(module, lookahead, blocks) {
            Err(Error::UnknownKernel { .. }) => None,
            there => Some(there?),
        };
        let words = |ready: Ready| {
            ready
                .kernel
                .scratch_words(ready.most().min(capacity as u64))
        };
        let words = words(one_wave).max(lookahead.map_or(0, words));
        Ok(Self {
            module: module.clone(),
            capacity,
            one_wave,
            lookahead,
            scratch: module.device().alloc_zeroed(words as usize)?,
            predicate: PhantomData,
        })
    }

    /// The most elements.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Bytes of device memory that the plan holds.
    pub fn scratch_size(&self) -> usize {
        self.scratch.size()
    }

    /// The scratch memory, so that tests can see to it that it is old.
    ///
    /// # Safety
    ///
    /// What is written are words that launches of this plan leave there: others may be
    /// waited for without end.
    #[doc(hidden)]
    pub unsafe fn scratch_mut(&mut self) -> ViewMut<'_, u64> {
        (&mut self.scratch).into()
    }

    /// Selects the elements of which the predicate holds, with this parameter.
    ///
    /// # Errors
    ///
    /// As said above.
    pub fn select<'a, 'b, 'c>(
        &mut self,
        parameter: P::Parameter,
        input: impl Readable<'a, P::Item>,
        output: impl Writable<'b, P::Item>,
        count: impl Writable<'c, u64>,
    ) -> Result<()> {
        let arrays = (input.into(), output.into(), count.into());
        self.ask_behind(0, 0, parameter, None, arrays)
    }

    /// Selects the elements whose flags are not 0.
    ///
    /// # Errors
    ///
    /// As said above.
    pub fn by_flags<'a, 'b, 'c, 'd>(
        &mut self,
        flags: impl Readable<'d, u8>,
        input: impl Readable<'a, P::Item>,
        output: impl Writable<'b, P::Item>,
        count: impl Writable<'c, u64>,
    ) -> Result<()> {
        let (parameter, flags) = (P::of_runs(), Some(flags.into()));
        let arrays = (input.into(), output.into(), count.into());
        self.ask_behind(0, BY_FLAGS, parameter, flags, arrays)
    }

    /// Selects the first element of every run of equal ones ([`Predicate::repeats`](super::Predicate::repeats)).
    ///
    /// # Errors
    ///
    /// As said above.
    pub fn unique<'a, 'b, 'c>(
        &mut self,
        input: impl Readable<'a, P::Item>,
        output: impl Writable<'b, P::Item>,
        count: impl Writable<'c, u64>,
    ) -> Result<()> {
        let arrays = (input.into(), output.into(), count.into());
        self.ask_behind(0, UNIQUE, P::of_runs(), None, arrays)
    }

    /// As [`Plan::select`], and writes the other elements too: from the end of the input's length
    /// backwards, so that the last one comes right behind the selected ones.
    ///
    /// # Errors
    ///
    /// As said above.
    pub fn partition<'a, 'b, 'c>(
        &mut self,
        parameter: P::Parameter,
        input: impl Readable<'a, P::Item>,
        output: impl Writable<'b, P::Item>,
        count: impl Writable<'c, u64>,
    ) -> Result<()> {
        let arrays = (input.into(), output.into(), count.into());
        self.ask_behind(0, PARTITION, parameter, None, arrays)
    }

    /// As [`Plan::by_flags`], and writes the other elements as [`Plan::partition`] does.
    ///
    /// # Errors
    ///
    /// As said above.
    pub fn partition_by_flags<'a, 'b, 'c, 'd>(
        &mut self,
        flags: impl Readable<'d, u8>,
        input: impl Readable<'a, P::Item>,
        output: impl Writable<'b, P::Item>,
        count: impl Writable<'c, u64>,
    ) -> Result<()> {
        let (parameter, flags) = (P::of_runs(), Some(flags.into()));
        let arrays = (input.into(), output.into(), count.into());
        self.ask_behind(0, BY_FLAGS | PARTITION, parameter, flags, arrays)
    }

    /// A selection without the first `skipped` elements: nothing is selected of them, but they are
    /// the neighbours of others.
    pub(super) fn ask_behind(
        &mut self,
        skipped: u64,
        mode: u32,
        parameter: P::Parameter,
        flags: Option<View<'_, u8>>,
        (input, output, count): Arrays<'_, '_, '_, P::Item>,
    ) -> Result<()> {
        let len = input.len();
        if len > self.capacity {
            let problem = format!(
                "has {len} elements, the plan is for up to {}",
                self.capacity
            );
            return Err(Error::argument("input", problem));
        }
        let there = [
            ("flags", flags.map_or(len, |flags| flags.len())),
            ("output", output.len()),
        ];
        for (argument, has) in there {
            if has < len {
                let problem = format!("has {has} elements, needed are the input's {len}");
                return Err(Error::argument(argument, problem));
            }
        }
        if count.len() != 1 {
            let problem = format!("has {} elements, needed is 1", count.len());
            return Err(Error::argument("count", problem));
        }
        let device = self.module.device();
        let owners = [
            ("input", Some(input.device())),
            ("flags", flags.map(|flags| flags.device())),
            ("output", Some(output.device())),
            ("count", Some(count.device())),
        ];
        for (argument, owner) in owners {
            if let Some(owner) = owner {
                device.expect_own(owner, self.one_wave.kernel.entry, argument)?;
            }
        }

        let chosen = self.choose(len as u64);
        let Ready { kernel, blocks } = chosen;
        let (mut before, mut turn) = (skipped, 0);
        while before < len as u64 || turn == 0 {
            let n = (len as u64 - before).min(chosen.most());
            let tiles = n.div_ceil(kernel.tile).max(1);
            let blocks = tiles.min(blocks) as u32;
            let shape = LaunchShape::new(blocks, kernel.threads).with_shared(kernel.shared_bytes);
            let config = LaunchConfig::new(shape);
            let config = match blocks > 1 && device.properties().has_cooperative_launch {
                true => config.cooperative(),
                false => config,
            };
            // SAFETY: the entries are kernels of this predicate (`SelectKernels`), whose parameters
            // the manifest has in this number and these sizes. The input, as many flags where
            // there are any, and as much room in the output are borrowed, the latter exclusively; the
            // scratch memory is the plan's, which is borrowed exclusively, and has room for the
            // tiles. No more blocks than are resident at once. What a thread does before it waits for
            // earlier launches is no access. In a graph all of it stays, and is used in the
            // stream's order.
            unsafe {
                self.module.launch_raw(
                    kernel.entry,
                    config.programmatic(),
                    &arguments![
                        input.address() + before * size_of::<P::Item>() as u64,
                        output.address(),
                        n,
                        flags.map_or(0, |flags| flags.address() + before),
                        to_parameter(parameter),
                        mode | turn << TURN,
                        before,
                        len as u64,
                        count.address(),
                        self.scratch.address(),
                        self.scratch.len() as u64,
                    ],
                )?;
            }
            before += n;
            turn = turn % 2 + 1;
        }
        Ok(())
    }

    /// The kernel for so many elements.
    fn choose(&self, n: u64) -> Ready {
        let bytes = n.saturating_mul(size_of::<P::Item>() as u64);
        match self.lookahead {
            Some(lookahead) if bytes > sizes::ONE_WAVE_BYTES || n > self.one_wave.most() => {
                lookahead
            }
            _ => self.one_wave,
        }
    }
}

impl Ready {
    /// The most elements of a launch.
    fn most(&self) -> u64 {
        self.kernel.max_tiles.saturating_mul(self.kernel.tile)
    }
}

/// The kernel with its code loaded, if the module has it with our parameters.
fn ready(module: &Module, kernel: SelectKernel, blocks: u32) -> Result<Ready> {
    let parameters = [8, 8, 8, 8, 48, 4, 8, 8, 8, 8, 8];
    module.expect_parameters(kernel.module, kernel.entry, &parameters)?;
    module.prepare(&[kernel.entry])?;
    let resident = module.resident_blocks(kernel.entry, kernel.threads, kernel.shared_bytes)?;
    Ok(Ready {
        kernel,
        blocks: resident.min(blocks).into(),
    })
}
