//! Reads of bytes that nobody has written.
//!
//! Shared memory is fresh in each block, local memory in each thread and each
//! call; global memory is fresh when it is allocated, and remembered from
//! launch to launch. Constants, parameters and module variables are always
//! written; the device heap (`malloc`) is not watched.
//!
//! A load is reported when its first byte has not been written. Where that has, later ones may be
//! the padding of a structure that is copied, which never comes first: loads, stores, moves and
//! shuffles take along which bytes they are (`carried`), and the load is reported when anything
//! else reads them, such as arithmetic, a comparison or an address. Atomics, ordered and volatile loads work on values
//! without padding: every byte counts. An asynchronous copy is silent where it has the first of
//! each 8 bytes.

mod carried;

use std::ops::Range;
use std::sync::Arc;

use super::found::Found;
use super::raw::{FindingKind, RawFinding, RawPlace};
use crate::ir::{LANES, Op, lanes_of};
use crate::lower::{Code, LOCAL};
use crate::machine::{GlobalWritten, Resident, Written};
use crate::observe::{AccessKind, LaunchInfo, Memory, MemoryAccess, Observer, Order};
use crate::observe::{Registers, Site};
use crate::program;
use carried::{Carried, Frame, Origin};

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
    code: Option<Arc<Code>>,
    carried: Carried,
    shared_bytes: u64,
    warps: usize,
    blocks: Resident<Block>,
    found: Found,
}

impl Initialised {
    pub(crate) fn new(code: Arc<Code>, global: GlobalWritten) -> Self {
        Initialised {
            global,
            code: Some(code),
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

    fn op(&self, at: Site) -> Option<&Op> {
        let code = self.code.as_ref()?;
        Some(&code.instructions.get(at.pc as usize)?.op)
    }

    /// Bytes of an element of an access, and whether it may be one of a copy with padding.
    fn element(&self, at: Site, access: &MemoryAccess<'_>) -> (u32, bool) {
        match (access.kind, self.op(at)) {
            (AccessKind::Load, Some(Op::Load(load))) => (load.bytes, access.order == Order::Weak),
            (AccessKind::Load, _) => (access.bytes.min(WORD), false),
            _ => (access.bytes, false),
        }
    }

    /// Some bytes of a lane's access are missing, a bit a byte.
    #[cold]
    fn lacks(&mut self, at: Site, access: &MemoryAccess<'_>, lane: usize, missing: Missing) {
        let (element, copies) = self.element(at, access);
        if copies
            && missing.bytes & 1 == 0
            && let Some(code) = self.code.clone()
        {
            let op = &code.instructions[at.pc as usize].op;
            let missing = missing.bytes as u32;
            return self.carried.load(at, op, access, lane, missing);
        }
        let first = missing.first() / element.max(1) * element.max(1);
        let origin = Origin::new(at, access, lane, element);
        let place = origin.place + u64::from(first);
        let verb = match access.kind {
            AccessKind::Atomic => "reads and writes",
            _ => "reads",
        };
        self.report(at, verb, Origin { place, ..origin });
    }

    /// A load's bytes are used that nobody has written.
    #[cold]
    fn report(&mut self, at: Site, verb: &'static str, origin: Origin) {
        let (name, space) = match origin.memory {
            Memory::Shared => ("shared", 1),
            Memory::Local => ("local", 2),
            _ => ("global", 0),
        };
        let message = format!("{name} memory that nobody has written");
        let place = RawPlace {
            pc: origin.pc,
            block: at.block_linear,
            thread: origin.thread,
            verb,
        };
        let finding = RawFinding {
            memory: Some((origin.memory, origin.place, origin.element)),
            ..RawFinding::new(FindingKind::UninitialisedRead, message, place)
        };
        self.found.add((origin.pc, 0, space), finding);
    }

    /// The bytes of an access that have to be written before, or are taken along, a bit a byte;
    /// the same in each 64 bytes.
    fn required(&self, at: Site, access: &MemoryAccess<'_>) -> u64 {
        match access.kind {
            AccessKind::Store => 0,
            AccessKind::Load if !matches!(self.op(at), Some(Op::Load(_))) => (0..64)
                .step_by(WORD as usize)
                .fold(0, |bits, byte| bits | 1 << byte),
            _ => u64::MAX,
        }
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
                let bytes = missing[lane];
                self.lacks(at, access, lane, Missing { start: 0, bytes });
            }
        }
    }
}

/// Bytes of an access that are required and have not been written.
#[derive(Copy, Clone, Debug)]
struct Missing {
    /// Before the first 64 bytes that lack some.
    start: u32,
    bytes: u64,
}

impl Missing {
    fn first(self) -> u32 {
        self.start + self.bytes.trailing_zeros()
    }
}

/// Those of the first 64 bytes of an access that lack some.
#[inline(always)]
fn missing(written: &Written, offset: u64, bytes: u32, required: u64) -> Option<Missing> {
    if required == 0 {
        return None;
    }
    (0..bytes).step_by(64).find_map(|start| {
        let count = (bytes - start).min(64);
        let missing = written.missing(offset + u64::from(start), count) & required;
        (missing != 0).then_some(Missing {
            start,
            bytes: missing,
        })
    })
}

impl Observer for Initialised {
    const MEMORY: bool = true;
    const CONTROL: bool = true;
    const REGISTERS: bool = true;
    const SERIAL: bool = true;

    fn fork(&self) -> Self {
        Initialised {
            global: self.global.clone(),
            code: self.code.clone(),
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
        self.carried.end(linear);
    }

    fn follows(&self) -> bool {
        !self.carried.is_empty()
    }

    fn registers(&mut self, at: Site, lanes: u32, rows: [u32; 2], registers: &dyn Registers) {
        let Some(code) = self.code.clone() else {
            return;
        };
        let Some(uses) = program::uses(&code).get(at.pc as usize) else {
            return;
        };
        let mut found = Vec::new();
        let frame = Frame { rows, registers };
        let carried = &mut self.carried;
        carried.run(at, uses, lanes, frame, |origin| found.push(origin));
        found
            .into_iter()
            .for_each(|origin| self.report(at, "reads", origin));
    }

    fn access(&mut self, at: Site, access: &MemoryAccess<'_>) {
        if !self.carried.is_empty()
            && let Some(code) = self.code.clone()
        {
            let op = &code.instructions[at.pc as usize].op;
            self.carried.access(at, op, access);
        }
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
                    let missing = missing(written, offset, bytes, required);
                    if access.kind != AccessKind::Load {
                        written.write(offset, u64::from(bytes));
                    }
                    if let Some(missing) = missing {
                        self.lacks(at, access, lane, missing);
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
