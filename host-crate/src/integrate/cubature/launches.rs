//! Integrals whose regions are summed on the device.

use bytemuck::Pod;
use quadscan_kernels::LANES;
use quadscan_kernels::cubature::adapt::members::CHUNKS;
use quadscan_kernels::cubature::adapt::part::Part;
use quadscan_kernels::cubature::adapt::rounds::Ask;
use quadscan_kernels::cubature::integrand::Parameters;
use quadscan_kernels::cubature::region::{
    ADDERS, AGAIN, LACKS, LINE, LINES, PLAN, PLANS, Region, SUMS, WARPS, chunks,
};

use super::Cubature;
use super::rounds::Evaluate;
use crate::Result;
use crate::device::{Buffer, arguments};

/// Threads of the blocks that add up chunks.
const THREADS: u32 = 256;
/// The most chunks of a launch,
const MAX_CHUNKS: u32 = 1 << 17;
/// and regions.
const MAX_REGIONS: usize = 1 << 15;
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
    /// Gives back what rounds have taken.
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
}

impl<'a> OnDevice<'a> {
    /// Integrals over a box of so many dimensions, with these parameters.
    pub(super) fn new(
        plan: &'a mut Cubature,
        dimensions: usize,
        parameters: &[Parameters],
    ) -> Result<Self> {
        make_room(&mut plan.parameters, parameters.len(), usize::MAX)?;
        let mut to = plan.parameters.slice_mut(..parameters.len())?;
        to.copy_from(parameters)?;
        Ok(Self {
            plan,
            dimensions: dimensions as u32,
            most: MAX_REGIONS,
        })
    }

    /// Looks along lines of the regions that are there.
    pub(super) fn look(&mut self, count: u32, purpose: u32) -> Result<()> {
        let plan = &*self.plan;
        let (of, table) = (plan.regions.address(), plan.table.address());
        let (parameters, to) = (plan.parameters.address(), plan.sums.address());
        let request = arguments![of, count, purpose, self.dimensions, table, parameters, to];
        let blocks = (count * self.dimensions).div_ceil(WARPS);
        plan.launch(plan.kernels.lines(), blocks, WARPS * LANES, &request)
    }

    /// Sums so many regions that are there, of so many chunks.
    pub(super) fn sum(&mut self, count: u32, all: u32) -> Result<()> {
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
        plan.launch(
            plan.kernels.rule(),
            all.div_ceil(WARPS),
            WARPS * LANES,
            &request,
        )?;
        if !is_single {
            let blocks = (count * LINES as u32 * ADDERS).div_ceil(THREADS);
            plan.launch(
                plan.kernels.combine(),
                blocks,
                THREADS,
                &arguments![of, count, partials, sums],
            )?;
        }
        self.look(count, LACKS)
    }

    /// Puts the regions there, and sums them.
    fn batch(&mut self, regions: &[Region], all: u32, to: &mut Vec<f64>) -> Result<()> {
        let plan = &mut *self.plan;
        make_room(&mut plan.regions, regions.len(), self.most)?;
        plan.regions
            .slice_mut(..regions.len())?
            .copy_from(regions)?;
        self.sum(regions.len() as u32, all)?;
        let first = to.len();
        to.resize(first + regions.len() * SUMS, 0.0);
        let sums = self.plan.sums.slice(..regions.len() * SUMS)?;
        sums.copy_to(&mut to[first..])
    }
}

impl OnDevice<'_> {
    /// Looks along lines of regions, of which there come so many numbers an axis.
    fn lines<T>(
        &mut self,
        purpose: u32,
        width: usize,
        asked: &[T],
        of: impl Fn(&T) -> Region,
    ) -> Result<Vec<f64>> {
        let width = width * self.dimensions as usize;
        let mut lines = Vec::with_capacity(asked.len() * width);
        for asked in asked.chunks(MAX_REGIONS) {
            let plan = &mut *self.plan;
            let regions: Vec<Region> = asked.iter().map(&of).collect();
            let numbers = regions.len() * width;
            make_room(&mut plan.regions, regions.len(), self.most)?;
            make_room(&mut plan.sums, numbers, self.most * SUMS)?;
            plan.regions
                .slice_mut(..regions.len())?
                .copy_from(&regions)?;
            self.look(regions.len() as u32, purpose)?;
            lines.extend(self.plan.sums.slice(..numbers)?.to_vec()?);
        }
        Ok(lines)
    }
}

impl Evaluate for OnDevice<'_> {
    fn sums(&mut self, parts: &[Part], to: &mut Vec<f64>) -> Result<()> {
        let (mut regions, mut all) = (Vec::new(), 0);
        for part in parts {
            let planes = part.points(2) as u32;
            let more = chunks(planes);
            let is_full = regions.len() == MAX_REGIONS || all + more > MAX_CHUNKS;
            if is_full && !regions.is_empty() {
                self.batch(&regions, all, to)?;
                (regions, all) = (Vec::new(), 0);
            }
            regions.push(part.launched(all, planes, 0.0));
            all += more;
        }
        if !regions.is_empty() {
            self.batch(&regions, all, to)?;
        }
        Ok(())
    }

    fn plans(&mut self, asked: &[Ask]) -> Result<Vec<f64>> {
        let of = |ask: &Ask| ask.part.launched(0, ask.plane, ask.goal);
        self.lines(PLANS, PLAN, asked, of)
    }

    fn looks(&mut self, asked: &[(Part, u32)]) -> Result<Vec<f64>> {
        let all: u32 = asked.iter().map(|&(_, looks)| looks).sum();
        let width = LINE * self.dimensions as usize;
        // As many looks at an axis by a warp as leave the device busy.
        let each = all.div_ceil(MANY_LOOKS).max(1);
        let parts = asked.iter().flat_map(|(part, looks)| {
            let first = (1..=*looks).step_by(each as usize);
            first.map(move |first| (part, first, each.min(looks + 1 - first)))
        });
        let parts: Vec<_> = parts.collect();
        let found = self.lines(AGAIN, LINE, &parts, |&(part, first, looks)| {
            part.launched(looks, first, 0.0)
        })?;
        let (mut most, mut rest) = (Vec::with_capacity(asked.len() * width), &found[..]);
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
        Ok(most)
    }
}
