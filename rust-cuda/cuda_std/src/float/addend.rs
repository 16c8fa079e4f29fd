//! Terms of sums.

use super::GpuFloat;
use super::approx::{
    rcp_approx_ftz_f32, rcp_approx_ftz_f64, rsqrt_approx_ftz_f64, sqrt_approx_ftz_f32,
};

/// A number that a running sum takes in one instruction: `SCALE * p * q`, not multiplied out.
pub trait Addend<R>: Copy {
    /// What the sum of `add_to` is multiplied by at the end.
    const SCALE: R;
    /// The number itself, accurate everywhere.
    fn value(self) -> R;
    /// `sum + self / SCALE`.
    fn add_to(self, sum: R) -> R;
}

macro_rules! plain { ($($f:ident)*) => {$(
impl Addend<$f> for $f {
    const SCALE: $f = 1.0;
    #[inline(always)]
    fn value(self) -> $f { self }
    #[inline(always)]
    fn add_to(self, sum: $f) -> $f { sum + self }
})*}; }
plain!(f32 f64);

/// A square root.
#[derive(Clone, Copy, Debug)]
pub struct Root<R>(pub R);

impl Addend<f64> for Root<f64> {
    const SCALE: f64 = f64::from_bits(0x3fd8_0000_0000_0001);
    #[inline(always)]
    fn value(self) -> f64 {
        GpuFloat::sqrt(self.0)
    }
    #[inline(always)]
    fn add_to(self, sum: f64) -> f64 {
        const C1: f64 = f64::from_bits(0x3ffa_aaaa_aaaa_aaac);
        const C2: f64 = f64::from_bits(0x4001_c71c_71c7_1c70);
        let y = rsqrt_approx_ftz_f64(self.0);
        let g = self.0 * y;
        let t = GpuFloat::mul_add(g, y, -C1);
        let q = GpuFloat::mul_add(t, t, C2);
        GpuFloat::mul_add(g, q, sum)
    }
}
impl Addend<f32> for Root<f32> {
    const SCALE: f32 = 1.0;
    #[inline(always)]
    fn value(self) -> f32 {
        GpuFloat::sqrt(self.0)
    }
    #[inline(always)]
    fn add_to(self, sum: f32) -> f32 {
        sum + sqrt_approx_ftz_f32(self.0)
    }
}
/// A reciprocal.
#[derive(Clone, Copy, Debug)]
pub struct Reciprocal<R>(pub R);
impl Addend<f64> for Reciprocal<f64> {
    const SCALE: f64 = 1.0;
    #[inline(always)]
    fn value(self) -> f64 {
        1.0 / self.0
    }
    #[inline(always)]
    fn add_to(self, sum: f64) -> f64 {
        let y = rcp_approx_ftz_f64(self.0);
        let s = GpuFloat::mul_add(-self.0, y, 1.5);
        let q = GpuFloat::mul_add(s, s, 0.75);
        GpuFloat::mul_add(y, q, sum)
    }
}
impl Addend<f32> for Reciprocal<f32> {
    const SCALE: f32 = 1.0;
    #[inline(always)]
    fn value(self) -> f32 {
        1.0 / self.0
    }
    #[inline(always)]
    fn add_to(self, sum: f32) -> f32 {
        sum + rcp_approx_ftz_f32(self.0)
    }
}
