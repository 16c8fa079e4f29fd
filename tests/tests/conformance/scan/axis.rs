//! Scans along an axis.

use std::fmt::Debug;

use quadscan::scan::{AxisPlan, Compose, Identity, Operator, ScanKernels, Sum};
use quadscan_tests::oracle::scan as oracle;
use quadscan_tests::probes::operands::Random;
use quadscan_tests::suite::{Bench, Outcome};

use super::SEED;
use super::sample::{Same, Sample, compare, samples};

/// Shapes and axes: groups of lanes with lines, a block that walks down one, of which some begin off 16
/// bytes, and launches for each; strips with one warp, with several tiles, and cut into parts; nothing.
const SHAPES: [(&[usize], usize); 11] = [
    (&[70, 5], 1),
    (&[3, 400], 1),
    (&[2, 2, 1100], 2),
    (&[3, 24_579], 1),
    (&[2, 50_001], 1),
    (&[9], 0),
    (&[5, 1], 0),
    (&[3, 40, 33], 1),
    (&[700, 2], 0),
    (&[4200, 3], 0),
    (&[4, 0, 2], 0),
];

/// What scans a line on the host.
type Oracle<'a, O> = &'a dyn Fn(&[<O as Operator>::Input]) -> Vec<<O as Operator>::Output>;

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
        let check = |output: Vec<O::Output>, scan: Oracle<'_, O>| {
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

/// Along an axis that is cut into parts, and along the last one.
pub(crate) fn lines_are_scanned_in_place(bench: &Bench) -> Outcome {
    for (shape, axis) in [([4200, 3], 0), ([3, 24_579], 1)] {
        let n = shape[0] * shape[1];
        let elements: Vec<u32> = samples(n, &mut Random::named(SEED, "in place"));
        let input = bench.device.upload(&elements)?;
        let (mut data, mut output) = (bench.device.upload(&elements)?, bench.device.alloc(n)?);
        let mut plan = AxisPlan::<Sum<u32>>::new(&bench.module, &shape, axis)?;
        plan.inclusive(&input, &mut output)?;
        plan.inclusive_in_place(&mut data)?;
        compare(&data.to_vec()?, &output.to_vec()?, "in place");
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
    let told = said(&[1 << 33, 2, 2], 1);
    assert!(
        told.contains("shape has") && told.contains("allowed are 2147483647 blocks"),
        "{told}"
    );
    for shape in [[1 << 40, 1 << 40, 0], [0, 1 << 63, 2]] {
        AxisPlan::<Sum<u32>>::new(&bench.module, &shape, 1)?;
    }
    let mut plan = AxisPlan::<Sum<u32>>::new(&bench.module, &[2, 3], 0)?;
    let mut data = bench.device.upload(&[1_u32; 7])?;
    let text = plan
        .inclusive_in_place(&mut data)
        .expect_err("seven")
        .to_string();
    assert!(text.contains("has 7 elements, needed are the 6"), "{text}");
    Ok(())
}
