//! The selections that this crate's own PTX has: a predicate for each width of elements. Those
//! of a width share it: a [`Condition`](super::Condition) says what its bits mean.

use super::{AnyBit, Compare};
use crate::select_kernels;

select_kernels! {
    u8: Compare<u8>;
    u16: Compare<u16>;
    u32: Compare<u32>;
    u64: Compare<u64>;
    words: AnyBit<[u32; 4]>;
}
