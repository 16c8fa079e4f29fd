//! Device-wide scans: every operator, every kernel, every way to ask.
//!
//! What several tests need is here; the tests are in files by what they are
//! about. Expected values come from `quadscan_tests::oracle::scan`, one element after the other.

mod axis;
pub(crate) mod bits;
mod large;
mod memory;
mod operators;
mod refusals;
mod repeats;
pub(crate) mod sample;
mod sizes;

pub(crate) use axis::*;
pub(crate) use bits::{
    sums_of_floats_have_the_same_bits_again, sums_of_floats_have_the_same_bits_on_gpus_of_any_kind,
    sums_of_floats_have_the_same_bits_on_grids_of_any_size,
    zeros_infinities_and_nans_are_what_ieee_754_says,
};
pub(crate) use large::{
    arrays_of_more_than_2147483648_elements_are_scanned_by_every_algorithm,
    arrays_of_more_than_4294967296_elements_are_scanned,
};
pub(crate) use memory::*;
pub(crate) use operators::*;
pub(crate) use refusals::*;
pub(crate) use repeats::*;
pub(crate) use sizes::*;

use quadscan::device::{Device, Module};
use quadscan::scan::{Algorithm, Identity, Options, Plan, ScanKernels};
use quadscan_kernels::scan::ScanKernel;
use quadscan_tests::oracle::scan as oracle;
use quadscan_tests::probes::operands::Random;
use quadscan_tests::suite::Outcome;
use std::fmt::Debug;

use sample::{Same, Sample, compare, samples};

/// Inputs depend on the test alone.
const SEED: u64 = 5;

/// What a plan is asked to use.
pub(crate) fn by(algorithm: Algorithm) -> Options {
    Options {
        algorithm: Some(algorithm),
        ..Options::default()
    }
}

/// The kernels of an operator that the module has: an older GPU's PTX has not all.
pub(crate) fn kernels<O: ScanKernels>(
    module: &Module,
) -> impl Iterator<Item = &'static ScanKernel> {
    let manifest = module.manifest().cloned();
    O::KERNELS.iter().filter(move |kernel| {
        let manifest = manifest.as_ref();
        manifest.is_some_and(|manifest| manifest.kernel(kernel.entry).is_some())
    })
}

/// Scans `n` elements in all four ways, and compares each with the oracle.
pub(crate) fn check<O>(plan: &mut Plan<O>, device: &Device, n: usize) -> Outcome
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
