//! Warp collectives, block barriers and atomics; expected values by hand.

use crate::harness::{launch, module};
use ptx_emulator::{FaultKind, LaunchError, LaunchOptions, Schedule};

const STORE: &str = "mov.u32 %r9, %tid.x; mul.wide.u32 %d9, %r9, 4; add.s64 %d9, %d0, %d9; st.global.u32 [%d9], %r1; ret;";

fn warp(body: &str) -> Vec<u32> {
    let ptx = module("", &format!("mov.u32 %r0, %tid.x; {body} {STORE}"));
    launch(&ptx, 1, 32, 32, &LaunchOptions::default())
        .unwrap()
        .0
}

#[test]
fn shuffles_move_values_within_their_segment() {
    let up = warp("shfl.sync.up.b32 %r1|%p0, %r0, 3, 0, -1; @!%p0 add.u32 %r1, %r1, 100;");
    let down = warp("shfl.sync.down.b32 %r1|%p0, %r0, 3, 31, -1; @!%p0 add.u32 %r1, %r1, 100;");
    let butterfly = warp("shfl.sync.bfly.b32 %r1, %r0, 5, 31, -1;");
    // Segments of 8: mask 0b11000 << 8, clamp 7.
    let index = warp("shfl.sync.idx.b32 %r1, %r0, 2, 0x181f, -1;");
    for lane in 0..32u32 {
        let at = lane as usize;
        assert_eq!(up[at], if lane >= 3 { lane - 3 } else { lane + 100 });
        assert_eq!(down[at], if lane <= 28 { lane + 3 } else { lane + 100 });
        assert_eq!(butterfly[at], lane ^ 5);
        assert_eq!(index[at], lane / 8 * 8 + 2);
    }
}

#[test]
fn votes_matches_and_reductions() {
    let odd = "and.b32 %r2, %r0, 1; setp.ne.u32 %p0, %r2, 0;";
    assert_eq!(
        warp(&format!("{odd} vote.sync.ballot.b32 %r1, %p0, -1;")),
        [0xaaaa_aaaa; 32]
    );
    assert_eq!(
        warp(&format!(
            "{odd} vote.sync.all.pred %p1, %p0, -1; selp.u32 %r1, 1, 2, %p1;"
        )),
        [2; 32]
    );
    assert_eq!(
        warp(&format!(
            "{odd} vote.sync.any.pred %p1, %p0, -1; selp.u32 %r1, 1, 2, %p1;"
        )),
        [1; 32]
    );
    assert_eq!(
        warp(&format!(
            "{odd} vote.sync.uni.pred %p1, !%p0, -1; selp.u32 %r1, 1, 2, %p1;"
        )),
        [2; 32]
    );
    assert_eq!(warp("redux.sync.add.u32 %r1, %r0, -1;"), [496; 32]);
    assert_eq!(
        warp("sub.u32 %r2, %r0, 16; redux.sync.min.s32 %r1, %r2, -1;"),
        [-16i32 as u32; 32]
    );
    assert_eq!(warp("redux.sync.xor.b32 %r1, %r0, -1;"), [0; 32]);
    let matched = warp("and.b32 %r2, %r0, 3; match.any.sync.b32 %r1, %r2, -1;");
    let all = warp("mov.u64 %d1, 7; match.all.sync.b64 %r1|%p0, %d1, -1; @!%p0 mov.u32 %r1, 1;");
    assert_eq!(all, [u32::MAX; 32]);
    for (lane, value) in matched.into_iter().enumerate() {
        assert_eq!(value, 0x1111_1111 << (lane % 4));
    }
    let elected = warp("mov.u32 %r1, 0; elect.sync %r2|%p0, -1; @%p0 add.u32 %r1, %r2, 5;");
    assert_eq!(elected[0], 5);
    assert_eq!(elected[1..], [0; 31]);
}

#[test]
fn lanes_come_to_a_collective_on_different_paths() {
    // Both sides of a branch vote with the full mask, each in its own place.
    let body = format!(
        "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 8; @%p0 bra A;
         vote.sync.ballot.b32 %r1, %p0, -1; add.u32 %r1, %r1, 1; bra.uni B;
         A: vote.sync.ballot.b32 %r1, %p0, -1; add.u32 %r1, %r1, 2;
         B: {STORE}"
    );
    for seed in 0..8 {
        let options = LaunchOptions {
            schedule: Schedule::Seed(seed),
            ..LaunchOptions::default()
        };
        let (out, _) = launch(&module("", &body), 1, 32, 32, &options).unwrap();
        assert_eq!(out[..8], [0xff + 2; 8]);
        assert_eq!(out[8..], [0xff + 1; 24]);
    }
}

#[test]
fn tiles_of_a_warp_name_masks_of_their_own() {
    // Four tiles of eight lanes: each sums its lanes' numbers.
    let sum = warp(
        "shr.u32 %r2, %r0, 3; shl.b32 %r2, %r2, 3; mov.u32 %r3, 255; shl.b32 %r3, %r3, %r2;
         redux.sync.add.u32 %r1, %r0, %r3; activemask.b32 %r4; popc.b32 %r4, %r4;
         shl.b32 %r4, %r4, 16; or.b32 %r1, %r1, %r4;",
    );
    for (lane, value) in sum.into_iter().enumerate() {
        let first = lane as u32 / 8 * 8;
        // All 32 lanes go on together.
        assert_eq!(value, (8 * first + 28) | 32 << 16, "lane {lane}");
    }
}

#[test]
fn a_collective_that_names_a_lane_that_never_comes_is_a_deadlock() {
    let body = "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 8; @%p0 bra A; bar.sync 0; bra.uni B;
        A: vote.sync.ballot.b32 %r1, %p0, -1; bar.sync 0; B: ret;";
    let error = launch(&module("", body), 1, 32, 1, &LaunchOptions::default()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("waits for the lanes 0xffffffff of a warp collective"),
        "{error}"
    );
}

#[test]
fn a_mask_that_does_not_name_the_lane_itself_is_a_fault() {
    let error = launch(
        &module("", "bar.warp.sync 1; ret;"),
        1,
        32,
        1,
        &LaunchOptions::default(),
    )
    .unwrap_err();
    let LaunchError::Fault(fault) = error else {
        panic!("{error}")
    };
    assert!(matches!(fault.kind, FaultKind::Collective(_)), "{fault}");
}

#[test]
fn barriers_reduce_and_count_threads() {
    let body = format!(
        "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 40;
         bar.red.popc.u32 %r1, 0, %p0; bar.red.and.pred %p1, 1, %p0; bar.red.or.pred %p2, 1, %p0;
         selp.u32 %r2, 1000, 0, %p1; add.u32 %r1, %r1, %r2; selp.u32 %r2, 2000, 0, %p2; add.u32 %r1, %r1, %r2; {STORE}"
    );
    for seed in 0..4 {
        let options = LaunchOptions {
            schedule: Schedule::Seed(seed),
            ..LaunchOptions::default()
        };
        let (out, _) = launch(&module("", &body), 1, 96, 96, &options).unwrap();
        assert_eq!(out, [2040; 96]);
    }
}

#[test]
fn producers_arrive_and_consumers_wait() {
    // Warp 1 stores and arrives; warp 0 waits for 64 threads.
    let body = ".shared .b32 box; mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 32; @%p0 bra READ;
        mov.u32 %r2, 77; st.shared.u32 [box], %r2; bar.arrive 3, 64; ret;
        READ: bar.sync 3, 64; ld.shared.u32 %r1, [box]; st.global.u32 [%d0], %r1; ret;";
    let (out, _) = launch(&module("", body), 1, 64, 1, &LaunchOptions::default()).unwrap();
    assert_eq!(out, [77]);
    let body = "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 32; @%p0 bra A; bar.sync 3, 32; ret; A: bar.arrive 3, 64; ret;";
    let result = launch(&module("", body), 1, 64, 1, &LaunchOptions::default());
    let Err(LaunchError::Fault(fault)) = result else {
        panic!("{result:?}")
    };
    assert!(
        fault.to_string().contains("barrier 3 for 32 threads"),
        "{fault}"
    );
}

#[test]
fn atomics_of_every_kind() {
    let run = |text: &str, start: u32| {
        let body = format!(
            "mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 0; @%p0 st.global.u32 [%d0], {start}; bar.sync 0; {text} ret;"
        );
        launch(&module("", &body), 1, 64, 1, &LaunchOptions::default())
            .unwrap()
            .0[0]
    };
    assert_eq!(run("atom.global.add.u32 %r1, [%d0], %r0;", 4), 4 + 63 * 32);
    assert_eq!(
        run("red.relaxed.gpu.global.max.s32 [%d0], %r0;", -1i32 as u32),
        63
    );
    assert_eq!(
        run("red.global.max.u32 [%d0], %r0;", -1i32 as u32),
        u32::MAX
    );
    assert_eq!(run("red.global.min.s32 [%d0], -5;", 3), -5i32 as u32);
    // Counts 0 1 2 0 1 2 ...: 64 steps from 0 end at 64 mod 3 = 1.
    assert_eq!(run("atom.global.inc.u32 %r1, [%d0], 2;", 0), 1);
    // 0 goes to 9, then down: after 64 steps 10 a round, 0 - 64 = 6 (mod 10).
    assert_eq!(run("atom.global.dec.u32 %r1, [%d0], 9;", 0), 6);
    assert_eq!(
        run("atom.acq_rel.sys.global.xor.b32 %r1, [%d0], %r0;", 7),
        7
    );
    assert_eq!(
        run("red.global.add.f32 [%d0], 0f3F800000;", 0),
        64f32.to_bits()
    );
    assert_eq!(
        run(
            "atom.global.cas.b32 %r1, [%d0], %r0, 5; @%p0 fence.acq_rel.gpu;",
            2
        ),
        5
    );
    let old = "atom.global.exch.b32 %r1, [%d0], %r0;";
    assert!(run(old, 9) < 64);
}
