//! Divergence, reconvergence, calls, independent progress, deadlocks.

use crate::harness::{launch, module, schedules};
use ptx_emulator::count::Classes;
use ptx_emulator::{Fault, FaultKind, Gpu, LaunchError, LaunchOptions, Model, Program, Shape};

/// Stores `%r1` at `out[thread]`.
const STORE: &str = "mov.u32 %r9, %tid.x; mul.wide.u32 %d9, %r9, 4; add.s64 %d9, %d0, %d9; st.global.u32 [%d9], %r1;";

#[test]
fn nested_ifs_meet_again_at_their_post_dominators() {
    // r1 = x & 1 ? (x & 2 ? 3 : 1) : 0, then the lanes at each point count.
    let body = format!(
        "mov.u32 %r0, %tid.x; mov.u32 %r1, 0;
         and.b32 %r2, %r0, 1; setp.eq.u32 %p0, %r2, 0; @%p0 bra OUTER;
         mov.u32 %r1, 1;
         and.b32 %r2, %r0, 2; setp.eq.u32 %p1, %r2, 0; @%p1 bra INNER;
         mov.u32 %r1, 3;
         INNER: activemask.b32 %r3; popc.b32 %r3, %r3; shl.b32 %r3, %r3, 8; or.b32 %r1, %r1, %r3;
         OUTER: activemask.b32 %r4; popc.b32 %r4, %r4; shl.b32 %r4, %r4, 16; or.b32 %r1, %r1, %r4;
         {STORE} ret;"
    );
    for options in schedules() {
        let (out, _) = launch(&module("", &body), 1, 32, 32, &options).unwrap();
        for (lane, &value) in out.iter().enumerate() {
            let expected = [0, 0x1001, 0, 0x1003][lane % 4] | 32 << 16;
            assert_eq!(value, expected, "lane {lane}");
        }
    }
}

#[test]
fn loops_with_different_trip_counts_meet_at_the_exit() {
    let body = format!(
        "mov.u32 %r0, %tid.x; mov.u32 %r1, 0; mov.u32 %r2, 0;
         LOOP: add.u32 %r1, %r1, %r2; add.u32 %r2, %r2, 1; setp.le.u32 %p0, %r2, %r0; @%p0 bra LOOP;
         activemask.b32 %r3; popc.b32 %r3, %r3; shl.b32 %r3, %r3, 16; or.b32 %r1, %r1, %r3;
         {STORE} ret;"
    );
    for options in schedules() {
        let (out, _) = launch(&module("", &body), 1, 32, 32, &options).unwrap();
        for (lane, &value) in out.iter().enumerate() {
            let lane = lane as u32;
            assert_eq!(value, (lane * (lane + 1) / 2) | (32 << 16));
        }
    }
}

#[test]
fn lanes_that_exit_early_are_not_waited_for() {
    let body = format!(
        "mov.u32 %r0, %tid.x; mov.u32 %r1, 7;
         setp.ge.u32 %p0, %r0, 20; @%p0 bra LEAVE;
         setp.lt.u32 %p1, %r0, 5; @%p1 bra JOIN; add.u32 %r1, %r1, 1;
         JOIN: bar.sync 0; activemask.b32 %r3; popc.b32 %r3, %r3; shl.b32 %r3, %r3, 16; or.b32 %r1, %r1, %r3;
         {STORE} ret;
         LEAVE: ret;"
    );
    for options in schedules() {
        let (out, _) = launch(&module("", &body), 1, 64, 64, &options).unwrap();
        for (lane, &value) in out.iter().enumerate() {
            let expected = match lane {
                0..5 => 7 | 20 << 16,
                5..20 => 8 | 20 << 16,
                _ => 0,
            };
            assert_eq!(value, expected, "lane {lane}");
        }
    }
}

#[test]
fn a_table_of_branches_and_a_guarded_return() {
    let body = format!(
        "mov.u32 %r0, %tid.x; and.b32 %r2, %r0, 3; setp.eq.u32 %p0, %r0, 31; @%p0 ret;
         table: .branchtargets A, B, C, A;
         brx.idx %r2, table;
         A: mov.u32 %r1, 10; bra.uni END;
         B: mov.u32 %r1, 20; bra.uni END;
         C: mov.u32 %r1, 30;
         END: activemask.b32 %r3; popc.b32 %r3, %r3; add.u32 %r1, %r1, %r3;
         {STORE} ret;"
    );
    for options in schedules() {
        let (out, _) = launch(&module("", &body), 1, 32, 32, &options).unwrap();
        for (lane, &value) in out.iter().enumerate().take(31) {
            assert_eq!(value, [10, 20, 30, 10][lane % 4] + 31, "lane {lane}");
        }
        assert_eq!(out[31], 0);
    }
}

const FUNCTIONS: &str = "
.func (.param .b32 result) factorial (.param .b32 n) {
  .reg .b32 %r<8>; .reg .pred %p<2>;
  ld.param.u32 %r1, [n]; mov.u32 %r3, 1; setp.le.u32 %p0, %r1, 1; @%p0 bra DONE;
  { .param .b32 argument; .param .b32 value;
    sub.u32 %r2, %r1, 1; st.param.b32 [argument], %r2;
    call.uni (value), factorial, (argument);
    ld.param.b32 %r3, [value]; }
  mul.lo.u32 %r3, %r3, %r1;
  DONE: st.param.b32 [result], %r3; ret;
}
.func (.param .b32 result) twice (.param .b32 n) {
  .reg .b32 %r<8>;
  ld.param.u32 %r1, [n]; shl.b32 %r1, %r1, 1; st.param.b32 [result], %r1; ret;
}
.global .u64 functions[2] = {factorial, twice};
";

#[test]
fn calls_recurse_to_different_depths_and_go_through_pointers() {
    let body = format!(
        "mov.u32 %r0, %tid.x; and.b32 %r2, %r0, 7; and.b32 %r3, %r0, 1;
         mul.wide.u32 %d1, %r3, 8; mov.u64 %d2, functions; add.s64 %d2, %d2, %d1; ld.global.u64 %d3, [%d2];
         {{ .param .b32 argument; .param .b32 value;
           st.param.b32 [argument], %r2;
           prototype: .callprototype (.param .b32 _) _ (.param .b32 _);
           call (value), %d3, (argument), prototype;
           ld.param.b32 %r1, [value]; }}
         activemask.b32 %r4; popc.b32 %r4, %r4; shl.b32 %r4, %r4, 16; or.b32 %r1, %r1, %r4;
         {STORE} ret;"
    );
    for options in schedules() {
        let (out, _) = launch(&module(FUNCTIONS, &body), 1, 32, 32, &options).unwrap();
        for (lane, &value) in out.iter().enumerate() {
            let n = lane as u32 & 7;
            let expected = if lane % 2 == 0 {
                (1..=n).product()
            } else {
                2 * n
            };
            assert_eq!(value, expected | 32 << 16, "lane {lane}");
        }
    }
}

/// How an endless recursion of 32 lanes ends.
fn overflow(function: &str) -> Fault {
    let functions = format!(".func deep (.param .u32 n) {{ {function} }}");
    let call = "{ .param .b32 p; st.param.b32 [p], %r0; call deep, (p); } ret;";
    let begin = std::time::Instant::now();
    let error = launch(&module(&functions, call), 1, 32, 1, &schedules()[0]).unwrap_err();
    // Copying all frames at each call takes minutes.
    assert!(begin.elapsed().as_secs() < 10, "{:?}", begin.elapsed());
    let LaunchError::Fault(fault) = error else {
        panic!("{error}")
    };
    assert!(
        matches!(fault.kind, FaultKind::StackOverflow { limit: 524_288 }),
        "{fault}"
    );
    *fault
}

const AGAIN: &str = "{ .param .b32 p; st.param.b32 [p], %r1; call deep, (p); } ret;";

#[test]
fn endless_recursion_is_a_fault_and_takes_no_quadratic_time() {
    let begin = ".reg .b32 %r<4>; ld.param.u32 %r1, [n];";
    overflow(&format!("{begin} {AGAIN}"));
    overflow(&format!(".local .align 4 .b8 l[1024]; {begin} {AGAIN}"));
}

#[test]
fn endless_recursion_of_lanes_that_part_takes_no_quadratic_time() {
    overflow(&format!(
        ".reg .b32 %r<4>; .reg .pred %p; mov.u32 %r1, %laneid; setp.gt.u32 %p, %r1, 7;
         @%p bra ODD; add.u32 %r2, %r1, 1; ODD: {AGAIN}"
    ));
}

#[test]
fn a_recursion_keeps_what_each_of_its_frames_holds() {
    // The sum of n ... 1, added up on the way back from 100 bytes of each
    // frame; the room for frames grows many times.
    let functions = "
        .func (.param .u32 sum) down (.param .u32 n) {
          .reg .b32 %r<8>; .reg .pred %p; .local .align 4 .b8 l[100];
          ld.param.u32 %r1, [n]; st.local.u32 [l+96], %r1; mov.u32 %r2, 0;
          setp.eq.u32 %p, %r1, 0; @%p bra END;
          sub.u32 %r3, %r1, 1;
          { .param .b32 p; .param .b32 q; st.param.b32 [p], %r3; call (q), down, (p); ld.param.b32 %r2, [q]; }
          END: ld.local.u32 %r4, [l+96]; add.u32 %r2, %r2, %r4; st.param.u32 [sum], %r2; ret;
        }";
    let body = format!(
        "mov.u32 %r0, %tid.x; mul.lo.u32 %r2, %r0, 25;
         {{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r2; call (q), down, (p); ld.param.b32 %r1, [q]; }}
         {STORE} ret;"
    );
    let (out, _) = launch(&module(functions, &body), 1, 32, 32, &schedules()[0]).unwrap();
    for (lane, &sum) in out.iter().enumerate() {
        let n = 25 * lane as u32;
        assert_eq!(sum, n * (n + 1) / 2, "lane {lane}");
    }
}

#[test]
fn what_lies_behind_the_frames_of_local_memory_is_out_of_bounds() {
    // The frames need 80 bytes; there is room for 128 once it has doubled.
    let functions = "
        .func leaf () { .reg .b32 %r; .local .align 8 .b8 l[16]; st.local.b32 [l+16], %r; ret; }
        .func middle () { .local .align 8 .b8 l[64]; call leaf; ret; }";
    let error = launch(
        &module(functions, "call middle; ret;"),
        1,
        32,
        1,
        &schedules()[0],
    );
    let LaunchError::Fault(fault) = error.unwrap_err() else {
        panic!("a fault")
    };
    assert!(
        matches!(fault.kind, FaultKind::OutOfBounds { room: "local", .. }),
        "{fault}"
    );
}

/// Each lane of each block takes a lock, adds 1 to a plain word, lets go.
const LOCK: &str = "
  mov.u32 %r0, 1;
  TRY: atom.global.cas.b32 %r1, [%d0], 0, 1; setp.ne.u32 %p0, %r1, 0; @%p0 bra TRY;
  membar.gl;
  ld.volatile.global.u32 %r2, [%d0+4]; add.u32 %r2, %r2, 1; st.volatile.global.u32 [%d0+4], %r2;
  membar.gl;
  atom.global.exch.b32 %r3, [%d0], 0;
  ret;";

#[test]
fn lanes_and_blocks_that_spin_on_a_lock_all_get_through() {
    for options in schedules() {
        let (out, _) = launch(&module("", LOCK), 5, 96, 2, &options).unwrap();
        assert_eq!(out, [0, 5 * 96]);
    }
    let (out, _) = launch(
        &module("", LOCK),
        8,
        64,
        2,
        &LaunchOptions {
            cores: 2,
            ..LaunchOptions::default()
        },
    )
    .unwrap();
    assert_eq!(out, [0, 8 * 64]);
}

#[test]
fn a_block_may_spin_on_an_earlier_block() {
    // Block b waits until out[b] is set, then sets out[b + 1].
    let body = "mov.u32 %r0, %ctaid.x; mul.wide.u32 %d1, %r0, 4; add.s64 %d1, %d0, %d1;
        setp.eq.u32 %p0, %r0, 0; @%p0 bra GO;
        WAIT: ld.acquire.gpu.global.u32 %r1, [%d1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra WAIT;
        GO: mov.u32 %r2, 1; st.release.gpu.global.u32 [%d1+4], %r2; ret;";
    for options in schedules() {
        let (out, _) = launch(&module("", body), 300, 1, 301, &options).unwrap();
        assert_eq!(out[1..], [1; 300]);
    }
}

#[test]
fn a_barrier_that_some_never_reach_is_a_deadlock_with_who_waits_where() {
    // Warp 0 at barrier 0, warp 1 at barrier 1.
    let body = "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 32; @%p0 bra A;\nbar.sync 1;\nret;\nA: bar.sync 0;\nret;";
    for options in schedules() {
        let error = launch(&module("", body), 1, 64, 1, &options).unwrap_err();
        let LaunchError::Deadlock(waiters) = &error else {
            panic!("{error}")
        };
        let mut seen: Vec<(u32, u32)> = waiters
            .iter()
            .map(|waiter| (waiter.warp, waiter.line))
            .collect();
        seen.sort_unstable();
        assert_eq!(seen, [(0, 11), (1, 9)], "{error}");
        assert!(
            error
                .to_string()
                .contains("waits at barrier 0, where 32 of 64 threads are"),
            "{error}"
        );
    }
}

#[test]
fn an_endless_loop_uses_up_the_budget() {
    let options = LaunchOptions {
        budget: 100_000,
        ..LaunchOptions::default()
    };
    let error = launch(&module("", "L: bra L;"), 1, 32, 1, &options).unwrap_err();
    assert!(
        matches!(
            error,
            LaunchError::Livelock {
                budget: 100_000,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn a_trap_names_kernel_line_and_thread() {
    let body = "mov.u32 %r0, %tid.x;\nsetp.eq.u32 %p0, %r0, 37;\n@%p0 trap;\nret;";
    let error = launch(&module("", body), 1, 64, 1, &schedules()[0]).unwrap_err();
    let LaunchError::Fault(fault) = error else {
        panic!("{error}")
    };
    assert_eq!(
        (fault.kind.clone(), fault.thread, fault.line),
        (FaultKind::Trap, [37, 0, 0], 10)
    );
    assert_eq!(
        (fault.kernel.as_str(), fault.text.as_str()),
        ("test", "@%p0 trap;")
    );
}

#[test]
fn a_divergent_branch_is_counted_and_both_sides_run() {
    let body =
        "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 8; @%p0 bra A; add.u32 %r1, %r0, 1; A: ret;";
    let program = Program::load(&module("", body)).unwrap();
    let mut gpu = Gpu::new(Model::h200());
    let shape = Shape {
        grid: [1, 1, 1],
        block: [32, 1, 1],
        shared_bytes: 0,
    };
    let options = LaunchOptions::default();
    let (report, counts) = gpu
        .launch_observed(
            &program,
            "test",
            shape,
            &[&0u64.to_le_bytes()],
            &options,
            Classes::default(),
        )
        .and_then(ptx_emulator::Observed::finished)
        .unwrap();
    // ld.param, mov, setp, bra, add with 24 lanes, ret with 32.
    assert_eq!(report.warp_instructions, 6);
    assert_eq!(counts.total().divergent_branches, 1);
    let classes = counts.by_class();
    let ran = |class| (classes[&class].warps, classes[&class].lanes);
    assert_eq!(ran(ptx_emulator::Class::Integer), (1, 24));
    assert_eq!(ran(ptx_emulator::Class::Control), (2, 8 + 32));
}
