//! What is combined: the associative operators of scans and reductions.
//!
//! An [`Operator`] says three things: what becomes of an element before it is combined
//! ([`transform`](Operator::transform)), how two neighbours are combined
//! ([`combine`](Operator::combine)), and what a result becomes before it is written
//! ([`finish`](Operator::finish)). A kernel author adds one by implementing the trait,
//! here or in a crate of their own.
//!
//! Integers wrap. Kernels keep the order of the operands, so that an operator need not
//! be commutative, and call it on elements that exist, never on padding.

use bytemuck::Pod;
use core::marker::PhantomData;

/// An associative operator, with what stands before and after it.
///
/// `combine(combine(a, b), c)` equals `combine(a, combine(b, c))`, or nearly so for
/// floats: a kernel says in which order it combines, and that order depends on the
/// number of elements alone.
pub trait Operator: Copy + 'static {
    /// What is read: 1, 2, 3, 4, 6, 8, 12 or 16 bytes.
    type Input: Pod;
    /// What is combined: at most 16 bytes.
    type Accumulator: Pod;
    /// What is written: as `Input`.
    type Output: Pod;

    /// An element, as it enters.
    fn transform(element: Self::Input) -> Self::Accumulator;

    /// `first` and `second`, which follow each other in this order.
    fn combine(first: Self::Accumulator, second: Self::Accumulator) -> Self::Accumulator;

    /// A result, as it is written.
    fn finish(result: Self::Accumulator) -> Self::Output;
}

/// An operator with a neutral element: what a combination of nothing is.
pub trait Identity: Operator {
    /// `combine(IDENTITY, x)` and `combine(x, IDENTITY)` are `x`.
    const IDENTITY: Self::Accumulator;
}

/// The sum of `I`s, kept as `A`s and written as `O`s.
#[derive(Clone, Copy, Debug)]
pub struct Sum<I, A = I, O = A>(PhantomData<(I, A, O)>);

macro_rules! sums {
    ($($type:ty, $zero:expr, $plus:expr;)*) => {$(
        impl Operator for Sum<$type> {
            type Input = $type;
            type Accumulator = $type;
            type Output = $type;
            #[inline(always)]
            fn transform(element: $type) -> $type {
                element
            }
            #[inline(always)]
            fn combine(first: $type, second: $type) -> $type {
                let plus: fn($type, $type) -> $type = $plus;
                plus(first, second)
            }
            #[inline(always)]
            fn finish(result: $type) -> $type {
                result
            }
        }

        impl Identity for Sum<$type> {
            const IDENTITY: $type = $zero;
        }
    )*};
}

sums! {
    u32, 0, u32::wrapping_add;
    u64, 0, u64::wrapping_add;
    f32, -0.0, |a, b| a + b;
    f64, -0.0, |a, b| a + b;
}
