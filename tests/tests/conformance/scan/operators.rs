//! Every operator that our PTX has, and each of its kernels.

use cuda_std::{bf16, f16};
use quadscan::scan::{Compose, Max, Min, Plan, Product, Sum};
use quadscan_tests::suite::{Bench, Outcome};

use super::{by, check, kernels};

/// Scans with every kernel of each operator: less than a warp's elements, more, and those
/// of two tiles and a part. The words are the instances' names in the PTX.
macro_rules! operators {
    ($($test:ident: $($instance:ident => $operator:ty),*;)*) => {$(
        pub(crate) fn $test(bench: &Bench) -> Outcome {
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
        min_i32 => Min<i32>, min_f32 => Min<f32>;
    maxima_agree_with_a_sequential_scan:
        max_i32 => Max<i32>, max_f32 => Max<f32>;
    products_agree_with_a_sequential_scan:
        product_u32 => Product<u32>, product_f32 => Product<f32>, product_u32 => Product<i32>;
    an_operator_that_is_not_commutative_keeps_the_order_of_its_elements:
        affine_f64 => Compose;
}
