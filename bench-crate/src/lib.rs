//! The program `quadscan`: tables of quadrature and prefix scan, measured beside published ones.
//!
//! Its layers, each of which uses those above it in this list alone:
//!
//! - `axes`, `error`, `grouping`, `named`, `number`, `spelling`: axes of tables, and names, numbers
//!   and groups.
//! - `files`: files that are written whole or not at all.
//! - `signals`: what interrupts a program.
//! - `ranks`: the processes that MPI has started.
//! - `cli`: the command line.
//! - `clocks`: the clocks of a device.
//! - `timing`: samples, when to stop taking them, and their statistics.
//! - `trapezoid`, `limit`, `diagnostics`: launches of kernels, each the only file that names them.
//! - `mapping`, `kernels`: further launches, which use those.
//! - `oracle`: the expected results.
//! - `block_scan`: launches of the scans of one block.
//! - `fastest`: the fastest sum on the host.
//! - `record`: a measured cell, with its metrics and its origin.
//! - `workload`: the timed operations and integrals.
//! - `peers`: the programs that our kernels are compared with.
//! - `modules`: where the PTX comes from.
//! - `host`, `measure`: measurement of a cell, on the host and on the device.
//! - `table`: the parts of a table: axes, columns, cells, figures.
//! - `model`: an explanation of the times of a sweep.
//! - `export`: records to text.
//! - `columns`, `device`, `journal`: files of rows, the device of commands that compute on them, and
//!   their results so far.
//! - `tables`: the tables, one file each.
//! - `worker`: the process that measures.
//! - `report`: the page of records, which every run also writes.
//! - `about`: what the program says about itself.
//! - `bench`, `combine`, `integral`, `parts`, `plan`, `tune`: the commands. Only `main` and its
//!   `terminal` talk to one.

pub mod about;
pub mod axes;
pub mod bench;
pub mod block_scan;
pub mod cli;
mod clocks;
pub mod columns;
pub mod combine;
mod device;
mod diagnostics;
mod error;
pub mod export;
pub mod fastest;
mod files;
pub mod grouping;
pub mod host;
pub mod integral;
mod journal;
pub mod kernels;
pub mod limit;
pub mod mapping;
pub mod measure;
pub mod model;
pub mod modules;
mod named;
pub mod number;
pub mod oracle;
pub mod parts;
pub mod peers;
pub mod plan;
pub mod ranks;
pub mod record;
pub mod report;
pub mod signals;
mod spelling;
pub mod table;
pub mod tables;
pub mod timing;
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
    #[doc = include_str!("../../docs/measurement.md")]
    mod measurement {}
    #[doc = include_str!("../../docs/memory-orders.md")]
    mod memory_orders {}
    #[doc = include_str!("../../docs/moving-over.md")]
    mod moving_over {}
}
