//! A module and a kernel of one name, and shared statics inside a kernel.
mod gemm_tiled;

pub use crate::gemm_tiled::gemm_tiled;
