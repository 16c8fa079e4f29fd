//! Copies that end later: `cp.async` in groups and with mbarriers, what a
//! missing wait does, what observers see. Bulk copies are in `bulk_copy.rs`.

use crate::harness::{refusal, upload32};
use crate::staging::{copy, schedules, text};
use ptx_emulator::observe::{AccessKind, Memory, MemoryAccess, Observer, Order, Scope, Site};
use ptx_emulator::{FaultKind, Gpu, LaunchError, LaunchOptions, Model, Program, Shape};

fn fault(body: &str) -> FaultKind {
    let input = [1; 64];
    match copy(body, 1, &input, 64, &LaunchOptions::default()) {
        Err(LaunchError::Fault(fault)) => fault.kind,
        other => panic!("{body}: {other:?}"),
    }
}

/// Each thread copies 16 bytes and stores the four words to `out`.
const SIXTEEN: &str = "
    shl.b32 %r1, %r0, 4; mov.u32 %r2, buffer; add.u32 %r2, %r2, %r1;
    cvt.u64.u32 %d2, %r1; add.s64 %d3, %d0, %d2; add.s64 %d4, %d1, %d2;";
const STORE: &str = "
    ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r2]; st.global.v4.u32 [%d4], {%r4, %r5, %r6, %r7}; ret;";

#[test]
fn copies_that_are_waited_for_are_there() {
    let input: Vec<u32> = (0..256).map(|n| n * 3 + 1).collect();
    let waits = [
        "cp.async.commit_group; cp.async.wait_group 0;",
        "cp.async.wait_all;",
    ];
    for wait in waits {
        let body = format!("{SIXTEEN} cp.async.cg.shared.global [%r2], [%d3], 16; {wait} {STORE}");
        for options in schedules() {
            assert_eq!(copy(&body, 64, &input, 256, &options).unwrap(), input);
        }
    }
}

#[test]
fn a_copy_without_a_wait_is_not_there() {
    let input: Vec<u32> = (0..256).map(|n| n * 3 + 1).collect();
    let missing = format!(
        "{SIXTEEN} cp.async.cg.shared.global [%r2], [%d3], 16; cp.async.commit_group; {STORE}"
    );
    // Shared memory begins as zeros, and nobody asks for the bytes.
    let out = copy(&missing, 64, &input, 256, &LaunchOptions::default()).unwrap();
    assert_eq!(out, [0; 256]);
    // With seeds some have come and some have not.
    let some: Vec<Vec<u32>> = schedules()[1..]
        .iter()
        .map(|options| copy(&missing, 64, &input, 256, options).unwrap())
        .collect();
    assert!(some.iter().any(|out| *out != input));
    for out in &some {
        assert!(out.iter().zip(&input).all(|(a, b)| *a == 0 || a == b));
    }
    // One group too many may be left.
    let early = format!(
        "{SIXTEEN} cp.async.cg.shared.global [%r2], [%d3], 16; cp.async.commit_group;
         cp.async.wait_group 1; {STORE}"
    );
    let out = copy(&early, 64, &input, 256, &LaunchOptions::default()).unwrap();
    assert_eq!(out, [0; 256]);
}

#[test]
fn a_short_source_leaves_zeros_and_an_ignored_one_is_not_read() {
    let input = [0x1111_1111, 0x2222_2222, 0x3333_3333, 0x4444_4444];
    let fill = "mov.u32 %r8, -1; st.shared.v4.u32 [%r2], {%r8, %r8, %r8, %r8};";
    for options in schedules() {
        let run = |body: &str| {
            let body = format!("{SIXTEEN} {fill} {body} cp.async.wait_all; {STORE}");
            copy(&body, 1, &input, 4, &options).unwrap()
        };
        assert_eq!(
            run("mov.u32 %r9, 6; cp.async.ca.shared.global [%r2], [%d3], 16, %r9;"),
            [0x1111_1111, 0x2222, 0, 0]
        );
        assert_eq!(
            run("cp.async.ca.shared.global [%r2+4], [%d3+8], 4;"),
            [u32::MAX, 0x3333_3333, u32::MAX, u32::MAX]
        );
        assert_eq!(
            run("cp.async.ca.shared::cta.global.L2::128B [%r2+8], [%d3], 8, 8;"),
            [u32::MAX, u32::MAX, 0x1111_1111, 0x2222_2222]
        );
        // Nothing is read, so the address does not matter.
        assert_eq!(
            run("mov.u64 %d9, 0; cp.async.cg.shared.global [%r2], [%d9], 16, 0;"),
            [0; 4]
        );
        assert_eq!(
            run("setp.eq.u32 %p1, %r0, 0; mov.u64 %d9, 0; mov.u64 %d10, 0;
                 cp.async.cg.shared.global.L2::cache_hint [%r2], [%d9], 16, %p1, %d10;"),
            [0; 4]
        );
        assert_eq!(
            run("setp.ne.u32 %p1, %r0, 0; cp.async.cg.shared.global [%r2], [%d3], 16, %p1;"),
            input
        );
    }
}

#[test]
fn groups_complete_by_their_number() {
    // Three copies in three groups; two groups may be left, then one, then none.
    let input = [10, 20, 30, 0];
    let body = "mov.u32 %r2, buffer;
        cp.async.ca.shared.global [%r2], [%d0], 4; cp.async.commit_group;
        cp.async.ca.shared.global [%r2+4], [%d0+4], 4; cp.async.commit_group;
        cp.async.ca.shared.global [%r2+8], [%d0+8], 4; cp.async.commit_group;
        cp.async.wait_group 2; ld.shared.v2.u32 {%r4, %r5}, [%r2]; ld.shared.u32 %r6, [%r2+8];
        cp.async.wait_group 1; ld.shared.u32 %r7, [%r2+4];
        cp.async.wait_group 0; ld.shared.u32 %r8, [%r2+8];
        st.global.v4.u32 [%d1], {%r4, %r5, %r6, %r7}; st.global.u32 [%d1+16], %r8; ret;";
    let out = copy(body, 1, &input, 5, &LaunchOptions::default()).unwrap();
    assert_eq!(out, [10, 0, 0, 20, 30]);
    for options in schedules() {
        let out = copy(body, 1, &input, 5, &options).unwrap();
        assert_eq!((out[0], out[3], out[4]), (10, 20, 30));
    }
}

/// Two stages of 32 words: the next tile is on its way while this one is
/// added up. `out[thread]` is the sum over 8 tiles.
fn double_buffered(wait: &str) -> String {
    format!(
        "mov.u32 %r1, buffer; shl.b32 %r2, %r0, 2; add.u32 %r1, %r1, %r2; cvt.u64.u32 %d2, %r2;
         add.s64 %d3, %d0, %d2; add.s64 %d4, %d1, %d2; mov.u32 %r5, 0; mov.u32 %r6, 0;
         cp.async.ca.shared.global [%r1], [%d3], 4; cp.async.commit_group;
         LOOP: add.u32 %r6, %r6, 1; setp.ge.u32 %p1, %r6, 8; @%p1 bra FETCHED;
         and.b32 %r7, %r6, 1; shl.b32 %r7, %r7, 7; add.u32 %r8, %r1, %r7;
         mul.wide.u32 %d5, %r6, 128; add.s64 %d5, %d3, %d5;
         cp.async.ca.shared.global [%r8], [%d5], 4;
         FETCHED: cp.async.commit_group; {wait}
         add.u32 %r9, %r6, 1; and.b32 %r9, %r9, 1; shl.b32 %r9, %r9, 7; add.u32 %r9, %r1, %r9;
         ld.shared.u32 %r10, [%r9]; add.u32 %r5, %r5, %r10;
         setp.lt.u32 %p2, %r6, 8; @%p2 bra LOOP;
         st.global.u32 [%d4], %r5; ret;"
    )
}

#[test]
fn a_double_buffer_adds_up_every_tile() {
    let input: Vec<u32> = (0..256).collect();
    // sum over t of 32 t + lane, t from 0 to 7: 32 * 28 + 8 lane.
    let expected: Vec<u32> = (0..32).map(|lane| 896 + 8 * lane).collect();
    for options in schedules() {
        let body = double_buffered("cp.async.wait_group 1;");
        assert_eq!(copy(&body, 32, &input, 32, &options).unwrap(), expected);
    }
    // The newest two groups are not waited for: each tile is read before it is
    // there, so zeros are, and then the tile of two rounds before.
    let late = double_buffered("cp.async.wait_group 2;");
    let out = copy(&late, 32, &input, 32, &LaunchOptions::default()).unwrap();
    // Tiles 0 to 5 in rounds 2 to 7.
    let stale: Vec<u32> = (0..32).map(|lane| 32 * 15 + 6 * lane).collect();
    assert_eq!(out, stale);
}

#[test]
fn an_mbarrier_tracks_the_copies_of_each_lane() {
    let input: Vec<u32> = (0..256).map(|n| n ^ 0x55).collect();
    // Without `.noinc` each lane adds the arrival that it makes; 64 threads
    // arrive by themselves.
    for (variant, count, own) in [
        ("", 64, "mbarrier.arrive.shared.b64 _, [bars];"),
        (".noinc", 128, "mbarrier.arrive.shared.b64 _, [bars];"),
        (".noinc", 64, ""),
    ] {
        let body = format!(
            "{SIXTEEN} setp.ne.u32 %p1, %r0, 0; @%p1 bra READY; mbarrier.init.shared.b64 [bars], {count};
             READY: bar.sync 0;
             cp.async.cg.shared.global [%r2], [%d3], 16;
             cp.async.mbarrier.arrive{variant}.shared.b64 [bars];
             {own}
             WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [bars], 0; @!%p2 bra WAIT;
             xor.b32 %r1, %r1, 16; mov.u32 %r2, buffer; add.u32 %r2, %r2, %r1;
             cvt.u64.u32 %d2, %r1; add.s64 %d4, %d1, %d2; {STORE}"
        );
        for options in schedules() {
            // Each thread stores what its neighbour copied.
            let out = copy(&body, 64, &input, 256, &options).unwrap();
            assert_eq!(out, input, "{variant} {count} {options:?}");
        }
    }
}

#[test]
fn wrong_addresses_and_sizes_are_faults() {
    let undefined = |body: &str, part: &str| match fault(body) {
        FaultKind::Undefined(text) => assert!(text.contains(part), "{body}: {text}"),
        other => panic!("{body}: {other}"),
    };
    assert!(matches!(
        fault("cp.async.cg.shared.global [buffer], [%d0+8], 16; ret;"),
        FaultKind::Misaligned {
            bytes: 16,
            room: "global",
            ..
        }
    ));
    assert!(matches!(
        fault("cp.async.cg.shared.global [buffer+4], [%d0], 16; ret;"),
        FaultKind::Misaligned {
            bytes: 16,
            room: "shared",
            ..
        }
    ));
    assert!(matches!(
        fault("cp.async.ca.shared.global [buffer], [%d0+256], 4; ret;"),
        FaultKind::OutOfBounds {
            bytes: 4,
            room: "global",
            ..
        }
    ));
    undefined(
        "mov.u32 %r1, 5; cp.async.ca.shared.global [buffer], [%d0], 4, %r1; ret;",
        "src-size 5 of 4 bytes",
    );
    let store = |to: &str, size: u32| {
        format!("cp.async.bulk.global.shared::cta.bulk_group [%d1+{to}], [buffer], {size}; ret;")
    };
    undefined(
        &store("0", 24),
        "a bulk copy of 24 bytes; allowed are multiples of 16",
    );
    assert!(matches!(
        fault(&store("8", 16)),
        FaultKind::Misaligned { bytes: 16, .. }
    ));
    assert!(matches!(
        fault(&store("0", 272)),
        FaultKind::OutOfBounds { bytes: 272, .. }
    ));
    let load = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [buffer], [%d0], 16, [bars]; ret;";
    undefined(load, "it was not initialised");
    // The bytes come to an mbarrier that is gone.
    undefined(
        &format!(
            "mbarrier.init.shared.b64 [bars], 1; {} mbarrier.inval.shared.b64 [bars]; ret;",
            load.trim_end_matches("ret;")
        ),
        "it was not initialised, or it is invalid",
    );
}

#[test]
fn what_is_not_copied_is_refused() {
    for (body, part) in [
        (
            "cp.async.cg.shared.global [%rd], [%d], 8;",
            "allowed are [16]",
        ),
        (
            "cp.async.ca.shared.global [%rd], [%d], 12;",
            "allowed are [4, 8, 16]",
        ),
        (
            "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%rd], [%d, {%ra}], [%rb];",
            "`.tensor`",
        ),
        (
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%d], [%rd], 16;",
            "`.noftz`",
        ),
        (
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s64 [%d], [%rd], 16;",
            "S64",
        ),
        (
            "cp.async.bulk.global.global.bulk_group [%d], [%c], 16;",
            "no bulk copy",
        ),
        ("cp.async.wait_group %ra;", "a constant is expected"),
    ] {
        let said = refusal(body);
        assert!(said.contains(part), "{body}: {said}");
    }
}

/// Keeps the accesses to shared memory and those to global memory that load.
#[derive(Default)]
struct Seen(Vec<(u32, AccessKind, Memory, u32, u32, Order, Scope)>);

impl Observer for Seen {
    const MEMORY: bool = true;
    fn fork(&self) -> Self {
        Seen::default()
    }
    fn merge(&mut self, other: Self) {
        self.0.extend(other.0);
    }
    fn access(&mut self, at: Site, access: &MemoryAccess<'_>) {
        if access.memory != Memory::Parameter {
            let MemoryAccess {
                kind,
                memory,
                lanes,
                bytes,
                order,
                scope,
                ..
            } = *access;
            self.0
                .push((at.pc, kind, memory, lanes, bytes, order, scope));
        }
    }
}

#[test]
fn accesses_are_seen_when_they_are_made_with_the_copys_own_place() {
    // Two loads, a move and two cvta come before: pc 0 to 4.
    let body = "cp.async.ca.shared.global [buffer], [%d0], 4;
        mbarrier.init.shared.b64 [bars], 1;
        mbarrier.arrive.expect_tx.shared.b64 _, [bars], 16;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [buffer+16], [%d0], 16, [bars];
        FULL: mbarrier.try_wait.parity.shared.b64 %p2, [bars], 0;
        @!%p2 bra FULL;
        cp.async.wait_all; ret;";
    let program = Program::load(&text(body)).unwrap();
    let mut gpu = Gpu::new(Model::h200());
    let data = upload32(&mut gpu, &[1; 4]);
    let shape = Shape {
        grid: [1, 1, 1],
        block: [1, 1, 1],
        shared_bytes: 0,
    };
    let parameters: [&[u8]; 2] = [&data.to_le_bytes(), &data.to_le_bytes()];
    let options = LaunchOptions::default();
    let (_, seen) = gpu
        .launch_observed(
            &program,
            "test",
            shape,
            &parameters,
            &options,
            Seen::default(),
        )
        .and_then(ptx_emulator::Observed::finished)
        .unwrap();
    use AccessKind::{Atomic, Load, Store};
    use Memory::{Global, Shared};
    let none = (Order::Weak, Scope::None);
    let row = |pc, kind, memory, bytes, (order, scope)| (pc, kind, memory, 1, bytes, order, scope);
    let expected = vec![
        row(6, Store, Shared, 8, none),
        row(7, Atomic, Shared, 8, (Order::Release, Scope::Block)),
        // The bulk copy, when somebody waits for it, and its bytes counted.
        row(8, Load, Global, 16, none),
        row(8, Store, Shared, 16, none),
        row(8, Atomic, Shared, 8, (Order::Release, Scope::Block)),
        row(9, Load, Shared, 8, (Order::Acquire, Scope::Block)),
        // The first copy, by its own wait.
        row(5, Load, Global, 4, none),
        row(5, Store, Shared, 4, none),
    ];
    assert_eq!(seen.0, expected);
}
