//! The peers of scans, reductions and integrals: what our kernels are measured against, in the
//! same run, on the same device and stream, with the same clock.
//!
//! - `compiler`: nvcc makes a shared library of a folder of `peers`, once.
//! - `library`: the library of `peers/scan`, loaded.
//! - `contestant`: its launches on the arrays of a workload, and the check of its result.
//! - `integral`: the library of `peers/integrate`, one integral in CUDA C++. `functions`: that of
//!   `peers/functions`. `interface` is what all libraries say of themselves.
//! - `arrays`: CuPy and PyTorch, by a script. `integrators`: SciPy on batches of integrals, by
//!   another, and `boxes`: PAGANI, SciPy and vegas on integrals over boxes. `script`: how they are run and heard.
//!
//! A peer that cannot be had is a reason in one sentence, never an error of the run.
//! The peer of the quarter circle is a cubin, in `bench::peers`.

pub mod arrays;
pub mod boxes;
pub mod compiler;
pub mod contestant;
pub mod functions;
pub mod integral;
pub mod integrators;
pub mod interface;
pub(crate) mod libraries;
pub mod library;
mod script;

/// Where the peers' source is when nothing else is said.
pub const FOLDER: &str = "peers";
