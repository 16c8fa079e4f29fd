//! Fences: what a thread may publish behind one, and what one takes in.

use std::sync::Arc;

use super::super::location::{Contribution, Trees};
use super::super::manner::{Reach, sides};
use super::super::vector_clock::{Lane, Tree, VectorClock};
use super::{Block, lanes_of};
use crate::observe::{Order, Scope};

/// Lanes that had passed a release fence with the same vector clock.
#[derive(Debug)]
pub(super) struct Released {
    lanes: u32,
    /// The fence's.
    reach: Reach,
    clock: Arc<VectorClock>,
    interval: u32,
    time: u32,
    /// What a lane publishes by it, once it has.
    trees: [Option<Tree>; 32],
}

impl Block {
    /// A lane has observed, in a strong read, what was published: an acquire takes it in, as far
    /// as its scope goes; the rest, a fence may.
    pub(in super::super) fn observe(&mut self, by: Lane, order: Order, reach: Reach, seen: &Trees) {
        let taken = if sides(order).0 {
            self.acquire_within(by, reach, seen);
            reach as usize + 1
        } else {
            0
        };
        for (level, tree) in seen.iter().enumerate().skip(taken) {
            if !tree.is_empty() {
                let pending = self.warps[by.warp as usize].pending.get_or_insert_default();
                pending[by.lane as usize][level].join(tree);
            }
        }
    }

    /// A lane learns what it can take in by an acquire that goes so far.
    pub(in super::super) fn acquire_within(&mut self, by: Lane, reach: Reach, seen: &Trees) {
        for tree in &seen[..=reach as usize] {
            self.acquire(by, tree);
        }
    }

    /// A fence of some lanes.
    pub(in super::super) fn fence(&mut self, warp: u32, lanes: u32, order: Order, scope: Scope) {
        let reach = Reach::of(scope);
        if order != Order::Release && self.warps[warp as usize].pending.is_some() {
            for lane in lanes_of(lanes) {
                self.take_in(warp, lane, reach);
            }
        }
        if order == Order::Acquire {
            return;
        }
        // A wider fence stands for a narrower one.
        let released = &mut self.warps[warp as usize].released;
        for old in released.iter_mut().filter(|old| reach >= old.reach) {
            old.lanes &= !lanes;
        }
        released.retain(|old| old.lanes != 0);
        let (interval, time) = (self.interval, self.time(warp));
        let mut groups: Vec<Released> = Vec::new();
        for lane in lanes_of(lanes) {
            let clock = self.clock(warp, lane);
            match groups.last_mut() {
                Some(group) if Arc::ptr_eq(&group.clock, clock) => group.lanes |= 1 << lane,
                _ => groups.push(Released {
                    lanes: 1 << lane,
                    reach,
                    clock: clock.clone(),
                    interval,
                    time,
                    trees: Default::default(),
                }),
            }
        }
        self.warps[warp as usize].released.extend(groups);
        self.tick(warp);
    }

    fn take_in(&mut self, warp: u32, lane: u32, reach: Reach) {
        let Some(pending) = &mut self.warps[warp as usize].pending else {
            return;
        };
        let pending = &mut pending[lane as usize][..=reach as usize];
        let mut taken = Trees::default();
        taken[..=reach as usize].swap_with_slice(pending);
        let by = Lane {
            block: self.number,
            warp,
            lane,
        };
        self.acquire_within(by, reach, &taken);
    }

    /// Whether any lane of the warp has passed a release fence.
    pub(in super::super) fn has_released(&self, warp: u32) -> bool {
        !self.warps[warp as usize].released.is_empty()
    }

    /// What a strong write of a lane publishes: what it knew at its last
    /// fence, and as a release all that it knows. The outer end of the pattern,
    /// fence or release, says how far; that the write itself is seen from there
    /// is for its reader to find out.
    pub(in super::super) fn contribution(
        &mut self,
        by: Lane,
        release: bool,
        reach: Reach,
    ) -> Contribution {
        let mut out = Contribution::default();
        for released in &mut self.warps[by.warp as usize].released {
            if released.lanes >> by.lane & 1 == 0 || release && reach >= released.reach {
                continue;
            }
            let Released {
                clock,
                interval,
                time,
                trees,
                ..
            } = released;
            let tree = trees[by.lane as usize]
                .get_or_insert_with(|| clock.published(by, *interval, *time));
            // Of several fences the narrower ones are the later ones.
            out.set(released.reach, tree);
        }
        if release {
            let clock = self.clock(by.warp, by.lane);
            let tree = clock.published(by, self.interval, self.time(by.warp));
            out.set(reach, &tree);
        }
        out
    }
}
