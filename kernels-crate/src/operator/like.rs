//! [`operators_like!`](crate::operators_like): operators of this crate that another crate
//! makes kernels of.

/// Makes operators that do what others do. `Or = BitOr<u32>;` is one of the crate at hand, for
/// which that crate can say that it has kernels: of an operator of another crate it cannot.
///
/// [`scan_kernels!`](crate::scan_kernels), [`segmented_scan_kernels!`](crate::segmented_scan_kernels)
/// and [`reduce_kernels!`](crate::reduce_kernels) take such lines too, with the kernels' name
/// before them.
///
/// ```
/// # mod kernels {
/// use quadscan_kernels::operator::BitOr;
/// use quadscan_kernels::{reduce_kernels, scan_kernels};
///
/// scan_kernels! { or_u32: Or = BitOr<u32>; }
/// reduce_kernels! { or_u32: Or; }
/// # }
/// use quadscan_kernels::operator::Operator;
///
/// assert_eq!(kernels::Or::combine(1, 4), 5);
/// ```
#[macro_export]
macro_rules! operators_like {
    ($($new:ident = $like:ty;)*) => {$(
        #[doc = concat!("What `", stringify!($like), "` does.")]
        #[derive(Clone, Copy, Debug)]
        pub struct $new;

        impl $crate::operator::Operator for $new {
            type Input = <$like as $crate::operator::Operator>::Input;
            type Accumulator = <$like as $crate::operator::Operator>::Accumulator;
            type Output = <$like as $crate::operator::Operator>::Output;

            #[inline(always)]
            fn transform(element: Self::Input) -> Self::Accumulator {
                <$like as $crate::operator::Operator>::transform(element)
            }

            #[inline(always)]
            fn combine(first: Self::Accumulator, second: Self::Accumulator) -> Self::Accumulator {
                <$like as $crate::operator::Operator>::combine(first, second)
            }

            #[inline(always)]
            fn finish(result: Self::Accumulator) -> Self::Output {
                <$like as $crate::operator::Operator>::finish(result)
            }

            #[inline(always)]
            fn total_of<const V: usize>(
                elements: &[[u32; 4]; V],
            ) -> ::core::option::Option<Self::Accumulator> {
                <$like as $crate::operator::Operator>::total_of(elements)
            }

            #[inline(always)]
            fn scan_of<const V: usize>(
                elements: &[[u32; 4]; V],
                before: ::core::option::Option<Self::Accumulator>,
                is_exclusive: bool,
            ) -> ::core::option::Option<[[u32; 4]; V]> {
                <$like as $crate::operator::Operator>::scan_of(elements, before, is_exclusive)
            }
        }

        impl $crate::operator::Identity for $new {
            const IDENTITY: Self::Accumulator = <$like as $crate::operator::Identity>::IDENTITY;
        }
    )*};
}
