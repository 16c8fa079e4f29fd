//! The decisions: which regions are refined in a round, by more nodes or by cuts, and when the
//! claim is within the tolerance.

use std::collections::BTreeMap;

use quadscan_kernels::cubature::region::{MAX_DIMENSIONS, MIN_NODES, PLAN, SUMS};

use super::cuts::{Cuts, Places};
use super::region::{Part, Region};
use super::{CubatureOptions, Cubed, Status};
use crate::Result;

/// What a launch computes.
pub(super) trait Evaluate {
    /// [`SUMS`] of each region.
    fn sums(&mut self, boxes: &[Part]) -> Result<Vec<f64>>;

    /// [`PLAN`] of each region's axes, looked for in one of its planes.
    fn plans(&mut self, asked: &[Ask]) -> Result<Vec<f64>>;
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
/// A child with more than this of its parent's error along rough lines was cut in the wrong place.
const STUBBORN: f64 = 0.5;
/// Errors along rough lines of less than this of the mean that the goal allows show no surface.
const FAINT: f64 = 1e-3;
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

/// All regions of an integral.
pub(super) struct Rounds<'a> {
    pub(super) options: &'a CubatureOptions,
    pub(super) dimensions: usize,
    pub(super) regions: Vec<Region>,
    cuts: Cuts,
    pub(super) evaluations: u64,
    rounds: u32,
}

/// Integrates over a box with finite limits, each lower one below the upper one.
pub(super) fn integrate(
    limits: &[(f64, f64)],
    options: &CubatureOptions,
    on: &mut impl Evaluate,
) -> Result<Cubed> {
    let dimensions = limits.len();
    let mut part = Part {
        from: [0.0; MAX_DIMENSIONS],
        to: [0.0; MAX_DIMENSIONS],
        nodes: [0; MAX_DIMENSIONS],
    };
    for (k, &(from, to)) in limits.iter().enumerate() {
        (part.from[k], part.to[k], part.nodes[k]) = (from, to, MIN_NODES as u8);
    }
    let mut all = Rounds {
        options,
        dimensions,
        regions: Vec::new(),
        cuts: Cuts::new(),
        evaluations: 0,
        rounds: 0,
    };
    all.regions = all.summed(&[(part, false)], on)?;
    let status = loop {
        let totals = all.totals();
        if !(totals.value.is_finite() && totals.noise.is_finite() && totals.error.is_finite()) {
            break Status::NotFinite;
        }
        let tolerance = options.absolute.max(options.relative * totals.value.abs());
        // What was seen once is looked at again.
        let is_blank = totals.noise == 0.0 && all.rounds < BLANK_ROUNDS;
        if is_blank {
            if !all.halve(on)? {
                break Status::OutOfRoom;
            }
            continue;
        }
        let goal = tolerance.max(2.0 * totals.noise);
        let faint = FAINT * goal / all.regions.len() as f64;
        let coarse = all.cuts.coarse(&all.regions, limits, faint);
        let mut is_enough = false;
        if all.rounds > 0 {
            is_enough = totals.error + totals.noise <= tolerance;
            if is_enough && coarse.is_empty() {
                break Status::Converged;
            }
            if !is_enough && totals.error <= totals.noise {
                break Status::Roundoff;
            }
        }
        let least = match all.rounds {
            0 => 0,
            _ if is_enough => BINS,
            _ => all.least_bin(goal),
        };
        if !all.round(goal, least, &coarse, on)? {
            break Status::OutOfRoom;
        }
    };
    let totals = all.totals();
    let is_none = status == Status::NotFinite;
    Ok(Cubed {
        value: if is_none { f64::NAN } else { totals.value },
        error: if is_none {
            f64::INFINITY
        } else {
            totals.error + totals.noise
        },
        evaluations: all.evaluations,
        regions: all.regions.len(),
        rounds: all.rounds,
        status,
    })
}

impl Rounds<'_> {
    fn totals(&self) -> Totals {
        let noise = (8 + 2 * self.dimensions) as f64 * f64::EPSILON;
        let of = |of: &dyn Fn(&Region) -> f64| sum(self.regions.iter().map(of));
        let smooth = of(&|region| region.error - region.rough);
        let lacks = of(&|region| region.lacks).abs();
        let chance = CHANCE * of(&|region| region.rough * region.rough).sqrt();
        Totals {
            value: sum(self.regions.iter().map(|region| region.value)),
            error: smooth + of(&|region| region.rough).min(lacks + chance),
            noise: noise * sum(self.regions.iter().map(|region| region.magnitude)),
        }
    }

    /// Sums parts, of which it is known whether they are planned.
    fn summed(&mut self, parts: &[(Part, bool)], on: &mut impl Evaluate) -> Result<Vec<Region>> {
        let boxes: Vec<Part> = parts.iter().map(|&(part, _)| part).collect();
        let sums = on.sums(&boxes)?;
        let points = boxes.iter().map(|part| part.points(0));
        self.evaluations += points.sum::<u64>();
        let regions = parts.iter().zip(sums.chunks(SUMS));
        Ok(regions
            .map(|(&(part, is_planned), sums)| Region::new(part, is_planned, sums, self.dimensions))
            .collect())
    }

    /// The least bin of those that are refined: what is below has no more than its share of the
    /// goal, and the cuts have room.
    fn least_bin(&self, goal: f64) -> usize {
        let (mut counts, mut errors) = ([0_u64; BINS], [[0.0; 2]; BINS]);
        for region in &self.regions {
            let bin = bin(region);
            counts[bin] += 1;
            errors[bin][0] += region.error - region.rough;
            errors[bin][1] += region.rough * region.rough;
        }
        let ([mut smooth, mut rough], mut bin) = ([0.0, 0.0], 0);
        while bin < BINS - 2 {
            smooth += errors[bin][0];
            rough += errors[bin][1];
            if smooth + CHANCE * rough.sqrt() > SHARE * goal {
                break;
            }
            bin += 1;
        }
        let mut room = (self.options.regions.saturating_sub(self.regions.len())) as u64;
        let mut first = BINS;
        while first > bin && counts[first - 1] <= room {
            first -= 1;
            room -= counts[first];
        }
        first
    }

    /// Halves all regions along the next axis; false where there is no room.
    fn halve(&mut self, on: &mut impl Evaluate) -> Result<bool> {
        let axis = self.rounds as usize % self.dimensions;
        let mut halves = Vec::new();
        for region in &self.regions {
            let (from, to) = (region.part.from[axis], region.part.to[axis]);
            let mut cuts = [None; MAX_DIMENSIONS];
            cuts[axis] = Some(from + 0.5 * (to - from));
            region.divided(&cuts, &mut halves);
        }
        let points = halves.iter().map(|(part, _)| part.points(0)).sum();
        if halves.len() > self.options.regions || !self.has_room(points) {
            return Ok(false);
        }
        let made = self.summed(&halves, on)?;
        let count = self.regions.len();
        for (index, halves) in halves.chunks(2).enumerate() {
            let mut cuts = [None; MAX_DIMENSIONS];
            cuts[axis] = Some(halves[0].0.to[axis]);
            self.cuts.cut(index, &cuts);
        }
        self.regions = Vec::with_capacity(2 * count);
        let (lower, upper) = (made.iter().step_by(2), made.iter().skip(1).step_by(2));
        self.regions.extend(lower.chain(upper).cloned());
        self.rounds += 1;
        Ok(true)
    }

    fn has_room(&self, points: u64) -> bool {
        self.evaluations.saturating_add(points) <= self.options.evaluations
    }

    /// Refines the regions with errors from the bin `least` on, and the coarse ones; false where there is
    /// no room.
    fn round(
        &mut self,
        goal: f64,
        least: usize,
        coarse: &BTreeMap<usize, Places>,
        on: &mut impl Evaluate,
    ) -> Result<bool> {
        let dimensions = self.dimensions;
        let goal_of_all = goal;
        let goal = SHARE * goal / 2.0 / self.regions.len() as f64 / dimensions as f64;
        let chosen =
            |&index: &usize| bin(&self.regions[index]) >= least || coarse.contains_key(&index);
        let chosen: Vec<usize> = (0..self.regions.len()).filter(chosen).collect();
        let refined: Vec<_> = chosen
            .iter()
            .map(|&index| self.regions[index].refined(goal, dimensions))
            .collect();
        let is_asked = |index: usize, is_stuck: &[bool]| {
            let is_planned = self.regions[index].is_planned;
            !coarse.contains_key(&index) && (!is_planned || is_stuck.contains(&true))
        };
        let asked = chosen.iter().zip(&refined);
        let asked = asked.filter(|(index, (_, is_stuck))| is_asked(**index, is_stuck));
        let magnitude = sum(self.regions.iter().map(|region| region.magnitude));
        let relative = SHARE * goal_of_all / 2.0 / magnitude / dimensions as f64;
        let asked: Vec<Ask> = asked
            .map(|(&index, _)| {
                let Region {
                    part,
                    plane,
                    magnitude,
                    ..
                } = self.regions[index];
                let goal = (goal / magnitude).max(relative);
                Ask { part, plane, goal }
            })
            .collect();
        let plans = on.plans(&asked)?;
        let mut plans = plans.chunks(dimensions * PLAN);
        // Parts that are cut have the fewest points.
        let fewest = (MIN_NODES as u64).pow(dimensions as u32);
        let left = self.options.evaluations.saturating_sub(self.evaluations);
        let mut room = self.options.regions - self.regions.len();
        let mut room_of_points = (left / fewest) as usize;
        let fair = (room_of_points / PART_OF_ROOM / asked.len().max(1)).max(2);
        let (mut parts, mut parents, mut whole) = (Vec::new(), Vec::new(), Vec::new());
        let mut divisions = Vec::new();
        for (&index, (part, is_stuck)) in chosen.iter().zip(&refined) {
            let region = &self.regions[index];
            if let Some(cuts) = coarse.get(&index) {
                let first = parts.len();
                let count = 1 << cuts.iter().flatten().count();
                if count <= room + 1 {
                    region.divided(cuts, &mut parts);
                    room -= count - 1;
                    parents.push((index, parts.len() - first));
                    divisions.push((index, *cuts));
                }
                continue;
            }
            if !is_asked(index, is_stuck) {
                parts.push((*part, true));
                parents.push((index, 1));
                continue;
            }
            let plan = plans.next().unwrap_or_default();
            let cuts = region.cuts(plan, is_stuck, (room + 1).min(room_of_points).min(fair));
            let first = parts.len();
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
        let points = |parts: &[(Part, bool)]| {
            let points = parts.iter().map(|(part, _)| part.points(0));
            points.fold(0, u64::saturating_add)
        };
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
        if parts.is_empty() || !self.has_room(points(&parts)) {
            return Ok(false);
        }
        let mut made = self.summed(&parts, on)?;
        let mut rest = made.as_mut_slice();
        for &(index, count) in &parents {
            let (children, others) = rest.split_at_mut(count);
            self.judge(index, children);
            rest = others;
        }
        for (index, cuts) in &divisions {
            self.cuts.cut(*index, cuts);
        }
        let mut made = made.into_iter();
        for (index, count) in parents {
            if let Some(first) = made.next() {
                self.regions[index] = first;
            }
            self.regions.extend(made.by_ref().take(count - 1));
        }
        self.rounds += 1;
        Ok(true)
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
