//! Kernels that are right are silent under all checks, on every schedule; with
//! a mistake in the launch they are not. `fixtures/kernels.ptx` is compiled
//! from Rust.

use crate::checking::{schedules, shape, silent};
use ptx_emulator::{Checked, Checks, FindingKind, Gpu, LaunchOptions, Model, Program, Schedule};

const KERNELS: &str = include_str!("../../../tests/fixtures/kernels.ptx");

/// A scan of `n` elements, of which the first `written` are copied in, under three schedules.
fn scan(kernel: &str, n: u64, written: usize, threads: u32) -> Checked {
    let program = Program::load(KERNELS).unwrap();
    let run = |&schedule: &Schedule| {
        let mut gpu = Gpu::new(Model::h200());
        let input = gpu.alloc_named(n as usize * 4, "input").unwrap();
        let output = gpu.alloc_named(n as usize * 4, "output").unwrap();
        gpu.copy_in(input, &vec![0; written * 4]).unwrap();
        let parameters: [&[u8]; 3] = [
            &input.to_le_bytes(),
            &n.to_le_bytes(),
            &output.to_le_bytes(),
        ];
        let options = LaunchOptions {
            schedule,
            ..LaunchOptions::default()
        };
        let shape = shape(1, threads);
        gpu.check(
            &program,
            kernel,
            shape,
            &parameters,
            &options,
            Checks::all(),
        )
        .unwrap()
    };
    let merged = schedules()[..3].iter().map(run).reduce(|mut all, checked| {
        all.merge(checked);
        all
    });
    merged.unwrap()
}

#[test]
fn scans_are_silent() {
    for kernel in [
        "hillis_steele_inclusive_u32",
        "hillis_steele_exclusive_f32",
        "blelloch_exclusive_u32",
        "blelloch_padded_exclusive_f32",
    ] {
        for (n, threads) in [(1, 32), (64, 64), (256, 256)] {
            silent(&scan(kernel, n, n as usize, threads));
        }
    }
}

#[test]
fn an_element_that_was_not_copied_in_is_named_with_its_rust_line() {
    let checked = scan("blelloch_exclusive_u32", 256, 255, 256);
    let finding = &checked.findings[0];
    assert_eq!(finding.kind, FindingKind::UninitialisedRead);
    let memory = finding.memory.as_ref().unwrap();
    assert_eq!(
        (memory.name.as_deref(), memory.element),
        (Some("input"), Some(255))
    );
    let source = finding.at.source.as_deref().unwrap();
    assert!(source.starts_with("./kernels/src/scan/"), "{checked}");
    // Seen in each of the three runs.
    assert_eq!(finding.occurrences % 3, 0);
}

#[test]
fn the_trapezoid_is_silent() {
    let program = Program::load(KERNELS).unwrap();
    let mut gpu = Gpu::new(Model::h200());
    let out = gpu.alloc(256 * 8).unwrap();
    let parameters: [&[u8]; 3] = [
        &out.to_le_bytes(),
        &4u32.to_le_bytes(),
        &1024f64.to_le_bytes(),
    ];
    let options = LaunchOptions::default();
    let checked = gpu
        .check(
            &program,
            "trapezoid_f64",
            shape(4, 64),
            &parameters,
            &options,
            Checks::all(),
        )
        .unwrap();
    silent(&checked);
}
