//! The barrier of a cluster, which is one block: to arrive and to wait are two
//! steps. What a thread does between them is ordered with nobody, and
//! `.relaxed` arrivals order only what a fence before them has released
//! (PTX ISA, "barrier.cluster").

use std::sync::Arc;

use super::super::manner::Reach;
use super::super::vector_clock::{Lane, VectorClock};
use super::{Block, lanes_of};

/// What those who arrive leave to those who wait.
#[derive(Debug, Default)]
pub(super) struct Cluster {
    /// By those of the present phase.
    coming: VectorClock,
    /// By those of the last phase: the next cannot end before all have waited.
    complete: Arc<VectorClock>,
}

impl Block {
    /// Lanes arrive.
    pub(super) fn arrive_at_cluster(&mut self, warp: u32, lanes: u32, releases: bool) {
        let mut coming = std::mem::take(&mut self.cluster.coming);
        if releases {
            self.gather(&mut coming, warp, lanes);
            self.tick(warp);
        } else {
            for lane in lanes_of(lanes) {
                let by = Lane {
                    block: self.number,
                    warp,
                    lane,
                };
                if let Some(fenced) = self.contribution(by, false, Reach::Block).near() {
                    coming.acquire(self.number, fenced);
                }
            }
        }
        self.cluster.coming = coming;
    }

    /// All have arrived.
    pub(super) fn complete_cluster(&mut self) {
        self.cluster.complete = Arc::new(std::mem::take(&mut self.cluster.coming));
    }

    /// Lanes have waited: they learn what those knew who arrived.
    pub(in super::super) fn wait_for_cluster(&mut self, warp: u32, lanes: u32) {
        let complete = self.cluster.complete.clone();
        let mut rest = lanes;
        while rest != 0 {
            let clock = self.clock(warp, rest.trailing_zeros()).clone();
            let alike = lanes_of(rest)
                .filter(|&lane| Arc::ptr_eq(self.clock(warp, lane), &clock))
                .fold(0, |alike, lane| alike | 1 << lane);
            let mut more = VectorClock::clone(&clock);
            more.join(&complete);
            self.set_clock(warp, alike, &Arc::new(more));
            rest &= !alike;
        }
    }
}
