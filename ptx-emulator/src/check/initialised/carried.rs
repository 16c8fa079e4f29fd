//! Bytes of registers and memory that were copied from memory which nobody has written.
//!
//! Loads, stores, moves, shuffles and what else only copies bytes take them along: a structure
//! may be copied with its padding. They are found when anything else reads them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::exec::source_lane;
use crate::ir::{Element, LANES, Op, Slot, Width, lanes_of};
use crate::lower::{Flow, Term, Uses};
use crate::observe::{AccessKind, Memory, MemoryAccess, Register, Registers, Site};

/// Whether it has 64 bits, and its place among all of the warp's rows.
type Row = (bool, u32);

/// The load that such bytes come from.
#[derive(Copy, Clone, Debug)]
pub(super) struct Origin {
    pub(super) pc: u32,
    pub(super) thread: u32,
    pub(super) memory: Memory,
    pub(super) place: u64,
    pub(super) element: u32,
}

impl Origin {
    /// The first of a lane's elements, of so many bytes.
    pub(super) fn new(at: Site, access: &MemoryAccess<'_>, lane: usize, element: u32) -> Origin {
        Origin {
            pc: at.pc,
            thread: at.warp * LANES as u32 + lane as u32,
            memory: access.memory,
            place: access.addresses[lane],
            element,
        }
    }
}

/// Some of eight bytes, a bit a byte, and where they come from.
type Held = (u8, Option<Origin>);

/// Of each lane, those of a register.
#[derive(Clone, Debug)]
struct Bytes([Held; LANES]);

impl Default for Bytes {
    fn default() -> Self {
        Bytes([(0, None); LANES])
    }
}

/// The registers of one warp that have such bytes.
#[derive(Debug, Default)]
struct Rows(HashMap<Row, Box<Bytes>>);

/// Eight bytes of memory: the thread of local memory, and the address of the first, divided by
/// eight.
type Word = (Option<u32>, u64);

/// All such bytes.
#[derive(Debug, Default)]
pub(super) struct Carried {
    /// By block and warp.
    warps: HashMap<(u64, u32), Rows>,
    /// By the block that shared and local memory is of.
    memory: HashMap<Option<u64>, HashMap<Word, Held>>,
}

/// The frame of an instruction.
#[derive(Copy, Clone)]
pub(super) struct Frame<'f> {
    /// Its first rows, of 32 and of 64 bits.
    pub(super) rows: [u32; 2],
    pub(super) registers: &'f dyn Registers,
}

impl Frame<'_> {
    fn row(&self, register: Register) -> Row {
        row(register.bits == 64, register.row, self.rows)
    }

    fn number(&self, term: Term, lane: usize) -> u32 {
        match term {
            Term::Register(register) => self.registers.bits(register, lane) as u32,
            Term::Number(number) => number,
        }
    }
}

fn row(wide: bool, slot: u32, rows: [u32; 2]) -> Row {
    (wide, slot + rows[usize::from(wide)])
}

impl Carried {
    pub(super) fn is_empty(&self) -> bool {
        self.warps.is_empty() && self.memory.is_empty()
    }

    pub(super) fn end(&mut self, block: u64) {
        self.warps.retain(|(of, _), _| *of != block);
        self.memory.remove(&Some(block));
    }

    /// A lane loads bytes that nobody has written, a bit a byte.
    pub(super) fn load(
        &mut self,
        at: Site,
        op: &Op,
        access: &MemoryAccess<'_>,
        lane: usize,
        missing: u32,
    ) {
        let Op::Load(load) = op else { return };
        let origin = Origin::new(at, access, lane, load.bytes);
        let rows = self.warps.entry((at.block_linear, at.warp)).or_default();
        for (index, element) in load.elements.iter().enumerate() {
            let first = index as u32 * load.bytes;
            let bytes = part(missing, first, load.bytes, load.signed);
            let place = origin.place + u64::from(first);
            let origin = Origin { place, ..origin };
            rows.add(element, access.rows, lane, (bytes, Some(origin)));
        }
    }

    /// Lanes access memory: such bytes go to registers and from them.
    pub(super) fn access(&mut self, at: Site, op: &Op, access: &MemoryAccess<'_>) {
        let own = matches!(access.memory, Memory::Shared | Memory::Local);
        let space = own.then_some(at.block_linear);
        for lane in lanes_of(access.lanes) {
            let thread = at.warp * LANES as u32 + lane as u32;
            let thread = (access.memory == Memory::Local).then_some(thread);
            match access.kind {
                AccessKind::Load => self.loads(at, op, access, lane, (space, thread)),
                _ => self.stores(at, op, access, lane, (space, thread)),
            }
        }
        if self.memory.get(&space).is_some_and(HashMap::is_empty) {
            self.memory.remove(&space);
        }
    }

    fn loads(
        &mut self,
        at: Site,
        op: &Op,
        access: &MemoryAccess<'_>,
        lane: usize,
        (space, thread): (Option<u64>, Option<u32>),
    ) {
        let (Op::Load(load), Some(memory)) = (op, self.memory.get(&space)) else {
            return;
        };
        for (index, element) in load.elements.iter().enumerate() {
            let first = access.addresses[lane] + u64::from(index as u32 * load.bytes);
            let mut held: Held = (0, None);
            for k in 0..load.bytes {
                let place = first + u64::from(k);
                if let Some((bytes, origin)) = memory.get(&(thread, place / 8))
                    && bytes >> (place % 8) & 1 != 0
                {
                    held = (held.0 | 1 << k, *origin);
                }
            }
            if held.0 != 0 {
                held.0 = part(held.0.into(), 0, load.bytes, load.signed);
                let rows = self.warps.entry((at.block_linear, at.warp)).or_default();
                rows.add(element, access.rows, lane, held);
            }
        }
    }

    fn stores(
        &mut self,
        at: Site,
        op: &Op,
        access: &MemoryAccess<'_>,
        lane: usize,
        (space, thread): (Option<u64>, Option<u32>),
    ) {
        let address = access.addresses[lane];
        if let Some(memory) = self.memory.get_mut(&space) {
            for place in (0..u64::from(access.bytes)).map(|k| address + k) {
                if let Entry::Occupied(mut word) = memory.entry((thread, place / 8)) {
                    word.get_mut().0 &= !(1 << (place % 8));
                    if word.get().0 == 0 {
                        word.remove();
                    }
                }
            }
        }
        let rows = self.warps.get(&(at.block_linear, at.warp));
        let (Op::Store(store), Some(rows)) = (op, rows) else {
            return;
        };
        for (index, element) in store.elements.iter().enumerate() {
            if element.source.flagged() {
                continue;
            }
            let slot = element.source.index() as u32;
            let (bytes, origin) =
                rows.of(row(element.width == Width::W64, slot, access.rows), lane);
            for k in (0..store.bytes).filter(|k| bytes >> k & 1 != 0) {
                let place = address + u64::from(index as u32 * store.bytes + k);
                let memory = self.memory.entry(space).or_default();
                let held = memory.entry((thread, place / 8)).or_default();
                *held = (held.0 | 1 << (place % 8), origin);
            }
        }
    }

    /// Lanes are about to run an instruction: takes along what it copies, forgets what it
    /// overwrites, and tells `found` of what it reads.
    pub(super) fn run(
        &mut self,
        at: Site,
        uses: &Uses,
        lanes: u32,
        frame: Frame<'_>,
        found: impl FnMut(Origin),
    ) {
        let warp = (at.block_linear, at.warp);
        if let Some(rows) = self.warps.get_mut(&warp) {
            rows.run(uses, lanes, frame, found);
            if rows.0.is_empty() {
                self.warps.remove(&warp);
            }
        }
    }
}

/// `bytes` bytes of an access from the `first` on, to all of a register.
fn part(missing: u32, first: u32, bytes: u32, signed: bool) -> u8 {
    let own = 0xff >> (8 - bytes);
    let part = (missing >> first) as u8 & own;
    match signed && part >> (bytes - 1) != 0 {
        true => part | !own,
        false => part,
    }
}

impl Rows {
    /// The bytes that a lane has in a register.
    fn of(&self, row: Row, lane: usize) -> Held {
        self.0.get(&row).map_or((0, None), |bytes| bytes.0[lane])
    }

    fn set(&mut self, row: Row, lane: usize, bytes: Held) {
        if bytes.0 != 0 {
            self.0.entry(row).or_default().0[lane] = bytes;
        } else if let Some(known) = self.0.get_mut(&row) {
            known.0[lane] = bytes;
        }
    }

    /// A lane loads an element, of which these are such bytes.
    fn add(&mut self, element: &Element, rows: [u32; 2], lane: usize, held: Held) {
        if held.0 != 0 && element.slot != Slot::SINK {
            let row = row(element.width == Width::W64, element.slot.0, rows);
            let before = self.of(row, lane);
            self.set(row, lane, (before.0 | held.0, before.1.or(held.1)));
        }
    }

    /// Lanes are about to run an instruction: takes along what it copies, forgets what it
    /// overwrites, and tells `found` of what it reads.
    fn run(&mut self, uses: &Uses, lanes: u32, frame: Frame<'_>, mut found: impl FnMut(Origin)) {
        for &register in &uses.read {
            let row = frame.row(register);
            for lane in lanes_of(lanes) {
                if let (_, Some(origin)) = self.of(row, lane) {
                    found(origin);
                    self.set(row, lane, (0, None));
                }
            }
        }
        let mut copied: Vec<(Row, Bytes)> = Vec::new();
        match &uses.flow {
            Flow::Computed => {}
            Flow::Copied(results) => {
                for (to, bytes) in results {
                    let origins = bytes.iter().enumerate();
                    let all = origins.flat_map(|(k, from)| from.iter().map(move |one| (k, one)));
                    copied.push((frame.row(*to), self.copied(all, lanes, frame)));
                }
            }
            Flow::Selected { to, from, by } => {
                let chosen = |lane| from[usize::from(frame.registers.bits(*by, lane) == 0)];
                let of = |lane| chosen(lane).map(|from| self.of(frame.row(from), lane));
                let bytes = std::array::from_fn(|lane| of(lane).unwrap_or((0, None)));
                copied.push((frame.row(*to), Bytes(bytes)));
            }
            Flow::Shuffled {
                to,
                from,
                how,
                b,
                c,
            } => {
                let of = |lane: usize| {
                    let (b, c) = (frame.number(*b, lane), frame.number(*c, lane));
                    let (source, _) = source_lane(*how, lane as u32, b, c);
                    // A lane that comes on another path has not come yet.
                    match lanes >> source & 1 {
                        0 => (0, None),
                        _ => self.of(frame.row(*from), source as usize),
                    }
                };
                copied.push((frame.row(*to), Bytes(std::array::from_fn(of))));
            }
        }
        for one in &uses.written {
            let row = frame.row(one.register);
            for lane in lanes_of(lanes) {
                self.set(row, lane, (0, None));
            }
        }
        for (row, bytes) in copied {
            for lane in lanes_of(lanes) {
                self.set(row, lane, bytes.0[lane]);
            }
        }
        self.0
            .retain(|_, bytes| bytes.0.iter().any(|(bytes, _)| *bytes != 0));
    }

    /// What a result gets, byte by byte.
    fn copied<'o>(
        &self,
        all: impl Iterator<Item = (usize, &'o (Register, usize))>,
        lanes: u32,
        frame: Frame<'_>,
    ) -> Bytes {
        let mut bytes = Bytes::default();
        for (to, (from, byte)) in all {
            for lane in lanes_of(lanes) {
                let (missing, origin) = self.of(frame.row(*from), lane);
                if missing >> byte & 1 != 0 {
                    let own = &mut bytes.0[lane];
                    *own = (own.0 | 1 << to, own.1.or(origin));
                }
            }
        }
        bytes
    }
}
