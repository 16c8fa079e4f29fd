//! Iterations of VEGAS+ on the device.

use bytemuck::Zeroable;
use quadscan_kernels::monte_carlo::integrand::{Kernels, Parameters};
use quadscan_kernels::monte_carlo::philox::round_keys;
use quadscan_kernels::monte_carlo::sizes::{
    BIN_BITS, BINS, Deal, EDGES, GROUP, MAX_STRATA_BITS, MEAN_COUNT, Sampling, Sums, THREADS,
    TOTALS, digits, shared_bytes,
};

use super::grid::Grid;
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
    /// Samples of a unit,
    samples: u32,
    /// and units.
    pub(super) units: u32,
    /// Strata are 2 to this.
    pub(super) bits: u32,
}

impl Shape {
    pub(super) fn new(evaluations: u64, dimensions: usize) -> Self {
        let many = (evaluations / UNITS).max(1).next_power_of_two();
        let samples = many.clamp(SAMPLES[0], SAMPLES[1]);
        let group = u64::from(GROUP);
        let units = (evaluations / samples / group * group) as u32;
        let bits = (units / UNITS_OF_STRATUM).ilog2();
        let dimensions = dimensions as u32;
        Self {
            dimensions,
            samples: samples as u32,
            units,
            bits: bits.min(MAX_STRATA_BITS).min(BIN_BITS * dimensions),
        }
    }

    pub(super) fn evaluations(&self) -> u64 {
        u64::from(self.units) * u64::from(self.samples)
    }

    /// Blocks that add up strata.
    pub(super) fn blocks(&self) -> u32 {
        (1_u32 << self.bits).div_ceil(THREADS)
    }
}

/// The sums of an iteration: integral, its variance, and the integral of the square.
pub(super) struct IterationSums {
    pub(super) value: f64,
    pub(super) variance: f64,
    pub(super) square: f64,
}

/// Device memory of a plan.
#[derive(Debug)]
pub(super) struct Memory {
    module: Module,
    pub(super) kernels: Kernels,
    edges: Buffer<f64>,
    histogram: Buffer<u64>,
    units: Buffer<Sums>,
    groups: Buffer<Sums>,
    /// Shares before each stratum, which a launch reads, and those that it writes.
    prefixes: [Buffer<f64>; 2],
    blocks: Buffer<f64>,
    totals: Buffer<[f64; TOTALS]>,
}

impl Memory {
    /// For iterations of so many evaluations.
    pub(super) fn new(module: &Module, kernels: Kernels, evaluations: u64) -> Result<Self> {
        let device = module.device();
        let shape = Shape::new(evaluations, kernels.most);
        let (units, strata) = (shape.units as usize, 1 << shape.bits);
        let blocks = shape.blocks() as usize;
        Ok(Self {
            module: module.clone(),
            kernels,
            edges: device.alloc(kernels.most * EDGES)?,
            histogram: device.alloc(kernels.most * BINS)?,
            units: device.alloc(units)?,
            groups: device.alloc(units / GROUP as usize)?,
            prefixes: [device.alloc(strata)?, device.alloc(strata)?],
            blocks: device.alloc(blocks)?,
            totals: device.alloc(blocks)?,
        })
    }
}

/// An integral on the device.
pub(super) struct Run<'a> {
    memory: &'a mut Memory,
    shape: Shape,
    grid: Grid,
    parameters: &'a Parameters,
    sampling: Sampling,
    deal: Deal,
    beta: f64,
    /// Blocks that sample.
    resident: u32,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        memory: &'a mut Memory,
        shape: Shape,
        grid: Grid,
        parameters: &'a Parameters,
        (seed, beta): (u64, f64),
    ) -> Result<Self> {
        let entry = memory.kernels.sample();
        let shared = shared_bytes(shape.dimensions);
        let resident = memory.module.resident_blocks(entry, THREADS, shared)?;
        let sampling = Sampling {
            volume: (BINS as f64).powi(shape.dimensions as i32),
            dimensions: shape.dimensions,
            samples: shape.samples,
            keys: round_keys(seed),
            digits: digits(shape.bits, shape.dimensions as usize),
            ..Sampling::zeroed()
        };
        let deal = Deal {
            factor: 0.0,
            bits: shape.bits,
            extra: shape.units - (1 << shape.bits),
        };
        let mut run = Self {
            memory,
            shape,
            grid,
            parameters,
            sampling,
            deal,
            beta,
            resident: resident.max(1),
        };
        run.upload()?;
        Ok(run)
    }

    fn upload(&mut self) -> Result<()> {
        let edges = &self.grid.edges;
        self.memory.edges.slice_mut(..edges.len())?.copy_from(edges)
    }

    /// Samples and adds up; counts squares relative to their mean, where it is not 0. The next
    /// iteration's strata have samples by what this one saw.
    pub(super) fn iterate(&mut self, iteration: u32, square: f64) -> Result<IterationSums> {
        let (shape, strata) = (self.shape, f64::from(1_u32 << self.shape.bits));
        let memory = &mut *self.memory;
        let mean_units = f64::from(shape.units) / strata;
        let scale = MEAN_COUNT * mean_units / square;
        let sampling = Sampling {
            iteration,
            scale: if square > 0.0 && scale.is_finite() {
                scale
            } else {
                0.0
            },
            ..self.sampling
        };
        if sampling.scale != 0.0 {
            memory.histogram.fill_bytes(0)?;
        }
        let (units, groups) = (memory.units.address(), memory.groups.address());
        let [prefixes, next] = [0, 1].map(|index| memory.prefixes[index].address());
        let (blocks, deal) = (memory.blocks.address(), self.deal);
        let (edges, histogram) = (memory.edges.address(), memory.histogram.address());
        let warps = THREADS / GROUP;
        let grid = (shape.units / GROUP).div_ceil(warps).min(self.resident);
        let launch = LaunchShape::new(grid, THREADS).with_shared(shared_bytes(shape.dimensions));
        let request = arguments![
            edges,
            histogram,
            units,
            groups,
            sampling,
            prefixes,
            blocks,
            deal,
            *self.parameters
        ];
        // SAFETY: the parameters are those of the kernels that the macro makes. Memory is this plan's,
        // of its device, with room for the units and strata of this shape and the dimensions of the
        // integrand, of which there are no more; launches are one after the other.
        unsafe {
            let entry = memory.kernels.sample();
            memory
                .module
                .launch_raw(entry, LaunchConfig::new(launch), &request)?;
            let (samples, beta, totals) = (shape.samples, self.beta, memory.totals.address());
            let request = arguments![
                units, groups, samples, beta, prefixes, blocks, deal, next, totals
            ];
            let launch = LaunchConfig::new(LaunchShape::new(shape.blocks(), THREADS));
            memory
                .module
                .launch_raw(memory.kernels.strata(), launch, &request)?;
        }
        memory.prefixes.swap(0, 1);
        let totals = memory.totals.slice(..shape.blocks() as usize)?.to_vec()?;
        let (mut all, mut before) = ([0.0; TOTALS], Vec::with_capacity(totals.len()));
        for totals in &totals {
            before.push(all[TOTALS - 1]);
            for (all, total) in all.iter_mut().zip(totals) {
                *all += total;
            }
        }
        let [value, variance, square, shares] = all;
        memory
            .blocks
            .slice_mut(..before.len())?
            .copy_from(&before)?;
        let factor = f64::from(deal.extra) / shares;
        self.deal.factor = if factor.is_normal() { factor } else { 0.0 };
        Ok(IterationSums {
            value: value / strata,
            variance: variance / (strata * strata),
            square: square / strata,
        })
    }

    /// Moves the grid by what the last iteration counted.
    pub(super) fn refine(&mut self, alpha: f64) -> Result<()> {
        let len = self.shape.dimensions as usize * BINS;
        let squares = self.memory.histogram.slice(..len)?.to_vec()?;
        self.grid.refine(&squares, alpha);
        self.upload()
    }
}
