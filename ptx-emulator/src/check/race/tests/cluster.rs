//! `barrier.cluster` in a cluster of one block.

use super::*;

/// Between a store of each thread and the load of a thread of the other warp.
fn between(arrive: &str, middle: &str, wait: &str) -> String {
    format!(
        "add.u32 %r6, %r0, 32; and.b32 %r6, %r6, 63; shl.b32 %r6, %r6, 2; add.u32 %r6, %r3, %r6;
         {arrive} {middle} {wait} ld.shared.u32 %r7, [%r6];"
    )
}

const STORE: &str = "st.shared.u32 [%r4], %r0;";
const PAIR: [(&str, &str); 1] = [("st.shared", "ld.shared")];

#[test]
fn the_barrier_of_the_cluster_orders_what_is_before_its_arrival() {
    for (arrive, wait) in [
        ("barrier.cluster.arrive;", "barrier.cluster.wait;"),
        (
            "barrier.cluster.arrive.release.aligned;",
            "barrier.cluster.wait.acquire.aligned;",
        ),
    ] {
        let body = between(&format!("{STORE} {arrive}"), "", wait);
        silent((2, 64), &body);
        // Between the two steps nothing is ordered yet.
        racy((2, 64), &between(arrive, STORE, wait), &PAIR);
    }
}

#[test]
fn a_relaxed_arrival_orders_what_a_fence_has_released() {
    let body = |fence: &str| {
        let arrive = format!("{STORE} {fence} barrier.cluster.arrive.relaxed;");
        between(&arrive, "", "barrier.cluster.wait;")
    };
    racy((2, 64), &body(""), &PAIR);
    silent((2, 64), &body("fence.acq_rel.cluster;"));
    let behind = "fence.acq_rel.cluster; st.shared.u32 [%r4], %r0; barrier.cluster.arrive.relaxed;";
    racy(
        (2, 64),
        &between(behind, "", "barrier.cluster.wait;"),
        &PAIR,
    );
}

#[test]
fn phases_follow_each_other() {
    // Each thread adds its neighbour's word to its own, ten times.
    let steps = |second: &str| {
        format!(
            "add.u32 %r6, %r0, 32; and.b32 %r6, %r6, 63; shl.b32 %r6, %r6, 2;
             add.u32 %r6, %r3, %r6; mov.u32 %r8, 0; {STORE}
             STEP: barrier.cluster.arrive; barrier.cluster.wait; ld.shared.u32 %r7, [%r6];
             {second} st.shared.u32 [%r4], %r7;
             add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, 10; @%p1 bra STEP;"
        )
    };
    silent(
        (1, 64),
        &steps("barrier.cluster.arrive; barrier.cluster.wait;"),
    );
    silent((1, 64), &steps("bar.sync 0;"));
    racy((1, 64), &steps(""), &[("[%r4], %r7", "ld.shared")]);
}
