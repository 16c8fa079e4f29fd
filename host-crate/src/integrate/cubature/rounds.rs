//! An integral for which the host decides, with any number of regions.

use std::borrow::Cow;
use std::panic::resume_unwind;
use std::thread;

use quadscan_kernels::cubature::adapt::Question;
use quadscan_kernels::cubature::adapt::part::{Part, Region};
use quadscan_kernels::cubature::adapt::rounds::{self, Ask, End, Memory, State, Work, whole};
use quadscan_kernels::cubature::region::{MAX_DIMENSIONS, SUMS};

use super::cuts::Cuts;
use super::threads::cores;
use super::{CubatureOptions, Cubed, CubedRegion, Status};
use crate::Result;

/// Axes of regions that take as long as the start of a thread, some 60 us. Threads start one after the other: so
/// many times as many axes are shared fastest by the root of that.
const START: usize = 300;
/// More regions keep a device busy with looks.
const MANY: usize = 256;

/// What a launch computes.
pub(super) trait Evaluate {
    /// `SUMS` of each region. What is probably asked next may be looked for in the same launches.
    fn sums(&mut self, boxes: &[Part], next: Next) -> Result<Cow<'_, [f64]>>;

    /// `PLAN` of each region's axes, looked for in one of its planes.
    fn plans(&mut self, asked: &[Ask]) -> Result<Vec<f64>>;

    /// `LINE` of each region's axes, on other lines beside it: of so many looks, the one that is off most.
    fn looks(&mut self, asked: &[(Part, u32)]) -> Result<Vec<f64>>;
}

/// What is probably asked of an integral behind its sums.
#[derive(Debug)]
pub(super) enum Next {
    Unknown,
    /// The plan of the whole box, to an absolute and a relative tolerance.
    Plan([f64; 2]),
    /// Looks.
    Looks(Vec<(Part, u32)>),
}

impl Next {
    /// The first region is refined at least once. Where all parts have the nodes of their plans, they are
    /// probably enough.
    pub(super) fn of(of: &Rounds<'_>) -> Self {
        match of.state.work {
            Work::Begin => Self::Plan([of.question.absolute, of.question.relative]),
            Work::Refine
                if of.regions.len() <= MANY && of.parts.iter().all(|part| part.is_planned) =>
            {
                let parts = of.regions.iter();
                let mut parts: Vec<_> = parts.map(|of| (!of.is_seen).then_some(of.part)).collect();
                for (&[index, ..], &part) in of.numbers.iter().zip(&of.parts) {
                    parts[index as usize] = Some(part);
                }
                let parts = parts.into_iter().flatten();
                Self::Looks(parts.map(|part| (part, of.looks(&part))).collect())
            }
            _ => Self::Unknown,
        }
    }
}

/// Lists of the host.
#[derive(Debug)]
pub(super) struct OnHost;

impl Memory for OnHost {
    type Regions = Vec<Region>;
    type Parts = Vec<Part>;
    type Numbers = Vec<[u32; 3]>;
    type Neighbours = Cuts;
}

/// An integral for which the host decides.
pub(super) type Rounds<'a> = rounds::Rounds<'a, OnHost>;

/// What is asked, over a box with finite limits, each lower one below the upper one.
pub(super) fn question(limits: &[(f64, f64)], options: &CubatureOptions) -> Question {
    let mut of = Question {
        limits: [[0.0; 2]; MAX_DIMENSIONS],
        dimensions: limits.len() as u64,
        absolute: options.absolute,
        relative: options.relative,
        regions: options.regions as u64,
        evaluations: options.evaluations,
    };
    for (to, &(lower, upper)) in of.limits.iter_mut().zip(limits) {
        *to = [lower, upper];
    }
    of
}

/// The integral that is the member of this number.
pub(super) fn begin<'a>(question: &'a Question, limits: &[(f64, f64)], member: u32) -> Rounds<'a> {
    Rounds {
        question,
        state: State::NEW,
        regions: Vec::new(),
        parts: vec![whole(question, member)],
        numbers: Vec::new(),
        neighbours: Cuts::new(limits),
    }
}

/// How an integral ended, as applications see it.
pub(super) fn status(end: End) -> Status {
    match end {
        End::Converged => Status::Converged,
        End::OutOfRoom => Status::OutOfRoom,
        End::Roundoff => Status::Roundoff,
        End::NotFinite => Status::NotFinite,
    }
}

/// What came of it, once it has ended.
pub(super) fn outcome(of: &Rounds<'_>) -> Option<Cubed> {
    let (status, totals) = (status(of.state.end?), of.totals());
    Some(
        Cubed {
            value: totals.value,
            error: totals.error + totals.noise,
            evaluations: of.state.evaluations,
            regions: of.regions.len(),
            rounds: of.state.rounds,
            status,
        }
        .or_none(),
    )
}

impl Cubed {
    /// Without a value where there is none.
    pub(super) fn or_none(self) -> Self {
        match self.status {
            Status::NotFinite => Self {
                value: f64::NAN,
                error: f64::INFINITY,
                ..self
            },
            _ => self,
        }
    }
}

/// A region as applications see it.
pub(super) fn cubed(region: &Region, dimensions: usize) -> CubedRegion {
    let part = &region.part;
    let (from, to) = (&part.from[..dimensions], &part.to[..dimensions]);
    CubedRegion {
        limits: from.iter().copied().zip(to.iter().copied()).collect(),
        nodes: part.nodes[..dimensions]
            .iter()
            .map(|&nodes| nodes.into())
            .collect(),
        value: region.value,
        error: region.error,
    }
}

/// Gives an integral the sums of its parts.
pub(super) fn take(of: &mut Rounds<'_>, sums: &[f64]) {
    if of.state.end.is_none() {
        let dimensions = of.question.dimensions as usize;
        let threads = (of.parts.len() * dimensions / START).isqrt();
        let share = of.parts.len().div_ceil(threads.clamp(1, cores())).max(1);
        let made = made(&of.parts, sums, dimensions, share);
        of.take(|index, _| made[index / share][index % share].clone());
    }
}

/// Regions of parts that were summed, so many at a time, each made by a thread of its own: it takes a while to
/// start one, so that each starts others.
fn made(parts: &[Part], sums: &[f64], dimensions: usize, share: usize) -> Vec<Vec<Region>> {
    let shares = parts.len().div_ceil(share);
    if shares <= 1 {
        let of = parts.iter().zip(sums.chunks(SUMS));
        return vec![
            of.map(|(&part, sums)| Region::new(part, sums, dimensions))
                .collect(),
        ];
    }
    let (own, others) = parts.split_at(shares / 2 * share);
    let (own_sums, other_sums) = sums.split_at(own.len() * SUMS);
    thread::scope(|scope| {
        let others = scope.spawn(move || made(others, other_sums, dimensions, share));
        let mut all = made(own, own_sums, dimensions, share);
        all.extend(others.join().unwrap_or_else(|panic| resume_unwind(panic)));
        all
    })
}
