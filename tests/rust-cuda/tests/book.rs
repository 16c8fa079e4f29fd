//! What `docs/shared-memory.md` shows: the kernel as it stands in its source, and what the
//! emulator's checks say of its PTX without the barrier.

use std::fs;
use std::path::Path;

use ptx_emulator::{Checks, Gpu, LaunchOptions, Model, Program, Shape};
use subject_kernels::gpu::SHARED_THREADS;

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/shared-memory.md");
    fs::read_to_string(path).expect("the page")
}

/// The PTX of the kernel, with its barrier or without.
fn ptx(with_barrier: bool) -> String {
    let artifact = rust_cuda_tests::artifact().expect("it was built");
    let part = artifact.parts().find(|part| part.arch == "sm_90");
    let text = part.expect("the artifact has sm_90").ptx().to_owned();
    let (before, rest) = text
        .split_once(".entry static_shared(")
        .expect("the kernel");
    let (body, behind) = rest.split_once("\n}").expect("its end");
    assert_eq!(body.matches("bar.sync").count(), 1, "{body}");
    let body = if with_barrier {
        body.to_owned()
    } else {
        body.replace("bar.sync \t0;", "").replace("bar.sync 0;", "")
    };
    assert_eq!(body.contains("bar.sync"), with_barrier);
    format!("{before}.entry static_shared({body}\n}}{behind}")
}

/// What the checks say of one launch; nothing when all is well.
fn report(ptx: &str) -> String {
    let program = Program::load(ptx).expect("PTX");
    let mut gpu = Gpu::new(Model::h200());
    let bytes = 4 * SHARED_THREADS as usize;
    let input = gpu.alloc_named(bytes, "input").expect("room");
    let output = gpu.alloc_named(bytes, "output").expect("room");
    let values: Vec<u8> = (0..SHARED_THREADS).flat_map(u32::to_le_bytes).collect();
    gpu.copy_in(input, &values).expect("copied");
    let shape = Shape {
        grid: [1, 1, 1],
        block: [SHARED_THREADS, 1, 1],
        shared_bytes: 0,
    };
    let length = u64::from(SHARED_THREADS).to_le_bytes();
    let (input, output) = (input.to_le_bytes(), output.to_le_bytes());
    let parameters: [&[u8]; 3] = [&input, &length, &output];
    let options = LaunchOptions::default();
    let checked = gpu
        .check(
            &program,
            "static_shared",
            shape,
            &parameters,
            &options,
            Checks::all(),
        )
        .expect("a launch");
    if checked.is_clean() {
        String::new()
    } else {
        checked.to_string()
    }
}

/// The block of the page that follows these words.
fn block_after<'p>(page: &'p str, words: &str) -> &'p str {
    let (_, rest) = page.split_once(words).expect(words);
    let (_, rest) = rest.split_once("\n```").expect("a block");
    let (_, rest) = rest.split_once('\n').expect("its first line");
    rest.split_once("\n```").expect("its end").0
}

#[test]
fn the_kernel_of_the_page_is_the_one_that_is_compiled() {
    let page = page();
    let shown = block_after(&page, "reverses each block's part of an array");
    let source = include_str!("../kernels/src/gpu.rs");
    assert!(source.contains(shown), "{shown}");
}

#[test]
fn with_its_barrier_the_kernel_is_clean() {
    assert_eq!(report(&ptx(true)), "");
}

#[test]
fn without_its_barrier_the_checks_say_what_the_page_shows() {
    let said = report(&ptx(false));
    let shown = page();
    let shown = block_after(&shown, "Without the barrier");
    assert_eq!(of_the_source(shown), of_the_source(&said), "{said}");
}

/// The report without the lines and registers of the PTX, which any change of the crate moves.
fn of_the_source(report: &str) -> Vec<&str> {
    let lines = report.trim().lines();
    lines
        .map(|line| {
            line.split_once(", PTX line")
                .map_or(line, |(before, _)| before)
        })
        .collect()
}
