//! Floating-point functions for kernels.
//!
//! What lives here: [`GpuFloat`], the methods that `core` lacks on `f32` and `f64`. Single PTX
//! instructions where there is one that rounds correctly (`sqrt.rn`, `fma.rn`, `cvt.rmi`, ...),
//! the crate `libm` for the rest, so that no CUDA toolkit is needed. A result is the same on the
//! host and on the device, bit for bit, NaN payloads aside. The instructions that trade accuracy
//! for speed are in [`approx`], by their PTX names.

pub mod approx;
mod extended;
mod gpu_float;
mod trigonometry;

pub use extended::FloatExt;
pub use gpu_float::GpuFloat;
