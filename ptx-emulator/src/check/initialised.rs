//! Reads of bytes that nobody has written.
//!
//! Shared memory is fresh in each block, local memory in each thread and each
//! call; global memory is fresh when it is allocated, and remembered from
//! launch to launch. Constants, parameters and module variables are always
//! written; the device heap (`malloc`) is not watched.
//!
//! A weak load is reported when the first byte of one of its elements has not
//! been written. An element with a first byte and without a later one may be
//! a structure that is copied with its padding, and padding never comes
//! first: such a load is silent, and so is an asynchronous copy that has the
//! first of each 8 bytes. Atomics and ordered or volatile loads work
//! on values without padding: every byte counts.

use std::ops::Range;

use super::found::Found;
use super::raw::{FindingKind, RawFinding, RawPlace};
use crate::ir::{LANES, Op, lanes_of};
use crate::lower::{Code, LOCAL};
use crate::machine::{GlobalWritten, Resident, Written};
use crate::observe::{AccessKind, LaunchInfo, Memory, MemoryAccess, Observer, Order, Site};

/// Bytes of an element of a copy, which does not say what it copies.
const WORD: u32 = 8;

/// Local memory of a warp: for each byte, the lanes that have written it.
type LocalWritten = Vec<u32>;

/// The fresh memory of one block.
#[derive(Debug)]
struct Block {
    shared: Written,
    local: Vec<LocalWritten>,
}

/// The checker.
#[derive(Debug, Default)]
pub(crate) struct Initialised {
    /// What the GPU knows of its global memory; taken back after the launch.
    pub(crate) global: GlobalWritten,
    /// Bytes of an element of each load, by instruction; 0 for all else.
    elements: Vec<u8>,
    shared_bytes: u64,
    warps: usize,
    blocks: Resident<Block>,
    found: Found,
}

impl Initialised {
    pub(crate) fn new(code: &Code, global: GlobalWritten) -> Self {
        let element = |op: &Op| match op {
            Op::Load(access) => access.bytes as u8,
            _ => 0,
        };
        Initialised {
            global,
            elements: code
                .instructions
                .iter()
                .map(|instruction| element(&instruction.op))
                .collect(),
            ..Initialised::default()
        }
    }

    pub(crate) fn findings(&self) -> Vec<RawFinding> {
        self.found.list()
    }

    /// The local memory of a warp, at least as long as `bytes`.
    fn local(&mut self, at: Site, bytes: usize) -> Option<&mut LocalWritten> {
        let warp = at.warp as usize;
        let block = self.blocks.get(at.block_linear)?;
        let local = block.local.get_mut(warp)?;
        if local.len() < bytes {
            local.resize(bytes, 0);
        }
        Some(local)
    }

    /// Bytes of an element of an access: padding may begin behind its first.
    fn element(&self, at: Site, access: &MemoryAccess<'_>) -> u32 {
        match self.elements.get(at.pc as usize) {
            Some(&bytes) if bytes > 0 => u32::from(bytes),
            _ if access.kind == AccessKind::Load => access.bytes.min(WORD),
            _ => access.bytes,
        }
    }

    /// The bytes of an access that have to be written before, a bit a byte;
    /// the same in each 64 bytes.
    fn required(&self, at: Site, access: &MemoryAccess<'_>) -> u64 {
        match (access.kind, access.order) {
            (AccessKind::Store, _) => 0,
            (AccessKind::Load, Order::Weak) => {
                let element = self.element(at, access).max(1);
                (0..64)
                    .step_by(element as usize)
                    .fold(0, |bits, byte| bits | 1 << byte)
            }
            _ => u64::MAX,
        }
    }

    /// Byte `first` of the lane's access is missing.
    #[cold]
    fn report(&mut self, at: Site, access: &MemoryAccess<'_>, lane: usize, first: u32) {
        let element = self.element(at, access).max(1);
        let place = access.addresses[lane] + u64::from(first / element * element);
        let (name, space) = match access.memory {
            Memory::Shared => ("shared", 1),
            Memory::Local => ("local", 2),
            _ => ("global", 0),
        };
        let verb = match access.kind {
            AccessKind::Atomic => "reads and writes",
            _ => "reads",
        };
        let message = format!("{name} memory that nobody has written");
        let at_lane = RawPlace::new(at, 1 << lane, verb);
        let finding = RawFinding {
            memory: Some((access.memory, place, element)),
            ..RawFinding::new(FindingKind::UninitialisedRead, message, at_lane)
        };
        self.found.add((at.pc, 0, space), finding);
    }

    fn local_access(&mut self, at: Site, access: &MemoryAccess<'_>, required: u64) {
        let first = access.addresses[access.lanes.trailing_zeros() as usize & 31];
        let bytes = u64::from(access.bytes);
        let limit = u64::from(LOCAL);
        let same = lanes_of(access.lanes).all(|lane| access.addresses[lane] == first);
        let groups = if same { 1 } else { LANES };
        for group in 0..groups {
            let (lanes, address) = match same {
                true => (access.lanes, first),
                false => (access.lanes & 1 << group, access.addresses[group]),
            };
            if lanes == 0 || address > limit {
                continue;
            }
            let range = address as usize..(address + bytes) as usize;
            let Some(local) = self.local(at, range.end) else {
                return;
            };
            let mut missing = [0u64; LANES];
            let mut bad = 0;
            for (byte, written) in local[range.clone()].iter_mut().enumerate() {
                if required >> (byte & 63) & 1 != 0 && lanes & !*written != 0 {
                    bad |= lanes & !*written;
                    lanes_of(lanes & !*written).for_each(|lane| missing[lane] |= 1 << (byte & 63));
                }
                if access.kind != AccessKind::Load {
                    *written |= lanes;
                }
            }
            for lane in lanes_of(bad) {
                self.report(at, access, lane, missing[lane].trailing_zeros());
            }
        }
    }
}

/// The first byte of an access that is required and has not been written.
#[inline(always)]
fn first_missing(written: &Written, offset: u64, bytes: u32, required: u64) -> Option<u32> {
    if required == 0 {
        return None;
    }
    (0..bytes).step_by(64).find_map(|start| {
        let count = (bytes - start).min(64);
        let missing = written.missing(offset + u64::from(start), count) & required;
        (missing != 0).then(|| start + missing.trailing_zeros())
    })
}

impl Observer for Initialised {
    const MEMORY: bool = true;
    const CONTROL: bool = true;
    const SERIAL: bool = true;

    fn fork(&self) -> Self {
        Initialised {
            global: self.global.clone(),
            elements: self.elements.clone(),
            shared_bytes: self.shared_bytes,
            warps: self.warps,
            ..Initialised::default()
        }
    }

    fn merge(&mut self, other: Self) {
        self.found.merge(other.found);
    }

    fn launch(&mut self, info: &LaunchInfo) {
        self.shared_bytes = u64::from(info.shared_bytes);
        self.warps = info.block.iter().product::<u32>().div_ceil(32) as usize;
    }

    fn block_begins(&mut self, _block: [u32; 3], linear: u64) {
        let fresh = Block {
            shared: Written::nothing(self.shared_bytes),
            local: vec![LocalWritten::new(); self.warps],
        };
        self.blocks.begin(linear, fresh);
    }

    fn block_ends(&mut self, _block: [u32; 3], linear: u64) {
        self.blocks.end(linear);
    }

    fn access(&mut self, at: Site, access: &MemoryAccess<'_>) {
        let required = self.required(at, access);
        let bytes = access.bytes;
        match access.memory {
            Memory::Constant | Memory::Parameter => {}
            Memory::Local => self.local_access(at, access, required),
            Memory::Global | Memory::Shared => {
                for lane in lanes_of(access.lanes) {
                    let address = access.addresses[lane];
                    let found = match access.memory {
                        Memory::Global => self.global.find(address, u64::from(bytes)),
                        _ => self
                            .blocks
                            .get(at.block_linear)
                            .map(|block| (&mut block.shared, address)),
                    };
                    // What lies outside is a fault, and not for this checker.
                    let Some((written, offset)) = found else {
                        continue;
                    };
                    let first = first_missing(written, offset, bytes, required);
                    if access.kind != AccessKind::Load {
                        written.write(offset, u64::from(bytes));
                    }
                    if let Some(first) = first {
                        self.report(at, access, lane, first);
                    }
                }
            }
        }
    }

    fn call(&mut self, at: Site, lanes: u32, frame: &Range<u32>) {
        if let Some(local) = self.local(at, frame.end as usize) {
            for written in &mut local[frame.start as usize..frame.end as usize] {
                *written &= !lanes;
            }
        }
    }

    fn copies(&mut self, at: Site, lanes: u32, bytes: &Range<u32>) {
        if let Some(local) = self.local(at, bytes.end as usize) {
            for written in &mut local[bytes.start as usize..bytes.end as usize] {
                *written |= lanes;
            }
        }
    }
}
