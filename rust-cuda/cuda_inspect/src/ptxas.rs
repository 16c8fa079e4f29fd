//! What NVIDIA's assembler says of a kernel (`ptxas -v`).
//!
//! It prints a few lines a kernel, as text for people whose words have stayed the same from
//! CUDA 11 to 13; the tests read recorded ones. What it leaves out is 0.

use serde::{Deserialize, Serialize};

/// What one kernel takes up on one architecture. Sizes in bytes, memory of a thread's own a
/// thread.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// The kernel.
    pub entry: String,
    /// `sm_90`.
    pub arch: String,
    /// 32-bit registers of a thread.
    pub registers: u32,
    /// Local memory: arrays and spilled registers.
    pub stack: u32,
    /// What is stored to it because registers ran out; in the code, not in a run.
    pub spill_stores: u32,
    /// What is loaded from it because registers ran out.
    pub spill_loads: u32,
    /// Named barriers.
    pub barriers: u32,
    /// Shared memory that the kernel declares.
    pub shared: u32,
    /// Constant memory, parameters included; the assemblers of CUDA 13 do not say it for
    /// every architecture.
    pub constant: u32,
}

/// The kernels that `ptxas -v` told of, in its order.
pub fn read(text: &str) -> Vec<Usage> {
    let mut found: Vec<Usage> = Vec::new();
    // Functions that a kernel calls have stack frames of their own.
    let mut is_kernels = true;
    for line in text.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            found.extend(head(rest));
            continue;
        }
        if let Some((_, name)) = line.split_once("Function properties for ") {
            is_kernels = found.last().is_some_and(|usage| usage.entry == name.trim());
            continue;
        }
        let Some(usage) = found.last_mut() else {
            continue;
        };
        if is_kernels && line.contains("bytes stack frame") {
            usage.stack = before(line, " bytes stack frame").unwrap_or(0);
            usage.spill_stores = before(line, " bytes spill stores").unwrap_or(0);
            usage.spill_loads = before(line, " bytes spill loads").unwrap_or(0);
        } else if line.contains("Used ") && line.contains(" registers") {
            usage.registers = before(line, " registers").unwrap_or(0);
            usage.barriers = before(line, " barriers").unwrap_or(0);
            usage.shared = before(line, " bytes smem").unwrap_or(0);
            usage.constant = constant(line);
        }
    }
    found
}

/// `name' for 'sm_90'`.
fn head(rest: &str) -> Option<Usage> {
    let (entry, rest) = rest.split_once('\'')?;
    let (_, rest) = rest.split_once('\'')?;
    Some(Usage {
        entry: entry.to_owned(),
        arch: rest.trim_end_matches(['\'', ' ']).to_owned(),
        ..Usage::default()
    })
}

/// The number that stands before these words.
fn before(line: &str, words: &str) -> Option<u32> {
    let (rest, _) = line.split_once(words)?;
    rest.rsplit([' ', ',']).next()?.parse().ok()
}

/// All banks together: `376 bytes cmem[0], 8 bytes cmem[2]`.
fn constant(line: &str) -> u32 {
    let banks = line.split(',').filter(|part| part.contains(" bytes cmem["));
    banks.filter_map(|part| before(part, " bytes cmem[")).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUDA_13: &str = include_str!("../tests/recorded/ptxas-13.5.txt");
    const CUDA_12: &str = include_str!("../tests/recorded/ptxas-12.9.txt");

    fn named(text: &str, entry: &str) -> Usage {
        let mut all = read(text).into_iter();
        all.find(|usage| usage.entry == entry).unwrap()
    }

    #[test]
    fn what_cuda_13_prints_is_read() {
        let spilling = named(CUDA_13, "trapezoid_f32_pure_pairwise");
        let expected = Usage {
            entry: "trapezoid_f32_pure_pairwise".into(),
            arch: "sm_90".into(),
            registers: 128,
            stack: 8,
            spill_stores: 12,
            spill_loads: 8,
            ..Usage::default()
        };
        assert_eq!(spilling, expected);
        let scan = named(CUDA_13, "blelloch_exclusive_u32");
        assert_eq!((scan.registers, scan.barriers, scan.shared), (17, 1, 8192));
    }

    #[test]
    fn a_kernels_stack_is_not_that_of_what_it_calls() {
        let text = "Compiling entry function 'k' for 'sm_90'\n\
                    Function properties for k\n\
                    32 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n\
                    Function properties for cold\n\
                    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
                    Used 80 registers, used 1 barriers, 768 bytes smem\n";
        let usage = named(text, "k");
        assert_eq!(
            (usage.stack, usage.spill_stores, usage.registers),
            (32, 4, 80)
        );
    }

    #[test]
    fn what_cuda_12_prints_is_read() {
        let scan = named(CUDA_12, "blelloch_exclusive_u32");
        assert_eq!(scan.arch, "sm_75");
        assert_eq!((scan.barriers, scan.shared, scan.constant), (1, 8192, 376));
        assert_eq!(read(CUDA_12).len(), 2);
    }

    #[test]
    fn several_banks_of_constants_are_added() {
        let text = "ptxas info    : Compiling entry function 'k' for 'sm_80'\n\
                    ptxas info    : Used 10 registers, 360 bytes cmem[0], 8 bytes cmem[2]\n";
        let usage = named(text, "k");
        assert_eq!(
            (usage.registers, usage.constant, usage.barriers),
            (10, 368, 0)
        );
    }

    #[test]
    fn what_is_about_no_kernel_is_nothing() {
        assert_eq!(read("ptxas info    : 0 bytes gmem\n"), []);
        assert_eq!(read(""), []);
    }
}
