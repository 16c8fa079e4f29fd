//! Messages between threads of different blocks by release and acquire.

use super::*;

const DATA: (&str, &str) = ("[%d0+64]", "[%d0+64]");

/// Block 0 writes data and publishes; block 1 waits, then reads. In `wait`,
/// `%r6` is what the loop goes on for while it is 0.
fn message(publish: &str, wait: &str) -> String {
    format!(
        "mov.u32 %r7, 1; setp.eq.u32 %p0, %r1, 1; @%p0 bra WAIT;
         setp.gt.u32 %p0, %r1, 1; @%p0 bra MORE;
         st.global.u32 [%d0+64], 42; {publish} ret;
         WAIT: {wait} ld.global.u32 %r8, [%d0+64]; ret;
         MORE:"
    )
}

fn spin(load: &str) -> String {
    format!("AGAIN: {load} setp.eq.u32 %p1, %r6, 0; @%p1 bra AGAIN;")
}

#[test]
fn a_relaxed_flag_publishes_nothing() {
    let store = "st.relaxed.gpu.global.u32 [%d0], 1;";
    let load = spin("ld.relaxed.gpu.global.u32 %r6, [%d0];");
    let found = racy((2, 1), &message(store, &load), &[DATA]);
    assert_eq!(found.len(), 1, "the flag itself is in order: {found:?}");
    let volatile = spin("ld.volatile.global.u32 %r6, [%d0];");
    racy(
        (2, 1),
        &message("st.volatile.global.u32 [%d0], 1;", &volatile),
        &[DATA],
    );
}

#[test]
fn release_and_acquire_hand_over() {
    for (store, load) in [
        ("st.release.gpu.global.u32", "ld.acquire.gpu.global.u32"),
        ("st.release.sys.global.u32", "ld.acquire.gpu.global.u32"),
        ("st.release.gpu.global.u32", "ld.acquire.sys.global.u32"),
    ] {
        let publish = format!("{store} [%d0], 1;");
        silent(
            (2, 1),
            &message(&publish, &spin(&format!("{load} %r6, [%d0];"))),
        );
    }
    // Either half alone does not.
    let load = spin("ld.relaxed.gpu.global.u32 %r6, [%d0];");
    racy(
        (2, 1),
        &message("st.release.gpu.global.u32 [%d0], 1;", &load),
        &[DATA],
    );
    let load = spin("ld.acquire.gpu.global.u32 %r6, [%d0];");
    racy(
        (2, 1),
        &message("st.relaxed.gpu.global.u32 [%d0], 1;", &load),
        &[DATA],
    );
}

#[test]
fn the_scope_has_to_reach_the_other_block() {
    let flag = ("[%d0], 1", "%r6, [%d0]");
    for (store, load) in [
        ("cta", "cta"),
        ("cta", "gpu"),
        ("gpu", "cta"),
        ("cluster", "gpu"),
    ] {
        let publish = format!("st.release.{store}.global.u32 [%d0], 1;");
        let wait = spin(&format!("ld.acquire.{load}.global.u32 %r6, [%d0];"));
        racy((2, 1), &message(&publish, &wait), &[flag, DATA]);
    }
    // In one block, between two warps, the scope of the block is enough.
    let inside = "setp.ge.u32 %p0, %r0, 32; @%p0 bra WAIT; st.shared.u32 [%r4+16], %r0;
         bar.warp.sync -1; setp.eq.u32 %p1, %r0, 0; @%p1 st.release.cta.shared.u32 [tile], 1; ret;
         WAIT: ld.acquire.cta.shared.u32 %r6, [tile]; setp.eq.u32 %p1, %r6, 0; @%p1 bra WAIT;
         ld.shared.u32 %r7, [%r4+-112];";
    silent((2, 64), inside);
    racy(
        (2, 64),
        &inside.replace("st.release", "st.relaxed"),
        &[("[%r4+16]", "[%r4+-112]")],
    );
}

#[test]
fn fences_make_relaxed_accesses_publish() {
    let publish = |fence: &str| format!("{fence} st.relaxed.gpu.global.u32 [%d0], 1;");
    let wait = |fence: &str| format!("{} {fence}", spin("ld.relaxed.gpu.global.u32 %r6, [%d0];"));
    for (release, acquire) in [
        ("fence.acq_rel.gpu;", "fence.acq_rel.gpu;"),
        ("fence.sc.gpu;", "fence.acq_rel.sys;"),
        ("fence.release.gpu;", "fence.acquire.gpu;"),
        ("membar.gl;", "membar.gl;"),
        ("membar.sys;", "membar.gl;"),
        (
            "fence.acq_rel.gpu; fence.acq_rel.cta;",
            "fence.acq_rel.gpu;",
        ),
    ] {
        silent((2, 1), &message(&publish(release), &wait(acquire)));
    }
    for (release, acquire) in [
        ("", "fence.acq_rel.gpu;"),
        ("fence.acq_rel.gpu;", ""),
        ("fence.acq_rel.cta;", "fence.acq_rel.gpu;"),
        ("fence.acq_rel.gpu;", "fence.acq_rel.cta;"),
        ("membar.cta;", "membar.cta;"),
        ("fence.acquire.gpu;", "fence.acquire.gpu;"),
        ("fence.release.gpu;", "fence.release.gpu;"),
    ] {
        racy((2, 1), &message(&publish(release), &wait(acquire)), &[DATA]);
    }
    // A fence on one side, a release or an acquire on the other.
    let acquire = spin("ld.acquire.gpu.global.u32 %r6, [%d0];");
    silent((2, 1), &message(&publish("fence.acq_rel.gpu;"), &acquire));
    let release = "st.release.gpu.global.u32 [%d0], 1;";
    silent((2, 1), &message(release, &wait("fence.acq_rel.gpu;")));
}

#[test]
fn what_follows_the_fence_is_not_published() {
    let publish =
        "fence.acq_rel.gpu; st.global.u32 [%d0+64], 43; st.relaxed.gpu.global.u32 [%d0], 1;";
    let wait = spin("ld.acquire.gpu.global.u32 %r6, [%d0];");
    racy(
        (2, 1),
        &message(publish, &wait),
        &[("[%d0+64], 43", "ld.global.u32 %r8")],
    );
}

#[test]
fn a_weak_flag_is_a_race_itself() {
    let wait = format!("{} fence.acq_rel.gpu;", spin("ld.global.u32 %r6, [%d0];"));
    let publish = "fence.acq_rel.gpu; st.global.u32 [%d0], 1;";
    racy(
        (2, 1),
        &message(publish, &wait),
        &[("[%d0], 1", "%r6, [%d0]"), DATA],
    );
    let publish = "membar.gl; st.volatile.global.u32 [%d0], 1;";
    let wait = format!("{} membar.gl;", spin("ld.volatile.global.u32 %r6, [%d0];"));
    silent((2, 1), &message(publish, &wait));
}

#[test]
fn flags_of_every_width_publish() {
    for (ty, register) in [("u8", "%r6"), ("u16", "%r6"), ("u64", "%d6")] {
        let publish = format!("st.release.gpu.global.{ty} [%d0], 1;");
        let kind = if ty == "u64" { "u64" } else { "u32" };
        let wait = format!(
            "AGAIN: ld.acquire.gpu.global.{ty} {register}, [%d0];
             setp.eq.{kind} %p1, {register}, 0; @%p1 bra AGAIN;"
        );
        silent((2, 1), &message(&publish, &wait));
    }
    // Neighbouring bytes are flags of their own: what block 2 releases beside
    // it does not end what block 0 released.
    let beside = |published: &str| {
        let wait = spin("ld.relaxed.gpu.global.u8 %r6, [%d0+1];").replace("AGAIN", "BESIDE");
        let wait = format!("{wait} {}", spin("ld.acquire.gpu.global.u8 %r6, [%d0];"));
        let publish = format!("st.{published}.gpu.global.u8 [%d0], 1;");
        let more = "AFTER: ld.relaxed.gpu.global.u8 %r6, [%d0]; setp.eq.u32 %p1, %r6, 0;
             @%p1 bra AFTER; st.release.gpu.global.u8 [%d0+1], 1;";
        format!("{} {more}", message(&publish, &wait))
    };
    silent((3, 1), &beside("release"));
    racy((3, 1), &beside("relaxed"), &[DATA]);
}

#[test]
fn atomics_release_and_acquire() {
    let publish = "atom.release.gpu.global.exch.b32 %r9, [%d0], 1;";
    let wait = spin("atom.acquire.gpu.global.cas.b32 %r6, [%d0], 1, 2;");
    silent((2, 1), &message(publish, &wait));
    let relaxed = "atom.global.exch.b32 %r9, [%d0], 1;";
    racy((2, 1), &message(relaxed, &wait), &[DATA]);
    silent((2, 1), &message(&format!("membar.gl; {relaxed}"), &wait));
    silent(
        (2, 1),
        &message("membar.gl; red.global.add.u32 [%d0], 1;", &wait),
    );
}

/// Block 2 waits for 1 and makes it 2 by `step`, then says so elsewhere, which
/// publishes nothing; only then does block 1 look.
fn chain(publish: &str, step: &str) -> String {
    let two = "AGAIN: ld.relaxed.gpu.global.u32 %r6, [%d0+128]; setp.eq.u32 %p1, %r6, 0;
         @%p1 bra AGAIN; ld.acquire.gpu.global.u32 %r6, [%d0];";
    let more = format!(
        "ONE: ld.relaxed.gpu.global.u32 %r6, [%d0]; setp.ne.u32 %p1, %r6, 1; @%p1 bra ONE;
         {step} st.relaxed.gpu.global.u32 [%d0+128], 1;"
    );
    format!("{} {more}", message(publish, two))
}

#[test]
fn atomics_carry_a_release_on_and_stores_end_it() {
    let release = "st.release.gpu.global.u32 [%d0], 1;";
    silent(
        (3, 1),
        &chain(release, "red.relaxed.gpu.global.add.u32 [%d0], 1;"),
    );
    silent(
        (3, 1),
        &chain(release, "atom.global.inc.u32 %r9, [%d0], 5;"),
    );
    racy(
        (3, 1),
        &chain(release, "st.relaxed.gpu.global.u32 [%d0], 2;"),
        &[DATA],
    );
    // Who has acquired may release on.
    let handed = "fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%d0], 2;";
    silent((3, 1), &chain(release, handed));
    let relaxed = "st.relaxed.gpu.global.u32 [%d0], 1;";
    racy(
        (3, 1),
        &chain(relaxed, "red.relaxed.gpu.global.add.u32 [%d0], 1;"),
        &[DATA],
    );
    // A link whose scope does not reach breaks the chain, and races itself.
    racy(
        (3, 1),
        &chain(release, "red.relaxed.cta.global.add.u32 [%d0], 1;"),
        &[
            DATA,
            ("st.release", "red.relaxed.cta"),
            ("ld.acquire", "red.relaxed.cta"),
        ],
    );
}

#[test]
fn a_strong_store_of_the_same_thread_keeps_what_it_released() {
    let wait =
        "AGAIN: ld.acquire.gpu.global.u32 %r6, [%d0]; setp.ne.u32 %p1, %r6, 2; @%p1 bra AGAIN;";
    let publish = "st.release.gpu.global.u32 [%d0], 1; st.relaxed.gpu.global.u32 [%d0], 2;";
    silent((2, 1), &message(publish, wait));
    let publish = publish.replace("release", "relaxed");
    racy((2, 1), &message(&publish, wait), &[DATA]);
}

#[test]
fn one_thread_hands_over_for_its_block() {
    // All of block 0 write, thread 0 releases; thread 0 of block 1 acquires,
    // all read.
    let body = |before: &str, after: &str| {
        format!(
            "setp.ne.u32 %p0, %r0, 0; setp.eq.u32 %p1, %r1, 1; @%p1 bra WAIT;
             st.global.u32 [%d1+64], %r0; {before}
             @%p0 bra END; st.release.gpu.global.u32 [%d0], 1; bra END;
             WAIT: @%p0 bra HAVE;
             AGAIN: ld.acquire.gpu.global.u32 %r6, [%d0]; setp.eq.u32 %p2, %r6, 0; @%p2 bra AGAIN;
             HAVE: {after} ld.global.u32 %r7, [%d1+64];
             END:"
        )
    };
    silent((2, 64), &body("bar.sync 0;", "bar.sync 0;"));
    let pair = [("st.global", "ld.global")];
    racy((2, 64), &body("", "bar.sync 0;"), &pair);
    racy((2, 64), &body("bar.sync 0;", ""), &pair);
    silent((2, 32), &body("bar.warp.sync -1;", "bar.warp.sync -1;"));
    // A release by one lane is none by the others.
    racy((2, 32), &body("bar.warp.sync -1;", ""), &pair);
}

/// The last block sums what each has left: `fence` between the partial and the
/// ticket, `after` between the ticket and the sum.
fn last_block(kind: &str, fence: &str, after: &str) -> String {
    format!(
        "setp.ne.u32 %p0, %r0, 0; mul.wide.u32 %d3, %r1, 4; add.s64 %d3, %d0, %d3;
         @%p0 bra TICKET;
         st{kind}.global.u32 [%d3+256], %r1; {fence}
         atom.global.inc.u32 %r6, [%d0], 100; st.shared.u32 [tile], %r6; {after}
         TICKET: bar.sync 0; ld.shared.u32 %r6, [tile];
         mov.u32 %r7, %nctaid.x; sub.u32 %r7, %r7, 1; setp.ne.u32 %p1, %r6, %r7; @%p1 bra END;
         setp.gt.u32 %p2, %r0, %r7; @%p2 bra END;
         ld{kind}.global.u32 %r8, [%d1+256]; st.global.u32 [%d1+1024], %r8;
         END:"
    )
}

#[test]
fn the_last_block_may_sum_what_a_fence_has_published() {
    silent((9, 64), &last_block("", "membar.gl;", "membar.gl;"));
    silent(
        (9, 64),
        &last_block("", "fence.acq_rel.gpu;", "fence.acq_rel.gpu;"),
    );
    silent((9, 64), &last_block(".volatile", "membar.gl;", ""));
    let pair = [("st.global.u32 [%d3+256]", "ld.global.u32 %r8")];
    racy((9, 64), &last_block("", "", "membar.gl;"), &pair);
    racy((9, 64), &last_block("", "membar.gl;", ""), &pair);
    racy((9, 64), &last_block("", "membar.cta;", "membar.gl;"), &pair);
    racy((9, 64), &last_block("", "membar.gl;", "membar.cta;"), &pair);
}

/// Decoupled look-back, a tile a block: aggregates at 4096, prefixes at 8192,
/// states at 0 (1: aggregate, 2: prefix).
fn look_back(release: &str, acquire: &str) -> String {
    format!(
        "mul.wide.u32 %d3, %r1, 4; add.s64 %d3, %d0, %d3;
         st.shared.u32 [%r4], %r0; bar.sync 0; setp.ne.u32 %p0, %r0, 0; @%p0 bra WAIT;
         add.u32 %r7, %r1, 1; mov.u32 %r8, 0; mov.b64 %d4, %d3;
         st.global.u32 [%d3+4096], %r7; {release} [%d3], 1;
         BACK: setp.eq.u64 %p1, %d4, %d0; @%p1 bra HAVE; add.s64 %d4, %d4, -4;
         POLL: {acquire} %r6, [%d4]; setp.eq.u32 %p1, %r6, 0; @%p1 bra POLL;
         setp.eq.u32 %p2, %r6, 2; @%p2 bra PREFIX;
         ld.global.u32 %r9, [%d4+4096]; add.u32 %r8, %r8, %r9; bra BACK;
         PREFIX: ld.global.u32 %r9, [%d4+8192]; add.u32 %r8, %r8, %r9;
         HAVE: add.u32 %r10, %r8, %r7; st.global.u32 [%d3+8192], %r10; {release} [%d3], 2;
         st.shared.u32 [tile+1024], %r8;
         WAIT: bar.sync 0; ld.shared.u32 %r11, [tile+1024];
         st.global.u32 [%d2+16384], %r11;"
    )
}

#[test]
fn decoupled_look_back_is_silent() {
    let (release, acquire) = ("st.release.gpu.global.u32", "ld.acquire.gpu.global.u32");
    silent((20, 64), &look_back(release, acquire));
    let relaxed = ("st.relaxed.gpu.global.u32", "ld.relaxed.gpu.global.u32");
    for body in [
        look_back(relaxed.0, acquire),
        look_back(release, relaxed.1),
        look_back("st.release.cta.global.u32", acquire),
    ] {
        // Which of the values a block reads is the schedule's luck.
        let program = load(&body);
        for schedule in schedules() {
            let found = run(&program, (20, 64), schedule);
            let of_data = found.iter().any(|finding| {
                let pair = statements(&program, finding);
                pair[0].contains("ld.global.u32 %r9") && pair[1].contains("st.global.u32 [%d3+")
            });
            assert!(of_data, "{schedule:?}: {found:#?}");
        }
    }
    // With fences instead.
    let fenced = look_back(
        "fence.acq_rel.gpu; st.relaxed.gpu.global.u32",
        "ld.relaxed.gpu.global.u32",
    );
    let fenced = fenced.replace(
        "setp.eq.u32 %p2, %r6, 2;",
        "fence.acq_rel.gpu; setp.eq.u32 %p2, %r6, 2;",
    );
    silent((20, 64), &fenced);
}

#[test]
fn a_lock_orders_its_critical_sections() {
    // Each block's thread 0 adds to a sum under a lock.
    let body = |take: &str, give: &str| {
        format!(
            "setp.ne.u32 %p0, %r0, 0; @%p0 bra END;
             LOCK: {take} %r6, [%d0], 0, 1; setp.ne.u32 %p1, %r6, 0; @%p1 bra LOCK;
             ld.global.u32 %r7, [%d0+64]; add.u32 %r7, %r7, 1; st.global.u32 [%d0+64], %r7;
             {give} END:"
        )
    };
    let take = "atom.acquire.gpu.global.cas.b32";
    let give = "st.release.gpu.global.u32 [%d0], 0;";
    silent((8, 32), &body(take, give));
    silent(
        (8, 32),
        &body(take, "membar.gl; atom.global.exch.b32 %r8, [%d0], 0;"),
    );
    let pairs = [
        ("ld.global", "st.global"),
        ("st.global.u32 [%d0+64]", "st.global.u32 [%d0+64]"),
    ];
    racy(
        (8, 32),
        &body("atom.relaxed.gpu.global.cas.b32", give),
        &pairs,
    );
    racy(
        (8, 32),
        &body(take, "st.relaxed.gpu.global.u32 [%d0], 0;"),
        &pairs,
    );
}
