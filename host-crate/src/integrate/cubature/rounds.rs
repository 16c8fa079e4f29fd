//! The decisions: which regions are refined in a round, by more nodes or by cuts, and when the
//! claim is within the tolerance.

use std::collections::BTreeMap;

use quadscan_kernels::cubature::region::{LINE, MAX_DIMENSIONS, MIN_NODES, PLAN};

use super::cuts::{Cuts, Places};
use super::region::{self, Part, Region};
use super::{CubatureOptions, Cubed, Status};
use crate::Result;

/// What a launch computes.
pub(super) trait Evaluate {
    /// [`SUMS`] of each region, behind those that are there.
    fn sums(&mut self, boxes: &[Part], to: &mut Vec<f64>) -> Result<()>;

    /// [`PLAN`] of each region's axes, looked for in one of its planes.
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

/// The part of the tolerance that plans are made for.
const PLANNED: f64 = 1.0 / 32.0;
/// A round's cuts have no more parts than one in so many of those that there is room for, evenly dealt.
const PART_OF_ROOM: usize = 64;
/// Where plans want more points than this of those that are left, regions of more points
const MOST_OF_ROOM: f64 = 0.25;
/// than this many times the fewest are cut instead.
const MANY: u64 = 8;
/// The part of the tolerance that is left to regions which are not refined.
const SHARE: f64 = 0.5;
/// The most that an estimate which was refuted is multiplied by.
const MOST_DOUBT: f64 = 1e6;
/// Rounds in which all regions are halved where the function is 0 at all nodes.
const BLANK_ROUNDS: u32 = 12;
/// Errors along rough lines have signs of chance: beside what the rules lack together, so many times the
/// root of the sum of their squares.
const CHANCE: f64 = 3.0;
/// But no more than this times the sum: of few regions there are few lines, of which few are hit.
const FEW_LINES: f64 = 2.0;
/// A child with more than this of its parent's error along rough lines was cut in the wrong place.
const STUBBORN: f64 = 0.5;
/// Errors along rough lines of less than this of the mean that the goal allows show no surface.
const FAINT: f64 = 1e-3;
/// Before a claim is believed, all regions are looked at again, few of them so often that it is this many
/// looks: in up to three dimensions, and in more.
const LOOKS: [usize; 2] = [16, 64];
/// Bins of errors: one a power of two.
const BINS: usize = 2048;

/// Where a region's error is.
fn bin(region: &Region) -> usize {
    (region.error.to_bits() >> 52) as usize % BINS
}

/// A sum of many numbers, with what rounding lost (Neumaier, 1974).
fn sum(of: impl Iterator<Item = f64>) -> f64 {
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
    cuts: Cuts,
    pub(super) evaluations: u64,
    rounds: u32,
    work: Work,
    /// Plans that are to be looked for first,
    pub(super) asked: Vec<Ask>,
    /// then the parts that are to be summed, and whether they are planned,
    pub(super) parts: Vec<(Part, bool)>,
    /// and then those that are to be looked at again.
    pub(super) looks: Vec<(Part, u32)>,
    status: Option<Status>,
}

/// What a round does.
#[derive(Debug)]
enum Work {
    /// The whole box is summed.
    Begin,
    /// All regions are halved along an axis.
    Halve(usize),
    /// Some regions are refined.
    Refine(Refined),
}

/// What a round refines.
#[derive(Debug)]
struct Refined {
    /// What the whole may err by, and an axis of a region.
    goals: [f64; 2],
    /// The regions, each with the nodes that it would have, and the axes in which they are of no use.
    chosen: Vec<(usize, Part, [bool; MAX_DIMENSIONS])>,
    /// Those beside much smaller ones.
    coarse: BTreeMap<usize, Places>,
    /// How many parts a region becomes, and where it is cut.
    parents: Vec<(usize, usize)>,
    divisions: Vec<(usize, Places)>,
}

/// Points of all parts.
fn points(parts: &[(Part, bool)]) -> u64 {
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

    /// The least bin of those that are refined: what is below has no more than its share of the
    /// goal, and the cuts have room.
    fn least_bin(&self, goal: f64) -> usize {
        let mut errors: Vec<_> = self.regions.iter().map(|of| (bin(of), of)).collect();
        errors.sort_by_key(|&(bin, _)| bin);
        let bins = || errors.chunk_by(|(bin, _), (other, _)| bin == other);
        let ([mut smooth, mut rough], mut bin) = ([0.0, 0.0], BINS - 2);
        for of in bins() {
            smooth += of.iter().map(|(_, of)| of.error - of.rough).sum::<f64>();
            rough += of.iter().map(|(_, of)| of.rough * of.rough).sum::<f64>();
            if smooth + CHANCE * rough.sqrt() > SHARE * goal {
                bin = of[0].0;
                break;
            }
        }
        let (mut room, mut first) = (self.room(), BINS);
        for of in bins().rev().take_while(|of| of[0].0 >= bin) {
            if of.len() > room {
                break;
            }
            first = of[0].0;
            room -= of.len();
        }
        first
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
    fn room(&self) -> usize {
        self.options.regions.saturating_sub(self.regions.len())
    }

    /// and whether so many more points are.
    fn has_room(&self, points: u64) -> bool {
        self.evaluations.saturating_add(points) <= self.options.evaluations
    }

    /// Chooses the regions with errors from the bin `least` on, and the coarse ones, and asks for plans.
    fn choose(&mut self, goal: f64, least: usize, coarse: BTreeMap<usize, Places>) {
        let dimensions = self.dimensions;
        let of_axis = SHARE * goal / 2.0 / self.regions.len() as f64 / dimensions as f64;
        let chosen =
            |&index: &usize| bin(&self.regions[index]) >= least || coarse.contains_key(&index);
        let chosen = (0..self.regions.len()).filter(chosen).map(|index| {
            let (part, is_stuck) = self.regions[index].refined(of_axis, dimensions);
            (index, part, is_stuck)
        });
        let refined = Refined {
            goals: [goal, of_axis],
            chosen: chosen.collect(),
            coarse,
            parents: Vec::new(),
            divisions: Vec::new(),
        };
        let magnitude = sum(self.regions.iter().map(|region| region.magnitude));
        let relative = SHARE * goal / 2.0 / magnitude / dimensions as f64;
        let asked = refined.chosen.iter();
        let asked = asked.filter(|(index, _, is_stuck)| self.is_asked(&refined, *index, is_stuck));
        let ask = |&(index, ..): &(usize, Part, _)| {
            let Region {
                part,
                plane,
                magnitude,
                ..
            } = self.regions[index];
            let goal = (of_axis / magnitude).max(relative);
            Ask { part, plane, goal }
        };
        self.asked = asked.map(ask).collect();
        self.work = Work::Refine(refined);
    }

    /// Whether a region is planned in this round.
    fn is_asked(&self, of: &Refined, index: usize, is_stuck: &[bool]) -> bool {
        let is_planned = self.regions[index].is_planned;
        !of.coarse.contains_key(&index) && (!is_planned || is_stuck.contains(&true))
    }

    /// Makes the parts of a round, with the plans that it asked for. Where there is no room for them, it is
    /// the end.
    pub(super) fn divide(&mut self, plans: &[f64]) {
        let mut of = match std::mem::replace(&mut self.work, Work::Begin) {
            Work::Refine(of) => of,
            other => {
                self.work = other;
                return;
            }
        };
        self.parts = self.parts_of(&mut of, plans);
        self.work = Work::Refine(of);
        if self.parts.is_empty() || !self.has_room(points(&self.parts)) {
            self.parts.clear();
            self.status = Some(Status::OutOfRoom);
        }
    }

    fn parts_of(&self, of: &mut Refined, plans: &[f64]) -> Vec<(Part, bool)> {
        let (dimensions, [goal_of_all, goal]) = (self.dimensions, of.goals);
        let mut plans = plans.chunks(dimensions * PLAN);
        // Parts that are cut have the fewest points.
        let fewest = (MIN_NODES as u64).pow(dimensions as u32);
        let left = self.options.evaluations.saturating_sub(self.evaluations);
        let (mut room, mut room_of_points) = (self.room(), (left / fewest) as usize);
        let fair = (room_of_points / PART_OF_ROOM / self.asked.len().max(1)).max(2);
        let (mut parts, mut parents, mut whole) = (Vec::new(), Vec::new(), Vec::new());
        let mut divisions = Vec::new();
        for &(index, part, ref is_stuck) in &of.chosen {
            let region = &self.regions[index];
            let first = parts.len();
            if let Some(cuts) = of.coarse.get(&index) {
                let count = 1 << cuts.iter().flatten().count();
                if count <= room + 1 {
                    region.divided(cuts, &mut parts);
                    room -= count - 1;
                    parents.push((index, parts.len() - first));
                    divisions.push((index, *cuts));
                }
                continue;
            }
            if !self.is_asked(of, index, is_stuck) {
                parts.push((part, true));
                parents.push((index, 1));
                continue;
            }
            let plan = plans.next().unwrap_or_default();
            let cuts = region.cuts(plan, is_stuck, (room + 1).min(room_of_points).min(fair));
            if cuts.iter().any(Option::is_some) {
                region.divided(&cuts, &mut parts);
                room -= parts.len() - first - 1;
                room_of_points = room_of_points.saturating_sub(parts.len() - first);
                divisions.push((index, cuts));
            } else if !region.is_planned {
                whole.push((first, index, plan));
                parts.push((region.part, true));
            } else {
                continue;
            }
            parents.push((index, parts.len() - first));
        }
        let planned = self.plan(&whole, PLANNED * goal_of_all, goal, &mut parts);
        if planned > MOST_OF_ROOM * left as f64 {
            let many = MANY * fewest;
            parts = self.cut_large(&whole, many, room, parts, &mut parents, &mut divisions);
            divisions.sort_by_key(|&(index, _)| index);
        }
        if !self.has_room(points(&parts)) {
            // Where there is no room for as many more nodes as the decay asks for, there is for one.
            let mut at = 0;
            for &(index, count) in &parents {
                let region = &self.regions[index];
                if count == 1 && region.is_planned {
                    parts[at].0 = region.grown(goal, dimensions);
                }
                at += count;
            }
        }
        (of.parents, of.divisions) = (parents, divisions);
        parts
    }

    /// Puts what was made in the place of what was refined.
    fn replace(&mut self, mut made: Vec<Region>, of: &Refined) {
        let mut rest = made.as_mut_slice();
        for &(index, count) in &of.parents {
            let (children, others) = rest.split_at_mut(count);
            self.judge(index, children);
            rest = others;
        }
        for (index, cuts) in &of.divisions {
            self.cuts.cut(*index, cuts);
        }
        let mut made = made.into_iter();
        for &(index, count) in &of.parents {
            if let Some(first) = made.next() {
                self.regions[index] = first;
            }
            self.regions.extend(made.by_ref().take(count - 1));
        }
        self.rounds += 1;
    }

    /// Doubts the children of a region whose claim they refute, or came close to.
    fn judge(&self, index: usize, children: &mut [Region]) {
        let parent = &self.regions[index];
        let value: f64 = children.iter().map(|child| child.value).sum();
        let rounding = 8.0 * f64::EPSILON * parent.magnitude;
        let off = ((value - parent.value).abs() - rounding).max(0.0);
        let refuted = if off == 0.0 || !parent.is_planned {
            1.0
        } else {
            (4.0 * off / parent.error).clamp(1.0, MOST_DOUBT)
        };
        for child in children {
            child.doubt(refuted * parent.doubt.sqrt(), self.dimensions);
            child.is_oblique =
                parent.is_oblique || parent.rough > 0.0 && child.rough > STUBBORN * parent.rough;
        }
    }
}
