//! The published scans of whole arrays, against a sequential one of this file's own.
//!
//! Sums of integers wrap, so that every element counts; floats are small integers where
//! the association is open, and where it is stated it is walked through on the host.

use std::fmt::Debug;

use bytemuck::Pod;
use quadscan::device::Buffer;
use quadscan::scan::textbook::{Algorithm, Scan};
use quadscan_kernels::operator::{Affine, Compose, Operator, Sum};
use quadscan_kernels::scan::segment::Shape;
use quadscan_kernels::scan::status::{GROUP, HEAD};
use quadscan_kernels::scan::{EXCLUSIVE, HAS_INITIAL, blelloch};
use quadscan_tests::suite::{Bench, Outcome};

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

/// Elements around an output that nobody writes.
const GUARD: usize = 4;

/// Part of a warp and a warp, blocks of 256 and of 512, a power of ten.
const SIZES: &[usize] = &[
    0, 1, 2, 31, 32, 33, 255, 256, 257, 511, 512, 513, 1025, 10_000,
];

/// A tile, and those around it; several, the last cut short.
fn tiles<O: Operator>() -> [usize; 5] {
    let tile = Shape::of::<O>().elements() as usize;
    [tile - 1, tile, tile + 1, 2 * tile, 3 * tile + 17]
}

/// What a scan is asked for, beyond its elements.
#[derive(Clone, Copy, Debug)]
struct Asked<T> {
    initial: Option<T>,
    is_exclusive: bool,
    /// The output is the input.
    in_place: bool,
    /// Elements by which input and output are off a vector.
    offset: (usize, usize),
}

impl<T> Asked<T> {
    const INCLUSIVE: Self = Self {
        initial: None,
        is_exclusive: false,
        in_place: false,
        offset: (0, 0),
    };

    fn exclusive(initial: T) -> Self {
        Self {
            initial: Some(initial),
            is_exclusive: true,
            ..Self::INCLUSIVE
        }
    }

    fn flags(&self) -> u32 {
        let exclusive = if self.is_exclusive { EXCLUSIVE } else { 0 };
        exclusive
            | if self.initial.is_some() {
                HAS_INITIAL
            } else {
                0
            }
    }
}

/// Kernels of one operator, and scratch memory that every launch leaves to the next.
struct Scanner<'a> {
    bench: &'a Bench,
    algorithm: Algorithm,
    operator: &'static str,
    scratch: Buffer<u64>,
}

impl<'a> Scanner<'a> {
    fn new<O: Operator>(
        bench: &'a Bench,
        algorithm: Algorithm,
        operator: &'static str,
        most: usize,
    ) -> quadscan::Result<Self> {
        let words = algorithm.scratch_words::<O>(most as u64) as usize;
        Ok(Self {
            bench,
            algorithm,
            operator,
            scratch: bench.device.alloc_zeroed(words.max(1))?,
        })
    }

    /// The scan of `input`; panics when anything is written around it.
    fn scan<O, T>(&self, input: &[T], asked: Asked<T>) -> quadscan::Result<Vec<T>>
    where
        O: Operator<Input = T, Accumulator = T, Output = T>,
        T: Pod + PartialEq + Debug,
    {
        let device = &self.bench.device;
        let guard = vec![canary::<T>(); GUARD];
        let (from, to) = asked.offset;
        let source = device.upload(&[&guard[..from], input, &guard].concat())?;
        let target = device.upload(&vec![canary::<T>(); to + input.len() + GUARD])?;
        let of = |buffer: &Buffer<T>, offset: usize| {
            buffer.address() + size_of_val(&guard[..offset]) as u64
        };
        let (written, offset) = if asked.in_place {
            (&source, from)
        } else {
            (&target, to)
        };
        let scan = Scan {
            module: &self.bench.module,
            operator: self.operator,
            n: input.len() as u64,
            input: of(&source, from),
            output: of(written, offset),
            flags: asked.flags(),
            initial: asked.initial.unwrap_or(canary()),
            scratch: self.scratch.address(),
            words: self.scratch.len() as u64,
        };
        // SAFETY: the addresses are of buffers with room for the elements, which outlive
        // the launches; the scratch memory is this scanner's alone; the kernels are named
        // after the operator.
        unsafe { scan.launch::<O>(self.algorithm)? };
        let all = written.to_vec()?;
        let (before, rest) = all.split_at(offset);
        let (results, after) = rest.split_at(input.len());
        assert_eq!(
            (before, after),
            (&guard[..offset], &guard[..]),
            "{self:?} {asked:?}"
        );
        Ok(results.to_vec())
    }
}

impl Debug for Scanner<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {}", self.algorithm.name(), self.operator)
    }
}

/// What nobody should read or write.
fn canary<T: Pod>() -> T {
    bytemuck::pod_read_unaligned(&[0xa5; 16][..size_of::<T>()])
}

/// The scan, one element after the other.
fn sequential<T: Copy>(input: &[T], asked: Asked<T>, plus: fn(T, T) -> T) -> Vec<T> {
    let mut running = asked.initial;
    let mut results = Vec::with_capacity(input.len());
    for &element in input {
        let earlier = running;
        let own = running.map_or(element, |running| plus(running, element));
        running = Some(own);
        results.push(match earlier {
            Some(earlier) if asked.is_exclusive => earlier,
            _ => own,
        });
    }
    results
}

fn scrambled(n: usize) -> Vec<u32> {
    (0..n as u32)
        .map(|i| i.wrapping_mul(2_654_435_761) ^ 0x5bd1_e995)
        .collect()
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
