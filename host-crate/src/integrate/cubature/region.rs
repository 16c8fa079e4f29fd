//! A region: what it was summed to, what it errs by, and how it can be refined.

use std::panic::resume_unwind;
use std::thread;

use quadscan_kernels::cubature::decay;
use quadscan_kernels::cubature::region::{
    BEST, COEFFICIENTS, FIRST, LINE, LINES, MAX_DIMENSIONS, MAX_NODES, MAX_PLANES, MIN_NODES, PLAN,
    SUMS,
};

use super::CubedRegion;
use super::table::Axis;
use super::threads::cores;

/// The decay beyond which more nodes are not worth it,
const SLOW: f64 = 0.5;
/// and that with which they always are.
const FAST: f64 = 0.25;
/// An axis with less of a region's error than this is left as it is.
const LITTLE: f64 = 0.01;

/// Regions for which a thread is worth it.
const FEW: usize = 64;

/// A box and its rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Part {
    pub(super) from: [f64; MAX_DIMENSIONS],
    pub(super) to: [f64; MAX_DIMENSIONS],
    pub(super) nodes: [u8; MAX_DIMENSIONS],
    /// The integral of a batch that it is of.
    pub(super) member: u32,
}

impl Part {
    /// Points of the rule in the axes from `first` on.
    pub(super) fn points(&self, first: usize) -> u64 {
        let counts = self.nodes[first..]
            .iter()
            .map(|&nodes| u64::from(nodes.max(1)));
        counts.product()
    }

    fn volume(&self, dimensions: usize) -> f64 {
        let widths = self.to.iter().zip(&self.from).take(dimensions);
        widths.map(|(to, from)| to - from).product()
    }
}

/// A part that was summed.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub(super) part: Part,
    pub(super) value: f64,
    pub(super) magnitude: f64,
    axes: [Axis; MAX_DIMENSIONS],
    /// What the estimate is multiplied by: more than 1 where one before was refuted.
    pub(super) doubt: f64,
    pub(super) error: f64,
    /// The part of the error along rough lines,
    pub(super) rough: f64,
    /// and what the rule lacks there.
    pub(super) lacks: f64,
    pub(super) plane: u32,
    /// Whether what is rough lies across the axes: then a line tells of no place to cut.
    pub(super) is_oblique: bool,
    /// Whether its nodes are those of a plan.
    pub(super) is_planned: bool,
    /// Whether it was looked at again.
    pub(super) is_seen: bool,
}

impl Region {
    pub(super) fn new(part: Part, is_planned: bool, sums: &[f64], dimensions: usize) -> Self {
        let mut axes = [Axis::default(); MAX_DIMENSIONS];
        let volume = part.volume(dimensions);
        let coefficients = sums[FIRST..BEST].chunks(COEFFICIENTS);
        let of_axes = coefficients.zip(sums[LINES..].chunks(LINE));
        for (k, (axis, (of, line))) in axes[..dimensions].iter_mut().zip(of_axes).enumerate() {
            let nodes = usize::from(part.nodes[k]);
            *axis = Axis::new(nodes, of, sums[1], line, volume);
        }
        let mut region = Self {
            part,
            value: sums[0],
            magnitude: sums[1],
            axes,
            doubt: 1.0,
            error: 0.0,
            rough: 0.0,
            lacks: 0.0,
            plane: sums[BEST + 1] as u32,
            is_oblique: false,
            is_planned,
            is_seen: false,
        };
        region.doubt(1.0, dimensions);
        region
    }

    /// As applications see it.
    pub(super) fn cubed(&self, dimensions: usize) -> CubedRegion {
        let (from, to) = (&self.part.from[..dimensions], &self.part.to[..dimensions]);
        CubedRegion {
            limits: from.iter().copied().zip(to.iter().copied()).collect(),
            nodes: (0..dimensions).map(|k| self.nodes(k)).collect(),
            value: self.value,
            error: self.error,
        }
    }

    fn nodes(&self, axis: usize) -> usize {
        usize::from(self.part.nodes[axis])
    }

    /// The error along an axis.
    fn error(&self, axis: usize) -> f64 {
        self.doubt * self.axes[axis].error()
    }

    pub(super) fn doubt(&mut self, doubt: f64, dimensions: usize) {
        self.doubt = doubt;
        (self.error, self.rough, self.lacks) = (0.0, 0.0, 0.0);
        for axis in 0..dimensions {
            let error = self.error(axis);
            self.error += error;
            if let Some(lacks) = self.axes[axis].lacks() {
                self.rough += error;
                self.lacks += doubt * lacks;
            }
        }
    }

    /// Believes other lines, where they refute the error.
    pub(super) fn see_again(&mut self, lines: &[f64], dimensions: usize) {
        let volume = self.part.volume(dimensions);
        for (axis, line) in self.axes.iter_mut().zip(lines.chunks(LINE)) {
            axis.see_again(line, volume);
        }
        self.is_seen = true;
        self.doubt(self.doubt, dimensions);
    }

    /// The part whose axes err by no more than `goal` each, and the axes in which nodes are of no use.
    pub(super) fn refined(&self, goal: f64, dimensions: usize) -> (Part, [bool; MAX_DIMENSIONS]) {
        let (mut part, mut is_stuck) = (self.part, [false; MAX_DIMENSIONS]);
        for (k, is_stuck) in is_stuck.iter_mut().enumerate().take(dimensions) {
            let (error, nodes, axis) = (self.error(k), self.nodes(k), &self.axes[k]);
            if error <= goal || error < LITTLE * self.error {
                continue;
            }
            let wanted = axis.nodes(nodes, goal / self.doubt).max(nodes + 1);
            *is_stuck =
                nodes == MAX_NODES || axis.decay > SLOW || wanted > MAX_NODES && axis.decay > FAST;
            part.nodes[k] = wanted.min(MAX_NODES) as u8;
        }
        if part.points(2) > MAX_PLANES {
            let worst = |&a: &usize, &b: &usize| self.error(a).total_cmp(&self.error(b));
            is_stuck[(0..dimensions).max_by(worst).unwrap_or(0)] = true;
        }
        (part, is_stuck)
    }

    /// Where a plan cuts the region, into no more than so many parts; the slowest axes first.
    pub(super) fn cuts(
        &self,
        plan: &[f64],
        is_stuck: &[bool; MAX_DIMENSIONS],
        room: usize,
    ) -> [Option<f64>; MAX_DIMENSIONS] {
        let rate = |k: usize| plan[PLAN * k + 1];
        let is_cut = |&k: &usize| rate(k) < 0.0 || is_stuck[k];
        let mut order: Vec<usize> = (0..plan.len() / PLAN).filter(is_cut).collect();
        order.sort_by(|&a, &b| rate(a).abs().total_cmp(&rate(b).abs()));
        let (mut cuts, mut parts) = ([None; MAX_DIMENSIONS], 1);
        for k in order {
            let (from, to) = (self.part.from[k], self.part.to[k]);
            let at = match self.is_oblique {
                true => from + 0.5 * (to - from),
                false => plan[PLAN * k],
            };
            let is_inside = from < at && at < to;
            if is_inside && 2 * parts <= room {
                parts *= 2;
                cuts[k] = Some(at);
            }
        }
        cuts
    }

    /// The cut of a plan along the slowest axis that can be cut.
    pub(super) fn slowest_cut(&self, plan: &[f64]) -> Option<[Option<f64>; MAX_DIMENSIONS]> {
        let is_inside =
            |k: &usize| self.part.from[*k] < plan[PLAN * k] && plan[PLAN * k] < self.part.to[*k];
        let rate = |k: usize| plan[PLAN * k + 1].abs();
        let axes = (0..plan.len() / PLAN).filter(is_inside);
        let slowest = axes.min_by(|&a, &b| rate(a).total_cmp(&rate(b)))?;
        let mut cuts = [None; MAX_DIMENSIONS];
        cuts[slowest] = Some(plan[PLAN * slowest]);
        Some(cuts)
    }

    /// The part that errs by no more than `goal` along each axis, as a plan says.
    pub(super) fn planned(&self, plan: &[f64], goal: f64) -> Part {
        let mut part = self.part;
        for (nodes, plan) in part.nodes.iter_mut().zip(plan.chunks(PLAN)) {
            let planned = decay::nodes(self.magnitude, goal, plan[1].abs()).ceil();
            *nodes = (planned as usize).min(MAX_NODES) as u8;
        }
        while part.points(2) > MAX_PLANES {
            let many = part
                .nodes
                .iter_mut()
                .filter(|nodes| **nodes > MIN_NODES as u8);
            many.for_each(|nodes| *nodes -= 1);
        }
        part
    }

    /// The part with a node more in each axis, if it errs by more than `goal` there or none does.
    pub(super) fn grown(&self, goal: f64, dimensions: usize) -> Part {
        let is_off = |k: usize| self.error(k) > goal;
        let (is_any, mut part) = ((0..dimensions).any(is_off), self.part);
        for k in (0..dimensions).filter(|&k| is_off(k) || !is_any) {
            part.nodes[k] = (part.nodes[k] + 1).min(MAX_NODES as u8);
        }
        part
    }

    /// The parts on all sides of the cuts.
    pub(super) fn divided(&self, cuts: &[Option<f64>], to: &mut Vec<(Part, bool)>) {
        let first = to.len();
        let mut part = self.part;
        for nodes in part.nodes.iter_mut().filter(|nodes| **nodes > 0) {
            *nodes = MIN_NODES as u8;
        }
        to.push((part, false));
        for (k, cut) in cuts.iter().enumerate() {
            let Some(cut) = *cut else { continue };
            for index in first..to.len() {
                let mut other = to[index];
                (to[index].0.to[k], other.0.from[k]) = (cut, cut);
                to.push(other);
            }
        }
    }
}

/// Regions of parts that were summed, made by as many threads as that is worth.
pub(super) fn made(parts: &[(Part, bool)], sums: &[f64], dimensions: usize) -> Vec<Region> {
    let of = |parts: &[(Part, bool)], sums: &[f64]| {
        let of = parts.iter().zip(sums.chunks(SUMS));
        let region = |(&(part, is_planned), sums): (_, &[f64])| {
            Region::new(part, is_planned, sums, dimensions)
        };
        of.map(region).collect::<Vec<_>>()
    };
    let share = parts.len().div_ceil(cores()).max(FEW);
    if parts.len() <= share {
        return of(parts, sums);
    }
    thread::scope(|scope| {
        let shares = parts.chunks(share).zip(sums.chunks(share * SUMS));
        let threads: Vec<_> = shares
            .map(|(parts, sums)| scope.spawn(move || of(parts, sums)))
            .collect();
        let made = threads.into_iter().map(|thread| thread.join());
        made.flat_map(|made| made.unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    })
}
