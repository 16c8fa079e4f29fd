//! Floating-point functions for kernels.
//!
//! What lives here: [`GpuFloat`], the methods that `core` lacks on `f32` and `f64`. Single PTX
//! instructions where there is one that rounds correctly (`sqrt.rn`, `fma.rn`, `cvt.rmi`, ...),
//! the crate `libm` for the rest, so that no CUDA toolkit is needed. A result is the same on the
//! host and on the device, bit for bit, NaN payloads aside. The instructions that trade accuracy
//! for speed are in [`approx`], by their PTX names. [`Extremes`] and [`Narrow`] are what sums and
//! extremes of many numbers need beside.

mod addend;
pub mod approx;
mod extended;
mod extremes;
mod gpu_float;
#[cfg(feature = "half")]
mod narrow;
mod trigonometry;

pub use addend::{Addend, Reciprocal, Root};
pub use extended::FloatExt;
pub use extremes::Extremes;
pub use gpu_float::GpuFloat;
#[cfg(feature = "half")]
pub use narrow::Narrow;
