//! Scans of segments: by key, by flags, by offsets; every operator, every kernel.
//!
//! Expected values: `quadscan_tests::oracle::scan` of each segment by itself.

use quadscan::Error;
use quadscan::device::Device;
use quadscan::reduce::Offsets;
use quadscan::scan::{Compose, Identity, Max, Min, SegmentedPlan, SegmentedScanKernels, Sum};
use quadscan_kernels::scan::segment_flags;
use quadscan_kernels::scan::segmented::Segmented;
use quadscan_tests::oracle::scan as oracle;
use quadscan_tests::probes::operands::Random;
use quadscan_tests::suite::{Bench, Outcome};
use std::fmt::Debug;

use crate::scan::sample::{Same, Sample, compare, samples};
use crate::scan::{by, kernels};

/// Where the segments of `n` elements begin, ascending, each once: of lengths from 1 to
/// `longest`, the short ones as likely as the long ones.
fn starts(n: usize, longest: usize, random: &mut Random) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut next = 0;
    while next < n {
        starts.push(next);
        let most = 1 << random.below(u64::from(longest.ilog2()) + 1);
        next += 1 + random.below(most) as usize;
    }
    starts
}

/// Each segment by itself, scanned by the oracle.
fn expected<I: Copy, R>(elements: &[I], starts: &[usize], scan: impl Fn(&[I]) -> Vec<R>) -> Vec<R> {
    let ends = starts.iter().skip(1).copied().chain([elements.len()]);
    let segments = starts.iter().zip(ends);
    segments
        .flat_map(|(&start, end)| scan(&elements[start..end]))
        .collect()
}

fn offsets(starts: &[usize], n: usize) -> Vec<u32> {
    starts.iter().chain([&n]).map(|&at| at as u32).collect()
}

/// Scans `n` elements in segments of up to `longest`, in all four ways.
fn check<O>(plan: &mut SegmentedPlan<O>, device: &Device, n: usize, longest: usize) -> Outcome
where
    O: SegmentedScanKernels + Identity,
    O::Input: Sample,
    O::Output: Same + Debug,
{
    let name = std::any::type_name::<O>();
    let mut random = Random::named(11, &format!("{name} {n} {longest}"));
    let elements: Vec<O::Input> = samples(n, &mut random);
    let initial = O::transform(O::Input::sample(&mut random));
    let starts = starts(n, longest, &mut random);
    let input = device.upload(&elements)?;
    let offsets = device.upload(&offsets(&starts, n))?;
    let mut output = device.alloc_zeroed::<O::Output>(n)?;
    let what = |kind| format!("{name}, {n} elements, segments up to {longest}, {kind}");

    plan.by_offsets(&offsets).inclusive(&input, &mut output)?;
    let right = expected(&elements, &starts, |segment| {
        oracle::inclusive::<O>(None, segment)
    });
    compare(&output.to_vec()?, &right, &what("by offsets"));

    plan.by_offsets(&offsets)
        .inclusive_with(initial, &input, &mut output)?;
    let with = |segment: &[_]| oracle::inclusive::<O>(Some(initial), segment);
    compare(
        &output.to_vec()?,
        &expected(&elements, &starts, with),
        &what("inclusive with"),
    );

    plan.by_offsets(&offsets).exclusive(&input, &mut output)?;
    let right = expected(&elements, &starts, |segment| {
        oracle::exclusive::<O>(O::IDENTITY, segment)
    });
    compare(&output.to_vec()?, &right, &what("exclusive"));

    plan.by_offsets(&offsets)
        .exclusive_with(initial, &input, &mut output)?;
    let with = |segment: &[_]| oracle::exclusive::<O>(initial, segment);
    compare(
        &output.to_vec()?,
        &expected(&elements, &starts, with),
        &what("exclusive with"),
    );
    Ok(())
}

macro_rules! operators {
    ($($test:ident: $($instance:ident => $operator:ty),*;)*) => {$(
        pub(crate) fn $test(bench: &Bench) -> Outcome {
            $(
                for kernel in kernels::<Segmented<$operator>>(&bench.module) {
                    let name = stringify!($instance).trim_start_matches("segmented");
                    assert!(kernel.entry.ends_with(name), "{} is not {name}", kernel.entry);
                    let most = 2 * kernel.tile + 77;
                    let options = by(kernel.algorithm);
                    let mut plan =
                        SegmentedPlan::<$operator>::with(&bench.module, most, options)?;
                    for (n, longest) in [(0, 1), (1, 1), (33, 8), (most as usize, 64)] {
                        check(&mut plan, &bench.device, n, longest)?;
                    }
                }
            )*
            Ok(())
        }
    )*};
}

operators! {
    sums_of_every_type_agree_with_sequential_scans:
        segmented_sum_u32 => Sum<u32>, segmented_sum_u64 => Sum<i64>,
        segmented_sum_f32 => Sum<f32>, segmented_sum_f64 => Sum<f64>;
    extremes_agree_with_sequential_scans:
        segmented_min_i32 => Min<i32>, segmented_min_f32 => Min<f32>,
        segmented_max_i32 => Max<i32>, segmented_max_f32 => Max<f32>;
    an_operator_that_is_not_commutative_keeps_the_order_in_segments:
        segmented_affine_f64 => Compose;
}

/// From segments of one element each to one of all, at sizes around warps and tiles.
pub(crate) fn segments_of_any_length_begin_anywhere(bench: &Bench) -> Outcome {
    for kernel in kernels::<Segmented<Sum<u32>>>(&bench.module) {
        let tile = kernel.tile as usize;
        let most = 3 * tile + 1;
        let options = by(kernel.algorithm);
        let mut plan = SegmentedPlan::<Sum<u32>>::with(&bench.module, most as u64, options)?;
        for n in [31, 32, 64, tile - 1, tile, tile + 1, most] {
            for longest in [1, 4, 1000, 1 << 20] {
                check(&mut plan, &bench.device, n, longest)?;
            }
        }
    }
    Ok(())
}

/// Keys of every size, flags, and offsets of both sizes say the same.
pub(crate) fn keys_flags_and_offsets_say_the_same(bench: &Bench) -> Outcome {
    let device = &bench.device;
    let mut random = Random::named(12, "keys");
    let n = 10_007;
    let elements: Vec<u64> = samples(n, &mut random);
    let starts = starts(n, 200, &mut random);
    let right = expected(&elements, &starts, |segment| {
        oracle::inclusive::<Sum<u64>>(None, segment)
    });
    let input = device.upload(&elements)?;
    let mut output = device.alloc_zeroed::<u64>(n)?;
    let mut plan = SegmentedPlan::<Sum<u64>>::new(&bench.module, n as u64)?;

    // The number of an element's segment, and one bit of a key that tells two apart.
    let mut segment = vec![0_u64; n];
    for (i, &start) in starts.iter().enumerate() {
        segment[start..].fill(i as u64);
    }
    let flip = |i: u64, bits: u32| (i % 2) << (i / 2 % u64::from(bits));
    macro_rules! by_keys {
        ($($kernel:ident => $key:ty: $make:expr;)*) => {$(
            let make: fn(u64, &dyn Fn(u64, u32) -> u64) -> $key = $make;
            let keys: Vec<$key> = segment.iter().map(|&i| make(i, &flip)).collect();
            let keys = device.upload(&keys)?;
            plan.by_key(&keys).inclusive(&input, &mut output)?;
            compare(&output.to_vec()?, &right, stringify!($kernel));
        )*};
    }
    by_keys! {
        segment_flags_of_keys_1 => u8: |i, flip| flip(i, 8) as u8;
        segment_flags_of_keys_2 => i16: |i, flip| flip(i, 16) as i16;
        segment_flags_of_keys_4 => f32: |i, _| i as f32;
        segment_flags_of_keys_8 => u64: |i, flip| flip(i, 64);
        segment_flags_of_keys_16 => [u64; 2]: |i, flip| [flip(i / 2, 64), flip(i.div_ceil(2), 64)];
    }

    let mut flags = vec![0_u8; n];
    for &start in &starts {
        flags[start] = 1 << random.below(8);
    }
    // The first element begins a segment whatever its flag.
    flags[0] = 0;
    let flags = device.upload(&flags)?;
    plan.by_flags(&flags).inclusive(&input, &mut output)?;
    compare(&output.to_vec()?, &right, "segment_flags_of_flags");

    let none = device.upload::<u32>(&[])?;
    plan.by_offsets(&none).inclusive(&input, &mut output)?;
    let one = oracle::inclusive::<Sum<u64>>(None, &elements);
    compare(&output.to_vec()?, &one, "segmented_small, of none");

    // In no order, some twice, some beyond the last element: few, and so many that most are.
    let mut any: Vec<u64> = starts.iter().map(|&start| start as u64).collect();
    any.extend([n as u64, n as u64 + 1, u64::MAX, any[any.len() / 2], any[3]]);
    for (more, of_8, of_4) in [
        (0, "segmented_small, 8", "segmented_small, 4"),
        (
            5000,
            "segment_flags_of_few_offsets_8",
            "segment_flags_of_few_offsets_4",
        ),
        (
            segment_flags::FEW_OFFSETS,
            "segment_flags_of_offsets_8",
            "segment_flags_of_offsets_4",
        ),
    ] {
        any.extend((0..more).map(|i| n as u64 + (i << (i % 40))));
        for i in (1..any.len()).rev() {
            any.swap(i, random.below(i as u64 + 1) as usize);
        }
        let narrow = |&at| u32::try_from(at).unwrap_or(u32::MAX);
        let narrow: Vec<u32> = any.iter().map(narrow).collect();
        let (wide, narrow) = (device.upload(&any)?, device.upload(&narrow)?);
        for (offsets, kernel) in [(Offsets::from(&wide), of_8), (Offsets::from(&narrow), of_4)] {
            // What the words were before makes no difference.
            let all = device.upload(&vec![1_u8; n])?;
            plan.by_flags(&all).inclusive(&input, &mut output)?;
            plan.by_offsets(offsets).inclusive(&input, &mut output)?;
            compare(&output.to_vec()?, &right, &format!("{kernel}, in no order"));
        }
    }
    Ok(())
}

/// By every kernel: lengths around those of a lane, a warp's row and a tile, and more than all.
pub(crate) fn segments_of_one_length_begin_at_its_multiples(bench: &Bench) -> Outcome {
    type Operator = Segmented<Sum<u32>>;
    let mut random = Random::named(14, "lengths");
    for kernel in kernels::<Operator>(&bench.module) {
        let n = kernel.tile as usize + 301;
        let elements: Vec<u32> = samples(n, &mut random);
        let input = bench.device.upload(&elements)?;
        let mut output = bench.device.alloc_zeroed::<u32>(n)?;
        let options = by(kernel.algorithm);
        let mut plan = SegmentedPlan::<Sum<u32>>::with(&bench.module, n as u64, options)?;
        for length in [1, 3, 28, 32, 100, 5000, 1 << 40] {
            let starts: Vec<usize> = (0..n).step_by(length).collect();
            let right = expected(&elements, &starts, |segment| {
                oracle::exclusive::<Sum<u32>>(7, segment)
            });
            let mut segments = plan.by_length(length as u64);
            segments.exclusive_with(7, &input, &mut output)?;
            let what = format!("{} of {length}", kernel.entry);
            compare(&output.to_vec()?, &right, &what);
        }
        let refused = plan.by_length(0).inclusive(&input, &mut output);
        let said = refused.expect_err("no length").to_string();
        assert!(
            said.contains("length is 0, allowed are 1 or more"),
            "{said}"
        );
    }
    Ok(())
}

/// In place, off a multiple of 16 bytes, of a count on the device, in a graph; and nothing
/// else is written.
pub(crate) fn segments_are_scanned_in_place_counted_and_in_graphs(bench: &Bench) -> Outcome {
    let device = &bench.device;
    let mut random = Random::named(13, "in place");
    let (n, counted) = (9_001, 7_000);
    let elements: Vec<i32> = samples(n + 8, &mut random);
    let starts = starts(n, 50, &mut random);
    let offsets = device.upload(&offsets(&starts, n))?;
    let count = device.upload(&[counted as u64])?;
    let mut plan = SegmentedPlan::<Sum<i32>>::new(&bench.module, n as u64)?;
    let inside = &elements[3..n + 3];
    let mut right = elements.clone();
    let results = expected(inside, &starts, |segment| {
        oracle::inclusive::<Sum<i32>>(None, segment)
    });
    right[3..counted + 3].copy_from_slice(&results[..counted]);

    let mut data = device.upload(&elements)?;
    let graph = device.capture(|| {
        let part = data.slice_mut(3..n + 3)?;
        plan.by_offsets(&offsets)
            .counted(&count)
            .inclusive_in_place(part)
    })?;
    for _ in 0..3 {
        data.copy_from(&elements)?;
        graph.launch()?;
        compare(&data.to_vec()?, &right, "in place, counted, in a graph");
    }
    Ok(())
}

/// The device may count none of the elements: then nothing is read of where segments begin.
pub(crate) fn segments_of_no_elements_are_left_alone(bench: &Bench) -> Outcome {
    let device = &bench.device;
    let keys = device.upload(&[1_u8; 100])?;
    let offsets = device.upload(&[0_u32, 7])?;
    let count = device.alloc_zeroed::<u64>(1)?;
    for kernel in kernels::<Segmented<Sum<u32>>>(&bench.module) {
        let mut data = device.upload(&[3_u32; 100])?;
        for _ in 0..2 {
            let options = by(kernel.algorithm);
            let mut plan = SegmentedPlan::<Sum<u32>>::with(&bench.module, 100, options)?;
            plan.by_key(&keys)
                .counted(&count)
                .inclusive_in_place(&mut data)?;
            plan.by_offsets(&offsets)
                .counted(&count)
                .inclusive_in_place(&mut data)?;
        }
        assert_eq!(data.to_vec()?, [3; 100], "{}", kernel.entry);
    }
    Ok(())
}

/// What does not fit is refused before anything is written.
pub(crate) fn segments_that_do_not_fit_are_refused(bench: &Bench) -> Outcome {
    let device = &bench.device;
    let mut plan = SegmentedPlan::<Sum<u32>>::new(&bench.module, 100)?;
    let input = device.upload(&[1_u32; 101])?;
    let mut output = device.alloc_zeroed::<u32>(101)?;
    let few = device.alloc_zeroed::<u32>(9)?;
    let odd = device.alloc_zeroed::<[u8; 3]>(101)?;
    let refused = |name: &str, outcome: quadscan::Result<()>| match outcome {
        Err(Error::Argument { argument, .. }) => assert_eq!(argument, name),
        other => panic!("{name}: {other:?}"),
    };
    let ten = input.slice(..10)?;
    refused("keys", plan.by_key(&few).inclusive(ten, &mut output));
    refused("keys", plan.by_key(&odd).inclusive(ten, &mut output));
    refused(
        "input",
        plan.by_offsets(&few).inclusive(&input, &mut output),
    );
    let short = output.slice_mut(..9)?;
    refused("output", plan.by_offsets(&few).inclusive(ten, short));
    assert_eq!(output.to_vec()?, [0; 101]);
    Ok(())
}
