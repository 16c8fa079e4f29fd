//! What is combined: the associative operators of scans and reductions.
//!
//! An [`Operator`] says three things: what becomes of an element before it is combined
//! ([`transform`](Operator::transform)), how two neighbours are combined
//! ([`combine`](Operator::combine)), and what a result becomes before it is written
//! ([`finish`](Operator::finish)). A kernel author adds one by implementing the trait,
//! here or in a crate of their own. All three run on the host as well, where an oracle
//! needs them, and give the same bits there, those of NaNs aside.
//!
//! Integers wrap. Kernels keep the order of the operands, so that an operator need not
//! be commutative, and call it on elements that exist, never on padding.
//!
//! Ours: [`Sum`], [`Product`], [`SumOfSquares`], [`Min`], [`Max`], [`BitAnd`], [`BitOr`],
//! [`BitXor`], [`Compose`]. Which of them have kernels in this crate's PTX says
//! [`scan::instances`](crate::scan::instances); of the others an application makes them in a
//! line ([`operators_like!`](crate::operators_like)).

mod arithmetic;
mod bits;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
mod bytes;
mod compose;
mod extremum;
mod like;

use bytemuck::Pod;

pub use arithmetic::{Product, Sum, SumOfSquares};
pub use bits::{BitAnd, BitOr, BitXor};
pub use compose::{Affine, Compose};
pub use extremum::{Max, Min};

/// An associative operator, with what stands before and after it.
///
/// `combine(combine(a, b), c)` equals `combine(a, combine(b, c))`, or nearly so for
/// floats: a kernel says in which order it combines, and that order depends on the
/// number of elements alone.
///
/// The longest run of equal elements would be one; here is the length of a path that is
/// given by its steps:
///
/// ```
/// use quadscan_kernels::operator::{Identity, Operator};
///
/// #[derive(Clone, Copy)]
/// struct PathLength;
///
/// impl Operator for PathLength {
///     type Input = [f32; 2];
///     type Accumulator = f32;
///     type Output = f32;
///     fn transform([x, y]: [f32; 2]) -> f32 {
///         cuda_std::GpuFloat::sqrt(x * x + y * y)
///     }
///     fn combine(first: f32, second: f32) -> f32 {
///         first + second
///     }
///     fn finish(length: f32) -> f32 {
///         length
///     }
/// }
///
/// impl Identity for PathLength {
///     const IDENTITY: f32 = 0.0;
/// }
///
/// assert_eq!(PathLength::transform([3.0, 4.0]), 5.0);
/// ```
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

    /// A lane's elements combined, where there is a faster way than one after the other
    /// with the same bits.
    #[doc(hidden)]
    #[inline(always)]
    fn total_of<const V: usize>(_elements: &[[u32; 4]; V]) -> Option<Self::Accumulator> {
        None
    }

    /// A lane's scan behind `before`, in the same way.
    #[doc(hidden)]
    #[inline(always)]
    fn scan_of<const V: usize>(
        _elements: &[[u32; 4]; V],
        _before: Option<Self::Accumulator>,
        _is_exclusive: bool,
    ) -> Option<[[u32; 4]; V]> {
        None
    }

    /// Whether elements may begin a segment; for
    /// [`Segmented`](crate::scan::segmented::Segmented) alone, as is all below.
    #[doc(hidden)]
    const IS_SEGMENTED: bool = false;

    /// What entered, with the first of a segment or not.
    #[doc(hidden)]
    #[inline(always)]
    fn enter(element: Self::Accumulator, _is_head: bool) -> Self::Accumulator {
        element
    }

    /// `running` and an element that follows it, the first of a segment or not. It is not said
    /// that segments began before.
    #[doc(hidden)]
    #[inline(always)]
    fn follow(
        running: Self::Accumulator,
        element: Self::Accumulator,
        _is_head: bool,
    ) -> Self::Accumulator {
        Self::combine(running, element)
    }

    /// The scan of the first `count` lanes of at most `most`, as
    /// [`scan_first`](crate::scan::lanes::scan_first) has it; none where that is it.
    ///
    /// # Safety
    /// As there.
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn scan_of_lanes(
        _value: Self::Accumulator,
        _count: u32,
        _most: usize,
    ) -> Option<Self::Accumulator> {
        None
    }

    /// The result of an element: what it makes of `combined`, the first of a segment or
    /// not, where every segment begins with `initial`.
    #[doc(hidden)]
    #[inline(always)]
    fn leave(
        combined: Self::Accumulator,
        _is_head: bool,
        _initial: Option<Self::Accumulator>,
        _is_exclusive: bool,
    ) -> Self::Accumulator {
        combined
    }
}

/// What `O` reads.
pub type Input<O> = <O as Operator>::Input;
/// What `O` combines.
pub type Accumulator<O> = <O as Operator>::Accumulator;
/// What `O` writes.
pub type Output<O> = <O as Operator>::Output;

/// An operator with a neutral element: what a combination of nothing is.
pub trait Identity: Operator {
    /// `combine(IDENTITY, x)` and `combine(x, IDENTITY)` are `x`, the bits of NaNs aside.
    const IDENTITY: Self::Accumulator;
}

/// Implements [`Operator`] and [`Identity`]: the operator, then what it reads, combines
/// and writes, then its three functions and its neutral element, then what else it has.
macro_rules! operators {
    ($($operator:ty: $input:ty => $accumulator:ty => $output:ty,
       $transform:expr, $combine:expr, $finish:expr, $identity:expr $(, { $($more:item)* })?;
    )*) => {$(
        impl $crate::operator::Operator for $operator {
            type Input = $input;
            type Accumulator = $accumulator;
            type Output = $output;

            #[inline(always)]
            fn transform(element: $input) -> $accumulator {
                let transform: fn($input) -> $accumulator = $transform;
                transform(element)
            }

            #[inline(always)]
            fn combine(first: $accumulator, second: $accumulator) -> $accumulator {
                let combine: fn($accumulator, $accumulator) -> $accumulator = $combine;
                combine(first, second)
            }

            #[inline(always)]
            fn finish(result: $accumulator) -> $output {
                let finish: fn($accumulator) -> $output = $finish;
                finish(result)
            }

            $($($more)*)?
        }

        impl $crate::operator::Identity for $operator {
            const IDENTITY: $accumulator = $identity;
        }
    )*};
}
use operators;
