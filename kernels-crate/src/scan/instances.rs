//! The scans that this crate's own PTX has: a line an operator. Those of the signed
//! integers whose bits are the unsigned ones' are not here; [`launch`](super::launch) has
//! them.

use crate::operator::{BitAnd, BitOr, BitXor, Compose, Max, Min, Product, Sum, SumOfSquares};
use crate::{scan_kernels, segmented_scan_kernels};
use cuda_std::{bf16, f16};

scan_kernels! {
    sum_u8: Sum<u8>;
    sum_u16: Sum<u16>;
    sum_u32: Sum<u32>;
    sum_u64: Sum<u64>;
    sum_f16: Sum<f16>;
    sum_bf16: Sum<bf16>;
    sum_f32: Sum<f32>;
    sum_f64: Sum<f64>;
    sum_u8_u32: Sum<u8, u32>;
    sum_u8_u64: Sum<u8, u64>;
    min_i32: Min<i32>;
    min_u32: Min<u32>;
    min_f32: Min<f32>;
    min_i64: Min<i64>;
    min_u64: Min<u64>;
    min_f64: Min<f64>;
    max_i32: Max<i32>;
    max_u32: Max<u32>;
    max_f32: Max<f32>;
    max_i64: Max<i64>;
    max_u64: Max<u64>;
    max_f64: Max<f64>;
    product_u32: Product<u32>;
    product_u64: Product<u64>;
    product_f32: Product<f32>;
    product_f64: Product<f64>;
    and_u32: BitAnd<u32>;
    and_u64: BitAnd<u64>;
    or_u32: BitOr<u32>;
    or_u64: BitOr<u64>;
    xor_u32: BitXor<u32>;
    xor_u64: BitXor<u64>;
    squares_f32: SumOfSquares<f32>;
    affine_f64: Compose;
}

segmented_scan_kernels! {
    sum_u8: Sum<u8>;
    sum_u16: Sum<u16>;
    sum_u32: Sum<u32>;
    sum_u64: Sum<u64>;
    sum_f16: Sum<f16>;
    sum_bf16: Sum<bf16>;
    sum_f32: Sum<f32>;
    sum_f64: Sum<f64>;
    sum_u8_u32: Sum<u8, u32>;
    min_i32: Min<i32>;
    min_u32: Min<u32>;
    min_f32: Min<f32>;
    min_i64: Min<i64>;
    min_u64: Min<u64>;
    min_f64: Min<f64>;
    max_i32: Max<i32>;
    max_u32: Max<u32>;
    max_f32: Max<f32>;
    max_i64: Max<i64>;
    max_u64: Max<u64>;
    max_f64: Max<f64>;
    product_f32: Product<f32>;
    product_f64: Product<f64>;
    affine_f64: Compose;
}
