//! `redux.sync`: one value from all lanes.

use crate::device::gpu;

/// What a reduction does with two values.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarpReductionOp {
    /// The sum, wrapping.
    Add,
    /// The lesser.
    Min,
    /// The greater.
    Max,
    /// The bits that both have.
    And,
    /// The bits that either has.
    Or,
    /// The bits that one of them has.
    Xor,
}

/// A value that a warp can reduce in one instruction: `u32` and `i32`.
pub trait WarpReduceValue: Sized {
    /// See [`warp_reduce`]; `op` should be a constant.
    ///
    /// # Safety
    ///
    /// See [`mask`](crate::warp).
    unsafe fn reduce(mask: u32, value: Self, op: WarpReductionOp) -> Self;
}

/// `value` of all lanes of `mask`, reduced by `op`; every lane gets the result.
///
/// PTX: `redux.sync` from sm_80 on; on sm_75 a loop over the lanes of the mask with
/// `shfl.sync.idx.b32`, with the same result.
///
/// # Safety
///
/// See [`mask`](crate::warp).
#[inline(always)]
#[must_use]
pub unsafe fn warp_reduce<T: WarpReduceValue>(mask: u32, value: T, op: WarpReductionOp) -> T {
    // SAFETY: the caller's.
    unsafe { T::reduce(mask, value, op) }
}

macro_rules! reduce_value {
    ($($type:ty, $arithmetic:literal;)*) => {$(
        impl WarpReduceValue for $type {
            #[inline(always)]
            unsafe fn reduce(mask: u32, value: Self, op: WarpReductionOp) -> Self {
                gpu!(warp_reduce, (mask, value, op) => {
                    #[cfg(target_feature = "sm_80")]
                    {
                        macro_rules! redux {
                            ($operation:literal, $ptx:literal) => {{
                                let result: $type;
                                core::arch::asm!(
                                    concat!("redux.sync.", $operation, ".", $ptx, " {}, {}, {};"),
                                    out(reg32) result,
                                    in(reg32) value,
                                    in(reg32) mask,
                                    options(nomem, nostack, preserves_flags),
                                );
                                result
                            }};
                        }
                        match op {
                            WarpReductionOp::Add => redux!("add", $arithmetic),
                            WarpReductionOp::Min => redux!("min", $arithmetic),
                            WarpReductionOp::Max => redux!("max", $arithmetic),
                            WarpReductionOp::And => redux!("and", "b32"),
                            WarpReductionOp::Or => redux!("or", "b32"),
                            WarpReductionOp::Xor => redux!("xor", "b32"),
                        }
                    }
                    #[cfg(not(target_feature = "sm_80"))]
                    {
                        // One lane after the other, so that any mask will do.
                        let mut rest = mask;
                        let mut result: Option<$type> = None;
                        while rest != 0 {
                            let next = super::shuffle_idx(mask, value, rest.trailing_zeros());
                            result = Some(match (result, op) {
                                (None, _) => next,
                                (Some(sum), WarpReductionOp::Add) => sum.wrapping_add(next),
                                (Some(least), WarpReductionOp::Min) => least.min(next),
                                (Some(greatest), WarpReductionOp::Max) => greatest.max(next),
                                (Some(bits), WarpReductionOp::And) => bits & next,
                                (Some(bits), WarpReductionOp::Or) => bits | next,
                                (Some(bits), WarpReductionOp::Xor) => bits ^ next,
                            });
                            rest &= rest - 1;
                        }
                        result.unwrap_or(value)
                    }
                })
            }
        }
    )*};
}

reduce_value! {
    u32, "u32";
    i32, "s32";
}
