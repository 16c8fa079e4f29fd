//! Copies that end later: `cp.async`, `cp.async.bulk`, and arrivals at an
//! mbarrier that follow them.
//!
//! A copy is made when somebody waits for it, or at the end of the block; with
//! a seed, at any moment before. So a wait that is missing is seen in the
//! results. Its accesses are the lane's that asked for it, and show the
//! instruction that did. `copying` makes them.

use crate::error::FaultKind;
use crate::ir::{Family, Room, Rule};

/// A copy, or an arrival that waits for copies.
#[derive(Debug)]
pub(crate) struct Transfer {
    /// One number for all lanes of one instruction.
    pub(crate) operation: u64,
    pub(crate) pc: u32,
    pub(crate) warp: u32,
    pub(crate) lane: u32,
    pub(crate) family: Family,
    pub(crate) step: Step,
}

#[derive(Debug)]
pub(crate) enum Step {
    Copy {
        copy: Copy,
        /// Group of the thread; `None` when an mbarrier is signalled instead.
        group: Option<u64>,
    },
    /// At the mbarrier of this offset, behind the lane's earlier `cp.async`.
    Arrive { mbarrier: u64 },
}

/// From where to where, how many bytes.
#[derive(Clone, Debug)]
pub(crate) struct Copy {
    pub(crate) from: (Room, u64),
    pub(crate) to: (Room, u64),
    /// Bytes read; the others of `bytes` are zero.
    pub(crate) read: u32,
    pub(crate) bytes: u32,
    /// Combines elements of so many bytes with what is there.
    pub(crate) reduction: Option<(Rule, u32)>,
    /// The mbarrier that counts the bytes.
    pub(crate) signal: Option<u64>,
    /// What has been read.
    pub(crate) staged: Option<Vec<u8>>,
}

/// A fault of the lane that asked.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) pc: u32,
    pub(crate) warp: u32,
    pub(crate) lane: u32,
    pub(crate) kind: FaultKind,
}

impl Transfer {
    /// Why it cannot be made.
    pub(super) fn failure(&self, kind: FaultKind) -> Failure {
        Failure {
            pc: self.pc,
            warp: self.warp,
            lane: self.lane,
            kind,
        }
    }

    pub(super) fn copy(&self) -> Option<&Copy> {
        match &self.step {
            Step::Copy { copy, .. } => Some(copy),
            Step::Arrive { .. } => None,
        }
    }
}

/// Everything of a block that is not complete.
#[derive(Debug, Default)]
pub(crate) struct Transfers {
    /// In the order in which it was asked for.
    pending: Vec<Transfer>,
    operations: u64,
    /// The group of each thread that is not yet committed, by family.
    open: Vec<[u64; 2]>,
}

impl Transfers {
    pub(crate) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    pub(crate) fn new_operation(&mut self) -> u64 {
        self.operations += 1;
        self.operations
    }

    pub(crate) fn push(&mut self, transfer: Transfer) {
        self.pending.push(transfer);
    }

    /// The group that a thread's copies go to.
    pub(crate) fn group(&self, family: Family, thread: u32) -> u64 {
        self.open
            .get(thread as usize)
            .map_or(0, |groups| groups[family as usize])
    }

    /// Closes a thread's group.
    pub(crate) fn commit(&mut self, family: Family, thread: u32) {
        let thread = thread as usize;
        if self.open.len() <= thread {
            self.open.resize(thread + 1, [0; 2]);
        }
        self.open[thread][family as usize] += 1;
    }

    pub(super) fn take(&mut self, wanted: impl FnMut(&mut Transfer) -> bool) -> Vec<Transfer> {
        self.pending.extract_if(.., wanted).collect()
    }

    pub(super) fn put_back(&mut self, taken: Vec<Transfer>) {
        self.pending.extend(taken);
        self.pending.sort_by_key(|transfer| transfer.operation);
    }

    /// Takes what `wanted` says; an arrival only when the `cp.async` before it
    /// are complete or taken too.
    pub(super) fn take_in_order(
        &mut self,
        mut wanted: impl FnMut(&Transfer) -> bool,
    ) -> Vec<Transfer> {
        // Lanes of each warp that have a copy left.
        let mut left: Vec<u32> = Vec::new();
        self.take(|transfer| {
            let warp = transfer.warp as usize;
            if left.len() <= warp {
                left.resize(warp + 1, 0);
            }
            let ready = match transfer.step {
                Step::Arrive { .. } => left[warp] >> transfer.lane & 1 == 0,
                Step::Copy { .. } => true,
            };
            let taken = ready && wanted(transfer);
            if !taken && transfer.family == Family::Lane {
                left[warp] |= 1 << transfer.lane;
            }
            taken
        })
    }

    /// What has to be complete before `mbarrier` can have its next phase.
    pub(super) fn take_for(&mut self, mbarrier: u64) -> Vec<Transfer> {
        // Lanes whose `cp.async` an arrival there waits for, and which of
        // them: those that were asked for before it.
        let mut arrivals: Vec<(u32, u32, u64)> = Vec::new();
        for transfer in &self.pending {
            if let Step::Arrive { mbarrier: at } = transfer.step
                && at == mbarrier
            {
                arrivals.push((transfer.warp, transfer.lane, transfer.operation));
            }
        }
        self.take(|transfer| match &transfer.step {
            Step::Copy { copy, .. } if copy.signal == Some(mbarrier) => true,
            _ => {
                transfer.family == Family::Lane
                    && arrivals.iter().any(|&(warp, lane, operation)| {
                        (warp, lane) == (transfer.warp, transfer.lane)
                            && transfer.operation <= operation
                    })
            }
        })
    }
}
