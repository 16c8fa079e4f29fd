//! Every operator that our PTX has, and each of its kernels.

use cuda_std::{bf16, f16};
use quadscan::scan::{BitAnd, BitOr, BitXor, Compose, Max, Min, Plan, Product, Sum, SumOfSquares};
use quadscan_tests::suite::{Bench, Outcome};

use super::{by, check, kernels};

/// Scans with every kernel of each operator: less than a warp's elements, more, and those
/// of two tiles and a part. The words are the instances' names in the PTX.
macro_rules! operators {
    ($($statement:ident: $($instance:ident => $operator:ty),*;)*) => {$(
        pub(crate) fn $statement(bench: &Bench) -> Outcome {
            $(
                for kernel in kernels::<$operator>(&bench.module) {
                    let name = concat!("_", stringify!($instance));
                    assert!(kernel.entry.ends_with(name), "{} is not {name}", kernel.entry);
                    let most = (2 * kernel.tile + 77).min(kernel.capacity());
                    let mut plan = Plan::<$operator>::with(&bench.module, most, by(kernel.algorithm))?;
                    for n in [0, 1, 33, most as usize] {
                        check(&mut plan, &bench.device, n)?;
                    }
                }
            )*
            Ok(())
        }
    )*};
}

operators! {
    sums_of_every_type_agree_with_a_sequential_scan:
        sum_u8 => Sum<u8>, sum_u16 => Sum<u16>, sum_u32 => Sum<u32>, sum_u64 => Sum<u64>,
        sum_f16 => Sum<f16>, sum_bf16 => Sum<bf16>, sum_f32 => Sum<f32>, sum_f64 => Sum<f64>;
    sums_of_signed_integers_have_the_kernels_of_the_unsigned_ones:
        sum_u8 => Sum<i8>, sum_u16 => Sum<i16>, sum_u32 => Sum<i32>, sum_u64 => Sum<i64>;
    sums_may_be_wider_than_their_elements:
        sum_u8_u32 => Sum<u8, u32>, sum_u8_u64 => Sum<u8, u64>;
    minima_agree_with_a_sequential_scan:
        min_i32 => Min<i32>, min_u32 => Min<u32>, min_f32 => Min<f32>,
        min_i64 => Min<i64>, min_u64 => Min<u64>, min_f64 => Min<f64>;
    maxima_agree_with_a_sequential_scan:
        max_i32 => Max<i32>, max_u32 => Max<u32>, max_f32 => Max<f32>,
        max_i64 => Max<i64>, max_u64 => Max<u64>, max_f64 => Max<f64>;
    products_agree_with_a_sequential_scan:
        product_u32 => Product<u32>, product_u64 => Product<u64>,
        product_f32 => Product<f32>, product_f64 => Product<f64>,
        product_u32 => Product<i32>, product_u64 => Product<i64>;
    bitwise_operators_agree_with_a_sequential_scan:
        and_u32 => BitAnd<u32>, or_u32 => BitOr<u32>, xor_u32 => BitXor<u32>,
        and_u64 => BitAnd<u64>, or_u64 => BitOr<u64>, xor_u64 => BitXor<u64>,
        xor_u32 => BitXor<i32>, and_u64 => BitAnd<i64>;
    an_operator_that_is_not_commutative_keeps_the_order_of_its_elements:
        affine_f64 => Compose;
    elements_are_transformed_before_they_are_combined:
        squares_f32 => SumOfSquares<f32>;
}
