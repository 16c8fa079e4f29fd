//! Kernels with source lines, run under the checkers.

use ptx_emulator::{Checked, Checks, Finding, FindingKind, Gpu, LaunchOptions, Model};
use ptx_emulator::{Program, Schedule, Shape};

/// A module with one entry `test(.param .u64 in, .param .u64 out)`: `%d0` is
/// `in`, `%d1` is `out`, `%x` the thread, `%d2` four times the thread. File 1
/// is the kernel's, file 2 another crate's, file 3 the toolchain's.
pub(crate) fn module(declarations: &str, body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n\
         .file 1 \"./k/src/lib.rs\"\n.file 2 \"./std/src/thread.rs\"\n\
         .file 3 \"/rustc/0/library/core/src/mem.rs\"\n{declarations}\n\
         .visible .entry test(.param .u64 in, .param .u64 out) {{\n\
         .reg .b16 %h<4>; .reg .b32 %r<16>; .reg .b32 %x; .reg .b64 %d<16>; .reg .pred %p<8>;\n\
         ld.param.u64 %d0, [in];\nld.param.u64 %d1, [out];\n\
         mov.u32 %x, %tid.x;\nmul.wide.u32 %d2, %x, 4;\n{body}\n}}\n\
         .section .debug_str\n{{\n$L_name:\n.b8 102, 0\n}}\n"
    )
}

/// A GPU with two allocations of 64 words: `input`, of which the first
/// `written` bytes are written, and `output`.
pub(crate) struct Bench {
    pub(crate) gpu: Gpu,
    pub(crate) input: u64,
    pub(crate) output: u64,
}

impl Bench {
    pub(crate) fn new(written: usize) -> Self {
        let mut gpu = Gpu::new(Model::h200());
        let input = gpu.alloc_named(256, "input").unwrap();
        let output = gpu.alloc_named(256, "output").unwrap();
        gpu.copy_in(input, &vec![1; written]).unwrap();
        Bench { gpu, input, output }
    }

    pub(crate) fn run(&mut self, ptx: &str, shape: Shape, options: &LaunchOptions) -> Checked {
        let program = Program::load(ptx).unwrap_or_else(|error| panic!("{error}"));
        let parameters: [&[u8]; 2] = [&self.input.to_le_bytes(), &self.output.to_le_bytes()];
        self.gpu
            .check(&program, "test", shape, &parameters, options, Checks::all())
            .unwrap()
    }
}

pub(crate) fn shape(blocks: u32, threads: u32) -> Shape {
    Shape {
        grid: [blocks, 1, 1],
        block: [threads, 1, 1],
        shared_bytes: 0,
    }
}

/// The findings of `body` in one block, all of `input` written.
pub(crate) fn check(declarations: &str, body: &str, threads: u32) -> Checked {
    let ptx = module(declarations, body);
    Bench::new(256).run(&ptx, shape(1, threads), &LaunchOptions::default())
}

/// The only finding.
pub(crate) fn only(checked: &Checked, kind: FindingKind) -> &Finding {
    let [finding] = checked.findings.as_slice() else {
        panic!("one finding is expected, not\n{checked}")
    };
    assert_eq!(finding.kind, kind, "{finding}");
    finding
}

/// Nothing is found.
pub(crate) fn silent(checked: &Checked) {
    assert!(checked.is_clean(), "{checked}");
}

/// Line of the author's source.
pub(crate) fn line(place: &ptx_emulator::check::Place) -> &str {
    place.source.as_deref().unwrap_or("none")
}

pub(crate) fn schedules() -> Vec<Schedule> {
    let seeds = (1..=6).map(Schedule::Seed);
    std::iter::once(Schedule::Deterministic)
        .chain(seeds)
        .collect()
}
