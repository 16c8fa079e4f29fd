//! Integrals whose regions are summed on the device.

use std::borrow::Cow;

use bytemuck::Pod;
use quadscan_kernels::LANES;
use quadscan_kernels::cubature::adapt::goal_of_whole;
use quadscan_kernels::cubature::adapt::members::CHUNKS;
use quadscan_kernels::cubature::adapt::part::Part;
use quadscan_kernels::cubature::adapt::rounds::Ask;
use quadscan_kernels::cubature::integrand::Parameters;
use quadscan_kernels::cubature::region::{
    ADDERS, AGAIN, BEHIND, BEST, LINE, LINES, PLAN, PLANS, Region, SIDES, SUMS, TEAM, WARPS,
    chunks, row,
};

use super::rounds::{Evaluate, Next};
use super::{Cubature, FEW};
use crate::Result;
use crate::device::{Buffer, arguments};

/// Threads of the blocks that add up chunks.
const THREADS: u32 = 256;
/// The most chunks of a launch,
const MAX_CHUNKS: u32 = 1 << 17;
/// and regions.
const MAX_REGIONS: usize = 1 << 15;
/// The most chunks that teams of warps sum: of more there are enough for a device.
const FEW_CHUNKS: u32 = 1 << 10;
/// What is looked for on lines, and how many numbers of it there come an axis.
const PLAN_AXES: [u32; 2] = [PLANS, PLAN as u32];
const LOOK_AGAIN: [u32; 2] = [AGAIN, LINE as u32];
/// Looks that keep a device busy where a warp makes one at an axis.
const MANY_LOOKS: u32 = 1 << 14;

/// Makes room for so many elements where there is none, and for some more, but for no more than `most` for the
/// sake of that; what was there is lost.
pub(super) fn make_room<T: Pod>(of: &mut Buffer<T>, len: usize, most: usize) -> Result<()> {
    if of.len() < len {
        // Not both at a time.
        clear(of)?;
        *of = of
            .device()
            .alloc(len.next_power_of_two().min(most).max(len))?;
    }
    Ok(())
}

/// Gives the memory back.
fn clear<T: Pod>(of: &mut Buffer<T>) -> Result<()> {
    *of = of.device().alloc(0)?;
    Ok(())
}

impl Cubature {
    /// Gives back the device's memory that rounds have taken.
    pub(super) fn clear(&mut self) -> Result<()> {
        clear(&mut self.places)?;
        clear(&mut self.regions)?;
        clear(&mut self.partials)?;
        clear(&mut self.sums)
    }
}

/// Integrals whose regions are summed on the device.
pub(super) struct OnDevice<'a> {
    pub(super) plan: &'a mut Cubature,
    pub(super) dimensions: u32,
    /// Regions of a launch at most.
    pub(super) most: usize,
    /// What was told before it was asked for.
    plan_ahead: Option<(Ask, Vec<f64>)>,
    looks_ahead: (Vec<(Part, u32)>, Vec<f64>),
}

impl<'a> OnDevice<'a> {
    /// Integrals over a box of so many dimensions, with these parameters.
    pub(super) fn new(
        plan: &'a mut Cubature,
        dimensions: usize,
        parameters: &[Parameters],
    ) -> Result<Self> {
        let len = parameters.len();
        make_room(&mut plan.parameters, len, usize::MAX)?;
        let mut to = plan.parameters.slice_mut(..len)?;
        if len <= FEW {
            plan.parameters_to
                .elements(len)?
                .copy_from_slice(parameters);
            plan.parameters_to.send(to)?;
        } else {
            to.copy_from(parameters)?;
        }
        Ok(Self {
            plan,
            dimensions: dimensions as u32,
            most: MAX_REGIONS,
            plan_ahead: None,
            looks_ahead: Default::default(),
        })
    }

    /// Looks along lines of the regions that are there.
    pub(super) fn look(&mut self, count: u32, purpose: u32) -> Result<()> {
        let plan = &*self.plan;
        let (of, table) = (plan.regions.address(), plan.table.address());
        let (parameters, to) = (plan.parameters.address(), plan.sums.address());
        let request = arguments![of, count, purpose, self.dimensions, table, parameters, to];
        let (first, warps) = match purpose % BEHIND {
            PLANS => (purpose / BEHIND, SIDES),
            _ => (purpose / BEHIND, 1),
        };
        let warps_first = (first * self.dimensions).next_multiple_of(SIDES);
        let warps = warps_first + (count - first) * self.dimensions * warps;
        let blocks = warps.div_ceil(WARPS);
        plan.launch(plan.kernels.lines(), blocks, WARPS * LANES, &request)
    }

    /// Sums the rules of so many regions that are there, of so many chunks; by teams of warps or not.
    pub(super) fn rules(&mut self, count: u32, all: u32, by_teams: bool) -> Result<()> {
        let (plan, most) = (&mut *self.plan, self.most * SUMS);
        // The sums of a single chunk are the region's, but for the signs of zeros.
        let is_single = all == count;
        make_room(&mut plan.sums, count as usize * SUMS, most)?;
        if !is_single {
            make_room(
                &mut plan.partials,
                all as usize * SUMS,
                most * CHUNKS as usize,
            )?;
        }
        let (of, sums) = (plan.regions.address(), plan.sums.address());
        let partials = if is_single {
            sums
        } else {
            plan.partials.address()
        };
        let (table, parameters) = (plan.table.address(), plan.parameters.address());
        let request = arguments![of, count, all, self.dimensions, table, parameters, partials];
        let (blocks, warps) = match by_teams {
            true => (all, TEAM),
            false => (all.div_ceil(WARPS), WARPS),
        };
        plan.launch(plan.kernels.rule(), blocks, warps * LANES, &request)?;
        if !is_single {
            let blocks = (count * LINES as u32 * ADDERS).div_ceil(THREADS);
            plan.launch(
                plan.kernels.combine(),
                blocks,
                THREADS,
                &arguments![of, count, partials, sums],
            )?;
        }
        Ok(())
    }

    /// Sends regions, and others behind them.
    fn send(&mut self, regions: &[Region], others: &[Region]) -> Result<()> {
        let (plan, len) = (&mut *self.plan, regions.len() + others.len());
        make_room(&mut plan.regions, len, self.most)?;
        let (to, behind) = plan.regions_to.elements(len)?.split_at_mut(regions.len());
        to.copy_from_slice(regions);
        behind.copy_from_slice(others);
        plan.regions_to.send(plan.regions.slice_mut(..len)?)
    }

    /// Waits for the first numbers that launches made.
    fn receive(&mut self, len: usize) -> Result<()> {
        let plan = &mut *self.plan;
        if plan.told.len() < len {
            let room = len.next_power_of_two();
            plan.told = plan.module.device().alloc_host(room)?;
        }
        plan.sums.slice(..len)?.copy_to(&mut plan.told[..len])?;
        plan.regions_to.release();
        plan.parameters_to.release();
        Ok(())
    }

    /// Sums regions, and looks along lines of others, of each of which there come
    /// so many numbers an axis behind the sums.
    fn batch(&mut self, of: &Batch, others: &[Region], [purpose, width]: [u32; 2]) -> Result<()> {
        let (count, more) = (of.regions.len(), others.len());
        let numbers = count * SUMS + more * (width * self.dimensions) as usize;
        self.send(&of.regions, others)?;
        make_room(&mut self.plan.sums, numbers, self.most * SUMS)?;
        let by_teams = of.is_for_teams() && !self.plan.is_plain;
        self.rules(count as u32, of.chunks, by_teams)?;
        self.look((count + more) as u32, purpose + BEHIND * count as u32)?;
        self.receive(numbers)
    }

    /// Looks along lines of regions, of which there come so many numbers an axis.
    fn lines(&mut self, [purpose, width]: [u32; 2], regions: &[Region]) -> Result<Vec<f64>> {
        let width = (width * self.dimensions) as usize;
        let mut lines = Vec::with_capacity(regions.len() * width);
        for regions in regions.chunks(MAX_REGIONS) {
            let numbers = regions.len() * width;
            self.send(regions, &[])?;
            make_room(&mut self.plan.sums, numbers, self.most * SUMS)?;
            self.look(regions.len() as u32, purpose)?;
            self.receive(numbers)?;
            lines.extend_from_slice(&self.plan.told[..numbers]);
        }
        Ok(lines)
    }
}

/// Regions of a launch that sums.
#[derive(Default)]
struct Batch {
    regions: Vec<Region>,
    chunks: u32,
    /// Whether each chunk of one has several rows.
    has_rows: bool,
}

impl Batch {
    /// Puts a part there, or says that there is no room for it.
    fn push(&mut self, part: &Part) -> bool {
        let planes = part.points(2) as u32;
        let more = chunks(planes);
        let is_full = self.regions.len() == MAX_REGIONS || self.chunks + more > MAX_CHUNKS;
        if is_full && !self.regions.is_empty() {
            return false;
        }
        self.has_rows = row(planes) > 1 && (self.has_rows || self.regions.is_empty());
        self.regions.push(part.launched(self.chunks, planes, 0.0));
        self.chunks += more;
        true
    }

    /// Whether warps that sum chunks together are faster: where there are few chunks, of several rows.
    fn is_for_teams(&self) -> bool {
        self.chunks <= FEW_CHUNKS && self.has_rows
    }
}

/// Looks as a launch takes them; a warp makes so many of a region's at an axis.
fn launched(asked: &[(Part, u32)], each: u32) -> Vec<Region> {
    let parts = asked.iter().flat_map(|(part, looks)| {
        let first = (1..=*looks).step_by(each as usize);
        first.map(move |first| part.launched(each.min(looks + 1 - first), first, 0.0))
    });
    parts.collect()
}

/// Of the looks at each region, of which there come so many numbers, the one that is off most.
fn most_off(asked: &[(Part, u32)], each: u32, found: &[f64], width: usize) -> Vec<f64> {
    let (mut most, mut rest) = (Vec::with_capacity(asked.len() * width), found);
    for &(_, looks) in asked {
        let (own, others) = rest.split_at(width * looks.div_ceil(each) as usize);
        let first = most.len();
        most.extend_from_slice(&own[..width]);
        for look in own.chunks(width).skip(1) {
            let lines = most[first..].chunks_mut(LINE).zip(look.chunks(LINE));
            // NaN stays.
            for (line, other) in
                lines.filter(|(line, other)| other[3] > line[3] || other[3].is_nan())
            {
                line.copy_from_slice(other);
            }
        }
        rest = others;
    }
    most
}

impl Evaluate for OnDevice<'_> {
    fn sums(&mut self, parts: &[Part], next: Next) -> Result<Cow<'_, [f64]>> {
        let (mut batch, mut sums) = (Batch::default(), Vec::new());
        for part in parts {
            if !batch.push(part) {
                self.batch(&batch, &[], LOOK_AGAIN)?;
                sums.extend_from_slice(&self.plan.told[..batch.regions.len() * SUMS]);
                batch = Batch::default();
                batch.push(part);
            }
        }
        let (count, dimensions) = (batch.regions.len() * SUMS, self.dimensions as usize);
        let next = match self.plan.is_plain {
            true => Next::Unknown,
            false => next,
        };
        match (next, parts) {
            _ if parts.is_empty() => {}
            (Next::Plan(tolerances), [part]) => {
                let [absolute, relative] = tolerances;
                let bits = absolute.to_bits();
                let whole = part.launched((bits >> 32) as u32, bits as u32, relative);
                self.batch(&batch, &[whole], PLAN_AXES)?;
                let (sums, plan) = self.plan.told.split_at(count);
                let of = [sums[0], sums[1]];
                let ask = Ask {
                    part: *part,
                    plane: sums[BEST + 1] as u32,
                    goal: goal_of_whole(tolerances, of, dimensions),
                };
                self.plan_ahead = Some((ask, plan[..dimensions * PLAN].to_vec()));
            }
            (Next::Looks(looks), _) if sums.is_empty() => {
                let others = launched(&looks, 1);
                let numbers = others.len() * dimensions * LINE;
                self.batch(&batch, &others, LOOK_AGAIN)?;
                self.looks_ahead = (looks, self.plan.told[count..][..numbers].to_vec());
            }
            _ => self.batch(&batch, &[], LOOK_AGAIN)?,
        }
        let last = &self.plan.told[..count];
        if sums.is_empty() {
            return Ok(Cow::Borrowed(last));
        }
        sums.extend_from_slice(last);
        Ok(Cow::Owned(sums))
    }

    fn plans(&mut self, asked: &[Ask]) -> Result<Vec<f64>> {
        if let (Some((ask, found)), [asked]) = (&self.plan_ahead, asked)
            && ask == asked
        {
            return Ok(found.clone());
        }
        let of = |ask: &Ask| ask.part.launched(0, ask.plane, ask.goal);
        let regions: Vec<Region> = asked.iter().map(of).collect();
        self.lines(PLAN_AXES, &regions)
    }

    fn looks(&mut self, asked: &[(Part, u32)]) -> Result<Vec<f64>> {
        let all: u32 = asked.iter().map(|&(_, looks)| looks).sum();
        let width = LINE * self.dimensions as usize;
        let (ahead, found) = &self.looks_ahead;
        if ahead == asked {
            return Ok(most_off(asked, 1, found, width));
        }
        // As many looks at an axis by a warp as leave the device busy.
        let each = all.div_ceil(MANY_LOOKS).max(1);
        let found = self.lines(LOOK_AGAIN, &launched(asked, each))?;
        Ok(most_off(asked, each, &found, width))
    }
}
