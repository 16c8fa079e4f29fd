//! The bits of floats: the same from run to run, on grids of any size, and where they are
//! no numbers.

use quadscan::Error;
use quadscan::device::Module;
use quadscan::device::emulator::Settings;
use quadscan::device::emulator::ptx_emulator::Model;
use quadscan::scan::{
    Algorithm, Max, Min, Operator, Options, Plan, Reproducibility, ScanKernels, Sum,
};
use quadscan_tests::oracle::scan as oracle;
use quadscan_tests::probes::operands::Random;
use quadscan_tests::suite::{Bench, Outcome};

use super::sample::{Sample, compare};
use super::{SEED, by, kernels};

/// Numbers whose sums round: of both signs, exponents from -16 to 16.
pub(crate) fn rounding(n: usize) -> Vec<f32> {
    let mut random = Random::named(SEED, "rounding");
    let number = |bits: u64| {
        let (sign, mantissa) = ((bits >> 32) as u32 & 1 << 31, bits as u32 & 0x7f_ffff);
        f32::from_bits(sign | (111 + (bits >> 40) as u32 % 33) << 23 | mantissa)
    };
    (0..n).map(|_| number(random.bits())).collect()
}

fn sums(module: &Module, elements: &[f32], options: Options) -> quadscan::Result<Vec<u32>> {
    let device = module.device();
    let mut plan = Plan::<Sum<f32>>::with(module, elements.len() as u64, options)?;
    let mut data = device.upload(elements)?;
    plan.inclusive_in_place(&mut data)?;
    Ok(data.to_vec()?.into_iter().map(f32::to_bits).collect())
}

pub(crate) fn sums_of_floats_have_the_same_bits_on_grids_of_any_size(bench: &Bench) -> Outcome {
    let elements = rounding(40_000);
    let algorithms = kernels::<Sum<f32>>(&bench.module).map(|kernel| kernel.algorithm);
    let mut found = Vec::new();
    for algorithm in algorithms.filter(|&a| a == Algorithm::LookAhead) {
        for max_blocks in [None, Some(1), Some(2), Some(5)] {
            let options = Options {
                algorithm: Some(algorithm),
                max_blocks,
                ..Options::default()
            };
            found.push(sums(&bench.module, &elements, options)?);
        }
    }
    assert!(found.windows(2).all(|two| two[0] == two[1]));
    Ok(())
}

/// Of any number of SMs, and of those that cannot look ahead, where the PTX at
/// hand is for these too.
pub(crate) fn sums_of_floats_have_the_same_bits_on_gpus_of_any_kind(bench: &Bench) -> Outcome {
    let elements = rounding(20_000);
    let across = Options {
        reproducibility: Reproducibility::AcrossGpus,
        ..Options::default()
    };
    let of = |model, sms| -> quadscan::Result<Vec<u32>> {
        let of_its_own = bench.emulated(Settings {
            model: Model { sms, ..model },
            ..Settings::default()
        })?;
        sums(&of_its_own.module, &elements, across)
    };
    let first = of(Model::h200(), 132)?;
    assert!(of(Model::h200(), 2)? == first);
    assert!(of(Model::h200(), 1)? == first);
    for sms in [40, 1] {
        match of(Model::t4(), sms) {
            Err(Error::NoArchitecture { .. }) => {}
            bits => assert!(bits? == first),
        }
    }
    Ok(())
}

/// A thousand times on a GPU, for which blocks come and go as they like; the emulator's
/// order is its own.
pub(crate) fn sums_of_floats_have_the_same_bits_again(bench: &Bench) -> Outcome {
    let device = &bench.device;
    let (repeats, n): (u32, usize) = match device.properties().has_timer {
        true => (1000, 1 << 20),
        false => (2, 20_000),
    };
    let bytes = bytemuck::cast_slice::<f32, u8>;
    let input = device.upload(&rounding(n))?;
    let mut output = device.alloc::<f32>(n)?;
    let kernels = kernels::<Sum<f32>>(&bench.module).filter(|k| k.capacity() >= n as u64);
    for algorithm in kernels.map(|kernel| kernel.algorithm) {
        if algorithm == Algorithm::DecoupledLookback {
            continue;
        }
        // What is resident at once may be less.
        let Ok(mut plan) = Plan::<Sum<f32>>::with(&bench.module, n as u64, by(algorithm)) else {
            assert!(algorithm.is_one_wave(), "{algorithm}");
            continue;
        };
        let repeats = match algorithm.is_chosen() {
            true => repeats,
            false => repeats.div_ceil(20) + 1,
        };
        let mut first = None;
        for turn in 0..repeats {
            output.fill_bytes(0)?;
            plan.inclusive(&input, &mut output)?;
            let found = output.to_vec()?;
            let first = first.get_or_insert_with(|| found.clone());
            let is_same = bytes(first) == bytes(&found);
            assert!(is_same, "{algorithm}, turn {turn}");
        }
    }
    Ok(())
}

/// The elements, and some that are no numbers or zeros of either sign.
fn special(n: usize, special: &[f32]) -> Vec<f32> {
    let mut random = Random::named(SEED, "special");
    let mut element = || match random.below(16) {
        0 => random.pick(special),
        _ => f32::sample(&mut random),
    };
    (0..n).map(|_| element()).collect()
}

/// The inclusive scan by every kernel of an operator that takes so many elements.
fn by_every_kernel<O>(
    module: &Module,
    elements: &[f32],
    check: impl Fn(&[f32], &[f32], &str),
) -> Outcome
where
    O: ScanKernels + Operator<Input = f32, Output = f32>,
{
    let device = module.device();
    let n = elements.len();
    let input = device.upload(elements)?;
    let mut output = device.alloc_zeroed::<f32>(n)?;
    let expected = oracle::inclusive::<O>(None, elements);
    for kernel in kernels::<O>(module).filter(|kernel| kernel.capacity() >= n as u64) {
        let mut plan = Plan::<O>::with(module, n as u64, by(kernel.algorithm))?;
        plan.inclusive(&input, &mut output)?;
        check(&output.to_vec()?, &expected, kernel.entry);
    }
    Ok(())
}

fn check(module: &Module, elements: &[f32]) -> Outcome {
    by_every_kernel::<Sum<f32>>(module, elements, compare)?;
    let bits = |x: &[f32]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let exact = |found: &[f32], expected: &[f32], what: &str| {
        assert_eq!(bits(found), bits(expected), "{what}");
    };
    by_every_kernel::<Min<f32>>(module, elements, exact)?;
    by_every_kernel::<Max<f32>>(module, elements, exact)
}

/// -0 + -0 is -0, infinity - infinity is a NaN, and a NaN stays one; minima and maxima as
/// IEEE 754-2019 has them, to the bit.
pub(crate) fn zeros_infinities_and_nans_are_what_ieee_754_says(bench: &Bench) -> Outcome {
    let of = |elements: &[f32]| check(&bench.module, elements);
    of(&[-0.0; 40])?;
    let mut zeros = vec![-0.0; 5000];
    zeros[4500] = 0.0;
    of(&zeros)?;
    let (nan, other) = (f32::NAN, f32::from_bits(0xffc0_0123));
    for n in [100, 5000] {
        of(&special(n, &[f32::INFINITY, -0.0, 0.0]))?;
        of(&special(n, &[f32::INFINITY, f32::NEG_INFINITY]))?;
        of(&special(n, &[nan, other, -0.0]))?;
    }
    Ok(())
}
