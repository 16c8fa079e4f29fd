//! Grid, block and shared memory of a launch, and what a kernel's attributes say about them.

/// A number of blocks or of threads in three dimensions.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Dim3 {
    /// Along x, which varies fastest.
    pub x: u32,
    /// Along y.
    pub y: u32,
    /// Along z.
    pub z: u32,
}

impl Dim3 {
    /// `x * y * z`, saturating at 2^64 - 1. Multiply it by `saturating_mul`: a grid and a block
    /// within a GPU's limits can have more than 2^64 threads together.
    #[must_use]
    pub const fn count(&self) -> u64 {
        (self.x as u64 * self.y as u64).saturating_mul(self.z as u64)
    }
}

impl From<u32> for Dim3 {
    fn from(x: u32) -> Self {
        Self { x, y: 1, z: 1 }
    }
}

impl From<(u32, u32)> for Dim3 {
    fn from((x, y): (u32, u32)) -> Self {
        Self { x, y, z: 1 }
    }
}

impl From<(u32, u32, u32)> for Dim3 {
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        Self { x, y, z }
    }
}

/// Grid, block and dynamic shared memory of a launch.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct LaunchShape {
    /// Blocks.
    pub grid: Dim3,
    /// Threads a block.
    pub block: Dim3,
    /// Dynamic shared memory of a block, bytes.
    pub shared_bytes: u32,
}

impl LaunchShape {
    /// `grid` blocks of `block` threads, without dynamic shared memory.
    pub fn new(grid: impl Into<Dim3>, block: impl Into<Dim3>) -> Self {
        Self {
            grid: grid.into(),
            block: block.into(),
            shared_bytes: 0,
        }
    }

    /// The same with `bytes` of dynamic shared memory a block.
    #[must_use]
    pub const fn with_shared(self, bytes: u32) -> Self {
        Self {
            shared_bytes: bytes,
            ..self
        }
    }

    /// Threads of the whole launch, saturating at 2^64 - 1.
    #[must_use]
    pub const fn threads(&self) -> u64 {
        self.grid.count().saturating_mul(self.block.count())
    }
}

/// What the attributes below `#[kernel]` promise; 0 is no promise.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct LaunchBounds {
    /// The most threads of a block (`.maxntid`).
    pub max_threads: u32,
    /// Blocks that an SM should hold at once (`.minnctapersm`).
    pub min_blocks: u32,
    /// Blocks of a cluster along x, y and z (`.reqnctapercluster`).
    pub cluster: [u32; 3],
    /// The most registers of a thread (`.maxnreg`).
    pub max_registers: u32,
}

#[cfg(test)]
mod tests {
    use super::{Dim3, LaunchShape};

    #[test]
    fn a_launch_counts_its_threads_in_64_bits() {
        let shape = LaunchShape::new((1 << 20, 1 << 12), 1024);
        assert_eq!(shape.threads(), 1 << 42);
        assert_eq!(
            shape.block,
            Dim3 {
                x: 1024,
                y: 1,
                z: 1
            }
        );
        assert_eq!(shape.with_shared(48).shared_bytes, 48);
    }

    #[test]
    fn counts_saturate() {
        assert_eq!(Dim3::from((u32::MAX, u32::MAX, u32::MAX)).count(), u64::MAX);
        // 2^60 blocks of 2^4 threads: each count fits, the product does not.
        let shape = LaunchShape::new((1 << 30, 1 << 15, 1 << 15), 16);
        assert_eq!(shape.grid.count(), 1 << 60);
        assert_eq!(shape.threads(), u64::MAX);
    }
}
