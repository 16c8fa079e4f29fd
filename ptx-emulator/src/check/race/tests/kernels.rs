//! Whole kernels as compilers make them.

use super::*;

const KERNELS: &str = include_str!("../../../../tests/fixtures/kernels.ptx");

/// What is found in a scan of `n` words by one block.
fn scan(text: &str, kernel: &str, n: usize, block: u32, schedule: Schedule) -> Vec<RawFinding> {
    let program = Program::load(text).unwrap_or_else(|error| panic!("{error}"));
    let mut gpu = Gpu::new(Model::h200());
    let [data, out, threads, warps] =
        [n * 4, n * 4, 128, 128].map(|bytes| gpu.alloc(bytes).unwrap());
    let all: [&[u8]; 5] = [
        &data.to_le_bytes(),
        &(n as u64).to_le_bytes(),
        &out.to_le_bytes(),
        &threads.to_le_bytes(),
        &warps.to_le_bytes(),
    ];
    let count = program.parameters(kernel).unwrap().len();
    let shape = Shape {
        grid: [1, 1, 1],
        block: [block, 1, 1],
        shared_bytes: 0,
    };
    let options = LaunchOptions {
        schedule,
        ..LaunchOptions::default()
    };
    gpu.launch_observed(
        &program,
        kernel,
        shape,
        &all[..count],
        &options,
        Races::default(),
    )
    .unwrap()
    .finished()
    .unwrap()
    .1
    .findings()
}

/// The text with the barrier left out that comes `index`th in the kernel.
fn without_barrier(kernel: &str, index: usize) -> Option<String> {
    const BARRIER: &str = "bar.sync";
    let start = KERNELS.find(&format!(".entry {kernel}(")).unwrap();
    let end = KERNELS[start..].find("\n}").unwrap() + start;
    let (place, _) = KERNELS[start..end].match_indices(BARRIER).nth(index)?;
    let place = start + place;
    let stop = place + KERNELS[place..].find(';')?;
    Some(format!("{}// {}", &KERNELS[..place], &KERNELS[stop..]))
}

#[test]
fn the_scans_are_silent_and_need_their_barriers() {
    for (kernel, n, block) in [
        ("hillis_steele_inclusive_u32", 1024, 1024),
        ("hillis_steele_exclusive_f32", 1000, 1024),
        ("hillis_steele_inclusive_u32_counted", 256, 256),
        ("blelloch_exclusive_u32", 2048, 1024),
        ("blelloch_padded_exclusive_f32", 1024, 512),
        ("blelloch_exclusive_u32_counted", 256, 128),
    ] {
        for schedule in schedules().take(4) {
            let found = scan(KERNELS, kernel, n, block, schedule);
            assert!(found.is_empty(), "{kernel} {schedule:?}: {found:#?}");
        }
        let mut index = 0;
        while let Some(text) = without_barrier(kernel, index) {
            let found = scan(&text, kernel, n, block, Schedule::Deterministic);
            assert!(!found.is_empty(), "{kernel} without barrier {index}");
            index += 1;
        }
        assert!(index >= 2, "{kernel} has {index} barriers");
    }
}
