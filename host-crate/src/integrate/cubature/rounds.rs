//! An integral's rounds: when the claim is within the tolerance, and what is done where it is not.

use std::collections::BTreeMap;

use quadscan_kernels::cubature::region::{LINE, MAX_DIMENSIONS, MIN_NODES};

use super::cuts::{Cuts, Places};
use super::region::{self, Part, Region};
use super::{CubatureOptions, Cubed, Status};
use crate::Result;

/// What a launch computes.
pub(super) trait Evaluate {
    /// `SUMS` of each region, behind those that are there.
    fn sums(&mut self, boxes: &[Part], to: &mut Vec<f64>) -> Result<()>;

    /// `PLAN` of each region's axes, looked for in one of its planes.
    fn plans(&mut self, asked: &[Ask]) -> Result<Vec<f64>>;

    /// [`LINE`] of each region's axes, on other lines beside it: of so many looks, the one that is off most.
    fn looks(&mut self, asked: &[(Part, u32)]) -> Result<Vec<f64>>;
}

/// A question for a plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ask {
    pub(super) part: Part,
    pub(super) plane: u32,
    /// The error that an axis may have, relative to the magnitude.
    pub(super) goal: f64,
}

/// Rounds in which all regions are halved where the function is 0 at all nodes.
const BLANK_ROUNDS: u32 = 12;
/// Errors along rough lines have signs of chance: beside what the rules lack together, so many times the
/// root of the sum of their squares.
pub(super) const CHANCE: f64 = 3.0;
/// But no more than this times the sum: of few regions there are few lines, of which few are hit.
const FEW_LINES: f64 = 2.0;
/// Errors along rough lines of less than this of the mean that the goal allows show no surface.
const FAINT: f64 = 1e-3;
/// Before a claim is believed, all regions are looked at again, few of them so often that it is this many
/// looks: in up to three dimensions, and in more.
const LOOKS: [usize; 2] = [16, 64];
/// Bins of errors: one a power of two.
pub(super) const BINS: usize = 2048;

/// A sum of many numbers, with what rounding lost (Neumaier, 1974).
pub(super) fn sum(of: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0);
    for x in of {
        let next = sum + x;
        lost += if sum.abs() >= x.abs() {
            (sum - next) + x
        } else {
            (x - next) + sum
        };
        sum = next;
    }
    sum + lost
}

/// What all regions give together.
struct Totals {
    value: f64,
    error: f64,
    /// What rounding may be.
    noise: f64,
}

/// An integral: all its regions, and what its next round asks of a device.
pub(super) struct Rounds<'a> {
    pub(super) options: &'a CubatureOptions,
    limits: &'a [(f64, f64)],
    pub(super) dimensions: usize,
    pub(super) regions: Vec<Region>,
    pub(super) cuts: Cuts,
    pub(super) evaluations: u64,
    pub(super) rounds: u32,
    pub(super) work: Work,
    /// Plans that are to be looked for first,
    pub(super) asked: Vec<Ask>,
    /// then the parts that are to be summed, and whether they are planned,
    pub(super) parts: Vec<(Part, bool)>,
    /// and then those that are to be looked at again.
    pub(super) looks: Vec<(Part, u32)>,
    pub(super) status: Option<Status>,
}

/// What a round does.
#[derive(Debug)]
pub(super) enum Work {
    /// The whole box is summed.
    Begin,
    /// All regions are halved along an axis.
    Halve(usize),
    /// Some regions are refined.
    Refine(Refined),
}

/// What a round refines.
#[derive(Debug)]
pub(super) struct Refined {
    /// What the whole may err by, and an axis of a region.
    pub(super) goals: [f64; 2],
    /// The regions, each with the nodes that it would have, and the axes in which they are of no use.
    pub(super) chosen: Vec<(usize, Part, [bool; MAX_DIMENSIONS])>,
    /// Those beside much smaller ones.
    pub(super) coarse: BTreeMap<usize, Places>,
    /// How many parts a region becomes, and where it is cut.
    pub(super) parents: Vec<(usize, usize)>,
    pub(super) divisions: Vec<(usize, Places)>,
}

/// Points of all parts.
pub(super) fn points(parts: &[(Part, bool)]) -> u64 {
    let points = parts.iter().map(|(part, _)| part.points(0));
    points.fold(0, u64::saturating_add)
}

impl<'a> Rounds<'a> {
    /// An integral over a box with finite limits, each lower one below the upper one, which is the member
    /// of this number.
    pub(super) fn new(limits: &'a [(f64, f64)], options: &'a CubatureOptions, member: u32) -> Self {
        let mut part = Part {
            from: [0.0; MAX_DIMENSIONS],
            to: [0.0; MAX_DIMENSIONS],
            nodes: [0; MAX_DIMENSIONS],
            member,
        };
        for (k, &(from, to)) in limits.iter().enumerate() {
            (part.from[k], part.to[k], part.nodes[k]) = (from, to, MIN_NODES as u8);
        }
        Self {
            options,
            limits,
            dimensions: limits.len(),
            regions: Vec::new(),
            cuts: Cuts::new(),
            evaluations: 0,
            rounds: 0,
            work: Work::Begin,
            asked: Vec::new(),
            parts: vec![(part, false)],
            looks: Vec::new(),
            status: None,
        }
    }

    /// What came of it, once it has ended.
    pub(super) fn outcome(&self) -> Option<Cubed> {
        let status = self.status?;
        let (totals, is_none) = (self.totals(), status == Status::NotFinite);
        Some(Cubed {
            value: if is_none { f64::NAN } else { totals.value },
            error: if is_none {
                f64::INFINITY
            } else {
                totals.error + totals.noise
            },
            evaluations: self.evaluations,
            regions: self.regions.len(),
            rounds: self.rounds,
            status,
        })
    }

    fn totals(&self) -> Totals {
        let noise = (8 + 2 * self.dimensions) as f64 * f64::EPSILON;
        let of = |of: &dyn Fn(&Region) -> f64| sum(self.regions.iter().map(of));
        let smooth = of(&|region| region.error - region.rough);
        let lacks = of(&|region| region.lacks).abs();
        let chance = CHANCE * of(&|region| region.rough * region.rough).sqrt();
        Totals {
            value: sum(self.regions.iter().map(|region| region.value)),
            error: smooth + (FEW_LINES * of(&|region| region.rough)).min(lacks + chance),
            noise: noise * sum(self.regions.iter().map(|region| region.magnitude)),
        }
    }

    /// Takes the sums of the parts, and decides what the next round does, and which plans it needs; or that
    /// there is none.
    pub(super) fn take(&mut self, sums: &[f64]) {
        if self.status.is_some() {
            return;
        }
        self.evaluations += points(&self.parts);
        let made = region::made(&self.parts, sums, self.dimensions);
        match std::mem::replace(&mut self.work, Work::Begin) {
            Work::Begin => self.regions = made,
            Work::Halve(axis) => {
                for (index, halves) in made.chunks(2).enumerate() {
                    let mut cuts = Places::default();
                    cuts[axis] = Some(halves[0].part.to[axis]);
                    self.cuts.cut(index, &cuts);
                }
                let (lower, upper) = (made.iter().step_by(2), made.iter().skip(1).step_by(2));
                self.regions = lower.chain(upper).cloned().collect();
                self.rounds += 1;
            }
            Work::Refine(refined) => self.replace(made, &refined),
        }
        self.parts.clear();
        self.status = self.decide();
    }

    /// Takes what the looks told.
    pub(super) fn see(&mut self, lines: &[f64]) {
        if self.looks.is_empty() {
            return;
        }
        let unseen = self.regions.iter_mut().filter(|region| !region.is_seen);
        for (region, lines) in unseen.zip(lines.chunks(LINE * self.dimensions)) {
            region.see_again(lines, self.dimensions);
        }
        self.looks.clear();
        self.status = self.decide();
    }

    /// How it ended; `None` where looks or a round are to follow.
    fn decide(&mut self) -> Option<Status> {
        let totals = self.totals();
        if !(totals.value.is_finite() && totals.noise.is_finite() && totals.error.is_finite()) {
            return Some(Status::NotFinite);
        }
        let options = self.options;
        let tolerance = options.absolute.max(options.relative * totals.value.abs());
        // What was seen once is looked at again.
        if totals.noise == 0.0 && self.rounds < BLANK_ROUNDS {
            return (!self.halve()).then_some(Status::OutOfRoom);
        }
        let goal = tolerance.max(2.0 * totals.noise);
        let faint = FAINT * goal / self.regions.len() as f64;
        let coarse = self.cuts.coarse(&self.regions, self.limits, faint);
        let mut is_enough = false;
        if self.rounds > 0 {
            is_enough = totals.error + totals.noise <= tolerance;
            if is_enough && coarse.is_empty() {
                let all = LOOKS[usize::from(self.dimensions > 3)];
                let looks = all.div_ceil(self.regions.len()) as u32;
                let unseen = self.regions.iter().filter(|region| !region.is_seen);
                self.looks = unseen.map(|region| (region.part, looks)).collect();
                return self.looks.is_empty().then_some(Status::Converged);
            }
            if !is_enough && totals.error <= totals.noise {
                return Some(Status::Roundoff);
            }
        }
        let least = match self.rounds {
            0 => 0,
            _ if is_enough => BINS,
            _ => self.least_bin(goal),
        };
        self.choose(goal, least, coarse);
        None
    }

    /// Halves all regions along the next axis; false where there is no room.
    fn halve(&mut self) -> bool {
        let axis = self.rounds as usize % self.dimensions;
        let mut halves = Vec::new();
        for region in &self.regions {
            let (from, to) = (region.part.from[axis], region.part.to[axis]);
            let mut cuts = Places::default();
            cuts[axis] = Some(from + 0.5 * (to - from));
            region.divided(&cuts, &mut halves);
        }
        self.work = Work::Halve(axis);
        self.parts = halves;
        self.parts.len() <= self.options.regions && self.has_room(points(&self.parts))
    }

    /// How many more regions are allowed,
    pub(super) fn room(&self) -> usize {
        self.options.regions.saturating_sub(self.regions.len())
    }

    /// and whether so many more points are.
    pub(super) fn has_room(&self, points: u64) -> bool {
        self.evaluations.saturating_add(points) <= self.options.evaluations
    }
}
