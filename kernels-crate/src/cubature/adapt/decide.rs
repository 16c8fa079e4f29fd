//! A stage of a batch: each thread decides for the member of its place.

use core::slice;

use cuda_std::{mem, thread};

use super::fixed::Fixed;
use super::members::{
    ASKED, BEGIN, CHUNKS, DIVIDE, LEFT, LOOKS, NEXT, Outcome, PARTS, Place, REGIONS, SEE, TAKE,
};
use super::part::{Part, Region};
use super::rounds::{End, Memory, Neighbours, Rounds, State, Work, whole};
use super::{List, Places, Question};
use crate::cubature::region::{self, LINE, PLAN, SUMS, chunks};

/// In the place of a member's number where there is none.
const FREE: u32 = u32::MAX;

/// What a launch decides.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Its stage.
    pub stage: u32,
    /// Places for members,
    pub count: u32,
    /// which are these.
    pub places: *mut Place,
    /// What is asked of each.
    pub question: *const Question,
    /// The first member's number,
    pub first: u32,
    /// and how many there are.
    pub members: u32,
    /// What the launch asks for, with room for [`REGIONS`] a place.
    pub regions: *mut region::Region,
    /// What the launches before have told.
    pub told: *const f64,
    /// [`COUNTERS`](super::members::COUNTERS).
    pub counters: *mut u64,
    /// One a member.
    pub outcomes: *mut Outcome,
}

/// Lists in the memory of a place.
struct Few;

impl Memory for Few {
    type Regions = Fixed<Region>;
    type Parts = Fixed<Part>;
    type Numbers = Fixed<[u32; 3]>;
    type Neighbours = Alone;
}

/// Finds no neighbours, but notices where they are wanted.
struct Alone {
    are_wanted: bool,
}

impl Neighbours for Alone {
    fn find(&mut self, regions: &[Region], faint: f64) -> bool {
        self.are_wanted |= regions.iter().any(|region| region.is_surface(faint));
        false
    }

    fn cuts(&self, _: usize) -> Option<&Places> {
        None
    }

    fn divide(&mut self, _: usize, _: &Places) {}
}

/// Decides for the member of each place, a thread a place.
///
/// # Safety
/// The places were written by the launch of the stage before, on as many, or the stage is [`BEGIN`]; the
/// rules and lines that it asked for have told what they found; there are counters, outcomes of all members, and
/// room for regions.
#[inline(always)]
pub unsafe fn decide(request: &Request) {
    let index = thread::block_idx_x() * thread::block_dim_x() + thread::thread_idx_x();
    if index >= request.count {
        return;
    }
    // SAFETY: the caller's; this thread alone has the place, and the first one alone the counter of a stage
    // that is to come.
    unsafe {
        let place = request.places.add(index as usize);
        if request.stage == BEGIN {
            (*place).member = FREE;
        }
        if index == 0 {
            let next = match request.stage {
                TAKE => ASKED,
                SEE => PARTS,
                _ => LOOKS,
            };
            *request.counters.add(next) = 0;
        }
        while !step(request, &mut *place) {
            (*place).member = FREE;
        }
    }
}

/// A stage of a place; false where its member has ended.
///
/// # Safety
/// As [`decide`].
#[inline(always)]
unsafe fn step(request: &Request, place: &mut Place) -> bool {
    let Request { stage, told, .. } = *request;
    let is_new = place.member == FREE;
    if is_new {
        // SAFETY: the caller's.
        let next = || unsafe { mem::fetch_add_relaxed(request.counters.add(NEXT), 1) };
        let next = if stage > DIVIDE { u64::MAX } else { next() };
        if next >= u64::from(request.members) {
            return true;
        }
        (place.member, place.lens, place.state) = (request.first + next as u32, [0; 3], State::NEW);
    }
    // SAFETY: the caller's: as many were written, and what was told is of this member's regions.
    let (mut of, told) = unsafe {
        let [regions, parts, numbers] = place.lens.map(|len| len as usize);
        let of: Rounds<'_, Few> = Rounds {
            question: &*request.question,
            state: place.state,
            regions: Fixed::new(place.regions.as_mut_ptr().cast(), regions, REGIONS),
            parts: Fixed::new(place.parts.as_mut_ptr().cast(), parts, REGIONS),
            numbers: Fixed::new(place.numbers.as_mut_ptr().cast(), numbers, REGIONS),
            neighbours: Alone { are_wanted: false },
        };
        let first = place.first as usize;
        let told = move |width: usize, count: usize| {
            slice::from_raw_parts(told.add(first * width), count * width)
        };
        (of, told)
    };
    let dimensions = of.question.dimensions as usize;
    match stage {
        TAKE => {
            let sums = told(SUMS, of.parts.len());
            of.take(|index, part| Region::new(*part, &sums[index * SUMS..][..SUMS], dimensions));
        }
        SEE if of.state.is_looking => {
            let lines = told(LINE * dimensions, of.unseen().count());
            of.see(lines);
        }
        SEE => {}
        _ if is_new => of.parts.push(whole(of.question, place.member)),
        _ if of.state.work == Work::Refine => {
            let plans = told(PLAN * dimensions, of.asked().count());
            of.divide(plans);
        }
        _ => {}
    }
    let is_large = |part: &Part| chunks(planes(part)) > CHUNKS;
    let is_left = of.neighbours.are_wanted
        || of.regions.is_over()
        || of.parts.is_over()
        || of.numbers.is_over()
        || of.parts.iter().any(is_large);
    if is_left || of.state.end.is_some() {
        // SAFETY: the caller's.
        let to = unsafe {
            request
                .outcomes
                .add((place.member - request.first) as usize)
        };
        // SAFETY: as above.
        unsafe { *to = outcome(&of, is_left) };
        return false;
    }
    // SAFETY: the caller's.
    unsafe { ask(request, &of, &mut place.first) };
    place.lens = [of.regions.len(), of.parts.len(), of.numbers.len()].map(|len| len as u32);
    place.state = of.state;
    true
}

/// Planes of a part, of which a small one has few.
fn planes(part: &Part) -> u32 {
    part.points(2).min(u64::from(u32::MAX)) as u32
}

/// What came of a member.
fn outcome(of: &Rounds<'_, Few>, is_left: bool) -> Outcome {
    let totals = of.totals();
    Outcome {
        value: totals.value,
        error: totals.error + totals.noise,
        evaluations: of.state.evaluations,
        regions: of.regions.len() as u32,
        rounds: of.state.rounds,
        status: match of.state.end {
            Some(end) if !is_left => end as u32,
            _ => LEFT,
        },
        zero: 0,
    }
}

/// Puts what the member asks for into the launch's list.
///
/// # Safety
/// As [`decide`].
#[inline(always)]
unsafe fn ask(request: &Request, of: &Rounds<'_, Few>, first: &mut u32) {
    // SAFETY: the caller's.
    let places = |counter: usize, count: u64| unsafe {
        mem::fetch_add_relaxed(request.counters.add(counter), count)
    };
    let put = |at: u64, region: region::Region| {
        // SAFETY: the caller's; the place is this member's.
        unsafe { *request.regions.add(at as u32 as usize) = region };
    };
    match request.stage {
        TAKE if of.state.is_looking => {
            let at = places(LOOKS, of.unseen().count() as u64);
            *first = at as u32;
            for (at, (part, looks)) in (at..).zip(of.unseen()) {
                put(at, part.launched(looks, 1, 0.0));
            }
        }
        TAKE => {}
        SEE => {
            let at = places(ASKED, of.asked().count() as u64);
            *first = at as u32;
            for (at, ask) in (at..).zip(of.asked()) {
                put(at, ask.part.launched(0, ask.plane, ask.goal));
            }
        }
        _ => {
            let of_parts = of.parts.iter().map(|part| chunks(planes(part)));
            let all = of_parts.fold(0, |all, of| all + u64::from(of));
            let at = places(PARTS, all << 32 | of.parts.len() as u64);
            *first = at as u32;
            let mut chunk = (at >> 32) as u32;
            for (at, part) in (at..).zip(of.parts.iter()) {
                put(at, part.launched(chunk, planes(part), 0.0));
                chunk += chunks(planes(part));
            }
        }
    }
}

// The host tells them apart.
const _: () = assert!((End::NotFinite as u32) < LEFT);
