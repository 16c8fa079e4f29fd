//! Reductions: one element after the other, and in the association that the kernels
//! document, so that floats can be compared to the last bit.
//!
//! Written from `kernels-crate`'s module documentation of `reduce`, on whole vectors of
//! values: no lane, no shuffle, no padding.

use quadscan_kernels::operator::Operator;
use quadscan_kernels::reduce::ReduceKernels;

/// Lanes of a warp.
const LANES: usize = 32;

/// Totals of blocks that a warp combines in one go, a lane four of them.
const GROUP: usize = 128;

/// All elements combined, one after the other; `None` of none.
pub fn sequential<O: Operator>(elements: &[O::Input]) -> Option<O::Accumulator> {
    let values = elements.iter().map(|&element| O::transform(element));
    values.reduce(O::combine)
}

/// Into how many blocks the kernel of small arrays takes so many elements: one, while its
/// warps have a tile each; else blocks of 8, 16 or 32 warps, as few warps as make no more
/// than 128 blocks. `None` for more elements than that.
pub fn blocks_of_one_wave<O: ReduceKernels>(elements: usize) -> Option<usize> {
    let tiles = elements.div_ceil(O::ONE_WAVE.tile as usize);
    if tiles <= 32 {
        return Some(tiles.min(1));
    }
    let blocks = [8, 16, 32].map(|warps| tiles.div_ceil(warps));
    blocks.into_iter().find(|&blocks| blocks <= 128)
}

/// What the kernel of small arrays makes of one, with as many warps a block as for
/// `capacity` elements, which it takes.
pub fn one_wave<O: ReduceKernels>(
    elements: &[O::Input],
    capacity: usize,
) -> Option<O::Accumulator> {
    let tiles = capacity.div_ceil(O::ONE_WAVE.tile as usize);
    let blocks = blocks_of_one_wave::<O>(capacity)?;
    let warps = if blocks <= 1 {
        32
    } else {
        let mut warps = [8, 16, 32].into_iter();
        warps.find(|warps| tiles.div_ceil(*warps) == blocks)?
    };
    of_grid::<O>(elements, O::ONE_WAVE.tile, warps, usize::MAX)
}

/// What the kernel of any array makes of it, on up to so many blocks.
pub fn device<O: ReduceKernels>(elements: &[O::Input], most: usize) -> Option<O::Accumulator> {
    let warps = O::DEVICE.warps as usize;
    of_grid::<O>(elements, O::DEVICE.tile, warps, most)
}

/// What up to so many blocks make of an array.
fn of_grid<O: Operator>(
    elements: &[O::Input],
    tile: u64,
    warps: usize,
    most: usize,
) -> Option<O::Accumulator> {
    let blocks = blocks::<O>(elements, tile, warps, most);
    let [block] = blocks[..] else {
        let groups = blocks.chunks(GROUP).map(|group| {
            let lanes = group.chunks(GROUP / LANES);
            let lanes: Vec<_> = lanes.filter_map(in_order::<O>).collect();
            scanned::<O>(lanes)
        });
        return in_pairs::<O>(groups.flatten().collect());
    };
    Some(block)
}

/// The totals of the blocks that have tiles.
fn blocks<O: Operator>(
    elements: &[O::Input],
    tile: u64,
    warps: usize,
    most: usize,
) -> Vec<O::Accumulator> {
    let each = elements_of_a_lane(size_of::<O::Input>());
    let tiles: Vec<_> = elements.chunks(tile as usize).collect();
    let parts = most.min(tiles.len().div_ceil(warps)) * warps;
    let mut totals = Vec::new();
    let mut rest = &tiles[..];
    for part in 0..parts {
        let (own, others) =
            rest.split_at(tiles.len() / parts + usize::from(part < tiles.len() % parts));
        rest = others;
        let own: Vec<_> = own
            .iter()
            .filter_map(|tile| of_tile::<O>(tile, each))
            .collect();
        totals.push(in_order::<O>(&own));
    }
    let blocks = totals.chunks(warps);
    let blocks = blocks.map(|block| in_pairs::<O>(block.iter().flatten().copied().collect()));
    blocks.flatten().collect()
}

/// Elements of a vector of 16 bytes, or of three where one holds no whole number.
fn elements_of_a_lane(size: usize) -> usize {
    if 16 % size == 0 { 16 / size } else { 48 / size }
}

/// A tile: lanes in order, then pairs of lanes in every row, then pairs of rows.
fn of_tile<O: Operator>(elements: &[O::Input], each: usize) -> Option<O::Accumulator> {
    let rows = elements.chunks(each * LANES).map(|row| {
        let lanes = row.chunks(each).filter_map(sequential::<O>);
        in_pairs::<O>(lanes.collect())
    });
    in_pairs::<O>(rows.flatten().collect())
}

fn in_order<O: Operator>(values: &[O::Accumulator]) -> Option<O::Accumulator> {
    values.iter().copied().reduce(O::combine)
}

/// Neighbours combined, then neighbouring pairs, and so on.
fn in_pairs<O: Operator>(mut values: Vec<O::Accumulator>) -> Option<O::Accumulator> {
    while values.len() > 1 {
        let pairs = values.chunks(2);
        values = pairs.filter_map(in_order::<O>).collect();
    }
    values.pop()
}

/// The last value of the inclusive scan of Hillis and Steele.
fn scanned<O: Operator>(mut values: Vec<O::Accumulator>) -> Option<O::Accumulator> {
    for step in 0..LANES.ilog2() {
        let delta = 1 << step;
        for i in (delta..values.len()).rev() {
            values[i] = O::combine(values[i - delta], values[i]);
        }
    }
    values.pop()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadscan_kernels::operator::Sum;

    #[test]
    fn sums_that_are_exact_do_not_depend_on_the_association() {
        for n in [0, 1, 31, 1000, 100_000] {
            let numbers: Vec<u32> = (0..n).map(|i: u32| i.wrapping_mul(i) + 1).collect();
            let sum = (n > 0).then(|| numbers.iter().fold(0u32, |a, &b| a.wrapping_add(b)));
            assert_eq!(sequential::<Sum<u32>>(&numbers), sum, "{n}");
            assert_eq!(one_wave::<Sum<u32>>(&numbers, numbers.len()), sum, "{n}");
            for blocks in [1, 3, 200] {
                assert_eq!(device::<Sum<u32>>(&numbers, blocks), sum, "{n}");
            }
        }
    }

    #[test]
    fn pairs_are_neighbours_and_a_scan_keeps_the_order() {
        // Floats of which a sum in another order is another one: 2^24 swallows a one.
        let numbers = vec![16_777_216.0, 1.0, 1.0];
        assert_eq!(
            in_pairs::<Sum<f32>>(numbers.clone()),
            Some(16_777_216.0 + 1.0 + 1.0)
        );
        assert_eq!(
            in_pairs::<Sum<f32>>(vec![1.0, 1.0, 16_777_216.0]),
            Some(16_777_218.0)
        );
        assert_eq!(
            scanned::<Sum<f32>>(vec![16_777_216.0, 1.0, 1.0]),
            Some(16_777_218.0)
        );
    }
}
