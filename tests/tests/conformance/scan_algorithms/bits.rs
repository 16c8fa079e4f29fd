//! The association that the kernels state, walked through on the host.

use quadscan::scan::textbook::Algorithm;
use quadscan_kernels::operator::Sum;
use quadscan_kernels::scan::segment::Shape;
use quadscan_kernels::scan::status::GROUP;
use quadscan_tests::suite::{Bench, Outcome};

use super::scanner::{Asked, Scanner, scrambled};

/// The inclusive scan of at most 32 values of which everyone takes the one 1, 2, 4, 8, 16
/// before it.
fn lanes(values: &[f32]) -> Vec<f32> {
    let mut values = values.to_vec();
    for distance in [1, 2, 4, 8, 16] {
        let old = values.clone();
        for i in distance..values.len() {
            values[i] = old[i - distance] + old[i];
        }
    }
    values
}

/// The total of values in shares of `each`, which are added in order, and then as `lanes`.
fn total(values: &[f32], each: usize) -> f32 {
    let shares: Vec<f32> = values.chunks(each).map(in_order).collect();
    *lanes(&shares).last().expect("there are some")
}

fn in_order(values: &[f32]) -> f32 {
    values
        .iter()
        .copied()
        .reduce(|a, b| a + b)
        .expect("there are some")
}

/// The inclusive sum with the association that the kernels state.
fn as_stated(input: &[f32]) -> Vec<f32> {
    let shape = Shape::of::<Sum<f32>>();
    let (tile, segment) = (shape.elements() as usize, 32 * shape.items);
    let in_tile = |elements: &[f32]| {
        let segments: Vec<f32> = elements
            .chunks(segment)
            .map(|s| total(s, shape.items))
            .collect();
        lanes(&segments)
    };
    let totals: Vec<f32> = input
        .chunks(tile)
        .map(|elements| *in_tile(elements).last().expect("there are some"))
        .collect();
    let and = |base: Option<f32>, more: f32| Some(base.map_or(more, |base| base + more));
    let mut results = Vec::with_capacity(input.len());
    for (t, elements) in input.chunks(tile).enumerate() {
        let base = totals[..t]
            .chunks(GROUP as usize)
            .fold(None, |base, group| {
                and(base, total(group, GROUP as usize / 32))
            });
        let segments = in_tile(elements);
        for (s, elements) in elements.chunks(segment).enumerate() {
            let base = if s > 0 {
                and(base, segments[s - 1])
            } else {
                base
            };
            let shares: Vec<f32> = elements.chunks(shape.items).map(in_order).collect();
            let before = lanes(&shares);
            for (l, share) in elements.chunks(shape.items).enumerate() {
                let mut running = if l > 0 {
                    and(base, before[l - 1])
                } else {
                    base
                };
                for &element in share {
                    running = and(running, element);
                    results.extend(running);
                }
            }
        }
    }
    results
}

pub(crate) fn float_sums_have_the_bits_of_the_stated_association(bench: &Bench) -> Outcome {
    let tile = Shape::of::<Sum<f32>>().elements() as usize;
    // Tiles of one group; of two, the first tile of the second and one more.
    let sizes = [5 * tile + 1000, (GROUP as usize + 1) * tile + 1];
    let elements = scrambled(sizes[1]).into_iter();
    let input: Vec<f32> = elements.map(|bits| bits as f32 / 4e9 - 0.3).collect();
    for algorithm in [Algorithm::ReduceThenScan, Algorithm::DecoupledLookbackFixed] {
        let scanner = Scanner::new::<Sum<f32>>(bench, algorithm, "sum_f32", sizes[1])?;
        for n in sizes {
            let found = scanner.scan::<Sum<f32>, f32>(&input[..n], Asked::INCLUSIVE)?;
            let expected = as_stated(&input[..n]);
            let is_same = |i: &usize| found[*i].to_bits() == expected[*i].to_bits();
            let first = (0..n).find(|i| !is_same(i));
            assert_eq!(first, None, "{scanner:?}, {n} elements");
        }
    }
    Ok(())
}
