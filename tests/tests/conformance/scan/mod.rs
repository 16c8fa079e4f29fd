//! Device-wide scans: every operator, every kernel, every way to ask.
//!
//! What several statements need is here; the statements are in files by what they are
//! about. Expected values come from `quadscan::oracle::scan`, one element after the other.

mod bits;
mod memory;
mod operators;
mod refusals;
mod repeats;
pub(crate) mod sample;
mod sizes;

pub(crate) use bits::*;
pub(crate) use memory::*;
pub(crate) use operators::*;
pub(crate) use refusals::*;
pub(crate) use repeats::*;
pub(crate) use sizes::*;

use quadscan::device::emulator::ptx_emulator::Model;
use quadscan::device::emulator::{Emulator, Settings};
use quadscan::device::{Artifact, Device, Module};
use quadscan::oracle::scan as oracle;
use quadscan::scan::{Algorithm, Identity, Options, Plan, ScanKernels};
use quadscan_kernels::scan::ScanKernel;
use quadscan_tests::probes::operands::Random;
use quadscan_tests::suite::Outcome;
use std::fmt::Debug;

use sample::{Same, Sample, compare, samples};

/// Inputs depend on the statement alone.
const SEED: u64 = 5;

/// What a plan is asked to use.
fn by(algorithm: Algorithm) -> Options {
    Options {
        algorithm: Some(algorithm),
        ..Options::default()
    }
}

/// The kernels of an operator that the module has: an older GPU's PTX has not all.
fn kernels<O: ScanKernels>(module: &Module) -> impl Iterator<Item = &'static ScanKernel> {
    let manifest = module.manifest().cloned();
    O::KERNELS.iter().filter(move |kernel| {
        let manifest = manifest.as_ref();
        manifest.is_some_and(|manifest| manifest.kernel(kernel.entry).is_some())
    })
}

/// Scans `n` elements in all four ways, and compares each with the oracle.
fn check<O>(plan: &mut Plan<O>, device: &Device, n: usize) -> Outcome
where
    O: ScanKernels + Identity,
    O::Input: Sample,
    O::Output: Same + Debug,
{
    let name = std::any::type_name::<O>();
    let mut random = Random::named(SEED, &format!("{name} {n}"));
    let elements: Vec<O::Input> = samples(n, &mut random);
    let initial = O::transform(O::Input::sample(&mut random));
    let input = device.upload(&elements)?;
    let mut output = device.alloc_zeroed::<O::Output>(n)?;
    let what = |kind| format!("{name}, {n} elements, {kind}");

    plan.inclusive(&input, &mut output)?;
    let expected = oracle::inclusive::<O>(None, &elements);
    compare(&output.to_vec()?, &expected, &what("inclusive"));

    plan.inclusive_with(initial, &input, &mut output)?;
    let expected = oracle::inclusive::<O>(Some(initial), &elements);
    compare(&output.to_vec()?, &expected, &what("inclusive with"));

    plan.exclusive(&input, &mut output)?;
    let expected = oracle::exclusive::<O>(O::IDENTITY, &elements);
    compare(&output.to_vec()?, &expected, &what("exclusive"));

    plan.exclusive_with(initial, &input, &mut output)?;
    let expected = oracle::exclusive::<O>(initial, &elements);
    compare(&output.to_vec()?, &expected, &what("exclusive with"));
    Ok(())
}

/// An emulated H200 with another number of multiprocessors.
fn of_multiprocessors(multiprocessors: u32) -> quadscan::Result<(Device, Module)> {
    let settings = Settings {
        model: Model {
            multiprocessors,
            ..Model::h200()
        },
        ..Settings::default()
    };
    let device = Device::from_backend(Box::new(Emulator::new(settings)));
    let module = device.load(&Artifact::embedded()?)?;
    Ok((device, module))
}
