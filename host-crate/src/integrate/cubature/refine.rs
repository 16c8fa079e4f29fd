//! Which regions are refined in a round, and how: by more nodes or by cuts.

use std::collections::BTreeMap;

use quadscan_kernels::cubature::region::{MIN_NODES, PLAN};

use super::Status;
use super::cuts::Places;
use super::region::{Part, Region};
use super::rounds::{Ask, BINS, CHANCE, Refined, Rounds, Work, points, sum};

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

/// Where a region's error is.
fn bin(region: &Region) -> usize {
    (region.error.to_bits() >> 52) as usize % BINS
}

impl Rounds<'_> {
    /// The least bin of those that are refined: what is below has no more than its share of the
    /// goal, and the cuts have room.
    pub(super) fn least_bin(&self, goal: f64) -> usize {
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

    /// Chooses the regions with errors from the bin `least` on, and the coarse ones, and asks for plans.
    pub(super) fn choose(&mut self, goal: f64, least: usize, coarse: BTreeMap<usize, Places>) {
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
    pub(super) fn replace(&mut self, mut made: Vec<Region>, of: &Refined) {
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
