//! How the launches of an emulated device are watched.
//!
//! The emulator is compiled for each kind of observer, so that a launch that
//! nobody watches costs nothing. What is behind this trait is therefore the
//! launch itself: an observation makes it with observers of its own, and keeps
//! what they saw. A checker of races keeps findings, a profile keeps counts.

use ptx_emulator::{Gpu, LaunchError, LaunchOptions, Program, Report, Shape};

use crate::device::Counts;

/// A launch that a device was asked for.
#[derive(Clone, Debug)]
pub struct Launch<'a> {
    /// The module.
    pub program: &'a Program,
    /// The kernel's entry.
    pub kernel: &'a str,
    /// Blocks, threads and dynamic shared memory.
    pub shape: Shape,
    /// The bytes of each parameter.
    pub parameters: &'a [&'a [u8]],
    /// The interleaving, the budget and the host's threads.
    pub options: LaunchOptions,
}

/// Makes launches and watches them.
pub trait Observation: Send {
    /// Makes a launch on `gpu`, once.
    ///
    /// # Errors
    ///
    /// The emulator's: a launch that cannot begin, or did not end well.
    fn run(&mut self, gpu: &mut Gpu, launch: &Launch<'_>) -> Result<Report, LaunchError>;

    /// What it counted of launches that ended well since the last call; the
    /// device itself counts their warp instructions.
    fn take_counts(&mut self) -> Counts {
        Counts::default()
    }
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observation for Unobserved {
    fn run(&mut self, gpu: &mut Gpu, launch: &Launch<'_>) -> Result<Report, LaunchError> {
        let (shape, options) = (launch.shape, &launch.options);
        gpu.launch_with(
            launch.program,
            launch.kernel,
            shape,
            launch.parameters,
            options,
        )
    }
}
