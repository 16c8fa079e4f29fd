//! The kernels of the programs. What one computes is a function beside it, which the host calls too.

pub mod digest;
pub mod linear;
pub mod tracer;
pub mod wide;

// SAFETY: numbers, and no pointers.
#[cfg(not(target_arch = "nvptx64"))]
unsafe impl cust_core::DeviceCopy for tracer::Sphere {}
// SAFETY: as above.
#[cfg(not(target_arch = "nvptx64"))]
unsafe impl cust_core::DeviceCopy for tracer::View {}
