//! Reads of memory that nobody has written, each with a twin that is silent.

use crate::checking::{Bench, check, line, module, only, shape, silent};
use ptx_emulator::observe::Memory;
use ptx_emulator::{Checked, FindingKind, LaunchOptions, Program, Shape};

const KIND: FindingKind = FindingKind::UninitialisedRead;

/// Threads for which `%p0` is true store to `TILE`, and all read their own.
fn tile(condition: &str) -> String {
    let body = format!(
        ".shared .align 4 .b8 TILE[256];
         mov.u64 %d3, TILE; add.s64 %d3, %d3, %d2;
         {condition}
         .loc 1 11 5
         @%p0 st.shared.u32 [%d3], %x;
         .loc 1 12 5
         bar.sync 0;
         .loc 1 13 5
         ld.shared.u32 %r1, [%d3];
         ret;"
    );
    module("", &body)
}

#[test]
fn a_shared_variable_that_one_thread_did_not_write() {
    let mut bench = Bench::new(0);
    let ptx = tile("setp.ne.u32 %p0, %x, 7;");
    let checked = bench.run(&ptx, shape(2, 64), &LaunchOptions::default());
    let finding = only(&checked, KIND);
    assert_eq!(line(&finding.at), "./k/src/lib.rs:13");
    assert_eq!((finding.at.block, finding.at.thread), ([0; 3], [7, 0, 0]));
    assert_eq!(finding.occurrences, 2);
    let memory = finding.memory.as_ref().unwrap();
    assert_eq!((memory.name.as_deref(), memory.offset), (Some("TILE"), 28));
    assert_eq!((memory.element, memory.bytes), (Some(7), 4));
    let line = checked.findings[0].at.line;
    assert_eq!(
        checked.to_string(),
        format!(
            "uninitialised read: shared memory that nobody has written (test, ./k/src/lib.rs:13)\n  \
             TILE[7]: 4 bytes at offset 28 of 256 bytes of shared memory\n  \
             reads: block [0, 0, 0], thread [7, 0, 0], ./k/src/lib.rs:13, \
             PTX line {line}: `ld.shared.u32 %r1, [%d3];`\n  \
             2 times"
        )
    );
    let twin = tile("setp.ne.u32 %p0, %x, 64;");
    silent(&bench.run(&twin, shape(2, 64), &LaunchOptions::default()));
}

#[test]
fn dynamic_shared_memory_begins_behind_the_variables() {
    let ptx = |bytes: u32| {
        let body = format!(
            ".shared .align 4 .b8 FIXED[32]; mov.u64 %d3, FIXED; st.shared.u32 [%d3], 0;
             mov.u64 %d4, heap; st.shared.v2.u32 [%d4], {{%x, %x}};
             .loc 1 5 1
             ld.shared.u32 %r1, [%d4+{bytes}]; ret;"
        );
        module(".extern .shared .align 16 .b8 heap[];", &body)
    };
    let shape = Shape {
        shared_bytes: 64,
        ..shape(1, 1)
    };
    let mut bench = Bench::new(0);
    let checked = bench.run(&ptx(12), shape, &LaunchOptions::default());
    let memory = only(&checked, KIND).memory.as_ref().unwrap();
    assert_eq!(memory.space, Memory::Shared);
    assert_eq!(
        memory.to_string(),
        "element 3: 4 bytes at offset 12 of dynamic shared memory"
    );
    silent(&bench.run(&ptx(4), shape, &LaunchOptions::default()));
}

const READ: &str = "add.s64 %d3, %d0, %d2;
    .loc 1 30 9
    ld.global.u32 %r1, [%d3]; ret;";

#[test]
fn global_memory_that_the_host_has_not_copied_to() {
    let ptx = module("", READ);
    let checked = Bench::new(60).run(&ptx, shape(1, 32), &LaunchOptions::default());
    let finding = only(&checked, KIND);
    assert_eq!(line(&finding.at), "./k/src/lib.rs:30");
    assert_eq!(finding.at.thread, [15, 0, 0]);
    // Threads 15 to 31.
    assert_eq!(finding.occurrences, 17);
    assert_eq!(
        finding.memory.as_ref().unwrap().to_string(),
        "input[15]: 4 bytes at offset 60 of 256 bytes of global memory"
    );
    silent(&Bench::new(128).run(&ptx, shape(1, 32), &LaunchOptions::default()));
}

#[test]
fn an_allocation_without_a_name_is_told_by_its_size() {
    let mut bench = Bench::new(0);
    bench.input = bench.gpu.alloc(64).unwrap();
    let checked = bench.run(&module("", READ), shape(1, 4), &LaunchOptions::default());
    let expected = format!(
        "element 0: 4 bytes at offset 0 of the allocation of 64 bytes at {:#x}",
        bench.input
    );
    let finding = only(&checked, KIND);
    assert_eq!(finding.memory.as_ref().unwrap().to_string(), expected);
    bench.gpu.name(bench.input, "late").unwrap();
    let checked = bench.run(&module("", READ), shape(1, 4), &LaunchOptions::default());
    let name = &only(&checked, KIND).memory.as_ref().unwrap().name;
    assert_eq!(name.as_deref(), Some("late"));
    assert!(bench.gpu.name(7, "nothing").is_err());
}

#[test]
fn an_allocation_after_a_free_is_fresh() {
    let mut bench = Bench::new(256);
    bench.gpu.free(bench.input).unwrap();
    bench.input = bench.gpu.alloc_named(256, "second").unwrap();
    let checked = bench.run(&module("", READ), shape(1, 1), &LaunchOptions::default());
    let name = &only(&checked, KIND).memory.as_ref().unwrap().name;
    assert_eq!(name.as_deref(), Some("second"));
}

#[test]
fn what_a_checked_kernel_wrote_is_remembered() {
    let write = module("", "add.s64 %d3, %d1, %d2; st.global.u32 [%d3], %x; ret;");
    let read = module("", "add.s64 %d3, %d1, %d2; ld.global.u32 %r1, [%d3]; ret;");
    let options = LaunchOptions::default();
    let mut bench = Bench::new(0);
    silent(&bench.run(&write, shape(1, 16), &options));
    silent(&bench.run(&read, shape(1, 16), &options));
    let checked = bench.run(&read, shape(1, 17), &options);
    let memory = only(&checked, KIND).memory.clone().unwrap();
    assert_eq!(
        (memory.name.as_deref(), memory.element),
        (Some("output"), Some(16))
    );
    // Nobody watches this launch, so all may have been written by it.
    let program = Program::load(&write).unwrap();
    let parameters: [&[u8]; 2] = [&bench.input.to_le_bytes(), &bench.output.to_le_bytes()];
    bench
        .gpu
        .launch(&program, "test", [1; 3], [16, 1, 1], 0, &parameters)
        .unwrap();
    silent(&bench.run(&read, shape(1, 64), &options));
}

#[test]
fn variables_constants_and_parameters_are_always_written() {
    let declarations = ".global .align 4 .b8 TABLE[16]; .const .align 4 .b8 BANK[16];";
    let body = "ld.global.u32 %r1, [TABLE+8]; ld.const.u32 %r2, [BANK+8]; ret;";
    silent(&check(declarations, body, 4));
}

#[test]
fn padding_of_a_structure_is_copied_in_silence_and_may_not_be_read() {
    // 12 of 16 bytes are written: the last 4 may be padding.
    let run = |load: &str| {
        let ptx = module("", &format!("{load} ret;"));
        Bench::new(12).run(&ptx, shape(1, 1), &LaunchOptions::default())
    };
    silent(&run("ld.global.v2.b64 {%d3, %d4}, [%d0];"));
    silent(&run("ld.global.b64 %d3, [%d0+8];"));
    silent(&run("ld.global.b32 %r1, [%d0+8];"));
    silent(&run("ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%d0];"));
    let checked = run("ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%d0]; add.u32 %r1, %r4, 1;");
    let memory = only(&checked, KIND).memory.clone().unwrap();
    assert_eq!((memory.offset, memory.bytes), (12, 4));
    // Ordered and volatile loads read values, in which every byte counts.
    only(&run("ld.volatile.global.b64 %d3, [%d0+8];"), KIND);
    only(&run("ld.relaxed.gpu.global.b64 %d3, [%d0+8];"), KIND);
}

/// Three of four words are written, and loaded as four; `%d3` is shared memory, `%d5` the first
/// thread's part of the output.
fn with_padding(body: &str) -> Checked {
    let body = format!(
        ".shared .align 16 .b8 S[512]; mov.u64 %d3, S; mul.wide.u32 %d5, %x, 16;
         add.s64 %d3, %d3, %d5; add.s64 %d5, %d5, %d1;
         .loc 1 20 1
         ld.global.v4.b32 {{%r1, %r2, %r3, %r4}}, [%d0];
         .loc 1 21 1
         {body} ret;"
    );
    Bench::new(12).run(&module("", &body), shape(1, 2), &LaunchOptions::default())
}

/// Ways that bytes take without being read, each of which ends with the padding in `%r9`.
const WAYS: [&str; 12] = [
    "mov.b32 %r9, %r4;",
    "mov.b64 %d6, {%r3, %r4}; mov.b64 {%r8, %r9}, %d6;",
    "mov.b64 %d6, {%r3, %r4}; shr.u64 %d6, %d6, 32; cvt.u32.u64 %r9, %d6;",
    "cvt.u64.u32 %d6, %r4; shl.b64 %d6, %d6, 32; mov.b64 {_, %r9}, %d6;",
    "st.shared.v4.b32 [%d3], {%r1, %r2, %r3, %r4}; ld.shared.b32 %r9, [%d3+12];",
    "st.global.b32 [%d5+12], %r4; ld.global.b32 %r9, [%d5+12];",
    ".local .align 8 .b8 L[8]; st.local.b32 [L+4], %r4; ld.local.b32 %r9, [L+4];",
    "shfl.sync.bfly.b32 %r9, %r4, 1, 31, 3;",
    "mov.u32 %r8, 1; shfl.sync.idx.b32 %r9|%p1, %r4, %r8, 31, 3;",
    "setp.lt.u32 %p1, %x, 9; selp.b32 %r9, %r4, %r1, %p1;",
    "prmt.b32 %r9, %r4, %r1, 0x3210;",
    "or.b32 %r9, %r4, 0; not.b32 %r9, %r9; xor.b32 %r9, %r9, %r1;",
];

#[test]
fn padding_may_take_any_way_that_copies_and_is_found_where_it_is_read() {
    for way in WAYS {
        silent(&with_padding(&format!("{way} st.global.b32 [%d5], %r9;")));
        let checked = with_padding(&format!("{way} add.u32 %r10, %r9, 1;"));
        let finding = only(&checked, KIND);
        assert_eq!(line(&finding.at), "./k/src/lib.rs:20", "{way}");
        let memory = finding.memory.as_ref().unwrap();
        assert_eq!(
            (memory.name.as_deref(), memory.offset),
            (Some("input"), 12),
            "{way}"
        );
        assert_eq!(finding.occurrences, 2, "{way}");
        // What stands in its place afterwards is no padding.
        silent(&with_padding(&format!(
            "{way} mov.u32 %r9, %r1; add.u32 %r10, %r9, 1;"
        )));
    }
}

#[test]
fn a_decision_or_an_address_reads_padding_and_other_bytes_do_not() {
    for reads in [
        "setp.eq.u32 %p1, %r4, 0;",
        "cvt.u64.u32 %d6, %r4; add.s64 %d6, %d1, %d6;",
        "cvt.u64.u32 %d6, %r4; ld.global.u32 %r5, [%d6];",
        "atom.global.add.u32 %r5, [%d1], %r4;",
        "cvt.rn.f32.u32 %r5, %r4;",
        "and.b32 %r5, %r4, 255; setp.eq.u32 %p1, %r5, 0;",
        "shfl.sync.idx.b32 %r5, %r1, %r4, 31, 3;",
    ] {
        let checked = with_padding(reads);
        let kinds: Vec<_> = checked.findings.iter().map(|one| one.kind).collect();
        assert!(kinds.contains(&KIND), "{reads}: {checked}");
    }
    for other in [
        "add.u32 %r5, %r3, %r1;",
        "and.b32 %r5, %r4, 0; add.u32 %r5, %r5, 1;",
        "or.b32 %r5, %r4, -1; add.u32 %r5, %r5, 1;",
        "mov.b64 %d6, {%r3, %r4}; cvt.u32.u64 %r5, %d6; add.u32 %r5, %r5, 1;",
        "mov.b64 %d6, {%r3, %r4}; and.b64 %d6, %d6, 0xffff; add.s64 %d6, %d6, 1;",
        "st.global.b32 [%d5], %r4; st.global.b32 [%d5], %r1; ld.global.u32 %r5, [%d5]; add.u32 %r5, %r5, 1;",
        "setp.lt.u32 %p1, %x, 9; selp.b32 %r9, %r1, %r4, %p1; add.u32 %r9, %r9, 1;",
    ] {
        silent(&with_padding(other));
    }
}

#[test]
fn bytes_are_told_apart() {
    let run = |body: &str| {
        check(
            "",
            &format!(".shared .align 8 .b8 S[16]; mov.u64 %d3, S; {body} ret;"),
            1,
        )
    };
    let checked = run("mov.b16 %h1, 5; st.shared.u8 [%d3+1], %h1; ld.shared.u16 %h2, [%d3];");
    assert_eq!(only(&checked, KIND).memory.as_ref().unwrap().offset, 0);
    silent(&run(
        "mov.b16 %h1, 5; st.shared.u8 [%d3+1], %h1; ld.shared.u8 %h2, [%d3+1];",
    ));
    silent(&run("st.shared.u32 [%d3], 5; ld.shared.u8 %h2, [%d3+3];"));
    only(
        &run("st.shared.u32 [%d3], 5; ld.shared.u8 %h2, [%d3+4];"),
        KIND,
    );
}

#[test]
fn an_atomic_reads_what_it_changes() {
    let run = |before: &str| {
        check(
            "",
            &format!(
                "{before}
                 .loc 1 41 3
                 atom.global.add.u32 %r1, [%d1+8], 1; ret;"
            ),
            1,
        )
    };
    let checked = run("");
    let finding = only(&checked, KIND);
    assert_eq!(
        (line(&finding.at), finding.at.what.as_str()),
        ("./k/src/lib.rs:41", "reads and writes")
    );
    assert_eq!(finding.memory.as_ref().unwrap().element, Some(2));
    silent(&run("st.global.u32 [%d1+8], 0;"));
}

#[test]
fn local_memory_is_fresh_in_each_thread() {
    let body = |threads: u32| {
        format!(
            ".local .align 8 .b8 DEPOT[32];
             setp.lt.u32 %p0, %x, {threads};
             @%p0 st.local.u32 [DEPOT+4], %x;
             .loc 1 50 7
             ld.local.u32 %r1, [DEPOT+4]; ret;"
        )
    };
    let checked = check("", &body(3), 40);
    let finding = only(&checked, KIND);
    assert_eq!(
        (line(&finding.at), finding.at.thread),
        ("./k/src/lib.rs:50", [3, 0, 0])
    );
    assert_eq!(finding.occurrences, 37);
    let memory = finding.memory.as_ref().unwrap();
    assert_eq!((memory.space, memory.element), (Memory::Local, None));
    assert!(
        memory
            .to_string()
            .ends_with("of the local memory of a thread in test"),
        "{memory}"
    );
    silent(&check("", &body(40), 40));
}

#[test]
fn local_addresses_that_differ_from_lane_to_lane() {
    let body = |store: u32| {
        format!(
            ".local .align 8 .b8 DEPOT[256]; mov.u64 %d3, DEPOT; add.s64 %d3, %d3, %d2;
             st.local.u32 [%d3], %x; ld.local.u32 %r1, [%d3+{store}]; ret;"
        )
    };
    silent(&check("", &body(0), 32));
    let checked = check("", &body(4), 32);
    assert_eq!(only(&checked, KIND).occurrences, 32);
}

const SUM: &str = "
.func (.param .b32 result) sum (.param .align 4 .b8 pair[8], .param .b32 again) {
  .reg .b32 %r<8>; .reg .pred %p<2>; .local .align 4 .b8 SCRATCH[8];
  ld.param.b32 %r1, [pair]; ld.param.b32 %r2, [again]; add.u32 %r1, %r1, %r2;
  setp.eq.u32 %p0, %r2, 0; @%p0 bra FIRST;
  st.local.u32 [SCRATCH], %r1;
  FIRST: .loc 1 70 3
  ld.local.u32 %r3, [SCRATCH];
  st.param.b32 [result], %r3; ret;
}";

#[test]
fn parameters_and_results_of_calls_are_written_and_each_call_is_fresh() {
    // The second field of `pair` is never written: the call copies it all.
    let call = |again: u32| {
        format!(
            "{{ .param .align 4 .b8 a[8]; .param .b32 b; .param .b32 c;
               st.param.b32 [a], %x; st.param.b32 [b], {again};
               call.uni (c), sum, (a, b); ld.param.b32 %r1, [c]; }}"
        )
    };
    silent(&check(SUM, &format!("{} {} ret;", call(1), call(2)), 32));
    // The frame of the first call lay where that of the second does.
    let checked = check(SUM, &format!("{} {} ret;", call(1), call(0)), 32);
    let finding = only(&checked, KIND);
    assert_eq!(
        (line(&finding.at), finding.occurrences),
        ("./k/src/lib.rs:70", 32)
    );
    assert!(finding.memory.as_ref().unwrap().region.ends_with("in sum"));
}

#[test]
fn an_asynchronous_copy_writes_what_it_copied_and_reads_what_it_copies() {
    let ptx = module(
        "",
        ".shared .align 16 .b8 TILE[256]; mov.u64 %d3, TILE; add.s64 %d3, %d3, %d2;
         add.s64 %d4, %d0, %d2;
         .loc 1 80 5
         cp.async.ca.shared.global [%d3], [%d4], 4;
         cp.async.wait_all;
         .loc 1 81 5
         ld.shared.u32 %r1, [%d3]; ret;",
    );
    let options = LaunchOptions::default();
    silent(&Bench::new(128).run(&ptx, shape(1, 32), &options));
    let checked = Bench::new(124).run(&ptx, shape(1, 32), &options);
    let finding = only(&checked, KIND);
    assert_eq!(
        (line(&finding.at), finding.at.thread),
        ("./k/src/lib.rs:80", [31, 0, 0])
    );
    let memory = finding.memory.as_ref().unwrap();
    assert_eq!(
        (memory.name.as_deref(), memory.element),
        (Some("input"), Some(31))
    );
}
