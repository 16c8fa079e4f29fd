//! What has been written to eight bytes of memory, as far as a load may still read it.
//!
//! Writes are messages in coherence order: how many of them a thread sees is what its load
//! chooses (after Kang and others, "A Promising Semantics for Relaxed-Memory Concurrency",
//! POPL 2017, section 2, without promises). A load may not go back behind a write that comes
//! before it in causality order, by the race checker's vector clocks (as Luo and Demsky,
//! "C11Tester", ASPLOS 2021). Who reads and writes is `weak`'s.

use super::location::{Contribution, Published, Trees};
use super::manner::Manner;
use super::vector_clock::{Lane, Stamp};

/// Messages that are kept; older ones cannot be read any more.
const MOST: usize = 8;

/// What a strong write makes known to those who read it.
#[derive(Clone, Debug, Default)]
struct Known {
    all: Published,
    /// What its own thread published: later strong writes of the thread carry it on.
    own: Contribution,
}

/// A thread's access.
#[derive(Copy, Clone, Debug)]
pub(super) struct Party {
    pub(super) stamp: Stamp,
    pub(super) lane: u32,
    pub(super) manner: Manner,
}

impl Party {
    fn is_thread_of(&self, other: &Party) -> bool {
        let thread = |party: &Party| (party.stamp.block, party.stamp.warp, party.lane);
        thread(self) == thread(other)
    }

    /// The thread.
    pub(super) fn by(&self) -> Lane {
        Lane {
            block: self.stamp.block,
            warp: self.stamp.warp,
            lane: self.lane,
        }
    }
}

/// A write.
#[derive(Debug)]
struct Message {
    writer: Party,
    /// Bytes of the eight.
    mask: u8,
    value: u64,
    published: Option<Box<Known>>,
    /// Threads that have read it, each by its first morally strong read.
    readers: Vec<Party>,
}

impl Message {
    /// Whether the access comes after it in coherence order: its write, or a read that has
    /// observed it, comes before the access in causality order.
    fn is_known(&self, knows: &impl Fn(&Party) -> bool) -> bool {
        knows(&self.writer) || self.readers.iter().any(knows)
    }

    fn is_observed(&self, by: &Party) -> bool {
        let writer = &self.writer;
        writer
            .manner
            .is_morally_strong(writer.stamp.block, by.manner, by.stamp.block)
    }
}

/// What a load gives.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Values of the eight bytes; `None` for the newest ones.
    pub(super) old: Option<u64>,
    /// The newest write, where the load does not see it.
    pub(super) missed: Option<Party>,
    /// What it observes, for an acquire.
    pub(super) published: Trees,
}

/// The writes to eight bytes, in coherence order.
#[derive(Debug, Default)]
pub(super) struct History {
    /// Values before the messages, and of which bytes.
    base: u64,
    based: u8,
    /// Bytes of which messages have been dropped: their `base` cannot be read.
    dropped: u8,
    messages: Vec<Message>,
}

/// The bits of some bytes.
pub(super) fn bits(mask: u8) -> u64 {
    let bytes = (0..8).filter(|byte| mask >> byte & 1 != 0);
    bytes.fold(0, |bits, byte| bits | 0xff << (8 * byte))
}

impl History {
    fn overlapping(&self, mask: u8) -> impl DoubleEndedIterator<Item = (usize, &Message)> {
        let messages = self.messages.iter().enumerate();
        messages.filter(move |(_, message)| message.mask & mask != 0)
    }

    /// The least number of messages that an access to some bytes has to see.
    fn least(&self, mask: u8, knows: &impl Fn(&Party) -> bool) -> usize {
        let known = self.overlapping(mask).rev();
        let known = known.map(|(index, message)| (index + 1, message));
        let known = known
            .into_iter()
            .find(|(_, message)| message.is_known(knows));
        let first = |byte: u8| {
            let of_byte = self.overlapping(mask & self.dropped & 1 << byte).next();
            of_byte.map_or(0, |(index, _)| index + 1)
        };
        let kept = (0..8).map(first).max().unwrap_or(0);
        known.map_or(0, |(count, _)| count).max(kept)
    }

    /// A load of some bytes by a thread that `knows` what comes before it in causality order;
    /// `choose` picks one of so many values, 0 the newest.
    pub(super) fn read(
        &mut self,
        by: Party,
        mask: u8,
        knows: impl Fn(&Party) -> bool,
        choose: impl FnOnce(u64) -> u64,
    ) -> Seen {
        let mut seen = Seen::default();
        let Some((newest, _)) = self.overlapping(mask).next_back() else {
            return seen;
        };
        let least = self.least(mask, &knows);
        let later = self.overlapping(mask).rev().map(|(index, _)| index + 1);
        let mut counts: Vec<usize> = later.take_while(|&count| count > least).collect();
        counts.push(least);
        let count = counts[choose(counts.len() as u64) as usize];
        if count <= newest {
            seen.old = Some(self.value(count));
            seen.missed = Some(self.messages[newest].writer);
        }
        self.learn(by, mask, count, &mut seen);
        seen
    }

    /// The values after so many messages.
    fn value(&self, count: usize) -> u64 {
        let messages = &self.messages[..count];
        messages.iter().fold(self.base, |value, message| {
            let bits = bits(message.mask);
            value & !bits | message.value & bits
        })
    }

    /// What a load observes that sees so many messages: the last one of them, and those that the
    /// same thread has observed before, as an acquire pattern may begin with an earlier read.
    fn learn(&mut self, by: Party, mask: u8, count: usize, seen: &mut Seen) {
        let messages = self.messages[..count].iter_mut();
        let mut is_last = true;
        for message in messages.rev().filter(|message| message.mask & mask != 0) {
            let has_read = message.readers.iter().any(|one| one.is_thread_of(&by));
            let observes = std::mem::take(&mut is_last) && message.is_observed(&by);
            if observes && !has_read {
                message.readers.push(by);
            }
            if let Some(published) = &message.published
                && (observes || has_read)
            {
                let (block, device) = (by.stamp.block, by.manner.device);
                published.all.read(block, device, &mut seen.published);
            }
        }
    }

    /// A write of some bytes, which were `old`; `contribution` is what it publishes. Its place
    /// is behind all messages, or `choose` picks, of so many, one before them that coherence
    /// allows, 0 the last. False when it is not the newest: then memory stays as it is.
    pub(super) fn write(
        &mut self,
        by: Party,
        (mask, old, value): (u8, u64, u64),
        knows: impl Fn(&Party) -> bool,
        contribution: Contribution,
        choose: impl FnOnce(u64) -> u64,
    ) -> bool {
        let unknown = bits(mask & !self.based);
        (self.base, self.based) = (self.base | old & unknown, self.based | mask);
        let count = self.messages.len();
        let place = if by.manner.reads {
            count
        } else {
            let least = self.least(mask, &knows);
            // An atomic comes directly behind the write that it has read.
            let before = self
                .overlapping(mask)
                .rev()
                .take_while(|(index, message)| *index >= least && message.mask == mask)
                .filter(|(_, message)| !message.writer.manner.reads)
                .map(|(index, _)| index);
            let places: Vec<usize> = std::iter::once(count).chain(before).collect();
            places[choose(places.len() as u64) as usize]
        };
        let published = self.published(by, mask, place, contribution);
        let message = Message {
            writer: by,
            mask,
            value,
            published,
            readers: Vec::new(),
        };
        self.messages.insert(place, message);
        if count >= MOST {
            self.drop_oldest();
        }
        place == count
    }

    /// What a write at a place publishes: its own, what earlier strong writes of its thread
    /// published here, and as an atomic what the write did that it reads.
    fn published(
        &self,
        by: Party,
        mask: u8,
        place: usize,
        contribution: Contribution,
    ) -> Option<Box<Known>> {
        if !by.manner.strong {
            return None;
        }
        let before = || self.overlapping(mask).rev().filter(|(at, _)| *at < place);
        let read = before().next().filter(|_| by.manner.reads);
        let read = read.filter(|(_, message)| message.is_observed(&by));
        let read = read.and_then(|(_, message)| message.published.clone());
        let own = before()
            .find(|(_, message)| message.writer.is_thread_of(&by) && message.is_observed(&by));
        let own = own.and_then(|(_, message)| message.published.as_ref());
        if read.is_none() && own.is_none() && contribution.is_empty() {
            return None;
        }
        let mut published = read.unwrap_or_default();
        published.own = contribution;
        if let Some(earlier) = own {
            published.own.join(&earlier.own);
        }
        let Known { all, own } = &mut *published;
        all.add(by.stamp.block, by.manner.device, own);
        Some(published)
    }

    /// Drops the oldest message whose bytes have all been written again.
    fn drop_oldest(&mut self) {
        let (mut before, mut oldest) = (0, None);
        for (index, message) in self.messages.iter().enumerate() {
            let later = self.messages[index + 1..].iter();
            let again = later.fold(0, |mask, later| mask | later.mask);
            if message.mask & before == 0 && message.mask & !again == 0 {
                oldest = Some(index);
                break;
            }
            before |= message.mask;
        }
        let Some(index) = oldest else {
            return;
        };
        let message = self.messages.remove(index);
        let bits = bits(message.mask);
        self.base = self.base & !bits | message.value & bits;
        self.dropped |= message.mask;
    }
}
