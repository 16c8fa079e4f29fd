//! Operators of an application, and their kernels. They notice an element that does not
//! exist: whatever is combined carries a seal that only comes with a real one, and an
//! element or a value without it ends the launch.

use bytemuck::{Pod, Zeroable};
use quadscan_kernels::operator::{BitOr, Identity, Max, Operator, Product};
use quadscan_kernels::{integrands, reduce_kernels, scan_kernels, segmented_scan_kernels};

// What quadscan's own PTX has no kernels of: a line each.
scan_kernels! { or_u32: Or = BitOr<u32>; }
segmented_scan_kernels! { max_u64: Largest = Max<u64>; }
reduce_kernels! { product_f64: Times = Product<f64>; }
integrands! {
    /// Bailey's first.
    x_log = XLog {
        formula: "x ln(1 + x)",
        limits: (0.0, 1.0),
        parameters: [],
        eval: |x| x * x.ln_1p(),
    }
}

/// The map x -> a x + b of 32 bits, sealed: 12 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Map {
    pub a: u32,
    pub b: u32,
    seal: u32,
}

impl Map {
    #[inline(always)]
    pub fn new(a: u32, b: u32) -> Self {
        let seal = a.rotate_left(7) ^ b.wrapping_mul(0x9e37_79b1) ^ 0x5ea1_5ea1;
        Map { a, b, seal }
    }

    /// Itself, if it is one.
    #[inline(always)]
    fn real(self) -> Self {
        if self.seal != Map::new(self.a, self.b).seal {
            cuda_std::misc::trap();
        }
        self
    }
}

/// One map after the other: not commutative.
#[derive(Clone, Copy, Debug)]
pub struct Then;

impl Operator for Then {
    type Input = Map;
    type Accumulator = Map;
    type Output = Map;

    #[inline(always)]
    fn transform(element: Map) -> Map {
        element.real()
    }

    #[inline(always)]
    fn combine(first: Map, second: Map) -> Map {
        let (first, second) = (first.real(), second.real());
        let b = second.a.wrapping_mul(first.b).wrapping_add(second.b);
        Map::new(second.a.wrapping_mul(first.a), b)
    }

    #[inline(always)]
    fn finish(result: Map) -> Map {
        result.real()
    }
}

impl Identity for Then {
    // The seal of these two.
    const IDENTITY: Map = Map {
        a: 1,
        b: 0,
        seal: 1 << 7 ^ 0x5ea1_5ea1,
    };
}

/// The sum of bytes, none of which is 0, in numbers of 64 bits of which the upper half is
/// the seal.
#[derive(Clone, Copy, Debug)]
pub struct SumOfBytes;

/// The upper half.
const SEAL: u64 = 0x5ea1_5ea1 << 32;

#[inline(always)]
fn real(sum: u64) -> u64 {
    if sum >> 32 != SEAL >> 32 {
        cuda_std::misc::trap();
    }
    sum as u32 as u64
}

impl Operator for SumOfBytes {
    type Input = u8;
    type Accumulator = u64;
    type Output = u32;

    #[inline(always)]
    fn transform(element: u8) -> u64 {
        if element == 0 {
            cuda_std::misc::trap();
        }
        SEAL | element as u64
    }

    #[inline(always)]
    fn combine(first: u64, second: u64) -> u64 {
        SEAL | (real(first) + real(second))
    }

    #[inline(always)]
    fn finish(result: u64) -> u32 {
        real(result) as u32
    }
}

impl Identity for SumOfBytes {
    const IDENTITY: u64 = SEAL;
}

scan_kernels! {
    sum_of_bytes: SumOfBytes;
}

segmented_scan_kernels! {
    sum_of_bytes: SumOfBytes;
}

#[cfg(feature = "segment_flags")]
pub use with_segment_flags::*;

/// All the rest: what shows that something is missing is quick to build.
#[cfg(feature = "segment_flags")]
mod with_segment_flags {
    use quadscan_kernels::{
        decoupled_lookback_kernels, reduce_kernels, scan_kernels, segment_flags_kernels,
        segmented_scan_kernels, textbook_scan_kernels,
    };

    use super::{SumOfBytes, Then};

    scan_kernels! {
        then: Then;
    }

    decoupled_lookback_kernels! {
        then: Then;
    }

    textbook_scan_kernels! {
        then: Then;
    }

    segmented_scan_kernels! {
        then: Then;
    }

    segment_flags_kernels! {}

    reduce_kernels! {
        then: Then;
        sum_of_bytes: SumOfBytes;
    }
}
