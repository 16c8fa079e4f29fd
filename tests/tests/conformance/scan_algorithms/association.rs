//! In which order scans combine: walked through on the host as the kernels' files state it,
//! and compared bit for bit, with numbers whose sums round at almost every step.
//!
//! Written from the documents of `quadscan_kernels::scan` and not from its code; only the
//! numbers of warps, rows and elements are taken from there.

use quadscan::device::{Device, Module};
use quadscan::scan::{Algorithm, Options, Plan, Sum};
use quadscan_kernels::scan::sizes;
use quadscan_tests::suite::{Bench, Outcome};

use crate::scan::bits::rounding;
use crate::scan::kernels;

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
    fn of(algorithm: Algorithm) -> Option<Self> {
        let registers = |of: sizes::Registers| Layout {
            warps: of.warps,
            rows: of.rows,
            each: of.each,
        };
        match algorithm {
            Algorithm::OneBlock => Some(registers(sizes::one_block::<Sum<f32>>())),
            Algorithm::OneWaveSmall => Some(registers(sizes::one_wave_small::<Sum<f32>>())),
            Algorithm::OneWave => Some(registers(sizes::one_wave::<Sum<f32>>())),
            Algorithm::LookAhead
            | Algorithm::LookAheadShifted
            | Algorithm::DecoupledLookbackFixed
            | Algorithm::ReduceThenScan => {
                let of = sizes::lookahead::<Sum<f32>>();
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
    fn of_warp(&self, elements: &[f32]) -> f32 {
        let rows = elements.chunks(self.row()).map(|row| total(row, self.each));
        in_order(rows)
    }

    /// The totals of a tile's warps, each with all warps before it.
    fn of_warps(&self, elements: &[f32]) -> Vec<f32> {
        let warps = elements.chunks(self.warp()).map(|warp| self.of_warp(warp));
        passes(warps.collect())
    }
}

/// Everyone takes the value 1, 2, 4, 8, 16 before it.
fn passes(mut values: Vec<f32>) -> Vec<f32> {
    for distance in [1, 2, 4, 8, 16] {
        let old = values.clone();
        for i in distance..values.len() {
            values[i] = old[i - distance] + old[i];
        }
    }
    values
}

fn in_order(values: impl Iterator<Item = f32>) -> f32 {
    values.reduce(|a, b| a + b).expect("there are some")
}

/// Values in shares of `each`, which are added in order, the shares by passes.
fn shares(values: &[f32], each: usize) -> Vec<f32> {
    let shares = values.chunks(each).map(|s| in_order(s.iter().copied()));
    passes(shares.collect())
}

fn total(values: &[f32], each: usize) -> f32 {
    *shares(values, each).last().expect("there are some")
}

/// What stands before, if anything does, and more.
fn and(before: Option<f32>, more: f32) -> Option<f32> {
    Some(before.map_or(more, |before| before + more))
}

/// What a scan is asked for.
#[derive(Clone, Copy, Debug)]
struct Asked {
    initial: Option<f32>,
    is_exclusive: bool,
}

/// Inclusive, the same behind a number, and exclusive.
const ASKED: [Asked; 3] = [
    Asked {
        initial: None,
        is_exclusive: false,
    },
    Asked {
        initial: Some(0.3),
        is_exclusive: false,
    },
    Asked {
        initial: Some(-1.7),
        is_exclusive: true,
    },
];

/// The scan with the association that is stated.
fn as_stated(layout: Layout, input: &[f32], asked: Asked) -> Vec<f32> {
    let tiles = input.chunks(layout.tile());
    let of_warps: Vec<Vec<f32>> = tiles.map(|tile| layout.of_warps(tile)).collect();
    let totals: Vec<f32> = of_warps.iter().filter_map(|t| t.last().copied()).collect();
    let mut results = Vec::with_capacity(input.len());
    for (t, tile) in input.chunks(layout.tile()).enumerate() {
        let groups = totals[..t].chunks(GROUP);
        let before = groups.fold(asked.initial, |before, group| {
            and(before, total(group, OF_GROUP))
        });
        for (w, warp) in tile.chunks(layout.warp()).enumerate() {
            let before = match w {
                0 => before,
                _ => and(before, of_warps[t][w - 1]),
            };
            scan_warp(layout, warp, before, asked.is_exclusive, &mut results);
        }
    }
    results
}

/// The rows of a warp one after the other, behind what stands before it.
fn scan_warp(
    layout: Layout,
    warp: &[f32],
    before: Option<f32>,
    is_exclusive: bool,
    results: &mut Vec<f32>,
) {
    let mut before = before;
    for row in warp.chunks(layout.row()) {
        let lanes = shares(row, layout.each);
        for (l, share) in row.chunks(layout.each).enumerate() {
            let mut running = match l {
                0 => before,
                _ => and(before, lanes[l - 1]),
            };
            for &element in share {
                let with = and(running, element);
                results.extend(if is_exclusive { running } else { with });
                running = with;
            }
        }
        before = and(before, lanes[lanes.len() - 1]);
    }
}

fn scan(
    module: &Module,
    options: Options,
    input: &[f32],
    asked: Asked,
) -> quadscan::Result<Vec<f32>> {
    let device: &Device = module.device();
    let mut plan = Plan::<Sum<f32>>::with(module, input.len() as u64, options)?;
    let mut data = device.upload(input)?;
    match (asked.initial, asked.is_exclusive) {
        (Some(initial), true) => plan.exclusive_with_in_place(initial, &mut data)?,
        (Some(initial), false) => plan.inclusive_with_in_place(initial, &mut data)?,
        (None, _) => plan.inclusive_in_place(&mut data)?,
    }
    data.to_vec()
}

fn compare(
    module: &Module,
    options: Options,
    layout: Layout,
    input: &[f32],
    asked: Asked,
) -> Outcome {
    let found = scan(module, options, input, asked)?;
    let expected = as_stated(layout, input, asked);
    assert_eq!(found.len(), expected.len());
    let differs = |(found, expected): (&f32, &f32)| found.to_bits() != expected.to_bits();
    let first = found.iter().zip(&expected).position(differs);
    let n = input.len();
    assert_eq!(first, None, "{options:?}, {n} elements, {asked:?}");
    Ok(())
}

/// The bounds of blocks that a scan is tried with: of persistent blocks the result must not
/// depend on how many there are.
fn bounds(algorithm: Algorithm) -> &'static [Option<u32>] {
    match algorithm {
        Algorithm::LookAhead | Algorithm::LookAheadShifted => {
            &[None, Some(1), Some(2), Some(3), Some(7)]
        }
        _ => &[None],
    }
}

pub(crate) fn float_sums_have_the_bits_of_the_stated_association(bench: &Bench) -> Outcome {
    for kernel in kernels::<Sum<f32>>(&bench.module) {
        let Some(layout) = Layout::of(kernel.algorithm) else {
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
        let input = rounding(most.min(sizes[9]));
        for n in sizes.into_iter().filter(|&n| n <= most) {
            for &max_blocks in bounds(kernel.algorithm) {
                let options = Options {
                    algorithm: Some(kernel.algorithm),
                    max_blocks: max_blocks.filter(|_| n > tile),
                    ..Options::default()
                };
                // A tile alone is the same on every grid.
                if max_blocks.is_some() && n <= tile {
                    continue;
                }
                for asked in ASKED {
                    compare(&bench.module, options, layout, &input[..n], asked)?;
                }
            }
        }
    }
    Ok(())
}

/// More tiles than are combined in one go: the first of the second group, and one more.
pub(crate) fn groups_of_tiles_are_combined_in_the_stated_order(bench: &Bench) -> Outcome {
    for kernel in kernels::<Sum<f32>>(&bench.module) {
        // The others look at groups by the same code as one of these.
        let is_tried = matches!(
            kernel.algorithm,
            Algorithm::OneWaveSmall
                | Algorithm::LookAhead
                | Algorithm::DecoupledLookbackFixed
                | Algorithm::ReduceThenScan
        );
        let layout = Layout::of(kernel.algorithm).filter(|_| is_tried);
        let Some(layout) = layout else { continue };
        let options = Options {
            algorithm: Some(kernel.algorithm),
            ..Options::default()
        };
        let n = (GROUP + 1) * layout.tile() + 1;
        let input = rounding(n);
        compare(&bench.module, options, layout, &input, ASKED[0])?;
    }
    Ok(())
}

/// The naive scan's association is that of its passes over the whole array.
pub(crate) fn naive_float_sums_have_the_bits_of_their_passes(bench: &Bench) -> Outcome {
    let options = Options {
        algorithm: Some(Algorithm::HillisSteele),
        ..Options::default()
    };
    for n in [1, 2, 33, 1000] {
        let input = rounding(n);
        let mut values = input.clone();
        let distances = std::iter::successors(Some(1), |d| Some(2 * d));
        for distance in distances.take_while(|&d| d < n) {
            let old = values.clone();
            for i in distance..n {
                values[i] = old[i - distance] + old[i];
            }
        }
        let found = scan(&bench.module, options, &input, ASKED[0])?;
        let bits = |values: &[f32]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&found), bits(&values), "{n} elements");
    }
    Ok(())
}
