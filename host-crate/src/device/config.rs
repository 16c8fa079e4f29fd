//! How a kernel is launched: its shape, and what is asked of the device beside it.
//!
//! CUDA calls the one the launch configuration and the other launch attributes
//! (CUDA driver API, `CUlaunchConfig` and `CUlaunchAttribute`, 2026-11-22).

use super::LaunchShape;

/// A launch's shape, and what is asked of the device beside it. A [`LaunchShape`]
/// alone is one that asks for nothing: launches take either.
///
/// ```no_run
/// # use cuda_std::kernel;
/// use quadscan::device::{LaunchConfig, LaunchShape, Module};
/// # #[kernel]
/// # #[launch_contract(true)]
/// # #[allow(unused_variables)]
/// # pub unsafe fn histogram(bins: *mut u32) {}
///
/// # fn launch(module: &Module, mut bins: quadscan::device::Buffer<u32>) -> quadscan::Result<()> {
/// // One block of 256 threads wherever there is room for one.
/// let shape = LaunchShape::new(module.resident_blocks("histogram", 256, 0)?, 256);
/// let together = LaunchConfig::new(shape).cooperative();
/// module.launch(histogram, together, (&mut bins,))
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LaunchConfig {
    shape: LaunchShape,
    is_cooperative: bool,
    is_programmatic: bool,
}

impl LaunchConfig {
    /// A launch of this shape.
    pub const fn new(shape: LaunchShape) -> Self {
        Self {
            shape,
            is_cooperative: false,
            is_programmatic: false,
        }
    }

    /// The same with all blocks resident at once, so that they may wait for each
    /// other. A grid that the device does not hold at once
    /// ([`Module::resident_blocks`](super::Module::resident_blocks)) is refused
    /// before the launch.
    #[must_use]
    pub const fn cooperative(mut self) -> Self {
        self.is_cooperative = true;
        self
    }

    /// The same as a programmatic dependent launch: the kernel may begin when every
    /// block of the kernel before it in the stream has ended or executed
    /// `griddepcontrol.launch_dependents`. What that kernel writes is there once
    /// `griddepcontrol.wait` has been executed (PTX ISA 7.8, `griddepcontrol`).
    ///
    /// It is a hint: where
    /// [`has_programmatic_launch`](super::DeviceProperties::has_programmatic_launch)
    /// is false, on the emulator among others, behind work that is no kernel, and for
    /// an artifact's PTX for an older architecture than sm_90, which has no such
    /// instructions, it is an ordinary launch.
    ///
    /// # Safety
    ///
    /// What a thread of the kernel does before it has executed `griddepcontrol.wait`
    /// does not race with work asked for before the launch: it neither reads what that
    /// work writes, nor writes what that work reads or writes. At least one thread of
    /// every launch executes it, so that the kernel does not end before that work. Memory
    /// that this work writes is behind raw pointers among the kernel's parameters: what is
    /// behind a reference does not change while a kernel runs, so that a compiler may read
    /// it before the wait.
    #[must_use]
    pub const unsafe fn programmatic(mut self) -> Self {
        self.is_programmatic = true;
        self
    }

    /// The same, not as a programmatic dependent launch.
    pub(super) const fn without_pdl(mut self) -> Self {
        self.is_programmatic = false;
        self
    }

    /// Blocks, threads and dynamic shared memory.
    pub const fn shape(&self) -> &LaunchShape {
        &self.shape
    }

    /// Whether all blocks are resident at once.
    pub const fn is_cooperative(&self) -> bool {
        self.is_cooperative
    }

    /// Whether the kernel may begin before the one ahead of it has ended.
    pub const fn is_programmatic(&self) -> bool {
        self.is_programmatic
    }
}

impl From<LaunchShape> for LaunchConfig {
    fn from(shape: LaunchShape) -> Self {
        Self::new(shape)
    }
}
