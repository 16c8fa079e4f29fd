//! The scans that this crate's own PTX has: a line an operator. Those of the signed
//! integers whose bits are the unsigned ones' are not here; [`launch`](super::launch) has
//! them. An application that scans with another operator has such a line of its own.

use crate::operator::{Compose, Max, Min, Product, Sum};
use crate::{scan_kernels, segment_flags_kernels, segmented_scan_kernels};
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
    min_f32: Min<f32>;
    max_i32: Max<i32>;
    max_f32: Max<f32>;
    product_u32: Product<u32>;
    product_f32: Product<f32>;
    affine_f64: Compose;
}

segmented_scan_kernels! {
    sum_u32: Sum<u32>;
    sum_u64: Sum<u64>;
    sum_f32: Sum<f32>;
    sum_f64: Sum<f64>;
    min_i32: Min<i32>;
    min_f32: Min<f32>;
    max_i32: Max<i32>;
    max_f32: Max<f32>;
    affine_f64: Compose;
}

segment_flags_kernels! {}
