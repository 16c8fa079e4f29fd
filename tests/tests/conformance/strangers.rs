//! Operators of another crate whose kernels have names that ours have too: what a module
//! has by a name is launched only where it is that crate's.

use std::fmt::Debug;

use quadscan::reduce;
use quadscan::scan::{Identity, Operator, Plan, SegmentedPlan};
use quadscan_kernels::{reduce_kernels, scan_kernels, segmented_scan_kernels};
use quadscan_tests::suite::{Bench, Outcome};

/// The sum of bytes, of which a result is the lowest byte: its kernels take as many
/// parameters as those of `Sum<u8, u32>`, of as many bytes, and these write four bytes a
/// result.
#[derive(Clone, Copy, Debug)]
#[expect(unreachable_pub, reason = "the launchers of its kernels are")]
pub struct Own;

impl Operator for Own {
    type Input = u8;
    type Accumulator = u32;
    type Output = u8;

    fn transform(element: u8) -> u32 {
        element.into()
    }

    fn combine(first: u32, second: u32) -> u32 {
        first.wrapping_add(second)
    }

    fn finish(result: u32) -> u8 {
        result as u8
    }
}

impl Identity for Own {
    const IDENTITY: u32 = 0;
}

scan_kernels! {
    sum_u8_u32: Own;
}

segmented_scan_kernels! {
    sum_u32: Own;
}

reduce_kernels! {
    sum_u32: Own;
}

/// A plan was refused, since the kernel of this name is none of the operator's crate.
fn is_unknown<T: Debug>(plan: quadscan::Result<T>, kernel: &str) {
    let error = plan.expect_err("the module has nothing of this crate");
    let expected = format!("the module has no kernel `conformance::{kernel}`: ");
    assert!(error.to_string().starts_with(&expected), "{error}");
}

pub(crate) fn kernels_of_another_crate_are_not_taken_for_ours_by_their_names(
    bench: &Bench,
) -> Outcome {
    let module = &bench.module;
    is_unknown(Plan::<Own>::new(module, 9), "one_block_sum_u8_u32");
    is_unknown(
        SegmentedPlan::<Own>::new(module, 9),
        "segmented_small_sum_u32",
    );
    let plan = reduce::Plan::<Own>::new(module, 9);
    is_unknown(plan, "reduce_one_wave_sum_u32");
    let plan = reduce::SegmentedPlan::<Own>::new(module);
    is_unknown(plan, "segmented_reduce_sum_u32");
    Ok(())
}
