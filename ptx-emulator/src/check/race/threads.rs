//! The threads of a block: what each knows, and what it may publish.

mod cluster;
mod fence;

use std::sync::Arc;

use cluster::Cluster;
use fence::Released;

use super::location::Trees;
use super::vector_clock::{Lane, Row, Tree, VectorClock};
use crate::ir::{self, mask_of};
use crate::machine::{BARRIERS, CLUSTER_BARRIER};
use crate::observe::BarrierArrival;

/// The interval in which a thread that has not exited did so.
const ALIVE: u32 = u32::MAX;

/// Lane numbers of a mask, rising.
pub(super) fn lanes_of(mask: u32) -> impl Iterator<Item = u32> {
    ir::lanes_of(mask).map(|lane| lane as u32)
}

#[derive(Debug)]
struct Warp {
    time: u32,
    /// What all lanes know, when it is more than the block's threads have in
    /// common.
    all: Option<Arc<VectorClock>>,
    /// What single lanes know, when it is more than `all`.
    lanes: Option<Box<[Option<Arc<VectorClock>>; 32]>>,
    released: Vec<Released>,
    /// What strong loads have read and no fence has taken in yet.
    pending: Option<Box<[Trees; 32]>>,
    /// Numbers of stamps that were used last.
    stamps: [u32; 8],
}

/// Lanes that have come to a barrier.
#[derive(Debug)]
struct Arrival {
    warp: u32,
    lanes: u32,
    /// What they knew, when they do not wait.
    clock: Option<VectorClock>,
}

#[derive(Debug)]
pub(super) struct Block {
    number: u32,
    /// Barriers of all threads that were completed.
    pub(super) interval: u32,
    threads: u32,
    live: u32,
    /// What all threads know.
    common: Arc<VectorClock>,
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
    pub(super) fn clock(&self, warp: u32, lane: u32) -> &Arc<VectorClock> {
        let warp = &self.warps[warp as usize];
        let own = warp.lanes.as_ref();
        own.and_then(|lanes| lanes[lane as usize].as_ref())
            .or(warp.all.as_ref())
            .unwrap_or(&self.common)
    }

    fn set_clock(&mut self, warp: u32, lanes: u32, clock: &Arc<VectorClock>) {
        let warp = &mut self.warps[warp as usize];
        if lanes == u32::MAX {
            (warp.all, warp.lanes) = (Some(clock.clone()), None);
            return;
        }
        let own = warp.lanes.get_or_insert_default();
        for lane in lanes_of(lanes) {
            own[lane as usize] = Some(clock.clone());
        }
    }

    /// Adds to `sum` what the lanes know and what they did.
    fn gather(&self, sum: &mut VectorClock, warp: u32, lanes: u32) {
        let mut last: Option<&Arc<VectorClock>> = None;
        for lane in lanes_of(lanes) {
            let clock = self.clock(warp, lane);
            if last.is_none_or(|last| !Arc::ptr_eq(last, clock)) {
                sum.join(clock);
                last = Some(clock);
            }
        }
        sum.own.learn(warp, lanes, self.time(warp));
    }

    /// A warp barrier: each of the lanes learns what the others know.
    pub(super) fn warp_barrier(&mut self, warp: u32, lanes: u32) {
        let mut sum = VectorClock::clone(self.clock(warp, lanes.trailing_zeros() % 32));
        self.gather(&mut sum, warp, lanes);
        // Nobody asks what lanes know that have exited or never were.
        let named = if self.present(warp) & !lanes == 0 {
            u32::MAX
        } else {
            lanes
        };
        self.set_clock(warp, named, &Arc::new(sum));
        self.tick(warp);
    }

    /// Lanes come to a barrier.
    pub(super) fn arrive(&mut self, warp: u32, arrival: &BarrierArrival) {
        if arrival.id == CLUSTER_BARRIER {
            return self.arrive_at_cluster(warp, arrival.lanes, arrival.releases);
        }
        let clock = if arrival.waits {
            None
        } else {
            let mut sum = VectorClock::clone(&self.common);
            self.gather(&mut sum, warp, arrival.lanes);
            self.tick(warp);
            Some(sum)
        };
        if let Some(barrier) = self.barriers.get_mut(arrival.id as usize) {
            barrier.push(Arrival {
                warp,
                lanes: arrival.lanes,
                clock,
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
        let waiting = |arrival: &&Arrival| arrival.clock.is_none();
        let threads: u32 = arrivals
            .iter()
            .filter(waiting)
            .map(|arrival| arrival.lanes.count_ones())
            .sum();
        let full = threads == self.live;
        let alike = |warp: &Warp| warp.all.is_none() && warp.lanes.is_none();
        if full
            && arrivals.iter().all(|arrival| arrival.clock.is_none())
            && self.warps.iter().all(alike)
        {
            self.interval = self.interval.saturating_add(1);
            return;
        }
        let mut sum = VectorClock::clone(&self.common);
        for arrival in &arrivals {
            match &arrival.clock {
                Some(clock) => sum.join(clock),
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
            self.set_clock(arrival.warp, arrival.lanes, &sum);
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
        row.map_or(0, |row| mask_of(|lane| row[lane] != ALIVE))
    }

    /// Lanes that exited in an interval, and so were not at its barrier.
    #[inline(always)]
    pub(super) fn departed(&self, warp: u32, interval: u32) -> u32 {
        let row = self.exits.get(warp as usize);
        row.map_or(0, |row| mask_of(|lane| row[lane] == interval))
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
        let clock = self.clock(by.warp, by.lane);
        if clock.includes(self.number, published) {
            return;
        }
        let mut more = VectorClock::clone(clock);
        more.acquire(self.number, published);
        self.set_clock(by.warp, 1 << by.lane, &Arc::new(more));
    }
}
