//! Which kernel scans an array: by the number of its elements, the architecture, and what
//! is asked of the bits of floats. Pure.
//!
//! The thresholds are in the table of tuned constants
//! ([`tuned`](quadscan_kernels::scan::tuned)); `n` below one of them is scanned in fewer microseconds
//! by the kernel that it belongs to than by the next.

use quadscan_kernels::scan::{Algorithm, ScanKernel, sizes};

use super::options::Reproducibility;

/// A kernel on a device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) kernel: &'static ScanKernel,
    /// Blocks that the device holds at once, or fewer that the plan may use.
    pub(super) blocks: u64,
}

impl Candidate {
    /// The most elements that it scans there.
    pub(super) fn capacity(&self) -> u64 {
        if !self.kernel.algorithm.is_one_wave() {
            return self.kernel.capacity();
        }
        let tiles = self.blocks.min(self.kernel.max_tiles);
        self.kernel.tile.saturating_mul(tiles)
    }
}

/// What is to be scanned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    pub(super) n: u64,
    /// Bytes of an element.
    pub(super) element: u64,
    /// Bytes of a result.
    pub(super) result: u64,
    pub(super) compute_capability: (u32, u32),
    pub(super) reproducibility: Reproducibility,
}

impl Task {
    /// Whether the choice of this kernel is the same on every GPU.
    fn is_free_of_gpu(&self, candidate: &Candidate) -> bool {
        self.reproducibility == Reproducibility::RunToRun
            || !candidate.kernel.algorithm.is_one_wave()
    }

    /// Whether the kernel is the fastest of it and those that follow it.
    fn is_fastest(&self, candidate: &Candidate) -> bool {
        let row = sizes::nearest_row(self.element as usize, self.result as usize);
        let thresholds = row.thresholds(self.compute_capability);
        let bytes = match candidate.kernel.algorithm {
            Algorithm::OneWaveSmall => thresholds.one_wave_small,
            Algorithm::OneWave => thresholds.one_wave,
            _ => u64::MAX,
        };
        self.n.saturating_mul(self.element) <= bytes
    }
}

/// The kernel for the task, of those that there are, in the order of
/// [`ScanKernels::KERNELS`](quadscan_kernels::scan::ScanKernels::KERNELS): the first one
/// that is the fastest for so many elements, else the last one that can do it at all.
pub(super) fn choose<'c>(candidates: &'c [Candidate], task: &Task) -> Option<&'c Candidate> {
    let able =
        |candidate: &&Candidate| task.n <= candidate.capacity() && task.is_free_of_gpu(candidate);
    let mut fastest = candidates.iter().filter(able);
    fastest
        .find(|candidate| task.is_fastest(candidate))
        .or_else(|| candidates.iter().rev().find(able))
}

#[cfg(all(test, feature = "instances"))]
mod tests {
    use quadscan_kernels::operator::Sum;
    use quadscan_kernels::scan::ScanKernels;

    use super::*;

    /// Those of `u32` on a device that holds so many blocks of each at once.
    fn candidates(blocks: u64) -> Vec<Candidate> {
        let kernels = <Sum<u32> as ScanKernels>::KERNELS.iter();
        let kernels = kernels.filter(|kernel| kernel.algorithm.is_chosen());
        kernels.map(|kernel| Candidate { kernel, blocks }).collect()
    }

    fn task(n: u64) -> Task {
        Task {
            n,
            element: 4,
            result: 4,
            compute_capability: (9, 0),
            reproducibility: Reproducibility::RunToRun,
        }
    }

    fn chosen(blocks: u64, task: Task) -> Option<&'static str> {
        choose(&candidates(blocks), &task).map(|candidate| candidate.kernel.entry)
    }

    #[test]
    fn more_elements_go_to_a_kernel_of_more() {
        assert_eq!(chosen(132, task(1)), Some("one_block_sum_u32"));
        assert_eq!(chosen(132, task(8192)), Some("one_block_sum_u32"));
        assert_eq!(chosen(132, task(8193)), Some("one_wave_small_sum_u32"));
        assert_eq!(chosen(264, task(1 << 20)), Some("one_wave_sum_u32"));
        assert_eq!(chosen(264, task(1 << 26)), Some("lookahead_sum_u32"));
        assert_eq!(chosen(1, task(u64::MAX)), Some("lookahead_sum_u32"));
    }

    #[test]
    fn a_wave_is_no_larger_than_what_is_resident_at_once() {
        assert_eq!(chosen(4, task(4 * 4096)), Some("one_wave_sum_u32"));
        assert_eq!(chosen(4, task(4 * 4096 + 1)), Some("lookahead_sum_u32"));
    }

    #[test]
    fn a_device_that_cannot_look_ahead_looks_back() {
        let mut older = candidates(1056);
        older.retain(|candidate| !candidate.kernel.entry.starts_with("lookahead"));
        let chosen = |n| choose(&older, &task(n)).map(|candidate| candidate.kernel.entry);
        assert_eq!(chosen(1 << 21), Some("one_wave_sum_u32"));
        let fixed = Some("decoupled_lookback_fixed_sum_u32");
        assert_eq!(chosen(1 << 23), fixed);
        assert_eq!(chosen(1 << 33), fixed);
        let across = Task {
            reproducibility: Reproducibility::AcrossGpus,
            ..task(8193)
        };
        let found = choose(&older, &across).map(|candidate| candidate.kernel.entry);
        assert_eq!(found, fixed);
    }

    #[test]
    fn where_nothing_is_the_fastest_the_last_that_can_do_it_scans() {
        let mut few = candidates(1056);
        few.truncate(3);
        let chosen = |n| choose(&few, &task(n)).map(|candidate| candidate.kernel.entry);
        assert_eq!(chosen(1 << 22), Some("one_wave_sum_u32"));
        assert_eq!(chosen(1 << 28), None);
    }

    #[test]
    fn a_choice_for_every_gpu_does_not_ask_what_is_resident() {
        let across = |n| Task {
            reproducibility: Reproducibility::AcrossGpus,
            ..task(n)
        };
        for blocks in [1, 132, 10_000] {
            assert_eq!(chosen(blocks, across(8192)), Some("one_block_sum_u32"));
            assert_eq!(chosen(blocks, across(8193)), Some("lookahead_sum_u32"));
        }
    }
}
