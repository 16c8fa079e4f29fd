//! Launches with weak memory: what is told of them, and what orders accesses there. Which outcomes
//! PTX allows is in `litmus`.

use ptx_emulator::{Checked, Checks, FindingKind, LaunchError, LaunchOptions, Program, Schedule};

use crate::checking::{Bench, module, shape};

fn options(seed: u64) -> LaunchOptions {
    LaunchOptions {
        schedule: Schedule::Seed(seed),
        weak_memory: true,
        budget: 1 << 20,
        ..LaunchOptions::default()
    }
}

/// Warp 0 writes 7 to a message and sets a flag; warp 1 waits for the flag and gives what it then
/// reads. `of` is the space and the bases of both, `store` and `load` the accesses to the flag.
fn message([space, message, flag]: [&str; 3], store: &str, load: &str) -> String {
    let body = format!(
        ".loc 1 3 1\nand.b32 %r0, %x, 31;\nsetp.ne.u32 %p0, %r0, 0;\n@%p0 ret;\n\
         setp.ne.u32 %p1, %x, 0;\n@%p1 bra READ;\n\
         .loc 1 5 1\nst.{space}.u32 [{message}], 7;\n.loc 1 6 1\n{store}.{space}.u32 [{flag}], 1;\nret;\n\
         READ:\n.loc 1 8 1\n{load}.{space}.u32 %r1, [{flag}];\nsetp.ne.u32 %p2, %r1, 1;\n@%p2 bra READ;\n\
         .loc 1 9 1\nld.{space}.u32 %r2, [{message}];\nst.global.u32 [%d1], %r2;\nret;"
    );
    module(".shared .align 4 .b8 tile[8];", &body)
}

const GLOBAL: [&str; 3] = ["global", "%d0", "%d0+128"];

/// The results, and what was said, of 40 seeds.
fn runs(ptx: &str) -> Vec<(u32, Checked)> {
    let run = |seed| {
        let mut bench = Bench::new(256);
        let checked = bench.run(ptx, shape(1, 64), &options(seed));
        assert_eq!(checked.outcome, Ok(()));
        let mut bytes = [0; 4];
        bench.gpu.copy_out(bench.output, &mut bytes).unwrap();
        (u32::from_le_bytes(bytes), checked)
    };
    (0..40).map(run).collect()
}

#[test]
fn a_read_of_an_old_value_is_told_with_the_write_that_was_newer() {
    let runs = runs(&message(GLOBAL, "st.relaxed.cta", "ld.relaxed.cta"));
    let (_, wrong) = runs
        .iter()
        .find(|(value, _)| *value != 7)
        .expect("an old value");
    assert_eq!(
        wrong.stale_reads[0].to_string(),
        "stale read: an old value, although a newer one was written before, and nothing orders that \
         write before the read (test, ./k/src/lib.rs:9)\n  \
         input[0]: 4 bytes at offset 0 of 256 bytes of global memory\n  \
         reads the old value: block [0, 0, 0], thread [32, 0, 0], ./k/src/lib.rs:9, PTX line 31: \
         `ld.global.u32 %r2, [%d0];`\n  \
         had written: block [0, 0, 0], thread [0, 0, 0], ./k/src/lib.rs:5, PTX line 21: \
         `st.global.u32 [%d0], 7;`"
    );
    // The race is found besides, by every seed; the read is no finding by itself.
    for (value, checked) in &runs {
        assert!(
            checked
                .findings
                .iter()
                .any(|finding| finding.kind == FindingKind::Race)
        );
        assert!(
            checked
                .findings
                .iter()
                .all(|finding| finding.kind != FindingKind::StaleRead)
        );
        assert_eq!(checked.stale_reads.is_empty(), *value == 7);
    }
}

#[test]
fn shared_memory_is_weak_too_and_release_and_acquire_order_it() {
    let shared = ["shared", "tile", "tile+4"];
    let relaxed = runs(&message(shared, "st.relaxed.cta", "ld.relaxed.cta"));
    assert!(relaxed.iter().any(|(value, _)| *value != 7));
    for place in [GLOBAL, shared] {
        let ordered = runs(&message(place, "st.release.cta", "ld.acquire.cta"));
        for (value, checked) in ordered {
            assert_eq!(value, 7);
            // Shared memory is polled before anybody has written it.
            let mut kinds = checked.findings.iter().map(|finding| finding.kind);
            let is_ordered = kinds.all(|kind| kind == FindingKind::UninitialisedRead);
            assert!(is_ordered && checked.stale_reads.is_empty(), "{checked}");
        }
    }
}

/// Whatever the sizes: each thread writes its bytes by one size, and reads its neighbour's of
/// another warp by a different one.
#[test]
fn what_a_barrier_orders_is_read_whole_by_every_size() {
    for (store, load) in [("b8", "b64"), ("b64", "b8"), ("b16", "b32"), ("b32", "b16")] {
        let body = format!(
            "mul.wide.u32 %d2, %x, 8;\nadd.s64 %d3, %d0, %d2;\nxor.b32 %r0, %x, 32;\n\
             mul.wide.u32 %d4, %r0, 8;\nadd.s64 %d5, %d0, %d4;\ncvt.u64.u32 %d6, %x;\nmov.u32 %r3, 0;\n\
             AGAIN:\nst.global.{store} [%d3], %d6;\nbar.sync 0;\n\
             ld.global.{load} %d7, [%d5];\nbar.sync 0;\n\
             add.u64 %d6, %d6, 64;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p0, %r3, 3;\n@%p0 bra AGAIN;\n\
             setp.ne.u32 %p1, %x, 0;\n@%p1 ret;\nst.global.u64 [%d1], %d7;\nret;"
        );
        let ptx = module("", &body);
        for seed in 0..10 {
            let mut bench = Bench::new(256);
            bench.input = bench.gpu.alloc(512).unwrap();
            bench.gpu.copy_in(bench.input, &[0; 512]).unwrap();
            let checked = bench.run(&ptx, shape(1, 64), &options(seed));
            assert!(
                checked.is_clean() && checked.stale_reads.is_empty(),
                "{checked}"
            );
            let mut bytes = [0; 8];
            bench.gpu.copy_out(bench.output, &mut bytes).unwrap();
            assert_eq!(u64::from_le_bytes(bytes), 32 + 2 * 64, "{store} {load}");
        }
    }
}

#[test]
fn weak_memory_without_the_race_checker_is_refused() {
    let ptx = message(GLOBAL, "st.relaxed.cta", "ld.relaxed.cta");
    let program = Program::load(&ptx).unwrap();
    let mut bench = Bench::new(0);
    let parameters: [&[u8]; 2] = [&bench.input.to_le_bytes(), &bench.output.to_le_bytes()];
    let (gpu, shape, options) = (&mut bench.gpu, shape(1, 64), options(1));
    let checks = Checks {
        races: false,
        ..Checks::all()
    };
    let checked = gpu.check(&program, "test", shape, &parameters, &options, checks);
    assert_eq!(checked.map(|_| ()), Err(LaunchError::WeakMemory));
    let launched = gpu.launch_with(&program, "test", shape, &parameters, &options);
    assert_eq!(launched.map(|_| ()), Err(LaunchError::WeakMemory));
}
