//! What the modelled GPU allows, in the words of the device layer, and how much
//! memory it can have on this host.

use ptx_emulator::{Attributes, Model};

use crate::device::{DeviceProperties, EMULATOR, FunctionAttributes};

/// Shared memory of a block without asking for more, and 32-bit registers of an
/// SM: alike on every compute capability that is modelled (CUDA C++
/// Programming Guide, "Technical Specifications per Compute Capability").
const SHARED_PER_BLOCK: u32 = 48 << 10;
const REGISTERS: u32 = 1 << 16;

/// Where the host does not tell what it has.
const UNKNOWN_HOST: u64 = 1 << 30;

/// The properties of a model. What is not modelled (caches, clocks, a bus) is 0.
pub(super) fn properties(model: &Model) -> DeviceProperties {
    DeviceProperties {
        name: format!("{} (emulated)", model.name),
        kind: EMULATOR,
        ordinal: 0,
        compute_capability: model.compute_capability,
        driver_version: None,
        driver: None,
        sm_count: model.sms,
        warp_size: 32,
        max_threads_per_block: model.threads_per_block,
        max_block: model.block,
        max_grid: model.grid,
        max_threads_per_sm: model.threads_per_sm,
        max_blocks_per_sm: model.blocks_per_sm,
        registers_per_sm: REGISTERS,
        max_shared_per_block: SHARED_PER_BLOCK.min(model.shared_per_block),
        max_shared_per_block_optin: model.shared_per_block,
        shared_per_sm: model.shared_per_sm,
        l2_cache: None,
        total_memory: model.memory,
        clock_khz: None,
        memory_clock_khz: None,
        memory_bus_bits: None,
        has_kernel_time_limit: false,
        has_cooperative_launch: true,
        has_programmatic_launch: false,
        has_timer: false,
    }
}

/// What a kernel takes up on a model.
pub(super) fn attributes(model: &Model, kernel: &Attributes) -> FunctionAttributes {
    let small = |bytes: u64| u32::try_from(bytes).unwrap_or(u32::MAX);
    let most = kernel.threads.map_or(u32::MAX, small);
    FunctionAttributes {
        max_threads_per_block: model.threads_per_block.min(most),
        registers: None,
        local_bytes: kernel.local,
        static_shared_bytes: small(kernel.shared),
        constant_bytes: small(kernel.constant),
        ptx_version: None,
        binary_version: None,
    }
}

/// Memory of a model on this host: no more than is free here, since the
/// emulated bytes are the host's.
pub(super) fn memory(modelled: u64) -> u64 {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let free = free_memory(&read("/proc/meminfo")).unwrap_or(UNKNOWN_HOST);
    // Of this process's control group, where there is a bound.
    let bound = read("/sys/fs/cgroup/memory.max").trim().parse();
    modelled.min(free).min(bound.unwrap_or(u64::MAX))
}

/// `MemAvailable: 12345 kB`, in bytes.
fn free_memory(meminfo: &str) -> Option<u64> {
    let mut lines = meminfo.lines();
    let value = lines.find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_memory_is_what_the_system_calls_available() {
        let text = "MemTotal:       100 kB\nMemFree:  1 kB\nMemAvailable:   42 kB\n";
        assert_eq!(free_memory(text), Some(43_008));
        assert_eq!(free_memory("MemTotal: 100 kB\n"), None);
        assert_eq!(free_memory("MemAvailable: many kB\n"), None);
    }

    #[test]
    fn a_model_has_no_more_memory_than_the_host_and_no_more_than_its_own() {
        let host = memory(u64::MAX);
        assert!(host > 0 && host < 1 << 50, "{host}");
        assert_eq!(memory(4096), 4096);
    }

    #[test]
    fn the_properties_are_those_of_an_h200_and_say_that_it_is_emulated() {
        let properties = properties(&Model::h200());
        assert_eq!(properties.name, "H200 (emulated)");
        assert_eq!(properties.kind, "emulator");
        assert_eq!(properties.compute_capability, (9, 0));
        assert_eq!(properties.sm_count, 132);
        assert_eq!(properties.max_shared_per_block, 49_152);
        assert_eq!(properties.max_shared_per_block_optin, 232_448);
        assert!(!properties.has_timer);
    }
}
