//! Scans of all lines of an array along one of its axes.

use std::fmt;

use quadscan_kernels::operator::{Identity, Operator};
use quadscan_kernels::scan::shape::{TIMES, lanes_of_line, most_of_line};
use quadscan_kernels::scan::{Algorithm, LINES, ScanKernel, ScanKernels, TOTALS, sizes};

use super::launch::{self, Call, Kind};
use super::methods::scans;
use super::options::{Options, Reproducibility};
use super::plan::{Plan, too_many};
use super::textbook::{Scan, parameters};
use crate::device::{Buffer, LaunchConfig, LaunchShape, Module, Readable, Writable};
use crate::error::{Error, Result};

/// Scans by the operator `O` along one axis of arrays of one shape, in C order: the last index
/// runs fastest. Each line along the axis is scanned from its own beginning, with the initial value,
/// where there is one, before each.
///
/// ```
/// use quadscan::device::{Artifact, Device, DeviceChoice};
/// use quadscan::scan::{AxisPlan, Sum};
///
/// # fn main() -> quadscan::Result<()> {
/// # let choice = DeviceChoice::Emulator { schedule: None };
/// # /*
/// let device = Device::open(DeviceChoice::Auto)?;
/// # */ let device = Device::open(choice)?;
/// # /*
/// let module = device.load(&Artifact::embedded()?)?;
/// # */ let folder = std::env::var("QUADSCAN_ARTIFACT").expect("`cargo xtask test` sets it");
/// # let module = device.load(&unsafe { Artifact::read(folder) }?)?;
/// let table = device.upload(&[3u32, 1, 4, 1, 5, 9])?;
/// let mut sums = device.alloc::<u32>(6)?;
///
/// let mut down = AxisPlan::<Sum<u32>>::new(&module, &[2, 3], 0)?;
/// down.inclusive(&table, &mut sums)?;
/// assert_eq!(sums.to_vec()?, [3, 1, 4, 4, 6, 13]);
///
/// let mut along = AxisPlan::<Sum<u32>>::new(&module, &[2, 3], 1)?;
/// along.exclusive(&table, &mut sums)?;
/// assert_eq!(sums.to_vec()?, [0, 3, 4, 0, 1, 6]);
/// # Ok(())
/// # }
/// ```
///
/// One launch scans them all, but for a few long lines: those of the last axis are scanned one after
/// the other, by a [`Plan`] with [`Reproducibility::AcrossGpus`], and those of another axis in parts, by two
/// launches. Results have the same bits on every GPU. What is combined first depends on the shape alone, and
/// is not what the [`Plan`] of a line combines first: float results may differ from those of the line alone
/// in the last bits.
pub struct AxisPlan<O: ScanKernels> {
    module: Module,
    kernel: &'static ScanKernel,
    shape: Shape,
    /// Totals of parts of lines.
    totals: Buffer<u64>,
    /// What scans each line by itself.
    each: Option<Plan<O>>,
}

/// Warps of a block that walks down a strip of lines, at least.
const STRIP_WARPS: u64 = 8;
/// Warps of a block, at most.
const MOST_WARPS: u64 = 32;
/// Lanes of a warp, and lines of a strip.
const LANES: u64 = 32;
/// Strips enough for an H200, 132 SMs of four blocks each: the same on every device, so that results
/// are.
const MANY_STRIPS: u64 = 528;
/// Strips so few that long lines are cut, one for each SM,
const FEW_STRIPS: u64 = 132;
/// and tiles of a line that is not.
const UNCUT_TILES: u64 = 4;
/// Warps of a block that has short lines.
const SHORT_WARPS: u64 = 8;
/// The most blocks of a row of a grid (CUDA C++ Programming Guide, 13.0, compute capabilities).
const MOST_BLOCKS: u64 = (1 << 31) - 1;
/// The most parts of a line.
const MOST_PARTS: u64 = 256;

/// How the lines of an array lie, and how they are dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    /// Slices of `n * stride` elements.
    outer: u64,
    /// Elements of a line,
    n: u64,
    /// and elements from one of them to the next.
    stride: u64,
    /// Blocks of a row of the grid, and warps of each.
    blocks: u64,
    warps: u64,
    /// Parts of a line; 0 where each line has launches of its own.
    parts: u64,
}

impl Shape {
    /// That of axis `axis` of an array of these lengths; `None` for more than memory has. A lane has so
    /// many elements, and in a row of them so many.
    fn new(lengths: &[usize], axis: usize, each: (u64, usize)) -> Option<Self> {
        // Of no elements nothing is asked, and the others are no matter.
        let is_empty = lengths.contains(&0);
        let product = |of: &[usize]| match is_empty {
            true => Some(0),
            false => of
                .iter()
                .try_fold(1_u64, |all, &n| all.checked_mul(n as u64)),
        };
        product(lengths)?;
        let (outer, n) = (product(&lengths[..axis])?, lengths[axis] as u64);
        let stride = product(&lengths[axis + 1..])?;
        let shape = Self {
            outer,
            n,
            stride,
            blocks: outer,
            warps: n.div_ceil(each.0 * LANES).clamp(1, MOST_WARPS),
            parts: 1,
        };
        let shape = match stride {
            1 => {
                // A walk of a block down its line, against two launches for each line.
                let (items, in_row) = each;
                let tiles = n.div_ceil(MOST_WARPS * items * LANES);
                let is_walked = tiles.div_ceil(2) <= outer.max(1);
                match n <= most_of_line(in_row) && n > 0 {
                    true => shape.of_short_lines(lanes_of_line(n as u32, in_row)),
                    false if tiles > 1 => Self {
                        parts: u64::from(is_walked),
                        // The more lines, the more blocks of fewer warps an SM has.
                        warps: (MANY_STRIPS * STRIP_WARPS)
                            .div_ceil(outer.max(1))
                            .next_power_of_two()
                            .clamp(STRIP_WARPS, MOST_WARPS),
                        ..shape
                    },
                    false => shape,
                }
            }
            _ => shape.of_strips(each.0 * TIMES as u64),
        };
        Some(shape)
    }

    /// Of lines that a group of so many lanes has, one behind the other.
    fn of_short_lines(self, lanes: u32) -> Self {
        let in_block = SHORT_WARPS * LANES / u64::from(lanes);
        Self {
            blocks: self.outer.div_ceil(in_block),
            warps: SHORT_WARPS,
            ..self
        }
    }

    /// Of lines that lie apart.
    fn of_strips(self, items: u64) -> Self {
        let blocks = self.outer.saturating_mul(self.stride.div_ceil(LANES));
        // The fewer strips, the more warps share one; few long ones are cut.
        let wanted = MANY_STRIPS.div_ceil(blocks.max(1));
        let is_cut = blocks < FEW_STRIPS && self.n > UNCUT_TILES * MOST_WARPS * items;
        let warps = match is_cut {
            true => STRIP_WARPS,
            false => (STRIP_WARPS * wanted.next_power_of_two()).min(MOST_WARPS),
        };
        let tiles = self.n.div_ceil(warps * items);
        let parts = match is_cut {
            true => (2 * wanted).min(tiles / UNCUT_TILES).clamp(1, MOST_PARTS),
            false => 1,
        };
        Self {
            blocks,
            warps: warps.min(self.n.div_ceil(items).max(1)),
            parts,
            ..self
        }
    }

    fn lines(&self) -> u64 {
        self.outer * self.stride
    }

    fn elements(&self) -> u64 {
        self.lines() * self.n
    }
}

impl<O: ScanKernels> AxisPlan<O> {
    /// A plan for arrays of the lengths `shape` along the axis of this number, from 0 on.
    ///
    /// # Errors
    ///
    /// As [`Plan::new`]; [`Error::Argument`] for an axis that the shape does not have and for more lines
    /// than a grid has blocks for, and [`Error::TooManyElements`] for more elements than memory has.
    pub fn new(module: &Module, shape: &[usize], axis: usize) -> Result<Self> {
        if axis >= shape.len() {
            let problem = match shape.len() {
                0 => format!("is {axis}, and a shape of no lengths has no axis"),
                axes => format!("is {axis}, allowed are 0 to {}", axes - 1),
            };
            return Err(Error::argument("axis", problem));
        }
        let one_block = Options {
            algorithm: Some(Algorithm::OneBlock),
            ..Options::default()
        };
        let candidates = launch::candidates::<O>(module, 0, &one_block)?;
        let Some(candidate) = candidates.first() else {
            return Err(Error::unknown_kernel("one_block"));
        };
        let kernel = candidate.kernel;
        let registers = sizes::one_block::<O>();
        let each = ((registers.rows * registers.each) as u64, registers.each);
        let all = shape
            .iter()
            .fold(1, |all: u64, &n| all.saturating_mul(n as u64));
        let shape = Shape::new(shape, axis, each).ok_or_else(|| too_many(all))?;
        if shape.blocks > MOST_BLOCKS {
            let (lines, blocks) = (shape.lines(), shape.blocks);
            let problem = format!(
                "has {lines} lines, which take {blocks} blocks, allowed are {MOST_BLOCKS} blocks"
            );
            return Err(Error::argument("shape", problem));
        }
        let across_gpus = Options {
            reproducibility: Reproducibility::AcrossGpus,
            ..Options::default()
        };
        let each = match shape.parts {
            0 => Some(Plan::with(module, shape.n, across_gpus)?),
            _ => None,
        };
        let totals = match shape.parts {
            0 | 1 => 0,
            parts => (shape.lines() * parts) as usize * size_of::<O::Accumulator>(),
        };
        Ok(Self {
            module: module.clone(),
            kernel,
            shape,
            totals: module.device().alloc(totals.div_ceil(size_of::<u64>()))?,
            each,
        })
    }

    /// Asks for the scans.
    fn ask(&mut self, call: Call<'_>, kind: Kind<O::Accumulator>) -> Result<()> {
        let shape = self.shape;
        if call.n() != shape.elements() {
            let (has, needed) = (call.n(), shape.elements());
            let problem = format!("has {has} elements, needed are the {needed} of the shape");
            return Err(Error::argument("input", problem));
        }
        call.check_devices(&self.module)?;
        if call.n() == 0 {
            return Ok(());
        }
        if let Some(plan) = &mut self.each {
            let sizes = (size_of::<O::Input>(), size_of::<O::Output>());
            let mut lines =
                (0..shape.lines()).map(|line| call.part(line * shape.n, shape.n, sizes));
            return lines.try_for_each(|line| launch::run::<O>(&mut plan.prepared, &line, kind));
        }
        if shape.parts > 1 {
            self.launch(&call, kind, TOTALS)?;
        }
        self.launch(&call, kind, 0)
    }

    fn launch(&self, call: &Call<'_>, kind: Kind<O::Accumulator>, flags: u32) -> Result<()> {
        let Shape {
            blocks,
            warps,
            parts,
            ..
        } = self.shape;
        // Short lines need no memory; how many there are is said in its place.
        let scratch = match self.totals.len() {
            0 => self.shape.outer,
            _ => self.totals.address(),
        };
        let scan = Scan {
            n: self.shape.n,
            scratch,
            words: self.shape.stride,
            ..launch::scan_of(&self.module, self.kernel, call, kind)
        };
        let scan = Scan {
            flags: scan.flags | flags | LINES,
            ..scan
        };
        let threads = (warps * LANES) as u32;
        let shared = match self.shape.stride {
            1 => 0,
            _ => 2 * threads * size_of::<O::Accumulator>() as u32,
        };
        let grid = (blocks as u32, parts as u32);
        let shape = LaunchShape::new(grid, threads).with_shared(shared);
        // SAFETY: the entry is a kernel of this operator (`ScanKernels`), whose parameters were
        // checked. Input and output hold the shape's elements and are borrowed, the latter
        // exclusively, or are the same; the totals have room for every line and part, and are this
        // plan's, which is borrowed exclusively. The grid is that of [`Shape`]. Every thread
        // waits for the launches before it before it reads or writes.
        unsafe {
            let config = LaunchConfig::new(shape).programmatic();
            let parameters = parameters(&scan);
            self.module.launch_raw(
                self.kernel.entry,
                config,
                &parameters[..launch::taken::<O>()],
            )
        }
    }
}

scans! { ScanKernels: AxisPlan<O> }

impl<O: ScanKernels> fmt::Debug for AxisPlan<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AxisPlan")
            .field("operator", &std::any::type_name::<O>())
            .field("shape", &self.shape)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dealt(lengths: &[usize], axis: usize) -> (u64, u64, u64) {
        let shape = Shape::new(lengths, axis, (8, 4)).unwrap();
        (shape.blocks, shape.warps, shape.parts)
    }

    #[test]
    fn short_lines_have_a_block_each_and_a_few_long_ones_launches_of_their_own() {
        assert_eq!(dealt(&[1000, 32], 1), (32, 8, 1));
        assert_eq!(dealt(&[1000, 512], 1), (125, 8, 1));
        assert_eq!(dealt(&[1000, 513], 1), (1000, 3, 1));
        assert_eq!(dealt(&[1000, 8192], 1), (1000, 32, 1));
        assert_eq!(dealt(&[1000, 1 << 20], 1), (1000, 8, 1));
        assert_eq!(dealt(&[200, 1 << 18], 1), (200, 32, 1));
        assert_eq!(dealt(&[4, 1 << 20], 1).2, 0);
        assert_eq!(dealt(&[5], 0), (1, 8, 1));
    }

    #[test]
    fn fewer_strips_have_more_warps_and_then_parts() {
        assert_eq!(dealt(&[1 << 14, 1 << 15], 0), (1024, 8, 1));
        assert_eq!(dealt(&[1 << 14, 1 << 14], 0), (512, 16, 1));
        assert_eq!(dealt(&[1 << 20, 256], 0), (8, 8, 132));
        // Too short to be cut, and to need so many warps.
        assert_eq!(dealt(&[10, 3], 0), (1, 1, 1));
        assert_eq!(dealt(&[7, 100, 40], 1), (14, 7, 1));
    }

    #[test]
    fn more_elements_than_memory_has_are_no_shape() {
        assert_eq!(Shape::new(&[1 << 40, 1 << 40], 0, (8, 4)), None);
        // What memory might have, and no grid has blocks for.
        assert!(dealt(&[1 << 40, 1, 2], 1).0 > MOST_BLOCKS);
    }
}
