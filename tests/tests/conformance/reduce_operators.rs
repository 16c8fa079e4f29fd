//! Every operator whose reductions our PTX has, and each of its kernels.

use std::fmt::Debug;

use quadscan::reduce::{Plan, SegmentedPlan};
use quadscan_kernels::operator::{Compose, Identity, Max, Min, Sum};
use quadscan_kernels::reduce::ReduceKernels;
use quadscan_tests::oracle::reduction as oracle;
use quadscan_tests::probes::operands::Random;
use quadscan_tests::suite::{Bench, Outcome};

use crate::scan::sample::{Same, Sample, compare, samples};

/// Reductions with every kernel of each operator. The words are the parts' names in the
/// PTX.
macro_rules! operators {
    ($($test:ident: $($part:ident => $operator:ty),*;)*) => {$(
        pub(crate) fn $test(bench: &Bench) -> Outcome {
            $(
                let entry = <$operator as ReduceKernels>::DEVICE.entry;
                assert_eq!(entry, stringify!($part));
                agrees::<$operator>(bench, entry)?;
            )*
            Ok(())
        }
    )*};
}

operators! {
    sums_of_every_type_agree_with_a_sequential_reduction:
        reduce_sum_u32 => Sum<u32>, reduce_sum_u64 => Sum<u64>,
        reduce_sum_f32 => Sum<f32>, reduce_sum_f64 => Sum<f64>;
    sums_of_signed_integers_have_the_kernels_of_the_unsigned_ones:
        reduce_sum_u32 => Sum<i32>, reduce_sum_u64 => Sum<i64>;
    sums_may_be_wider_than_their_elements:
        reduce_sum_u8_u64 => Sum<u8, u64>;
    minima_agree_with_a_sequential_reduction:
        reduce_min_i32 => Min<i32>, reduce_min_f32 => Min<f32>, reduce_min_f64 => Min<f64>;
    maxima_agree_with_a_sequential_reduction:
        reduce_max_i32 => Max<i32>, reduce_max_f32 => Max<f32>, reduce_max_f64 => Max<f64>;
    an_operator_that_is_not_commutative_keeps_the_order_of_its_elements:
        reduce_affine_f64 => Compose;
}

/// Elements whose results are exact in every association: less than a warp's, of two blocks
/// with a tile a warp and of more, from any element on; and segments of them.
fn agrees<O>(bench: &Bench, name: &str) -> Outcome
where
    O: ReduceKernels + Identity,
    O::Input: Sample,
    O::Output: Same + Debug,
{
    let wave = O::ONE_WAVE.block() as usize;
    let many = (2 * O::DEVICE.block() as usize).max(2 * wave) + 77;
    let mut random = Random::named(1, name);
    let elements: Vec<O::Input> = samples(many + 3, &mut random);
    let input = bench.device.upload(&elements)?;
    let mut output = bench.device.alloc_zeroed::<O::Output>(1)?;
    let mut plan = Plan::<O>::with_blocks(&bench.module, many, 2)?;
    for n in [0, 1, 33, 4000, wave + 7, many] {
        for first in [0, 1, 3] {
            plan.reduce(input.slice(first..first + n)?, &mut output)?;
            let total = total::<O>(&elements[first..first + n]);
            compare(
                &output.to_vec()?,
                &[total],
                &format!("{name} of {n} from {first}"),
            );
        }
    }
    let mut offsets = vec![1u32];
    for i in 0.. {
        let length = if i % 40 == 9 {
            2500
        } else {
            random.below(34) as u32
        };
        let end = offsets[i] + length;
        if end as usize > many {
            break;
        }
        offsets.push(end);
    }
    let segments = offsets.windows(2);
    let expected: Vec<_> = segments
        .map(|ends| total::<O>(&elements[ends[0] as usize..ends[1] as usize]))
        .collect();
    let offsets = bench.device.upload(&offsets)?;
    let mut output = bench.device.alloc_zeroed::<O::Output>(expected.len())?;
    let mut plan = SegmentedPlan::<O>::with_blocks(&bench.module, 3)?;
    plan.reduce(&input, &offsets, &mut output)?;
    compare(&output.to_vec()?, &expected, &format!("{name}, segments"));
    Ok(())
}

fn total<O: Identity>(elements: &[O::Input]) -> O::Output {
    O::finish(oracle::sequential::<O>(elements).unwrap_or(O::IDENTITY))
}
