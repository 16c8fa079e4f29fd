//! What an application combines and integrates: an operator and an integrand, a line each for
//! their kernels, and one for the segments of all scans.

use quadscan_kernels::operator::{Identity, Operator};
use quadscan_kernels::{
    integrands, reduce_kernels, scan_kernels, segment_flags_kernels, segmented_scan_kernels,
};

/// How far readings lie apart: the largest less the smallest.
#[derive(Clone, Copy, Debug)]
pub struct Spread;

impl Operator for Spread {
    type Input = i32;
    /// The smallest and the largest.
    type Accumulator = [i32; 2];
    type Output = u32;

    #[inline(always)]
    fn transform(reading: i32) -> [i32; 2] {
        [reading; 2]
    }

    #[inline(always)]
    fn combine(first: [i32; 2], second: [i32; 2]) -> [i32; 2] {
        [first[0].min(second[0]), first[1].max(second[1])]
    }

    #[inline(always)]
    fn finish([smallest, largest]: [i32; 2]) -> u32 {
        largest.wrapping_sub(smallest) as u32
    }
}

impl Identity for Spread {
    const IDENTITY: [i32; 2] = [i32::MAX, i32::MIN];
}

scan_kernels! { spread: Spread; }
segmented_scan_kernels! { spread: Spread; }
segment_flags_kernels! {}
reduce_kernels! { spread: Spread; }

integrands! {
    /// What is left at x of something that decays at a rate.
    decay = Decay {
        formula: "exp(-rate x)",
        limits: (0.0, R::INFINITY),
        parameters: [rate],
        eval: |x| (-rate * x).exp(),
    }
}
