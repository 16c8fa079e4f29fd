//! Misused barriers and collectives, deadlocks and livelocks, each with a twin
//! that is silent.

use crate::checking::{Bench, check, line, module, only, shape, silent};
use ptx_emulator::{FindingKind, LaunchError, LaunchOptions};

#[test]
fn threads_that_exit_before_a_barrier_of_the_block() {
    let body = |leave: &str| {
        format!(
            "setp.ge.u32 %p0, %x, 40;
             .loc 1 10 5
             {leave}
             add.s64 %d3, %d1, %d2;
             .loc 1 11 5
             st.global.u32 [%d3], 5;
             NEXT:
             .loc 1 12 5
             bar.sync 0;
             ret;"
        )
    };
    let checked = check("", &body("@%p0 ret;"), 64);
    let finding = only(&checked, FindingKind::Barrier);
    assert!(!finding.stopped);
    assert_eq!(
        finding.message,
        "barrier 0 completes although 24 threads of the block exited without coming to it"
    );
    assert_eq!(
        (line(&finding.at), finding.at.thread),
        ("./k/src/lib.rs:12", [0, 0, 0])
    );
    let other = finding.other.as_ref().unwrap();
    assert_eq!(
        (line(other), other.thread),
        ("./k/src/lib.rs:10", [40, 0, 0])
    );
    assert_eq!(
        (finding.at.what.as_str(), other.what.as_str()),
        ("waits", "exited")
    );
    silent(&check("", &body("@%p0 bra NEXT;"), 64));
}

#[test]
fn a_whole_warp_that_has_ended_is_missing_too() {
    let body = "setp.ge.u32 %p0, %x, 32;
        @%p0 bra END;
        .loc 1 21 5
        bar.sync 3;
        END: .loc 1 22 5
        ret;";
    let checked = check("", body, 64);
    let finding = only(&checked, FindingKind::Barrier);
    let other = finding.other.as_ref().unwrap();
    assert_eq!(
        (line(other), other.thread),
        ("./k/src/lib.rs:22", [32, 0, 0])
    );
    assert!(
        finding
            .message
            .starts_with("barrier 3 completes although 32 threads")
    );
}

/// Even threads come to one barrier instruction, odd ones to another.
fn two_places(barrier: &str) -> String {
    format!(
        "and.b32 %r1, %x, 1; setp.eq.u32 %p0, %r1, 0;
         @%p0 bra EVEN;
         .loc 1 31 5
         {barrier} 0;
         bra.uni END;
         EVEN: .loc 1 33 5
         {barrier} 0;
         END: ret;"
    )
}

#[test]
fn lanes_of_a_warp_at_different_aligned_barriers() {
    let checked = check("", &two_places("bar.sync"), 64);
    let finding = only(&checked, FindingKind::Barrier);
    assert!(
        finding
            .message
            .contains("barrier 0 at different instructions")
    );
    assert_eq!(
        (line(&finding.at), finding.at.thread),
        ("./k/src/lib.rs:31", [1, 0, 0])
    );
    let other = finding.other.as_ref().unwrap();
    assert_eq!(
        (line(other), other.thread),
        ("./k/src/lib.rs:33", [0, 0, 0])
    );
    // Once a warp.
    assert_eq!(finding.occurrences, 2);
    silent(&check("", &two_places("barrier.sync"), 64));
}

#[test]
fn lanes_of_a_warp_at_different_barriers_of_the_cluster() {
    let body = |arrive: &str| {
        two_places("CLUSTER")
            .replace("CLUSTER 0", arrive)
            .replace("END: ret", "END: barrier.cluster.wait; ret")
    };
    let checked = check("", &body("barrier.cluster.arrive.aligned"), 64);
    let finding = only(&checked, FindingKind::Barrier);
    let told = "threads of one warp come to the barrier of the cluster at different";
    assert!(finding.message.starts_with(told), "{finding}");
    let other = finding.other.as_ref().unwrap();
    assert_eq!(
        (line(&finding.at), line(other)),
        ("./k/src/lib.rs:31", "./k/src/lib.rs:33")
    );
    assert_eq!(finding.occurrences, 2);
    silent(&check("", &body("barrier.cluster.arrive"), 64));
}

#[test]
fn the_barrier_of_the_cluster_is_for_threads_that_have_not_exited() {
    let body = "setp.ge.u32 %p0, %x, 40; @%p0 ret;
        barrier.cluster.arrive; barrier.cluster.wait; ret;";
    silent(&check("", body, 64));
}

#[test]
fn lanes_that_come_one_after_the_other_to_one_barrier() {
    let body = "and.b32 %r1, %x, 1; setp.eq.u32 %p0, %r1, 0;
        @%p0 bra BOTH;
        add.u32 %r1, %r1, 1;
        ld.global.u32 %r2, [%d0];
        BOTH: bar.sync 0;
        ret;";
    silent(&check("", body, 64));
}

#[test]
fn warps_at_different_barrier_instructions_are_legal() {
    let body = "setp.ge.u32 %p0, %x, 32; @%p0 bra SECOND;
        bar.sync 0; bra.uni END;
        SECOND: bar.sync 0;
        END: ret;";
    silent(&check("", body, 64));
}

#[test]
fn a_producer_and_a_consumer_with_counts() {
    let body = "setp.ge.u32 %p0, %x, 32; @%p0 bra SECOND;
        bar.arrive 1, 64; bra.uni END;
        SECOND: bar.sync 1, 64;
        END: ret;";
    silent(&check("", body, 96 - 32));
}

#[test]
fn different_counts_at_one_barrier() {
    let body = "setp.ge.u32 %p0, %x, 32; @%p0 bra SECOND;
        .loc 1 41 5
        bar.sync 1, 96; ret;
        SECOND:
        .loc 1 42 5
        bar.sync 1, 64; ret;";
    let checked = check("", body, 64);
    let finding = only(&checked, FindingKind::Barrier);
    assert!(finding.stopped && matches!(checked.outcome, Err(LaunchError::Fault(_))));
    assert_eq!(
        finding.message,
        "barrier 1 for 64 threads, but others have come to it for 96 threads"
    );
    assert_eq!(
        (line(&finding.at), finding.at.thread),
        ("./k/src/lib.rs:42", [32, 0, 0])
    );
    let other = finding.other.as_ref().unwrap();
    assert_eq!(
        (line(other), other.thread),
        ("./k/src/lib.rs:41", [0, 0, 0])
    );
}

#[test]
fn a_part_of_a_warp_at_a_barrier_with_a_count() {
    let body = |barrier: &str| {
        format!(
            "and.b32 %r1, %x, 31; setp.lt.u32 %p0, %r1, 16;
             .loc 1 51 5
             @%p0 {barrier} 2, 32;
             ret;"
        )
    };
    let checked = check("", &body("bar.sync"), 64);
    let finding = only(&checked, FindingKind::Barrier);
    assert!(
        finding.message.contains("a part of the warp has not come"),
        "{finding}"
    );
    assert_eq!(
        (line(&finding.at), finding.at.thread),
        ("./k/src/lib.rs:51", [0, 0, 0])
    );
    silent(&check("", &body("barrier.sync"), 64));
}

#[test]
fn barriers_that_wait_for_each_other() {
    let body = |second: u32| {
        format!(
            "setp.ge.u32 %p0, %x, 32; @%p0 bra SECOND;
             .loc 1 61 5
             bar.sync 0; bar.sync 1; ret;
             SECOND:
             .loc 1 62 5
             bar.sync {second}; bar.sync {}; ret;",
            1 - second
        )
    };
    let checked = check("", &body(1), 64);
    let finding = only(&checked, FindingKind::Deadlock);
    assert_eq!(finding.message, "no warp of block [0, 0, 0] can move");
    assert_eq!(line(&finding.at), "./k/src/lib.rs:61");
    assert_eq!(
        finding.at.what,
        "waits at barrier 0, where 32 of 64 threads are (32 threads here)"
    );
    let other = finding.other.as_ref().unwrap();
    assert_eq!(
        (line(other), other.thread),
        ("./k/src/lib.rs:62", [32, 0, 0])
    );
    let text = checked.outcome.as_ref().unwrap_err().to_string();
    assert!(
        text.contains("(./k/src/lib.rs:61)") && text.contains("(./k/src/lib.rs:62)"),
        "{text}"
    );
    silent(&check("", &body(0), 64));
}

#[test]
fn a_member_mask_with_lanes_that_have_exited() {
    let body = |mask: &str| {
        format!(
            "setp.ge.u32 %p0, %x, 20;
             .loc 1 70 5
             @%p0 ret;
             activemask.b32 %r1;
             .loc 1 71 5
             shfl.sync.down.b32 %r2, %x, 1, 31, {mask};
             ret;"
        )
    };
    let checked = check("", &body("-1"), 32);
    let finding = only(&checked, FindingKind::Collective);
    assert_eq!(
        finding.message,
        "the member mask 0xffffffff names lanes that have exited (0xfff00000)"
    );
    assert_eq!(
        (line(&finding.at), finding.at.thread),
        ("./k/src/lib.rs:71", [0, 0, 0])
    );
    let other = finding.other.as_ref().unwrap();
    assert_eq!(
        (line(other), other.thread),
        ("./k/src/lib.rs:70", [20, 0, 0])
    );
    silent(&check("", &body("%r1"), 32));
    // The last warp of this block never had more than 20 lanes.
    silent(&check("", &body("-1"), 20));
}

#[test]
fn a_member_that_does_not_take_part() {
    let body = |condition: &str| {
        format!(
            "setp.lt.u32 %p0, %x, {condition}; @%p0 bra VOTE;
             .loc 1 80 5
             bar.sync 0; ret;
             VOTE: setp.lt.u32 %p1, %x, 9;
             .loc 1 81 5
             vote.sync.ballot.b32 %r1, %p1, -1;
             bar.sync 0; ret;"
        )
    };
    let checked = check("", &body("16"), 32);
    let finding = only(&checked, FindingKind::Collective);
    assert!(finding.stopped && matches!(checked.outcome, Err(LaunchError::Deadlock(_))));
    assert_eq!(
        finding.message,
        "the member mask 0xffffffff names lanes that do not take part (0xffff0000)"
    );
    assert_eq!(
        (line(&finding.at), finding.at.thread),
        ("./k/src/lib.rs:81", [0, 0, 0])
    );
    let other = finding.other.as_ref().unwrap();
    assert_eq!(
        (line(other), other.thread),
        ("./k/src/lib.rs:80", [16, 0, 0])
    );
    assert!(other.what.contains("waits at barrier 0"), "{}", other.what);
    silent(&check("", &body("32"), 32));
}

#[test]
fn lanes_with_different_member_masks() {
    let body = |second: &str| {
        format!(
            "setp.lt.u32 %p0, %x, 16; @%p0 bra LOW;
             .loc 1 90 5
             bar.warp.sync {second}; ret;
             LOW:
             .loc 1 91 5
             bar.warp.sync 65535; ret;"
        )
    };
    silent(&check("", &body("-65536"), 32));
    let wrong = "setp.lt.u32 %p0, %x, 16; @%p0 bra LOW;
        .loc 1 90 5
        bar.warp.sync -1; ret;
        LOW: .loc 1 91 5
        bar.warp.sync -2147418113; ret;";
    // 0x8000ffff names lane 31, which waits for all.
    let checked = check("", wrong, 32);
    let finding = only(&checked, FindingKind::Collective);
    assert!(
        finding.message.contains("different member masks"),
        "{finding}"
    );
    let mut lines = [line(&finding.at), line(finding.other.as_ref().unwrap())];
    lines.sort_unstable();
    assert_eq!(lines, ["./k/src/lib.rs:90", "./k/src/lib.rs:91"]);
}

#[test]
fn a_lane_outside_of_its_own_mask() {
    let checked = check("", ".loc 1 95 5\n bar.warp.sync 1; ret;", 32);
    let finding = only(&checked, FindingKind::Collective);
    assert!(finding.stopped, "{finding}");
    assert_eq!(line(&finding.at), "./k/src/lib.rs:95");
}

#[test]
fn a_loop_that_waits_for_what_never_comes() {
    let body = |flag: u32| {
        format!(
            "mov.u32 %r3, {flag};
             SPIN: .loc 1 101 9
             ld.volatile.global.u32 %r1, [%d0];
             .loc 1 102 9
             setp.ne.u32 %p0, %r1, %r3; @%p0 bra SPIN;
             ret;"
        )
    };
    let options = LaunchOptions {
        budget: 10_000,
        ..LaunchOptions::default()
    };
    let mut bench = Bench::new(256);
    let checked = bench.run(&module("", &body(7)), shape(1, 32), &options);
    let finding = only(&checked, FindingKind::Livelock);
    assert!(
        finding
            .message
            .starts_with("the launch used up its 10000 warp instructions")
    );
    assert!(finding.message.contains("`LaunchOptions::budget`"));
    assert!(
        line(&finding.at).starts_with("./k/src/lib.rs:10"),
        "{finding}"
    );
    assert_eq!(finding.at.what, "runs (32 threads here)");
    // The host wrote bytes of 1.
    silent(&bench.run(&module("", &body(0x0101_0101)), shape(1, 32), &options));
}

#[test]
fn memory_that_is_freed_under_a_copy_is_told_by_its_waiter() {
    let declarations = ".extern .func (.param .b64 p) malloc (.param .b64 n);
        .extern .func free (.param .b64 p); .shared .align 16 .b8 room[16];";
    let call = "{ .param .b64 a; st.param.b64 [a], %d3; call.uni free, (a); }";
    let body = |before: &str, after: &str| {
        format!(
            "{{ .param .b64 n; .param .b64 p; st.param.b64 [n], 16; call.uni (p), malloc, (n);
             ld.param.b64 %d3, [p]; }} st.global.u32 [%d3], 1;
             cp.async.ca.shared.global [room], [%d3], 4; {before}
             .loc 1 130 5
             cp.async.wait_all; {after} ret;"
        )
    };
    let checked = check(declarations, &body(call, ""), 1);
    let finding = only(&checked, FindingKind::Bounds);
    assert_eq!(line(&finding.at), "./k/src/lib.rs:130");
    assert!(
        finding.message.contains(
            "in the copy that thread [0, 0, 0] asked for by `cp.async.ca.shared.global [room], [%d3], 4;"
        ),
        "{finding}"
    );
    silent(&check(declarations, &body("", call), 1));
}

#[test]
fn a_livelock_is_told_by_a_place_that_has_a_line() {
    let body = "
        setp.ge.u32 %p0, %x, 32;
        @%p0 bra OTHERS;
        MADE_UP: .loc 1 0 0
        bra MADE_UP;
        OTHERS: .loc 1 105 9
        bra OTHERS;";
    let options = LaunchOptions {
        budget: 10_000,
        ..LaunchOptions::default()
    };
    let checked = Bench::new(256).run(&module("", body), shape(1, 64), &options);
    let finding = only(&checked, FindingKind::Livelock);
    assert_eq!(line(&finding.at), "./k/src/lib.rs:105");
    let other = finding.other.as_ref().unwrap();
    assert_eq!((other.source.as_deref(), other.thread), (None, [0, 0, 0]));
}

#[test]
fn an_access_behind_an_allocation_is_told_by_name_and_line() {
    let body = |offset: u32| {
        format!(
            "add.s64 %d3, %d1, %d2;
             .loc 1 110 5
             st.global.u32 [%d3+{offset}], %x; ret;"
        )
    };
    let checked = check("", &body(132), 32);
    let finding = only(&checked, FindingKind::Bounds);
    assert_eq!(
        (line(&finding.at), finding.at.thread),
        ("./k/src/lib.rs:110", [31, 0, 0])
    );
    assert_eq!(
        finding.memory.as_ref().unwrap().to_string(),
        "output[64]: 4 bytes at offset 256 of 256 bytes of global memory"
    );
    assert!(
        finding
            .message
            .contains("from the start of output of 256 bytes"),
        "{finding}"
    );
    silent(&check("", &body(128), 32));
    // A copy that goes on behind its instruction is a copy of the memory's.
    let copy = |offset: u32| {
        format!(
            "add.s64 %d3, %d0, {offset};
             .loc 1 120 5
             cp.async.ca.shared.global [room], [%d3], 4; cp.async.wait_all; ret;"
        )
    };
    let room = ".shared .align 16 .b8 room[16];";
    for wrong in [256, 2] {
        let checked = check(room, &copy(wrong), 1);
        let finding = only(&checked, FindingKind::Bounds);
        assert_eq!(line(&finding.at), "./k/src/lib.rs:120");
    }
    silent(&check(room, &copy(252), 1));
    let trap = check("", ".loc 1 111 5\n trap;", 1);
    assert_eq!(
        line(&only(&trap, FindingKind::Fault).at),
        "./k/src/lib.rs:111"
    );
}
