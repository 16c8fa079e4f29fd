//! Selections: of every type, by every way to choose, around every tile.

use std::fmt::Debug;

use bytemuck::{Pod, bytes_of, cast_slice};
use cuda_std::{bf16, f16};
use quadscan::Error;
use quadscan::device::emulator::Settings;
use quadscan::device::emulator::ptx_emulator::Model;
use quadscan::device::{Buffer, Module};
use quadscan::select::{AnyBit, Compare, Condition, Plan, Predicate, SelectKernels};
use quadscan_kernels::scan::scratch::HEAD;
use quadscan_tests::suite::{Bench, Outcome};

/// Written where nothing else may be.
const CANARY: u8 = 0xa5;

/// How elements are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    Predicate,
    Flags,
    Runs,
}

const WAYS: [By; 3] = [By::Predicate, By::Flags, By::Runs];

/// An element from 32 bits: equal to the one before it every few times.
trait Element: Pod + Debug {
    fn of(bits: u32) -> Self;
}

macro_rules! elements {
    ($($type:ty: |$bits:ident| $value:expr;)*) => {$(
        impl Element for $type {
            fn of($bits: u32) -> Self {
                $value
            }
        }
    )*};
}

elements! {
    u8: |bits| bits as u8 % 5;
    i8: |bits| bits as i8;
    u16: |bits| bits as u16 % 7;
    i16: |bits| bits as i16;
    u32: |bits| bits;
    i32: |bits| bits as i32;
    u64: |bits| u64::from(bits) << 20;
    i64: |bits| i64::from(bits as i32) << 20;
    f32: |bits| float(bits) as f32;
    f64: |bits| float(bits);
    f16: |bits| f16::from_f64(float(bits));
    bf16: |bits| bf16::from_f64(float(bits));
    [u32; 4]: |bits| [bits % 2, 0, 0, bits & 2];
    u128: |bits| u128::from(bits % 4) << 64;
}

/// Zeros of both signs, NaN and infinities among others.
fn float(bits: u32) -> f64 {
    match bits % 11 {
        0 => 0.0,
        1 => -0.0,
        2 => f64::NAN,
        3 => f64::INFINITY,
        4 => f64::NEG_INFINITY,
        5 => -1.0,
        _ => f64::from(bits as i32) / 65536.0,
    }
}

fn mixed(i: usize) -> u32 {
    let x = (i as u32).wrapping_mul(0x9e37_79b9);
    (x ^ x >> 15).wrapping_mul(0x85eb_ca6b) ^ x >> 7
}

/// Elements in runs of one to three.
fn sample<T: Element>(n: usize) -> Vec<T> {
    (0..n)
        .map(|i| T::of(mixed(i - i * i % 3 % (i + 1))))
        .collect()
}

/// Flags of bytes that are 0, 1 or something else.
fn flags(n: usize) -> Vec<u8> {
    let flag = |i| [0, 1, 0, 255, 0, 128, 2][mixed(i + 7) as usize % 7];
    (0..n).map(flag).collect()
}

/// What is to be selected, and the rest.
fn expected<P: Predicate>(
    way: By,
    parameter: P::Parameter,
    elements: &[P::Item],
    flags: &[u8],
) -> (Vec<P::Item>, Vec<P::Item>) {
    let is_chosen = |i: usize| match way {
        By::Predicate => P::selects(elements[i], parameter),
        By::Flags => flags[i] != 0,
        By::Runs => i == 0 || !P::repeats(elements[i], elements[i - 1], P::of_runs()),
    };
    let of = |chosen| {
        let indices = (0..elements.len()).filter(move |&i| is_chosen(i) == chosen);
        indices.map(|i| elements[i]).collect()
    };
    (of(true), of(false))
}

/// Memory for elements behind `first` ones and before one more, all canaries.
struct Guarded<T: Pod>(Buffer<T>, usize);

impl<T: Pod> Guarded<T> {
    fn new(bench: &Module, first: usize, n: usize) -> quadscan::Result<Self> {
        let mut buffer = bench.device().alloc(first + n + 1)?;
        buffer.fill_bytes(CANARY)?;
        Ok(Self(buffer, first))
    }

    /// Whether these elements, and nothing else, were written.
    fn check(&self, expected: &[T], what: &str) -> Outcome {
        let all = self.0.to_vec()?;
        let (before, rest) = all.split_at(self.1);
        let (found, behind) = rest.split_at(expected.len());
        assert!(
            cast_slice::<_, u8>(found) == cast_slice::<_, u8>(expected),
            "{what}: other elements"
        );
        let mut canaries = cast_slice::<_, u8>(before).iter().chain(cast_slice(behind));
        assert!(
            canaries.all(|&byte| byte == CANARY),
            "{what}: a canary is gone"
        );
        Ok(())
    }
}

/// Asks a plan for everything that it can do with `n` elements, of an input and an output that
/// begin so many elements behind a multiple of 256 bytes.
fn check<P>(
    module: &Module,
    plan: &mut Plan<P>,
    parameter: P::Parameter,
    n: usize,
    [from, to]: [usize; 2],
) -> Outcome
where
    P: SelectKernels,
    P::Item: Element,
{
    let device = module.device();
    let elements = sample::<P::Item>(from + n);
    let input = device.upload(&elements)?;
    let marks = flags(from + n);
    let marked = device.upload(&marks)?;
    let (elements, marks) = (&elements[from..], &marks[from..]);
    let input = input.slice(from..)?;
    let marked = marked.slice(from..)?;
    for way in WAYS {
        let (chosen, rest) = expected::<P>(way, parameter, elements, marks);
        for is_partition in [false, true] {
            if is_partition && way == By::Runs {
                continue;
            }
            let what = format!(
                "{} by {way:?}, {n} from {from} to {to}, partition {is_partition}",
                std::any::type_name::<P>()
            );
            let mut output = Guarded::new(module, to, n)?;
            let mut count = Guarded::<u64>::new(module, 1, 1)?;
            {
                let output = output.0.slice_mut(to..to + n)?;
                let count = count.0.slice_mut(1..2)?;
                match (way, is_partition) {
                    (By::Predicate, false) => plan.select(parameter, input, output, count)?,
                    (By::Predicate, true) => plan.partition(parameter, input, output, count)?,
                    (By::Flags, false) => plan.by_flags(marked, input, output, count)?,
                    (By::Flags, true) => plan.partition_by_flags(marked, input, output, count)?,
                    (By::Runs, _) => plan.unique(input, output, count)?,
                }
            }
            let mut all = chosen.clone();
            if is_partition {
                all.extend(rest.iter().rev());
            }
            count.check(&[chosen.len() as u64], &what)?;
            output.check(&all, &what)?;
        }
    }
    Ok(())
}

/// Sizes around lanes, warps and tiles of the kernel for small arrays, and one of several tiles.
fn sizes<P: SelectKernels>() -> Vec<usize> {
    let tile = P::KERNELS[0].tile as usize;
    let warp = tile / 8;
    vec![
        0,
        1,
        31,
        33,
        warp + 1,
        tile - 1,
        tile,
        tile + 1,
        2 * tile + 77,
    ]
}

fn small<P>(bench: &Bench, parameter: P::Parameter) -> Outcome
where
    P: SelectKernels,
    P::Item: Element,
{
    let sizes = sizes::<P>();
    let most = sizes.iter().max().map_or(0, |most| most + 1);
    let mut plan = Plan::<P>::new(&bench.module, most)?;
    for (i, n) in sizes.into_iter().enumerate() {
        let begin = if i % 2 == 0 { [0, 0] } else { [3, 1] };
        check(&bench.module, &mut plan, parameter, n, begin)?;
    }
    Ok(())
}

/// A warp's elements and one more, of a type whose kernel others have too.
fn few<P>(bench: &Bench, parameter: P::Parameter) -> Outcome
where
    P: SelectKernels,
    P::Item: Element,
{
    let n = P::KERNELS[0].tile as usize / 8 + 1;
    let mut plan = Plan::<P>::new(&bench.module, n)?;
    check(&bench.module, &mut plan, parameter, n, [1, 2])
}

/// More than a wave of two blocks, so that elements stream where the device looks ahead, and
/// several launches follow each other where it does not.
fn large<P>(module: &Module, parameter: P::Parameter) -> Outcome
where
    P: SelectKernels,
    P::Item: Element,
{
    let tile = P::KERNELS[1].tile as usize;
    let mut plan = Plan::<P>::with_blocks(module, 8 * tile, 2)?;
    // A block has four tiles: a round more than a count waits for its place.
    for (n, begin) in [(tile + 5, [1, 0]), (7 * tile + 1234, [3, 2])] {
        check(module, &mut plan, parameter, n, begin)?;
    }
    Ok(())
}

pub(crate) fn elements_are_selected_around_every_warp_and_tile(bench: &Bench) -> Outcome {
    small::<Compare<u8>>(bench, Condition::greater(2))?;
    small::<Compare<u16>>(bench, Condition::at_most(3))?;
    small::<Compare<u32>>(bench, Condition::greater(1 << 31))?;
    small::<Compare<u64>>(bench, Condition::between(1 << 49, 1 << 51))?;
    small::<AnyBit<[u32; 4]>>(bench, ())
}

pub(crate) fn elements_of_every_type_are_selected(bench: &Bench) -> Outcome {
    few::<Compare<i8>>(bench, Condition::less(3))?;
    few::<Compare<i16>>(bench, Condition::at_least(-100))?;
    few::<Compare<f16>>(bench, Condition::is_finite())?;
    few::<Compare<bf16>>(bench, !Condition::is_nan())?;
    few::<Compare<i32>>(bench, Condition::greater(0))?;
    few::<Compare<f32>>(bench, Condition::less(0.0))?;
    few::<Compare<i64>>(bench, Condition::less(-5))?;
    few::<Compare<f64>>(bench, Condition::non_zero())?;
    few::<AnyBit<u128>>(bench, ())
}

/// Large arrays of every width, a test each, so that they run beside each other.
macro_rules! of_every_width {
    ($($test:ident, $older:ident: $predicate:ty, $parameter:expr;)*) => {$(
        pub(crate) fn $test(bench: &Bench) -> Outcome {
            large::<$predicate>(&bench.module, $parameter)
        }

        /// On an emulated T4, which is given the PTX for these, whatever the suite's device is.
        pub(crate) fn $older(bench: &Bench) -> Outcome {
            let settings = Settings {
                model: Model::t4(),
                ..Settings::default()
            };
            large::<$predicate>(&bench.emulated(settings)?.module, $parameter)
        }
    )*};
}

of_every_width! {
    large_arrays_of_8_bits_are_selected_from, older_gpus_select_of_8_bits:
        Compare<u8>, Condition::greater(2);
    large_arrays_of_16_bits_are_selected_from, older_gpus_select_of_16_bits:
        Compare<i16>, Condition::at_least(-100);
    large_arrays_of_32_bits_are_selected_from, older_gpus_select_of_32_bits:
        Compare<i32>, Condition::greater(0);
    large_arrays_of_64_bits_are_selected_from, older_gpus_select_of_64_bits:
        Compare<f64>, Condition::non_zero();
    large_arrays_of_128_bits_are_selected_from, older_gpus_select_of_128_bits:
        AnyBit<[u32; 4]>, ();
}

/// All elements, none, and all but a few, on grids of any size.
pub(crate) fn any_share_is_selected_on_grids_of_any_size(bench: &Bench) -> Outcome {
    let tile = <Compare<u32> as SelectKernels>::KERNELS[1].tile as usize;
    let elements = sample::<u32>(5 * tile + 99);
    let n = elements.len();
    let input = bench.device.upload(&elements)?;
    for blocks in [1, 3, u32::MAX] {
        let mut plan = Plan::<Compare<u32>>::with_blocks(&bench.module, n, blocks)?;
        for condition in [
            Condition::at_least(0),
            !Condition::at_least(0),
            Condition::less(1 << 24),
            Condition::greater(1 << 24),
        ] {
            let mut output = Guarded::new(&bench.module, 0, n)?;
            let mut count = bench.device.alloc_zeroed::<u64>(1)?;
            plan.select(condition, &input, output.0.slice_mut(..n)?, &mut count)?;
            let (chosen, _) = expected::<Compare<u32>>(By::Predicate, condition, &elements, &[]);
            assert_eq!(count.to_vec()?, [chosen.len() as u64]);
            output.check(&chosen, &format!("{condition:?} with {blocks} blocks"))?;
        }
    }
    Ok(())
}

/// A plan selects again, of fewer and of more elements, in a stream and in graphs.
pub(crate) fn selections_that_were_recorded_are_done_at_every_launch(bench: &Bench) -> Outcome {
    let n = 40_000;
    let elements = sample::<i32>(n);
    let mut input = bench.device.upload(&elements)?;
    let mut output = bench.device.alloc::<i32>(n)?;
    let mut counts = bench.device.alloc_zeroed::<u64>(3)?;
    let mut plan = Plan::<Compare<i32>>::with_blocks(&bench.module, n, 2)?;
    let graph = bench.device.capture(|| {
        for (i, few) in [100, n, 3000].into_iter().enumerate() {
            let count = counts.slice_mut(i..i + 1)?;
            plan.select(
                Condition::greater(7),
                input.slice(..few)?,
                &mut output,
                count,
            )?;
        }
        Ok(())
    })?;
    for round in 0..4 {
        let changed: Vec<i32> = elements.iter().map(|x| x.rotate_left(round)).collect();
        input.copy_from(&changed)?;
        graph.launch()?;
        let kept = |few: usize| changed[..few].iter().filter(|&&x| x > 7).count();
        let expected = [100, n, 3000].map(|few| kept(few) as u64);
        assert_eq!(counts.to_vec()?, expected, "round {round}");
        let last: Vec<i32> = changed[..3000].iter().copied().filter(|&x| x > 7).collect();
        assert_eq!(output.to_vec()?[..last.len()], last, "round {round}");
    }
    Ok(())
}

/// Two launches before the tags begin again, with words that launches of the last cycle left:
/// plausible counts, with tags that are about to come back, but for the first one, whose words
/// the second has cleared.
pub(crate) fn words_of_4294967295_selections_ago_are_not_taken_for_counts(
    bench: &Bench,
) -> Outcome {
    let [wave, ahead] = <Compare<u64> as SelectKernels>::KERNELS.map(|one| one.tile as usize);
    let (wave, ahead) = (2 * wave - 5, 4 * ahead + 77);
    let mut plan = Plan::<Compare<u64>>::with_blocks(&bench.module, ahead, 2)?;
    // SAFETY: plausible counts of earlier launches, and the number of these.
    let mut scratch = unsafe { plan.scratch_mut() };
    let old = |i: u64| (i % 4 + 2) << 32 | 123;
    let mut words: Vec<u64> = (0..scratch.len() as u64).map(old).collect();
    words[..HEAD as usize].fill(0);
    words[0] = ((1 << 32) - 3) << 32;
    scratch.copy_from(&words)?;
    let condition = Condition::greater(1 << 51);
    for n in [wave, ahead, wave, ahead, ahead, wave, ahead] {
        check(&bench.module, &mut plan, condition, n, [0, 0])?;
    }
    // Five launches a check, all but two of them after the tags began again.
    // SAFETY: nothing is written.
    let scratch = unsafe { plan.scratch_mut() };
    assert_eq!(scratch.to_vec()?[0], 33 << 32);
    Ok(())
}

pub(crate) fn selections_that_do_not_fit_are_refused_and_nothing_is_written(
    bench: &Bench,
) -> Outcome {
    let device = &bench.device;
    let input = device.upload(&[1u32, 2, 3, 4])?;
    let marks = device.upload(&[1u8, 1, 1])?;
    let mut output = device.alloc_zeroed::<u32>(4)?;
    let mut count = device.alloc_zeroed::<u64>(2)?;
    let mut plan = Plan::<Compare<u32>>::new(&bench.module, 4)?;
    assert_eq!(plan.capacity(), 4);
    let all = Condition::at_least(0);
    let said = |refused: quadscan::Result<()>| refused.expect_err("it is refused").to_string();

    let short = output.slice_mut(..3)?;
    let refused = plan.select(all, &input, short, count.slice_mut(..1)?);
    assert_eq!(
        said(refused),
        "output has 3 elements, needed are the input's 4"
    );
    let refused = plan.by_flags(&marks, &input, &mut output, count.slice_mut(..1)?);
    assert_eq!(
        said(refused),
        "flags has 3 elements, needed are the input's 4"
    );
    let refused = plan.unique(&input, &mut output, &mut count);
    assert_eq!(said(refused), "count has 2 elements, needed is 1");
    let mut small = Plan::<Compare<u32>>::new(&bench.module, 3)?;
    let refused = small.partition(all, &input, &mut output, count.slice_mut(..1)?);
    assert_eq!(
        said(refused),
        "input has 4 elements, the plan is for up to 3"
    );
    let refused = Plan::<Compare<u32>>::with_blocks(&bench.module, 4, 0);
    assert_eq!(
        said(refused.map(drop)),
        "blocks is 0, allowed are 1 or more"
    );

    let other = bench.emulated(Settings::default())?;
    let elsewhere = other.device.upload(&[1u32])?;
    let refused = plan.select(all, &elsewhere, &mut output, count.slice_mut(..1)?);
    assert!(
        matches!(refused, Err(Error::ForeignBuffer { .. })),
        "{refused:?}"
    );
    assert_eq!(bytes_of(&output.to_vec()?[0]), [0; 4]);
    assert_eq!(count.to_vec()?, [0, 0]);
    Ok(())
}
