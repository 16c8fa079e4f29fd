//! The look-out: tells the other blocks of this block's tiles, and the workers what lies
//! before their segments.

use cuda_std::{thread, warp};

use super::{Plan, Walk, shared_at};
use crate::operator::Operator;
use crate::scan::lanes::{self, anything};
use crate::scan::request::Request;
use crate::scan::scratch::GROUP;
use crate::scan::shape::{Lookahead, TOTAL};
use crate::scan::status::{self, Look};

/// # Safety
/// As for [`scan`](super::scan); all lanes of the warp behind the workers call it.
#[inline(always)]
pub(super) unsafe fn run<O: Operator, const WORKERS: usize, const DELAY: usize>(
    plan: &Plan<O>,
    shape: Lookahead,
    tiles: u64,
) {
    let lane = warp::lane_id();
    let request = &plan.request;
    let blocks = u64::from(thread::grid_dim_x());
    let segment = (plan.tile / WORKERS as u64) as u32;
    let workers_with = |tile: &Walk| plan.count(tile.first, plan.tile as u32).div_ceil(segment);
    // The last tile's total is of no use to anybody.
    let published = tiles.saturating_sub(1);
    // SAFETY: the caller's; a row of totals or bases is written and read on different
    // sides of a barrier.
    unsafe {
        let mut tag = 0;
        if lane == 0 {
            tag = status::begin(request.scratch);
        }
        let tag = lanes::of_lane(tag, 0);

        let mut behind = Behind::<O>::new(request);
        let mut ahead = Ahead::nowhere();
        let mut publish = Walk::new(plan.first);
        let mut find = publish;
        let mut publish_tile = u64::from(thread::block_idx_x());
        let mut look_tile = publish_tile;
        // What lies before each worker's segment in its tile, of the last `DELAY` tiles.
        let mut befores: [O::Accumulator; DELAY] = [anything(); DELAY];
        for k in 0..plan.own + DELAY as u32 {
            if k >= DELAY as u32 {
                let (before, exists) = behind.find(request, ahead, tag);
                let mut base = befores[0];
                if exists {
                    base = if lane == 0 {
                        before
                    } else if lane < workers_with(&find) {
                        O::combine(before, base)
                    } else {
                        base
                    };
                }
                if lane < WORKERS as u32 {
                    let row = shape.bases_at(find.slot as usize);
                    *shared_at(row + lane as usize * TOTAL) = base;
                }
                find.next(&shape, plan.stride);
            }
            // The next look is under way while everybody meets.
            ahead = Ahead::nowhere();
            if k + 1 >= DELAY as u32 && k + 1 < plan.own + DELAY as u32 {
                ahead = behind.look(request, look_tile, tag);
                look_tile += blocks;
            }

            thread::sync_threads_anywhere();

            for i in 1..DELAY {
                befores[i - 1] = befores[i];
            }
            if k < plan.own {
                let count = workers_with(&publish);
                let mut total = anything();
                if lane < count {
                    let row = shape.totals_at(publish.slot as usize);
                    total = *shared_at(row + lane as usize * TOTAL);
                }
                let total = lanes::scan_first::<O, WORKERS>(total, count);
                if publish_tile < published && lane == WORKERS as u32 - 1 {
                    status::publish(request.scratch, publish_tile, total, tag);
                }
                befores[DELAY - 1] = lanes::up(total, 1);
                publish.next(&shape, plan.stride);
                publish_tile += blocks;
            }
        }
        status::forget::<O::Accumulator>(request.scratch, request.words, published, tag);
    }
}

type Three<T> = (T, T, T);

/// A look at what is new before a tile.
struct Ahead<O: Operator> {
    tile: u64,
    looks: Three<Look<O::Accumulator>>,
}

impl<O: Operator> Ahead<O> {
    #[inline(always)]
    fn nowhere() -> Self {
        Self {
            tile: 0,
            looks: (Look::nowhere(), Look::nowhere(), Look::nowhere()),
        }
    }
}

/// What lies behind this block's tiles, in whole groups.
struct Behind<O: Operator> {
    groups: u64,
    total: O::Accumulator,
    exists: bool,
}

impl<O: Operator> Behind<O> {
    #[inline(always)]
    fn new(request: &Request<O>) -> Self {
        Self {
            groups: 0,
            total: request.initial,
            exists: request.has_initial(),
        }
    }

    /// Looks for what lies before `tile`. Tiles come in order.
    ///
    /// The groups that are new are read together, two whole ones and a part: on a grid
    /// of up to 2 [`GROUP`] blocks there are no more.
    ///
    /// # Safety
    /// As for [`status::gather`].
    #[inline(always)]
    unsafe fn look(&mut self, request: &Request<O>, tile: u64, tag: u32) -> Ahead<O> {
        // SAFETY: the caller's.
        unsafe {
            while self.groups + 2 < tile / GROUP {
                self.add(status::gather::<O>(
                    request.scratch,
                    self.groups,
                    GROUP as u32,
                    tag,
                ));
            }
            let tiles = (tile - self.groups * GROUP) as u32;
            let look = |i: u32| {
                let count = tiles.saturating_sub(i * GROUP as u32).min(GROUP as u32);
                // A group of which nothing is needed may be beyond the scratch memory.
                let group = self.groups + u64::from(if count > 0 { i } else { 0 });
                Look::at(request.scratch, group, count)
            };
            Ahead {
                tile,
                looks: (look(0), look(1), look(2)),
            }
        }
    }

    /// What was looked for, and whether there is anything, as soon as it is published.
    ///
    /// # Safety
    /// As for [`status::gather`].
    #[inline(always)]
    unsafe fn find(
        &mut self,
        request: &Request<O>,
        ahead: Ahead<O>,
        tag: u32,
    ) -> (O::Accumulator, bool) {
        // SAFETY: the caller's.
        unsafe {
            let mut ahead = ahead;
            loop {
                let (first, second, third) = &ahead.looks;
                let is_there = first.is_there(tag) & second.is_there(tag) & third.is_there(tag);
                if warp::warp_vote_all(warp::FULL_MASK, is_there) {
                    break;
                }
                ahead = self.look(request, ahead.tile, tag);
            }
            let (mut last, second, third) = ahead.looks;
            let mut rest = (ahead.tile - self.groups * GROUP) as u32;
            if rest >= GROUP as u32 {
                self.add(last.combined::<O>());
                rest -= GROUP as u32;
                last = second;
                if rest >= GROUP as u32 {
                    self.add(last.combined::<O>());
                    rest -= GROUP as u32;
                    last = third;
                }
            }
            if rest == 0 {
                (self.total, self.exists)
            } else {
                (self.and(last.combined::<O>()), true)
            }
        }
    }

    /// Adds a whole group.
    #[inline(always)]
    fn add(&mut self, group: O::Accumulator) {
        self.total = self.and(group);
        self.exists = true;
        self.groups += 1;
    }

    #[inline(always)]
    fn and(&self, group: O::Accumulator) -> O::Accumulator {
        if self.exists {
            O::combine(self.total, group)
        } else {
            group
        }
    }
}
