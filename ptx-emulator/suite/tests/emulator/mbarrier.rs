//! `mbarrier`: phases, counts, bytes, states; what is misuse; who waits.

use crate::harness::{launch, module, refusal, schedules};
use ptx_emulator::{FaultKind, LaunchError, LaunchOptions, Schedule};

/// One thread runs `body`; its output words.
fn alone(body: &str, count: usize) -> Vec<u32> {
    run(body, 1, count, &LaunchOptions::default()).unwrap()
}

fn run(
    body: &str,
    block: u32,
    count: usize,
    options: &LaunchOptions,
) -> Result<Vec<u32>, LaunchError> {
    let body = format!(
        ".shared .align 8 .b64 bar; .shared .align 8 .b64 bar2; .shared .align 4 .b32 word[256];
         {body} ret;"
    );
    launch(&module("", &body), 1, block, count, options).map(|(out, _)| out)
}

fn misuse(body: &str) -> String {
    match run(body, 1, 4, &LaunchOptions::default()) {
        Err(LaunchError::Fault(fault)) => match fault.kind {
            FaultKind::Undefined(text) => text,
            other => panic!("{body}: {other}"),
        },
        other => panic!("{body}: {other:?}"),
    }
}

/// Stores predicate `%p0` at `out[n]`.
fn keep(n: u32) -> String {
    format!(
        "selp.u32 %r9, 1, 0, %p0; st.global.u32 [%d0+{}], %r9;",
        4 * n
    )
}

#[test]
fn phases_alternate_as_arrivals_complete_them() {
    let test = |parity, n| {
        format!(
            "mbarrier.test_wait.parity.shared.b64 %p0, [bar], {parity}; {}",
            keep(n)
        )
    };
    let arrive = "mbarrier.arrive.shared.b64 _, [bar];";
    let body = [
        "mbarrier.init.shared.b64 [bar], 2;".to_owned(),
        // The phase before the first is over; the first is not.
        test(1, 0),
        test(0, 1),
        arrive.to_owned(),
        test(0, 2),
        arrive.to_owned(),
        // Phase 0 is over, and phase 1 is the current one.
        test(0, 3),
        test(1, 4),
        "mbarrier.arrive.shared.b64 _, [bar], 2;".to_owned(),
        test(1, 5),
        test(0, 6),
    ]
    .concat();
    assert_eq!(alone(&body, 7), [1, 0, 0, 1, 0, 1, 0]);
}

#[test]
fn a_state_names_its_phase_and_its_count() {
    let body = format!(
        "mbarrier.init.shared.b64 [bar], 5;
         mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %d1, [bar], 2;
         mbarrier.pending_count.b64 %r1, %d1; st.global.u32 [%d0], %r1;
         mbarrier.arrive.noComplete.shared.b64 %d2, [bar], 1;
         mbarrier.pending_count.b64 %r1, %d2; st.global.u32 [%d0+4], %r1;
         mbarrier.test_wait.shared.b64 %p0, [bar], %d1; {}
         mbarrier.arrive.release.cluster.shared.b64 %d3, [bar], 2;
         mbarrier.test_wait.acquire.cluster.shared.b64 %p0, [bar], %d3; {}
         mbarrier.arrive.shared.b64 %d4, [bar];
         mbarrier.try_wait.relaxed.cta.shared.b64 %p0, [bar], %d3; {}",
        keep(2),
        keep(3),
        keep(4)
    );
    assert_eq!(alone(&body, 5), [5, 3, 0, 1, 1]);
}

#[test]
fn bytes_hold_a_phase_open_whichever_comes_first() {
    let test = |n| {
        format!(
            "mbarrier.test_wait.parity.shared.b64 %p0, [bar], 0; {}",
            keep(n)
        )
    };
    let expected_first = [
        "mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 48;",
        &test(0),
        "mbarrier.complete_tx.relaxed.cta.shared::cluster.b64 [bar], 32;",
        &test(1),
        "mbarrier.complete_tx.shared.b64 [bar], 16;",
        &test(2),
    ]
    .concat();
    assert_eq!(alone(&expected_first, 3), [0, 0, 1]);
    let completed_first = [
        "mbarrier.init.shared.b64 [bar], 1; mbarrier.complete_tx.shared.b64 [bar], 16;",
        &test(0),
        "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 32;",
        &test(1),
        "mbarrier.arrive.shared.b64 _, [bar]; mbarrier.complete_tx.shared.b64 [bar], 16;",
        &test(2),
    ]
    .concat();
    assert_eq!(alone(&completed_first, 3), [0, 0, 1]);
}

#[test]
fn who_drops_is_not_waited_for_any_more() {
    let test = |parity, n| {
        format!(
            "mbarrier.test_wait.parity.shared.b64 %p0, [bar], {parity}; {}",
            keep(n)
        )
    };
    let body = [
        "mbarrier.init.shared.b64 [bar], 3;
         mbarrier.arrive_drop.shared.b64 %d1, [bar]; mbarrier.pending_count.b64 %r1, %d1; st.global.u32 [%d0], %r1;
         mbarrier.arrive.shared.b64 _, [bar], 2;",
        &test(0, 1),
        // Two are left for the second phase.
        "mbarrier.arrive.shared.b64 _, [bar];",
        &test(1, 2),
        "mbarrier.arrive_drop.expect_tx.shared.b64 _, [bar], 4;",
        &test(1, 3),
        "mbarrier.complete_tx.shared.b64 [bar], 4;",
        &test(1, 4),
        "mbarrier.arrive.shared.b64 _, [bar];",
        &test(0, 5),
    ]
    .concat();
    assert_eq!(alone(&body, 6), [3, 1, 0, 0, 1, 1]);
}

#[test]
fn an_invalid_object_may_be_made_anew_and_generic_addresses_name_it() {
    let body = format!(
        "mov.u32 %r1, bar; cvt.u64.u32 %d1, %r1; cvta.shared.u64 %d1, %d1;
         mbarrier.init.b64 [%d1], 7; mbarrier.arrive.b64 _, [%d1], 6; mbarrier.inval.b64 [%d1];
         st.shared.u64 [bar], -1;
         mbarrier.init.shared::cta.b64 [bar], 1; mbarrier.arrive.b64 %d2, [%d1];
         mbarrier.test_wait.b64 %p0, [%d1], %d2; {}
         mapa.shared::cluster.u32 %r2, %r1, 0; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r2];
         mbarrier.test_wait.parity.b64 %p0, [%d1], 1; {}",
        keep(0),
        keep(1)
    );
    assert_eq!(alone(&body, 2), [1, 1]);
}

/// Warp 0 writes words, warp 1 waits for all of its lanes and reads them.
const HAND_OVER: &str = "mov.u32 %r0, %tid.x; setp.eq.u32 %p1, %r0, 0;
    @%p1 mbarrier.init.shared.b64 [bar], 32; bar.sync 0;
    and.b32 %r1, %r0, 31; shl.b32 %r2, %r1, 2; mov.u32 %r3, word; add.u32 %r3, %r3, %r2;
    setp.ge.u32 %p2, %r0, 32; @%p2 bra READ;
    mul.lo.u32 %r4, %r0, %r0; st.shared.u32 [%r3], %r4; mbarrier.arrive.shared.b64 _, [bar]; bra END;
    READ: mbarrier.try_wait.parity.shared.b64 %p0, [bar], 0; @!%p0 bra READ;
    ld.shared.u32 %r5, [%r3]; cvt.u64.u32 %d1, %r2; add.s64 %d1, %d0, %d1; st.global.u32 [%d1], %r5;
    END:";

#[test]
fn a_warp_waits_for_another_warp() {
    let squares: Vec<u32> = (0..32).map(|n| n * n).collect();
    for options in schedules() {
        assert_eq!(run(HAND_OVER, 64, 32, &options).unwrap(), squares);
    }
}

#[test]
fn lanes_of_one_warp_hand_over_in_turn() {
    // Lane n waits for lane n - 1 to arrive at its mbarrier: 32 phases.
    let body = "mov.u32 %r0, %tid.x; setp.eq.u32 %p1, %r0, 0;
        @%p1 mbarrier.init.shared.b64 [bar], 1; bar.warp.sync -1; mov.u32 %r4, 0;
        TURN: and.b32 %r5, %r4, 1; setp.eq.u32 %p2, %r4, %r0; @!%p2 bra WAIT;
        ld.shared.u32 %r6, [word]; shl.b32 %r7, %r0, 2; cvt.u64.u32 %d1, %r7; add.s64 %d1, %d0, %d1;
        st.global.u32 [%d1], %r6; add.u32 %r6, %r6, 3; st.shared.u32 [word], %r6;
        mbarrier.arrive.shared.b64 _, [bar];
        WAIT: mbarrier.try_wait.parity.shared.b64 %p0, [bar], %r5; @!%p0 bra WAIT;
        bar.warp.sync -1;
        add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 32; @%p3 bra TURN;";
    let expected: Vec<u32> = (0..32).map(|n| 3 * n).collect();
    for options in schedules() {
        assert_eq!(run(body, 32, 32, &options).unwrap(), expected);
    }
}

#[test]
fn an_mbarrier_that_never_completes_is_a_deadlock() {
    let body =
        "mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 8;
        L: mbarrier.try_wait.parity.shared.b64 %p0, [bar], 0; @!%p0 bra L;";
    for options in schedules() {
        let error = run(body, 1, 1, &options).unwrap_err();
        assert!(matches!(error, LaunchError::Deadlock(_)), "{error}");
        let text = error.to_string();
        assert!(
            text.contains("waits at the mbarrier at byte 0 of shared memory, which misses 1 of 2 arrivals and 8 bytes"),
            "{text}"
        );
    }
    // A loop of its own around `test_wait` may end some time: the budget says.
    let spins = body.replace("try_wait", "test_wait");
    let options = LaunchOptions {
        budget: 100_000,
        ..LaunchOptions::default()
    };
    let error = run(&spins, 1, 1, &options).unwrap_err();
    assert!(matches!(error, LaunchError::Livelock { .. }), "{error}");
}

#[test]
fn a_try_that_fails_lets_the_thread_do_something_else() {
    // It gives up after three attempts.
    let body = "mbarrier.init.shared.b64 [bar], 1; mov.u32 %r1, 0;
        L: add.u32 %r1, %r1, 1; mbarrier.try_wait.parity.shared.b64 %p0, [bar], 0, 20;
        setp.lt.u32 %p1, %r1, 3; @%p1 bra L; selp.u32 %r2, 100, 0, %p0; add.u32 %r1, %r1, %r2;
        st.global.u32 [%d0], %r1;";
    for options in schedules() {
        assert_eq!(run(body, 1, 1, &options).unwrap(), [3]);
    }
}

#[test]
fn a_try_without_a_loop_is_found_with_some_seed() {
    let once = HAND_OVER.replace("@!%p0 bra READ;", "");
    let squares: Vec<u32> = (0..32).map(|n| n * n).collect();
    let wrong = (1..=64)
        .map(|seed| LaunchOptions {
            schedule: Schedule::Seed(seed),
            ..LaunchOptions::default()
        })
        .filter(|options| run(&once, 64, 32, options).unwrap() != squares)
        .count();
    assert!((1..64).contains(&wrong), "{wrong}");
}

#[test]
fn misuse_is_named() {
    let init = "mbarrier.init.shared.b64 [bar], 2;";
    for (body, part) in [
        (
            "mbarrier.arrive.shared.b64 _, [bar];".to_owned(),
            "it was not initialised",
        ),
        (
            format!("{init} mbarrier.init.shared.b64 [bar], 2;"),
            "initialised again without `mbarrier.inval`",
        ),
        (
            format!("{init} mbarrier.inval.shared.b64 [bar]; mbarrier.arrive.shared.b64 _, [bar];"),
            "or it is invalid",
        ),
        (
            format!("{init} st.shared.u32 [bar+4], 0; mbarrier.arrive.shared.b64 _, [bar];"),
            "overwritten",
        ),
        (
            format!("{init} mbarrier.arrive.shared.b64 _, [bar], 3;"),
            "3 arrivals at an mbarrier that waits for 2",
        ),
        (
            format!("{init} mbarrier.arrive.shared.b64 _, [bar], 0;"),
            "allowed are 1 to 1048575",
        ),
        (
            format!("{init} mbarrier.arrive.noComplete.shared.b64 %d1, [bar], 2;"),
            "`.noComplete`",
        ),
        (
            format!("{init} mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 1048576;"),
            "counts 1048576 bytes",
        ),
        (
            format!("{init} mbarrier.test_wait.parity.shared.b64 %p0, [bar], 2;"),
            "allowed are 0 and 1",
        ),
        (
            format!("{init} mov.u64 %d1, 5; mbarrier.test_wait.shared.b64 %p0, [bar], %d1;"),
            "no state of an mbarrier",
        ),
        (
            "mbarrier.init.shared.b64 [bar], 0;".to_owned(),
            "an mbarrier for 0 arrivals",
        ),
        (
            "mov.u32 %r1, 1048576; mbarrier.init.shared.b64 [bar], %r1;".to_owned(),
            "allowed are 1 to 1048575",
        ),
        (
            "mbarrier.init.b64 [%d0], 1;".to_owned(),
            "is not an address of shared memory",
        ),
    ] {
        let said = misuse(&body);
        assert!(said.contains(part), "{body}: {said}");
    }
    let misaligned = run(
        "mbarrier.init.shared.b64 [word+4], 1;",
        1,
        1,
        &LaunchOptions::default(),
    );
    assert!(
        matches!(&misaligned, Err(LaunchError::Fault(fault)) if matches!(fault.kind, FaultKind::Misaligned { bytes: 8, .. })),
        "{misaligned:?}"
    );
}

#[test]
fn forms_that_do_not_exist_are_refused() {
    for (body, part) in [
        ("mbarrier.init.shared.b32 [%ra], 1;", "`.b32`"),
        (
            "mbarrier.arrive.acquire.cta.shared.b64 _, [%ra];",
            "`.acquire`",
        ),
        (
            "mbarrier.test_wait.parity.shared.b64 %p, [%ra];",
            "takes 3 operands",
        ),
        (
            "mbarrier.arrive.noComplete.shared.b64 %d, [%ra];",
            "takes 3 operands",
        ),
    ] {
        let said = refusal(body);
        assert!(said.contains(part), "{body}: {said}");
    }
}
