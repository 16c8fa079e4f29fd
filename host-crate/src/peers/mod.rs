//! The peers of scans and reductions: what our kernels are measured against, in the
//! same run, on the same device and stream, with the same clock.
//!
//! - `compiler`: nvcc makes a shared library of `peers/scan`, once.
//! - `operation`: what it can do, by name. `library`: the library, loaded.
//! - `contestant`: its launches on the arrays of a workload, and the check of its result.
//! - `arrays`: CuPy and PyTorch, by a script.
//!
//! A peer that cannot be had is a reason in one sentence, never an error of the run.
//! The peer of the quarter circle is a cubin, in `bench::peers`.

pub mod arrays;
pub mod compiler;
pub mod contestant;
pub mod library;
pub mod operation;

/// Where the peers' source is when nothing else is said.
pub const FOLDER: &str = "peers";
