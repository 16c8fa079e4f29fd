//! Batches of small integrals for which the device decides: the host learns how much each round's launches
//! are to do, and what came of the members. See `quadscan_kernels::cubature::adapt::members`.

use cuda_builder::manifest;
use quadscan_kernels::LANES;
use quadscan_kernels::cubature::adapt::Question;
use quadscan_kernels::cubature::adapt::members::{
    ASKED, BEGIN, CHUNKS, COUNTERS, DIVIDE, LOOKS, Outcome, PARTS, PLACE, REGIONS, SEE, TAKE,
};
use quadscan_kernels::cubature::adapt::rounds::End;
use quadscan_kernels::cubature::region::{
    AGAIN, LINE, MIN_NODES, PLAN, PLANS, Region, WARPS, chunks,
};

use super::launches::{OnDevice, make_room};
use super::rounds::status;
use super::{Cubature, Cubed};
use crate::device::arguments;
use crate::{Error, Result};

/// Members that are worth it,
const FEW: u32 = 4;
/// and those that have places at a time, at most; what these take
const PLACES: u64 = 1 << 16;
/// is one in so many bytes of the device's memory.
const PART_OF_MEMORY: u64 = 16;
/// The kernel that decides.
const DECIDE: &str = "cubature_decide";
/// Threads of its blocks.
const THREADS: u32 = WARPS * LANES;

impl Cubature {
    /// Whether the device decides for so many integrals over a box of so many dimensions.
    pub(super) fn is_decided(&self, dimensions: usize, count: u32) -> bool {
        let planes = MIN_NODES.pow(dimensions as u32 - 2) as u32;
        let part = |of: &manifest::Module| of.part_of(DECIDE)?.sha256.clone();
        let has_kernel = || self.module.manifest().and_then(part).is_some();
        count >= FEW && chunks(planes) <= CHUNKS && has_kernel()
    }

    /// Members that have places at a time.
    fn places_of(&self, count: u32) -> u32 {
        let memory = self.module.device().properties().total_memory / PART_OF_MEMORY;
        let one = 8 * PLACE + REGIONS * size_of::<Region>();
        (memory / one as u64).clamp(1, PLACES).min(u64::from(count)) as u32
    }
}

impl OnDevice<'_> {
    /// What came of members of neighbouring numbers; of those that are too large for the device, nothing.
    pub(super) fn decided(
        &mut self,
        question: &Question,
        members: &[u32],
    ) -> Result<Vec<Option<Cubed>>> {
        let (&[first, ..], count) = (members, members.len() as u32) else {
            return Ok(Vec::new());
        };
        let (plan, dimensions) = (&mut *self.plan, self.dimensions as usize);
        let (places, device) = (plan.places_of(count), plan.module.device().clone());
        if plan.places.len() < places as usize * PLACE {
            plan.places = match device.alloc(places as usize * PLACE) {
                Err(Error::OutOfMemory { .. }) => return Ok(vec![None; members.len()]),
                places => places?,
            };
        }
        make_room(&mut plan.regions, places as usize * REGIONS)?;
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
            self.sum(parts as u32, (parts >> 32) as u32)?;
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
        make_room(&mut self.plan.sums, count * width)?;
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
