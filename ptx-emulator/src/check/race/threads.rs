//! The threads of a block: what each knows, and what it may publish.

mod cluster;

use std::sync::Arc;

use cluster::Cluster;

use super::knowledge::{Knowledge, Lane, Row, Tree};
use super::location::Contribution;
use crate::machine::block::{BARRIERS, CLUSTER_BARRIER};
use crate::observe::{BarrierArrival, Order, Scope};

/// The interval in which a thread that has not exited did so.
const ALIVE: u32 = u32::MAX;

/// Lane numbers of a mask, rising.
pub(super) fn lanes_of(mut mask: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < 32).then_some(lane)
    })
}

/// Lanes that had passed a release fence with the same knowledge.
#[derive(Debug)]
struct Released {
    lanes: u32,
    /// The fence's scope goes beyond the block.
    wide: bool,
    known: Arc<Knowledge>,
    interval: u32,
    time: u32,
    /// What a lane publishes by it, once it has.
    trees: [Option<Tree>; 32],
}

/// What strong loads have read and no fence has taken in yet.
#[derive(Clone, Debug, Default)]
struct Pending {
    near: Tree,
    far: Tree,
}

#[derive(Debug)]
struct Warp {
    time: u32,
    /// What all lanes know, when it is more than the block's threads have in
    /// common.
    all: Option<Arc<Knowledge>>,
    /// What single lanes know, when it is more than `all`.
    lanes: Option<Box<[Option<Arc<Knowledge>>; 32]>>,
    released: Vec<Released>,
    pending: Option<Box<[Pending; 32]>>,
    /// Numbers of stamps that were used last.
    stamps: [u32; 8],
}

/// Lanes that have come to a barrier.
#[derive(Debug)]
struct Arrival {
    warp: u32,
    lanes: u32,
    /// What they knew, when they do not wait.
    known: Option<Knowledge>,
}

#[derive(Debug)]
pub(super) struct Block {
    number: u32,
    /// Barriers of all threads that were completed.
    pub(super) interval: u32,
    threads: u32,
    live: u32,
    /// What all threads know.
    common: Arc<Knowledge>,
    warps: Vec<Warp>,
    barriers: [Vec<Arrival>; BARRIERS],
    cluster: Cluster,
    /// The interval in which each thread exited, when any has.
    exits: Vec<Row>,
}

impl Block {
    pub(super) fn new(number: u32, threads: u32) -> Block {
        let warp = |_| Warp {
            time: 1,
            all: None,
            lanes: None,
            released: Vec::new(),
            pending: None,
            stamps: [0; 8],
        };
        Block {
            number,
            interval: 0,
            threads,
            live: threads,
            common: Arc::default(),
            warps: (0..threads.div_ceil(32)).map(warp).collect(),
            barriers: Default::default(),
            cluster: Cluster::default(),
            exits: Vec::new(),
        }
    }

    pub(super) fn time(&self, warp: u32) -> u32 {
        self.warps[warp as usize].time
    }

    /// A place for the number of the stamp of instruction `pc`.
    pub(super) fn stamp(&mut self, warp: u32, pc: u32) -> &mut u32 {
        &mut self.warps[warp as usize].stamps[pc as usize % 8]
    }

    /// Later accesses of the warp are told from earlier ones.
    pub(super) fn tick(&mut self, warp: u32) {
        let time = &mut self.warps[warp as usize].time;
        *time = time.saturating_add(1);
    }

    /// What a lane knows.
    #[inline(always)]
    pub(super) fn known(&self, warp: u32, lane: u32) -> &Arc<Knowledge> {
        let warp = &self.warps[warp as usize];
        let own = warp.lanes.as_ref();
        own.and_then(|lanes| lanes[lane as usize].as_ref())
            .or(warp.all.as_ref())
            .unwrap_or(&self.common)
    }

    fn set_known(&mut self, warp: u32, lanes: u32, known: &Arc<Knowledge>) {
        let warp = &mut self.warps[warp as usize];
        if lanes == u32::MAX {
            (warp.all, warp.lanes) = (Some(known.clone()), None);
            return;
        }
        let own = warp.lanes.get_or_insert_default();
        for lane in lanes_of(lanes) {
            own[lane as usize] = Some(known.clone());
        }
    }

    /// Adds to `sum` what the lanes know and what they did.
    fn gather(&self, sum: &mut Knowledge, warp: u32, lanes: u32) {
        let mut last: Option<&Arc<Knowledge>> = None;
        for lane in lanes_of(lanes) {
            let known = self.known(warp, lane);
            if last.is_none_or(|last| !Arc::ptr_eq(last, known)) {
                sum.join(known);
                last = Some(known);
            }
        }
        sum.own.learn(warp, lanes, self.time(warp));
    }

    /// A warp barrier: each of the lanes learns what the others know.
    pub(super) fn warp_barrier(&mut self, warp: u32, lanes: u32) {
        let mut sum = Knowledge::clone(self.known(warp, lanes.trailing_zeros() % 32));
        self.gather(&mut sum, warp, lanes);
        // Nobody asks what lanes know that have exited or never were.
        let named = if self.present(warp) & !lanes == 0 {
            u32::MAX
        } else {
            lanes
        };
        self.set_known(warp, named, &Arc::new(sum));
        self.tick(warp);
    }

    /// Lanes come to a barrier.
    pub(super) fn arrive(&mut self, warp: u32, arrival: &BarrierArrival) {
        if arrival.id == CLUSTER_BARRIER {
            return self.arrive_at_cluster(warp, arrival.lanes, arrival.releases);
        }
        let known = if arrival.waits {
            None
        } else {
            let mut sum = Knowledge::clone(&self.common);
            self.gather(&mut sum, warp, arrival.lanes);
            self.tick(warp);
            Some(sum)
        };
        if let Some(barrier) = self.barriers.get_mut(arrival.id as usize) {
            barrier.push(Arrival {
                warp,
                lanes: arrival.lanes,
                known,
            });
        }
    }

    /// All have come to a barrier.
    pub(super) fn complete(&mut self, id: u32) {
        if id == CLUSTER_BARRIER {
            return self.complete_cluster();
        }
        let Some(barrier) = self.barriers.get_mut(id as usize) else {
            return;
        };
        let arrivals = std::mem::take(barrier);
        let waiting = |arrival: &&Arrival| arrival.known.is_none();
        let threads: u32 = arrivals
            .iter()
            .filter(waiting)
            .map(|arrival| arrival.lanes.count_ones())
            .sum();
        let full = threads == self.live;
        let alike = |warp: &Warp| warp.all.is_none() && warp.lanes.is_none();
        if full
            && arrivals.iter().all(|arrival| arrival.known.is_none())
            && self.warps.iter().all(alike)
        {
            self.interval = self.interval.saturating_add(1);
            return;
        }
        let mut sum = Knowledge::clone(&self.common);
        for arrival in &arrivals {
            match &arrival.known {
                Some(known) => sum.join(known),
                None => self.gather(&mut sum, arrival.warp, arrival.lanes),
            }
        }
        if full {
            // The interval stands for all rows but those of exited threads.
            sum.own.retain(|warp| self.exited(warp) != 0);
            self.common = Arc::new(sum);
            self.interval = self.interval.saturating_add(1);
            for warp in &mut self.warps {
                (warp.all, warp.lanes) = (None, None);
                // The rows that stay hold the present time.
                warp.time = warp.time.saturating_add(1);
            }
            return;
        }
        let sum = Arc::new(sum);
        for arrival in arrivals.iter().filter(waiting) {
            self.set_known(arrival.warp, arrival.lanes, &sum);
            self.tick(arrival.warp);
        }
    }

    pub(super) fn exit(&mut self, warp: u32, lanes: u32) {
        if self.exits.is_empty() {
            self.exits = vec![[ALIVE; 32]; self.warps.len()];
        }
        for lane in lanes_of(lanes) {
            self.exits[warp as usize][lane as usize] = self.interval;
        }
        self.live = self.live.saturating_sub(lanes.count_ones());
    }

    /// Lanes that have not exited.
    fn present(&self, warp: u32) -> u32 {
        let rest = self.threads.saturating_sub(warp * 32).min(32);
        (u32::MAX >> (32 - rest.max(1))) & !self.exited(warp)
    }

    /// Lanes that have exited.
    fn exited(&self, warp: u32) -> u32 {
        let row = self.exits.get(warp as usize);
        row.map_or(0, |row| {
            (0..32).fold(0, |mask, lane| mask | u32::from(row[lane] != ALIVE) << lane)
        })
    }

    /// Lanes that exited in an interval, and so were not at its barrier.
    #[inline(always)]
    pub(super) fn departed(&self, warp: u32, interval: u32) -> u32 {
        match self.exits.get(warp as usize) {
            None => 0,
            Some(row) => (0..32).fold(0, |mask, lane| {
                mask | u32::from(row[lane] == interval) << lane
            }),
        }
    }

    /// The block has ended; whether it must be kept, because threads exited
    /// before a barrier.
    pub(super) fn end(&mut self) -> bool {
        self.warps = Vec::new();
        self.barriers = Default::default();
        self.cluster = Cluster::default();
        self.common = Arc::default();
        let last = self.interval;
        self.exits.iter().flatten().any(|&exit| exit < last)
    }

    /// A lane learns what was published.
    pub(super) fn acquire(&mut self, by: Lane, published: &Tree) {
        let known = self.known(by.warp, by.lane);
        if known.includes(self.number, published) {
            return;
        }
        let mut more = Knowledge::clone(known);
        more.acquire(self.number, published);
        self.set_known(by.warp, 1 << by.lane, &Arc::new(more));
    }

    /// A lane has read, in a strong load, what was published; a fence may
    /// take it in.
    pub(super) fn remember(&mut self, by: Lane, near: &Tree, far: &Tree) {
        let pending = self.warps[by.warp as usize].pending.get_or_insert_default();
        let pending = &mut pending[by.lane as usize];
        pending.near.join(near);
        pending.far.join(far);
    }

    /// A fence of some lanes.
    pub(super) fn fence(&mut self, warp: u32, lanes: u32, order: Order, scope: Scope) {
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
            let known = self.known(warp, lane);
            match groups.last_mut() {
                Some(group) if Arc::ptr_eq(&group.known, known) => group.lanes |= 1 << lane,
                _ => groups.push(Released {
                    lanes: 1 << lane,
                    wide,
                    known: known.clone(),
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
    pub(super) fn has_released(&self, warp: u32) -> bool {
        !self.warps[warp as usize].released.is_empty()
    }

    /// What a strong write of a lane publishes: what it knew at its last
    /// fence, and as a release all that it knows. The outer end of the pattern,
    /// fence or release, says how far; that the write itself is seen from there
    /// is for its reader to find out.
    pub(super) fn contribution(&mut self, by: Lane, release: bool, wide: bool) -> Contribution {
        let mut out = Contribution::default();
        for released in &mut self.warps[by.warp as usize].released {
            if released.lanes >> by.lane & 1 == 0 || release && (wide || !released.wide) {
                continue;
            }
            let Released {
                known,
                interval,
                time,
                trees,
                ..
            } = released;
            let tree = trees[by.lane as usize]
                .get_or_insert_with(|| known.published(by, *interval, *time))
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
            let known = self.known(by.warp, by.lane);
            let tree = known.published(by, self.interval, self.time(by.warp));
            if wide {
                out.far = Some(tree.clone());
            }
            out.near = Some(tree);
        }
        out
    }
}
