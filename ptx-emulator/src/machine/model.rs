//! The GPU that is modelled: its limits, from the CUDA C++ Programming Guide,
//! "Technical Specifications per Compute Capability".

/// Limits of a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// For people.
    pub name: String,
    /// Major, minor.
    pub compute_capability: (u32, u32),
    /// Streaming multiprocessors (SMs).
    pub sms: u32,
    /// Resident threads of one SM.
    pub threads_per_sm: u32,
    /// Resident blocks of one SM.
    pub blocks_per_sm: u32,
    /// Shared memory of one SM, bytes.
    pub shared_per_sm: u32,
    /// Shared memory of one block, bytes, dynamic included.
    pub shared_per_block: u32,
    /// Threads of one block.
    pub threads_per_block: u32,
    /// Largest block, each way.
    pub block: [u32; 3],
    /// Largest grid, each way.
    pub grid: [u32; 3],
    /// Global memory, bytes.
    pub memory: u64,
    /// Nanoseconds that one warp instruction counts for in `%globaltimer`.
    pub nanoseconds_per_instruction: u64,
}

impl Model {
    /// NVIDIA H200, compute capability 9.0.
    pub fn h200() -> Self {
        Model {
            name: "H200".into(),
            compute_capability: (9, 0),
            sms: 132,
            threads_per_sm: 2048,
            blocks_per_sm: 32,
            shared_per_sm: 228 << 10,
            shared_per_block: 227 << 10,
            threads_per_block: 1024,
            block: [1024, 1024, 64],
            grid: [i32::MAX as u32, 65535, 65535],
            memory: 141 << 30,
            nanoseconds_per_instruction: 1,
        }
    }

    /// NVIDIA T4, compute capability 7.5.
    pub fn t4() -> Self {
        Model {
            name: "T4".into(),
            compute_capability: (7, 5),
            sms: 40,
            threads_per_sm: 1024,
            blocks_per_sm: 16,
            shared_per_sm: 64 << 10,
            shared_per_block: 64 << 10,
            memory: 16 << 30,
            ..Model::h200()
        }
    }

    /// Blocks that are resident at once on the whole GPU, of so many threads and bytes
    /// of shared memory each, static and dynamic; at least one an SM. Those
    /// of a launch that are resident may wait for each other. Registers, which bound
    /// it too, are an assembler's.
    pub fn resident_blocks(&self, threads: u32, shared: u32) -> u64 {
        let warps = threads.div_ceil(32).max(1);
        let by_threads = self.threads_per_sm / (warps * 32);
        let by_shared = self.shared_per_sm / shared.saturating_add(1024);
        let each = by_threads.min(by_shared).min(self.blocks_per_sm).max(1);
        u64::from(each) * u64::from(self.sms)
    }
}

impl Default for Model {
    fn default() -> Self {
        Model::h200()
    }
}
