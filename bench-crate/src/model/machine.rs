//! The machines of the model: how many SMs, and what each holds.

use crate::record::{DeviceInfo, SmLimits};

/// Lanes of a warp, on every GPU so far.
pub(super) const LANES: u32 = 32;

/// Registers are given to a warp in portions of this many, since compute capability
/// 3.0 (NVIDIA's CUDA Occupancy Calculator, 2022).
const REGISTER_PORTION: u32 = 256;

/// A GPU as the model sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Machine {
    /// Its name.
    pub(super) name: String,
    /// How many SMs, and what each holds.
    pub(super) sms: SmLimits,
    /// Registers of a thread of the kernel, where they are known: they limit the
    /// blocks on an SM too.
    pub(super) registers: Option<u32>,
}

impl Machine {
    /// The machine of a record. `None` when neither the record nor this file knows
    /// its SMs.
    pub(super) fn of(info: &DeviceInfo, registers: Option<u32>) -> Option<Self> {
        Some(Machine {
            name: info.name.clone(),
            sms: info
                .sms
                .or_else(|| known(&info.name))
                .filter(|held| held.count > 0 && held.max_threads > 0 && held.max_blocks > 0)?,
            registers,
        })
    }

    /// The page's GPU in `sweep-f32`: 112 processors (hothardware.com, "NVIDIA GeForce
    /// 8800 GT - G92 Takes Flight", 2007), 8 an SM, compute capability 1.1
    /// (limits: NVIDIA's CUDA Occupancy Calculator, 2010).
    pub(super) fn geforce_8800_gt() -> Self {
        old("GeForce 8800 GT", 14, 768, 8192)
    }

    /// The page's GPU in `sweep-f64`, one of four in the case: 448 processors
    /// (cputronic.com, "NVIDIA Tesla S2050", read in November 2026), 32 a
    /// SM, compute capability 2.0 (limits: NVIDIA's CUDA Occupancy
    /// Calculator, 2010).
    pub(super) fn tesla_s2050() -> Self {
        old("Tesla S2050", 14, 1536, 32768)
    }

    /// The same machine with another number of SMs.
    pub(super) fn with_count(&self, count: u32) -> Self {
        let mut machine = self.clone();
        machine.sms.count = count;
        machine
    }

    /// Blocks of `threads` threads that one SM holds at once, at least 1.
    pub(super) fn resident_blocks(&self, threads: u32) -> u32 {
        let limits = &self.sms;
        let warps = warps(threads);
        let by_threads = limits.max_threads / (warps * LANES).max(1);
        let by_registers = match self.registers {
            Some(registers) if registers > 0 => {
                let warp = (registers * LANES).next_multiple_of(REGISTER_PORTION);
                limits.registers / (warp * warps).max(1)
            }
            _ => u32::MAX,
        };
        limits.max_blocks.min(by_threads).min(by_registers).max(1)
    }

    /// Blocks that the fullest SM gets.
    pub(super) fn most_blocks(&self, blocks: u32) -> u32 {
        blocks.div_ceil(self.sms.count.max(1))
    }
}

/// Warps of a block.
pub(super) fn warps(threads: u32) -> u32 {
    threads.div_ceil(LANES)
}

fn old(name: &str, count: u32, max_threads: u32, registers: u32) -> Machine {
    Machine {
        name: name.to_owned(),
        sms: SmLimits {
            count,
            max_threads,
            max_blocks: 8,
            registers,
        },
        registers: None,
    }
}

/// Machines whose records are older than the field (as the driver of an H200
/// answered, November 2026).
fn known(name: &str) -> Option<SmLimits> {
    (name == "NVIDIA H200").then_some(SmLimits {
        count: 132,
        max_threads: 2048,
        max_blocks: 32,
        registers: 65536,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_held_by_threads_blocks_and_registers_whichever_is_least() {
        let machine = |registers| Machine {
            name: String::new(),
            sms: SmLimits {
                count: 132,
                max_threads: 2048,
                max_blocks: 32,
                registers: 65536,
            },
            registers,
        };
        // CUDA's occupancy calculator for compute capability 9.0.
        for (threads, registers, blocks) in [
            (1024, None, 2),
            (128, None, 16),
            (33, None, 32),
            (8, None, 32),
            (256, Some(32), 8),
            (256, Some(40), 6),
            (1024, Some(64), 1),
        ] {
            let held = machine(registers).resident_blocks(threads);
            assert_eq!(held, blocks, "{threads} threads, {registers:?} registers");
        }
    }

    #[test]
    fn sixteen_blocks_on_fourteen_sms_are_two_on_the_fullest() {
        assert_eq!(Machine::geforce_8800_gt().most_blocks(16), 2);
        assert_eq!(Machine::geforce_8800_gt().most_blocks(14), 1);
    }
}
