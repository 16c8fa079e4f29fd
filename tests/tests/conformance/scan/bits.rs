//! The bits of floats: the same from run to run, on grids of any size, and where they are
//! no numbers.

use quadscan::device::{Device, Module};
use quadscan::oracle::scan as oracle;
use quadscan::scan::{Algorithm, Max, Min, Options, Plan, Reproducibility, Sum};
use quadscan_tests::probes::operands::Random;
use quadscan_tests::suite::{Bench, Outcome};

use super::sample::{Sample, compare};
use super::{SEED, kernels, of_multiprocessors};

/// Numbers whose sums round: of both signs, exponents from -16 to 16.
fn rounding(n: usize) -> Vec<f32> {
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
    const PERSISTENT: [Algorithm; 2] = [Algorithm::LookAhead, Algorithm::LookAheadShifted];
    let elements = rounding(40_000);
    let algorithms = kernels::<Sum<f32>>(&bench.module).map(|kernel| kernel.algorithm);
    let mut found = Vec::new();
    for algorithm in algorithms.filter(|a| PERSISTENT.contains(a)) {
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

pub(crate) fn sums_of_floats_have_the_same_bits_on_gpus_of_any_size(_: &Bench) -> Outcome {
    let elements = rounding(20_000);
    let across = Options {
        reproducibility: Reproducibility::AcrossGpus,
        ..Options::default()
    };
    let of = |multiprocessors| -> quadscan::Result<Vec<u32>> {
        let (_, module) = of_multiprocessors(multiprocessors)?;
        sums(&module, &elements, across)
    };
    let first = of(132)?;
    assert!(of(2)? == first);
    assert!(of(1)? == first);
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

fn check(device: &Device, module: &Module, elements: &[f32]) -> Outcome {
    let n = elements.len();
    let input = device.upload(elements)?;
    let mut output = device.alloc_zeroed::<f32>(n)?;
    let mut plan = Plan::<Sum<f32>>::new(module, n as u64)?;
    plan.inclusive(&input, &mut output)?;
    let expected = oracle::inclusive::<Sum<f32>>(None, elements);
    compare(&output.to_vec()?, &expected, "sum");
    let bits = |x: Vec<f32>| x.into_iter().map(f32::to_bits).collect::<Vec<_>>();
    let mut plan = Plan::<Min<f32>>::new(module, n as u64)?;
    plan.inclusive(&input, &mut output)?;
    let expected = oracle::inclusive::<Min<f32>>(None, elements);
    assert_eq!(bits(output.to_vec()?), bits(expected), "minimum");
    let mut plan = Plan::<Max<f32>>::new(module, n as u64)?;
    plan.inclusive(&input, &mut output)?;
    let expected = oracle::inclusive::<Max<f32>>(None, elements);
    assert_eq!(bits(output.to_vec()?), bits(expected), "maximum");
    Ok(())
}

/// -0 + -0 is -0, infinity - infinity is a NaN, and a NaN stays one; minima and maxima as
/// IEEE 754-2019 has them, to the bit.
pub(crate) fn zeros_infinities_and_nans_are_what_ieee_754_says(bench: &Bench) -> Outcome {
    let of = |elements: &[f32]| check(&bench.device, &bench.module, elements);
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
