//! One integral by a composite rule.

use std::marker::PhantomData;

use quadscan_kernels::LANES;
use quadscan_kernels::integrate::chunks::{Chunks, MAX_STRIPS, STEPS};
use quadscan_kernels::integrate::rules::{FAMILIES, MAX_FAMILIES};
use quadscan_kernels::integrate::sizes::MAX_WARPS;
use quadscan_kernels::scan::scratch;

use super::formula::{Formula, Number};
use super::subject::Subject;
use super::{IntegrandKernels, Kernels, Real, Rule, refuse};
use crate::device::{Buffer, Device, LaunchConfig, LaunchShape, Module, Writable, arguments};
use crate::{Error, Result};

/// Integrals of one function, in `R`, which is `f32` or `f64`, over up to so many equal
/// strips; one after the other.
///
/// A result is the same bit for bit from run to run and for every
/// [shape](Composite::with_shape): it depends on the rule, the strips, the limits and the
/// parameters alone.
#[derive(Debug)]
pub struct Composite<R: Real> {
    module: Module,
    subject: Subject,
    most: u64,
    blocks: u32,
    warps: u32,
    kind: PhantomData<R>,
    /// What blocks tell each other. Its first word counts the launches.
    scratch: Buffer<u64>,
}

impl<R: Real> Composite<R> {
    /// A plan for integrals of `I` over up to `most` strips, 1 to 2^40.
    ///
    /// # Errors
    ///
    /// As [`Composite::new`].
    pub fn of<I: IntegrandKernels<R>>(module: &Module, most: u64) -> Result<Self>
    where
        R: Number,
    {
        Self::new(module, I::KERNELS, most)
    }

    /// The same for an integrand that is known by its kernels, those of a
    /// [catalogue](quadscan_kernels::integrate::catalogue::CATALOGUE); by its formula where it has none
    /// for composite rules, with the same bits.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for a number of strips that is not allowed,
    /// [`Error::UnknownKernel`] where `module` does not have the
    /// kernels, [`Error::OutOfMemory`]; the driver's. An integrand without a kernel for composite rules needs
    /// the module `integrate_formula`: [`Error::UnknownKernel`] names such as `composite_formula_f64` where it is
    /// not in `module`, and [`Error::NoManifest`] is for a module that no artifact is behind.
    pub fn new(module: &Module, kernels: Kernels<R>, most: u64) -> Result<Self>
    where
        R: Number,
    {
        let subject = Subject::of(&kernels);
        let module = subject.module(module, &kernels, subject.composite)?;
        Self::with(&module, subject, most)
    }

    /// The same for a formula, by the kernels of `module` that have room for one.
    ///
    /// # Errors
    ///
    /// As [`Composite::new`]; [`Error::NoManifest`] for a module that no artifact is behind.
    pub fn of_formula(module: &Module, formula: &Formula, most: u64) -> Result<Self>
    where
        R: Number,
    {
        let subject = Subject::of_formula::<R>(formula.parameters());
        let module = formula.on::<R>(module, subject.composite)?;
        Self::with(&module, subject, most)
    }

    fn with(module: &Module, subject: Subject, most: u64) -> Result<Self> {
        refuse::strips(most, MAX_STRIPS)?;
        let warps = MAX_WARPS;
        let resident = module.resident_blocks(subject.composite, warps * LANES, 0)?;
        let words = scratch::of_tiles(most_units(most), 2);
        Ok(Self {
            module: module.clone(),
            subject,
            most,
            blocks: resident.max(1),
            warps,
            kind: PhantomData,
            scratch: module.device().alloc_zeroed(words as usize)?,
        })
    }

    /// The same plan with launches of up to `blocks` blocks of `warps` warps: for
    /// measurements, since it is the default that is fast, and the results are the same.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for no blocks, and for warps outside of 1
    /// to 8.
    pub fn with_shape(self, blocks: u32, warps: u32) -> Result<Self> {
        refuse::shape(blocks, warps, MAX_WARPS)?;
        Ok(Self {
            blocks,
            warps,
            ..self
        })
    }

    /// What is integrated: the kernel and, of a formula, which.
    pub(super) fn integrand(&self) -> (&str, Option<&str>) {
        (self.subject.composite, self.module.key_of_part())
    }

    /// The most strips.
    pub(super) fn most(&self) -> u64 {
        self.most
    }

    /// The device that it is on.
    pub(super) fn device(&self) -> &Device {
        self.module.device()
    }

    /// Bytes of device memory that the plan holds.
    pub fn scratch_size(&self) -> usize {
        self.scratch.size()
    }

    /// The integral from `from` to `to` by `rule` over `strips` equal strips, as
    /// [`integrate`](Self::integrate) writes it. Waits for the device, and allocates there.
    ///
    /// # Errors
    ///
    /// As [`Composite::integrate`]; [`Error::OutOfMemory`].
    pub fn value(
        &mut self,
        rule: Rule,
        strips: u64,
        limits: (R, R),
        parameters: &[R],
    ) -> Result<R> {
        let mut value = [R::ZERO];
        let mut output = self.module.device().alloc(1)?;
        self.integrate(rule, strips, limits, parameters, &mut output)?;
        output.copy_to(&mut value)?;
        Ok(value[0])
    }

    /// Writes to `output`, which is one number, the integral from `from` to `to` by `rule`
    /// over `strips` equal strips; backwards where `from` is above `to`, and 0 where they are
    /// equal. Asynchronous.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for strips, points, limits and parameters
    /// that are not allowed; [`Error::OutOfRange`] for an output
    /// that is not one number; [`Error::ForeignBuffer`]; the
    /// driver's.
    pub fn integrate<'a>(
        &mut self,
        rule: Rule,
        strips: u64,
        limits: (R, R),
        parameters: &[R],
        output: impl Writable<'a, R>,
    ) -> Result<()> {
        refuse::strips(strips, self.most)?;
        refuse::rule(rule)?;
        refuse::limits(limits)?;
        let parameters = refuse::parameters(&self.subject, parameters)?;
        let output = output.into();
        if output.len() != 1 {
            let problem = format!("has {} elements, allowed is one", output.len());
            return Err(Error::argument("output", problem));
        }
        let entry = self.subject.composite;
        let device = self.module.device();
        device.expect_own(output.device(), entry, "output")?;

        let place = Place::new(rule, strips, limits);
        let (family, families) = rule.families();
        let chunks = Chunks::of(place.strips, families);
        let blocks = self.blocks.min(chunks.units * families).max(1);
        let shape = LaunchShape::new(blocks, self.warps * LANES);
        // SAFETY: the parameters are those of the kernel that the macro makes. The output is
        // borrowed, of this device, and has room for a number; the scratch memory is this
        // plan's, which launches one after the other, and has room for the chunks. Every
        // thread waits for the launches before it before it reads or writes.
        unsafe {
            let config = LaunchConfig::new(shape).programmatic();
            self.module.launch_raw(
                entry,
                config,
                &arguments![
                    place.from,
                    place.to,
                    place.step,
                    place.width,
                    place.strips,
                    chunks,
                    place.margin,
                    family,
                    families,
                    rule.ends(),
                    place.multiples,
                    parameters,
                    output.address(),
                    self.scratch.address(),
                    self.scratch.len() as u64,
                ],
            )
        }
    }
}

/// The most units of an integral over up to `most` strips, by any rule: more strips may be fewer.
fn most_units(most: u64) -> u64 {
    let below = 1 << most.ilog2();
    let units = |families| {
        let units = |strips| units(strips, families);
        units(most).max(units(below)).max(units(below / 2 + 1))
    };
    (1..=MAX_FAMILIES as u32).map(units).max().unwrap_or(0)
}

/// The units of an integral over so many strips by a rule of so many families.
fn units(strips: u64, families: u32) -> u64 {
    u64::from(Chunks::of(strips, families).units * families)
}

/// Where the strips are.
struct Place<R> {
    from: f64,
    to: f64,
    step: f64,
    width: f64,
    strips: u64,
    margin: u64,
    multiples: [R; STEPS],
}

impl<R: Real> Place<R> {
    fn new(rule: Rule, strips: u64, (from, to): (R, R)) -> Self {
        let (first, last) = (from.to_f64(), to.to_f64());
        let (from, to) = if first <= last {
            (first, last)
        } else {
            (last, first)
        };
        let step = (to - from) / strips as f64;
        let width = if first <= last { step } else { -step };
        let mut multiples = [R::ZERO; STEPS];
        for (k, multiple) in multiples.iter_mut().enumerate() {
            *multiple = R::from_f64(k as f64 * step);
        }
        Self {
            from,
            to,
            step,
            width,
            // Between equal limits there is nothing.
            strips: if from == to { 0 } else { strips },
            margin: margin::<R>(rule, step, from.abs().max(to.abs())).min(strips),
            multiples,
        }
    }
}

/// How many strips next to a limit have nodes that rounding may move onto it or beyond, where
/// no number between the limits is larger than `largest`.
fn margin<R: Real>(rule: Rule, step: f64, largest: f64) -> u64 {
    // A node is rounded up to five times; what two of them lose is next to nothing.
    let uncertain = 4.0 * R::EPSILON.to_f64() * largest + R::MIN_POSITIVE.to_f64();
    let (first, count) = rule.families();
    let offsets = FAMILIES[first as usize..][..count as usize].iter();
    let inside = |offset: f64| {
        if offset == 1.0 {
            1.0
        } else {
            offset.min(1.0 - offset)
        }
    };
    let nearest = offsets.fold(1.0_f64, |least, &(offset, _)| least.min(inside(offset)));
    if uncertain < nearest * step {
        0
    } else {
        // Saturates where the step is next to nothing.
        ((uncertain / step).ceil() as u64).saturating_add(1)
    }
}

#[cfg(test)]
mod tests {
    use quadscan_kernels::integrate::chunks::{MAX_CHUNKS, UNIT};

    use super::*;

    #[test]
    fn no_integral_of_fewer_strips_has_more_units_than_there_is_room_for() {
        for most in [1, 2, 1000, 4097, 1 << 20, (1 << 24) + 1, MAX_STRIPS] {
            let room = most_units(most);
            assert!(room <= MAX_CHUNKS / UNIT, "{room} of {most}");
            for families in 1..=MAX_FAMILIES as u32 {
                let units = |strips| units(strips, families);
                for strips in [1, most / 2, most / 2 + 1, most - most / 3, most - 1, most] {
                    assert!(units(strips.max(1)) <= room, "{strips} of {most}");
                }
                for power in 0..most.ilog2() {
                    assert!(units(1 << power) <= room && units((1 << power) + 1) <= room);
                }
            }
        }
    }
}
