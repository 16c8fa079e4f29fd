//! Many integrals in one launch, whatever the method: the plan, its launches, and what a method
//! adds to them.

use cuda_std::launch::Actual;
use quadscan_kernels::LANES;
use quadscan_kernels::integrate::outcome::Outcome;
use quadscan_kernels::integrate::sizes::{MAX_WARPS, SCRATCH_WORDS, teams};

use super::formula::{Formula, Number};
use super::items::Items;
use super::subject::Subject;
use super::{IntegrandKernels, Kernels, Real, refuse};
use crate::device::{Buffer, Device, LaunchConfig, LaunchShape, Module, Writable, arguments};
use crate::{Error, Result};

/// What integrates each item of a batch to a tolerance. Sealed.
///
/// # Safety
///
/// The [`entry`](Method::entry) takes the [parameters](Method::with_parameters) behind those of
/// every batch, and the [shared memory](Method::shared_bytes) is what it needs. What the parameters
/// point to is of the device that the method was made on, is the method's, and is written by nobody.
pub unsafe trait Method<R: Real>: Sized {
    /// What is asked of it.
    type Options;

    /// What is asked of every method.
    fn goal(options: &Self::Options) -> Goal<'_, R>;

    /// The method, with what it keeps on the device; Err for options that it does not have.
    fn new(device: &Device, options: &Self::Options) -> Result<Self>;

    /// The kernel that integrates an integrand by it.
    fn entry(subject: &Subject) -> &'static str;

    /// Bytes of dynamic shared memory of a block of so many warps.
    fn shared_bytes(&self, _warps: u32) -> u32 {
        0
    }

    /// Why the device has no room for a block of one warp.
    fn refused(&self, error: Error) -> Error {
        error
    }

    /// Calls `launch` with the kernel's last parameters.
    fn with_parameters<T>(&self, launch: impl FnOnce(&[Actual<'_>]) -> T) -> T;
}

/// What is asked of every method.
#[derive(Clone, Copy, Debug)]
pub struct Goal<'a, R> {
    /// The absolute tolerance,
    pub absolute: R,
    /// and that relative to the integral's magnitude; the larger one counts.
    pub relative: R,
    /// Points where intervals begin.
    pub breaks: &'a [R],
}

/// The relative tolerance where none is asked for: 10^-10 in f64, 10^-4 in f32.
pub(super) fn default_tolerance<R: Real>() -> R {
    R::from_f64(if size_of::<R>() == 8 { 1e-10 } else { 1e-4 })
}

/// Integrals of one function in `R`, which is `f32` or `f64`, by a method: as many as there are
/// items, each with its own limits and parameters, in one launch.
///
/// An outcome is the same bit for bit from run to run, whatever the other items are. The methods
/// are [`Adaptive`](super::Adaptive), [`TanhSinh`](super::TanhSinh) and [`Fourier`](super::Fourier).
#[derive(Debug)]
pub struct Batch<R: Real, M> {
    module: Module,
    subject: Subject,
    method: M,
    absolute: R,
    relative: R,
    breaks: Buffer<R>,
    /// Of a launch, at most.
    blocks: u32,
    /// Of a block.
    warps: u32,
    scratch: Buffer<u64>,
}

impl<R: Real, M: Method<R>> Batch<R, M> {
    /// A plan for integrals of `I`.
    ///
    /// # Errors
    ///
    /// As [`Batch::new`].
    pub fn of<I: IntegrandKernels<R>>(module: &Module, options: M::Options) -> Result<Self>
    where
        R: Number,
    {
        Self::new(module, I::KERNELS, options)
    }

    /// The same for an integrand that is known by its kernels, those of a
    /// [catalogue](quadscan_kernels::integrate::catalogue::CATALOGUE). Where it has none by the rule,
    /// its formula is put into those of `module` that have room for one: the bits are the same.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for options that are not allowed, [`Error::UnknownKernel`] where
    /// `module` does not have the kernels, [`Error::OutOfMemory`]; the driver's. An integrand without a kernel by
    /// the rule needs the module `integrate_formula`: [`Error::UnknownKernel`] names such as
    /// `adaptive_formula_f64` where it is not in `module`, and [`Error::NoManifest`] is for a module that no
    /// artifact is behind.
    pub fn new(module: &Module, kernels: Kernels<R>, options: M::Options) -> Result<Self>
    where
        R: Number,
    {
        let subject = Subject::of(&kernels);
        let module = subject.module(module, &kernels, M::entry(&subject))?;
        Self::with(&module, subject, options)
    }

    /// The same for a formula, by the kernels of `module` that have room for one.
    ///
    /// # Errors
    ///
    /// As [`Batch::new`]; [`Error::NoManifest`] for a module that no artifact is behind; [`Error::Argument`]
    /// for a [wave](Formula::with_wave) where the method is not [`Fourier`](super::Fourier), and for none
    /// where it is.
    pub fn of_formula(module: &Module, formula: &Formula, options: M::Options) -> Result<Self>
    where
        R: Number,
    {
        let subject = Subject::of_formula::<R>(formula.parameters());
        let module = formula.on::<R>(module, M::entry(&subject))?;
        Self::with(&module, subject, options)
    }

    fn with(module: &Module, subject: Subject, options: M::Options) -> Result<Self> {
        let device = module.device();
        let goal = M::goal(&options);
        refuse::tolerances(goal.absolute, goal.relative)?;
        let method = M::new(device, &options)?;
        refuse::breaks(goal.breaks)?;
        let (blocks, warps) = shape(module, M::entry(&subject), &method)?;
        Ok(Self {
            module: module.clone(),
            subject,
            method,
            absolute: goal.absolute,
            relative: goal.relative,
            breaks: device.upload(goal.breaks)?,
            blocks,
            warps,
            scratch: device.alloc_zeroed(SCRATCH_WORDS)?,
        })
    }

    /// The same plan with launches of up to `blocks` blocks of `warps` warps, 1 to 8: for
    /// measurements, since the outcomes are the same.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`], and [`Error::OutOfRange`] where what so many warps share is more than
    /// a block has room for.
    pub fn with_shape(self, blocks: u32, warps: u32) -> Result<Self> {
        refuse::shape(blocks, warps, MAX_WARPS)?;
        resident_blocks(&self.module, M::entry(&self.subject), &self.method, warps)?;
        Ok(Self {
            blocks,
            warps,
            ..self
        })
    }

    /// An outcome for each of the items, of which there are as many as the limits or parameters
    /// that are given one by one; one where none are. Waits for the device, and allocates there:
    /// who does so often has a buffer of outcomes for [`integrate`](Self::integrate).
    ///
    /// # Errors
    ///
    /// As [`Batch::integrate`]; [`Error::OutOfMemory`].
    pub fn outcomes(&mut self, items: &Items<'_, R>) -> Result<Vec<Outcome<R>>> {
        let count = items.len(&self.subject);
        let mut outcomes = self.module.device().alloc(count)?;
        self.integrate(items, &mut outcomes)?;
        outcomes.to_vec()
    }

    /// Writes an outcome for each of the items: as many as `outcomes` has elements.
    /// Asynchronous.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for items that are not as many, or have other parameters than the
    /// integrand; [`Error::ForeignBuffer`]; the driver's.
    pub fn integrate<'a>(
        &mut self,
        items: &Items<'_, R>,
        outcomes: impl Writable<'a, Outcome<R>>,
    ) -> Result<()> {
        let outcomes = outcomes.into();
        let entry = M::entry(&self.subject);
        let items = items.checked(&self.module, &self.subject, entry, outcomes.len())?;
        let device = self.module.device();
        device.expect_own(outcomes.device(), entry, "outcomes")?;
        let n = outcomes.len() as u64;
        let (blocks, draw) = launch(n, self.blocks, self.warps);
        let shared = self.method.shared_bytes(self.warps);
        let shape = LaunchShape::new(blocks, self.warps * LANES).with_shared(shared);
        self.method.with_parameters(|of_method| {
            // SAFETY: the parameters are those of the kernels that the macro makes, the last
            // ones as the method vouches, whose memory is the plan's and is written by nobody.
            // What is read and written is borrowed, of this device, and has room for all items;
            // outcomes are borrowed alone. The scratch memory is this plan's, which launches one
            // after the other. Every thread waits for the launches before it before it reads or
            // writes.
            unsafe {
                let config = LaunchConfig::new(shape).programmatic();
                self.module.launch_raw(
                    entry,
                    config,
                    &[
                        &arguments![
                            n,
                            items.from,
                            items.to,
                            items.limits,
                            items.of_items,
                            items.parameters,
                            self.breaks.address(),
                            self.breaks.len() as u32,
                            self.absolute,
                            self.relative,
                            outcomes.address(),
                            draw,
                            self.scratch.address(),
                        ][..],
                        of_method,
                    ]
                    .concat(),
                )
            }
        })
    }
}

/// Blocks of so many warps that the device holds at a time.
fn resident_blocks<R: Real, M: Method<R>>(
    module: &Module,
    entry: &str,
    method: &M,
    warps: u32,
) -> Result<u32> {
    let shared = method.shared_bytes(warps);
    module.resident_blocks(entry, warps * LANES, shared)
}

/// As many blocks as the device holds at a time, and warps of each, of up to [`MAX_WARPS`] the
/// number with which it holds the most warps.
///
/// # Errors
///
/// The device's, for a kernel that it does not have; the method's, for one that does not fit.
fn shape<R: Real, M: Method<R>>(module: &Module, entry: &str, method: &M) -> Result<(u32, u32)> {
    let mut best = (0, 0);
    for warps in 1..=MAX_WARPS {
        // One that does not fit is refused.
        let resident = match resident_blocks(module, entry, method, warps) {
            Ok(resident) => resident,
            Err(error) if best.0 == 0 => return Err(method.refused(error)),
            Err(_) => break,
        };
        if resident * warps > best.0 * best.1 {
            best = (resident, warps);
        }
    }
    let (blocks, warps) = best;
    Ok((blocks.max(1), warps.max(1)))
}

/// Blocks of a launch for `n` items, up to `most` of so many warps, and the items that a warp
/// draws at a time.
fn launch(n: u64, most: u32, warps: u32) -> (u32, u32) {
    let (of_warp, of_block) = (u64::from(teams(1)), u64::from(teams(warps)));
    // Every team has an item, or nearly so, before any has two.
    let all = u64::from(most) * of_block;
    let blocks = n.div_ceil(of_block).clamp(1, u64::from(most)) as u32;
    let draw = (n / all / 4 * of_warp).clamp(of_warp, 64);
    (blocks, draw as u32)
}
