//! What is emulated, and how.

use std::thread::available_parallelism;

use ptx_emulator::{LaunchOptions, Model};

/// What is emulated, and how.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The GPU whose limits launches are held to; its memory is bounded by what
    /// the host has free when the device is opened.
    pub model: Model,
    /// The seed of a random interleaving of warps and blocks; `None` for the
    /// one that is always the same.
    pub schedule: Option<u64>,
    /// Whether accesses show what PTX's memory model allows besides interleavings; for launches
    /// that are checked for races.
    pub weak_memory: bool,
    /// Host threads that run the blocks of a kernel, at least 1. More than one
    /// is used without a `schedule`, for kernels whose blocks have no order.
    pub cores: usize,
    /// Warp instructions after which a launch counts as hanging.
    pub budget: u64,
}

impl Default for Settings {
    /// An H200, on all cores of the host.
    fn default() -> Self {
        Settings {
            model: Model::h200(),
            schedule: None,
            weak_memory: false,
            cores: available_parallelism().map_or(1, usize::from),
            budget: LaunchOptions::default().budget,
        }
    }
}
