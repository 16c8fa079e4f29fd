//! What a formula is made of: constants, and operations on up to three numbers.

/// A number in both kinds, by its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Constant {
    pub(super) single: u32,
    pub(super) double: u64,
}

impl Constant {
    /// A number whose nearest ones are these.
    pub(super) fn new(single: f32, double: f64) -> Self {
        Self {
            single: single.to_bits(),
            double: double.to_bits(),
        }
    }
}

/// What is done with up to three numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operation {
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    /// `a * b + c`, rounded once.
    Fused,
    Magnitude,
    SquareRoot,
    Floor,
    Ceiling,
    Truncate,
    ToEven,
    CopySign,
    Least,
    Greatest,
    Less,
    AtMost,
    Equal,
    Unequal,
    /// `if a then b else c`.
    Choose,
    /// One of `quadscan_kernels::integrate::formula::FUNCTIONS`.
    Call(u8),
    /// A root, a reciprocal and a quotient that a sum may take without rounding them.
    Root,
    Reciprocal,
    Over,
}
