//! Batches of small integrals for which the device decides: the host learns how much each round's launches
//! are to do, and what came of the members. See `quadscan_kernels::cubature::adapt::members`.

use std::mem;

use cuda_builder::manifest;
use quadscan_kernels::LANES;
use quadscan_kernels::cubature::adapt::Question;
use quadscan_kernels::cubature::adapt::members::{
    ASKED, BEGIN, CHUNKS, COUNTERS, DIVIDE, LOOKS, Outcome, PARTS, PLACE, REGIONS, SEE, TAKE,
};
use quadscan_kernels::cubature::adapt::rounds::End;
use quadscan_kernels::cubature::region::{
    AGAIN, LACKS, LINE, MAX_NODES, MIN_NODES, PLAN, PLANS, Region, SUMS, WARPS, chunks,
};

use super::launches::{OnDevice, make_room};
use super::rounds::status;
use super::{Cubature, Cubed};
use crate::device::arguments;
use crate::{Error, Result};

/// Members that are worth it,
const FEW: u32 = 4;
/// and those that have places at a time, at most; what these and their rounds take
pub(super) const PLACES: u32 = 1 << 16;
/// is one in so many bytes of the device's memory.
const PART_OF_MEMORY: u64 = 16;
/// The kernel that decides.
const DECIDE: &str = "cubature_decide";
/// Threads of its blocks.
const THREADS: u32 = WARPS * LANES;

impl Cubature {
    /// Whether the device decides for so many integrals over a box of so many dimensions.
    pub(super) fn is_decided(&self, dimensions: usize, count: u32) -> bool {
        let planes = (MIN_NODES as u32).pow(dimensions as u32 - 2);
        let part = |of: &manifest::Module| of.part_of(DECIDE)?.sha256.clone();
        let has_kernel = || self.module.manifest().and_then(part).is_some();
        count >= FEW && chunks(planes) <= CHUNKS && has_kernel()
    }

    /// Members that have places at a time.
    fn places_of(&self, dimensions: usize, count: u32) -> u32 {
        let memory = self.module.device().properties().total_memory / PART_OF_MEMORY;
        let places = memory / bytes_of_a_place(dimensions) as u64;
        let places = u32::try_from(places).unwrap_or(u32::MAX);
        places.clamp(1, self.most_places.max(1)).min(count)
    }
}

/// Bytes of a member's place, of its regions, and of what these are summed to in a round.
fn bytes_of_a_place(dimensions: usize) -> usize {
    let sums = SUMS * size_of::<f64>();
    let partials = match chunks_of_a_part(dimensions) {
        1 => 0,
        chunks => chunks * sums,
    };
    8 * PLACE + REGIONS * (size_of::<Region>() + sums + partials)
}

/// Chunks of a part, at most.
fn chunks_of_a_part(dimensions: usize) -> usize {
    chunks((MAX_NODES as u32).pow(dimensions as u32 - 2)).min(CHUNKS) as usize
}

impl OnDevice<'_> {
    /// What came of members of neighbouring numbers; of those that are too large for the device, nothing: of
    /// all where it has no memory.
    pub(super) fn decided(
        &mut self,
        question: &Question,
        members: &[u32],
    ) -> Result<Vec<Option<Cubed>>> {
        let (&[first, ..], count) = (members, members.len() as u32) else {
            return Ok(Vec::new());
        };
        let places = self.plan.places_of(self.dimensions as usize, count);
        let before = mem::replace(&mut self.most, places as usize * REGIONS);
        let decided = self.decided_in(places, question, first, count);
        self.most = before;
        match decided {
            Err(Error::OutOfMemory { .. }) => {
                self.plan.clear()?;
                Ok(vec![None; members.len()])
            }
            decided => decided,
        }
    }

    /// The same in so many places.
    fn decided_in(
        &mut self,
        places: u32,
        question: &Question,
        first: u32,
        count: u32,
    ) -> Result<Vec<Option<Cubed>>> {
        let dimensions = self.dimensions as usize;
        let plan = &mut *self.plan;
        let device = plan.module.device().clone();
        let regions = places as usize * REGIONS;
        make_room(&mut plan.places, places as usize * PLACE, 0)?;
        make_room(&mut plan.regions, regions, 0)?;
        let (question, mut counters) = (device.upload(&[*question])?, device.alloc(COUNTERS)?);
        counters.copy_from(&[0; COUNTERS])?;
        let outcomes = device.alloc::<Outcome>(count as usize)?;
        let mut stage = BEGIN;
        let decide = |on: &Self, stage: u32| -> Result<[u64; COUNTERS]> {
            let plan = &*on.plan;
            let (of, regions, told) = (
                plan.places.address(),
                plan.regions.address(),
                plan.sums.address(),
            );
            let (question, to) = (question.address(), outcomes.address());
            let found = counters.address();
            let request = arguments![
                stage, places, of, question, first, count, regions, told, found, to
            ];
            plan.launch(DECIDE, places.div_ceil(THREADS), THREADS, &request)?;
            let mut now = [0; COUNTERS];
            counters.copy_to(&mut now)?;
            Ok(now)
        };
        loop {
            let parts = decide(self, stage)?[PARTS];
            if parts == 0 {
                break;
            }
            self.rules(parts as u32, (parts >> 32) as u32, false)?;
            self.look(parts as u32, LACKS)?;
            let looks = decide(self, TAKE)?[LOOKS] as usize;
            self.lines_of(looks, AGAIN, LINE * dimensions)?;
            let plans = decide(self, SEE)?[ASKED] as usize;
            self.lines_of(plans, PLANS, PLAN * dimensions)?;
            stage = DIVIDE;
        }
        Ok(outcomes.to_vec()?.iter().map(cubed).collect())
    }

    /// Looks along lines of regions that are there, of which there come so many numbers.
    fn lines_of(&mut self, count: usize, purpose: u32, width: usize) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        make_room(&mut self.plan.sums, count * width, self.most * SUMS)?;
        self.look(count as u32, purpose)
    }
}

/// What came of a member, as applications see it; nothing where it is left to the host.
fn cubed(of: &Outcome) -> Option<Cubed> {
    let ends = [
        End::Converged,
        End::OutOfRoom,
        End::Roundoff,
        End::NotFinite,
    ];
    let end = ends.into_iter().find(|&end| end as u32 == of.status)?;
    let cubed = Cubed {
        value: of.value,
        error: of.error,
        evaluations: of.evaluations,
        regions: of.regions as usize,
        rounds: of.rounds,
        status: status(end),
    };
    Some(cubed.or_none())
}
