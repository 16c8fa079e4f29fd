//! Whole kernels, from LLVM and from nvcc, against straightforward CPU
//! results. `fixtures/kernels.ptx` is compiled from Rust, and
//! `fixtures/quarter_circle.ptx` from CUDA C++ by nvcc 13.5.

use crate::harness;
use crate::harness::{read32, upload32};
use ptx_emulator::{Gpu, LaunchError, LaunchOptions, Model, Program, Schedule, Shape};

const KERNELS: &str = include_str!("../../../tests/fixtures/kernels.ptx");
const NVCC: &str = include_str!("../../../tests/fixtures/quarter_circle.ptx");

fn options() -> Vec<LaunchOptions> {
    [
        Schedule::Deterministic,
        Schedule::Seed(1),
        Schedule::Seed(2),
    ]
    .map(|schedule| LaunchOptions {
        schedule,
        ..LaunchOptions::default()
    })
    .to_vec()
}

/// Runs a scan of one block; the counts of a counted kernel follow.
fn scan(
    kernel: &str,
    input: &[u32],
    block: u32,
    options: &LaunchOptions,
) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let program = Program::load(KERNELS).unwrap();
    let mut gpu = Gpu::new(Model::h200());
    let n = input.len();
    let data = upload32(&mut gpu, if n == 0 { &[0] } else { input });
    let out = gpu.alloc(n.max(1) * 4).unwrap();
    let (threads, warps) = (gpu.alloc(32 * 4).unwrap(), gpu.alloc(32 * 4).unwrap());
    let all: [&[u8]; 5] = [
        &data.to_le_bytes(),
        &(n as u64).to_le_bytes(),
        &out.to_le_bytes(),
        &threads.to_le_bytes(),
        &warps.to_le_bytes(),
    ];
    let count = if kernel.ends_with("counted") { 5 } else { 3 };
    let shape = Shape {
        grid: [1, 1, 1],
        block: [block, 1, 1],
        shared_bytes: 0,
    };
    gpu.launch_with(&program, kernel, shape, &all[..count], options)
        .unwrap();
    (
        read32(&gpu, out, n),
        read32(&gpu, threads, 32),
        read32(&gpu, warps, 32),
    )
}

fn numbers(n: usize) -> Vec<u32> {
    (0..n as u32)
        .map(|i| i.wrapping_mul(2654435761) >> 7)
        .collect()
}

#[test]
fn integer_scans_give_the_prefix_sums() {
    for options in options() {
        for (n, block) in [
            (0, 32),
            (1, 32),
            (2, 32),
            (31, 32),
            (64, 64),
            (1000, 1024),
            (1024, 1024),
            (2048, 1024),
        ] {
            let input = numbers(n);
            let inclusive: Vec<u32> = input
                .iter()
                .scan(0u32, |sum, &x| {
                    *sum = sum.wrapping_add(x);
                    Some(*sum)
                })
                .collect();
            let exclusive: Vec<u32> = inclusive
                .iter()
                .zip(&input)
                .map(|(sum, &x)| sum.wrapping_sub(x))
                .collect();
            assert_eq!(
                scan("hillis_steele_inclusive_u32", &input, block, &options).0,
                inclusive,
                "{n}"
            );
            assert_eq!(
                scan("blelloch_exclusive_u32", &input, block, &options).0,
                exclusive,
                "{n}"
            );
        }
    }
}

#[test]
fn float_scans_of_small_integers_are_exact() {
    let input: Vec<u32> = (0..1024u32).map(|i| ((i % 13) as f32).to_bits()).collect();
    let mut sum = 0f32;
    let exclusive: Vec<u32> = input
        .iter()
        .map(|&x| {
            let before = sum;
            sum += f32::from_bits(x);
            before.to_bits()
        })
        .collect();
    for options in options() {
        assert_eq!(
            scan("hillis_steele_exclusive_f32", &input, 1024, &options).0,
            exclusive
        );
        assert_eq!(
            scan("blelloch_padded_exclusive_f32", &input, 512, &options).0,
            exclusive
        );
    }
}

#[test]
fn naive_scan_keeps_289_warps_busy_and_work_efficient_71_for_1024_elements() {
    let input = numbers(1024);
    for options in options() {
        let (_, threads, warps) = scan(
            "hillis_steele_inclusive_u32_counted",
            &input,
            1024,
            &options,
        );
        assert_eq!(warps.iter().sum::<u32>(), 289);
        // n log2 n - (n - 1)
        assert_eq!(threads.iter().sum::<u32>(), 9217);
        let (_, _, warps) = scan("blelloch_exclusive_u32_counted", &input, 512, &options);
        assert_eq!(warps.iter().sum::<u32>(), 71);
    }
}

/// The published sum, in f64, of `count` strips of thread `thread`.
fn partial(thread: u64, count: u64, strips: f64) -> f64 {
    (0..count).fold(0.0, |sum, k| {
        let x = (thread * count + k) as f64 / strips;
        sum + (1.0 - x * x).sqrt() / strips
    })
}

#[test]
fn trapezoid_f64_is_the_hosts_sum_bit_for_bit() {
    let program = Program::load(KERNELS).unwrap();
    let strips = 1000u64 * 96;
    for cores in [1, 2] {
        let mut gpu = Gpu::new(Model::h200());
        let out = gpu.alloc(96 * 8).unwrap();
        let parameters: [&[u8]; 3] = [
            &out.to_le_bytes(),
            &1000u32.to_le_bytes(),
            &(strips as f64).to_le_bytes(),
        ];
        let options = LaunchOptions {
            cores,
            ..LaunchOptions::default()
        };
        let shape = Shape {
            grid: [3, 1, 1],
            block: [32, 1, 1],
            shared_bytes: 0,
        };
        gpu.launch_with(&program, "trapezoid_f64", shape, &parameters, &options)
            .unwrap();
        let found = harness::read64(&gpu, out, 96);
        for (thread, bits) in found.into_iter().enumerate() {
            assert_eq!(
                bits,
                partial(thread as u64, 1000, strips as f64).to_bits(),
                "thread {thread}"
            );
        }
    }
}

#[test]
fn nvccs_quarter_circle_is_within_rounding_of_pi_quarter() {
    // nvcc contracts to fma and multiplies by 2^-24, so the host does too.
    let program = Program::load(NVCC).unwrap();
    let mut gpu = Gpu::new(Model::h200());
    let (blocks, threads) = (2048u32, 1024u32);
    let all = (blocks * threads) as usize;
    let out = gpu.alloc(all * 8).unwrap();
    gpu.launch(
        &program,
        "quarter_circle_f64",
        [blocks, 1, 1],
        [threads, 1, 1],
        0,
        &[&out.to_le_bytes()],
    )
    .unwrap();
    let found = harness::read64(&gpu, out, all);
    let step = 2f64.powi(-24);
    let mut sum = 0.0;
    for (thread, &bits) in found.iter().enumerate() {
        let expected = (0..8u64).fold(0f64, |sum, k| {
            let x = (thread as u64 * 8 + k) as f64 * step;
            (1.0 - x * x).sqrt().mul_add(step, sum)
        });
        assert_eq!(bits, expected.to_bits(), "thread {thread}");
        sum += f64::from_bits(bits);
    }
    assert!((sum - step / 2.0 - std::f64::consts::FRAC_PI_4).abs() < 1e-10);
}

#[test]
fn a_wild_store_names_the_kernel_and_the_rust_line() {
    let program = Program::load(KERNELS).unwrap();
    let mut gpu = Gpu::new(Model::h200());
    let error = gpu
        .launch(
            &program,
            "fault",
            [1, 1, 1],
            [32, 1, 1],
            0,
            &[&16u64.to_le_bytes(), &7u32.to_le_bytes()],
        )
        .unwrap_err();
    let LaunchError::Fault(fault) = error else {
        panic!("{error}")
    };
    assert_eq!(fault.kernel, "fault");
    assert!(
        fault
            .source_line
            .as_deref()
            .is_some_and(|line| line.contains(".rs:")),
        "{fault}"
    );
    assert_eq!(fault.text, "st.volatile.global.b32 [%rd2], %r1;");
}

#[test]
fn a_kernel_that_waits_for_the_clock_ends() {
    let program = Program::load(KERNELS).unwrap();
    let mut gpu = Gpu::new(Model::h200());
    let spent = gpu.alloc(8).unwrap();
    gpu.launch(
        &program,
        "hang",
        [1, 1, 1],
        [1, 1, 1],
        0,
        &[&5000u64.to_le_bytes(), &spent.to_le_bytes()],
    )
    .unwrap();
    assert!(harness::read64(&gpu, spent, 1)[0] >= 5000);
}
