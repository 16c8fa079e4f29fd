//! Sectors of global memory: the 32-byte pieces that a warp's request touches.
//!
//! A request is served by as many transactions of 32 bytes as its lanes touch
//! (CUDA C++ Best Practices Guide, section "Coalesced Access to Global Memory",
//! for compute capability 6.0 and later), cached or not. Counts of an H200 by
//! Nsight Compute of CUDA 13.0 in November 2026
//! (`l1tex__t_sectors_pipe_lsu_mem_global_op_*`) agree for loads and stores. An
//! atomic touches a sector as often as its most lanes with one address in it:
//! the H200 counts that, and one more in some irregular patterns.

use super::{ByKind, add_all, at, sums};
use crate::observe::{AccessKind, Memory, MemoryAccess, Observer, Site};

/// Bytes of a sector.
const SECTOR: u64 = 32;
/// Lanes of a warp.
const LANES: usize = 32;

/// Requests of warps to global memory.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct GlobalRequests {
    /// Accesses of warps.
    pub requests: u64,
    /// Sectors of 32 bytes that they touched.
    pub sectors: u64,
    /// Sectors that would do if the different bytes of a request were next to
    /// each other.
    pub ideal: u64,
    /// Bytes of all lanes.
    pub bytes: u64,
}

sums!(GlobalRequests: requests, sectors, ideal, bytes; );

/// Counts sectors of global memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sectors {
    /// By the index of the instruction in the program.
    pub by_instruction: Vec<ByKind<GlobalRequests>>,
}

impl Sectors {
    /// All instructions together.
    pub fn total(&self) -> ByKind<GlobalRequests> {
        ByKind::sum(&self.by_instruction)
    }
}

impl Observer for Sectors {
    const MEMORY: bool = true;

    fn fork(&self) -> Self {
        Sectors::default()
    }
    fn merge(&mut self, other: Self) {
        add_all(&mut self.by_instruction, &other.by_instruction);
    }
    fn access(&mut self, site: Site, access: &MemoryAccess<'_>) {
        if access.memory == Memory::Global {
            let index = site.pc as usize;
            *at(&mut self.by_instruction, index, ByKind::default()).of_mut(access.kind) +=
                global_request(access);
        }
    }
}

/// One request of a warp to global memory.
fn global_request(access: &MemoryAccess<'_>) -> GlobalRequests {
    let mut list = [0u64; LANES];
    let mut count = 0;
    let mut rising = true;
    for (lane, address) in access.addresses.iter().enumerate() {
        if access.lanes >> lane & 1 != 0 {
            list[count] = *address;
            rising &= count == 0 || list[count - 1] <= *address;
            count += 1;
        }
    }
    let addresses = &mut list[..count];
    if !rising {
        addresses.sort_unstable();
    }
    let bytes = u64::from(access.bytes);
    let sectors = match access.kind {
        AccessKind::Atomic => atomic_sectors(addresses),
        _ => touched(addresses, bytes),
    };
    let mut different = 0u64;
    for (index, address) in addresses.iter().enumerate() {
        different += u64::from(index == 0 || addresses[index - 1] != *address);
    }
    GlobalRequests {
        requests: 1,
        sectors,
        ideal: (different * bytes).div_ceil(SECTOR),
        bytes: count as u64 * bytes,
    }
}

/// Sectors that accesses touch, from the lowest address to the highest.
fn touched(addresses: &[u64], bytes: u64) -> u64 {
    let mut sum = 0;
    // The first sector that is not counted yet.
    let mut next = 0;
    for address in addresses {
        let first = (address / SECTOR).max(next);
        let end = (address + bytes.max(1) - 1) / SECTOR + 1;
        sum += end.saturating_sub(first);
        next = next.max(end);
    }
    sum
}

/// Of each sector, the most lanes that share an address.
fn atomic_sectors(addresses: &[u64]) -> u64 {
    let mut sum = 0;
    let (mut most, mut run) = (0, 0);
    for (index, address) in addresses.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| addresses[before]);
        if before.map(|before| before / SECTOR) != Some(address / SECTOR) {
            sum += most;
            most = 0;
        }
        run = if before == Some(*address) { run + 1 } else { 1 };
        most = most.max(run);
    }
    sum + most
}
