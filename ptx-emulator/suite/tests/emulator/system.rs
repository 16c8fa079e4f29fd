//! Fences, clusters of one block, special registers, and the functions that
//! the device runtime provides.

use crate::harness;
use crate::harness::{expect32, expect64, launch, module, read32, refusal, schedules};
use ptx_emulator::{FaultKind, Gpu, LaunchError, LaunchOptions, Model, Program, Report, Shape};

fn run(declarations: &str, body: &str, block: u32, count: usize) -> (Vec<u32>, Report) {
    let options = LaunchOptions::default();
    launch(&module(declarations, body), 1, block, count, &options)
        .unwrap_or_else(|error| panic!("{body}: {error}"))
}

fn fault(declarations: &str, body: &str) -> FaultKind {
    let options = LaunchOptions::default();
    match launch(&module(declarations, body), 1, 1, 4, &options) {
        Err(LaunchError::Fault(fault)) => fault.kind,
        other => panic!("{body}: {other:?}"),
    }
}

#[test]
fn fences_and_hints_change_no_value() {
    let all = "fence.proxy.alias; fence.proxy.async; fence.proxy.async.global;
        fence.proxy.async.shared::cta; fence.proxy.async.shared::cluster;
        fence.proxy.tensormap::generic.release.gpu;
        fence.proxy.tensormap::generic.acquire.sys [%d0], 128;
        fence.mbarrier_init.release.cluster;
        fence.acq_rel.cluster; fence.sc.cta; fence.acquire.gpu; fence.release.sys;
        fence.acquire.sync_restrict::shared::cluster.cluster;
        fence.release.sync_restrict::shared::cta.cluster;
        fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;
        fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;
        griddepcontrol.wait; griddepcontrol.launch_dependents;
        setmaxnreg.inc.sync.aligned.u32 64; setmaxnreg.dec.sync.aligned.u32 24;
        nanosleep.u32 40; pmevent 3; pmevent.mask 5;
        createpolicy.fractional.L2::evict_last.b64 %d1; createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %d1, 0.5;
        createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %d2, [%d0], 16, 64;
        createpolicy.cvt.L2.b64 %d3, 0;
        prefetch.global.L1 [%d0]; prefetch.global.L2::evict_last [%d0]; prefetchu.L1 [%d0];
        applypriority.global.L2::evict_normal [%d0], 128; discard.global.L2 [%d0], 128;
        mov.u32 %r1, 7; st.global.L2::cache_hint.u32 [%d0], %r1, %d1; ret;";
    assert_eq!(run("", all, 32, 32).0[0], 7);
    for (body, part) in [
        ("fence.proxy.other;", "`.other`"),
        ("fence.mbarrier_init.acquire.cluster;", "`.acquire`"),
        (
            "fence.acquire.sync_restrict::shared::cluster.gpu;",
            "`.gpu`",
        ),
        (
            "setmaxnreg.inc.sync.aligned.u32 20;",
            "a multiple of 8 from 24 to 256",
        ),
        (
            "createpolicy.fractional.L2::evict_none.b64 %o;",
            "`.L2::evict_none`",
        ),
    ] {
        let said = refusal(body);
        assert!(said.contains(part), "{body}: {said}");
    }
}

#[test]
fn a_block_is_a_cluster_of_its_own() {
    let registers = [
        ("cluster_ctaid.x", 0),
        ("cluster_ctaid.z", 0),
        ("cluster_nctaid.y", 1),
        ("cluster_ctarank", 0),
        ("cluster_nctarank", 1),
        ("clusterid.x", 2),
        ("nclusterid.x", 3),
    ];
    for (name, expected) in registers {
        let body = format!(
            "mov.u32 %r1, %{name}; mov.u32 %r2, %ctaid.x; setp.ne.u32 %p0, %r2, 2; @%p0 ret; st.global.u32 [%d0], %r1; ret;"
        );
        let (out, _) = launch(&module("", &body), 3, 1, 1, &LaunchOptions::default()).unwrap();
        assert_eq!(out, [expected], "{name}");
    }
    expect32(
        "mov.pred %p, %is_explicit_cluster; selp.u32 %ro, 1, 2, %p;",
        &[([0; 4], 2)],
    );
    // An address of shared memory is the same in the block of rank 0.
    let body = ".shared .align 4 .b32 word[8]; mov.u32 %r1, word;
        mapa.shared::cluster.u32 %r2, %r1, 0; cvt.u64.u32 %d1, %r1; cvta.shared.u64 %d1, %d1;
        mov.u32 %r3, 0; mapa.u64 %d2, %d1, %r3;
        st.shared::cluster.u32 [%r2+8], 5; atom.shared::cluster.add.u32 %r4, [%r2+8], 2;
        ld.shared::cluster.u32 %r5, [%r1+8]; ld.u32 %r6, [%d2+8];
        getctarank.u64 %r7, %d2; getctarank.shared::cluster.u32 %r8, %r2;
        cvta.to.shared::cluster.u64 %d3, %d2; cvt.u32.u64 %r9, %d3; sub.u32 %r9, %r9, %r1;
        isspacep.shared::cluster %p0, %d2; selp.u32 %r10, 1, 0, %p0;
        isspacep.global %p0, %d2; selp.u32 %r11, 1, 0, %p0;
        st.global.v4.u32 [%d0], {%r4, %r5, %r6, %r7}; st.global.v4.u32 [%d0+16], {%r8, %r9, %r10, %r11}; ret;";
    assert_eq!(run("", body, 1, 8).0, [5, 7, 7, 0, 0, 0, 1, 0]);
    match fault("", "mov.u32 %r1, 1; mapa.u64 %d1, %d0, %r1; ret;") {
        FaultKind::Undefined(text) => assert_eq!(text, "mapa to rank 1 of a cluster of one block"),
        other => panic!("{other}"),
    }
    let clusters = module("", "ret;").replace(
        "(.param .u64 out) {",
        "(.param .u64 out) .reqnctapercluster 2, 1, 1 {",
    );
    let said = launch(&clusters, 2, 1, 1, &LaunchOptions::default()).unwrap_err();
    assert!(said.to_string().contains("a cluster of 2 blocks"), "{said}");
}

#[test]
fn the_barrier_of_the_cluster_has_two_steps() {
    // Each thread writes a word, arrives, does something else, waits, reads
    // the word of the thread 32 further.
    let body = ".shared .align 4 .b32 word[96]; mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 2;
        mov.u32 %r2, word; add.u32 %r3, %r2, %r1; mul.lo.u32 %r4, %r0, 10; st.shared.u32 [%r3], %r4;
        barrier.cluster.arrive.release.aligned;
        mul.lo.u32 %r5, %r0, 1000;
        barrier.cluster.wait.acquire.aligned;
        add.u32 %r6, %r0, 32; rem.u32 %r6, %r6, 96; shl.b32 %r6, %r6, 2; add.u32 %r6, %r2, %r6;
        ld.shared.u32 %r7, [%r6]; add.u32 %r7, %r7, %r5;
        cvt.u64.u32 %d1, %r1; add.s64 %d1, %d0, %d1;
        barrier.cluster.arrive; barrier.cluster.wait;
        st.global.u32 [%d1], %r7; ret;";
    let expected: Vec<u32> = (0..96).map(|n| 1000 * n + (n + 32) % 96 * 10).collect();
    for options in schedules() {
        let (out, _) = launch(&module("", body), 1, 96, 96, &options).unwrap();
        assert_eq!(out, expected);
    }
    // Threads that exit are not waited for, whether they arrived or not.
    let body = "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 20; @%p0 ret;
        barrier.cluster.arrive; setp.lt.u32 %p0, %r0, 40; @%p0 ret;
        barrier.cluster.wait; mul.wide.u32 %d1, %r0, 4; add.s64 %d1, %d0, %d1; st.global.u32 [%d1], 1; ret;";
    for options in schedules() {
        let (out, _) = launch(&module("", body), 1, 64, 64, &options).unwrap();
        assert_eq!(out.iter().sum::<u32>(), 24);
    }
    for (body, part) in [
        (
            "barrier.cluster.wait; ret;",
            "without barrier.cluster.arrive",
        ),
        (
            "barrier.cluster.arrive; barrier.cluster.arrive; ret;",
            "a second time",
        ),
    ] {
        match fault("", body) {
            FaultKind::Undefined(text) => assert!(text.contains(part), "{text}"),
            other => panic!("{other}"),
        }
    }
    // The other warp never comes.
    let body = "mov.u32 %r0, %tid.x; setp.ge.u32 %p0, %r0, 32; @%p0 bra B; barrier.cluster.arrive; barrier.cluster.wait; ret; B: bar.sync 1; ret;";
    let error = launch(&module("", body), 1, 64, 1, &schedules()[0]).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("waits at the barrier of the cluster, where 32 of 64 threads are"),
        "{error}"
    );
}

#[test]
fn special_registers_have_their_values() {
    expect32("mov.b32 %ro, %envreg0;", &[([0; 4], 0)]);
    expect32("mov.b32 %ro, %envreg31;", &[([0; 4], 0)]);
    expect32("mov.u32 %ro, %pm7;", &[([0; 4], 0)]);
    expect64("mov.u64 %o, %pm3_64;", &[([0; 4], 0)]);
    expect64("mov.u64 %o, %current_graph_exec;", &[([0; 4], 0)]);
    assert!(refusal("mov.b32 %ro, %envreg32;").contains("envreg32"));
    // One lane of 32 is elected, and all learn which.
    let body = "mov.u32 %r0, %tid.x; elect.sync %r1|%p0, -1; selp.u32 %r2, 100, 0, %p0; add.u32 %r1, %r1, %r2;
        mul.wide.u32 %d1, %r0, 4; add.s64 %d1, %d0, %d1; st.global.u32 [%d1], %r1; ret;";
    let (out, _) = run("", body, 32, 32);
    assert_eq!(out.iter().filter(|&&value| value >= 100).count(), 1);
    let leader = out[0] % 100;
    assert!(out.iter().all(|value| value % 100 == leader) && out[leader as usize] >= 100);
}

const PRINT: &str = "
.extern .func (.param .b32 status) vprintf (.param .b64 text, .param .b64 values);
.global .align 1 .b8 say[32] = {116, 104, 114, 101, 97, 100, 32, 37, 100, 58, 32, 37, 46, 50, 102, 32, 37, 115, 32, 37, 108, 108, 120, 10, 0};
.const .align 1 .b8 name[8] = {113, 117, 97, 100, 0};
";

/// `printf("thread %d: %.2f %s %llx\n", tid, 1.5 * tid, "quad", 1ll << 40)`.
const PRINT_CALL: &str = "
.local .align 8 .b8 values[32]; mov.u32 %r0, %tid.x;
mov.u64 %d1, values; cvta.local.u64 %d2, %d1;
st.local.u32 [values], %r0; .reg .f64 %f<4>; cvt.rn.f64.u32 %f1, %r0; mul.f64 %f1, %f1, 0d3FF8000000000000;
st.local.f64 [values+8], %f1; mov.u64 %d3, name; cvta.const.u64 %d3, %d3; st.local.u64 [values+16], %d3;
mov.u64 %d4, 0x10000000000; st.local.u64 [values+24], %d4;
mov.u64 %d5, say; cvta.global.u64 %d5, %d5;
{ .param .b64 a; .param .b64 b; .param .b32 c;
  st.param.b64 [a], %d5; st.param.b64 [b], %d2; call.uni (c), vprintf, (a, b); ld.param.b32 %r3, [c]; }
mul.wide.u32 %d6, %r0, 4; add.s64 %d6, %d0, %d6; st.global.u32 [%d6], %r3; ret;";

#[test]
fn vprintf_formats_in_the_order_of_the_lanes() {
    let (out, report) = run(PRINT, PRINT_CALL, 3, 3);
    assert_eq!(out, [4; 3]);
    assert_eq!(
        report.printed,
        "thread 0: 0.00 quad 10000000000\nthread 1: 1.50 quad 10000000000\nthread 2: 3.00 quad 10000000000\n"
    );
    assert_eq!(report.printed_lost, 0);
    // A launch that prints nothing.
    assert_eq!(run("", "ret;", 1, 1).1.printed, "");
}

#[test]
fn vprintf_keeps_the_newest_mebibyte() {
    let declarations =
        ".extern .func (.param .b32 status) vprintf (.param .b64 text, .param .b64 values);
        .global .align 1 .b8 say[8] = {37, 49, 48, 50, 51, 100, 10, 0};";
    // "%1023d\n" is 1024 bytes; 1025 blocks print their number.
    let body = ".local .align 4 .b8 values[4]; mov.u32 %r0, %ctaid.x; st.local.u32 [values], %r0;
        mov.u64 %d1, values; cvta.local.u64 %d1, %d1; mov.u64 %d2, say; cvta.global.u64 %d2, %d2;
        { .param .b64 a; .param .b64 b; .param .b32 c;
          st.param.b64 [a], %d2; st.param.b64 [b], %d1; call.uni (c), vprintf, (a, b); } ret;";
    let (_, report) = launch(&module(declarations, body), 1025, 1, 1, &schedules()[0]).unwrap();
    assert_eq!((report.printed.len(), report.printed_lost), (1 << 20, 1));
    let numbers: Vec<&str> = report.printed.lines().map(str::trim).collect();
    assert_eq!((numbers[0], numbers[1023]), ("1", "1024"));
}

#[test]
fn a_wrong_format_argument_is_a_fault() {
    let body = PRINT_CALL.replace(
        "st.local.u64 [values+16], %d3;",
        "st.local.u64 [values+16], 64;",
    );
    assert!(matches!(
        fault(PRINT, &body),
        FaultKind::OutOfBounds {
            address: 64,
            bytes: 1,
            ..
        }
    ));
}

#[test]
fn assertions_name_their_place() {
    let declarations = ".extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
        .global .align 1 .b8 message[8] = {110, 32, 62, 32, 48, 0}; .global .align 1 .b8 file[8] = {97, 46, 99, 117, 0};
        .global .align 1 .b8 function[8] = {107, 101, 114, 110, 101, 108, 0};";
    let body = "mov.u64 %d1, message; cvta.global.u64 %d1, %d1; mov.u64 %d2, file; cvta.global.u64 %d2, %d2;
        mov.u64 %d3, function; cvta.global.u64 %d3, %d3;
        { .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s;
          st.param.b64 [m], %d1; st.param.b64 [f], %d2; st.param.b32 [l], 17; st.param.b64 [n], %d3; st.param.b64 [s], 1;
          call.uni __assertfail, (m, f, l, n, s); } ret;";
    let kind = fault(declarations, body);
    assert_eq!(
        kind.to_string(),
        "a.cu:17: kernel: assertion `n > 0` failed"
    );
    assert!(matches!(kind, FaultKind::Assertion { line: 17, .. }));
}

const HEAP: &str = "
.extern .func (.param .b64 p) malloc (.param .b64 n);
.extern .func free (.param .b64 p);
.visible .entry allocate(.param .u64 out, .param .u64 bytes) {
  .reg .b64 %d<8>; .reg .b32 %r<4>; ld.param.u64 %d0, [out]; ld.param.u64 %d1, [bytes];
  mov.u32 %r0, %tid.x; mul.wide.u32 %d2, %r0, 8; add.s64 %d0, %d0, %d2;
  { .param .b64 n; .param .b64 p; st.param.b64 [n], %d1; call.uni (p), malloc, (n); ld.param.b64 %d3, [p]; }
  st.global.u64 [%d0], %d3; ret;
}
.visible .entry release(.param .u64 p) {
  .reg .b64 %d<8>; ld.param.u64 %d0, [p];
  { .param .b64 a; st.param.b64 [a], %d0; call.uni free, (a); } ret;
}
.visible .entry add(.param .u64 p, .param .u64 out) {
  .reg .b64 %d<8>; .reg .b32 %r<4>; ld.param.u64 %d0, [p]; ld.param.u64 %d1, [out];
  atom.add.u32 %r1, [%d0], 5; ld.global.u32 %r2, [%d0]; st.global.u32 [%d1], %r2; ret;
}";

struct Heap {
    gpu: Gpu,
    program: Program,
    out: u64,
}

impl Heap {
    fn new() -> Self {
        let program = Program::load(&format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n{HEAP}"
        ))
        .unwrap();
        let mut gpu = Gpu::new(Model::h200());
        let out = gpu.alloc(256).unwrap();
        Heap { gpu, program, out }
    }

    fn launch(&mut self, kernel: &str, threads: u32, parameters: &[u64]) -> Result<(), FaultKind> {
        let bytes: Vec<[u8; 8]> = parameters.iter().map(|value| value.to_le_bytes()).collect();
        let slices: Vec<&[u8]> = bytes.iter().map(|bytes| &bytes[..]).collect();
        let shape = ([1, 1, 1], [threads, 1, 1]);
        match self
            .gpu
            .launch(&self.program, kernel, shape.0, shape.1, 0, &slices)
        {
            Ok(_) => Ok(()),
            Err(LaunchError::Fault(fault)) => Err(fault.kind),
            Err(other) => panic!("{other}"),
        }
    }

    fn malloc(&mut self, threads: u32, bytes: u64) -> Vec<u64> {
        self.launch("allocate", threads, &[self.out, bytes])
            .unwrap();
        harness::read64(&self.gpu, self.out, threads as usize)
    }
}

#[test]
fn the_device_heap_outlives_launches() {
    let mut heap = Heap::new();
    let out = heap.out;
    let addresses = heap.malloc(4, 100);
    let mut sorted = addresses.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), 4);
    assert!(
        addresses
            .iter()
            .all(|address| *address != 0 && address % 16 == 0)
    );
    // It is zero when it is new, and keeps what is written.
    for expected in [5, 10] {
        heap.launch("add", 1, &[addresses[1] + 96, out]).unwrap();
        assert_eq!(read32(&heap.gpu, out, 1), [expected]);
    }
    // Behind the end, after free, twice freed, never allocated.
    let bounds = heap
        .launch("add", 1, &[addresses[1] + 100, out])
        .unwrap_err();
    assert!(
        bounds
            .to_string()
            .contains("100 bytes from the start of a malloc of 100 bytes"),
        "{bounds}"
    );
    heap.launch("release", 1, &[addresses[1]]).unwrap();
    let address = addresses[1];
    assert_eq!(
        heap.launch("add", 1, &[address, out]),
        Err(FaultKind::UseAfterFree { address, bytes: 4 })
    );
    let twice = heap.launch("release", 1, &[address]).unwrap_err();
    assert!(
        twice.to_string().contains("which was freed before"),
        "{twice}"
    );
    let wrong = heap.launch("release", 1, &[out]).unwrap_err();
    assert!(
        wrong.to_string().contains("no address that malloc gave"),
        "{wrong}"
    );
    heap.launch("release", 1, &[0]).unwrap();
}

#[test]
fn the_device_heap_is_8_mib() {
    let mut heap = Heap::new();
    assert_eq!(heap.malloc(1, (8 << 20) + 1), [0]);
    assert_eq!(heap.malloc(1, 0), [0]);
    // Three of 3 MiB do not fit; when one is freed, another one does.
    let three = heap.malloc(3, 3 << 20);
    assert!(three[0] != 0 && three[1] != 0);
    assert_eq!(three[2], 0);
    heap.launch("release", 1, &[three[0]]).unwrap();
    assert_ne!(heap.malloc(1, 5 << 20), [0]);
    assert_eq!(heap.malloc(1, 16), [0]);
}

#[test]
fn other_functions_without_a_body_are_refused() {
    let say = |declaration: &str, call: &str| {
        Program::load(&module(declaration, &format!("{call} ret;")))
            .unwrap_err()
            .to_string()
    };
    let said = say(
        ".extern .func (.param .b32 r) cudaDeviceSynchronize ();",
        "{ .param .b32 r; call.uni (r), cudaDeviceSynchronize, (); }",
    );
    assert!(
        said.contains("device-side launches are not supported"),
        "{said}"
    );
    let said = say(".extern .func other ();", "call.uni other, ();");
    assert!(said.contains("`other` has no body"), "{said}");
    let said = say(
        ".extern .func free (.param .b32 p);",
        "{ .param .b32 p; st.param.b32 [p], 0; call.uni free, (p); }",
    );
    assert!(said.contains("`free` takes other parameters"), "{said}");
}

#[test]
fn traps_end_the_launch() {
    assert_eq!(fault("", "trap;"), FaultKind::Trap);
    assert_eq!(fault("", "brkpt; ret;"), FaultKind::Trap);
    let shape = Shape {
        grid: [1, 1, 1],
        block: [1, 1, 1],
        shared_bytes: 48,
    };
    let body = "mov.u32 %r1, %dynamic_smem_size; mov.u32 %r2, %total_smem_size; st.global.v2.u32 [%d0], {%r1, %r2}; ret;";
    let program = Program::load(&module("", body)).unwrap();
    let mut gpu = Gpu::new(Model::h200());
    let out = gpu.alloc(8).unwrap();
    let options = LaunchOptions::default();
    gpu.launch_with(&program, "test", shape, &[&out.to_le_bytes()], &options)
        .unwrap();
    assert_eq!(read32(&gpu, out, 2), [48, 48]);
}
