//! Bulk copies: with mbarriers and with bulk groups, reductions.

use crate::harness::upload32;
use crate::staging::{copy, schedules, text};
use ptx_emulator::observe::{AccessKind, Memory, MemoryAccess, Observer, Site};
use ptx_emulator::{Gpu, LaunchOptions, Model, Program, Shape};

/// Thread 0 fills two stages of 256 bytes in turn by bulk copies; all 64
/// threads add up 8 tiles; `full` and `empty` mbarriers of each stage hand it
/// over. `{wait}` is the consumer's wait.
fn bulk_pipeline(wait: &str) -> String {
    format!(
        "setp.ne.u32 %p1, %r0, 0; @%p1 bra READY;
         mbarrier.init.shared.b64 [bars], 1; mbarrier.init.shared.b64 [bars+8], 1;
         mbarrier.init.shared.b64 [bars+16], 64; mbarrier.init.shared.b64 [bars+24], 64;
         fence.mbarrier_init.release.cluster; fence.proxy.async;
         READY: bar.sync 0;
         mov.u32 %r1, bars; mov.u32 %r2, buffer; mov.u32 %r5, 0; mov.u32 %r6, 0; mov.u32 %r20, 0;
         @%p1 bra CONSUME;
         // The producer's first two tiles.
         mbarrier.arrive.expect_tx.shared.b64 _, [bars], 256;
         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [buffer], [%d0], 256, [bars];
         mbarrier.arrive.expect_tx.shared.b64 _, [bars+8], 256;
         add.u32 %r21, %r2, 256;
         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r21], [%d0+256], 256, [bars+8];
         CONSUME:
         and.b32 %r7, %r6, 1; shl.b32 %r8, %r7, 3; add.u32 %r9, %r1, %r8;
         shr.u32 %r10, %r6, 1; and.b32 %r10, %r10, 1;
         {wait}
         shl.b32 %r11, %r7, 8; add.u32 %r11, %r2, %r11; shl.b32 %r12, %r0, 2; add.u32 %r13, %r11, %r12;
         ld.shared.u32 %r14, [%r13]; add.u32 %r5, %r5, %r14;
         mbarrier.arrive.shared.b64 _, [%r9+16];
         add.u32 %r15, %r6, 2; setp.ge.u32 %p3, %r15, 8; or.pred %p4, %p1, %p3; @%p4 bra NEXT;
         // Thread 0 refills the stage when all have read it.
         EMPTY: mbarrier.try_wait.parity.shared.b64 %p5, [%r9+16], %r10; @!%p5 bra EMPTY;
         mbarrier.arrive.expect_tx.shared.b64 _, [%r9], 256;
         mul.wide.u32 %d5, %r15, 256; add.s64 %d5, %d0, %d5;
         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r11], [%d5], 256, [%r9];
         NEXT: add.u32 %r6, %r6, 1; setp.lt.u32 %p6, %r6, 8; @%p6 bra CONSUME;
         cvt.u64.u32 %d6, %r12; add.s64 %d6, %d1, %d6; st.global.u32 [%d6], %r5; ret;"
    )
}

#[test]
fn a_bulk_pipeline_with_parities_adds_up_every_tile() {
    let input: Vec<u32> = (0..512).map(|n| n * n).collect();
    let expected: Vec<u32> = (0..64)
        .map(|lane| {
            (0..8)
                .map(|tile| (64 * tile + lane) * (64 * tile + lane))
                .sum()
        })
        .collect();
    let waits = [
        "FULL: mbarrier.try_wait.parity.shared.b64 %p2, [%r9], %r10; @!%p2 bra FULL;",
        "FULL: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p2, [%r9], %r10, 1000; @!%p2 bra FULL;",
        "FULL: mbarrier.test_wait.parity.shared.b64 %p2, [%r9], %r10; @!%p2 bra FULL;",
    ];
    for wait in waits {
        for options in schedules() {
            let out = copy(&bulk_pipeline(wait), 64, &input, 64, &options);
            assert_eq!(out.unwrap(), expected, "{wait} {options:?}");
        }
    }
    // Nobody waits for the bytes: the producer comes back to a stage that is
    // still being filled.
    let error = copy(&bulk_pipeline(""), 64, &input, 64, &schedules()[0]).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("1 arrivals at an mbarrier that waits for 0 in this phase"),
        "{error}"
    );
}

#[test]
fn bulk_copies_from_shared_go_by_groups() {
    let input = [0; 4];
    let fill =
        "mov.u32 %r2, buffer; mov.u32 %r4, 1; mov.u32 %r5, 2; mov.u32 %r6, 3; mov.u32 %r7, 4;
        st.shared.v4.u32 [%r2], {%r4, %r5, %r6, %r7}; fence.proxy.async.shared::cta;
        cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r2], 16; cp.async.bulk.commit_group;";
    // Nobody waits, and the block's end completes it.
    for options in schedules() {
        let out = copy(&format!("{fill} ret;"), 1, &input, 4, &options).unwrap();
        assert_eq!(out, [1, 2, 3, 4]);
    }
    // The source is overwritten before it is read, unless that is waited for.
    let spoil = "st.shared.u32 [%r2+4], 9; ret;";
    let out = copy(&format!("{fill} {spoil}"), 1, &input, 4, &schedules()[0]).unwrap();
    assert_eq!(out, [1, 9, 3, 4]);
    for options in schedules() {
        let body = format!("{fill} cp.async.bulk.wait_group.read 0; {spoil}");
        assert_eq!(copy(&body, 1, &input, 4, &options).unwrap(), [1, 2, 3, 4]);
    }
    // `.read` says nothing of the destination; the full wait does.
    let look = "ld.global.u32 %r9, [%d1+12]; st.global.u32 [%d1+16], %r9; ret;";
    let look_at = |wait: &str, options: &LaunchOptions| {
        copy(&format!("{fill} {wait} {look}"), 1, &input, 5, options).unwrap()
    };
    let early = look_at("cp.async.bulk.wait_group.read 0;", &schedules()[0]);
    assert_eq!(early, [1, 2, 3, 4, 0]);
    for options in schedules() {
        assert_eq!(
            look_at("cp.async.bulk.wait_group 0;", &options),
            [1, 2, 3, 4, 4]
        );
    }
}

#[test]
fn bulk_reductions_combine_elements() {
    let input = [0; 4];
    let run = |operation: &str, old: [u32; 4], new: [u32; 4]| {
        let list = |values: [u32; 4], at: &str| {
            values
                .iter()
                .enumerate()
                .map(|(n, value)| format!("st.{at}+{}], {value};", n * 4))
                .collect::<String>()
        };
        let body = format!(
            "mov.u32 %r2, buffer; {} {} cp.reduce.async.bulk.global.shared::cta.bulk_group.{operation} [%d1], [%r2], 16;
             cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret;",
            list(new, "shared.u32 [%r2"),
            list(old, "global.u32 [%d1"),
        );
        copy(&body, 1, &input, 4, &LaunchOptions::default()).unwrap()
    };
    assert_eq!(
        run("add.u32", [1, 2, 3, u32::MAX], [10, 20, 30, 2]),
        [11, 22, 33, 1]
    );
    assert_eq!(
        run("min.s32", [1, 2, 3, 4], [u32::MAX, 5, 1, 4]),
        [u32::MAX, 2, 1, 4]
    );
    assert_eq!(
        run("max.u32", [1, 2, 3, 4], [u32::MAX, 5, 1, 4]),
        [u32::MAX, 5, 3, 4]
    );
    assert_eq!(run("xor.b32", [1, 2, 3, 4], [3, 3, 3, 3]), [2, 1, 0, 7]);
    // 2^32 - 1 and 1 carry into the upper half.
    assert_eq!(
        run("add.u64", [u32::MAX, 0, 7, 0], [1, 0, 1, 1]),
        [0, 1, 8, 1]
    );
    let one = 1.0f32.to_bits();
    let sums = run(
        "add.f32",
        [one; 4],
        [one, 0, 0.5f32.to_bits(), (-1.0f32).to_bits()],
    );
    assert_eq!(sums, [2.0f32, 1.0, 1.5, 0.0].map(f32::to_bits));
}

#[test]
fn bulk_copies_within_shared_memory_and_prefetches() {
    let input = [5, 6, 7, 8];
    let body = "mov.u32 %r2, buffer; mbarrier.init.shared.b64 [bars], 1;
        cp.async.bulk.prefetch.L2.global [%d0], 16;
        mbarrier.arrive.expect_tx.shared.b64 _, [bars], 32;
        mov.b64 %d9, 0; mov.u16 %h1, 1;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%r2], [%d0], 16, [bars], %h1, %d9;
        FIRST: mbarrier.test_wait.parity.shared.b64 %p2, [bars], 1; @!%p2 bra FIRST;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2+16], [%d0], 16, [bars];
        FULL: mbarrier.try_wait.parity.shared.b64 %p2, [bars], 0; @!%p2 bra FULL;
        mbarrier.arrive.expect_tx.shared.b64 _, [bars], 16;
        cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r2+64], [%r2+16], 16, [bars];
        AGAIN: mbarrier.try_wait.parity.shared.b64 %p2, [bars], 1; @!%p2 bra AGAIN;
        ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r2+64]; st.global.v4.u32 [%d1], {%r4, %r5, %r6, %r7}; ret;";
    let body = format!(".reg .b16 %h<2>; {body}");
    for options in schedules() {
        assert_eq!(copy(&body, 1, &input, 4, &options).unwrap(), input);
    }
}

#[test]
fn stored_values_come_later_and_are_counted() {
    let input = [0; 4];
    let issue = "mov.u32 %r2, buffer; mov.u32 %r3, bars; mbarrier.init.shared.b64 [%r3], 1;
        mov.u32 %r4, 11; mov.u32 %r5, 22; mov.u64 %d5, 0x300000002; st.shared.u32 [%r2+16], 40;
        mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 20;
        st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r2], {%r4, %r5}, [%r3];
        st.async.shared::cluster.mbarrier::complete_tx::bytes.u64 [%r2+8], %d5, [%r3];
        red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r2+16], %r5, [%r3];";
    let look = "ld.shared.v4.u32 {%r6, %r7, %r8, %r9}, [%r2]; ld.shared.u32 %r10, [%r2+16];
        st.global.v4.u32 [%d1], {%r6, %r7, %r8, %r9}; st.global.u32 [%d1+16], %r10; ret;";
    let wait = "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0; @!%p2 bra W;";
    for options in schedules() {
        let out = copy(&format!("{issue} {wait} {look}"), 1, &input, 5, &options);
        assert_eq!(out.unwrap(), [11, 22, 2, 3, 62]);
    }
    let early = copy(&format!("{issue} {look}"), 1, &input, 5, &schedules()[0]);
    assert_eq!(early.unwrap(), [0, 0, 0, 0, 40]);
}

/// Offset and bytes of what is stored to shared memory.
#[derive(Default)]
struct Stores(Vec<(u64, u32)>);

impl Observer for Stores {
    const MEMORY: bool = true;
    fn fork(&self) -> Self {
        Stores::default()
    }
    fn merge(&mut self, other: Self) {
        self.0.extend(other.0);
    }
    fn access(&mut self, _at: Site, access: &MemoryAccess<'_>) {
        if access.kind == AccessKind::Store && access.memory == Memory::Shared {
            let lane = access.lanes.trailing_zeros() as usize;
            self.0.push((access.addresses[lane], access.bytes));
        }
    }
}

#[test]
fn observers_see_a_bulk_copy_in_sectors() {
    // The buffer is at byte 0, the mbarriers behind its 4096 bytes.
    let body = "mbarrier.init.shared.b64 [bars], 1; mbarrier.arrive.expect_tx.shared.b64 _, [bars], 96;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [buffer+16], [%d0], 96, [bars]; ret;";
    let program = Program::load(&text(body)).unwrap();
    let mut gpu = Gpu::new(Model::h200());
    let data = upload32(&mut gpu, &[1; 24]).to_le_bytes();
    let shape = Shape {
        grid: [1, 1, 1],
        block: [1, 1, 1],
        shared_bytes: 0,
    };
    let options = LaunchOptions::default();
    let (_, seen) = gpu
        .launch_observed(
            &program,
            "test",
            shape,
            &[&data, &data],
            &options,
            Stores::default(),
        )
        .and_then(ptx_emulator::Observed::finished)
        .unwrap();
    assert_eq!(seen.0, [(4096, 8), (16, 16), (32, 32), (64, 32), (96, 16)]);
}
