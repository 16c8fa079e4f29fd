//! The limits of a device: which ones are measured, and the launches of the kernels that reach
//! them. The only file that names those kernels.
//!
//! Their timing is in `worker`, the expected results of their chains in `oracle`.

use quadscan_kernels::limits::{
    RING, VECTORS, limit_copy, limit_empty, limit_fma_f32, limit_fma_f64, limit_fma_latency_f32,
    limit_fma_latency_f64, limit_shared_latency, limit_sqrt_approx_f32, limit_sqrt_f32,
    limit_sqrt_f64, limit_sqrt_latency_f32, limit_sqrt_latency_f64,
};

use crate::named::named;
use quadscan::device::{Buffer, LaunchShape, Module, View, ViewMut};
use quadscan::{Error, Result};

/// Bytes that a thread of the copying kernel moves one way.
pub const COPIED_BY_A_THREAD: usize = 16 * VECTORS;

named! {
    /// A limit of a device.
    Limit {
        /// Fused multiplications and additions in f64.
        FmaF64 = "fma-f64",
        /// The same in f32.
        FmaF32 = "fma-f32",
        /// Correctly rounded square roots in f64.
        SqrtF64 = "sqrt-f64",
        /// The same in f32.
        SqrtF32 = "sqrt-f32",
        /// Approximate square roots in f32.
        SqrtApproxF32 = "sqrt-approx-f32",
        /// From one fused operation in f64 to the next that needs it.
        FmaLatencyF64 = "fma-latency-f64",
        /// The same in f32.
        FmaLatencyF32 = "fma-latency-f32",
        /// From one square root in f64 to the next that needs it.
        SqrtLatencyF64 = "sqrt-latency-f64",
        /// The same in f32.
        SqrtLatencyF32 = "sqrt-latency-f32",
        /// From one load of shared memory to the next that needs it.
        SharedLatency = "shared-latency",
        /// A copy from the device's memory to it.
        Copy = "copy",
        /// A copy from the host, of many bytes.
        CopyIn = "copy-in",
        /// A copy to the host, of many bytes.
        CopyOut = "copy-out",
        /// A copy from the host, of a few.
        CopyInLatency = "copy-in-latency",
        /// A copy to the host, of a few.
        CopyOutLatency = "copy-out-latency",
        /// A kernel that does nothing, among others like it.
        Launch = "launch",
        /// A kernel that does nothing, and waiting for it.
        LaunchAndWait = "launch-and-wait",
    }
}

impl Limit {
    /// The unit of its value.
    pub fn unit(self) -> &'static str {
        match self {
            Limit::FmaF64 | Limit::FmaF32 => "TFLOP/s",
            Limit::SqrtF64 | Limit::SqrtF32 | Limit::SqrtApproxF32 => "G/s",
            Limit::FmaLatencyF64
            | Limit::FmaLatencyF32
            | Limit::SqrtLatencyF64
            | Limit::SqrtLatencyF32
            | Limit::SharedLatency => "ns",
            Limit::Copy | Limit::CopyIn | Limit::CopyOut => "GB/s",
            Limit::CopyInLatency | Limit::CopyOutLatency | Limit::Launch | Limit::LaunchAndWait => {
                "us"
            }
        }
    }

    /// Its value from the time that `work` of it takes: operations, steps, bytes or
    /// launches.
    pub fn value(self, work: f64, ms: f64) -> f64 {
        match self.unit() {
            // Two operations each.
            "TFLOP/s" => 2.0 * work / ms * 1e-9,
            "G/s" | "GB/s" => work / ms * 1e-6,
            "ns" => ms * 1e6 / work,
            _ => ms * 1e3 / work,
        }
    }
}

/// A grid, and the turns of every thread's chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chains {
    /// Blocks.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Turns of a chain.
    pub turns: u32,
}

impl Chains {
    fn shape(self) -> LaunchShape {
        LaunchShape::new(self.blocks, self.threads)
    }
}

/// The parameter of the chains of fused operations: they tend to 1, in numbers that
/// no operation is slow for.
pub const FMA_FACTOR: f64 = 0.5;

/// The start of the first chain of square roots.
pub const ROOT_START: f64 = 1.0;

/// Launches the chains of a limit in f64. Err when it has none, and the device's.
pub fn chains_f64(
    limit: Limit,
    module: &Module,
    of: Chains,
    results: &mut Buffer<f64>,
) -> Result<()> {
    let fma = (&mut *results, of.turns, FMA_FACTOR);
    match limit {
        Limit::FmaF64 => module.launch(limit_fma_f64, of.shape(), fma),
        Limit::FmaLatencyF64 => module.launch(limit_fma_latency_f64, of.shape(), fma),
        Limit::SqrtF64 => {
            module.launch(limit_sqrt_f64, of.shape(), (results, of.turns, ROOT_START))
        }
        Limit::SqrtLatencyF64 => {
            let root = (results, of.turns, ROOT_START);
            module.launch(limit_sqrt_latency_f64, of.shape(), root)
        }
        _ => Err(without_chains(limit)),
    }
}

/// Launches the chains of a limit in f32; otherwise as [`chains_f64`].
pub fn chains_f32(
    limit: Limit,
    module: &Module,
    of: Chains,
    results: &mut Buffer<f32>,
) -> Result<()> {
    let (shape, turns) = (of.shape(), of.turns);
    let fma = (&mut *results, turns, FMA_FACTOR as f32);
    match limit {
        Limit::FmaF32 => module.launch(limit_fma_f32, shape, fma),
        Limit::FmaLatencyF32 => module.launch(limit_fma_latency_f32, shape, fma),
        Limit::SqrtF32 | Limit::SqrtLatencyF32 | Limit::SqrtApproxF32 => {
            let root = (results, turns, ROOT_START as f32);
            match limit {
                Limit::SqrtF32 => module.launch(limit_sqrt_f32, shape, root),
                Limit::SqrtLatencyF32 => module.launch(limit_sqrt_latency_f32, shape, root),
                _ => module.launch(limit_sqrt_approx_f32, shape, root),
            }
        }
        _ => Err(without_chains(limit)),
    }
}

fn without_chains(limit: Limit) -> Error {
    Error::UnknownKernel {
        kernel: limit.name().to_owned(),
    }
}

/// Launches the copy; the vectors are those of `blocks * threads` threads.
pub fn copy<'a, 'b>(
    module: &Module,
    (blocks, threads): (u32, u32),
    input: impl Into<View<'a, [u32; 4]>>,
    output: impl Into<ViewMut<'b, [u32; 4]>>,
) -> Result<()> {
    let shape = LaunchShape::new(blocks, threads);
    let (input, mut output) = (input.into(), output.into());
    module.launch(limit_copy, shape, (&input, &mut output))
}

/// Launches the chase through shared memory.
pub fn shared_latency(module: &Module, turns: u32, result: &mut Buffer<u32>) -> Result<()> {
    let shape = LaunchShape::new(1, RING as u32);
    module.launch(limit_shared_latency, shape, (turns, result))
}

/// Launches the kernel that does nothing.
pub fn empty(module: &Module, output: &mut Buffer<u32>) -> Result<()> {
    module.launch(limit_empty, LaunchShape::new(1, 32), (0, output))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_is_found_by_its_name() {
        for limit in Limit::ALL {
            assert_eq!(Limit::by_name(limit.name()), Some(*limit));
        }
        assert_eq!(Limit::by_name("fma"), None);
    }

    #[test]
    fn values_are_in_their_units() {
        // 10^9 operations in 1 ms are 10^12 a second.
        assert_eq!(Limit::FmaF64.value(1e9, 1.0), 2.0);
        assert_eq!(Limit::SqrtF32.value(1e9, 1.0), 1000.0);
        assert_eq!(Limit::Copy.value(4e9, 1.0), 4000.0);
        // 10^5 steps in 1 ms are 10 ns each.
        assert_eq!(Limit::SharedLatency.value(1e5, 1.0), 10.0);
        assert_eq!(Limit::Launch.value(1.0, 0.002), 2.0);
    }
}
