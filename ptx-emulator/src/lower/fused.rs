//! The instructions that `contract` makes of products and sums.

use ptx_syntax::Type;

use crate::ir::LaneFn;

/// Functions of lanes by the type of the floats.
pub(crate) struct Fused {
    /// `d[0]` = s0 * s1, `d[1]` = s0, `d[2]` = s1; `aux` has `FTZ`.
    pub(crate) product: fn(Type) -> LaneFn,
    /// The same of what a `div.full`, or with `false` a `div.approx`, of f32 multiplies.
    pub(crate) quotient: fn(bool) -> LaneFn,
    /// `d[0]` = s0 * s1 + s2, rounded once; `aux` has the flags below.
    pub(crate) sum: fn(Type) -> LaneFn,
}

/// `.ftz` of both instructions.
pub(crate) const FTZ: u64 = 1;
/// `.sat` of the sum.
pub(crate) const SATURATE: u64 = 2;
/// The product's sign is changed.
pub(crate) const NEGATE_PRODUCT: u64 = 4;
/// The other term's sign is changed.
pub(crate) const NEGATE_TERM: u64 = 8;
