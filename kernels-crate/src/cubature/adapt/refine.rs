//! Which regions are refined in a round, and how: by more nodes or by cuts.

use cuda_std::GpuFloat;

use super::part::{Part, Region};
use super::rounds::{Ask, BINS, CHANCE, End, Memory, Neighbours, Rounds, Work, noise, sums};
use super::{List, Places};
use crate::cubature::region::{MAX_DIMENSIONS, MIN_NODES, PLAN};

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
/// A child with more than this of its parent's error along rough lines was cut in the wrong place.
const STUBBORN: f64 = 0.5;
/// The number of no plan.
pub(super) const NONE: u32 = u32::MAX;

/// Where a region's error is.
fn bin(region: &Region) -> usize {
    (region.error.to_bits() >> 52) as usize % BINS
}

/// What is asked of plans of a box that is the only region, of such an integral and such a magnitude, to an
/// absolute and a relative tolerance: the goal of [`Ask`].
pub fn goal_of_whole(
    [absolute, relative]: [f64; 2],
    [value, magnitude]: [f64; 2],
    dimensions: usize,
) -> f64 {
    let tolerance = absolute.max(relative * value.abs());
    let goal = tolerance.max(2.0 * (noise(dimensions) * magnitude));
    let [of_axis, relative] = goals(goal, 1, magnitude, dimensions);
    (of_axis / magnitude).max(relative)
}

/// What an axis of each of so many regions may err by, and relative to the magnitude of all.
fn goals(goal: f64, regions: usize, magnitude: f64, dimensions: usize) -> [f64; 2] {
    let of_all = SHARE * goal / 2.0;
    [of_all / regions as f64, of_all / magnitude].map(|of| of / dimensions as f64)
}

/// How many parts cuts make.
fn count(cuts: &Places) -> usize {
    1 << cuts.iter().flatten().count()
}

impl<M: Memory> Rounds<'_, M> {
    /// The least bin of those that are refined: what is below has no more than its share of the
    /// goal, and the cuts have room.
    pub(super) fn least_bin(&mut self, goal: f64) -> usize {
        self.numbers.clear();
        for (index, region) in self.regions.iter().enumerate() {
            self.numbers.push([bin(region) as u32, index as u32, 0]);
        }
        self.numbers.sort();
        let bins = || self.numbers.chunk_by(|[bin, ..], [other, ..]| bin == other);
        let ([mut smooth, mut rough], mut bin) = ([0.0, 0.0], BINS - 2);
        for of in bins() {
            let regions = || {
                of.iter()
                    .map(|[_, index, _]| &self.regions[*index as usize])
            };
            smooth += regions().map(|of| of.error - of.rough).sum::<f64>();
            rough += regions().map(|of| of.rough * of.rough).sum::<f64>();
            if smooth + CHANCE * GpuFloat::sqrt(rough) > SHARE * goal {
                bin = of[0][0] as usize;
                break;
            }
        }
        let (mut room, mut first) = (self.room(), BINS);
        for of in bins().rev().take_while(|of| of[0][0] as usize >= bin) {
            if of.len() > room {
                break;
            }
            first = of[0][0] as usize;
            room -= of.len();
        }
        first
    }

    /// Chooses the regions with errors from the bin `least` on, and the coarse ones, and asks for plans.
    pub(super) fn choose(&mut self, goal: f64, least: usize) {
        let dimensions = self.dimensions();
        let [magnitude] = sums(self.regions.iter().map(|region| [region.magnitude]));
        let [of_axis, relative] = goals(goal, self.regions.len(), magnitude, dimensions);
        for (index, region) in self.regions.iter_mut().enumerate() {
            region.is_chosen = bin(region) >= least || self.neighbours.cuts(index).is_some();
            if region.is_chosen {
                region.choose(of_axis, dimensions);
            }
        }
        self.state.goals = [goal, of_axis, relative];
        self.state.work = Work::Refine;
        self.state.asks = self.asked().count() as u32;
    }

    /// The questions for plans of the next round.
    pub fn asked(&self) -> impl Iterator<Item = Ask> {
        let (is_refined, [_, of_axis, relative]) =
            (self.state.work == Work::Refine, self.state.goals);
        let asked = self
            .regions
            .iter()
            .enumerate()
            .filter(move |(index, region)| {
                let is_coarse = || self.neighbours.cuts(*index).is_some();
                is_refined && region.is_chosen && !region.is_to_grow() && !is_coarse()
            });
        asked.map(move |(_, region)| Ask {
            part: region.part,
            plane: region.plane,
            goal: (of_axis / region.magnitude).max(relative),
        })
    }

    /// Makes the parts of a round, with the plans that it asked for. Where there is no room for them, it is
    /// the end.
    pub fn divide(&mut self, plans: &[f64]) {
        if self.state.work != Work::Refine {
            return;
        }
        self.make_parts(plans);
        if self.parts.is_empty() || !self.has_room(self.points()) {
            self.parts.clear();
            self.state.end = Some(End::OutOfRoom);
        }
    }

    fn make_parts(&mut self, plans: &[f64]) {
        let (dimensions, [goal_of_all, goal, _]) = (self.dimensions(), self.state.goals);
        let width = dimensions * PLAN;
        // Parts that are cut have the fewest points.
        let fewest = (MIN_NODES as u64).pow(dimensions as u32);
        let left = self
            .question
            .evaluations
            .saturating_sub(self.state.evaluations);
        let (mut room, mut room_of_points) = (self.room(), (left / fewest) as usize);
        let fair = (room_of_points / PART_OF_ROOM / self.state.asks.max(1) as usize).max(2);
        let mut next = 0;
        self.parts.clear();
        self.numbers.clear();
        for (index, region) in self.regions.iter().enumerate() {
            if !region.is_chosen {
                continue;
            }
            let number = |count: usize, plan: u32| [index as u32, count as u32, plan];
            if let Some(cuts) = self.neighbours.cuts(index) {
                let count = count(cuts);
                if count <= room + 1 {
                    region.divided(cuts, &mut self.parts);
                    room -= count - 1;
                    self.numbers.push(number(count, NONE));
                }
                continue;
            }
            if region.is_to_grow() {
                self.parts.push(region.grown_as_wanted());
                self.numbers.push(number(1, NONE));
                continue;
            }
            let plan = &plans[next as usize * width..][..width];
            next += 1;
            let cuts = region.cuts(plan, (room + 1).min(room_of_points).min(fair));
            let count = count(&cuts);
            if count > 1 {
                region.divided(&cuts, &mut self.parts);
                room -= count - 1;
                room_of_points = room_of_points.saturating_sub(count);
                self.numbers.push(number(count, NONE));
            } else if !region.part.is_planned {
                let mut part = region.part;
                part.is_planned = true;
                self.parts.push(part);
                self.numbers.push(number(1, next - 1));
            }
        }
        if self.parts.is_over() || self.numbers.is_over() {
            return;
        }
        let planned = self.plan(plans, PLANNED * goal_of_all, goal);
        if planned > MOST_OF_ROOM * left as f64 {
            self.cut_large(plans, MANY * fewest, room);
        }
        if !self.has_room(self.points()) {
            // Where there is no room for as many more nodes as the decay asks for, there is for one.
            let mut at = 0;
            for &[index, count, _] in self.numbers.iter() {
                let region = &self.regions[index as usize];
                if count == 1 && region.part.is_planned {
                    self.parts[at] = region.grown(goal, dimensions);
                }
                at += count as usize;
            }
        }
    }

    /// Puts what was made in the place of what was refined. Doubts the children of a region whose claim they
    /// refute, or came close to.
    pub(super) fn replace(&mut self, made: impl Fn(usize, &M::Parts) -> Region) {
        let (dimensions, mut at) = (self.dimensions(), 0);
        for &[index, count, _] in self.numbers.iter() {
            let (index, count, last) = (index as usize, count as usize, self.regions.len());
            let parent = &self.regions[index];
            if count > 1 {
                self.neighbours
                    .divide(index, &cuts_between(&parent.part, &self.parts[at]));
            }
            let (is_planned, is_oblique) = (parent.part.is_planned, parent.is_oblique);
            let (value, magnitude, error) = (parent.value, parent.magnitude, parent.error);
            let (rough, doubt) = (parent.rough, GpuFloat::sqrt(parent.doubt));
            self.regions[index] = made(at, &self.parts);
            for child in at + 1..at + count {
                self.regions.push(made(child, &self.parts));
            }
            at += count;
            let children = || [index].into_iter().chain(last..self.regions.len());
            let now: f64 = children().map(|child| self.regions[child].value).sum();
            let rounding = 8.0 * f64::EPSILON * magnitude;
            let off = ((now - value).abs() - rounding).max(0.0);
            let refuted = if off == 0.0 || !is_planned {
                1.0
            } else {
                (4.0 * off / error).clamp(1.0, MOST_DOUBT)
            };
            for child in [index].into_iter().chain(last..self.regions.len()) {
                let child = &mut self.regions[child];
                child.doubt(refuted * doubt, dimensions);
                child.is_oblique = is_oblique || rough > 0.0 && child.rough > STUBBORN * rough;
            }
        }
        self.state.rounds += 1;
    }
}

/// Where a part was cut, by the first of its parts.
fn cuts_between(whole: &Part, first: &Part) -> Places {
    let mut cuts = [None; MAX_DIMENSIONS];
    for (k, cut) in cuts.iter_mut().enumerate() {
        *cut = (first.to[k] != whole.to[k]).then_some(first.to[k]);
    }
    cuts
}
