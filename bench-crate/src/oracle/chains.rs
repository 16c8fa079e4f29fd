//! Where the chains of the kernels for limits end: the same operations, one after
//! the other, rounded as IEEE 754 says.

use crate::limit::{FMA_FACTOR, Limit, ROOT_START};

/// How far the approximate roots' chains may end from the exact ones', each: the
/// instruction is within 2^-23 relative (CUDA's PTX ISA 9.0, sqrt.approx), and a
/// step halves what is off before it.
pub const APPROXIMATE: f64 = 1.0 / (1 << 20) as f64;

/// The sum of the ends of `chains` chains after `steps` steps, added in order.
/// `None` for a limit without chains. In f32 where the limit's numbers are f32.
pub fn sum_of_ends(limit: Limit, chains: u32, steps: u64) -> Option<f64> {
    let f64s = |start: f64, step: &dyn Fn(f64) -> f64| {
        (0..chains)
            .map(|k| (0..steps).fold(start + f64::from(k), |x, _| step(x)))
            .reduce(|sum, end| sum + end)
    };
    let f32s = |start: f32, step: &dyn Fn(f32) -> f32| {
        (0..chains)
            .map(|k| (0..steps).fold(start + k as f32, |x, _| step(x)))
            .reduce(|sum, end| sum + end)
            .map(f64::from)
    };
    let (a, b) = (FMA_FACTOR, FMA_FACTOR as f32);
    match limit {
        Limit::FmaF64 | Limit::FmaLatencyF64 => f64s(a, &|x| x.mul_add(a, a)),
        Limit::FmaF32 | Limit::FmaLatencyF32 => f32s(b, &|x| x.mul_add(b, b)),
        Limit::SqrtF64 | Limit::SqrtLatencyF64 => f64s(ROOT_START, &|x| {
            f64::from_bits(x.sqrt().to_bits() ^ (1 << 51))
        }),
        Limit::SqrtF32 | Limit::SqrtLatencyF32 | Limit::SqrtApproxF32 => {
            f32s(ROOT_START as f32, &|x| {
                f32::from_bits(x.sqrt().to_bits() ^ (1 << 22))
            })
        }
        _ => None,
    }
}

/// Whether a sum of the ends of `chains` chains is right: to the bit, but for the
/// approximate ones.
pub fn is_right(limit: Limit, chains: u32, steps: u64, sum: f64) -> bool {
    let Some(expected) = sum_of_ends(limit, chains, steps) else {
        return false;
    };
    match limit {
        Limit::SqrtApproxF32 => (sum - expected).abs() <= APPROXIMATE * f64::from(chains),
        _ => sum == expected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_tend_to_their_fixed_points() {
        // x = x / 2 + 1/2 is 1.
        assert_eq!(sum_of_ends(Limit::FmaF64, 8, 200), Some(8.0));
        assert_eq!(sum_of_ends(Limit::FmaF32, 1, 200), Some(1.0));
        // x = sqrt(x) + 1/2 is (sqrt(x)) = (1 + sqrt(3)) / 2, x = 1 + sqrt(3) / 2.
        let fixed = 1.0 + 3.0_f64.sqrt() / 2.0;
        let root = sum_of_ends(Limit::SqrtF64, 1, 200).unwrap_or_default();
        assert!((root - fixed).abs() < 1e-15, "{root}");
        assert_eq!(sum_of_ends(Limit::Copy, 8, 1), None);
    }

    #[test]
    fn a_step_more_is_noticed() {
        for limit in [Limit::FmaF64, Limit::SqrtF32, Limit::SqrtF64] {
            let sum = sum_of_ends(limit, 8, 16).unwrap_or_default();
            assert!(is_right(limit, 8, 16, sum), "{limit:?}");
            assert!(!is_right(limit, 8, 17, sum), "{limit:?}");
        }
        let sum = sum_of_ends(Limit::SqrtF32, 8, 3).unwrap_or_default();
        assert!(is_right(Limit::SqrtApproxF32, 8, 3, sum + 1e-6));
        assert!(!is_right(Limit::SqrtApproxF32, 8, 3, sum + 1e-4));
        assert!(!is_right(Limit::SqrtApproxF32, 8, 3, f64::NAN));
    }
}
