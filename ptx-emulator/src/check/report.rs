//! From what checkers and the machine saw to findings with names and lines.

use ptx_syntax::Space;

use super::Checkers;
use super::finding::{Finding, Location, Place};
use super::raw::{FindingKind, RawFinding, RawPlace};
use crate::error::{Fault, FaultKind, LaunchError, Waiter, of_device};
use crate::lower::{Code, SharedLayout};
use crate::machine::{Global, HEAP_FIRST};
use crate::observe::Memory;

/// Places beyond these are left out.
const REST: usize = 14;

/// What names and lines are looked up in.
pub(crate) struct Names<'a> {
    pub(crate) code: &'a Code,
    pub(crate) kernel: &'a str,
    /// Blocks of a device, each way.
    pub(crate) grid: [u32; 3],
    pub(crate) devices: usize,
    /// Threads of a block, each way.
    pub(crate) block: [u32; 3],
    pub(crate) global: &'a Global,
    pub(crate) layout: &'a SharedLayout,
}

impl Names<'_> {
    /// A checker's finding.
    pub(crate) fn finding(&self, raw: &RawFinding) -> Finding {
        Finding {
            other: raw.other.as_ref().map(|place| self.raw_place(place)),
            memory: raw.memory.map(|memory| self.location(memory, raw.at.pc)),
            occurrences: raw.count,
            ..self.one(raw.kind, raw.message.clone(), self.raw_place(&raw.at))
        }
    }

    /// Why a launch did not end well; `None` when it did not begin.
    pub(crate) fn stopped(&self, error: &LaunchError, checkers: &Checkers) -> Option<Finding> {
        match error {
            LaunchError::Fault(fault) => Some(self.fault(fault, checkers)),
            LaunchError::Deadlock(waiters) => self
                .missing_lanes(waiters)
                .or_else(|| self.deadlock(waiters)),
            LaunchError::Livelock { budget, waiters } => {
                let message = format!(
                    "the launch used up its {budget} warp instructions; a loop may wait for \
                     what never comes (`LaunchOptions::budget` raises the limit)"
                );
                self.waiting(FindingKind::Livelock, message, self.groups(waiters))
            }
            _ => None,
        }
    }

    /// Something at one place, seen once.
    fn one(&self, kind: FindingKind, message: String, at: Place) -> Finding {
        Finding {
            kind,
            kernel: self.kernel.to_owned(),
            message,
            stopped: false,
            at,
            other: None,
            rest: Vec::new(),
            memory: None,
            occurrences: 1,
        }
    }

    /// A thread at an instruction; its block has an index in the grid of its device.
    fn place(
        &self,
        what: String,
        pc: u32,
        (device, block): (Option<u32>, [u32; 3]),
        thread: [u32; 3],
    ) -> Place {
        Place {
            what,
            pc,
            line: self.code.line(pc),
            statement: self.code.statement(pc),
            source: self.code.authors_line(pc),
            source_stack: self.code.source_stack(pc),
            device,
            block,
            thread,
        }
    }

    fn raw_place(&self, raw: &RawPlace) -> Place {
        let (what, thread) = (raw.verb.to_owned(), self.thread(raw.thread));
        let [x, y, _] = self.grid.map(u64::from);
        let (device, block) = (raw.block / self.blocks(), raw.block % self.blocks());
        let device = (self.devices > 1).then_some(device as u32);
        let block = [block % x, block / x % y, block / (x * y)].map(|index| index as u32);
        self.place(what, raw.pc, (device, block), thread)
    }

    /// Blocks of a device.
    fn blocks(&self) -> u64 {
        self.grid.iter().map(|&n| u64::from(n)).product()
    }

    fn thread(&self, linear: u32) -> [u32; 3] {
        let [x, y, _] = self.block;
        [linear % x, linear / x % y, linear / (x * y)]
    }

    /// What the bytes at an address belong to.
    fn location(&self, (space, address, bytes): (Memory, u64, u32), pc: u32) -> Location {
        let (name, region, start) = match space {
            Memory::Global => self.allocation(address),
            Memory::Shared => self.shared(address),
            Memory::Local => {
                let function = self.code.function_of(pc);
                (
                    None,
                    format!("the local memory of a thread in {function}"),
                    0,
                )
            }
            Memory::Constant => (None, "constant memory".to_owned(), 0),
            Memory::Parameter => (None, "the kernel's parameters".to_owned(), 0),
        };
        let offset = address - start;
        let whole = bytes > 0 && offset.is_multiple_of(u64::from(bytes));
        let indexed = whole && matches!(space, Memory::Global | Memory::Shared);
        Location {
            space,
            address,
            bytes,
            name,
            region,
            offset,
            element: indexed.then(|| offset / u64::from(bytes)),
        }
    }

    /// Name, description and first address of the allocation at or below.
    fn allocation(&self, address: u64) -> (Option<String>, String, u64) {
        if address >= HEAP_FIRST {
            return (None, "the device heap".to_owned(), HEAP_FIRST);
        }
        let below = self.global.below(address);
        match below.and_then(|index| self.global.get(index)) {
            None => (None, "no allocation".to_owned(), 0),
            Some(allocation) => {
                let (base, length) = (allocation.base, allocation.length);
                let region = match &allocation.name {
                    Some(_) => format!("{length} bytes of global memory"),
                    None => format!("the allocation of {length} bytes at {base:#x}"),
                };
                (allocation.name.clone(), region, base)
            }
        }
    }

    /// As `allocation`, for the variable that holds an offset.
    fn shared(&self, offset: u64) -> (Option<String>, String, u64) {
        for &(index, start) in &self.layout.places {
            let variable = &self.code.variables[index as usize];
            debug_assert_eq!(variable.space, Space::Shared);
            let (start, length) = (u64::from(start), variable.bytes);
            if !variable.dynamic && offset >= start && offset - start < length {
                let region = format!("{length} bytes of shared memory");
                return (Some(variable.name.clone()), region, start);
            }
        }
        let fixed = u64::from(self.layout.fixed);
        if offset >= fixed {
            (None, "dynamic shared memory".to_owned(), fixed)
        } else {
            (None, "shared memory".to_owned(), 0)
        }
    }

    fn fault(&self, fault: &Fault, checkers: &Checkers) -> Finding {
        let cause = fault.kind.cause();
        let kind = match cause {
            FaultKind::OutOfBounds { .. }
            | FaultKind::Misaligned { .. }
            | FaultKind::UseAfterFree { .. }
            | FaultKind::ReadOnly { .. } => FindingKind::Bounds,
            FaultKind::BarrierCounts { .. } | FaultKind::Barrier(_) => FindingKind::Barrier,
            FaultKind::Collective(_) => FindingKind::Collective,
            _ => FindingKind::Fault,
        };
        let memory = match cause {
            FaultKind::OutOfBounds {
                address,
                bytes,
                room,
                ..
            }
            | FaultKind::Misaligned {
                address,
                bytes,
                room,
            } => Some((space_of(room), *address, *bytes)),
            FaultKind::UseAfterFree { address, bytes } => Some((Memory::Global, *address, *bytes)),
            _ => None,
        };
        let ((_, barriers), _) = checkers;
        let other = match (&fault.kind, barriers) {
            (FaultKind::BarrierCounts { id, .. }, Some(barriers)) => {
                let [x, y, _] = self.grid.map(u64::from);
                let [i, j, k] = fault.block.map(u64::from);
                let before = u64::from(fault.device.unwrap_or(0)) * self.blocks();
                barriers.first_arrival(before + (k * y + j) * x + i, *id)
            }
            _ => None,
        };
        let block = (fault.device, fault.block);
        let at = self.place("stops".to_owned(), fault.pc, block, fault.thread);
        Finding {
            stopped: true,
            other: other.as_ref().map(|place| self.raw_place(place)),
            memory: memory.map(|memory| self.location(memory, fault.pc)),
            ..self.one(kind, fault.kind.to_string(), at)
        }
    }

    fn deadlock(&self, waiters: &[Waiter]) -> Option<Finding> {
        let Waiter { device, block, .. } = waiters.first()?;
        let message = format!("no warp of {}block {block:?} can move", of_device(*device));
        self.waiting(FindingKind::Deadlock, message, self.groups(waiters))
    }

    /// A deadlock around a warp collective: who waits, and where the lanes
    /// are that it names.
    fn missing_lanes(&self, waiters: &[Waiter]) -> Option<Finding> {
        let at = waiters.iter().find(|waiter| waiter.collective.is_some())?;
        let members = at.collective?;
        let warp: Vec<&Waiter> = waiters
            .iter()
            .filter(|waiter| (waiter.block, waiter.warp) == (at.block, at.warp))
            .collect();
        let there = |waiter: &&&Waiter| waiter.collective == Some(members);
        let come = warp
            .iter()
            .filter(there)
            .fold(0, |lanes, w| lanes | w.lanes);
        let missing = members & !come;
        let other = warp.iter().find(|waiter| waiter.lanes & missing != 0);
        // Of the same mask and yet apart: they are at different collectives.
        let other = other
            .or_else(|| warp.iter().find(|w| there(w) && w.pc != at.pc))
            .copied();
        let message = match other.and_then(|waiter| waiter.collective) {
            Some(mask) if mask != members => format!(
                "lanes of one warp wait for each other with different member masks, \
                 {members:#010x} and {mask:#010x}"
            ),
            Some(_) => "lanes of one warp wait for each other at different collectives".to_owned(),
            None => format!(
                "the member mask {members:#010x} names lanes that do not take part ({missing:#010x})"
            ),
        };
        let mut places = vec![self.waiter(at, at.lanes.count_ones())];
        places.extend(other.map(|waiter| self.waiter(waiter, waiter.lanes.count_ones())));
        let known: Vec<u32> = places.iter().map(|place| place.pc).collect();
        let groups = self.groups(waiters);
        places.extend(
            groups
                .into_iter()
                .filter(|place| !known.contains(&place.pc)),
        );
        self.waiting(FindingKind::Collective, message, places)
    }

    fn waiting(&self, kind: FindingKind, message: String, places: Vec<Place>) -> Option<Finding> {
        let mut places = places.into_iter();
        let at = places.next()?;
        Some(Finding {
            stopped: true,
            other: places.next(),
            rest: places.take(REST).collect(),
            ..self.one(kind, message, at)
        })
    }

    fn waiter(&self, waiter: &Waiter, threads: u32) -> Place {
        let s = if threads == 1 { "" } else { "s" };
        let what = format!("{} ({threads} thread{s} here)", waiter.reason);
        let first = waiter.warp * 32 + waiter.lanes.trailing_zeros();
        let block = (waiter.device, waiter.block);
        self.place(what, waiter.pc, block, self.thread(first))
    }

    /// Waiters by instruction and reason: the first of each, with how many
    /// threads are there. Those with a line of the source come first: a report
    /// begins with it.
    fn groups(&self, waiters: &[Waiter]) -> Vec<Place> {
        let mut groups: Vec<(&Waiter, u32)> = Vec::new();
        for waiter in waiters {
            let threads = waiter.lanes.count_ones();
            let same = |group: &&mut (&Waiter, u32)| {
                let place = |at: &Waiter| (at.device, at.pc);
                (place(group.0), &group.0.reason) == (place(waiter), &waiter.reason)
            };
            match groups.iter_mut().find(same) {
                Some(group) => group.1 += threads,
                None => groups.push((waiter, threads)),
            }
        }
        groups.sort_by_key(|(waiter, _)| {
            let is_made_up = self.code.authors_line(waiter.pc).is_none();
            (is_made_up, waiter.pc)
        });
        groups
            .into_iter()
            .map(|(waiter, threads)| self.waiter(waiter, threads))
            .collect()
    }
}

fn space_of(room: &str) -> Memory {
    match room {
        "shared" => Memory::Shared,
        "local" => Memory::Local,
        "const" => Memory::Constant,
        "param" => Memory::Parameter,
        _ => Memory::Global,
    }
}
