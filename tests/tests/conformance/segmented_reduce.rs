//! Reductions of segments.

use bytemuck::bytes_of;
use quadscan::device::emulator::Settings;
use quadscan::reduce::{Offsets, SegmentedPlan};
use quadscan_kernels::operator::{Identity, Sum};
use quadscan_kernels::reduce::ReduceKernels;
use quadscan_tests::oracle::reduction as oracle;
use quadscan_tests::suite::{Bench, Outcome};

/// Written behind the results.
const CANARY: u8 = 0xa5;

/// Lengths of segments, and what is peculiar about them.
fn layouts() -> Vec<(&'static str, Vec<usize>)> {
    // Numbers that look random, from a multiplicative generator.
    let mut state = 12_345u64;
    let mut below = move |most: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        ((state >> 33) % most) as usize
    };
    let short: Vec<usize> = (0..1500).map(|_| 1 + below(32)).collect();
    let mixed = (0..300).map(|i| if i % 50 == 7 { below(3000) } else { below(9) });
    let mixed: Vec<usize> = mixed.collect();
    let around = |n: usize| vec![n - 1, 1, n, n + 1, 1, n - 1];
    let mut empty = vec![0; 1100];
    empty.extend([5, 0, 600, 0, 0]);
    empty.extend(vec![0; 70]);
    empty.extend([1]);
    empty.extend(vec![0; 40]);
    vec![
        ("no segment", vec![]),
        ("one of nothing", vec![0]),
        ("one of one", vec![1]),
        ("one of all", vec![30_001]),
        ("of one each", vec![1; 5000]),
        ("of 1 to 32", short),
        ("short and long ones", mixed),
        ("around a tile of words", around(512)),
        ("around a tile of doubles", around(256)),
        ("around a block", around(4096)),
        ("many of nothing", empty),
        ("more blocks than lanes", vec![163_000, 3, 700]),
    ]
}

/// The layouts, in a part of an array that begins at any element, with elements before
/// and behind that are in no segment.
fn agrees<O>(
    bench: &Bench,
    sample: fn(usize) -> O::Input,
    initial: Option<O::Accumulator>,
) -> Outcome
where
    O: ReduceKernels + Identity,
{
    // By groups of lanes, where segments are short and few; and by shares of elements, where they are
    // not, or it is asked for.
    let mut by_groups = SegmentedPlan::<O>::new(&bench.module)?;
    let mut by_shares = SegmentedPlan::<O>::new(&bench.module)?.by_shares();
    for (name, lengths) in layouts() {
        for (first, outside, is_shared) in
            [(0, 0, false), (1, 0, true), (3, 2, false), (0, 2, true)]
        {
            let plan = match is_shared {
                true => &mut by_shares,
                false => &mut by_groups,
            };
            let mut offsets = vec![outside as u32];
            for &length in &lengths {
                offsets.push(offsets[offsets.len() - 1] + length as u32);
            }
            let n = offsets[lengths.len()] as usize + outside;
            let numbers: Vec<O::Input> = (0..first + n).map(sample).collect();
            let expected = expected::<O>(&numbers[first..], &offsets, initial);
            let input = bench.device.upload(&numbers)?;
            let mut output = bench.device.alloc::<O::Output>(lengths.len() + 2)?;
            output.fill_bytes(CANARY)?;
            let elements = input.slice(first..)?;
            let results = output.slice_mut(1..=lengths.len())?;
            let narrow = bench.device.upload(&offsets)?;
            let wide: Vec<u64> = offsets.iter().map(|&offset| offset.into()).collect();
            let wide = bench.device.upload(&wide)?;
            let offsets = match first {
                0 => Offsets::from(&narrow),
                _ => Offsets::from(&wide),
            };
            match initial {
                None => plan.reduce(elements, offsets, results)?,
                Some(initial) => plan.reduce_with(initial, elements, offsets, results)?,
            }
            let output = output.to_vec()?;
            let operator = std::any::type_name::<O>();
            let canary = vec![CANARY; size_of::<O::Output>()];
            assert_eq!(bytes_of(&output[0]), canary, "{operator}, {name}: canary");
            assert_eq!(
                bytes_of(&output[lengths.len() + 1]),
                canary,
                "{operator}, {name}: canary"
            );
            for (i, expected) in expected.iter().enumerate() {
                assert_eq!(
                    bytes_of(&output[i + 1]),
                    bytes_of(expected),
                    "{operator}, {name}, from {first}, {outside} outside: segment {i} of {} elements",
                    lengths[i]
                );
            }
        }
    }
    Ok(())
}

fn expected<O: Identity>(
    elements: &[O::Input],
    offsets: &[u32],
    initial: Option<O::Accumulator>,
) -> Vec<O::Output> {
    let segments = offsets.windows(2).map(|ends| {
        let total = oracle::sequential::<O>(&elements[ends[0] as usize..ends[1] as usize]);
        O::finish(match (initial, total) {
            (None, None) => O::IDENTITY,
            (Some(initial), None) => initial,
            (None, Some(total)) => total,
            (Some(initial), Some(total)) => O::combine(initial, total),
        })
    });
    segments.collect()
}

/// Large: the sums wrap.
fn word(i: usize) -> u32 {
    (i as u32 + 1).wrapping_mul(2_654_435_761)
}

/// Of so few bits that every sum here is exact.
fn small(i: usize) -> f64 {
    f64::from(word(i) >> 20) / 16.0
}

pub(crate) fn segments_of_all_lengths_have_the_sums_of_their_elements(bench: &Bench) -> Outcome {
    agrees::<Sum<u32>>(bench, word, None)?;
    agrees::<Sum<u64>>(bench, |i| u64::from(word(i)) << 20, None)?;
    agrees::<Sum<f64>>(bench, small, None)
}

pub(crate) fn every_segment_begins_with_the_initial_value(bench: &Bench) -> Outcome {
    agrees::<Sum<u32>>(bench, word, Some(77))?;
    agrees::<Sum<f64>>(bench, small, Some(0.5))
}

/// In both ways: short segments, and those of which a warp has several tiles.
pub(crate) fn segments_of_one_length_need_no_offsets(bench: &Bench) -> Outcome {
    let mut plan = SegmentedPlan::<Sum<u32>>::new(&bench.module)?;
    let mut by_shares = SegmentedPlan::<Sum<u32>>::new(&bench.module)?.by_shares();
    for (length, segments) in [(1, 1000), (7, 300), (64, 33), (0, 5), (3000, 3), (5, 0)] {
        let numbers: Vec<u32> = (0..length * segments).map(word).collect();
        let input = bench.device.upload(&numbers)?;
        let mut output = bench.device.upload(&vec![7_u32; segments])?;
        plan.reduce_by_length(length, &input, &mut output)?;
        let sum = |i| {
            let elements = &numbers[i * length..(i + 1) * length];
            elements.iter().fold(0, |sum: u32, &x| sum.wrapping_add(x))
        };
        let right: Vec<u32> = (0..segments).map(sum).collect();
        assert_eq!(output.to_vec()?, right, "{segments} of {length}");
        output.fill_bytes(7)?;
        by_shares.reduce_by_length(length, &input, &mut output)?;
        assert_eq!(output.to_vec()?, right, "{segments} of {length}, by shares");
    }
    let input = bench.device.upload(&[1_u32; 7])?;
    let mut output = bench.device.upload(&[0_u32; 2])?;
    let refused = plan.reduce_by_length(3, &input, &mut output);
    let said = refused.expect_err("seven are not two of three").to_string();
    assert!(said.contains('7') && said.contains('6'), "{said}");
    Ok(())
}

/// Floats of which every association has bits of its own, on schedules of their own.
pub(crate) fn sums_of_segments_have_the_same_bits_again(bench: &Bench) -> Outcome {
    let lengths: Vec<u32> = (0..400).map(|i| word(i) % 300 * (word(i) % 7)).collect();
    let mut offsets = vec![0u32];
    for length in lengths {
        offsets.push(offsets[offsets.len() - 1] + length);
    }
    let n = offsets[offsets.len() - 1] as usize;
    let numbers: Vec<f32> = (0..n)
        .map(|i| (word(i) as i32 as f32) * 2f32.powi(-((word(i) % 40) as i32)))
        .collect();
    let bits = |bench: &Bench| -> quadscan::Result<Vec<u32>> {
        let (input, offsets) = (
            bench.device.upload(&numbers)?,
            bench.device.upload(&offsets)?,
        );
        let mut output = bench.device.alloc_zeroed::<f32>(offsets.len() - 1)?;
        let mut plan = SegmentedPlan::<Sum<f32>>::with_blocks(&bench.module, 7)?;
        for _ in 0..2 {
            output.fill_bytes(CANARY)?;
            plan.reduce(&input, &offsets, &mut output)?;
        }
        Ok(output.to_vec()?.into_iter().map(f32::to_bits).collect())
    };
    let once = bits(bench)?;
    assert_eq!(once, bits(bench)?);
    for seed in 1..4 {
        let schedule = Some(seed);
        let other = bench.emulated(Settings {
            schedule,
            ..Settings::default()
        })?;
        assert_eq!(once, bits(&other)?, "schedule {seed}");
    }
    Ok(())
}

/// Offsets that break their word: results are unspecified, and what lies around them is
/// as it was.
pub(crate) fn offsets_that_do_not_ascend_write_nothing_elsewhere(bench: &Bench) -> Outcome {
    let input = bench
        .device
        .upload(&(0..3000).map(word).collect::<Vec<u32>>())?;
    let mut plan = SegmentedPlan::<Sum<u32>>::new(&bench.module)?;
    for offsets in [
        // So many that a group of lanes has each.
        (0..80).map(|i| word(i) % 4000).collect(),
        vec![9, 3, 2000, 100, 2999, 5],
        vec![0, u32::MAX, 7, u32::MAX],
        vec![5000, 6000, 7000],
        vec![100, 50],
    ] {
        let segments = offsets.len() - 1;
        let offsets = bench.device.upload(&offsets)?;
        let mut output = bench.device.upload(&vec![7u32; segments + 2])?;
        plan.reduce(&input, &offsets, output.slice_mut(1..=segments)?)?;
        let output = output.to_vec()?;
        assert_eq!((output[0], output[segments + 1]), (7, 7));
    }
    // The plan is as good as new.
    let offsets = bench.device.upload(&[0u32, 1, 3])?;
    let mut output = bench.device.alloc_zeroed::<u32>(2)?;
    plan.reduce(&input, &offsets, &mut output)?;
    assert_eq!(output.to_vec()?, [word(0), word(1).wrapping_add(word(2))]);
    Ok(())
}

pub(crate) fn segments_that_do_not_fit_their_results_are_refused(bench: &Bench) -> Outcome {
    let input = bench.device.alloc_zeroed::<u32>(10)?;
    let offsets = bench.device.upload(&[0u32, 4, 10])?;
    let mut output = bench.device.upload(&[7u32; 3])?;
    let mut plan = SegmentedPlan::<Sum<u32>>::new(&bench.module)?;
    let message = |result: quadscan::Result<()>| result.err().map(|error| error.to_string());
    assert_eq!(
        message(plan.reduce(&input, &offsets, &mut output)).as_deref(),
        Some("elements of the output is 3, allowed are 2 to 2 for these segments")
    );
    assert_eq!(
        message(plan.reduce(&input, offsets.slice(..0)?, output.slice_mut(..0)?)).as_deref(),
        Some("offsets is 0, allowed are 1 to 4294963200 for segments")
    );
    assert_eq!(output.to_vec()?, [7; 3], "a refused reduction wrote");
    Ok(())
}
