//! Nodes of the parts that plans leave whole, and cuts where there is no room for them.

use super::List;
use super::refine::NONE;
use super::rounds::{Memory, Rounds};
use crate::cubature::region::PLAN;

/// Times that nodes are planned, each time with shares by the points of the last,
const PASSES: u32 = 4;
/// but for this part of the goal;
const EVEN: f64 = 0.1;
/// and at most, where there is no room for the points.
const MOST_PASSES: u32 = 40;

/// The plan of this number, of so many axes.
fn plan_of(plans: &[f64], number: u32, dimensions: usize) -> &[f64] {
    let width = PLAN * dimensions;
    &plans[number as usize * width..][..width]
}

impl<M: Memory> Rounds<'_, M> {
    /// Cuts those of the planned parts that have more points than `many`, along their slowest axes: what
    /// is far from a peak is left as it is then.
    pub(super) fn cut_large(&mut self, plans: &[f64], many: u64, mut room: usize) {
        let (dimensions, mut at, all) = (self.dimensions(), 0, self.parts.len());
        for [index, count, plan] in self.numbers.iter_mut() {
            let (part, region) = (&self.parts[at], &self.regions[*index as usize]);
            at += *count as usize;
            if *plan == NONE || part.points(0) <= many || room == 0 {
                continue;
            }
            if region
                .slowest_cut(plan_of(plans, *plan, dimensions))
                .is_some()
            {
                (*count, room) = (2, room - 1);
            }
        }
        // From the last one on they move to where they are to be.
        let cut = |&[_, count, plan]: &[u32; 3]| plan != NONE && count == 2;
        for _ in 0..self.numbers.iter().filter(|of| cut(of)).count() {
            let last = self.parts[all - 1];
            self.parts.push(last);
        }
        if self.parts.is_over() {
            return;
        }
        let (mut from, mut to) = (all, self.parts.len());
        for of @ &[index, count, plan] in self.numbers.iter().rev() {
            let count = count as usize;
            to -= count;
            if cut(of) {
                from -= 1;
                let region = &self.regions[index as usize];
                let cuts = region.slowest_cut(plan_of(plans, plan, dimensions));
                let halves = region.halves(&cuts.unwrap_or_default());
                self.parts[to..to + 2].copy_from_slice(&halves);
            } else {
                from -= count;
                self.parts.copy_within(from..from + count, to);
            }
        }
    }

    /// Gives nodes to the parts that plans leave whole, so that all of them together err by no more
    /// than `goal`. The fewest points are those where a region errs in proportion to its points
    /// (Lagrange); a part of it is shared evenly. Returns how many points that takes, whether there is
    /// room for them or not.
    pub(super) fn plan(&mut self, plans: &[f64], goal: f64, least: f64) -> f64 {
        let dimensions = self.dimensions();
        let whole = self.numbers.iter().filter(|&&[_, _, plan]| plan != NONE);
        let count = whole.count() as f64;
        let room = self
            .question
            .evaluations
            .saturating_sub(self.state.evaluations);
        let (mut goal, mut total, mut wanted, mut pass) = (goal, 0.0, 0.0, 0);
        // Where there is not room for so many points, the goal is missed.
        while pass < PASSES || total > room as f64 && pass < MOST_PASSES {
            if pass >= PASSES {
                goal *= 4.0;
            }
            let (mut next, mut at) = (0.0, 0);
            for &[index, count_of_parts, plan] in self.numbers.iter() {
                if plan != NONE {
                    let points = self.parts[at].points(0) as f64;
                    let share = if pass == 0 {
                        1.0 / count
                    } else {
                        EVEN / count + (1.0 - EVEN) * points / total
                    };
                    let plan = plan_of(plans, plan, dimensions);
                    let region = &self.regions[index as usize];
                    let part = region.planned(plan, goal * share / dimensions as f64);
                    next += part.points(0) as f64;
                    self.parts[at] = part;
                }
                at += count_of_parts as usize;
            }
            total = next;
            pass += 1;
            if pass == PASSES {
                wanted = total;
            }
        }
        let mut at = 0;
        for &[index, count, plan] in self.numbers.iter() {
            let region = &self.regions[index as usize];
            if plan != NONE && self.parts[at].nodes == region.part.nodes {
                self.parts[at] = region.grown(least, dimensions);
            }
            at += count as usize;
        }
        wanted
    }
}
