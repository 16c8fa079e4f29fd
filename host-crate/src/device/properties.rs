//! What a device is, what it allows, what a loaded kernel takes up, and what a
//! launched one did.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// The `kind` of emulated devices.
pub const EMULATOR: &str = "emulator";

/// What a device is and what it allows. Sizes in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceProperties {
    /// The device's name, such as `NVIDIA H200`.
    pub name: String,
    /// `cuda` or [`EMULATOR`].
    pub kind: &'static str,
    /// The device's number among those of its kind.
    pub ordinal: u32,
    /// Compute capability, (major, minor).
    pub compute_capability: (u32, u32),
    /// The newest CUDA version that the driver supports, (major, minor); `None` without a driver.
    pub driver_version: Option<(u32, u32)>,
    /// The driver's own version, such as `580.159.04`, where the system tells it.
    pub driver: Option<String>,
    /// Streaming multiprocessors (SMs).
    pub sm_count: u32,
    /// Threads of a warp.
    pub warp_size: u32,
    /// Threads of a block, all dimensions together.
    pub max_threads_per_block: u32,
    /// Threads of a block along x, y, z.
    pub max_block: [u32; 3],
    /// Blocks of a grid along x, y, z.
    pub max_grid: [u32; 3],
    /// Threads resident on one SM.
    pub max_threads_per_sm: u32,
    /// Blocks resident on one SM.
    pub max_blocks_per_sm: u32,
    /// 32-bit registers of one SM.
    pub registers_per_sm: u32,
    /// Shared memory of a block without asking for more.
    pub max_shared_per_block: u32,
    /// Shared memory of a block at most, which [`crate::device::Module`] asks for when needed.
    pub max_shared_per_block_optin: u32,
    /// Shared memory of one SM.
    pub shared_per_sm: u32,
    /// Second-level cache; `None` where unknown.
    pub l2_cache: Option<u32>,
    /// Device memory.
    pub total_memory: u64,
    /// Clock of the SMs at most, in kHz; `None` where unknown.
    pub clock_khz: Option<u32>,
    /// Clock of the memory at most, in kHz; `None` where unknown.
    pub memory_clock_khz: Option<u32>,
    /// Width of the memory bus, in bits; `None` where unknown.
    pub memory_bus_bits: Option<u32>,
    /// True when the system ends kernels that run too long.
    pub has_kernel_time_limit: bool,
    /// True when the device can start all blocks of a grid together.
    pub has_cooperative_launch: bool,
    /// True when a kernel can begin before the one ahead of it has ended
    /// ([`LaunchConfig::programmatic`](super::LaunchConfig::programmatic)).
    pub has_programmatic_launch: bool,
    /// True when the device's work takes time that means something; false on an
    /// emulator, whose events have none.
    pub has_timer: bool,
}

/// Device memory in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryInfo {
    /// Bytes free.
    pub free: u64,
    /// Bytes in all.
    pub total: u64,
}

/// What kernels did, on a device that counts. Absent is what nobody counted: the
/// emulator counts all of it when its launches are watched by
/// `emulator::Counting`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Instructions that warps ran; a warp whose threads part runs each way.
    pub warp_instructions: u64,
    /// Lanes that took part in them, at most 32 each; none whose predicate held it
    /// back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane_instructions: Option<u64>,
    /// Branches that lanes of one warp took differently.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub divergent_branches: Option<u64>,
    /// Passes of shared memory over its banks: more of them where lanes meet in a
    /// bank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_wavefronts: Option<u64>,
    /// Passes that would do without such conflicts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ideal_shared_wavefronts: Option<u64>,
    /// Sectors of 32 bytes that requests of warps to global memory touched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub global_sectors: Option<u64>,
    /// Sectors that would do if the bytes of each request were next to each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ideal_global_sectors: Option<u64>,
}

/// Adds; the sum is absent where neither side has it.
impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        let add = |own: &mut Option<u64>, other: Option<u64>| {
            if let Some(other) = other {
                *own.get_or_insert(0) += other;
            }
        };
        self.warp_instructions += other.warp_instructions;
        add(&mut self.lane_instructions, other.lane_instructions);
        add(&mut self.divergent_branches, other.divergent_branches);
        add(&mut self.shared_wavefronts, other.shared_wavefronts);
        add(
            &mut self.ideal_shared_wavefronts,
            other.ideal_shared_wavefronts,
        );
        add(&mut self.global_sectors, other.global_sectors);
        add(&mut self.ideal_global_sectors, other.ideal_global_sectors);
    }
}

/// What a loaded kernel takes up on its device. Sizes in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionAttributes {
    /// Threads of a block at most, as registers and launch bounds allow.
    pub max_threads_per_block: u32,
    /// 32-bit registers of a thread; `None` where nobody allocates them.
    pub registers: Option<u32>,
    /// Local memory of a thread (spilled registers and arrays); 0 is good.
    pub local_bytes: u32,
    /// Shared memory that the kernel declares.
    pub static_shared_bytes: u32,
    /// Constant memory that the kernel declares.
    pub constant_bytes: u32,
    /// The architecture of the PTX that it was made of, such as 90; `None` where nobody
    /// made machine code of it.
    pub ptx_version: Option<u32>,
    /// The architecture that its machine code is for, such as 90; `None` as above.
    pub binary_version: Option<u32>,
}
