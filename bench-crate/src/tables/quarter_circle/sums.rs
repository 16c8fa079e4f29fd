//! Partial sums as a device gives them: their total, and where they are not the
//! oracle's, for our kernels and for the peer's.

use bytemuck::Pod;
use quadscan_kernels::integrate::trapezoid::MAX_EXACT_DYADIC_STRIPS;

use crate::oracle::Precision;
use crate::oracle::quarter_circle::Partials;

/// The type of a partial sum.
pub(in crate::tables) trait Sum: Pod {
    /// The sums added in order in the manner of the precision.
    fn in_order(partials: &[Self], precision: Precision) -> f64;
    /// Where the sums differ in a bit from the oracle's, in one sentence.
    fn first_difference(got: &[Self], want: &Partials) -> Option<String>;
}

fn difference<T: Pod + std::fmt::Debug>(got: &[T], want: &[T]) -> Option<String> {
    if got.len() != want.len() {
        return Some(format!(
            "{} partial sums came back, not {}",
            got.len(),
            want.len()
        ));
    }
    let differs = |i: &usize| bytemuck::bytes_of(&got[*i]) != bytemuck::bytes_of(&want[*i]);
    let count = (0..got.len()).filter(differs).count();
    let first = (0..got.len()).find(differs)?;
    Some(format!(
        "{count} of {} partial sums are not the host's, the first is number {first}: {:?}, not {:?}",
        got.len(),
        got[first],
        want[first]
    ))
}

/// What is said when the oracle has sums of another type.
fn another_type() -> Option<String> {
    Some("the oracle's sums are of another type".into())
}

impl Sum for f64 {
    fn in_order(partials: &[Self], _: Precision) -> f64 {
        Partials::F64(partials.to_vec()).sum()
    }

    fn first_difference(got: &[Self], want: &Partials) -> Option<String> {
        match want {
            Partials::F64(want) => difference(got, want),
            _ => another_type(),
        }
    }
}

impl Sum for f32 {
    fn in_order(partials: &[Self], precision: Precision) -> f64 {
        let partials = partials.to_vec();
        match precision {
            Precision::F32Kahan => Partials::F32Kahan(partials).sum(),
            Precision::F32Pairwise => Partials::F32Pairwise(partials).sum(),
            _ => Partials::F32(partials).sum(),
        }
    }

    fn first_difference(got: &[Self], want: &Partials) -> Option<String> {
        match want {
            Partials::F32(want) | Partials::F32Kahan(want) | Partials::F32Pairwise(want) => {
                difference(got, want)
            }
            _ => another_type(),
        }
    }
}

impl Sum for [f32; 2] {
    fn in_order(partials: &[Self], _: Precision) -> f64 {
        Partials::F32DoubleFloat(partials.to_vec()).sum()
    }

    fn first_difference(got: &[Self], want: &Partials) -> Option<String> {
        match want {
            Partials::F32DoubleFloat(want) => difference(got, want),
            _ => another_type(),
        }
    }
}

/// Where the peer's sums are not the oracle's, in one sentence.
///
/// Up to 2^26 strips, powers of two, every product in f64 is exact, so that nvcc's
/// contraction of `1 - x * x` and of the scaled sum changes no bit. Elsewhere it
/// changes last bits, and the totals are compared.
pub(super) fn peer_difference<T: Sum>(
    got: &[T],
    want: &Partials,
    precision: Precision,
    strips: u64,
) -> Option<String> {
    let exact = strips.is_power_of_two() && strips <= MAX_EXACT_DYADIC_STRIPS;
    if exact && precision != Precision::F32Pure {
        return T::first_difference(got, want);
    }
    let tolerance = match precision {
        Precision::F64 => 1e-9,
        _ => 1e-5,
    };
    let (total, expected) = (T::in_order(got, precision), want.sum());
    // Not `>`, which is false for what is not a number.
    let near = (total - expected).abs() <= tolerance * expected;
    (!near).then(|| format!("the sum is {total}, not {expected} to {tolerance:e}"))
}
