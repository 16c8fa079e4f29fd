//! In which order scans combine: walked through on the host as the kernels' files state it,
//! and compared bit for bit, with elements whose combinations round at almost every step:
//! sums of floats, and affine maps, which do not commute and which every algorithm scans.
//!
//! Written from the documents of `quadscan_kernels::scan` and not from its code; only the
//! numbers of warps, rows and elements are taken from there.

use quadscan::device::Module;
use quadscan::scan::{Affine, Algorithm, Compose, Operator, Options, Plan, ScanKernels, Sum};
use quadscan_kernels::scan::shape::Registers;
use quadscan_kernels::scan::sizes;
use quadscan_tests::suite::{Bench, Outcome};

use crate::scan::bits::rounding;
use crate::scan::kernels;

/// An operator, and elements whose combinations round.
trait Rounding:
    ScanKernels + Operator<Input = Self::Element, Accumulator = Self::Element, Output = Self::Element>
{
    type Element: bytemuck::Pod;

    fn elements(n: usize) -> Vec<Self::Element>;

    /// What stands before the first element.
    fn initials() -> [Self::Element; 2];
}

impl Rounding for Sum<f32> {
    type Element = f32;

    fn elements(n: usize) -> Vec<f32> {
        rounding(n)
    }

    fn initials() -> [f32; 2] {
        [0.3, -1.7]
    }
}

impl Rounding for Compose {
    type Element = Affine;

    /// Factors are next to 1, so that products stay finite.
    fn elements(n: usize) -> Vec<Affine> {
        let numbers = rounding(2 * n);
        let map = |two: &[f32]| Affine {
            a: 1.0 + f64::from(two[0]) / 10_f64.powi(8),
            b: f64::from(two[1]) / 3.0,
        };
        numbers.chunks(2).map(map).collect()
    }

    fn initials() -> [Affine; 2] {
        [(0.7, 0.3), (-1.1, -1.7)].map(|(a, b)| Affine { a, b })
    }
}

/// Tiles whose totals are combined in one go.
const GROUP: usize = 128;

/// Lanes of a warp.
const LANES: usize = 32;

/// Lanes that share a group of tiles, so many neighbours each.
const OF_GROUP: usize = GROUP / LANES;

/// A tile: its warps have rows, in which lanes have neighbouring elements. A segment is a
/// warp's part with one row.
#[derive(Clone, Copy, Debug)]
struct Layout {
    warps: usize,
    rows: usize,
    each: usize,
}

impl Layout {
    /// That of an algorithm whose association is stated.
    fn of<O: Operator>(algorithm: Algorithm) -> Option<Self> {
        let registers = |of: Registers| Layout {
            warps: of.warps,
            rows: of.rows,
            each: of.each,
        };
        match algorithm {
            Algorithm::OneBlock => Some(registers(sizes::one_block::<O>())),
            Algorithm::OneWaveSmall => Some(registers(sizes::one_wave_small::<O>())),
            Algorithm::OneWave => Some(registers(sizes::one_wave::<O>())),
            Algorithm::LookAhead
            | Algorithm::DecoupledLookbackFixed
            | Algorithm::ReduceThenScan => {
                let of = sizes::lookahead::<O>();
                Some(Layout {
                    warps: of.workers,
                    rows: 1,
                    each: of.items,
                })
            }
            Algorithm::DecoupledLookback | Algorithm::HillisSteele | Algorithm::Blelloch => None,
        }
    }

    fn row(&self) -> usize {
        LANES * self.each
    }

    fn warp(&self) -> usize {
        self.rows * self.row()
    }

    fn tile(&self) -> usize {
        self.warps * self.warp()
    }

    /// The total of a warp's elements: its rows in order.
    fn of_warp<O: Rounding>(&self, elements: &[O::Element]) -> O::Element {
        let rows = elements.chunks(self.row());
        in_order::<O>(rows.map(|row| total::<O>(row, self.each)))
    }

    /// The totals of a tile's warps, each with all warps before it.
    fn of_warps<O: Rounding>(&self, elements: &[O::Element]) -> Vec<O::Element> {
        let warps = elements.chunks(self.warp());
        passes::<O>(warps.map(|warp| self.of_warp::<O>(warp)).collect())
    }
}

/// Everyone takes the value 1, 2, 4, 8, 16 before it.
fn passes<O: Rounding>(mut values: Vec<O::Element>) -> Vec<O::Element> {
    for distance in [1, 2, 4, 8, 16] {
        pass::<O>(&mut values, distance);
    }
    values
}

fn pass<O: Rounding>(values: &mut [O::Element], distance: usize) {
    for i in (distance..values.len()).rev() {
        values[i] = O::combine(values[i - distance], values[i]);
    }
}

fn in_order<O: Rounding>(values: impl Iterator<Item = O::Element>) -> O::Element {
    values.reduce(O::combine).expect("there are some")
}

/// Values in shares of `each`, which are combined in order, the shares by passes.
fn shares<O: Rounding>(values: &[O::Element], each: usize) -> Vec<O::Element> {
    let shares = values
        .chunks(each)
        .map(|s| in_order::<O>(s.iter().copied()));
    passes::<O>(shares.collect())
}

fn total<O: Rounding>(values: &[O::Element], each: usize) -> O::Element {
    *shares::<O>(values, each).last().expect("there are some")
}

/// What stands before, if anything does, and more.
fn and<O: Rounding>(before: Option<O::Element>, more: O::Element) -> Option<O::Element> {
    Some(before.map_or(more, |before| O::combine(before, more)))
}

/// What a scan is asked for: inclusive, the same behind an initial value, and exclusive.
#[derive(Clone, Copy, Debug)]
enum Asked {
    Inclusive,
    InclusiveWith,
    Exclusive,
}

const ASKED: [Asked; 3] = [Asked::Inclusive, Asked::InclusiveWith, Asked::Exclusive];

impl Asked {
    fn initial<O: Rounding>(self) -> Option<O::Element> {
        match self {
            Self::Inclusive => None,
            Self::InclusiveWith => Some(O::initials()[0]),
            Self::Exclusive => Some(O::initials()[1]),
        }
    }
}

/// The scan with the association that is stated.
fn as_stated<O: Rounding>(layout: Layout, input: &[O::Element], asked: Asked) -> Vec<O::Element> {
    let tiles = input.chunks(layout.tile());
    let of_warps: Vec<Vec<_>> = tiles.map(|tile| layout.of_warps::<O>(tile)).collect();
    let totals: Vec<_> = of_warps.iter().filter_map(|t| t.last().copied()).collect();
    let mut results = Vec::with_capacity(input.len());
    for (t, tile) in input.chunks(layout.tile()).enumerate() {
        let groups = totals[..t].chunks(GROUP);
        let before = groups.fold(asked.initial::<O>(), |before, group| {
            and::<O>(before, total::<O>(group, OF_GROUP))
        });
        for (w, warp) in tile.chunks(layout.warp()).enumerate() {
            let before = match w {
                0 => before,
                _ => and::<O>(before, of_warps[t][w - 1]),
            };
            scan_warp::<O>(layout, warp, before, asked, &mut results);
        }
    }
    results
}

/// The rows of a warp one after the other, behind what stands before it.
fn scan_warp<O: Rounding>(
    layout: Layout,
    warp: &[O::Element],
    before: Option<O::Element>,
    asked: Asked,
    results: &mut Vec<O::Element>,
) {
    let mut before = before;
    for row in warp.chunks(layout.row()) {
        let lanes = shares::<O>(row, layout.each);
        for (l, share) in row.chunks(layout.each).enumerate() {
            let mut running = match l {
                0 => before,
                _ => and::<O>(before, lanes[l - 1]),
            };
            for &element in share {
                let with = and::<O>(running, element);
                results.extend(match asked {
                    Asked::Exclusive => running,
                    _ => with,
                });
                running = with;
            }
        }
        before = and::<O>(before, lanes[lanes.len() - 1]);
    }
}

/// Fails with the first result that has not the expected bits.
fn compare<O: Rounding>(
    module: &Module,
    options: Options,
    input: &[O::Element],
    asked: Asked,
    expected: &[O::Element],
) -> Outcome {
    let mut plan = Plan::<O>::with(module, input.len() as u64, options)?;
    let mut data = module.device().upload(input)?;
    match (asked, asked.initial::<O>()) {
        (Asked::Exclusive, Some(initial)) => plan.exclusive_with_in_place(initial, &mut data)?,
        (_, Some(initial)) => plan.inclusive_with_in_place(initial, &mut data)?,
        (_, None) => plan.inclusive_in_place(&mut data)?,
    }
    let found = data.to_vec()?;
    assert_eq!(found.len(), expected.len());
    let differs = |(found, expected): (&O::Element, &O::Element)| {
        bytemuck::bytes_of(found) != bytemuck::bytes_of(expected)
    };
    let first = found.iter().zip(expected).position(differs);
    let (name, n) = (std::any::type_name::<O>(), input.len());
    assert_eq!(first, None, "{name}, {options:?}, {n} elements, {asked:?}");
    Ok(())
}

/// The bounds of blocks that a scan is tried with: of persistent blocks the result must not
/// depend on how many there are.
fn bounds(algorithm: Algorithm) -> &'static [Option<u32>] {
    match algorithm {
        Algorithm::LookAhead => &[None, Some(1), Some(2), Some(3), Some(7)],
        _ => &[None],
    }
}

pub(crate) fn results_have_the_bits_of_the_stated_association(bench: &Bench) -> Outcome {
    stated::<Sum<f32>>(bench)?;
    stated::<Compose>(bench)
}

fn stated<O: Rounding>(bench: &Bench) -> Outcome {
    for kernel in kernels::<O>(&bench.module) {
        let Some(layout) = Layout::of::<O>(kernel.algorithm) else {
            continue;
        };
        let (each, row, tile) = (layout.each, layout.row(), layout.tile());
        // One element; a lane's, a row's, a warp's, a tile's and those around; several
        // tiles, the last cut short in a lane of a warp.
        let sizes = [
            1,
            each + 1,
            row - 1,
            row,
            row + 1,
            layout.warp() + 1,
            tile - 1,
            tile,
            tile + 1,
            5 * tile + 2 * row + each + 1,
        ];
        let most = kernel.capacity() as usize;
        let input = O::elements(most.min(sizes[9]));
        for n in sizes.into_iter().filter(|&n| n <= most) {
            for asked in ASKED {
                let expected = as_stated::<O>(layout, &input[..n], asked);
                // A tile alone is the same on every grid.
                let bounds = bounds(kernel.algorithm);
                for &max_blocks in if n > tile { bounds } else { &bounds[..1] } {
                    let options = Options {
                        algorithm: Some(kernel.algorithm),
                        max_blocks,
                        ..Options::default()
                    };
                    compare::<O>(&bench.module, options, &input[..n], asked, &expected)?;
                }
            }
        }
    }
    Ok(())
}

/// More tiles than are combined in one go: the first of the second group, and one more.
pub(crate) fn groups_of_tiles_are_combined_in_the_stated_order(bench: &Bench) -> Outcome {
    // The others look at groups by the same code as one of these.
    groups::<Sum<f32>>(bench, &[Algorithm::OneWaveSmall, Algorithm::LookAhead])?;
    let back = [Algorithm::DecoupledLookbackFixed, Algorithm::ReduceThenScan];
    groups::<Compose>(bench, &back)
}

fn groups<O: Rounding>(bench: &Bench, algorithms: &[Algorithm]) -> Outcome {
    let tried = |of: &Algorithm| algorithms.contains(of);
    let kernels = kernels::<O>(&bench.module).map(|kernel| kernel.algorithm);
    for algorithm in kernels.filter(tried) {
        let Some(layout) = Layout::of::<O>(algorithm) else {
            continue;
        };
        let options = Options {
            algorithm: Some(algorithm),
            ..Options::default()
        };
        let input = O::elements((GROUP + 1) * layout.tile() + 1);
        let expected = as_stated::<O>(layout, &input, Asked::Inclusive);
        compare::<O>(&bench.module, options, &input, Asked::Inclusive, &expected)?;
    }
    Ok(())
}

/// The naive scan's association is that of its passes over the whole array.
pub(crate) fn the_naive_scan_has_the_bits_of_its_passes(bench: &Bench) -> Outcome {
    let options = Options {
        algorithm: Some(Algorithm::HillisSteele),
        ..Options::default()
    };
    for n in [1, 2, 33, 1000] {
        let input = Compose::elements(n);
        let mut values = input.clone();
        let distances = std::iter::successors(Some(1), |d| Some(2 * d));
        for distance in distances.take_while(|&d| d < n) {
            pass::<Compose>(&mut values, distance);
        }
        compare::<Compose>(&bench.module, options, &input, Asked::Inclusive, &values)?;
    }
    Ok(())
}
