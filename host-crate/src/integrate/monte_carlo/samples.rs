//! Iterations of VEGAS+ on the device.

use std::ops::Range;

use bytemuck::Zeroable;
use quadscan_kernels::monte_carlo::integrand::{Kernels, Parameters};
use quadscan_kernels::monte_carlo::philox::round_keys;
use quadscan_kernels::monte_carlo::sizes::{
    ADDERS, BIN_BITS, BINS, Deal, EDGES, GROUP, MAX_STRATA_BITS, Sampling, Sums, THREADS, TOTALS,
    digits, shared_bytes,
};

use crate::Result;
use crate::device::{Buffer, LaunchConfig, LaunchShape, Module, arguments};

/// Samples of a unit, and units from which on it has more samples.
const SAMPLES: [u64; 2] = [4, 64];
const UNITS: u64 = 1 << 20;
/// A stratum has so many units or more on average, of which one is its own.
const UNITS_OF_STRATUM: u32 = 4;

/// How the evaluations of an iteration are divided.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    dimensions: u32,
    deal: Deal,
}

impl Shape {
    pub(super) fn new(evaluations: u64, dimensions: usize) -> Self {
        let many = (evaluations / UNITS).max(1).next_power_of_two();
        let samples = many.clamp(SAMPLES[0], SAMPLES[1]);
        let group = u64::from(GROUP);
        let units = (evaluations / samples / group * group) as u32;
        let bits = (units / UNITS_OF_STRATUM).ilog2();
        let dimensions = dimensions as u32;
        let bits = bits.min(MAX_STRATA_BITS).min(BIN_BITS * dimensions);
        let deal = Deal {
            bits,
            extra: units - (1 << bits),
            samples: samples as u32,
        };
        Self { dimensions, deal }
    }

    pub(super) fn evaluations(&self) -> u64 {
        u64::from(self.deal.units()) * u64::from(self.deal.samples)
    }
}

/// The sums of an iteration: integral, its variance, and the integral of the square.
pub(super) struct IterationSums {
    pub(super) value: f64,
    pub(super) variance: f64,
    pub(super) square: f64,
}

impl IterationSums {
    /// Of the totals of so many strata.
    fn new([value, variance, square, _]: [f64; TOTALS], strata: f64) -> Self {
        Self {
            value: value / strata,
            variance: variance / (strata * strata),
            square: square / strata,
        }
    }
}

/// Device memory of a plan.
#[derive(Debug)]
pub(super) struct Memory {
    module: Module,
    pub(super) kernels: Kernels,
    edges: Buffer<f64>,
    /// Zeros between iterations, as are the blocks that have arrived.
    histogram: Buffer<u64>,
    arrived: Buffer<u32>,
    units: Buffer<Sums>,
    groups: Buffer<Sums>,
    /// Shares before each stratum, and totals of blocks of strata: those of the iteration before, and of
    /// this one.
    prefixes: [Buffer<f64>; 2],
    blocks: [Buffer<[f64; TOTALS]>; 2],
    /// Those of all strata, of each iteration; before the first one zeros.
    totals: Buffer<[f64; TOTALS]>,
}

impl Memory {
    /// For so many iterations, of so many evaluations each.
    pub(super) fn new(
        module: &Module,
        kernels: Kernels,
        evaluations: u64,
        iterations: u32,
    ) -> Result<Self> {
        let device = module.device();
        let deal = Shape::new(evaluations, kernels.most).deal;
        let (units, strata) = (deal.units() as usize, deal.strata() as usize);
        let blocks = || device.alloc(deal.blocks() as usize);
        Ok(Self {
            module: module.clone(),
            kernels,
            edges: device.alloc(kernels.most * EDGES)?,
            histogram: device.alloc_zeroed(kernels.most * BINS)?,
            arrived: device.alloc_zeroed(1)?,
            units: device.alloc(units)?,
            groups: device.alloc(units / GROUP as usize)?,
            prefixes: [device.alloc(strata)?, device.alloc(strata)?],
            blocks: [blocks()?, blocks()?],
            totals: device.alloc_zeroed(1 + iterations as usize)?,
        })
    }
}

/// An integral on the device.
pub(super) struct Run<'a> {
    memory: &'a mut Memory,
    shape: Shape,
    parameters: &'a Parameters,
    sampling: Sampling,
    alpha: f64,
    beta: f64,
    /// Blocks that sample.
    resident: u32,
}

impl<'a> Run<'a> {
    /// Between these limits; the grid has equal bins at first.
    pub(super) fn new(
        memory: &'a mut Memory,
        shape: Shape,
        limits: &[(f64, f64)],
        parameters: &'a Parameters,
        (seed, [alpha, beta]): (u64, [f64; 2]),
    ) -> Result<Self> {
        let entry = memory.kernels.sample();
        let shared = shared_bytes(shape.dimensions);
        let resident = memory.module.resident_blocks(entry, THREADS, shared)?;
        let axis = |&(from, to): &(f64, f64)| {
            let edge = move |index| from + (to - from) * (index as f64 / BINS as f64);
            (0..BINS).map(edge).chain([to])
        };
        let edges: Vec<f64> = limits.iter().flat_map(axis).collect();
        memory.edges.slice_mut(..edges.len())?.copy_from(&edges)?;
        Ok(Self {
            memory,
            shape,
            parameters,
            sampling: Sampling {
                volume: (BINS as f64).powi(shape.dimensions as i32),
                dimensions: shape.dimensions,
                keys: round_keys(seed),
                digits: digits(shape.deal.bits, limits.len()),
                ..Sampling::zeroed()
            },
            alpha,
            beta,
            resident: resident.max(1),
        })
    }

    /// What these iterations find, of which the first `training` ones train the grid. All are launched before
    /// the first one is waited for.
    pub(super) fn iterate(
        &mut self,
        iterations: Range<u32>,
        training: u32,
    ) -> Result<Vec<IterationSums>> {
        for iteration in iterations.clone() {
            // What counts in the histogram is relative to the mean square, which the first iteration is to
            // tell.
            self.launch(iteration, 0 < iteration && iteration < training)?;
        }
        let of = |iteration: u32| 1 + iteration as usize;
        let found = of(iterations.start)..of(iterations.end);
        let strata = f64::from(self.shape.deal.strata());
        let totals = self.memory.totals.slice(found)?.to_vec()?;
        let sums = |totals: [f64; TOTALS]| IterationSums::new(totals, strata);
        Ok(totals.into_iter().map(sums).collect())
    }

    /// Launches an iteration: samples, adds up, and moves the grid where it is trained. The next one's strata
    /// have samples by what this one sees.
    fn launch(&mut self, iteration: u32, is_trained: bool) -> Result<()> {
        let (memory, deal) = (&mut *self.memory, self.shape.deal);
        let sampling = Sampling {
            iteration,
            is_counted: is_trained.into(),
            ..self.sampling
        };
        let (edges, histogram) = (memory.edges.address(), memory.histogram.address());
        let (units, groups) = (memory.units.address(), memory.groups.address());
        let [prefixes, next_prefixes] = [0, 1].map(|index| memory.prefixes[index].address());
        let [blocks, next_blocks] = [0, 1].map(|index| memory.blocks[index].address());
        // Those of the iteration before.
        let totals = memory.totals.slice(iteration as usize..)?.address();
        let (arrived, alpha, beta) = (memory.arrived.address(), self.alpha, self.beta);
        let groups_of_block = THREADS / GROUP;
        let grid = (deal.units() / GROUP)
            .div_ceil(groups_of_block)
            .min(self.resident);
        let samples =
            LaunchShape::new(grid, THREADS).with_shared(shared_bytes(self.shape.dimensions));
        let axes = if is_trained { self.shape.dimensions } else { 0 };
        let sums = LaunchShape::new(deal.blocks() + axes, ADDERS);
        let parameters = *self.parameters;
        // SAFETY: the parameters are those of the kernels that the macro makes. Memory is this plan's,
        // of its device, with room for the units and strata of this shape and the dimensions of the
        // integrand, of which there are no more, and for an iteration behind. Launches are one after the other.
        unsafe {
            memory.module.launch_raw(
                memory.kernels.sample(),
                LaunchConfig::new(samples),
                &arguments![
                    edges, histogram, units, groups, sampling, deal, prefixes, blocks, totals,
                    parameters
                ],
            )?;
            memory.module.launch_raw(
                memory.kernels.strata(),
                LaunchConfig::new(sums),
                &arguments![
                    units,
                    groups,
                    deal,
                    prefixes,
                    blocks,
                    totals,
                    next_prefixes,
                    next_blocks,
                    arrived,
                    beta,
                    alpha,
                    edges,
                    histogram
                ],
            )?;
        }
        memory.prefixes.swap(0, 1);
        memory.blocks.swap(0, 1);
        Ok(())
    }
}
