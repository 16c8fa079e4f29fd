//! Whether a launch's sizes fit the device and the kernel, before the launch.
//!
//! Pure functions. Each refusal names the quantity and its allowed range.

use super::{DeviceProperties, Dim3, FunctionAttributes, LaunchShape};
use crate::{Error, Result};

/// A kernel on a device, as far as its launch sizes go.
pub(super) struct Limits<'a> {
    /// Entry name.
    pub(super) kernel: &'a str,
    /// What the loaded kernel takes up.
    pub(super) attributes: &'a FunctionAttributes,
    /// Blocks of a cluster along x, y, z; 0 for none.
    pub(super) cluster: [u32; 3],
    pub(super) device: &'a DeviceProperties,
}

impl Limits<'_> {
    /// Checks the sizes of a launch.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`], [`Error::NotAMultiple`], [`Error::TooManyThreads`].
    pub(super) fn check(&self, shape: &LaunchShape) -> Result<()> {
        self.check_block(shape.block)?;
        self.check_grid(shape.grid)?;
        self.check_threads(shape)?;
        self.check_shared(shape.shared_bytes)
    }

    fn check_block(&self, block: Dim3) -> Result<()> {
        let on_device = |what, value, most| {
            Error::unless_within(what, value, 1..=u64::from(most), || self.on_device())
        };
        let (what, device) = ("threads per block", self.device);
        on_device(what, block.count(), device.max_threads_per_block)?;
        let [x, y, z] = device.max_block;
        on_device("threads per block in x", block.x.into(), x)?;
        on_device("threads per block in y", block.y.into(), y)?;
        on_device("threads per block in z", block.z.into(), z)?;
        let allowed = 1..=self.attributes.max_threads_per_block.into();
        Error::unless_within(what, block.count(), allowed, || self.of_kernel())
    }

    fn check_grid(&self, grid: Dim3) -> Result<()> {
        let axes = [
            ("blocks in x", "x", grid.x),
            ("blocks in y", "y", grid.y),
            ("blocks in z", "z", grid.z),
        ];
        let limits = self.device.max_grid.into_iter().zip(self.cluster);
        for ((what, axis, value), (highest, cluster)) in axes.into_iter().zip(limits) {
            let allowed = 1..=highest.into();
            Error::unless_within(what, value.into(), allowed, || self.on_device())?;
            if cluster > 1 && value % cluster != 0 {
                return Err(Error::NotAMultiple {
                    axis,
                    value,
                    multiple: cluster,
                    kernel: self.kernel.to_owned(),
                });
            }
        }
        Ok(())
    }

    /// The author's conditions, which come next, multiply grid and block: what does
    /// not fit 64 bits is refused here.
    fn check_threads(&self, shape: &LaunchShape) -> Result<()> {
        let (grid, block) = (shape.grid, shape.block);
        if grid.count().checked_mul(block.count()).is_some() {
            return Ok(());
        }
        let text = |size: Dim3| format!("{} x {} x {}", size.x, size.y, size.z);
        Err(Error::TooManyThreads {
            grid: text(grid),
            block: text(block),
            device: self.device.name.clone(),
        })
    }

    fn check_shared(&self, bytes: u32) -> Result<()> {
        let declared = self.attributes.static_shared_bytes;
        let allowed = 0..=self.most_shared().saturating_sub(declared).into();
        let what = "dynamic shared memory (bytes per block)";
        Error::unless_within(what, bytes.into(), allowed, || match declared {
            0 => self.on_device(),
            _ => self.of_kernel(),
        })
    }

    /// Checks that the blocks of a cooperative launch are no more than `resident`, which the
    /// device holds at once.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`].
    pub(super) fn check_together(&self, shape: &LaunchShape, resident: u32) -> Result<()> {
        let (blocks, allowed) = (shape.grid.count(), 1..=resident.into());
        Error::unless_within("blocks that wait for each other", blocks, allowed, || {
            let (threads, bytes) = (shape.block.count(), shape.shared_bytes);
            format!(
                "each of {threads} threads and {bytes} bytes of dynamic shared memory {}",
                self.of_kernel()
            )
        })
    }

    /// Shared memory of a block at most. Devices without the opt-in tell 0 for it.
    fn most_shared(&self) -> u32 {
        let device = self.device;
        device
            .max_shared_per_block_optin
            .max(device.max_shared_per_block)
    }

    /// True when the kernel needs to be allowed more dynamic shared memory than
    /// every kernel has.
    pub(super) fn need_opt_in(&self, shape: &LaunchShape) -> bool {
        let declared = self.attributes.static_shared_bytes;
        shape.shared_bytes.saturating_add(declared) > self.device.max_shared_per_block
    }

    fn on_device(&self) -> String {
        format!("on {}", self.device.name)
    }

    fn of_kernel(&self) -> String {
        format!("for kernel `{}` on {}", self.kernel, self.device.name)
    }
}
