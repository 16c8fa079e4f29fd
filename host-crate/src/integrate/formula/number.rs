//! The two kinds of numbers of formulas: what operations give on the host, which is what they give
//! on a device.

use cuda_std::GpuFloat;
use cuda_std::float::{Addend, Root};
use quadscan_kernels::integrate::formula;

use super::operation::{Constant, Operation};
use crate::integrate::Real;

/// `f32` or `f64`.
pub trait Number: Real {
    /// The word of its type in PTX.
    #[doc(hidden)]
    const PTX: &'static str;

    /// What sums of roots are multiplied by.
    #[doc(hidden)]
    const ROOT_SCALE: Self;

    /// This constant's value.
    #[doc(hidden)]
    fn of(constant: Constant) -> Self;

    /// An elementary function by its number, of its first arguments.
    #[doc(hidden)]
    fn call(number: u8, arguments: [Self; 3]) -> Self;

    /// The number as PTX has it.
    #[doc(hidden)]
    fn literal(self) -> String;
}

macro_rules! numbers {
    ($($type:ident $bits:ident $literal:literal;)*) => {$(
        impl Number for $type {
            const PTX: &'static str = stringify!($type);
            const ROOT_SCALE: Self = <Root<$type> as Addend<$type>>::SCALE;

            fn of(constant: Constant) -> Self {
                $type::from_bits(constant.$bits)
            }

            fn call(number: u8, arguments: [Self; 3]) -> Self {
                formula::$type::call(number.into(), arguments)
            }

            fn literal(self) -> String {
                format!($literal, self.to_bits())
            }
        }
    )*};
}

numbers! {
    f32 single "0f{:08X}";
    f64 double "0d{:016X}";
}

/// What an operation gives.
pub(super) fn apply<R: Number>(operation: Operation, [a, b, c]: [R; 3]) -> R {
    let one = R::from_f64(1.0);
    let truth = |is_so: bool| if is_so { one } else { R::ZERO };
    match operation {
        Operation::Negate => -a,
        Operation::Add => a + b,
        Operation::Subtract => a - b,
        Operation::Multiply => a * b,
        Operation::Divide | Operation::Over => a / b,
        Operation::Reciprocal => one / a,
        Operation::Fused => GpuFloat::mul_add(a, b, c),
        Operation::Magnitude => GpuFloat::abs(a),
        Operation::SquareRoot | Operation::Root => GpuFloat::sqrt(a),
        Operation::Floor => GpuFloat::floor(a),
        Operation::Ceiling => GpuFloat::ceil(a),
        Operation::Truncate => GpuFloat::trunc(a),
        Operation::ToEven => GpuFloat::round_ties_even(a),
        Operation::CopySign => GpuFloat::copysign(a, b),
        Operation::Least => least(a, b),
        Operation::Greatest => -least(-a, -b),
        Operation::Less => truth(a < b),
        Operation::AtMost => truth(a <= b),
        Operation::Equal => truth(a == b),
        Operation::Unequal => truth(a != b),
        Operation::Choose => {
            if a != R::ZERO {
                b
            } else {
                c
            }
        }
        Operation::Call(number) => R::call(number, [a, b, c]),
    }
}

/// The lesser of two numbers, of which -0 is less than 0; a NaN loses to a number.
fn least<R: Number>(a: R, b: R) -> R {
    if a < b || b.is_nan() || (a == b && is_negative(a)) {
        a
    } else {
        b
    }
}

fn is_negative<R: Number>(a: R) -> bool {
    GpuFloat::copysign(R::from_f64(1.0), a) < R::ZERO
}
