//! The published scans of whole arrays, against a sequential one of this file's own.
//!
//! Sums of integers wrap, so that every element counts; floats are small integers where
//! the association is open, and where it is stated it is walked through on the host.

mod bits;
mod scanner;

use std::fmt::Debug;

use bytemuck::Pod;
use quadscan::scan::textbook::Algorithm;
use quadscan_kernels::operator::{Affine, Compose, Operator, Sum};
use quadscan_kernels::scan::blelloch;
use quadscan_kernels::scan::segment::Shape;
use quadscan_kernels::scan::status::{GROUP, HEAD};
use quadscan_tests::suite::{Bench, Outcome};

pub(crate) use bits::float_sums_have_the_bits_of_the_stated_association;
use scanner::{Asked, Scanner, scrambled, sequential};

/// Every kernel that the algorithms launch.
const KERNELS: &[&str] = &[
    "decoupled_lookback_sum_u32",
    "decoupled_lookback_sum_f32",
    "decoupled_lookback_sum_f64",
    "decoupled_lookback_affine_f64",
    "decoupled_lookback_fixed_sum_u32",
    "decoupled_lookback_fixed_sum_f32",
    "decoupled_lookback_fixed_sum_f64",
    "decoupled_lookback_fixed_affine_f64",
    "reduce_then_scan_totals_sum_u32",
    "reduce_then_scan_totals_sum_f32",
    "reduce_then_scan_totals_sum_f64",
    "reduce_then_scan_totals_affine_f64",
    "reduce_then_scan_bases_sum_u32",
    "reduce_then_scan_bases_sum_f32",
    "reduce_then_scan_bases_sum_f64",
    "reduce_then_scan_bases_affine_f64",
    "reduce_then_scan_tiles_sum_u32",
    "reduce_then_scan_tiles_sum_f32",
    "reduce_then_scan_tiles_sum_f64",
    "reduce_then_scan_tiles_affine_f64",
    "device_blelloch_tiles_sum_u32",
    "device_blelloch_tiles_sum_f32",
    "device_blelloch_tiles_sum_f64",
    "device_blelloch_tiles_affine_f64",
    "device_blelloch_above_tiles_sum_u32",
    "device_blelloch_above_tiles_sum_f32",
    "device_blelloch_above_tiles_sum_f64",
    "device_blelloch_above_tiles_affine_f64",
    "device_blelloch_add_sum_u32",
    "device_blelloch_add_sum_f32",
    "device_blelloch_add_sum_f64",
    "device_blelloch_add_affine_f64",
    "device_blelloch_above_add_sum_u32",
    "device_blelloch_above_add_sum_f32",
    "device_blelloch_above_add_sum_f64",
    "device_blelloch_above_add_affine_f64",
    "device_hillis_steele_load_sum_u32",
    "device_hillis_steele_load_sum_f32",
    "device_hillis_steele_load_sum_f64",
    "device_hillis_steele_load_affine_f64",
    "device_hillis_steele_pass_sum_u32",
    "device_hillis_steele_pass_sum_f32",
    "device_hillis_steele_pass_sum_f64",
    "device_hillis_steele_pass_affine_f64",
    "device_hillis_steele_store_sum_u32",
    "device_hillis_steele_store_sum_f32",
    "device_hillis_steele_store_sum_f64",
    "device_hillis_steele_store_affine_f64",
];

/// Part of a warp and a warp, blocks of 256 and of 512, a power of ten.
const SIZES: &[usize] = &[
    0, 1, 2, 31, 32, 33, 255, 256, 257, 511, 512, 513, 1025, 10_000,
];

/// A tile, and those around it; several, the last cut short.
fn tiles<O: Operator>() -> [usize; 5] {
    let tile = Shape::of::<O>().elements() as usize;
    [tile - 1, tile, tile + 1, 2 * tile, 3 * tile + 17]
}

fn check_u32(scanner: &Scanner<'_>, n: usize, asked: Asked<u32>) -> Outcome {
    let input = scrambled(n);
    let found = scanner.scan::<Sum<u32>, u32>(&input, asked)?;
    let expected = sequential(&input, asked, u32::wrapping_add);
    let first = (0..n).find(|&i| found[i] != expected[i]);
    assert_eq!(first, None, "{scanner:?}, {n} elements, {asked:?}");
    Ok(())
}

pub(crate) fn the_published_scans_agree_with_a_sequential_one(bench: &Bench) -> Outcome {
    for algorithm in Algorithm::ALL {
        let sizes = SIZES.iter().copied().chain(tiles::<Sum<u32>>());
        let most = sizes.clone().max().unwrap_or_default();
        let scanner = Scanner::new::<Sum<u32>>(bench, algorithm, "sum_u32", most)?;
        for n in sizes {
            check_u32(&scanner, n, Asked::INCLUSIVE)?;
        }
    }
    Ok(())
}

pub(crate) fn they_scan_as_they_are_asked_to_at_any_address(bench: &Bench) -> Outcome {
    let initial = 0x9e37_79b9;
    let inclusive = Asked {
        initial: Some(initial),
        ..Asked::INCLUSIVE
    };
    let exclusive = Asked::exclusive(initial);
    for algorithm in Algorithm::ALL {
        let sizes = [1, 513, tiles::<Sum<u32>>()[0], tiles::<Sum<u32>>()[2]];
        let scanner =
            Scanner::new::<Sum<u32>>(bench, algorithm, "sum_u32", tiles::<Sum<u32>>()[2])?;
        for n in sizes {
            for asked in [Asked::INCLUSIVE, inclusive, exclusive] {
                for (in_place, offset) in [
                    (false, (0, 0)),
                    (false, (1, 0)),
                    (false, (0, 3)),
                    (false, (1, 1)),
                    (true, (0, 0)),
                    (true, (1, 1)),
                ] {
                    let asked = Asked {
                        in_place,
                        offset,
                        ..asked
                    };
                    check_u32(&scanner, n, asked)?;
                }
            }
        }
    }
    Ok(())
}

/// Sums of small integers, which floats have exactly.
fn check_floats<O, T>(
    scanner: &Scanner<'_>,
    n: usize,
    of: fn(i32) -> T,
    plus: fn(T, T) -> T,
) -> Outcome
where
    O: Operator<Input = T, Accumulator = T, Output = T>,
    T: Pod + PartialEq + Debug,
{
    let bits = scrambled(n).into_iter();
    let input: Vec<T> = bits.map(|bits| of((bits >> 24) as i32 - 128)).collect();
    for asked in [Asked::INCLUSIVE, Asked::exclusive(of(7))] {
        let found = scanner.scan::<O, T>(&input, asked)?;
        let expected = sequential(&input, asked, plus);
        assert!(found == expected, "{scanner:?}, {n} elements, {asked:?}");
    }
    Ok(())
}

fn check_f32(scanner: &Scanner<'_>, n: usize) -> Outcome {
    check_floats::<Sum<f32>, f32>(scanner, n, |i| i as f32, |a, b| a + b)
}

fn check_f64(scanner: &Scanner<'_>, n: usize) -> Outcome {
    check_floats::<Sum<f64>, f64>(scanner, n, f64::from, |a, b| a + b)
}

pub(crate) fn they_add_floats_exactly_where_sums_are_exact(bench: &Bench) -> Outcome {
    for algorithm in Algorithm::ALL {
        let [.., above, _, most] = tiles::<Sum<u32>>();
        let f32s = Scanner::new::<Sum<f32>>(bench, algorithm, "sum_f32", most)?;
        let f64s = Scanner::new::<Sum<f64>>(bench, algorithm, "sum_f64", most)?;
        for n in [33, above, most] {
            check_f32(&f32s, n)?;
            check_f64(&f64s, n)?;
        }
    }
    Ok(())
}

/// One map after the other.
fn then(first: Affine, second: Affine) -> Affine {
    Affine {
        a: second.a * first.a,
        b: second.a * first.b + second.b,
    }
}

fn check_affine(scanner: &Scanner<'_>, n: usize) -> Outcome {
    // Slopes of 1 and -1, so that all compositions are exact.
    let map = |bits: u32| Affine {
        a: if bits >> 31 == 0 { 1.0 } else { -1.0 },
        b: f64::from((bits >> 20) % 16),
    };
    let input: Vec<Affine> = scrambled(n).into_iter().map(map).collect();
    for asked in [
        Asked::INCLUSIVE,
        Asked::exclusive(Affine { a: -1.0, b: 5.0 }),
    ] {
        for offset in [(0, 0), (1, 0)] {
            let asked = Asked { offset, ..asked };
            let found = scanner.scan::<Compose, Affine>(&input, asked)?;
            let expected = sequential(&input, asked, then);
            let first = (0..n).find(|&i| found[i] != expected[i]);
            assert_eq!(first, None, "{scanner:?}, {n} elements, {asked:?}");
        }
    }
    Ok(())
}

pub(crate) fn they_keep_the_order_of_elements_that_do_not_commute(bench: &Bench) -> Outcome {
    let [.., above, _, most] = tiles::<Compose>();
    // More tiles than a warp looks back at in one go, and than two groups have.
    let many = (2 * GROUP as usize + 3) * tiles::<Compose>()[1] + 1;
    for algorithm in Algorithm::ALL {
        let scanner = Scanner::new::<Compose>(bench, algorithm, "affine_f64", many)?;
        for n in [33, 700, above, most] {
            check_affine(&scanner, n)?;
        }
        if !matches!(algorithm, Algorithm::HillisSteele | Algorithm::Blelloch) {
            check_affine(&scanner, many)?;
        }
    }
    Ok(())
}

pub(crate) fn trees_of_several_levels_are_scanned(bench: &Bench) -> Outcome {
    // Three levels: the second has more elements than a tile.
    let n = (blelloch::TILE * (blelloch::TILE + 2) + 5) as usize;
    let tree = Algorithm::Blelloch;
    let u32s = Scanner::new::<Sum<u32>>(bench, tree, "sum_u32", n)?;
    check_u32(&u32s, n, Asked::exclusive(3))?;
    check_u32(&u32s, n, Asked::INCLUSIVE)?;
    check_f32(&Scanner::new::<Sum<f32>>(bench, tree, "sum_f32", n)?, n)?;
    check_f64(&Scanner::new::<Sum<f64>>(bench, tree, "sum_f64", n)?, n)?;
    check_affine(&Scanner::new::<Compose>(bench, tree, "affine_f64", n)?, n)
}

pub(crate) fn tags_begin_again_after_the_last_and_nothing_old_is_left(bench: &Bench) -> Outcome {
    let [_, tile, _, _, most] = tiles::<Sum<u32>>();
    for algorithm in [
        Algorithm::DecoupledLookback,
        Algorithm::DecoupledLookbackFixed,
    ] {
        let mut scanner = Scanner::new::<Sum<u32>>(bench, algorithm, "sum_u32", most)?;
        // The counter is two launches before the end of a cycle; all other words are
        // wrong totals of launch 3 of the last.
        let mut words = vec![3 << 32 | 12345; scanner.scratch.len()];
        words[0] = (u64::from(u32::MAX) - 2) << 32;
        scanner.scratch.copy_from(&words)?;
        for _ in 0..4 {
            check_u32(&scanner, tile, Asked::INCLUSIVE)?;
        }
        let words = scanner.scratch.to_vec()?;
        assert_eq!(words[0], 2 << 32, "{scanner:?}: launches in this cycle");
        let old = words[HEAD as usize..]
            .iter()
            .position(|word| word >> 32 == 3);
        assert_eq!(old, None, "{scanner:?} will believe a word");
        check_u32(&scanner, most, Asked::INCLUSIVE)?;
    }
    Ok(())
}

pub(crate) fn their_kernels_are_in_the_module(bench: &Bench) -> Outcome {
    let manifest = bench.module.manifest().ok_or("no manifest")?;
    for kernel in KERNELS {
        assert!(manifest.kernel(kernel).is_some(), "{kernel}");
    }
    Ok(())
}
