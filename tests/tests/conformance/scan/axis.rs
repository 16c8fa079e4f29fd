//! Scans along an axis.

use std::fmt::Debug;

use quadscan::scan::{AxisPlan, Compose, Identity, Plan, ScanKernels, Sum};
use quadscan_tests::oracle::scan as oracle;
use quadscan_tests::probes::operands::Random;
use quadscan_tests::suite::{Bench, Outcome};

use super::SEED;
use super::sample::{Same, Sample, compare, samples};

/// Shapes and axes: groups of lanes with lines, a block that walks down one, and launches for each;
/// strips with one warp, with several tiles, and cut into parts; nothing.
const SHAPES: [(&[usize], usize); 9] = [
    (&[70, 5], 1),
    (&[3, 400], 1),
    (&[2, 2, 1100], 2),
    (&[9], 0),
    (&[5, 1], 0),
    (&[3, 40, 33], 1),
    (&[700, 2], 0),
    (&[4200, 3], 0),
    (&[4, 0, 2], 0),
];

fn agree<O>(bench: &Bench) -> Outcome
where
    O: ScanKernels + Identity,
    O::Input: Sample,
    O::Output: Same + Debug,
{
    for (shape, axis) in SHAPES {
        let mut random = Random::named(SEED, "axis");
        let n: usize = shape.iter().product();
        let (stride, length): (usize, usize) = (shape[axis + 1..].iter().product(), shape[axis]);
        let elements: Vec<O::Input> = samples(n, &mut random);
        let initial = O::transform(O::Input::sample(&mut random));
        let mut plan = AxisPlan::<O>::new(&bench.module, shape, axis)?;
        let input = bench.device.upload(&elements)?;
        let mut output = bench.device.alloc_zeroed::<O::Output>(n)?;
        let check = |output: Vec<O::Output>, scan: &dyn Fn(&[O::Input]) -> Vec<O::Output>| {
            for line in 0..n / length.max(1) {
                let at = |i| (line / stride * length + i) * stride + line % stride;
                let own: Vec<O::Input> = (0..length).map(|i| elements[at(i)]).collect();
                let found: Vec<O::Output> = (0..length).map(|i| output[at(i)]).collect();
                let what = format!("{}, {shape:?}, {axis}", std::any::type_name::<O>());
                compare(&found, &scan(&own), &what);
            }
        };
        plan.inclusive(&input, &mut output)?;
        check(output.to_vec()?, &|line| oracle::inclusive::<O>(None, line));
        plan.exclusive_with(initial, &input, &mut output)?;
        check(output.to_vec()?, &|line| {
            oracle::exclusive::<O>(initial, line)
        });
    }
    Ok(())
}

pub(crate) fn lines_along_every_axis_are_scanned_from_their_own_beginnings(
    bench: &Bench,
) -> Outcome {
    agree::<Sum<u32>>(bench)?;
    agree::<Sum<u8, u32>>(bench)?;
    agree::<Compose>(bench)
}

/// Of the last axis, of floats of which every association has bits of its own.
pub(crate) fn lines_have_the_bits_of_scans_of_their_own_where_a_block_holds_them(
    bench: &Bench,
) -> Outcome {
    for length in [50, 200, 3000] {
        let mut random = Random::named(SEED, "bits of lines");
        let elements: Vec<f32> = (0..2 * length)
            .map(|_| 1.0 + random.below(1 << 23) as f32 / 7.0)
            .collect();
        let input = bench.device.upload(&elements)?;
        let mut output = bench.device.alloc_zeroed::<f32>(2 * length)?;
        let mut all = AxisPlan::<Sum<f32>>::new(&bench.module, &[2, length], 1)?;
        all.inclusive(&input, &mut output)?;
        let found = output.to_vec()?;
        let mut one = Plan::<Sum<f32>>::new(&bench.module, length as u64)?;
        let second = input.slice(length..)?;
        one.inclusive(second, output.slice_mut(..length)?)?;
        compare(&found[length..], &output.to_vec()?[..length], "a line");
    }
    Ok(())
}

pub(crate) fn axes_and_arrays_that_do_not_fit_are_refused(bench: &Bench) -> Outcome {
    let said = |shape: &[usize], axis| {
        let plan = AxisPlan::<Sum<u32>>::new(&bench.module, shape, axis);
        plan.expect_err("no such plan").to_string()
    };
    let text = said(&[2, 3], 2);
    assert!(text.contains("axis is 2, allowed are 0 to 1"), "{text}");
    assert!(said(&[], 0).contains("a shape of no lengths"));
    assert!(said(&[1 << 40, 1 << 40], 0).contains("elements"));
    let mut plan = AxisPlan::<Sum<u32>>::new(&bench.module, &[2, 3], 0)?;
    let mut data = bench.device.upload(&[1_u32; 7])?;
    let text = plan
        .inclusive_in_place(&mut data)
        .expect_err("seven")
        .to_string();
    assert!(text.contains("has 7 elements, needed are the 6"), "{text}");
    Ok(())
}
