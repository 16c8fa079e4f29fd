//! Racy kernels and their twins that are in order, under many schedules.

mod barriers;
mod cluster;
mod flags;
mod kernels;
mod oracle;
mod random;
mod vector_clock;
mod words;

use super::Races;
use crate::check::raw::RawFinding;
use crate::{Gpu, LaunchOptions, Model, Program, Schedule, Shape};

/// A kernel around `body`. It has: `%d0` memory of 64 KiB, zeroed; `%r0` the
/// thread, `%r1` the block; `%r3` shared memory of 4 KiB and `%r4` the thread's
/// own word there; `%d1` the thread's own word in memory, and `%d2` that of the
/// thread of the grid. `%r5..31`, `%d3..15`, `%p0..7` are free.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.6 .target sm_90 .address_size 64
         .shared .align 16 .b8 tile[4096];
         .visible .entry test(.param .u64 data) {{
         .reg .b16 %h<4>; .reg .b32 %r<32>; .reg .b64 %d<16>; .reg .pred %p<8>;
         ld.param.u64 %d0, [data];
         mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;
         mov.u32 %r3, tile; shl.b32 %r4, %r0, 2; add.u32 %r4, %r3, %r4;
         mul.wide.u32 %d1, %r0, 4; add.s64 %d1, %d0, %d1;
         mad.lo.u32 %r5, %r1, %r2, %r0; mul.wide.u32 %d2, %r5, 4; add.s64 %d2, %d0, %d2;
         {body}
         ret;
         }}"
    )
}

fn schedules() -> impl Iterator<Item = Schedule> {
    std::iter::once(Schedule::Deterministic).chain((1..=20).map(Schedule::Seed))
}

/// What is found in `grid` blocks of `block` threads.
fn run(program: &Program, (grid, block): (u32, u32), schedule: Schedule) -> Vec<RawFinding> {
    let mut gpu = Gpu::new(Model::h200());
    let data = gpu.alloc(1 << 16).unwrap();
    let shape = Shape {
        grid: [grid, 1, 1],
        block: [block, 1, 1],
        shared_bytes: 0,
    };
    let options = LaunchOptions {
        schedule,
        budget: 1 << 22,
        ..LaunchOptions::default()
    };
    let parameters: [&[u8]; 1] = [&data.to_le_bytes()];
    let races = Races::default();
    gpu.launch_observed(program, "test", shape, &parameters, &options, races)
        .unwrap()
        .finished()
        .unwrap_or_else(|error| panic!("{schedule:?}: {error}"))
        .1
        .findings()
}

fn load(body: &str) -> Program {
    Program::load(&kernel(body)).unwrap_or_else(|error| panic!("{body}\n{error}"))
}

/// The two instructions of a finding, as text, the lesser first.
fn statements(program: &Program, finding: &RawFinding) -> [String; 2] {
    let other = finding.other.expect("a race has two sides");
    let mut pair = [other.pc, finding.at.pc].map(|pc| program.statement(pc));
    pair.sort();
    pair
}

/// Nothing is found, whatever the schedule.
#[track_caller]
fn silent(shape: (u32, u32), body: &str) {
    let program = load(body);
    for schedule in schedules() {
        let found = run(&program, shape, schedule);
        let told: Vec<_> = found.iter().map(|f| (statements(&program, f), f)).collect();
        assert!(told.is_empty(), "{schedule:?}: {told:#?}\n{body}");
    }
}

/// Exactly these pairs of instructions are found, whatever the schedule; an
/// instruction is named by a part of its text.
#[track_caller]
fn racy(shape: (u32, u32), body: &str, expected: &[(&str, &str)]) -> Vec<RawFinding> {
    let program = load(body);
    let mut first = None;
    for schedule in schedules() {
        let found = run(&program, shape, schedule);
        let pairs: Vec<_> = found.iter().map(|f| statements(&program, f)).collect();
        let matches = |pair: &[String; 2], (a, b): (&str, &str)| {
            pair[0].contains(a) && pair[1].contains(b) || pair[0].contains(b) && pair[1].contains(a)
        };
        for &names in expected {
            let held = pairs.iter().any(|pair| matches(pair, names));
            assert!(
                held,
                "{schedule:?}: no race of {names:?} in {pairs:#?}\n{body}"
            );
        }
        for pair in &pairs {
            let known = expected.iter().any(|&names| matches(pair, names));
            assert!(known, "{schedule:?}: {pair:?}\n{body}");
        }
        first.get_or_insert(found);
    }
    first.unwrap_or_default()
}
