//! Fences: what a thread may publish behind one, and what one takes in.

use std::sync::Arc;

use super::super::location::Contribution;
use super::super::manner::sides;
use super::super::vector_clock::{Lane, Tree, VectorClock};
use super::{Block, lanes_of};
use crate::observe::{Order, Scope};

/// Lanes that had passed a release fence with the same vector clock.
#[derive(Debug)]
pub(super) struct Released {
    lanes: u32,
    /// The fence's scope goes beyond the block.
    wide: bool,
    clock: Arc<VectorClock>,
    interval: u32,
    time: u32,
    /// What a lane publishes by it, once it has.
    trees: [Option<Tree>; 32],
}

/// What strong loads have read and no fence has taken in yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Pending {
    near: Tree,
    far: Tree,
}

impl Block {
    /// A lane has observed, in a strong read, what was published: an acquire takes it in, as far
    /// as its scope goes; the rest, a fence may.
    pub(in super::super) fn observe(
        &mut self,
        by: Lane,
        order: Order,
        wide: bool,
        (near, far): (&Tree, &Tree),
    ) {
        let acquires = sides(order).0;
        if acquires {
            self.acquire(by, near);
        }
        if acquires && wide {
            self.acquire(by, far);
        } else {
            self.remember(by, near, far);
        }
    }

    /// A lane has read, in a strong load, what was published; a fence may
    /// take it in.
    fn remember(&mut self, by: Lane, near: &Tree, far: &Tree) {
        let pending = self.warps[by.warp as usize].pending.get_or_insert_default();
        let pending = &mut pending[by.lane as usize];
        pending.near.join(near);
        pending.far.join(far);
    }

    /// A fence of some lanes.
    pub(in super::super) fn fence(&mut self, warp: u32, lanes: u32, order: Order, scope: Scope) {
        let wide = matches!(scope, Scope::Gpu | Scope::System);
        if order != Order::Release && self.warps[warp as usize].pending.is_some() {
            for lane in lanes_of(lanes) {
                self.take_in(warp, lane, wide);
            }
        }
        if order == Order::Acquire {
            return;
        }
        // A wider fence stands for a narrower one.
        let released = &mut self.warps[warp as usize].released;
        for old in released.iter_mut().filter(|old| wide || !old.wide) {
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
                    wide,
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

    fn take_in(&mut self, warp: u32, lane: u32, wide: bool) {
        let Some(pending) = &mut self.warps[warp as usize].pending else {
            return;
        };
        let pending = &mut pending[lane as usize];
        let near = std::mem::take(&mut pending.near);
        let far = wide.then(|| std::mem::take(&mut pending.far));
        let by = Lane {
            block: self.number,
            warp,
            lane,
        };
        self.acquire(by, &near);
        if let Some(far) = far {
            self.acquire(by, &far);
        }
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
        wide: bool,
    ) -> Contribution {
        let mut out = Contribution::default();
        for released in &mut self.warps[by.warp as usize].released {
            if released.lanes >> by.lane & 1 == 0 || release && (wide || !released.wide) {
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
                .get_or_insert_with(|| clock.published(by, *interval, *time))
                .clone();
            if released.wide {
                out.far = Some(tree.clone());
            }
            // The narrow fence is the later one, when there are both.
            if !released.wide || out.near.is_none() {
                out.near = Some(tree);
            }
        }
        if release {
            let clock = self.clock(by.warp, by.lane);
            let tree = clock.published(by, self.interval, self.time(by.warp));
            if wide {
                out.far = Some(tree.clone());
            }
            out.near = Some(tree);
        }
        out
    }
}
