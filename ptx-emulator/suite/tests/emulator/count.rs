//! Counters of instructions, bank conflicts and sectors against figures
//! derived by hand and against counts of an H200.

use crate::counting::{count, count_body, options, scan, shape};
use crate::harness;
use ptx_emulator::count::{ByKind, Counts, LineCounts, SharedRequests, Tally};
use ptx_emulator::observe::{AccessKind, Memory, MemoryAccess, Observer, Order, Scope, Site};
use ptx_emulator::{Class, Program, Schedule};

const H200: &str = include_str!("../../../tests/fixtures/h200_requests.txt");

/// A pattern of the H200's counts: lanes, and the element of each.
struct Pattern {
    lanes: u32,
    elements: [u64; 32],
}

/// What the counter makes of one access.
fn counted(kind: AccessKind, memory: Memory, bytes: u32, pattern: &Pattern) -> u64 {
    let mut counts = Counts::default();
    let site = Site {
        pc: 0,
        block: [0; 3],
        block_linear: 0,
        device: 0,
        warp: 0,
    };
    let base = if memory == Memory::Global {
        0x10_0000_0000
    } else {
        0
    };
    let access = MemoryAccess {
        kind,
        memory,
        addresses: &pattern
            .elements
            .map(|element| base + element * u64::from(bytes)),
        lanes: pattern.lanes,
        bytes,
        element: bytes,
        order: Order::Weak,
        scope: Scope::None,
        values: true,
        rows: [0; 2],
    };
    counts.access(site, &access);
    let tally = counts.instruction(0);
    let (shared, global) = (tally.shared.total(), tally.global.total());
    assert_eq!(shared.requests + global.requests, 1);
    assert!(shared.ideal <= shared.wavefronts && global.ideal <= global.sectors);
    shared.wavefronts + global.sectors
}

#[test]
fn wavefronts_and_sectors_are_those_of_an_h200() {
    let mut patterns = Vec::new();
    let mut compared = 0;
    for line in H200.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        if words[0] == "pattern" {
            patterns.push(Pattern {
                lanes: u32::from_str_radix(words[1], 16).unwrap(),
                elements: std::array::from_fn(|lane| words[2 + lane].parse().unwrap()),
            });
            continue;
        }
        let memory = if words[0] == "shared" {
            Memory::Shared
        } else {
            Memory::Global
        };
        let kind = match words[1] {
            "load" => AccessKind::Load,
            "store" => AccessKind::Store,
            _ => AccessKind::Atomic,
        };
        let bytes: u32 = words[2].parse().unwrap();
        for (index, word) in words[3..].iter().enumerate() {
            let measured: u64 = word.parse().unwrap();
            let found = counted(kind, memory, bytes, &patterns[index]);
            // Atomics on random addresses of global memory: up to one more.
            let irregular = memory == Memory::Global && kind == AccessKind::Atomic && index >= 16;
            let right = found == measured || irregular && found + 1 == measured;
            assert!(
                right,
                "{} of pattern {index}: {found}, not {measured}",
                words[..3].join(" ")
            );
            compared += 1;
        }
    }
    assert!(compared == 23 * 24 + 2 * 20, "{compared}");
}

#[test]
fn requests_beyond_the_registers_of_a_warp_are_counted_by_their_bytes() {
    // A bulk copy of 1000 bytes by one lane: 8 wavefronts of 128 bytes, and 32
    // sectors from byte 0 to 999.
    let one = Pattern {
        lanes: 1,
        elements: [0; 32],
    };
    assert_eq!(counted(AccessKind::Store, Memory::Shared, 1000, &one), 8);
    assert_eq!(counted(AccessKind::Load, Memory::Global, 1000, &one), 32);
    // Lanes that overlap: bytes 0 to 63 and 64 to 127 twice.
    let two = Pattern {
        lanes: 0b1111,
        elements: std::array::from_fn(|lane| lane as u64 / 2),
    };
    assert_eq!(counted(AccessKind::Load, Memory::Global, 64, &two), 4);
}

#[test]
fn lanes_that_idle_are_counted_by_their_reason() {
    // 48 threads: a full warp, and one of lanes 0 to 15. Lanes 0 to 7 of each
    // skip the addition; of the others, %p1 holds back all but lane 8.
    let body = "mov.u32 %r0, %laneid; setp.lt.u32 %p0, %r0, 8; setp.eq.u32 %p1, %r0, 8;
        @%p0 bra A; @%p1 add.u32 %r1, %r0, 1; A: mul.lo.u32 %r2, %r0, 3; ret;";
    let counts = count_body("", body, 1, 48);
    let program = Program::load(&harness::module("", body)).unwrap();
    let at = |text: &str| {
        let pc = (0..20)
            .find(|&pc| program.statement(pc).contains(text))
            .unwrap();
        counts.instruction(pc).instructions
    };
    let add = at("add.u32 %r1");
    assert_eq!((add.warps, add.lanes), (2, 2));
    assert_eq!((add.predicated_off, add.diverged), (23 + 7, 8 + 8));
    assert_eq!(at("@%p0 bra").divergent_branches, 2);
    let multiply = at("mul.lo");
    assert_eq!(
        (multiply.warps, multiply.lanes, multiply.diverged),
        (2, 48, 0)
    );
    let total = counts.total().instructions;
    assert_eq!(total.divergent_branches, 2);
    // ld.param, mov, two setp, bra, add, mul, ret.
    assert_eq!(total.warps, 16);
    let classes = counts.classes.by_class();
    assert_eq!(
        (
            classes[&Class::Compare].warps,
            classes[&Class::Compare].lanes
        ),
        (4, 96)
    );
    assert_eq!(classes[&Class::Integer].warps, 4);

    // Lanes that have exited are not idle.
    let body = "mov.u32 %r0, %laneid; setp.lt.u32 %p0, %r0, 8; @%p0 ret; add.u32 %r1, %r0, 1; ret;";
    let counts = count_body("", body, 1, 32);
    assert_eq!(counts.total().instructions.diverged, 0);
}

#[test]
fn counts_do_not_depend_on_who_ran_what_when() {
    let body = "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; xor.b32 %r2, %r0, %r1;
        and.b32 %r2, %r2, 63; mul.wide.u32 %d1, %r2, 12; add.s64 %d1, %d0, %d1;
        atom.global.add.u32 %r3, [%d1], 1; mov.u32 %r6, words; mad.lo.u32 %r4, %r2, 8, %r6; st.shared.u32 [%r4], %r0;
        bar.sync 0; setp.lt.u32 %p0, %r0, %r1; @%p0 bra A; ld.shared.u32 %r5, [%r4]; A: ret;";
    let ptx = harness::module(".shared .align 4 .b8 words[512];", body);
    let run = |schedule, cores| {
        let counts = count(
            &ptx,
            "test",
            shape(70, 64),
            1 << 12,
            &options(schedule, cores),
        );
        (
            counts.classes.by_instruction,
            counts.wavefronts,
            counts.sectors,
            counts.steps.steps,
        )
    };
    let first = run(Schedule::Deterministic, 1);
    assert_eq!(run(Schedule::Deterministic, 2), first);
    assert_eq!(run(Schedule::Seed(3), 3), first);
    assert_eq!(run(Schedule::Seed(4), 1), first);
}

#[test]
fn lines_have_the_sums_of_their_instructions() {
    let (program, counts) = scan("blelloch_exclusive_u32", 1024, 512);
    let lines = counts.by_line(&program);
    assert!(lines.windows(2).all(|pair| {
        (&pair[0].function, &pair[0].file, pair[0].line)
            < (&pair[1].function, &pair[1].file, pair[1].line)
    }));
    let line = |number| {
        let file =
            |line: &&LineCounts| line.line == number && line.place().contains("blelloch.rs:");
        lines.iter().find(file).unwrap().tally
    };
    // `*right = (*left).plus(*right)`: the loads of the 9 steps up, and a
    // store with the conflicts of one load.
    let up = line(82).shared;
    assert_eq!(
        (up.loads.requests, up.loads.wavefronts, up.loads.worst),
        (70, 380, 32)
    );
    assert_eq!((up.stores.requests, up.stores.wavefronts), (35, 190));
    // `*output.add(i) = ...`: 1024 elements, 32 sectors of 4 bytes 128.
    let output = line(110).global.stores;
    assert_eq!(
        (output.requests, output.sectors, output.ideal, output.bytes),
        (32, 128, 128, 4096)
    );
    let mut total = Tally::default();
    lines.iter().for_each(|line| total += line.tally);
    assert_eq!(total, counts.total());

    let text = counts.table(&program).to_string();
    let row = "         570          105          105  ./kernels/src/scan/blelloch.rs:82";
    for part in [
        "lines with the most wavefronts",
        "Integer",
        "steps between barriers",
        row,
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn without_source_lines_the_lines_are_those_of_the_ptx() {
    let body = "st.global.u32 [%d0], %r0;\nst.global.u32 [%d0+4], %r0;\nret;";
    let ptx = harness::module("", body);
    let program = Program::load(&ptx).unwrap();
    let counts = count_body("", body, 3, 32);
    let lines = counts.by_line(&program);
    let first = ptx
        .lines()
        .position(|line| line.starts_with("st.global"))
        .unwrap() as u32
        + 1;
    let places: Vec<(u32, u64)> = lines
        .iter()
        .map(|line| (line.line, line.tally.global.stores.sectors))
        .collect();
    assert_eq!(
        places,
        [(first - 1, 0), (first, 3), (first + 1, 3), (first + 2, 0)]
    );
    assert_eq!(lines[1].place(), format!("PTX:{first}"));
}

#[test]
fn kinds_add_up() {
    let one = |wavefronts| SharedRequests {
        requests: 1,
        wavefronts,
        ideal: 1,
        worst: wavefronts,
    };
    let kinds = ByKind {
        loads: one(3),
        stores: one(7),
        atomics: one(2),
    };
    assert_eq!(
        kinds.total(),
        SharedRequests {
            requests: 3,
            wavefronts: 12,
            ideal: 3,
            worst: 7
        }
    );
}
