//! A region: what it was summed to, what it errs by, and how it can be refined.

use cuda_std::GpuFloat;

use super::axis::Axis;
use super::{List, Places};
use crate::cubature::decay;
use crate::cubature::region::{
    self, BEST, COEFFICIENTS, FIRST, LINE, LINES, MAX_DIMENSIONS, MAX_NODES, MAX_PLANES, MIN_NODES,
    PLAN,
};

/// The decay beyond which more nodes are not worth it,
const SLOW: f64 = 0.5;
/// and that with which they always are.
const FAST: f64 = 0.25;
/// In so many dimensions no region has more than the most planes.
const FEW_DIMENSIONS: usize = 8;
const _: () = assert!((MAX_NODES as u64).pow(FEW_DIMENSIONS as u32 - 2) <= MAX_PLANES);
/// An axis with less of a region's error than this is left as it is.
const LITTLE: f64 = 0.01;

/// A box and its rule.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Part {
    /// Its lower limits,
    pub from: [f64; MAX_DIMENSIONS],
    /// and its upper ones.
    pub to: [f64; MAX_DIMENSIONS],
    /// The integral of a batch that it is of.
    pub member: u32,
    /// Nodes of each axis.
    pub nodes: [u8; MAX_DIMENSIONS],
    /// Whether its nodes are those of a plan.
    pub is_planned: bool,
}

impl Part {
    /// Points of the rule in the axes from `first` on.
    pub fn points(&self, first: usize) -> u64 {
        let counts = self.nodes[first..]
            .iter()
            .map(|&nodes| u64::from(nodes.max(1)));
        counts.product()
    }

    /// The same with the fewest nodes.
    fn bare(mut self) -> Self {
        self.is_planned = false;
        for nodes in self.nodes.iter_mut().filter(|nodes| **nodes > 0) {
            *nodes = MIN_NODES as u8;
        }
        self
    }

    /// As kernels take it, with its numbers for rules and plans.
    pub fn launched(&self, first: u32, plane: u32, goal: f64) -> region::Region {
        let mut region = region::Region {
            centre: self.from,
            half: self.to,
            goal,
            nodes: self.nodes.map(u32::from),
            member: u64::from(self.member),
            first,
            plane,
        };
        for (centre, half) in region.centre.iter_mut().zip(&mut region.half) {
            let (from, to) = (*centre, *half);
            *half = 0.5 * (to - from);
            *centre = from + *half;
        }
        region
    }

    fn volume(&self, dimensions: usize) -> f64 {
        let widths = self.to.iter().zip(&self.from).take(dimensions);
        widths.map(|(to, from)| to - from).product()
    }
}

/// A part that was summed.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Region {
    /// It.
    pub part: Part,
    /// The integral,
    pub value: f64,
    /// and that of the magnitude.
    pub magnitude: f64,
    axes: [Axis; MAX_DIMENSIONS],
    /// What the estimate is multiplied by: more than 1 where one before was refuted.
    pub doubt: f64,
    /// What it errs by;
    pub error: f64,
    /// the part of that along rough lines,
    pub rough: f64,
    /// and what the rule lacks there.
    pub lacks: f64,
    /// The plane where the function is largest.
    pub plane: u32,
    /// Nodes that it gets in this round,
    pub wanted: [u8; MAX_DIMENSIONS],
    /// the axes in which they are of no use, a bit each,
    pub stuck: u16,
    /// and whether it is refined at all.
    pub is_chosen: bool,
    /// Whether what is rough lies across the axes: then a line tells of no place to cut.
    pub is_oblique: bool,
    /// Whether it was looked at again.
    pub is_seen: bool,
}

impl Region {
    /// Of a part and its sums.
    pub fn new(part: Part, sums: &[f64], dimensions: usize) -> Self {
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
            wanted: part.nodes,
            stuck: 0,
            is_chosen: false,
            is_oblique: false,
            is_seen: false,
        };
        region.doubt(1.0, dimensions);
        region
    }

    /// The middle of an axis.
    pub fn middle(&self, axis: usize) -> f64 {
        let (from, to) = (self.part.from[axis], self.part.to[axis]);
        from + 0.5 * (to - from)
    }

    /// Whether a surface across the axes goes through it; errors of less than `faint` show none.
    pub fn is_surface(&self, faint: f64) -> bool {
        self.is_oblique && self.rough > faint
    }

    /// Whether it has the nodes of a plan, which are of use.
    pub fn is_to_grow(&self) -> bool {
        self.part.is_planned && self.stuck == 0
    }

    fn nodes(&self, axis: usize) -> usize {
        usize::from(self.part.nodes[axis])
    }

    /// The error along an axis.
    fn error(&self, axis: usize) -> f64 {
        self.doubt * self.axes[axis].error()
    }

    /// Multiplies the estimates.
    #[inline(never)]
    pub fn doubt(&mut self, doubt: f64, dimensions: usize) {
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
    pub fn see_again(&mut self, lines: &[f64], dimensions: usize) {
        let volume = self.part.volume(dimensions);
        for (axis, line) in self.axes.iter_mut().zip(lines.chunks(LINE)) {
            axis.see_again(line, volume);
        }
        self.is_seen = true;
        self.doubt(self.doubt, dimensions);
    }

    /// Chooses nodes with which each axis errs by no more than `goal`, and the axes in which they are of no
    /// use.
    #[inline(never)]
    pub fn choose(&mut self, goal: f64, dimensions: usize) {
        (self.wanted, self.stuck, self.is_chosen) = (self.part.nodes, 0, true);
        for k in 0..dimensions {
            let (error, nodes, axis) = (self.error(k), self.nodes(k), &self.axes[k]);
            if error <= goal || error < LITTLE * self.error {
                continue;
            }
            // Of a region without a plan nobody asks how many, unless they tell that they are of no use.
            let is_asked = self.part.is_planned
                || dimensions > FEW_DIMENSIONS
                || axis.decay > FAST && axis.decay <= SLOW;
            let wanted = match is_asked {
                true => axis.nodes(nodes, goal / self.doubt).max(nodes + 1),
                false => nodes + 1,
            };
            let is_stuck =
                nodes == MAX_NODES || axis.decay > SLOW || wanted > MAX_NODES && axis.decay > FAST;
            self.stuck |= u16::from(is_stuck) << k;
            self.wanted[k] = wanted.min(MAX_NODES) as u8;
        }
        if self.grown_as_wanted().points(2) > MAX_PLANES {
            let worst = |&a: &usize, &b: &usize| self.error(a).total_cmp(&self.error(b));
            self.stuck |= 1 << (0..dimensions).max_by(worst).unwrap_or(0);
        }
    }

    /// The part with the nodes that were chosen.
    pub fn grown_as_wanted(&self) -> Part {
        Part {
            nodes: self.wanted,
            is_planned: true,
            ..self.part
        }
    }

    /// Where a plan cuts the region, into no more than so many parts; the slowest axes first.
    #[inline(never)]
    pub fn cuts(&self, plan: &[f64], room: usize) -> Places {
        let rate = |k: usize| plan[PLAN * k + 1].abs();
        let (mut cuts, mut parts) = ([None; MAX_DIMENSIONS], 1);
        let mut left = 0_u16;
        for k in 0..plan.len() / PLAN {
            left |= u16::from(plan[PLAN * k + 1] < 0.0 || self.stuck >> k & 1 == 1) << k;
        }
        while left != 0 {
            let axes = (0..plan.len() / PLAN).filter(|k| left >> k & 1 == 1);
            let slowest = axes.min_by(|&a, &b| rate(a).total_cmp(&rate(b)));
            let k = slowest.unwrap_or(0);
            left &= !(1 << k);
            let at = match self.is_oblique {
                true => self.middle(k),
                false => plan[PLAN * k],
            };
            let is_inside = self.part.from[k] < at && at < self.part.to[k];
            if is_inside && 2 * parts <= room {
                parts *= 2;
                cuts[k] = Some(at);
            }
        }
        cuts
    }

    /// The cut of a plan along the slowest axis that can be cut.
    pub fn slowest_cut(&self, plan: &[f64]) -> Option<Places> {
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
    pub fn planned(&self, plan: &[f64], goal: f64) -> Part {
        let mut part = self.part;
        part.is_planned = true;
        for (nodes, plan) in part.nodes.iter_mut().zip(plan.chunks(PLAN)) {
            let planned = GpuFloat::ceil(decay::nodes(self.magnitude, goal, plan[1].abs()));
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
    pub fn grown(&self, goal: f64, dimensions: usize) -> Part {
        let is_off = |k: usize| self.error(k) > goal;
        let (is_any, mut part) = ((0..dimensions).any(is_off), self.part);
        part.is_planned = true;
        for k in (0..dimensions).filter(|&k| is_off(k) || !is_any) {
            part.nodes[k] = (part.nodes[k] + 1).min(MAX_NODES as u8);
        }
        part
    }

    /// The parts on both sides of a single cut.
    pub fn halves(&self, cuts: &Places) -> [Part; 2] {
        let [mut lower, mut upper] = [self.part.bare(); 2];
        for (k, cut) in cuts.iter().enumerate() {
            if let Some(cut) = *cut {
                (lower.to[k], upper.from[k]) = (cut, cut);
            }
        }
        [lower, upper]
    }

    /// The parts on all sides of the cuts.
    #[inline(never)]
    pub fn divided(&self, cuts: &Places, to: &mut impl List<Part>) {
        let first = to.len();
        to.push(self.part.bare());
        for (k, cut) in cuts.iter().enumerate() {
            let Some(cut) = *cut else { continue };
            for index in first..to.len() {
                let mut other = to[index];
                (to[index].to[k], other.from[k]) = (cut, cut);
                to.push(other);
            }
        }
    }
}
