//! The reductions that this crate's own PTX has: a line an operator.

use crate::operator::Sum;
use crate::reduce_kernels;

reduce_kernels! {
    sum_u32: Sum<u32>;
    sum_u64: Sum<u64>;
    sum_f32: Sum<f32>;
    sum_f64: Sum<f64>;
}
