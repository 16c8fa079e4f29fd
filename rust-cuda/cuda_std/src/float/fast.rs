//! Functions of f32 that are fast and right to about 2^-21, `tanh` to 2^-11, by the special function unit's
//! instructions.
//!
//! Their bits are the device's: PTX leaves them open, the emulator has those of a Hopper GPU, and the
//! host's are those of the accurate functions of [`GpuFloat`](super::GpuFloat). Subnormal arguments
//! and results of all but [`sin`], [`cos`] and [`tanh`] count as 0. The bounds hold for a Hopper GPU,
//! and for every one that keeps those of the PTX ISA 8.8.

use super::approx;
use super::arithmetic::fma;

/// 1.5 * 2^23: what is added to it is rounded to an integer.
const SHIFT: f32 = 12_582_912.0;

/// e to the power `x`, within 2^-21.3 relatively, for `|x|` up to 2^20: 0 below -87.34, since
/// subnormal numbers count as 0, and infinity above 88.73. NaN for infinities.
///
/// PTX: `ex2.approx.ftz.f32` and five instructions of f32 arithmetic, two of which keep what the
/// product with log2 e loses.
#[inline(always)]
#[must_use]
pub fn exp(x: f32) -> f32 {
    use core::f32::consts::{LN_2, LOG2_E};
    /// What `LOG2_E` leaves of log2 e.
    const LOG2_E_LOW: f32 = f32::from_bits(0x32a5_7060);
    let turns = x * LOG2_E;
    let rest = fma(x, LOG2_E, -turns);
    let rest = fma(x, LOG2_E_LOW, rest);
    exp2(turns) * fma(rest, LN_2, 1.0)
}

/// 2 to the power `x`, within 2^-22 relatively: 0 below -126 and infinity from 128 on.
///
/// PTX: `ex2.approx.ftz.f32`.
#[inline(always)]
#[must_use]
pub fn exp2(x: f32) -> f32 {
    approx::ex2_approx_ftz_f32(x)
}

/// The logarithm to base 2 of a positive number: within 2^-22 absolutely from 1/2 to 2, and
/// relatively elsewhere; minus infinity of 0, NaN below.
///
/// PTX: `lg2.approx.ftz.f32`.
#[inline(always)]
#[must_use]
pub fn log2(x: f32) -> f32 {
    approx::lg2_approx_ftz_f32(x)
}

/// The natural logarithm of a positive number: within 2^-22 absolutely from 1/2 to 2, and 2^-21.5
/// relatively elsewhere; minus infinity of 0, NaN below.
///
/// PTX: `lg2.approx.ftz.f32` and a product.
#[inline(always)]
#[must_use]
pub fn ln(x: f32) -> f32 {
    log2(x) * core::f32::consts::LN_2
}

/// `x` to the power `y`, for a positive `x`: within 2^-21 `(1 + |y|) (1 + |log2 x|)` relatively.
///
/// PTX: `lg2.approx.ftz.f32`, a product and `ex2.approx.ftz.f32`.
#[inline(always)]
#[must_use]
pub fn pow(x: f32, y: f32) -> f32 {
    exp2(y * log2(x))
}

/// `x` less the nearest multiple of 2 pi, within 2^-22, for `|x|` up to 2^16.
#[inline(always)]
fn less_turns(x: f32) -> f32 {
    const TURN: f32 = 2.0 * core::f32::consts::PI;
    /// What `TURN` leaves of 2 pi.
    const TURN_LOW: f32 = f32::from_bits(0xb43b_bd2e);
    let turns = fma(x, 0.5 * core::f32::consts::FRAC_1_PI, SHIFT) - SHIFT;
    fma(-turns, TURN_LOW, fma(-turns, TURN, x))
}

/// The sine of `x` radians, within 2^-20 absolutely, for `|x|` up to 2^16.
///
/// PTX: `sin.approx.f32` and four instructions that subtract whole turns.
#[inline(always)]
#[must_use]
pub fn sin(x: f32) -> f32 {
    approx::sin_approx_f32(less_turns(x))
}

/// The cosine of `x` radians, within 2^-20 absolutely, for `|x|` up to 2^16.
///
/// PTX: `cos.approx.f32` and four instructions that subtract whole turns.
#[inline(always)]
#[must_use]
pub fn cos(x: f32) -> f32 {
    approx::cos_approx_f32(less_turns(x))
}

/// The hyperbolic tangent, within 2^-11 relatively, on a Hopper GPU 2^-16.
///
/// PTX: `tanh.approx.f32`.
#[inline(always)]
#[must_use]
pub fn tanh(x: f32) -> f32 {
    approx::tanh_approx_f32(x)
}

/// `x / y`, within 2^-22 relatively, for `|y|` from 2^-125 to 2^125 and normal quotients.
///
/// PTX: `rcp.approx.ftz.f32` and a product.
#[inline(always)]
#[must_use]
pub fn div(x: f32, y: f32) -> f32 {
    x * approx::rcp_approx_ftz_f32(y)
}

/// The square root, within 2^-23 relatively.
///
/// PTX: `sqrt.approx.ftz.f32`.
#[inline(always)]
#[must_use]
pub fn sqrt(x: f32) -> f32 {
    approx::sqrt_approx_ftz_f32(x)
}

/// The reciprocal of the square root, within 2^-22.9 relatively.
///
/// PTX: `rsqrt.approx.ftz.f32`.
#[inline(always)]
#[must_use]
pub fn rsqrt(x: f32) -> f32 {
    approx::rsqrt_approx_ftz_f32(x)
}
