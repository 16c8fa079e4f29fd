//! Shadow memory: who has accessed each byte, since when nobody else can be
//! in doubt about it.
//!
//! A cell stands for four bytes and holds records: lanes of one warp that made
//! one access. A record leaves when a later access covers it, that is, when
//! whatever would race with it would race with the later one too. What all
//! lanes of the access have in common is a stamp, kept once and named by a
//! number; stamps that no record names are swept away from time to time.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

use super::history::History;
use super::location::Location;
use super::manner::PackedManner;
use super::vector_clock::Stamp;

/// Cells of a page.
pub(super) const PAGE: usize = 256;
/// Records of a cell, besides its first two. When there are more, the oldest is forgotten: a race
/// with it is missed.
const MOST: usize = 32;
/// Stamps before the first sweep.
const SWEEP: usize = 1 << 20;

/// Hashes page and word numbers: they are few and well spread.
#[derive(Clone, Debug, Default)]
pub(super) struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(self.0 ^ u64::from(byte));
        }
    }
    fn write_u64(&mut self, number: u64) {
        // Fibonacci hashing; the table takes the high and the low bits.
        let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }
}

pub(super) type Numbered<T> = HashMap<u64, T, BuildHasherDefault<NumberHasher>>;

/// The stamp of nobody.
const NOBODY: Stamp = Stamp {
    block: u32::MAX,
    warp: u32::MAX,
    time: 0,
    interval: 0,
    pc: u32::MAX,
};

/// All stamps by their numbers; number 0 is nobody's.
#[derive(Debug)]
pub(super) struct Stamps {
    list: Vec<Stamp>,
    free: Vec<u32>,
    limit: usize,
}

impl Default for Stamps {
    fn default() -> Self {
        Stamps {
            list: vec![NOBODY],
            free: Vec::new(),
            limit: SWEEP,
        }
    }
}

impl Stamps {
    #[inline(always)]
    pub(super) fn get(&self, number: u32) -> &Stamp {
        &self.list[number as usize]
    }

    pub(super) fn add(&mut self, stamp: Stamp) -> u32 {
        if let Some(number) = self.free.pop() {
            self.list[number as usize] = stamp;
            return number;
        }
        self.list.push(stamp);
        self.list.len() as u32 - 1
    }

    /// Whether a sweep is due.
    #[inline(always)]
    pub(super) fn full(&self) -> bool {
        self.free.is_empty() && self.list.len() >= self.limit
    }

    /// Frees the stamps that no cell of these shadows names.
    pub(super) fn sweep<'a>(&mut self, shadows: impl Iterator<Item = &'a Shadow>) {
        let mut named = vec![false; self.list.len()];
        named[0] = true;
        let mut cells = 0;
        for page in shadows.flat_map(|shadow| shadow.pages.values()) {
            cells += PAGE;
            for cell in &page.cells {
                for record in cell.records() {
                    named[record.stamp as usize] = true;
                }
            }
        }
        self.free.clear();
        for (number, named) in named.iter().enumerate() {
            if !named {
                self.list[number] = NOBODY;
                self.free.push(number as u32);
            }
        }
        // The next sweep comes when this one is paid for.
        let kept = self.list.len() - self.free.len();
        self.limit = (2 * kept).max(kept + cells / 8).max(SWEEP);
    }
}

/// Lanes of a warp that made one access to bytes of a cell.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Record {
    /// 0 is no record.
    pub(super) stamp: u32,
    pub(super) lanes: u32,
    /// Bytes of the cell.
    pub(super) mask: u8,
    pub(super) manner: PackedManner,
}

/// The records of four bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    two: [Record; 2],
    /// More of them, the oldest first.
    #[allow(clippy::box_collection, reason = "a pointer, as most cells have none")]
    more: Option<Box<VecDeque<Record>>>,
}

impl Cell {
    fn records(&self) -> impl Iterator<Item = &Record> {
        let more = self.more.iter().flat_map(|more| more.iter());
        self.two
            .iter()
            .filter(|record| record.stamp != 0)
            .chain(more)
    }

    /// Calls `f` for each record; those that `f` empties leave.
    #[inline(always)]
    pub(super) fn each(&mut self, mut f: impl FnMut(&mut Record)) {
        for record in &mut self.two {
            if record.stamp != 0 {
                f(record);
                if record.lanes == 0 || record.mask == 0 {
                    *record = Record::default();
                }
            }
        }
        if let Some(more) = &mut self.more {
            more.retain_mut(|record| {
                f(record);
                record.lanes != 0 && record.mask != 0
            });
            if more.is_empty() {
                self.more = None;
            }
        }
    }

    #[inline(always)]
    pub(super) fn add(&mut self, record: Record) {
        for place in &mut self.two {
            if place.stamp == 0 {
                *place = record;
                return;
            }
        }
        let more = self.more.get_or_insert_default();
        if more.len() >= MOST {
            more.pop_front();
        }
        more.push_back(record);
    }
}

/// Cells of neighbouring words.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) cells: Box<[Cell]>,
    /// Whether a location of these words has, or had, something published.
    pub(super) published: bool,
}

impl Default for Page {
    fn default() -> Self {
        Page {
            cells: vec![Cell::default(); PAGE].into(),
            published: false,
        }
    }
}

/// The shadow of one memory.
#[derive(Debug, Default)]
pub(super) struct Shadow {
    pub(super) pages: Numbered<Page>,
    /// What is published, by the number of the word.
    pub(super) locations: Numbered<Vec<Location>>,
    /// In launches with weak memory: what was written, by the number of the eight bytes.
    pub(super) histories: Numbered<History>,
}

impl Shadow {
    /// Something is published at a word.
    pub(super) fn publish(&mut self, word: u64) {
        let page = self.pages.entry(word / PAGE as u64).or_default();
        page.published = true;
    }
}
