//! Scans of one block.

use std::fmt::Debug;

use cuda_std::launch::{Kernel, PointerMut, SafeLaunch, Slice, Value};
use quadscan::device::{Buffer, LaunchShape};
use quadscan_kernels::block_scan::MAX_ELEMENTS;
use quadscan_kernels::block_scan::blelloch::{
    self, blelloch_batch_exclusive_u32, blelloch_exclusive_f32, blelloch_exclusive_f32_counted,
    blelloch_exclusive_u32, blelloch_exclusive_u32_counted, blelloch_inclusive_f32,
    blelloch_inclusive_f32_counted, blelloch_inclusive_u32, blelloch_inclusive_u32_counted,
    blelloch_padded_batch_exclusive_u32, blelloch_padded_exclusive_f32,
    blelloch_padded_exclusive_f32_counted, blelloch_padded_exclusive_u32,
    blelloch_padded_exclusive_u32_counted, blelloch_padded_inclusive_f32,
    blelloch_padded_inclusive_f32_counted, blelloch_padded_inclusive_u32,
    blelloch_padded_inclusive_u32_counted, blelloch_padded_scattered_batch_exclusive_u32,
    blelloch_padded_scattered_exclusive_u32, blelloch_padded_scattered_exclusive_u32_counted,
    blelloch_scattered_batch_exclusive_u32, blelloch_scattered_exclusive_u32,
    blelloch_scattered_exclusive_u32_counted,
};
use quadscan_kernels::block_scan::hillis_steele::{
    self, hillis_steele_batch_inclusive_u32, hillis_steele_exclusive_f32,
    hillis_steele_exclusive_f32_counted, hillis_steele_exclusive_u32,
    hillis_steele_exclusive_u32_counted, hillis_steele_inclusive_f32,
    hillis_steele_inclusive_f32_counted, hillis_steele_inclusive_u32,
    hillis_steele_inclusive_u32_counted, hillis_steele_scattered_batch_inclusive_u32,
    hillis_steele_scattered_inclusive_u32, hillis_steele_scattered_inclusive_u32_counted,
};
use quadscan_tests::suite::{Bench, Outcome};

/// None, one, around a warp, around two warps (one warp of Blelloch's threads),
/// around a block of threads, an odd number, and the most elements with its
/// neighbour.
const SIZES: &[usize] = &[
    0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 1000, 1023, 1024, 1025, 1337, 2047, 2048,
];

/// An element whose sums are exact here, so that every order gives the same.
trait Element: bytemuck::Pod + Debug + PartialEq {
    const CANARY: Self;
    fn sample(i: usize) -> Self;
    fn plus(self, other: Self) -> Self;
}

impl Element for u32 {
    const CANARY: u32 = 0xdead_beef;
    /// Large: the sums wrap.
    fn sample(i: usize) -> u32 {
        (i as u32 + 1).wrapping_mul(2_654_435_761)
    }
    fn plus(self, other: u32) -> u32 {
        self.wrapping_add(other)
    }
}

impl Element for f32 {
    const CANARY: f32 = -12345.0;
    /// Multiples of 1/16 below 16: 2048 of them add up without rounding.
    fn sample(i: usize) -> f32 {
        (i * 37 % 256) as f32 / 16.0
    }
    fn plus(self, other: f32) -> f32 {
        self + other
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Inclusive,
    Exclusive,
}
use Kind::{Exclusive, Inclusive};

fn sequential<T: Element>(input: &[T], kind: Kind) -> Vec<T> {
    let mut sum: Option<T> = None;
    input
        .iter()
        .map(|&element| {
            let before = sum;
            let after = before.map_or(element, |before| before.plus(element));
            sum = Some(after);
            match kind {
                Inclusive => after,
                Exclusive => before.unwrap_or(T::zeroed()),
            }
        })
        .collect()
}

fn sample<T: Element>(n: usize) -> Vec<T> {
    (0..n).map(T::sample).collect()
}

/// Every size against the sequential scan, with canaries behind the output.
fn agrees<K, T>(bench: &Bench, kernel: K, threads: fn(usize) -> u32, kind: Kind) -> Outcome
where
    K: SafeLaunch + Kernel<Formals = (Slice<T>, PointerMut<T>)>,
    T: Element,
{
    for &n in SIZES {
        let input = sample::<T>(n);
        let source = bench.device.upload(&input)?;
        let mut output = bench.device.upload(&vec![T::CANARY; n + 4])?;
        let shape = LaunchShape::new(1, threads(n));
        bench.module.launch(kernel, shape, (&source, &mut output))?;
        let output = output.to_vec()?;
        let expected = sequential(&input, kind);
        let name = K::NAME;
        if let Some(i) = (0..n).find(|&i| output[i] != expected[i]) {
            let (found, expected) = (output[i], expected[i]);
            let message = format!("{name}, {n} elements: [{i}] is {found:?} and not {expected:?}");
            return Err(message.into());
        }
        assert_eq!(
            output[n..],
            [T::CANARY; 4],
            "{name} wrote behind {n} elements"
        );
        assert_eq!(
            source.to_vec()?,
            input,
            "{name} changed its input of {n} elements"
        );
    }
    Ok(())
}

pub(crate) fn hillis_steele_agrees_with_a_sequential_scan(bench: &Bench) -> Outcome {
    let threads = hillis_steele::threads;
    agrees(bench, hillis_steele_inclusive_u32, threads, Inclusive)?;
    agrees(bench, hillis_steele_exclusive_u32, threads, Exclusive)?;
    agrees(bench, hillis_steele_inclusive_f32, threads, Inclusive)?;
    agrees(bench, hillis_steele_exclusive_f32, threads, Exclusive)
}

pub(crate) fn blelloch_agrees_with_a_sequential_scan(bench: &Bench) -> Outcome {
    let threads = blelloch::threads;
    agrees(bench, blelloch_inclusive_u32, threads, Inclusive)?;
    agrees(bench, blelloch_exclusive_u32, threads, Exclusive)?;
    agrees(bench, blelloch_inclusive_f32, threads, Inclusive)?;
    agrees(bench, blelloch_exclusive_f32, threads, Exclusive)
}

pub(crate) fn padded_blelloch_agrees_with_a_sequential_scan(bench: &Bench) -> Outcome {
    let threads = blelloch::threads;
    agrees(bench, blelloch_padded_inclusive_u32, threads, Inclusive)?;
    agrees(bench, blelloch_padded_exclusive_u32, threads, Exclusive)?;
    agrees(bench, blelloch_padded_inclusive_f32, threads, Inclusive)?;
    agrees(bench, blelloch_padded_exclusive_f32, threads, Exclusive)
}

pub(crate) fn scattered_scans_agree_with_a_sequential_scan(bench: &Bench) -> Outcome {
    let naive = hillis_steele_scattered_inclusive_u32;
    agrees(bench, naive, hillis_steele::scattered_threads, Inclusive)?;
    let efficient = blelloch_scattered_exclusive_u32;
    agrees(bench, efficient, blelloch::threads, Exclusive)?;
    let padded = blelloch_padded_scattered_exclusive_u32;
    agrees(bench, padded, blelloch::threads, Exclusive)
}

pub(crate) fn every_block_of_a_batch_scans_its_own_elements(bench: &Bench) -> Outcome {
    fn check<K>(bench: &Bench, kernel: K, threads: fn(usize) -> u32, kind: Kind) -> Outcome
    where
        K: SafeLaunch + Kernel<Formals = (Slice<u32>, PointerMut<u32>, Value<u32>)>,
    {
        for &n in SIZES {
            let blocks = 3;
            let input = sample::<u32>(blocks * n);
            let source = bench.device.upload(&input)?;
            let mut output = bench.device.upload(&vec![u32::CANARY; blocks * n + 4])?;
            let shape = LaunchShape::new(blocks as u32, threads(n));
            let arguments = (&source, &mut output, n as u32);
            bench.module.launch(kernel, shape, arguments)?;
            let expected: Vec<u32> = (0..blocks)
                .flat_map(|block| sequential(&input[block * n..(block + 1) * n], kind))
                .chain([u32::CANARY; 4])
                .collect();
            assert_eq!(output.to_vec()?, expected, "{}, {n} elements", K::NAME);
        }
        Ok(())
    }
    let (naive, scattered) = (hillis_steele::threads, hillis_steele::scattered_threads);
    let efficient = blelloch::threads;
    check(bench, hillis_steele_batch_inclusive_u32, naive, Inclusive)?;
    check(
        bench,
        hillis_steele_scattered_batch_inclusive_u32,
        scattered,
        Inclusive,
    )?;
    check(bench, blelloch_batch_exclusive_u32, efficient, Exclusive)?;
    check(
        bench,
        blelloch_padded_batch_exclusive_u32,
        efficient,
        Exclusive,
    )?;
    check(
        bench,
        blelloch_scattered_batch_exclusive_u32,
        efficient,
        Exclusive,
    )?;
    check(
        bench,
        blelloch_padded_scattered_batch_exclusive_u32,
        efficient,
        Exclusive,
    )
}

/// The parameters of a counted kernel.
type Counting<T> = (
    Slice<T>,
    PointerMut<T>,
    PointerMut<u32>,
    PointerMut<u32>,
    PointerMut<u32>,
);

/// What a counted kernel gives: elements, threads and warps of each step, and adds.
struct Counts<T> {
    elements: Vec<T>,
    activity: Vec<(u32, u32)>,
    adds: Vec<u32>,
}

fn counted<K, T>(
    bench: &Bench,
    kernel: K,
    input: &[T],
    threads: u32,
    steps: usize,
) -> quadscan::Result<Counts<T>>
where
    K: SafeLaunch + Kernel<Formals = Counting<T>>,
    T: Element,
{
    let source = bench.device.upload(input)?;
    let mut output = bench.device.alloc::<T>(input.len())?;
    let mut active = bench.device.alloc_zeroed::<u32>(steps)?;
    let mut warps = bench.device.alloc_zeroed::<u32>(steps)?;
    let mut adds = bench.device.alloc_zeroed::<u32>(steps)?;
    bench.module.launch(
        kernel,
        LaunchShape::new(1, threads),
        (&source, &mut output, &mut active, &mut warps, &mut adds),
    )?;
    let activity = active.to_vec()?.into_iter().zip(warps.to_vec()?);
    Ok(Counts {
        elements: output.to_vec()?,
        activity: activity.collect(),
        adds: adds.to_vec()?,
    })
}

/// Calls `$check` with every counted kernel, its folder's `threads` and
/// `steps`, and the kind of its scan.
macro_rules! every_counted_kernel {
    ($check:ident($($argument:expr),*)) => {
        every_counted_kernel!(@ $check ($($argument),*) hillis_steele:
            hillis_steele_inclusive_u32_counted Inclusive,
            hillis_steele_exclusive_u32_counted Exclusive,
            hillis_steele_inclusive_f32_counted Inclusive,
            hillis_steele_exclusive_f32_counted Exclusive);
        every_counted_kernel!(@ $check ($($argument),*) blelloch:
            blelloch_inclusive_u32_counted Inclusive,
            blelloch_exclusive_u32_counted Exclusive,
            blelloch_inclusive_f32_counted Inclusive,
            blelloch_exclusive_f32_counted Exclusive,
            blelloch_padded_inclusive_u32_counted Inclusive,
            blelloch_padded_exclusive_u32_counted Exclusive,
            blelloch_padded_inclusive_f32_counted Inclusive,
            blelloch_padded_exclusive_f32_counted Exclusive);
    };
    (scattered $check:ident($($argument:expr),*)) => {
        every_counted_kernel!(@@ $check ($($argument),*)
            hillis_steele scattered_threads hillis_steele_scattered_inclusive_u32_counted Inclusive);
        every_counted_kernel!(@@ $check ($($argument),*)
            blelloch threads blelloch_scattered_exclusive_u32_counted Exclusive);
        every_counted_kernel!(@@ $check ($($argument),*)
            blelloch threads blelloch_padded_scattered_exclusive_u32_counted Exclusive);
    };
    (@ $check:ident $arguments:tt $module:ident: $($kernel:ident $kind:ident),*) => {
        $(every_counted_kernel!(@@ $check $arguments $module threads $kernel $kind);)*
    };
    (@@ $check:ident ($($argument:expr),*)
     $module:ident $threads:ident $kernel:ident $kind:ident) => {
        $check($($argument,)* $kernel, $module::$threads, $module::steps, $kind)?
    };
}

pub(crate) fn counting_does_not_change_the_result(bench: &Bench) -> Outcome {
    fn check<K, T>(
        bench: &Bench,
        kernel: K,
        threads: fn(usize) -> u32,
        steps: fn(usize) -> usize,
        kind: Kind,
    ) -> Outcome
    where
        K: SafeLaunch + Kernel<Formals = Counting<T>>,
        T: Element,
    {
        for &n in SIZES {
            let input = sample::<T>(n);
            let counts = counted(bench, kernel, &input, threads(n), steps(n))?;
            assert_eq!(
                counts.elements,
                sequential(&input, kind),
                "{}, {n} elements",
                K::NAME
            );
        }
        Ok(())
    }
    every_counted_kernel!(check(bench));
    every_counted_kernel!(scattered check(bench));
    Ok(())
}

/// Columns algorithm,step,active_threads,active_warps.
const PUBLISHED_ACTIVITY: &str = include_str!("../../../bench-crate/data/scan_activity_n1024.csv");

fn published_activity(algorithm: &str) -> Vec<(u32, u32)> {
    csv::Reader::from_reader(PUBLISHED_ACTIVITY.as_bytes())
        .into_deserialize()
        .map(|row| row.expect("a row of a published table"))
        .filter(|(name, ..): &(String, u32, u32, u32)| name == algorithm)
        .map(|(_, _, threads, warps)| (threads, warps))
        .collect()
}

pub(crate) fn activity_is_the_published_one_for_1024_elements(bench: &Bench) -> Outcome {
    let naive = published_activity("naive");
    let work_efficient = published_activity("work_efficient");
    let warps = |steps: &[(u32, u32)]| steps.iter().map(|(_, warps)| warps).sum::<u32>();
    assert_eq!((warps(&naive), warps(&work_efficient)), (289, 71));

    fn check<K, T>(
        bench: &Bench,
        naive: &[(u32, u32)],
        work_efficient: &[(u32, u32)],
        kernel: K,
        threads: fn(usize) -> u32,
        steps: fn(usize) -> usize,
        _: Kind,
    ) -> Outcome
    where
        K: SafeLaunch + Kernel<Formals = Counting<T>>,
        T: Element,
    {
        let n = 1024;
        let counts = counted(bench, kernel, &sample::<T>(n), threads(n), steps(n))?;
        let expected = if K::NAME.starts_with("hillis_steele") {
            naive
        } else {
            work_efficient
        };
        assert_eq!(counts.activity, expected, "{}", K::NAME);
        Ok(())
    }
    every_counted_kernel!(check(bench, &naive, &work_efficient));
    Ok(())
}

pub(crate) fn scans_of_every_power_of_two_have_the_adds_of_the_closed_forms(
    bench: &Bench,
) -> Outcome {
    fn check<K, T>(
        bench: &Bench,
        kernel: K,
        threads: fn(usize) -> u32,
        steps: fn(usize) -> usize,
        _: Kind,
    ) -> Outcome
    where
        K: SafeLaunch + Kernel<Formals = Counting<T>>,
        T: Element,
    {
        for log in 1..=MAX_ELEMENTS.ilog2() {
            let n = 1_u32 << log;
            let size = n as usize;
            let counts = counted(
                bench,
                kernel,
                &sample::<T>(size),
                threads(size),
                steps(size),
            )?;
            let expected = if K::NAME.starts_with("hillis_steele") {
                n * log - (n - 1)
            } else {
                // 2 (n - 1) without the root's.
                2 * (n - 1) - 1
            };
            let adds = counts.adds.iter().sum::<u32>();
            assert_eq!(adds, expected, "{}, {n} elements", K::NAME);
        }
        Ok(())
    }
    every_counted_kernel!(check(bench));
    every_counted_kernel!(scattered check(bench));
    Ok(())
}

pub(crate) fn scattered_scans_work_in_as_many_warps_as_can_be(bench: &Bench) -> Outcome {
    let n = 1024;
    let naive = counted(
        bench,
        hillis_steele_scattered_inclusive_u32_counted,
        &sample::<u32>(n),
        1024,
        10,
    )?;
    // At least 512 threads work in each step: enough for all 32 warps.
    assert!(naive.activity.iter().all(|&(_, warps)| warps == 32));
    let input = sample::<u32>(n);
    let plain = blelloch_scattered_exclusive_u32_counted;
    let padded = blelloch_padded_scattered_exclusive_u32_counted;
    for efficient in [
        counted(bench, plain, &input, 512, 19)?,
        counted(bench, padded, &input, 512, 19)?,
    ] {
        // All 16 warps, or one for each of fewer pairs.
        for (threads, warps) in efficient.activity {
            assert_eq!(warps, threads.min(16));
        }
    }
    Ok(())
}

pub(crate) fn scans_write_their_elements_and_nothing_else(bench: &Bench) -> Outcome {
    // More room than elements on both sides of the longest scan, in one buffer
    // of steps too: a counted kernel must not count behind its last step.
    let n = MAX_ELEMENTS;
    let steps = blelloch::steps(n);
    let source = bench.device.upload(&sample::<u32>(n))?;
    let mut output = bench.device.upload(&vec![u32::CANARY; n + 32])?;
    let mut active = bench.device.alloc_zeroed::<u32>(steps + 8)?;
    let mut warps = bench.device.alloc_zeroed::<u32>(steps + 8)?;
    let mut adds = bench.device.alloc_zeroed::<u32>(steps + 8)?;
    bench.module.launch(
        blelloch_padded_inclusive_u32_counted,
        LaunchShape::new(1, blelloch::threads(n)),
        (&source, &mut output, &mut active, &mut warps, &mut adds),
    )?;
    assert_eq!(output.to_vec()?[n..], [u32::CANARY; 32]);
    for counts in [active, warps, adds] {
        assert_eq!(counts.to_vec()?[steps..], [0; 8]);
    }
    Ok(())
}

pub(crate) fn a_scan_of_too_many_elements_is_refused(bench: &Bench) -> Outcome {
    let refused = |source: &Buffer<u32>, output: &mut Buffer<u32>, shape| {
        let launched = bench
            .module
            .launch(blelloch_inclusive_u32, shape, (source, output));
        assert!(
            matches!(launched, Err(quadscan::Error::ContractBroken { .. })),
            "{shape:?}: {launched:?}"
        );
    };
    let n = MAX_ELEMENTS + 1;
    let source = bench.device.upload(&sample::<u32>(n))?;
    let mut output = bench.device.alloc_zeroed::<u32>(n)?;
    refused(&source, &mut output, LaunchShape::new(1, 1024));

    let source = bench.device.upload(&sample::<u32>(64))?;
    let mut short = bench.device.alloc_zeroed::<u32>(63)?;
    refused(&source, &mut short, LaunchShape::new(1, 32));
    let mut output = bench.device.alloc_zeroed::<u32>(64)?;
    refused(&source, &mut output, LaunchShape::new(2, 32));
    refused(&source, &mut output, LaunchShape::new(1, 33));
    let scattered = bench.module.launch(
        blelloch_scattered_exclusive_u32,
        LaunchShape::new(1, 96),
        (&source, &mut output),
    );
    let three_warps = matches!(scattered, Err(quadscan::Error::ContractBroken { .. }));
    assert!(three_warps, "{scattered:?}");
    let batch = bench.module.launch(
        blelloch_batch_exclusive_u32,
        LaunchShape::new(2, 32),
        (&source, &mut output, 33_u32),
    );
    let too_short = matches!(batch, Err(quadscan::Error::ContractBroken { .. }));
    assert!(too_short, "{batch:?}");
    assert_eq!(output.to_vec()?, [0; 64], "a refused launch ran");
    Ok(())
}
