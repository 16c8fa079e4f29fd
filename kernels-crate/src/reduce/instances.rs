//! The reductions that this crate's own PTX has: a line an operator, each a part of the
//! PTX. Those of the signed integers whose bits are the unsigned ones' are not here;
//! [`launch`](super::launch) has them. An application that reduces with another operator has
//! such a line of its own.

use crate::operator::{Compose, Max, Min, Sum};
use crate::reduce_kernels;

reduce_kernels! {
    sum_u32: Sum<u32>;
    sum_u64: Sum<u64>;
    sum_f32: Sum<f32>;
    sum_f64: Sum<f64>;
    sum_u8_u64: Sum<u8, u64>;
    min_i32: Min<i32>;
    min_f32: Min<f32>;
    min_f64: Min<f64>;
    max_i32: Max<i32>;
    max_f32: Max<f32>;
    max_f64: Max<f64>;
    affine_f64: Compose;
}
