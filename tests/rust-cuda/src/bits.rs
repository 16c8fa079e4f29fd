//! Elements to try a function with, and whether two results are the same bits.

use std::fmt::Debug;

use bytemuck::Pod;
use cuda_std::launch::SafeLaunch;
use quadscan::device::{Arguments, Buffer, LaunchShape};
use quadscan_tests::suite::{Bench, Outcome};

/// Elements beside the ones at the ends of a type: more than a block has threads.
const RANDOM: usize = 700;

/// Threads a block: no divisor of the number of elements.
const THREADS: u32 = 96;

/// A type of elements.
pub(crate) trait Sample: Pod + Debug {
    /// The ends of the type and what is next to them, and random ones in between.
    fn all() -> Vec<Self>;
}

macro_rules! integers {
    ($($type:ident)*) => {$(
        impl Sample for $type {
            fn all() -> Vec<Self> {
                let mut random = fastrand::Rng::with_seed(17);
                let small = (0..130).map(|x| x as $type);
                let ends = [$type::MAX, $type::MAX - 1, $type::MIN, $type::MIN + 1, $type::MAX / 2];
                // Of every size, not large ones alone.
                let spread = (0..RANDOM).map(|_| random.$type(..) >> random.u32(..$type::BITS));
                small.chain(ends).chain(spread).collect()
            }
        }
    )*};
}

integers!(u32 i32 u64);

macro_rules! floats {
    ($($type:ident)*) => {$(
        impl Sample for $type {
            /// Finite ones: of others the bits are nobody's promise.
            fn all() -> Vec<Self> {
                let mut random = fastrand::Rng::with_seed(17);
                let ends = [0.0, -0.0, 1.0, -1.0, $type::MIN_POSITIVE, $type::EPSILON, 0.5, 1e6, -1e6];
                let spread = (0..RANDOM).map(|_| {
                    let exponent = random.i32(-20..20);
                    (2.0 * random.$type() - 1.0) * (2.0 as $type).powi(exponent)
                });
                ends.into_iter().chain(spread).collect()
            }
        }
    )*};
}

floats!(f32 f64);

/// Applies a kernel to every sample, and compares with what the host makes of each.
pub(crate) fn same_as_on_the_host<I, O, K>(bench: &Bench, kernel: K, of: fn(I) -> O) -> Outcome
where
    I: Sample,
    O: Pod + Debug,
    K: SafeLaunch,
    for<'b> (&'b Buffer<I>, &'b mut Buffer<O>): Arguments<K::Formals, K::Names>,
{
    let elements = I::all();
    let expected: Vec<O> = elements.iter().map(|&element| of(element)).collect();
    let input = bench.device.upload(&elements)?;
    let mut output = bench.device.alloc_zeroed::<O>(elements.len())?;
    let blocks = (elements.len() as u32).div_ceil(THREADS);
    let shape = LaunchShape::new(blocks, THREADS);
    bench.module.launch(kernel, shape, (&input, &mut output))?;
    compare(&output.to_vec()?, &expected, |i| {
        format!("{:?}", elements[i])
    })
}

/// Whether two arrays have the same bits; `name` says what the i-th element is.
pub(crate) fn compare<T: Pod + Debug>(
    found: &[T],
    expected: &[T],
    name: impl Fn(usize) -> String,
) -> Outcome {
    if found.len() != expected.len() {
        return Err(format!("{} results, expected are {}", found.len(), expected.len()).into());
    }
    let same = |(a, b): (&T, &T)| bytemuck::bytes_of(a) == bytemuck::bytes_of(b);
    match found.iter().zip(expected).position(|pair| !same(pair)) {
        None => Ok(()),
        Some(i) => Err(format!(
            "of {}: {:?}, expected is {:?}",
            name(i),
            found[i],
            expected[i]
        )
        .into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bit_that_differs_is_found_and_named() {
        let name = |i: usize| format!("element {i}");
        assert!(compare(&[0.0_f64, 1.0], &[0.0, 1.0], name).is_ok());
        let error = compare(&[1.0_f64, 0.0], &[1.0, -0.0], name).expect_err("two zeros");
        let message = error.message().expect("it says why");
        assert_eq!(message, "of element 1: 0.0, expected is -0.0");
        assert!(compare(&[1_u32], &[1, 2], name).is_err());
    }
}
