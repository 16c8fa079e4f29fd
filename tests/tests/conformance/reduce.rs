//! Reductions of arrays.

use std::fmt::Debug;

use bytemuck::{Pod, bytes_of};
use quadscan::Error;
use quadscan::device::emulator::Settings;
use quadscan::device::{Actual, Buffer, LaunchConfig, LaunchShape};
use quadscan::reduce::{Plan, SegmentedPlan};
use quadscan_kernels::operator::{Identity, Sum};
use quadscan_kernels::reduce::sizes::BLOCKS_EVERYWHERE;
use quadscan_kernels::reduce::{ReduceKernel, ReduceKernels, WAITS};
use quadscan_tests::oracle::reduction as oracle;
use quadscan_tests::suite::{Bench, Outcome};

/// None, one, around a warp, around a vector's four elements, around a row and a tile, any
/// number, and around what blocks take in that have a tile a warp.
const SIZES: &[usize] = &[
    0, 1, 2, 3, 4, 5, 31, 32, 33, 127, 128, 129, 255, 256, 257, 1000, 4095, 4096, 4097, 8191, 8192,
    8193, 10_000, 16_385,
];

/// Written before and behind an output.
const CANARY: u8 = 0xa5;

/// Elements and how they are made.
trait Element: Pod + Debug {
    fn sample(i: usize) -> Self;
}

impl Element for u32 {
    /// Large: the sums wrap.
    fn sample(i: usize) -> u32 {
        (i as u32 + 1).wrapping_mul(2_654_435_761)
    }
}

impl Element for u64 {
    fn sample(i: usize) -> u64 {
        (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

impl Element for f32 {
    /// Of many magnitudes and both signs: every association has bits of its own.
    fn sample(i: usize) -> f32 {
        let bits = u32::sample(i);
        (bits as i32 as f32) * 2f32.powi(-((bits % 40) as i32))
    }
}

impl Element for f64 {
    fn sample(i: usize) -> f64 {
        let bits = u64::sample(i);
        (bits as i64 as f64) * 2f64.powi(-((bits % 90) as i32))
    }
}

fn sample<T: Element>(n: usize) -> Vec<T> {
    (0..n).map(T::sample).collect()
}

/// Memory for one element between two canaries, and what it holds.
struct Guarded<T: Pod>(Buffer<T>);

impl<T: Pod> Guarded<T> {
    fn new(bench: &Bench) -> quadscan::Result<Self> {
        let mut buffer = bench.device.alloc(3)?;
        buffer.fill_bytes(CANARY)?;
        Ok(Self(buffer))
    }

    /// The bytes of the element; the canaries are as they were.
    fn bytes(&self) -> quadscan::Result<Vec<u8>> {
        let all = self.0.to_vec()?;
        let canary = vec![CANARY; size_of::<T>()];
        for guard in [0, 2] {
            assert_eq!(bytes_of(&all[guard]), canary, "a canary is gone");
        }
        Ok(bytes_of(&all[1]).to_vec())
    }
}

/// What a reduction of all elements has to give, on up to so many blocks.
fn expected<O: ReduceKernels>(elements: &[O::Input], blocks: usize) -> Option<O::Accumulator> {
    match oracle::blocks_of_one_wave::<O>(elements.len()) {
        Some(in_one_wave) if in_one_wave <= blocks => {
            oracle::one_wave::<O>(elements, elements.len())
        }
        _ => oracle::device::<O>(elements, blocks),
    }
}

/// A plan's results have the oracle's bits, for every size and wherever the array begins.
fn has_the_documented_bits<O>(bench: &Bench, sizes: &[usize], blocks: u32) -> Outcome
where
    O: ReduceKernels + Identity,
    O::Input: Element,
{
    let most = sizes.iter().copied().max().unwrap_or(0);
    let numbers = sample::<O::Input>(most + 3);
    let input = bench.device.upload(&numbers)?;
    let mut plan = Plan::<O>::with_blocks(&bench.module, most, blocks)?;
    for &n in sizes {
        for first in [0, 1, 3] {
            let elements = first..first + n;
            let total = expected::<O>(&numbers[elements.clone()], blocks as usize);
            let total = O::finish(total.unwrap_or(O::IDENTITY));
            let mut output = Guarded::new(bench)?;
            plan.reduce(input.slice(elements)?, output.0.slice_mut(1..2)?)?;
            let name = std::any::type_name::<O>();
            assert_eq!(
                output.bytes()?,
                bytes_of(&total),
                "{name} of {n} from {first}, {blocks} blocks"
            );
        }
    }
    assert!(
        bytemuck::cast_slice::<_, u8>(&input.to_vec()?) == bytemuck::cast_slice::<_, u8>(&numbers),
        "the input has changed"
    );
    Ok(())
}

pub(crate) fn reductions_have_the_documented_bits_wherever_the_array_begins(
    bench: &Bench,
) -> Outcome {
    has_the_documented_bits::<Sum<u32>>(bench, SIZES, 3)?;
    has_the_documented_bits::<Sum<u64>>(bench, SIZES, 3)?;
    has_the_documented_bits::<Sum<f32>>(bench, SIZES, 3)?;
    has_the_documented_bits::<Sum<f64>>(bench, SIZES, 3)
}

/// Around a tile for every warp of every block, around two, and a part that is not full.
pub(crate) fn parts_of_any_number_of_tiles_are_combined_in_order(bench: &Bench) -> Outcome {
    let block = Sum::<f32>::DEVICE.block() as usize;
    for blocks in [1, 2, 3] {
        let all = blocks as usize * block;
        let sizes = [
            all - 1,
            all,
            all + 1,
            2 * all - 1,
            2 * all + 1,
            3 * all + 1337,
        ];
        has_the_documented_bits::<Sum<f32>>(bench, &sizes, blocks)?;
    }
    Ok(())
}

/// More blocks than one warp looks at in one go, the last group not full.
pub(crate) fn totals_of_several_groups_of_blocks_are_combined(bench: &Bench) -> Outcome {
    let n = 32 * 128 * Sum::<f64>::ONE_WAVE.tile as usize;
    let block = Sum::<f64>::DEVICE.block() as usize;
    has_the_documented_bits::<Sum<f64>>(bench, &[n.max(130 * block) + 5], 132)
}

/// Around what one block takes in, and what blocks of 8 and of 16 warps do.
pub(crate) fn blocks_of_a_tile_a_warp_have_as_many_warps_as_documented(bench: &Bench) -> Outcome {
    let tile = Sum::<f64>::ONE_WAVE.tile as usize;
    let one = 32 * tile;
    let sizes = [one, one + 1, 8 * 128 * tile + 1, 16 * 128 * tile + 1];
    has_the_documented_bits::<Sum<f64>>(bench, &sizes, 128)
}

pub(crate) fn an_initial_value_is_the_first_operand_and_the_result_of_nothing(
    bench: &Bench,
) -> Outcome {
    let numbers = sample::<f32>(20_000);
    let input = bench.device.upload(&numbers)?;
    let mut plan = Plan::<Sum<f32>>::with_blocks(&bench.module, numbers.len(), 2)?;
    let initial = 0.1f32;
    for n in [0, 1, 33, 9000, 20_000] {
        let total = expected::<Sum<f32>>(&numbers[..n], 2);
        let total = total.map_or(initial, |total| initial + total);
        let mut output = Guarded::<f32>::new(bench)?;
        plan.reduce_with(initial, input.slice(..n)?, output.0.slice_mut(1..2)?)?;
        assert_eq!(output.bytes()?, bytes_of(&total), "of {n}: not {total}");
    }
    Ok(())
}

/// The device's count, of fewer blocks than the launch has, of none, and of more elements
/// than there are: of blocks that wait for each other, and of those that do not.
pub(crate) fn a_count_in_device_memory_says_how_many_elements_there_are(bench: &Bench) -> Outcome {
    type O = Sum<f32>;
    let numbers = sample::<f32>(30_000);
    let input = bench.device.upload(&numbers)?;
    for blocks in [3, 128] {
        let mut plan = Plan::<O>::with_blocks(&bench.module, numbers.len(), blocks as u32)?;
        for count in [0, 1, 1000, 8193, 30_000, u64::MAX] {
            let n = (count as usize).min(numbers.len());
            let count = bench.device.upload(&[count])?;
            let total = match blocks {
                3 => oracle::device::<O>(&numbers[..n], blocks),
                _ => oracle::one_wave::<O>(&numbers[..n], numbers.len()),
            };
            let total = total.unwrap_or(0.5);
            let initial = if n == 0 { 0.5 } else { -0.0 };
            let mut output = Guarded::<f32>::new(bench)?;
            plan.reduce_counted(&count, initial, &input, output.0.slice_mut(1..2)?)?;
            assert_eq!(output.bytes()?, bytes_of(&total), "of {n}: not {total}");
        }
    }
    Ok(())
}

pub(crate) fn the_same_plan_gives_the_same_bits_again_and_in_a_graph(bench: &Bench) -> Outcome {
    let numbers = sample::<f64>(40_001);
    let input = bench.device.upload(&numbers)?;
    let mut outputs = bench.device.alloc_zeroed::<f64>(12)?;
    let mut plan = Plan::<Sum<f64>>::new(&bench.module, numbers.len())?;
    for i in 0..12 {
        let output = outputs.slice_mut(i..i + 1)?;
        plan.reduce(input.slice(1..)?, output)?;
    }
    let bits: Vec<u64> = outputs.to_vec()?.into_iter().map(f64::to_bits).collect();
    assert_eq!(bits, [bits[0]; 12]);
    let mut output = bench.device.alloc_zeroed::<f64>(1)?;
    let graph = bench.device.capture(|| {
        plan.reduce(input.slice(1..)?, &mut output)?;
        plan.reduce(input.slice(1..)?, &mut output)
    })?;
    for _ in 0..3 {
        graph.launch()?;
    }
    assert_eq!(output.to_vec()?[0].to_bits(), bits[0]);
    Ok(())
}

/// What is said in the documentation of plans: blocks change the bits of floats, and
/// `same_on_every_device` makes them a constant.
pub(crate) fn a_plan_for_every_device_has_blocks_of_its_own(bench: &Bench) -> Outcome {
    let numbers = sample::<f32>(32 * 128 * Sum::<f32>::ONE_WAVE.tile as usize + 1);
    let input = bench.device.upload(&numbers)?;
    let mut bits = Vec::new();
    for blocks in [1, 2, BLOCKS_EVERYWHERE] {
        let mut plan = Plan::<Sum<f32>>::with_blocks(&bench.module, numbers.len(), blocks.min(2))?;
        if blocks == BLOCKS_EVERYWHERE {
            plan = plan.same_on_every_device()?;
        }
        let mut output = bench.device.alloc_zeroed::<f32>(1)?;
        plan.reduce(&input, &mut output)?;
        let total = oracle::device::<Sum<f32>>(&numbers, blocks as usize);
        assert_eq!(total, Some(output.to_vec()?[0]), "{blocks} blocks");
        bits.push(output.to_vec()?[0].to_bits());
    }
    assert!(bits[0] != bits[1] && bits[1] != bits[2], "{bits:?}");
    Ok(())
}

/// The counter of launches begins again after 2^32 - 1. Then no word may be taken for one
/// of this cycle that is left from the one before.
pub(crate) fn the_counter_of_launches_begins_again_and_old_totals_are_forgotten(
    bench: &Bench,
) -> Outcome {
    let (wave, device) = (Sum::<u64>::ONE_WAVE, Sum::<u64>::DEVICE);
    forgets_old_totals(bench, device, 0)?;
    forgets_old_totals(bench, wave, 0)?;
    forgets_old_totals(bench, wave, WAITS)
}

fn forgets_old_totals(bench: &Bench, kernel: ReduceKernel, flags: u32) -> Outcome {
    type O = Sum<u64>;
    let warps = kernel.warps.min(8);
    let block = kernel.tile as usize * warps as usize;
    let numbers = sample::<u64>(5 * block);
    let input = bench.device.upload(&numbers)?;
    let mut output = bench.device.alloc_zeroed::<u64>(1)?;
    // Totals that launches 1 to 3 of a cycle could take for theirs, all over the memory.
    let words = kernel.scratch_words(300) as usize;
    let mut old: Vec<u64> = (0..words as u64).map(|i| (i % 3 + 1) << 32 | 77).collect();
    old[0] = u64::from(u32::MAX - 2) << 32;
    let mut scratch = bench.device.upload(&old)?;
    for (launch, blocks) in [5usize, 3, 2, 4, 5, 4].into_iter().enumerate() {
        let n = blocks * block;
        let arguments = [
            bytes_of(&input.address()).to_vec(),
            bytes_of(&output.address()).to_vec(),
            bytes_of(&(n as u64)).to_vec(),
            vec![0; 8],
            vec![0; 8],
            bytes_of(&flags).to_vec(),
            bytes_of(&scratch.address()).to_vec(),
            bytes_of(&(words as u64)).to_vec(),
        ];
        let arguments: Vec<_> = arguments
            .iter()
            .map(|bytes| Actual {
                bytes,
                elements: None,
            })
            .collect();
        let config = LaunchConfig::new(LaunchShape::new(blocks as u32, 32 * warps));
        let config = if flags & WAITS == 0 {
            config
        } else {
            config.cooperative()
        };
        // SAFETY: the parameters are the kernel's, there is scratch memory for 300 blocks,
        // and blocks that wait are resident at once.
        unsafe { bench.module.launch_raw(kernel.entry, config, &arguments)? };
        let sum = oracle::sequential::<O>(&numbers[..n]);
        let name = format!("{}, flags {flags}, launch {launch}", kernel.entry);
        assert_eq!(Some(output.to_vec()?[0]), sum, "{name}");
        let now = scratch.to_vec()?;
        let launches = (u64::from(u32::MAX - 2) + launch as u64 + 1) % u64::from(u32::MAX);
        assert_eq!(now[0], launches << 32, "{name}");
        // Launches with the tags 1 and 2 leave no word but their own.
        if launches == 1 || launches == 2 {
            let left = now[16..].iter().filter(|&&word| word != 0);
            assert!(left.clone().all(|word| word >> 32 == launches));
            assert_eq!(left.count(), 2 * blocks, "{name}");
        }
    }
    scratch.fill_bytes(0)?;
    output.fill_bytes(0)?;
    Ok(())
}

/// Code without a manifest, whose kernels have the names of ours and other parameters.
const NAMESAKES: &str = "
.version 6.4
.target sm_75
.address_size 64
.visible .entry reduce_one_wave_sum_u32(.param .u64 address) { ret; }
.visible .entry reduce_sum_u32(.param .u64 address) { ret; }
.visible .entry segmented_reduce_sum_u32(.param .u64 address) { ret; }
";

pub(crate) fn kernels_that_have_but_the_names_of_ours_are_refused(bench: &Bench) -> Outcome {
    let module = bench.device.load_ptx(NAMESAKES)?;
    let plan = Plan::<Sum<u32>>::new(&module, 100);
    assert!(matches!(plan, Err(Error::NoManifest { .. })), "{plan:?}");
    let plan = SegmentedPlan::<Sum<u32>>::new(&module);
    assert!(matches!(plan, Err(Error::NoManifest { .. })), "{plan:?}");
    Ok(())
}

/// A block tells the others its total in a word, at least.
pub(crate) fn what_plans_hold_depends_on_their_blocks_and_not_on_their_elements(
    bench: &Bench,
) -> Outcome {
    let module = &bench.module;
    let plan = |capacity, blocks| {
        let plan = Plan::<Sum<u32>>::with_blocks(module, capacity, blocks);
        plan.map(|plan| plan.scratch_size())
    };
    let most = 1 << 40;
    assert_eq!(plan(most, 3)?, plan(most / 1024, 3)?);
    let all = 1003 * size_of::<u64>();
    assert!(plan(most, 1003)? >= all && plan(most, 3)? < all);
    let segmented = |blocks| {
        let plan = SegmentedPlan::<Sum<u32>>::with_blocks(module, blocks);
        plan.map(|plan| plan.scratch_size())
    };
    assert!(segmented(1003)? >= all && segmented(3)? < all);
    Ok(())
}

pub(crate) fn reductions_that_do_not_fit_the_plan_are_refused(bench: &Bench) -> Outcome {
    let input = bench.device.alloc_zeroed::<u32>(101)?;
    let mut output = bench.device.upload(&[7u32, 7])?;
    let mut plan = Plan::<Sum<u32>>::new(&bench.module, 100)?;
    let refused = [
        (
            plan.reduce(&input, output.slice_mut(..1)?),
            "elements of the input is 101, allowed are 0 to 100 for this plan",
        ),
        (
            plan.reduce(input.slice(..9)?, &mut output),
            "elements of the output is 2, allowed are 1 to 1 for a reduction",
        ),
        (
            Plan::<Sum<u32>>::with_blocks(&bench.module, 100, 0).map(drop),
            "blocks is 0, allowed are 1 to 4096 for a reduction",
        ),
    ];
    for (result, sentence) in refused {
        assert_eq!(
            result.err().map(|error| error.to_string()).as_deref(),
            Some(sentence)
        );
    }
    assert_eq!(output.to_vec()?, [7, 7], "a refused reduction wrote");
    let other = bench.emulated(Settings::default())?;
    let foreign = other.device.alloc_zeroed::<u32>(1)?;
    let result = plan.reduce(&foreign, output.slice_mut(..1)?);
    assert!(matches!(result, Err(Error::ForeignBuffer { argument, .. }) if argument == "input"));
    Ok(())
}
