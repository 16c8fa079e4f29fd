//! How many blocks of a kernel an SM holds at once, and what limits them.
//!
//! What an SM has is in the CUDA Programming Guide, "Compute Capabilities",
//! table "Technical Specifications per Compute Capability"; how it is given out (registers to
//! each of four partitions, by warps and 256 at a time; shared memory with 1 KiB a block for
//! the system since 8.0; named barriers since 9.0) in NVIDIA's `cuda_occupancy.h`, of CUDA 13
//! (both read 2026-11-22). Clusters, and blocks that other kernels hold, are not thought of.

use serde::{Deserialize, Serialize};

/// Threads of a warp.
pub const WARP: u32 = 32;

/// Threads of a block at most.
pub const MAX_THREADS: u32 = 1024;

/// Registers of an SM, which are those of a block at most too.
const REGISTERS: u32 = 65_536;

/// Registers are given to a warp by so many.
const REGISTER_UNIT: u32 = 256;

/// Registers of a thread at most.
const MAX_REGISTERS: u32 = 255;

/// Parts of an SM with registers and warps of their own.
const PARTITIONS: u32 = 4;

/// What an SM of one compute capability has. Sizes in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sm {
    /// Compute capability, major and minor.
    pub capability: (u32, u32),
    /// Resident threads at most.
    pub threads: u32,
    /// Resident blocks at most.
    pub blocks: u32,
    /// Shared memory.
    pub shared: u32,
    /// Shared memory of one block at most, where the launch asks for it.
    pub shared_per_block: u32,
    /// Shared memory that the system takes for each block.
    pub reserved: u32,
    /// Shared memory is given out by so many bytes.
    pub shared_unit: u32,
    /// Named barriers; `None` where every block has its sixteen.
    pub barriers: Option<u32>,
}

const fn sm(
    capability: (u32, u32),
    threads: u32,
    blocks: u32,
    shared_kib: u32,
    barriers: Option<u32>,
) -> Sm {
    let reserved = if capability.0 >= 8 { 1 << 10 } else { 0 };
    Sm {
        capability,
        threads,
        blocks,
        shared: shared_kib << 10,
        shared_per_block: (shared_kib << 10) - reserved,
        reserved,
        shared_unit: if capability.0 >= 8 { 128 } else { 256 },
        barriers,
    }
}

/// The compute capabilities that are known here.
pub const KNOWN: [Sm; 7] = [
    sm((7, 5), 1024, 16, 64, None),
    sm((8, 0), 2048, 32, 164, None),
    sm((8, 6), 1536, 16, 100, None),
    sm((8, 9), 1536, 24, 100, None),
    sm((9, 0), 2048, 32, 228, Some(64)),
    sm((10, 0), 2048, 32, 228, Some(64)),
    sm((12, 0), 1536, 24, 100, Some(24)),
];

/// What one block of a kernel needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Threads, 1 to [`MAX_THREADS`].
    pub threads: u32,
    /// Registers of a thread; `None` where no assembler has said.
    pub registers: Option<u32>,
    /// Shared memory that the kernel declares and that the launch asks for, bytes.
    pub shared: u32,
    /// Named barriers.
    pub barriers: u32,
}

/// What there is too little of for another block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Resident warps.
    Warps,
    /// Registers.
    Registers,
    /// Shared memory.
    Shared,
    /// Resident blocks.
    Blocks,
    /// Named barriers.
    Barriers,
}

impl Limit {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Warps => "warps",
            Limit::Registers => "registers",
            Limit::Shared => "shared memory",
            Limit::Blocks => "blocks",
            Limit::Barriers => "barriers",
        }
    }
}

/// What is resident on an SM.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occupancy {
    /// Threads of a block.
    pub threads: u32,
    /// Blocks; 0 when not even one fits.
    pub blocks: u32,
    /// Warps of these blocks.
    pub warps: u32,
    /// Warps that the SM could hold.
    pub max_warps: u32,
    /// Everything that there is too little of for one block more.
    pub limited_by: Vec<Limit>,
    /// Whether the registers are known: else these are upper bounds.
    pub is_exact: bool,
}

impl Occupancy {
    /// Warps that are resident of those that could be, percent.
    pub fn percent(&self) -> f64 {
        100.0 * f64::from(self.warps) / f64::from(self.max_warps)
    }
}

impl Sm {
    /// That of a compute capability, if it is known here.
    pub fn of(capability: (u32, u32)) -> Option<&'static Sm> {
        KNOWN.iter().find(|known| known.capability == capability)
    }

    /// Blocks that are resident at once; `None` for a number of threads that no block has.
    pub fn occupancy(&self, block: &Block) -> Option<Occupancy> {
        if !(1..=MAX_THREADS).contains(&block.threads) {
            return None;
        }
        let warps = block.threads.div_ceil(WARP);
        let max_warps = self.threads / WARP;
        let mut most = vec![
            (Limit::Warps, max_warps / warps),
            (Limit::Blocks, self.blocks),
            (Limit::Shared, self.by_shared(block.shared)),
        ];
        if let Some(registers) = block.registers {
            most.push((Limit::Registers, by_registers(warps, registers)));
        }
        if let Some(barriers) = self.barriers.filter(|_| block.barriers > 0) {
            most.push((Limit::Barriers, barriers / block.barriers));
        }
        let blocks = most.iter().map(|&(_, most)| most).min().unwrap_or(0);
        let limits = most.iter().filter(|&&(_, most)| most == blocks);
        let mut limited_by: Vec<Limit> = limits.map(|&(limit, _)| limit).collect();
        limited_by.sort();
        Some(Occupancy {
            threads: block.threads,
            blocks,
            warps: blocks * warps,
            max_warps,
            limited_by,
            is_exact: block.registers.is_some(),
        })
    }

    fn by_shared(&self, bytes: u32) -> u32 {
        if bytes > self.shared_per_block {
            return 0;
        }
        let each = (bytes + self.reserved).next_multiple_of(self.shared_unit);
        self.shared.checked_div(each).unwrap_or(u32::MAX)
    }
}

fn by_registers(warps: u32, registers: u32) -> u32 {
    if registers > MAX_REGISTERS {
        return 0;
    }
    let a_warp = (registers * WARP).next_multiple_of(REGISTER_UNIT);
    // A block starts if it would fit with its warps spread over all partitions.
    if a_warp * warps.next_multiple_of(PARTITIONS) > REGISTERS {
        return 0;
    }
    let all = (REGISTERS / PARTITIONS).checked_div(a_warp);
    all.map_or(u32::MAX, |each| each * PARTITIONS / warps)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written by a program around NVIDIA's `cuda_occupancy.h` of CUDA 13.5.
    const PUBLISHED: &str = include_str!("../tests/recorded/occupancy.csv");

    fn limit(name: &str) -> Limit {
        match name {
            "warps" => Limit::Warps,
            "registers" => Limit::Registers,
            "shared" => Limit::Shared,
            "blocks" => Limit::Blocks,
            "barriers" => Limit::Barriers,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn blocks_and_limits_are_those_of_nvidias_own_calculator() {
        let mut compared = 0;
        for row in PUBLISHED.lines().skip(1) {
            let cells: Vec<&str> = row.split(',').collect();
            let number = |index: usize| cells[index].parse::<u32>().unwrap();
            let (major, minor) = cells[0].split_once('.').unwrap();
            let capability = (major.parse().unwrap(), minor.parse().unwrap());
            let block = Block {
                threads: number(1),
                registers: Some(number(2)),
                shared: number(3) + number(4),
                barriers: number(5),
            };
            let found = Sm::of(capability).unwrap().occupancy(&block).unwrap();
            let mut limits: Vec<Limit> = cells[7].split_whitespace().map(limit).collect();
            limits.sort();
            // Where barriers limit, it names too what would without them.
            if limits.contains(&Limit::Barriers) {
                limits.retain(|limit| found.limited_by.contains(limit));
                assert!(limits.contains(&Limit::Barriers), "{row}");
            }
            let expected = (number(6), &limits);
            assert_eq!((found.blocks, &found.limited_by), expected, "{row}");
            compared += 1;
        }
        assert!(compared >= 160, "{compared}");
    }

    #[test]
    fn what_is_whole_fills_an_sm() {
        let sm_90 = Sm::of((9, 0)).unwrap();
        let block = Block {
            threads: 1024,
            registers: Some(32),
            shared: 0,
            barriers: 1,
        };
        let full = sm_90.occupancy(&block).unwrap();
        assert_eq!((full.blocks, full.warps, full.percent()), (2, 64, 100.0));
        let more = Block {
            registers: Some(33),
            ..block
        };
        let half = sm_90.occupancy(&more).unwrap();
        assert_eq!((half.blocks, half.percent()), (1, 50.0));
        assert_eq!(half.limited_by, [Limit::Registers]);
    }

    #[test]
    fn registers_that_nobody_knows_leave_an_upper_bound() {
        let block = Block {
            threads: 256,
            registers: None,
            shared: 100 << 10,
            barriers: 0,
        };
        let bound = Sm::of((9, 0)).unwrap().occupancy(&block).unwrap();
        assert!(!bound.is_exact);
        assert_eq!((bound.blocks, bound.limited_by), (2, vec![Limit::Shared]));
    }

    #[test]
    fn a_block_that_cannot_be_has_no_occupancy() {
        let block = |threads| Block {
            threads,
            registers: Some(32),
            shared: 0,
            barriers: 0,
        };
        let sm_75 = Sm::of((7, 5)).unwrap();
        assert_eq!(sm_75.occupancy(&block(0)), None);
        assert_eq!(sm_75.occupancy(&block(1025)), None);
        assert!(Sm::of((6, 0)).is_none());
    }
}
