//! Launches that are counted.

use crate::harness::{self, upload32};
use ptx_emulator::count::Counts;
use ptx_emulator::{Gpu, LaunchOptions, Model, Program, Schedule, Shape};

const KERNELS: &str = include_str!("../../../tests/fixtures/kernels.ptx");

pub(crate) fn options(schedule: Schedule, cores: usize) -> LaunchOptions {
    LaunchOptions {
        schedule,
        cores,
        ..LaunchOptions::default()
    }
}

pub(crate) fn shape(grid: u32, block: u32) -> Shape {
    Shape {
        grid: [grid, 1, 1],
        block: [block, 1, 1],
        shared_bytes: 0,
    }
}

/// Counts of a kernel with one parameter, the address of `bytes` bytes.
pub(crate) fn count(
    ptx: &str,
    kernel: &str,
    shape: Shape,
    bytes: usize,
    options: &LaunchOptions,
) -> Counts {
    let program = Program::load(ptx).unwrap_or_else(|error| panic!("{error}"));
    let mut gpu = Gpu::new(Model::h200());
    let data = gpu.alloc(bytes).unwrap().to_le_bytes();
    run(&mut gpu, &program, kernel, shape, &[&data], options)
}

/// Counts of a launch, which have all its instructions.
fn run(
    gpu: &mut Gpu,
    program: &Program,
    kernel: &str,
    shape: Shape,
    parameters: &[&[u8]],
    options: &LaunchOptions,
) -> Counts {
    let (report, counts) = gpu
        .count(program, kernel, shape, parameters, options)
        .unwrap();
    let total = counts.total().instructions;
    assert_eq!(total.warps, report.warp_instructions);
    counts
}

/// Counts of `harness::module`'s kernel.
pub(crate) fn count_body(declarations: &str, body: &str, grid: u32, block: u32) -> Counts {
    let ptx = harness::module(declarations, body);
    count(
        &ptx,
        "test",
        shape(grid, block),
        1 << 16,
        &LaunchOptions::default(),
    )
}

/// Counts of a scan of `n` elements by one block.
pub(crate) fn scan(kernel: &str, n: usize, block: u32) -> (Program, Counts) {
    let program = Program::load(KERNELS).unwrap();
    let mut gpu = Gpu::new(Model::h200());
    let data = upload32(&mut gpu, &vec![1; n]);
    let out = gpu.alloc(n * 4).unwrap();
    let parameters: [&[u8]; 3] = [
        &data.to_le_bytes(),
        &(n as u64).to_le_bytes(),
        &out.to_le_bytes(),
    ];
    let options = LaunchOptions::default();
    let counts = run(
        &mut gpu,
        &program,
        kernel,
        shape(1, block),
        &parameters,
        &options,
    );
    (program, counts)
}
