//! What barriers order: of the block, named, of a warp; and who has left.

use super::*;

/// The thread's word, and its neighbour's.
const NEIGHBOUR: &str = "add.u32 %r6, %r0, 1; and.b32 %r6, %r6, 63; shl.b32 %r6, %r6, 2;
     add.u32 %r6, %r3, %r6;";

#[test]
fn a_store_and_a_neighbours_load_need_a_barrier() {
    let body = |barrier: &str| {
        format!("{NEIGHBOUR} st.shared.u32 [%r4], %r0; {barrier} ld.shared.u32 %r7, [%r6];")
    };
    let found = racy((2, 64), &body(""), &[("st.shared", "ld.shared")]);
    assert_eq!(found.len(), 1);
    silent((2, 64), &body("bar.sync 0;"));
    silent((2, 64), &body("barrier.sync 3;"));
    silent((2, 64), &body("bar.sync 5, 64;"));
    silent(
        (2, 64),
        &body("setp.eq.u32 %p1, %r0, 0; bar.red.popc.u32 %r9, 0, %p1;"),
    );
}

#[test]
fn an_in_place_scan_step_needs_two_barriers() {
    let scan = |first: &str, second: &str| {
        format!(
            "st.shared.u32 [%r4], %r0; mov.u32 %r6, 1; bar.sync 0;
             STEP: ld.shared.u32 %r8, [%r4];
             setp.lt.u32 %p0, %r0, %r6; @%p0 bra HAVE;
             shl.b32 %r7, %r6, 2; sub.u32 %r7, %r4, %r7; ld.shared.u32 %r9, [%r7];
             add.u32 %r8, %r8, %r9;
             HAVE: {first}
             st.shared.u32 [%r4], %r8; {second}
             shl.b32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 128; @%p1 bra STEP;"
        )
    };
    silent((1, 128), &scan("bar.sync 0;", "bar.sync 0;"));
    let pair = [("st.shared.u32 [%r4], %r8", "ld.shared.u32 %r9")];
    racy((1, 128), &scan("bar.sync 0;", ""), &pair);
    racy((1, 128), &scan("", "bar.sync 0;"), &pair);
}

#[test]
fn lanes_of_a_warp_need_a_warp_barrier() {
    let reduce = |sync: &str| {
        format!(
            "st.shared.u32 [%r4], %r0; mov.u32 %r6, 16;
             STEP: {sync}
             setp.ge.u32 %p0, %r0, %r6; @%p0 bra OVER;
             shl.b32 %r7, %r6, 2; add.u32 %r7, %r4, %r7;
             ld.shared.u32 %r8, [%r4]; ld.shared.u32 %r9, [%r7]; add.u32 %r8, %r8, %r9;
             st.shared.u32 [%r4], %r8;
             OVER: shr.u32 %r6, %r6, 1; setp.ne.u32 %p1, %r6, 0; @%p1 bra STEP;"
        )
    };
    let pairs = [
        ("st.shared.u32 [%r4], %r0", "ld.shared.u32 %r9"),
        ("st.shared.u32 [%r4], %r8", "ld.shared.u32 %r9"),
    ];
    racy((1, 32), &reduce(""), &pairs);
    // A vote orders nothing, and neither does a shuffle.
    racy(
        (1, 32),
        &reduce("vote.sync.ballot.b32 %r9, %p0, -1;"),
        &pairs,
    );
    let shuffle = "shfl.sync.idx.b32 %r9, %r6, 0, 31, -1;";
    racy((1, 32), &reduce(shuffle), &pairs);
    silent((1, 32), &reduce("bar.warp.sync -1;"));
    silent((1, 32), &reduce("bar.sync 0;"));
}

#[test]
fn a_warp_barrier_is_for_its_members() {
    // The lower half writes, all read what lane 5 wrote.
    let body = |mask: &str| {
        format!(
            "setp.ge.u32 %p0, %r0, 16; @%p0 bra WAIT; st.shared.u32 [%r4], %r0;
             WAIT: setp.lt.u32 %p1, %r0, {mask}; @%p1 bar.warp.sync %r9;
             ld.shared.u32 %r8, [%r3+20];"
        )
    };
    let all = format!("mov.u32 %r9, -1; {}", body("32"));
    silent((1, 32), &all);
    let some = format!("mov.u32 %r9, 0xffff; {}", body("16"));
    racy((1, 32), &some, &[("st.shared", "ld.shared")]);
    // Another warp is not ordered by it.
    racy(
        (1, 64),
        &format!("{all} ld.shared.u32 %r8, [%r3+24];"),
        &[
            ("st.shared", "ld.shared.u32 %r8, [%r3+20]"),
            ("st.shared", "ld.shared.u32 %r8, [%r3+24]"),
        ],
    );
}

#[test]
fn divergent_lanes_of_a_warp_race() {
    let body = |between: &str| {
        format!(
            "setp.ge.u32 %p0, %r0, 16; @%p0 bra READ;
             st.shared.u32 [%r4], %r0; {between} bra END;
             READ: {between} ld.shared.u32 %r6, [%r4+-64];
             END:"
        )
    };
    racy((1, 32), &body(""), &[("st.shared", "ld.shared")]);
    // The two halves meet in different instructions of one warp barrier.
    silent((1, 32), &body("bar.warp.sync -1;"));
}

#[test]
fn producers_arrive_and_consumers_wait() {
    // Warp 0 produces, warp 1 consumes.
    let body = |before: &str, after: &str, wait: &str| {
        format!(
            "setp.ge.u32 %p0, %r0, 32; @%p0 bra CONSUME;
             {before} st.shared.u32 [%r4], %r0; {after} bra END;
             CONSUME: {wait} ld.shared.u32 %r6, [%r4+-128];
             END:"
        )
    };
    silent((1, 64), &body("", "bar.arrive 1, 64;", "bar.sync 1, 64;"));
    racy(
        (1, 64),
        &body("bar.arrive 1, 64;", "", "bar.sync 1, 64;"),
        &[("st.shared", "ld.shared")],
    );
    // What is written after the arrival is not covered by it.
    let late = body(
        "",
        "bar.arrive 1, 64; st.shared.u32 [%r4], 7;",
        "bar.sync 1, 64;",
    );
    racy((1, 64), &late, &[("[%r4], 7", "ld.shared")]);
    // Nor do those that arrive learn of those that wait.
    let back = body(
        "",
        "bar.arrive 1, 64; st.shared.u32 [%r4+256], 7;",
        "ld.shared.u32 %r7, [%r4+128]; bar.sync 1, 64;",
    );
    racy((1, 64), &back, &[("[%r4+256], 7", "ld.shared.u32 %r7")]);
}

#[test]
fn a_named_barrier_orders_those_that_come_to_it() {
    // Warp 0 produces and comes to 2, warp 1 consumes after 1; warp 2 comes
    // to both, in one order or the other.
    let body = |third: &str| {
        format!(
            "setp.ge.u32 %p0, %r0, 64; @%p0 bra THIRD;
             setp.ge.u32 %p0, %r0, 32; @%p0 bra CONSUME;
             st.shared.u32 [%r4], %r0; bar.arrive 2, 64; ret;
             CONSUME: bar.sync 1, 64; ld.shared.u32 %r6, [%r4+-128]; ret;
             THIRD: {third}"
        )
    };
    silent((1, 96), &body("bar.sync 2, 64; bar.arrive 1, 64;"));
    racy(
        (1, 96),
        &body("bar.arrive 1, 64; bar.sync 2, 64;"),
        &[("st.shared", "ld.shared")],
    );
}

#[test]
fn a_pipeline_of_two_named_barriers_is_silent() {
    // Full and empty, ten rounds over one buffer.
    let body = |empty_arrive: &str, empty_sync: &str| {
        format!(
            "mov.u32 %r7, 0; setp.ge.u32 %p0, %r0, 32; @%p0 bra CONSUME;
             PRODUCE: {empty_sync} st.shared.u32 [%r4], %r7; bar.arrive 1, 64;
             add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 10; @%p1 bra PRODUCE; bra END;
             CONSUME: {empty_arrive} bar.sync 1, 64; ld.shared.u32 %r6, [%r4+-128];
             add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 10; @%p1 bra CONSUME;
             END:"
        )
    };
    silent((1, 64), &body("bar.arrive 2, 64;", "bar.sync 2, 64;"));
}

#[test]
fn a_thread_that_has_left_came_to_no_barrier() {
    // The upper warp writes and leaves.
    let body = |before: &str| {
        format!(
            "setp.lt.u32 %p0, %r0, 32; st.shared.u32 [%r4], %r0; {before} @!%p0 bra END;
             bar.sync 0; ld.shared.u32 %r6, [%r4+128]; bar.sync 0; ld.shared.u32 %r7, [%r4+128];
             END:"
        )
    };
    racy(
        (1, 64),
        &body(""),
        &[
            ("st.shared", "ld.shared.u32 %r6"),
            ("st.shared", "ld.shared.u32 %r7"),
        ],
    );
    silent((1, 64), &body("bar.sync 0;"));
    // Lanes of a warp leave after a warp barrier: the rest knows their writes,
    // and hands this on in a barrier of the block.
    let left = |sync: &str| {
        format!(
            "st.shared.u32 [%r4], %r0; {sync} setp.eq.u32 %p0, %r0, 3; @%p0 bra END;
             bar.sync 0; ld.shared.u32 %r6, [%r3+12]; END:"
        )
    };
    silent((1, 64), &left("bar.warp.sync -1;"));
    racy((1, 64), &left(""), &[("st.shared", "ld.shared")]);
}

#[test]
fn shared_memory_is_a_blocks_own() {
    silent(
        (64, 32),
        "st.shared.u32 [%r4], %r0; ld.shared.u32 %r6, [%r4];",
    );
}

#[test]
fn partial_warps_meet() {
    let body = "st.shared.u32 [%r4], %r0; bar.warp.sync 0xffff; ld.shared.u32 %r6, [tile];
         bar.sync 0; setp.eq.u32 %p0, %r0, 1; @%p0 st.shared.u32 [tile], 5;";
    silent((1, 16), body);
    racy(
        (1, 16),
        &body.replace("bar.sync 0;", ""),
        &[("ld.shared", "[tile], 5")],
    );
}
