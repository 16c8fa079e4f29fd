//! The trapezoid rule on the quarter circle.

use std::collections::BTreeSet;

use cuda_std::launch::{Kernel, PointerMut, SafeLaunch, Value};
use quadscan::device::{EMULATOR, LaunchShape};
use quadscan_bench::oracle::Precision;
use quadscan_bench::oracle::quarter_circle::{self, Partials};
use quadscan_kernels::integrate::compensated::{
    MAX_PAIRWISE_THREADS, trapezoid_f32_pure_double_float, trapezoid_f32_pure_kahan,
    trapezoid_f32_pure_pairwise,
};
use quadscan_kernels::integrate::trapezoid::{
    trapezoid_f32, trapezoid_f32_dyadic, trapezoid_f32_pure, trapezoid_f32_pure_dyadic,
    trapezoid_f64, trapezoid_f64_dyadic,
};
use quadscan_tests::suite::{Bench, Outcome};

/// Strips of the published sweeps.
const PUBLISHED_STRIPS: u32 = 65536 * 256;

/// Blocks and threads: one thread, part of a warp, a whole warp, several warps,
/// several blocks, the largest block.
const SHAPES: &[(u32, u32)] = &[(1, 1), (1, 8), (1, 32), (4, 64), (64, 256), (16, 1024)];

/// Powers of two, and 3 * 2^p, of which no abscissa is exact. All are divided
/// by every one of [`SHAPES`].
const STRIPS: &[u32] = &[1 << 14, 1 << 17, 3 << 14, 3 << 16];

/// The partial sums of one launch; `unit` is the strips or the step.
fn partials<K, T, U>(
    bench: &Bench,
    kernel: K,
    strips: u32,
    (blocks, threads): (u32, u32),
    unit: U,
) -> quadscan::Result<Vec<T>>
where
    K: SafeLaunch + Kernel<Formals = (PointerMut<T>, Value<u32>, Value<U>)>,
    T: bytemuck::Pod,
    U: bytemuck::Pod,
{
    let parts = blocks * threads;
    assert_eq!(
        strips % parts,
        0,
        "{blocks}x{threads} does not divide {strips}"
    );
    let mut sums = bench.device.alloc_zeroed::<T>(parts as usize)?;
    let shape = LaunchShape::new(blocks, threads);
    bench
        .module
        .launch(kernel, shape, (&mut sums, strips / parts, unit))?;
    sums.to_vec()
}

fn grid() -> impl Iterator<Item = (u32, (u32, u32))> {
    STRIPS
        .iter()
        .flat_map(|&strips| SHAPES.iter().map(move |&shape| (strips, shape)))
}

pub(crate) fn trapezoid_f64_has_exactly_the_rules_own_error(bench: &Bench) -> Outcome {
    for (strips, shape) in grid() {
        let n = f64::from(strips);
        let sum: f64 = partials(bench, trapezoid_f64, strips, shape, n)?
            .iter()
            .sum();
        let pi = quarter_circle::pi(Precision::F64, sum, strips.into());
        // Rounding of a sum of n positive terms: n ulps at worst, sqrt(n) as a rule.
        let rounding = 8.0 * n.sqrt() * f64::EPSILON;
        let error = pi - quarter_circle::trapezoid_limit(strips.into());
        assert!(
            error.abs() < rounding,
            "{strips} strips as {shape:?}: {pi}, off by {error:e}"
        );
    }
    Ok(())
}

pub(crate) fn trapezoid_sums_have_the_bits_of_the_published_loop(bench: &Bench) -> Outcome {
    for (strips, shape) in grid() {
        let parts = u64::from(shape.0 * shape.1);
        let expected = |precision| quarter_circle::partials(precision, strips.into(), parts);
        let at = format!("{strips} strips as {shape:?}");
        let f64s = partials(bench, trapezoid_f64, strips, shape, f64::from(strips))?;
        assert_same(&Partials::F64(f64s), &expected(Precision::F64), &at);
        let f32s = partials(bench, trapezoid_f32, strips, shape, f64::from(strips))?;
        assert_same(&Partials::F32(f32s), &expected(Precision::F32), &at);
        let pure = partials(bench, trapezoid_f32_pure, strips, shape, strips as f32)?;
        assert_same(&Partials::F32(pure), &expected(Precision::F32Pure), &at);
    }
    Ok(())
}

pub(crate) fn compensated_sums_have_the_bits_of_their_papers(bench: &Bench) -> Outcome {
    for (strips, shape) in grid() {
        let parts = u64::from(shape.0 * shape.1);
        let expected = |precision| quarter_circle::partials(precision, strips.into(), parts);
        let at = format!("{strips} strips as {shape:?}");
        let n = strips as f32;
        let kahan = partials(bench, trapezoid_f32_pure_kahan, strips, shape, n)?;
        let kahan = Partials::F32Kahan(kahan);
        assert_same(&kahan, &expected(Precision::F32Kahan), &at);
        if shape.1 <= MAX_PAIRWISE_THREADS {
            let pairwise = partials(bench, trapezoid_f32_pure_pairwise, strips, shape, n)?;
            let pairwise = Partials::F32Pairwise(pairwise);
            assert_same(&pairwise, &expected(Precision::F32Pairwise), &at);
        }
        let pairs = partials(bench, trapezoid_f32_pure_double_float, strips, shape, n)?;
        let pairs = Partials::F32DoubleFloat(pairs);
        assert_same(&pairs, &expected(Precision::F32DoubleFloat), &at);
    }
    Ok(())
}

pub(crate) fn a_compensated_sum_stays_at_the_f32_next_to_pi(bench: &Bench) -> Outcome {
    // One thread adds all strips, where the plain sum is off by 8.5e-4.
    let (strips, shape) = (1 << 20, (1, 1));
    let n = strips as f32;
    let pi = |precision, sums: Partials| quarter_circle::pi(precision, sums.sum(), strips.into());
    let plain = partials(bench, trapezoid_f32_pure, strips, shape, n)?;
    let plain = pi(Precision::F32Pure, Partials::F32(plain));
    assert!((plain - std::f64::consts::PI).abs() > 8e-4, "{plain}");
    let best = f64::from(std::f32::consts::PI);
    let kahan = partials(bench, trapezoid_f32_pure_kahan, strips, shape, n)?;
    assert_eq!(pi(Precision::F32Kahan, Partials::F32Kahan(kahan)), best);
    let pairwise = partials(bench, trapezoid_f32_pure_pairwise, strips, shape, n)?;
    let pairwise = pi(Precision::F32Pairwise, Partials::F32Pairwise(pairwise));
    // Half a unit of the last place for each of 20 levels at worst.
    assert!(
        (pairwise - best).abs() <= 20.0 * 2.0_f64.powi(-23),
        "{pairwise}"
    );
    let pairs = partials(bench, trapezoid_f32_pure_double_float, strips, shape, n)?;
    let pairs = pi(Precision::F32DoubleFloat, Partials::F32DoubleFloat(pairs));
    // What remains is the integrand's own rounding: no f32 is as near.
    let limit = quarter_circle::trapezoid_limit(strips.into());
    assert!((pairs - limit).abs() < 4e-9, "{pairs}");
    Ok(())
}

pub(crate) fn dyadic_kernels_give_the_same_bits(bench: &Bench) -> Outcome {
    for (strips, shape) in grid().filter(|(strips, _)| strips.is_power_of_two()) {
        let n = f64::from(strips);
        let at = format!("{strips} strips as {shape:?}");
        assert_same(
            &Partials::F64(partials(
                bench,
                trapezoid_f64_dyadic,
                strips,
                shape,
                1.0 / n,
            )?),
            &Partials::F64(partials(bench, trapezoid_f64, strips, shape, n)?),
            &at,
        );
        assert_same(
            &Partials::F32(partials(
                bench,
                trapezoid_f32_dyadic,
                strips,
                shape,
                1.0 / n,
            )?),
            &Partials::F32(partials(bench, trapezoid_f32, strips, shape, n)?),
            &at,
        );
        let n = strips as f32;
        assert_same(
            &Partials::F32(partials(
                bench,
                trapezoid_f32_pure_dyadic,
                strips,
                shape,
                1.0 / n,
            )?),
            &Partials::F32(partials(bench, trapezoid_f32_pure, strips, shape, n)?),
            &at,
        );
    }
    Ok(())
}

#[track_caller]
fn assert_same(found: &Partials, expected: &Partials, at: &str) {
    // Partial sums are positive: equal values have equal bits.
    assert!(
        found == expected,
        "{at}: {} and not {}",
        found.sum(),
        expected.sum()
    );
}

/// On the emulator about every fifth of them, with each number of blocks and each of threads: one
/// takes as long as another, and `bench sweep-f64` has all.
pub(crate) fn every_published_shape_gives_3_141592653573(bench: &Bench) -> Outcome {
    let cells = published(include_str!(
        "../../../bench-crate/data/sweep_f64_tesla_s2050.csv"
    ));
    let is_emulated = bench.device.properties().kind == EMULATOR;
    let shapes = cells
        .iter()
        .map(|cell| (number(&cell["blocks"]), number(&cell["threads"])));
    let all: Vec<(u32, u32)> = shapes.collect();
    let mut run = all.clone();
    if is_emulated {
        // Both are powers of two: every fifth diagonal of the table.
        run.retain(|(blocks, threads)| (blocks * threads).ilog2().is_multiple_of(5));
    }
    let numbers = |of: &[(u32, u32)]| -> [BTreeSet<u32>; 2] {
        let (blocks, threads) = of.iter().copied().unzip();
        [blocks, threads]
    };
    assert_eq!(numbers(&run), numbers(&all));
    let n = f64::from(PUBLISHED_STRIPS);
    for shape in run {
        let sums = partials(
            bench,
            trapezoid_f64_dyadic,
            PUBLISHED_STRIPS,
            shape,
            1.0 / n,
        )?;
        let sum = Partials::F64(sums).sum();
        let pi = quarter_circle::pi(Precision::F64, sum, PUBLISHED_STRIPS.into());
        assert_eq!(format!("{pi:.12}"), "3.141592653573", "{shape:?}");
    }
    Ok(())
}

pub(crate) fn the_f32_sweep_gives_the_published_values_of_pi(bench: &Bench) -> Outcome {
    let cells = published(include_str!(
        "../../../bench-crate/data/sweep_f32_geforce_8800gt.csv"
    ));
    let step = 1.0 / f64::from(PUBLISHED_STRIPS);
    let mut compared = 0;
    for cell in cells.iter().filter(|cell| !cell["pi"].is_empty()) {
        let shape = (number(&cell["blocks"]), number(&cell["threads"]));
        let sums = partials(bench, trapezoid_f32_dyadic, PUBLISHED_STRIPS, shape, step)?;
        let sum = Partials::F32(sums).sum();
        let pi = quarter_circle::pi_as_published_f32(sum, PUBLISHED_STRIPS.into());
        assert_eq!(format!("{pi:.6}"), cell["pi"], "{shape:?}");
        compared += 1;
    }
    assert_eq!(compared, 8, "the page has eight values of pi");
    Ok(())
}

type Row = std::collections::HashMap<String, String>;

fn published(table: &str) -> Vec<Row> {
    let rows = csv::Reader::from_reader(table.as_bytes()).into_deserialize();
    rows.map(|row| row.expect("a row of a published table"))
        .collect()
}

fn number(text: &str) -> u32 {
    text.parse().expect("a number of the published table")
}

pub(crate) fn trapezoid_writes_one_partial_sum_a_thread_and_nothing_else(bench: &Bench) -> Outcome {
    const CANARY: f64 = -1.5;
    let mut sums = bench.device.upload(&[CANARY; 64 + 8])?;
    bench.module.launch(
        trapezoid_f64,
        LaunchShape::new(2, 32),
        (&mut sums, 4, 256.0),
    )?;
    let sums = sums.to_vec()?;
    assert!(
        sums[..64].iter().all(|&sum| sum > 0.0),
        "a thread wrote nothing"
    );
    assert_eq!(sums[64..], [CANARY; 8]);
    Ok(())
}

pub(crate) fn a_launch_that_breaks_the_contract_is_refused(bench: &Bench) -> Outcome {
    let mut sums = bench.device.alloc_zeroed::<f64>(63)?;
    let short = bench.module.launch(
        trapezoid_f64,
        LaunchShape::new(2, 32),
        (&mut sums, 4, 256.0),
    );
    assert!(
        matches!(short, Err(quadscan::Error::ContractBroken { .. })),
        "{short:?}"
    );
    let wide = bench.module.launch(
        trapezoid_f64,
        LaunchShape::new(1, 1025),
        (&mut sums, 4, 256.0),
    );
    assert!(
        matches!(wide, Err(quadscan::Error::OutOfRange { .. })),
        "{wide:?}"
    );
    assert_eq!(sums.to_vec()?, [0.0; 63], "a refused launch ran");
    Ok(())
}
