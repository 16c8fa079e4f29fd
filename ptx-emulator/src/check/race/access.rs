//! One access against what the shadow holds of a cell.

use std::sync::Arc;

use super::manner::Manner;
use super::shadow::{Cell, Record, Stamps};
use super::threads::Block;
use super::vector_clock::{Stamp, VectorClock};

/// Lanes of a warp that make one access to the same address, and know the same.
pub(super) struct Now<'a> {
    pub(super) stamps: &'a Stamps,
    pub(super) blocks: &'a [Option<Box<Block>>],
    pub(super) stamp: Stamp,
    pub(super) number: u32,
    pub(super) manner: Manner,
    pub(super) clock: &'a Arc<VectorClock>,
    pub(super) lanes: u32,
    /// By stamp number: the lanes whose accesses are known to come before.
    pub(super) memo: [(u32, u32); 4],
}

impl Now<'_> {
    /// The lanes of a stamp whose accesses come before this one, by what is
    /// known; not by program order.
    #[inline(always)]
    fn before(&mut self, number: u32) -> u32 {
        let place = number as usize % self.memo.len();
        if self.memo[place].0 != number {
            self.memo[place] = (number, self.look_up(number));
        }
        self.memo[place].1
    }

    fn look_up(&self, number: u32) -> u32 {
        let earlier = self.stamps.get(number);
        lanes_before(self.blocks, &self.stamp, self.clock, earlier)
    }

    /// Whether all that races with the earlier access, of the same bytes and
    /// ordered before this one, races with this one too.
    fn covers(&self, other: Manner, block: u32) -> bool {
        (self.manner.writes || !other.writes)
            && (!self.manner.strong
                || other.strong
                    && block == self.stamp.block
                    && other.reach >= self.manner.reach
                    && self.manner.sizes_match(other))
    }

    /// Makes the access to bytes `mask` of a cell; gives each record that it
    /// races with to `race`, with a lane of either.
    #[inline(always)]
    pub(super) fn visit(
        &mut self,
        cell: &mut Cell,
        mask: u8,
        mut race: impl FnMut(&Record, Manner, u32, u32),
    ) {
        let mut merged = false;
        cell.each(|record| {
            if record.mask & mask == 0 {
                return;
            }
            let other = record.manner.unpacked();
            let same = record.stamp == self.number;
            let Stamp { block, warp, .. } = *self.stamps.get(record.stamp);
            let conflict = (self.manner.writes || other.writes)
                && !self
                    .manner
                    .is_morally_strong(self.stamp.block, other, block);
            let covers = !same && self.covers(other, block);
            let own_warp = warp == self.stamp.warp && block == self.stamp.block;
            // What is of no use is not looked up.
            let before = if same || !conflict && !covers {
                0
            } else {
                self.before(record.stamp)
            };
            let rest = record.lanes & !before;
            if conflict
                && rest != 0
                && let Some((theirs, ours)) = pair(rest, self.lanes, own_warp)
            {
                race(record, other, theirs, ours);
            }
            if same && record.mask == mask {
                record.lanes |= self.lanes;
                merged = true;
            } else if covers {
                let gone = before | if own_warp { self.lanes } else { 0 };
                if record.mask & !mask == 0 {
                    record.lanes &= !gone;
                } else if record.lanes & !gone == 0 {
                    record.mask &= !mask;
                }
            }
        });
        if !merged {
            cell.add(Record {
                stamp: self.number,
                lanes: self.lanes,
                mask,
                manner: self.manner.into(),
            });
        }
    }
}

/// The lanes of a stamp whose accesses come before those of `now`, by what `clock` knows; not
/// by program order.
#[inline(always)]
pub(super) fn lanes_before(
    blocks: &[Option<Box<Block>>],
    now: &Stamp,
    clock: &VectorClock,
    earlier: &Stamp,
) -> u32 {
    let Stamp {
        block,
        warp,
        time,
        interval,
        ..
    } = *earlier;
    let (known_interval, rows) = if block == now.block {
        (now.interval, Some(&clock.own))
    } else {
        match clock.others.get(block) {
            Some(times) => (times.interval, times.rows.as_deref()),
            None => return 0,
        }
    };
    let mut lanes = 0;
    if interval < known_interval {
        let other = blocks.get(block as usize).and_then(Option::as_deref);
        lanes = !other.map_or(0, |block| block.departed(warp, interval));
    }
    if lanes != u32::MAX
        && let Some(rows) = rows
    {
        lanes |= rows.before(warp, time);
    }
    lanes
}

/// A lane of each mask; not the same thread twice.
fn pair(theirs: u32, ours: u32, same_warp: bool) -> Option<(u32, u32)> {
    let first = theirs.trailing_zeros();
    if !same_warp {
        return Some((first, ours.trailing_zeros()));
    }
    let others = ours & !(1 << first);
    if others != 0 {
        return Some((first, others.trailing_zeros()));
    }
    let others = theirs & !ours;
    (others != 0).then(|| (others.trailing_zeros(), first))
}

/// Why two accesses that nothing orders are not safe all the same.
pub(super) fn message(earlier: Manner, later: Manner, one_instruction: bool) -> String {
    let what = match (earlier.writes, later.writes) {
        (true, true) => "write after write",
        (true, false) => "read after write",
        _ => "write after read",
    };
    let why = match (earlier.strong, later.strong) {
        _ if one_instruction && !later.strong => "two lanes of one instruction",
        (false, false) => "both are weak",
        (true, true) if !earlier.sizes_match(later) => "both are strong, but of different sizes",
        (true, true) => "both are strong, but not of a scope that holds both threads",
        _ => "one of them is weak",
    };
    format!("{what}, and nothing orders the two ({why})")
}
