//! The mbarrier object: 64 bits of shared memory that count arrivals and bytes
//! (PTX ISA, "Asynchronous Synchronization: mbarrier").
//!
//! The counts stand in the bytes themselves, so a state that an arrival
//! returns is the object's value before it. The block remembers where objects
//! are and what was last written there, so that misuse is found.

use super::block::BlockState;
use crate::error::FaultKind;
use std::sync::atomic::Ordering;

/// The largest count of arrivals and of bytes.
pub(crate) const MOST: u32 = (1 << 20) - 1;
/// Bytes of an object.
pub(crate) const BYTES: u32 = 8;

const COUNT: u64 = MOST as u64;
/// Bits 61 and 62 of every object, so that a state is told from a number.
const TAG: u64 = 0b10 << 61;
const TAG_MASK: u64 = 0b11 << 61;

/// The value of an object.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// Parity of the current phase.
    pub(crate) phase: bool,
    /// Arrivals of each phase.
    pub(crate) expected: u32,
    /// Arrivals that are missing in this phase.
    pub(crate) pending: u32,
    /// Bytes that are missing in this phase; negative when they came before
    /// they were expected.
    pub(crate) transactions: i32,
}

impl State {
    /// Before the first arrival of the first phase.
    pub(crate) fn new(count: u32) -> Result<Self, String> {
        if count == 0 || count > MOST {
            return Err(format!(
                "an mbarrier for {count} arrivals; allowed are 1 to {MOST}"
            ));
        }
        Ok(State {
            phase: false,
            expected: count,
            pending: count,
            transactions: 0,
        })
    }

    pub(crate) fn bits(self) -> u64 {
        u64::from(self.phase) << 63
            | TAG
            | (self.transactions as u64 & 0x1f_ffff) << 40
            | u64::from(self.pending) << 20
            | u64::from(self.expected)
    }

    /// `None` when these bits are no object.
    pub(crate) fn from_bits(bits: u64) -> Option<Self> {
        (bits & TAG_MASK == TAG).then_some(State {
            phase: bits >> 63 != 0,
            expected: (bits & COUNT) as u32,
            pending: (bits >> 20 & COUNT) as u32,
            transactions: ((bits >> 40 << 43) as i64 >> 43) as i32,
        })
    }

    /// `count` threads arrive.
    pub(crate) fn arrive(&mut self, count: u32) -> Result<(), String> {
        if count == 0 || count > MOST {
            return Err(format!("{count} arrivals at once; allowed are 1 to {MOST}"));
        }
        if count > self.pending {
            return Err(format!(
                "{count} arrivals at an mbarrier that waits for {} in this phase",
                self.pending
            ));
        }
        self.pending -= count;
        Ok(())
    }

    /// As `arrive`, and later phases wait for `count` fewer.
    pub(crate) fn arrive_and_drop(&mut self, count: u32) -> Result<(), String> {
        self.arrive(count)?;
        if count > self.expected {
            return Err(format!(
                "{count} arrivals leave an mbarrier for {}",
                self.expected
            ));
        }
        self.expected -= count;
        Ok(())
    }

    /// This phase waits for one arrival more.
    pub(crate) fn expect_arrival(&mut self) -> Result<(), String> {
        if self.pending == MOST {
            return Err(format!("an mbarrier waits for more than {MOST} arrivals"));
        }
        self.pending += 1;
        Ok(())
    }

    /// This phase waits for `bytes` more (negative: they have come).
    pub(crate) fn expect_bytes(&mut self, bytes: i64) -> Result<(), String> {
        let sum = i64::from(self.transactions) + bytes;
        if sum.unsigned_abs() > COUNT {
            return Err(format!(
                "an mbarrier counts {sum} bytes; allowed are {MOST} either way"
            ));
        }
        self.transactions = sum as i32;
        Ok(())
    }

    /// Begins the next phase when nothing is missing.
    fn settle(&mut self) -> bool {
        let complete = self.pending == 0 && self.transactions == 0;
        if complete {
            self.phase = !self.phase;
            self.pending = self.expected;
        }
        complete
    }
}

fn misuse(offset: u64, text: &str) -> FaultKind {
    FaultKind::Undefined(format!(
        "mbarrier at byte {offset} of shared memory: {text}"
    ))
}

/// The object at an offset.
pub(crate) fn read(block: &BlockState, offset: u64) -> Result<State, FaultKind> {
    let Some(&known) = block.mbarriers.get(&offset) else {
        return Err(misuse(offset, "it was not initialised, or it is invalid"));
    };
    let bits = block.shared.load(offset, BYTES, Ordering::Relaxed);
    State::from_bits(bits)
        .filter(|_| bits == known)
        .ok_or_else(|| misuse(offset, "its bytes were overwritten"))
}

fn write(block: &mut BlockState, offset: u64, state: State) {
    block.mbarriers.insert(offset, state.bits());
    block
        .shared
        .store(offset, BYTES, state.bits(), Ordering::Relaxed);
}

/// Changes an object, and begins its next phase when nothing is missing any
/// more; returns the state before.
pub(crate) fn update(
    block: &mut BlockState,
    offset: u64,
    change: impl FnOnce(&mut State) -> Result<(), String>,
) -> Result<State, FaultKind> {
    let before = read(block, offset)?;
    let mut state = before;
    change(&mut state).map_err(|text| misuse(offset, &text))?;
    if state.settle() {
        block.timeouts = 0;
    }
    write(block, offset, state);
    Ok(before)
}

/// Makes an object.
pub(crate) fn init(block: &mut BlockState, offset: u64, count: u32) -> Result<(), FaultKind> {
    if block.mbarriers.contains_key(&offset) {
        return Err(misuse(
            offset,
            "it is initialised again without `mbarrier.inval`",
        ));
    }
    let state = State::new(count).map_err(|text| misuse(offset, &text))?;
    write(block, offset, state);
    Ok(())
}

/// Ends an object: its bytes may be used for other things.
pub(crate) fn invalidate(block: &mut BlockState, offset: u64) -> Result<(), FaultKind> {
    read(block, offset)?;
    block.mbarriers.remove(&offset);
    block.shared.store(offset, BYTES, 0, Ordering::Relaxed);
    Ok(())
}

/// True when the phase of this parity is over, or when the object cannot be
/// read, which whoever asks will find.
pub(crate) fn passed(block: &BlockState, offset: u64, parity: bool) -> bool {
    read(block, offset).map_or(true, |state| state.phase != parity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_survives_its_bits() {
        for phase in [false, true] {
            for transactions in [0, 1, -1, MOST as i32, -(MOST as i32)] {
                let state = State {
                    phase,
                    expected: MOST,
                    pending: 1,
                    transactions,
                };
                assert_eq!(State::from_bits(state.bits()), Some(state));
            }
        }
        assert_eq!(State::from_bits(0), None);
    }
}
