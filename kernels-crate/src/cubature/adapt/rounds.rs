//! An integral's rounds: when the claim is within the tolerance, and what is done where it is not.

use cuda_std::GpuFloat;

use super::part::{Part, Region};
use super::{List, Places, Question};
use crate::cubature::region::{LINE, MAX_DIMENSIONS, MIN_NODES};

/// Rounds in which all regions are halved where the function is 0 at all nodes.
const BLANK_ROUNDS: u32 = 12;
/// Errors along rough lines have signs of chance: beside what the rules lack together, so many times the
/// root of the sum of their squares.
pub(super) const CHANCE: f64 = 3.0;
/// But no more than this times the sum: of few regions there are few lines, of which few are hit.
const FEW_LINES: f64 = 2.0;
/// Errors along rough lines of less than this of the mean that the goal allows show no surface.
const FAINT: f64 = 1e-3;
/// Before a claim is believed, all regions are looked at again, each as often as its share of the box tells of
/// so many looks: in two and three dimensions, and in more.
const LOOKS: [f64; 3] = [4.0, 16.0, 128.0];
/// Bins of errors: one a power of two.
pub(super) const BINS: usize = 2048;

/// Sums of many numbers, with what rounding lost (Neumaier, 1974).
pub(super) fn sums<const N: usize>(of: impl Iterator<Item = [f64; N]>) -> [f64; N] {
    let (mut sums, mut lost) = ([0.0_f64; N], [0.0; N]);
    for of in of {
        for ((sum, lost), x) in sums.iter_mut().zip(&mut lost).zip(of) {
            let next = *sum + x;
            *lost += if sum.abs() >= x.abs() {
                (*sum - next) + x
            } else {
                (x - next) + *sum
            };
            *sum = next;
        }
    }
    for (sum, lost) in sums.iter_mut().zip(lost) {
        *sum += lost;
    }
    sums
}

/// What rounding may be, in units of the magnitude.
pub(super) fn noise(dimensions: usize) -> f64 {
    (8 + 2 * dimensions) as f64 * f64::EPSILON
}

/// What all regions give together.
#[derive(Clone, Copy, Debug)]
pub struct Totals {
    /// The integral,
    pub value: f64,
    /// what it errs by,
    pub error: f64,
    /// and what rounding may be.
    pub noise: f64,
}

/// How an integral ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum End {
    /// The error is within the tolerance.
    Converged,
    /// The allowed regions or evaluations were not enough.
    OutOfRoom,
    /// The tolerance is less than the precision can give.
    Roundoff,
    /// There is no value.
    NotFinite,
}

/// What a round does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Work {
    /// The box is summed.
    Begin,
    /// All regions are halved.
    Halve,
    /// Some regions are refined.
    Refine,
}

/// A question for a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ask {
    /// Of this part,
    pub part: Part,
    /// in this plane.
    pub plane: u32,
    /// The error that an axis may have, relative to the magnitude.
    pub goal: f64,
}

/// Which regions are beside which.
pub trait Neighbours {
    /// Looks for regions beside much smaller ones with a surface across the axes; true where there are any.
    /// Errors along rough lines of less than `faint` show no surface.
    fn find(&mut self, regions: &[Region], faint: f64) -> bool;
    /// Where one of those that were found is halved.
    fn cuts(&self, region: usize) -> Option<&Places>;
    /// A region is cut: the first part keeps its number, the others have the next ones, in the order of
    /// [`Region::divided`].
    fn divide(&mut self, region: usize, cuts: &Places);
}

/// Where the lists of an integral are.
pub trait Memory {
    /// All regions.
    type Regions: List<Region>;
    /// What is to be summed.
    type Parts: List<Part>;
    /// Pairs of numbers.
    type Numbers: List<[u32; 3]>;
    /// Which are beside which.
    type Neighbours: Neighbours;
}

/// What an integral is besides its lists.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct State {
    /// Evaluations in rules.
    pub evaluations: u64,
    /// What the whole may err by, an axis of a region, and an axis relative to the magnitude.
    pub(super) goals: [f64; 3],
    /// Rounds of refinement.
    pub rounds: u32,
    /// What the next one does.
    pub work: Work,
    /// Questions for plans.
    pub(super) asks: u32,
    /// Whether the regions that were not seen again are to be looked at.
    pub is_looking: bool,
    /// How it ended.
    pub end: Option<End>,
}

impl State {
    /// Of an integral that begins.
    pub const NEW: Self = Self {
        evaluations: 0,
        goals: [0.0; 3],
        rounds: 0,
        work: Work::Begin,
        asks: 0,
        is_looking: false,
        end: None,
    };
}

/// An integral: all its regions, and what its next round asks of a device.
#[derive(Debug)]
pub struct Rounds<'a, M: Memory> {
    /// What is asked of it.
    pub question: &'a Question,
    /// What it is besides its lists.
    pub state: State,
    /// All regions.
    pub regions: M::Regions,
    /// What is to be summed.
    pub parts: M::Parts,
    /// Of each region that is refined its number, how many parts it becomes, and the number of the plan
    /// that gives it nodes.
    pub numbers: M::Numbers,
    /// Which regions are beside which.
    pub neighbours: M::Neighbours,
}

/// The whole box, which is of this member.
pub fn whole(question: &Question, member: u32) -> Part {
    let mut part = Part {
        from: [0.0; MAX_DIMENSIONS],
        to: [0.0; MAX_DIMENSIONS],
        member,
        nodes: [0; MAX_DIMENSIONS],
        is_planned: false,
    };
    for k in 0..question.dimensions as usize {
        [part.from[k], part.to[k]] = question.limits[k];
        part.nodes[k] = MIN_NODES as u8;
    }
    part
}

impl<M: Memory> Rounds<'_, M> {
    pub(super) fn dimensions(&self) -> usize {
        self.question.dimensions as usize
    }

    /// What all regions give together.
    #[inline(never)]
    pub fn totals(&self) -> Totals {
        let [value, magnitude, smooth, rough, lacks, squares] =
            sums(self.regions.iter().map(|of| {
                let smooth = of.error - of.rough;
                let squares = of.rough * of.rough;
                [of.value, of.magnitude, smooth, of.rough, of.lacks, squares]
            }));
        let chance = CHANCE * GpuFloat::sqrt(squares);
        Totals {
            value,
            error: smooth + (FEW_LINES * rough).min(lacks.abs() + chance),
            noise: noise(self.dimensions()) * magnitude,
        }
    }

    /// Takes the parts as they were summed, and decides what the next round does, and which plans it needs; or
    /// that there is none.
    pub fn take(&mut self, made: impl Fn(usize, &Part) -> Region) {
        if self.state.end.is_some() {
            return;
        }
        self.state.evaluations += self.points();
        let made = |index: usize, parts: &M::Parts| made(index, &parts[index]);
        match self.state.work {
            Work::Begin => {
                self.regions.clear();
                self.regions.push(made(0, &self.parts));
            }
            Work::Halve => {
                let (count, axis) = (self.regions.len(), self.axis());
                for index in 0..count {
                    let mut cuts = Places::default();
                    cuts[axis] = Some(self.parts[2 * index].to[axis]);
                    self.neighbours.divide(index, &cuts);
                    self.regions[index] = made(2 * index, &self.parts);
                }
                for index in 0..count {
                    self.regions.push(made(2 * index + 1, &self.parts));
                }
                self.state.rounds += 1;
            }
            Work::Refine => self.replace(made),
        }
        self.parts.clear();
        self.decide();
    }

    /// Takes what the looks told: [`LINE`] of each axis of the regions that were not seen again.
    pub fn see(&mut self, lines: &[f64]) {
        if !self.state.is_looking {
            return;
        }
        let dimensions = self.dimensions();
        let unseen = self.regions.iter_mut().filter(|region| !region.is_seen);
        for (region, lines) in unseen.zip(lines.chunks(LINE * dimensions)) {
            region.see_again(lines, dimensions);
        }
        self.state.is_looking = false;
        self.decide();
    }

    /// The parts that are to be looked at again, and how often.
    pub fn unseen(&self) -> impl Iterator<Item = (Part, u32)> {
        let is_looking = self.state.is_looking;
        let unseen = self
            .regions
            .iter()
            .filter(move |region| is_looking && !region.is_seen);
        unseen.map(|region| (region.part, self.looks(&region.part)))
    }

    /// How often a part is looked at again: its share of the box, of which there is one look at least.
    pub fn looks(&self, part: &Part) -> u32 {
        let mut looks = LOOKS[self.dimensions().min(4) - 2];
        for k in 0..self.dimensions() {
            let [from, to] = self.question.limits[k];
            looks *= (part.to[k] - part.from[k]) / (to - from);
        }
        GpuFloat::ceil(looks).max(1.0) as u32
    }

    /// Decides how it ended, or what looks or round are to follow.
    #[inline(never)]
    fn decide(&mut self) {
        let totals = self.totals();
        if !(totals.value.is_finite() && totals.noise.is_finite() && totals.error.is_finite()) {
            self.state.end = Some(End::NotFinite);
            return;
        }
        let tolerance = self
            .question
            .absolute
            .max(self.question.relative * totals.value.abs());
        // What was seen once is looked at again.
        if totals.noise == 0.0 && self.state.rounds < BLANK_ROUNDS {
            self.halve();
            return;
        }
        let goal = tolerance.max(2.0 * totals.noise);
        let faint = FAINT * goal / self.regions.len() as f64;
        let is_coarse = self.neighbours.find(&self.regions, faint);
        let mut is_enough = false;
        if self.state.rounds > 0 {
            is_enough = totals.error + totals.noise <= tolerance;
            if is_enough && !is_coarse {
                if self.regions.iter().all(|region| region.is_seen) {
                    self.state.end = Some(End::Converged);
                } else {
                    self.state.is_looking = true;
                }
                return;
            }
            if !is_enough && totals.error <= totals.noise {
                self.state.end = Some(End::Roundoff);
                return;
            }
        }
        let least = match self.state.rounds {
            0 => 0,
            _ if is_enough => BINS,
            _ => self.least_bin(goal),
        };
        self.choose(goal, least);
    }

    /// The axis along which all regions are halved.
    fn axis(&self) -> usize {
        self.state.rounds as usize % self.dimensions()
    }

    /// Halves all regions along the next axis, where there is room.
    fn halve(&mut self) {
        let axis = self.axis();
        self.parts.clear();
        for region in self.regions.iter() {
            let mut cuts = Places::default();
            cuts[axis] = Some(region.middle(axis));
            region.divided(&cuts, &mut self.parts);
        }
        self.state.work = Work::Halve;
        if self.parts.len() as u64 > self.question.regions || !self.has_room(self.points()) {
            self.state.end = Some(End::OutOfRoom);
        }
    }

    /// Points of all parts.
    #[inline(never)]
    pub(super) fn points(&self) -> u64 {
        let points = self.parts.iter().map(|part| part.points(0));
        points.fold(0, u64::saturating_add)
    }

    /// How many more regions are allowed,
    pub(super) fn room(&self) -> usize {
        let room = self
            .question
            .regions
            .saturating_sub(self.regions.len() as u64);
        usize::try_from(room).unwrap_or(usize::MAX)
    }

    /// and whether so many more points are.
    pub(super) fn has_room(&self, points: u64) -> bool {
        self.state.evaluations.saturating_add(points) <= self.question.evaluations
    }
}
