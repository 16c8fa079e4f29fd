//! Kernels that nvcc 13.5 compiled from `fixtures/staged.cu`: calls of the
//! device runtime, pipelines of `cp.async`, barriers in shared memory.

use crate::harness::{read32, upload32};
use crate::staging::schedules;
use ptx_emulator::{FaultKind, Gpu, LaunchError, LaunchOptions, Model, Program, Report, Shape};

const STAGED: &str = include_str!("../../../tests/fixtures/staged.ptx");

/// Runs one block; the kernel's parameters are `in` (when there is an input),
/// `out` and (when there is one) a number.
fn run(
    kernel: &str,
    block: u32,
    input: Option<&[u32]>,
    number: Option<u32>,
    options: &LaunchOptions,
) -> Result<(Vec<u32>, Report), LaunchError> {
    let program = Program::load(STAGED).unwrap_or_else(|error| panic!("{error}"));
    let mut gpu = Gpu::new(Model::h200());
    let mut parameters: Vec<Vec<u8>> = Vec::new();
    if let Some(input) = input {
        parameters.push(upload32(&mut gpu, input).to_le_bytes().to_vec());
    }
    let out = gpu.alloc(block as usize * 4).unwrap();
    parameters.push(out.to_le_bytes().to_vec());
    if let Some(number) = number {
        parameters.push(number.to_le_bytes().to_vec());
    }
    let slices: Vec<&[u8]> = parameters.iter().map(Vec::as_slice).collect();
    let shape = Shape {
        grid: [1, 1, 1],
        block: [block, 1, 1],
        shared_bytes: 0,
    };
    let report = gpu.launch_with(&program, kernel, shape, &slices, options)?;
    Ok((read32(&gpu, out, block as usize), report))
}

#[test]
fn a_kernel_prints_allocates_and_asserts() {
    let options = LaunchOptions::default();
    let (out, report) = run("report", 40, None, Some(5), &options).unwrap();
    // i * (0 + 1 + 2 + 3 + 4)
    let expected: Vec<u32> = (0..40).map(|i| 10 * i).collect();
    assert_eq!(out, expected);
    assert_eq!(
        report.printed,
        "thread 0 of    2.5: even, 0%\nthread 1 of    2.5: odd, 10%\n"
    );
    // What was printed before a fault is kept.
    let program = Program::load(STAGED).unwrap();
    let mut gpu = Gpu::new(Model::h200());
    let out = gpu.alloc(256).unwrap().to_le_bytes();
    let shape = Shape {
        grid: [1, 1, 1],
        block: [64, 1, 1],
        shared_bytes: 0,
    };
    let five = 5u32.to_le_bytes();
    let observed = gpu
        .launch_observed(&program, "report", shape, &[&out, &five], &options, ())
        .unwrap();
    assert!(observed.outcome.is_err());
    assert!(observed.report.printed.starts_with("thread 0 of"));
    let error = run("report", 64, None, Some(5), &options).unwrap_err();
    let LaunchError::Fault(fault) = error else {
        panic!("{error}")
    };
    assert_eq!(fault.thread, [40, 0, 0]);
    let FaultKind::Assertion { message, file, .. } = fault.kind else {
        panic!("{fault}")
    };
    assert_eq!((message.as_str(), file.as_str()), ("i < 40", "staged.cu"));
}

#[test]
fn a_pipeline_of_two_stages_sums_every_tile() {
    for tiles in [1, 2, 7] {
        let words = |tile: u32, vector: u32, part: u32| 512 * tile + 4 * vector + part;
        let input: Vec<u32> = (0..512 * tiles).map(|n| n ^ n << 7).collect();
        let expected: Vec<u32> = (0..128)
            .map(|t| {
                (0..tiles)
                    .flat_map(|tile| (0..4).map(move |part| (tile, part)))
                    .map(|(tile, part)| {
                        let word = input[words(tile, (t + 1) % 128, part) as usize];
                        (part + 1) * word
                    })
                    .sum()
            })
            .collect();
        for options in schedules() {
            let (out, _) = run("staged_sum", 128, Some(&input), Some(tiles), &options).unwrap();
            assert_eq!(out, expected, "{tiles} {options:?}");
        }
    }
}

#[test]
fn a_pipeline_without_its_wait_sums_what_is_not_there() {
    let broken = STAGED.replace("cp.async.wait_group 1;", "");
    let program = Program::load(&broken).unwrap();
    let mut gpu = Gpu::new(Model::h200());
    let (data, out) = (upload32(&mut gpu, &[1; 1024]), gpu.alloc(512).unwrap());
    let parameters: [&[u8]; 3] = [&data.to_le_bytes(), &out.to_le_bytes(), &2u32.to_le_bytes()];
    gpu.launch(
        &program,
        "staged_sum",
        [1, 1, 1],
        [128, 1, 1],
        0,
        &parameters,
    )
    .unwrap();
    // Zeros instead of 2 * (1 + 2 + 3 + 4): the copies are made at the end.
    assert_eq!(read32(&gpu, out, 128), [0; 128]);
}

#[test]
fn barriers_in_shared_memory_hand_words_on() {
    for rounds in [1, 2, 9] {
        let expected: Vec<u32> = (0..64).map(|t| (t + 64 - rounds) % 64 + rounds).collect();
        for options in schedules() {
            let (out, _) = run("handed_on", 64, None, Some(rounds), &options).unwrap();
            assert_eq!(out, expected, "{rounds} {options:?}");
        }
    }
}

#[test]
fn a_barrier_tracks_copies() {
    let input: Vec<u32> = (0..64).map(|n| 1000 + n).collect();
    let expected: Vec<u32> = input.iter().rev().copied().collect();
    for options in schedules() {
        let (out, _) = run("tracked", 64, Some(&input), None, &options).unwrap();
        assert_eq!(out, expected, "{options:?}");
    }
}
