//! Floating-point functions for kernels.
//!
//! What lives here: [`GpuFloat`], the methods that `core` lacks on `f32` and `f64`. Single PTX
//! instructions where there is one that rounds correctly (`sqrt.rn`, `fma.rn`, `cvt.rmi`, ...), and
//! functions built from those, a file a family, so that no CUDA toolkit is needed and no thread keeps
//! an array in local memory. A result of [`GpuFloat`] is the same on the host and on the device, bit
//! for bit, NaN payloads aside, also where a kernel is compiled with contraction. The less usual
//! functions of [`FloatExt`] come from the crate `libm`. The instructions that trade accuracy for
//! speed are in [`approx`], by their PTX names, and in [`fast`] by the functions' own, with bounds.
//! [`Addend`] and [`LazyFloat`] are roots and quotients for sums; [`Extremes`] and [`Narrow`] are
//! what sums and extremes of many numbers need beside.

mod addend;
pub mod approx;
mod arcsine;
mod arctangent;
mod arithmetic;
mod error_function;
#[allow(clippy::manual_clamp, reason = "a clamp keeps NaN, which costs more")]
mod exponential;
#[allow(clippy::useless_conversion, reason = "it is one for `f32`")]
mod extended;
mod extremes;
pub mod fast;
mod gpu_float;
#[cfg(not(target_os = "cuda"))]
mod host;
mod hyperbolic;
mod logarithm;
mod methods;
#[cfg(feature = "half")]
mod narrow;
mod power;
mod trigonometry;

pub use addend::{Addend, LazyFloat, Quotient, Reciprocal, Root};
pub use extended::FloatExt;
pub use extremes::Extremes;
pub use fast::exp as fast_exp_f32;
pub use gpu_float::GpuFloat;
#[cfg(feature = "half")]
pub use narrow::Narrow;
