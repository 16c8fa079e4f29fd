//! Wavefronts of shared memory: how often it is gone through for a request,
//! more often when lanes meet in a bank.
//!
//! Shared memory has 32 banks; successive 4-byte words lie in successive
//! banks, and a bank gives one word at a time, to all lanes that ask for it
//! (CUDA C++ Programming Guide, "Compute Capabilities", section "Shared Memory"
//! of 5.x, to which those of 6.x to 9.0 refer). What the guide leaves open was
//! counted on an H200 with Nsight Compute of CUDA 13.0 in November 2026
//! (`l1tex__data_pipe_lsu_wavefronts_mem_shared_op_*`); the tests hold those
//! counts, and all of them agree:
//!
//! - Accesses of 8 bytes are made by 16 lanes at a time, of 16 bytes by 8; a
//!   group without active lanes costs nothing. For a load in which the active
//!   lanes of all pairs 2k and 2k + 1 have one address, or those of all pairs
//!   4k and 4k + 2, 4k + 1 and 4k + 3, twice as many lanes go together.
//! - An atomic takes as many wavefronts as lanes meet in one bank, on the same
//!   word or not.
//!
//! Approximate: 8-byte atomics, which the GPU makes by a loop of loads and
//! locks, count as if they were made like those of 4 bytes, by 16 lanes at a
//! time. Not counted: wavefronts that other traffic of the SM
//! causes.

use super::{ByKind, add_all, at, sums};
use crate::observe::{AccessKind, Memory, MemoryAccess, Observer, Site};

/// Banks, which is also the most words of one wavefront.
const BANKS: usize = 32;
/// Bytes of a word.
const WORD: u32 = 4;
/// Bytes of one wavefront.
const WAVEFRONT: u32 = BANKS as u32 * WORD;

/// Requests of warps to shared memory.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct SharedRequests {
    /// Accesses of warps.
    pub requests: u64,
    /// Wavefronts that they took.
    pub wavefronts: u64,
    /// Wavefronts that would do if the different words of a request lay in
    /// different banks.
    pub ideal: u64,
    /// Wavefronts of the worst request.
    pub worst: u64,
}

sums!(SharedRequests: requests, wavefronts, ideal; worst);

/// Counts wavefronts of shared memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wavefronts {
    /// By the index of the instruction in the program.
    pub by_instruction: Vec<ByKind<SharedRequests>>,
}

impl Wavefronts {
    pub(super) fn add(&mut self, pc: u32, kind: AccessKind, request: SharedRequests) {
        *at(&mut self.by_instruction, pc as usize, ByKind::default()).of_mut(kind) += request;
    }

    /// All instructions together.
    pub fn total(&self) -> ByKind<SharedRequests> {
        ByKind::sum(&self.by_instruction)
    }
}

impl Observer for Wavefronts {
    const MEMORY: bool = true;

    fn fork(&self) -> Self {
        Wavefronts::default()
    }
    fn merge(&mut self, other: Self) {
        add_all(&mut self.by_instruction, &other.by_instruction);
    }
    fn access(&mut self, site: Site, access: &MemoryAccess<'_>) {
        if access.memory == Memory::Shared {
            self.add(site.pc, access.kind, shared_request(access));
        }
    }
}

/// One request of a warp to shared memory.
pub(super) fn shared_request(access: &MemoryAccess<'_>) -> SharedRequests {
    let wavefronts = if access.bytes > WAVEFRONT {
        u64::from(access.bytes.div_ceil(WAVEFRONT)) * u64::from(access.lanes.count_ones())
    } else {
        wavefronts(access)
    };
    let words = u64::from(access.bytes.div_ceil(WORD)) * different_words(access);
    SharedRequests {
        requests: 1,
        wavefronts,
        ideal: words.div_ceil(BANKS as u64),
        worst: wavefronts,
    }
}

/// Different first words of the lanes. Accesses are aligned to their size, so
/// two of them are at the same words or at different ones.
fn different_words(access: &MemoryAccess<'_>) -> u64 {
    let mut words = Words::default();
    for (lane, address) in access.addresses.iter().enumerate() {
        if access.lanes >> lane & 1 != 0 {
            words.push(address / u64::from(WORD));
        }
    }
    words.different().len() as u64
}

fn wavefronts(access: &MemoryAccess<'_>) -> u64 {
    let alone = (WAVEFRONT / access.bytes.next_power_of_two().max(WORD)) as usize;
    let merges =
        access.kind == AccessKind::Load && matches!(access.bytes, 8 | 16) && pairs_agree(access);
    let lanes = if merges { 2 * alone } else { alone };
    (0..BANKS)
        .step_by(lanes)
        .map(|first| group(access, first..first + lanes))
        .sum()
}

/// True when no lane has another address than its neighbour, or none than the
/// lane two further, if that is active.
fn pairs_agree(access: &MemoryAccess<'_>) -> bool {
    let active = |lane: usize| access.lanes >> lane & 1 != 0;
    [1, 2].into_iter().any(|distance| {
        (0..BANKS).all(|lane| {
            let other = lane ^ distance;
            let both = active(lane) && active(other);
            !both || access.addresses[lane] == access.addresses[other]
        })
    })
}

/// Wavefronts of lanes that are served together.
fn group(access: &MemoryAccess<'_>, lanes: std::ops::Range<usize>) -> u64 {
    let mut words = Words::default();
    for lane in lanes {
        if access.lanes >> lane & 1 != 0 {
            let first = access.addresses[lane] / u64::from(WORD);
            for word in 0..u64::from(access.bytes.div_ceil(WORD)) {
                words.push(first + word);
            }
        }
    }
    match access.kind {
        AccessKind::Atomic => most_in_a_bank(words.all()),
        _ => most_in_a_bank(words.different()),
    }
}

fn most_in_a_bank(words: &[u64]) -> u64 {
    let mut banks = [0u8; BANKS];
    for word in words {
        banks[*word as usize % BANKS] += 1;
    }
    u64::from(banks.into_iter().max().unwrap_or(0))
}

/// Words of a group of lanes: at most two wavefronts full.
struct Words {
    words: [u64; 2 * BANKS],
    count: usize,
    /// Each larger than the one before.
    rising: bool,
}

impl Default for Words {
    fn default() -> Self {
        Words {
            words: [0; 2 * BANKS],
            count: 0,
            rising: true,
        }
    }
}

impl Words {
    fn push(&mut self, word: u64) {
        if let Some(place) = self.words.get_mut(self.count) {
            *place = word;
            self.rising &= self.count == 0 || self.words[self.count - 1] < word;
            self.count += 1;
        }
    }

    fn all(&self) -> &[u64] {
        &self.words[..self.count]
    }

    /// Each word once.
    fn different(&mut self) -> &[u64] {
        if !self.rising {
            self.words[..self.count].sort_unstable();
            let mut kept = 0;
            for index in 0..self.count {
                if index == 0 || self.words[index] != self.words[kept - 1] {
                    self.words[kept] = self.words[index];
                    kept += 1;
                }
            }
            (self.count, self.rising) = (kept, true);
        }
        &self.words[..self.count]
    }
}
