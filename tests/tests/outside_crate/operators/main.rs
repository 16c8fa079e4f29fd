//! Scans and reduces with operators of its own, on emulators of two GPUs.

use std::fmt::Debug;

use kernels::{Map, SumOfBytes, Then};
use quadscan::Result;
use quadscan::device::emulator::ptx_emulator::Model;
use quadscan::device::emulator::{Emulator, Settings};
use quadscan::device::{Artifact, Device, Module};
use quadscan::oracle::scan as oracle;
use quadscan::reduce::{self, SegmentedPlan};
use quadscan::scan::{Algorithm, Identity, Operator, Options, Plan, ScanKernels};
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
                if shift > 0 && kernel.alignment > 1 {
                    continue;
                }
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
    let mut plan = SegmentedPlan::<O>::with_blocks(module, 3)?;
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

/// Both operators on a GPU; how many algorithms scanned with each.
fn on(model: Model, artifact: &Artifact) -> Result<[usize; 2]> {
    let settings = Settings {
        model,
        ..Settings::default()
    };
    let device = Device::from_backend(Box::new(Emulator::new(settings)));
    let module = device.load(artifact)?;
    reductions::<SumOfBytes>(&module, byte)?;
    Ok([
        scans::<Then>(&module, map, Map::new(3, 4))?,
        scans::<SumOfBytes>(
            &module,
            byte,
            SumOfBytes::combine(SumOfBytes::transform(200), SumOfBytes::transform(100)),
        )?,
    ])
}

fn main() -> Result<()> {
    // SAFETY: cuda_builder made the folder of the kernels that this program depends on.
    let artifact = unsafe { Artifact::read(env!("KERNELS")) }?;
    let all = Algorithm::ALL.len();
    assert_eq!(on(Model::h200(), &artifact)?, [all, 5]);
    // Nobody looks ahead there.
    assert_eq!(on(Model::t4(), &artifact)?, [all - 2, 4]);

    // An element that is none is noticed.
    let device = Device::from_backend(Box::new(Emulator::new(Settings::default())));
    let module = device.load(&artifact)?;
    let mut data = device.upload(&[Map::new(1, 2), bytemuck::Zeroable::zeroed()])?;
    let mut plan = Plan::<Then>::new(&module, 2)?;
    let scanned = plan
        .inclusive_in_place(&mut data)
        .and_then(|()| device.synchronize());
    assert!(scanned.is_err(), "nothing was noticed");
    println!("own operators scan and reduce");
    Ok(())
}
