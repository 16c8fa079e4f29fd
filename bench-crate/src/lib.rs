//! The program `quadscan`: tables of quadrature and prefix scan, measured beside published ones.
//!
//! `measure` times, `oracle` knows what is right, `fastest` is the best that the host can do,
//! `worker` measures in a process of its own, `tables` says what is measured, `record` keeps it,
//! `export` renders it, and `bench` is the command that puts these together; `peers` is what our
//! kernels are measured against, `workload` what whole arrays and integrals are timed by, `kernels`
//! kernels that are launched by themselves; `report` is the command that renders kept records
//! again, `integral` the one that integrates, and `parts` the one that lists the artifact. Only
//! the program's `main` talks to a terminal.

pub mod bench;
pub mod block_scan;
pub mod cli;
mod clocks;
mod diagnostics;
mod error;
pub mod export;
pub mod fastest;
pub mod integral;
pub mod kernels;
pub mod limit;
pub mod mapping;
pub mod measure;
pub mod model;
pub mod modules;
pub mod oracle;
pub mod parts;
pub mod peers;
pub mod record;
pub mod report;
pub mod tables;
pub mod trapezoid;
pub mod tune;
pub mod worker;
pub mod workload;

pub use error::{Error, Result};

/// The book's blocks of Rust, compiled and run.
#[cfg(doctest)]
mod book {
    #[doc = include_str!("../../docs/from-naive-to-look-back.md")]
    mod from_naive_to_look_back {}
    #[doc = include_str!("../../docs/gpu-box.md")]
    mod gpu_box {}
    #[doc = include_str!("../../docs/measuring-honestly.md")]
    mod measuring_honestly {}
    #[doc = include_str!("../../docs/memory-orders.md")]
    mod memory_orders {}
    #[doc = include_str!("../../docs/moving-over.md")]
    mod moving_over {}
}
