//! Scans and reduces with operators of its own, on emulators of two GPUs.

use std::fmt::Debug;

use bytemuck::Zeroable;
use kernels::{Largest, Map, Or, SumOfBytes, Then, Times, XLog};
use quadscan::Result;
use quadscan::device::emulator::ptx_emulator::Model;
use quadscan::device::emulator::{Emulator, Settings};
use quadscan::device::{Artifact, Device, Module};
use quadscan::integrate::{Adaptive, CONVERGED, Composite, Items, Rule};
use quadscan::reduce;
use quadscan::scan::{
    Algorithm, Identity, Operator, Options, Plan, ScanKernels, SegmentedPlan, SegmentedScanKernels,
};
use quadscan_kernels::reduce::ReduceKernels;

/// Elements before those that are scanned: none, and so few that nothing is aligned.
const SHIFTS: [usize; 2] = [0, 1];

fn compare<T: PartialEq + Debug>(found: &[T], expected: &[T], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let first = found.iter().zip(expected).position(|(a, b)| a != b);
    assert_eq!(first, None, "{what}");
}

/// Scans by every algorithm whose kernels there are, around warps and tiles; how many these
/// are.
fn scans<O>(
    module: &Module,
    element: fn(usize) -> O::Input,
    initial: O::Accumulator,
) -> Result<usize>
where
    O: ScanKernels + Identity,
    O::Output: PartialEq + Debug,
{
    let manifest = module.manifest().expect("there is one");
    let kernels = O::KERNELS.iter();
    let kernels = kernels.filter(|kernel| manifest.kernel(kernel.entry).is_some());
    let mut count = 0;
    for kernel in kernels {
        let tile = kernel.tile as usize;
        let most = kernel.capacity().min(2 * kernel.tile + 77) as usize;
        let options = Options {
            algorithm: Some(kernel.algorithm),
            max_blocks: (!kernel.algorithm.is_one_wave()).then_some(2),
            ..Options::default()
        };
        let mut plan = Plan::<O>::with(module, most as u64, options)?;
        let sizes = [1, 2, 31, 33, tile - 1, tile, tile + 1, most];
        for n in sizes.into_iter().filter(|&n| n <= most) {
            for shift in SHIFTS {
                let elements: Vec<O::Input> = (0..shift + n).map(element).collect();
                let input = module.device().upload(&elements)?;
                let mut output = module.device().alloc::<O::Output>(n)?;
                let what = format!("{} of {n} from {shift}", kernel.entry);
                plan.inclusive(input.slice(shift..)?, &mut output)?;
                let expected = oracle::inclusive::<O>(None, &elements[shift..]);
                compare(&output.to_vec()?, &expected, &what);
                plan.exclusive_with(initial, input.slice(shift..)?, &mut output)?;
                let expected = oracle::exclusive::<O>(initial, &elements[shift..]);
                compare(&output.to_vec()?, &expected, &what);
            }
        }
        count += 1;
    }
    Ok(count)
}

/// Scans segments of many lengths by every algorithm whose kernels there are, around a tile;
/// how many these are.
fn segments<O>(
    module: &Module,
    element: fn(usize) -> O::Input,
    initial: O::Accumulator,
) -> Result<usize>
where
    O: SegmentedScanKernels + Identity,
    O::Output: PartialEq + Debug,
{
    let (device, manifest) = (module.device(), module.manifest().expect("there is one"));
    let kernels = O::SEGMENTED.iter();
    let kernels = kernels.filter(|kernel| manifest.kernel(kernel.entry).is_some());
    let mut count = 0;
    for kernel in kernels {
        let options = Options {
            algorithm: Some(kernel.algorithm),
            max_blocks: (!kernel.algorithm.is_one_wave()).then_some(2),
            ..Options::default()
        };
        let most = 2 * kernel.tile as usize + 77;
        let mut plan = SegmentedPlan::<O>::with(module, most as u64, options)?;
        for n in [1, 33, most / 2 - 38, most] {
            let elements: Vec<O::Input> = (0..n).map(element).collect();
            let lengths = [1, 2, 31, 64, 5, 700, 33].into_iter().cycle();
            let begins = lengths.scan(0, |next, length| {
                let begin = *next;
                *next += length;
                Some(begin)
            });
            let mut offsets: Vec<u32> = begins.take_while(|&begin| begin < n as u32).collect();
            let begins = device.upload(&offsets)?;
            offsets.push(n as u32);
            let each = || {
                let pairs = offsets.windows(2);
                pairs.map(|two| &elements[two[0] as usize..two[1] as usize])
            };
            let input = device.upload(&elements)?;
            let mut output = device.alloc_zeroed::<O::Output>(n)?;
            let what = format!("{} of {n}", kernel.entry);
            plan.by_offsets(&begins).inclusive(&input, &mut output)?;
            let expected = each().flat_map(|part| oracle::inclusive::<O>(None, part));
            compare(&output.to_vec()?, &expected.collect::<Vec<_>>(), &what);
            plan.by_offsets(&begins)
                .exclusive_with(initial, &input, &mut output)?;
            let expected = each().flat_map(|part| oracle::exclusive::<O>(initial, part));
            compare(&output.to_vec()?, &expected.collect::<Vec<_>>(), &what);
        }
        count += 1;
    }
    Ok(count)
}

/// Reduces arrays of one block and of many, and segments of all lengths.
fn reductions<O>(module: &Module, element: fn(usize) -> O::Input) -> Result<()>
where
    O: ReduceKernels + Identity,
    O::Output: PartialEq + Debug,
{
    let device = module.device();
    let of = |elements: &[O::Input]| {
        let mut all = elements.iter().map(|&element| O::transform(element));
        let first = all.next().unwrap_or(O::IDENTITY);
        O::finish(all.fold(first, O::combine))
    };
    for n in [1, 2, 31, 33, 1000, 4097, 40_001] {
        for shift in SHIFTS {
            let elements: Vec<O::Input> = (0..shift + n).map(element).collect();
            let input = device.upload(&elements)?;
            let mut output = device.alloc_zeroed::<O::Output>(1)?;
            let mut plan = reduce::Plan::<O>::with_blocks(module, n, 3)?;
            plan.reduce(input.slice(shift..)?, &mut output)?;
            let what = format!("{} of {n} from {shift}", O::DEVICE.entry);
            compare(&output.to_vec()?, &[of(&elements[shift..])], &what);
        }
    }
    let lengths = [0, 1, 2, 31, 32, 33, 0, 700, 5, 9000, 64];
    let mut offsets = vec![0u32];
    for length in lengths {
        offsets.push(offsets[offsets.len() - 1] + length);
    }
    let elements: Vec<O::Input> = (0..offsets[lengths.len()] as usize).map(element).collect();
    let input = device.upload(&elements)?;
    let mut output = device.alloc_zeroed::<O::Output>(lengths.len())?;
    let mut plan = reduce::SegmentedPlan::<O>::with_blocks(module, 3)?;
    plan.reduce(&input, &device.upload(&offsets)?, &mut output)?;
    let segments = offsets.windows(2);
    let segments = segments.map(|two| of(&elements[two[0] as usize..two[1] as usize]));
    let expected: Vec<O::Output> = segments.collect();
    compare(&output.to_vec()?, &expected, O::SEGMENTED.entry);
    Ok(())
}

fn map(i: usize) -> Map {
    Map::new(2 * (i as u32 % 5) + 1, i as u32 % 97)
}

fn byte(i: usize) -> u8 {
    (i % 255) as u8 + 1
}

/// Operators of the library and an integrand, of which this application alone has kernels.
fn of_the_library(module: &Module) -> Result<()> {
    let bit = |i: usize| 1 << (i / 900 % 32);
    assert_eq!(scans::<Or>(module, bit, 1 << 7)?, 4);
    let number = |i: usize| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    assert_eq!(segments::<Largest>(module, number, 1 << 60)?, 3);
    reductions::<Times>(module, |i| if i % 3 == 0 { -1.0 } else { 1.0 })?;
    let mut plan = Composite::<f64>::of::<XLog>(module, 64)?;
    let value = plan.value(Rule::GaussLegendre(5), 64, (0.0, 1.0), &[])?;
    assert!((value - 0.25).abs() < 1e-15);
    let mut plan = Adaptive::<f64>::of::<XLog>(module, Default::default())?;
    let [outcome] = plan.outcomes(&Items::between(0.0, 1.0))?[..] else {
        panic!("one item")
    };
    assert!(outcome.status == CONVERGED && (outcome.value - 0.25).abs() < 1e-10);
    Ok(())
}

/// Both operators on a GPU; how many algorithms scanned with each, arrays and segments.
fn on(model: Model, artifact: &Artifact) -> Result<[usize; 4]> {
    let settings = Settings {
        model,
        ..Settings::default()
    };
    let device = Device::from_backend(Box::new(Emulator::new(settings)));
    let module = device.load(artifact)?;
    of_the_library(&module)?;
    reductions::<Then>(&module, map)?;
    reductions::<SumOfBytes>(&module, byte)?;
    let first = Map::new(3, 4);
    let bytes = SumOfBytes::combine(SumOfBytes::transform(200), SumOfBytes::transform(100));
    Ok([
        scans::<Then>(&module, map, first)?,
        scans::<SumOfBytes>(&module, byte, bytes)?,
        segments::<Then>(&module, map, first)?,
        segments::<SumOfBytes>(&module, byte, bytes)?,
    ])
}

fn main() -> Result<()> {
    // SAFETY: cuda_builder made the folder of the kernels that this program depends on.
    let artifact = unsafe { Artifact::read(env!("KERNELS")) }?;
    let all = Algorithm::ALL.len();
    assert_eq!(on(Model::h200(), &artifact)?, [all, 4, 3, 3]);
    // Nobody looks ahead there.
    assert_eq!(on(Model::t4(), &artifact)?, [all - 1, 4, 3, 3]);

    // Where segments begin is found by kernels that one line in a crate of kernels makes.
    let device = Device::from_backend(Box::new(Emulator::new(Settings::default())));
    // SAFETY: as above.
    let incomplete = unsafe { Artifact::read(env!("WITHOUT_SEGMENT_FLAGS")) }?;
    let module = device.load(&incomplete)?;
    let missing = SegmentedPlan::<SumOfBytes>::new(&module, 2).map(drop);
    let said = missing.expect_err("there is the line").to_string();
    let expected = "the crate `kernels` has no kernels that find where segments begin: write \
                    `quadscan_kernels::segment_flags_kernels! {}` in it, once for all of its \
                    operators";
    assert_eq!(said, expected);
    Plan::<SumOfBytes>::new(&module, 2)?;

    // An element that is none is noticed.
    let module = device.load(&artifact)?;
    let mut data = device.upload(&[Map::new(1, 2), Zeroable::zeroed()])?;
    let mut plan = Plan::<Then>::new(&module, 2)?;
    let scanned = plan
        .inclusive_in_place(&mut data)
        .and_then(|()| device.synchronize());
    assert!(scanned.is_err(), "nothing was noticed");
    println!("own operators scan and reduce");
    Ok(())
}

/// What scans have to be, one element after the other.
mod oracle {
    use quadscan::scan::Operator;

    pub fn inclusive<O: Operator>(
        initial: Option<O::Accumulator>,
        input: &[O::Input],
    ) -> Vec<O::Output> {
        let mut running = initial;
        let results = input.iter().map(|&element| {
            let own = O::transform(element);
            let with = running.map_or(own, |before| O::combine(before, own));
            running = Some(with);
            O::finish(with)
        });
        results.collect()
    }

    pub fn exclusive<O: Operator>(initial: O::Accumulator, input: &[O::Input]) -> Vec<O::Output> {
        let mut running = initial;
        let results = input.iter().map(|&element| {
            let before = running;
            running = O::combine(before, O::transform(element));
            O::finish(before)
        });
        results.collect()
    }
}
