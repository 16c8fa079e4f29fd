//! The shape of a launch, and whether a GPU and a kernel allow it.

use crate::error::LaunchError;
use crate::lower::Function;
use crate::machine::Model;

/// Register rows that all resident warps may have together, bytes.
const REGISTER_MEMORY: u64 = 4 << 30;

/// The shape of a launch.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Blocks, each way.
    pub grid: [u32; 3],
    /// Threads of a block, each way.
    pub block: [u32; 3],
    /// Dynamic shared memory of a block, bytes.
    pub shared_bytes: u32,
}

impl Shape {
    /// Checks it for a kernel that has `shared` bytes of shared memory, static
    /// and dynamic.
    pub(super) fn check(
        self,
        model: &Model,
        function: &Function,
        shared: u64,
    ) -> Result<(), LaunchError> {
        let Shape { grid, block, .. } = self;
        let threads = block.iter().map(|&n| u64::from(n)).product::<u64>();
        self.check_limits(model, threads, shared)?;
        check_directives(function, block, threads)?;
        let one = function.sizes.bytes() * threads.div_ceil(32);
        let resident = model
            .resident_blocks(threads as u32, shared as u32)
            .min(grid.iter().map(|&n| u64::from(n)).product());
        if one > REGISTER_MEMORY / resident.clamp(1, 2) {
            return Err(LaunchError::shape(format!(
                "one block needs {one} bytes for registers and local memory"
            )));
        }
        Ok(())
    }

    fn check_limits(self, model: &Model, threads: u64, shared: u64) -> Result<(), LaunchError> {
        let Shape { grid, block, .. } = self;
        for (what, shape, limit) in [("grid", grid, model.grid), ("block", block, model.block)] {
            for (axis, (&n, &most)) in ["x", "y", "z"].iter().zip(shape.iter().zip(&limit)) {
                if n == 0 || n > most {
                    return Err(LaunchError::shape(format!(
                        "{what}.{axis} is {n}; allowed are 1 to {most}"
                    )));
                }
            }
        }
        if threads > u64::from(model.threads_per_block) {
            let most = model.threads_per_block;
            return Err(LaunchError::shape(format!(
                "a block of {threads} threads; allowed are 1 to {most}"
            )));
        }
        if shared > u64::from(model.shared_per_block) {
            let most = model.shared_per_block;
            return Err(LaunchError::shape(format!(
                "{shared} bytes of shared memory; allowed are 0 to {most}"
            )));
        }
        Ok(())
    }
}

/// What the kernel itself says of its launches.
fn check_directives(function: &Function, block: [u32; 3], threads: u64) -> Result<(), LaunchError> {
    for (directive, values) in &function.directives {
        let bound = values
            .iter()
            .fold(1, |all: u64, &n| all.saturating_mul(u64::from(n)));
        if directive == "maxntid" && threads > bound {
            return Err(LaunchError::shape(format!(
                "a block of {threads} threads; the kernel allows {bound}"
            )));
        }
        if directive == "reqnctapercluster" && bound > 1 {
            return Err(LaunchError::shape(format!(
                "a cluster of {bound} blocks; the emulator runs clusters of one block"
            )));
        }
        let required: [u32; 3] = std::array::from_fn(|axis| values.get(axis).copied().unwrap_or(1));
        if directive == "reqntid" && required != block {
            return Err(LaunchError::shape(format!(
                "a block of {block:?}; the kernel requires {required:?}"
            )));
        }
    }
    Ok(())
}
