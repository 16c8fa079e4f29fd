//! Arrays of more elements than 32 bits count, on devices that have the memory and the
//! speed.
//!
//! All elements are the same, so that results are multiples of it. What is compared is the
//! sum of all results and many parts of them: nothing of the size of the array leaves the
//! device.

use bytemuck::Pod;
use quadscan::device::{Buffer, Device};
use quadscan::reduce;
use quadscan::scan::{Operator, Options, Plan, ScanKernels, Sum};
use quadscan_kernels::reduce::ReduceKernels;
use quadscan_kernels::scan::ScanKernel;
use quadscan_tests::probes::operands::Random;
use quadscan_tests::suite::{Bench, Outcome, skip};
use std::fmt::Debug;

use super::{SEED, by, kernels};

/// Results of a part that is compared.
const PART: u64 = 8192;

/// Parts at random places.
const PARTS: usize = 64;

/// Why there is nothing to say about arrays of so many bytes, with the scratch memory.
fn is_too_much(device: &Device, bytes: u64) -> quadscan::Result<Option<String>> {
    if !device.properties().has_timer {
        return Ok(Some(
            "an emulator takes hours for so many elements".to_owned(),
        ));
    }
    let free = device.memory_info()?.free;
    // A part of it is for others.
    let most = free / 16 * 15;
    let said = format!("{bytes} bytes are needed, and {free} are free");
    Ok((bytes > most).then_some(said))
}

/// Compares the results that begin at `first` with what `of` says of each.
fn compare<T: Pod + PartialEq + Debug>(
    results: &Buffer<T>,
    first: u64,
    of: impl Fn(u64) -> T,
    what: &str,
) -> Outcome {
    let end = (first + PART).min(results.len() as u64);
    let found = results.slice(first as usize..end as usize)?.to_vec()?;
    for (i, result) in (first..end).zip(found) {
        assert_eq!(result, of(i), "{what}: result {i}");
    }
    Ok(())
}

/// Compares parts at the beginning, around the limits of 31 and 32 bits, at the end, and at
/// random places.
fn compare_parts<T: Pod + PartialEq + Debug>(
    results: &Buffer<T>,
    of: impl Fn(u64) -> T + Copy,
    what: &str,
) -> Outcome {
    let last = (results.len() as u64).saturating_sub(PART);
    let mut places = vec![0, (1 << 31) - PART / 2, (1 << 32) - PART / 2, last];
    let mut random = Random::named(SEED, what);
    places.extend((0..PARTS).map(|_| random.below(last + 1)));
    let places = places.into_iter().filter(|&place| place <= last);
    places
        .into_iter()
        .try_for_each(|place| compare(results, place, of, what))
}

/// All results added up, by another kernel.
fn total<O>(bench: &Bench, results: &Buffer<O::Input>) -> quadscan::Result<O::Output>
where
    O: ReduceKernels + quadscan::scan::Identity,
{
    let mut total = bench.device.alloc_zeroed::<O::Output>(1)?;
    let mut plan = reduce::Plan::<O>::new(&bench.module, results.len())?;
    plan.reduce(results, &mut total)?;
    Ok(total.to_vec()?[0])
}

/// A word whose four bytes are 1.
const ONES: u32 = 0x0101_0101;

/// Scans ones in their place.
fn scan<O, T>(bench: &Bench, data: &mut Buffer<T>, options: Options) -> Outcome
where
    T: Pod,
    O: ScanKernels + Operator<Input = T, Output = T>,
{
    data.fill_bytes(1)?;
    let mut plan = Plan::<O>::with(&bench.module, data.len() as u64, options)?;
    plan.inclusive_in_place(data)?;
    Ok(())
}

fn check_u32(bench: &Bench, data: &mut Buffer<u32>, options: Options) -> Outcome {
    let n = data.len() as u64;
    let what = format!("{n} elements of u32, {options:?}");
    scan::<Sum<u32>, u32>(bench, data, options)?;
    compare_parts(
        data,
        |i| (i as u32).wrapping_add(1).wrapping_mul(ONES),
        &what,
    )?;
    let numbers = u128::from(n) * u128::from(n + 1) / 2;
    let expected = (numbers as u32).wrapping_mul(ONES);
    assert_eq!(total::<Sum<u32>>(bench, data)?, expected, "{what}");
    Ok(())
}

fn check_u8(bench: &Bench, data: &mut Buffer<u8>, options: Options) -> Outcome {
    let n = data.len() as u64;
    let what = format!("{n} elements of u8, {options:?}");
    scan::<Sum<u8>, u8>(bench, data, options)?;
    compare_parts(data, |i| (i as u8).wrapping_add(1), &what)?;
    // 1 to 255 and 0, over and over.
    let rest = n % 256;
    let expected = n / 256 * (255 * 128) + rest * (rest + 1) / 2;
    assert_eq!(total::<Sum<u8, u64>>(bench, data)?, expected, "{what}");
    Ok(())
}

pub(crate) fn arrays_of_more_than_4294967296_elements_are_scanned(bench: &Bench) -> Outcome {
    const N: u64 = 1 << 33;
    let device = &bench.device;
    let options = Options::default();
    let bytes = 4 * N + 8 * options.scratch_len::<Sum<u32>>(N);
    if let Some(reason) = is_too_much(device, bytes)? {
        return skip(&reason);
    }
    check_u32(bench, &mut device.alloc(N as usize)?, options)?;
    check_u8(bench, &mut device.alloc(N as usize)?, options)
}

pub(crate) fn arrays_of_more_than_2147483648_elements_are_scanned_by_every_algorithm(
    bench: &Bench,
) -> Outcome {
    const SIZES: [u64; 2] = [(1 << 31) + 7, 10_000_000];
    let device = &bench.device;
    let can = |kernel: &&ScanKernel, n| kernel.capacity() >= n && !kernel.algorithm.is_one_wave();
    let kernels: Vec<_> = kernels::<Sum<u32>>(&bench.module).collect();
    let scratch = |n| kernels.iter().map(move |kernel| kernel.scratch_words(n));
    let bytes = 4 * SIZES[0] + 8 * scratch(SIZES[0]).max().unwrap_or(0);
    if let Some(reason) = is_too_much(device, bytes)? {
        return skip(&reason);
    }
    for n in SIZES {
        let mut data = device.alloc::<u32>(n as usize)?;
        for kernel in kernels.iter().copied().filter(|kernel| can(kernel, n)) {
            check_u32(bench, &mut data, by(kernel.algorithm))?;
        }
    }
    Ok(())
}
