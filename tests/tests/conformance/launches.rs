//! What is asked of a device beside a launch's shape, on PTX written for it: kernels
//! that begin before the one ahead has ended, and blocks that wait for each other.

use bytemuck::bytes_of;
use quadscan::device::{Actual, Device, LaunchConfig, LaunchShape, Module};
use quadscan::{Error, Result};
use quadscan_tests::suite::{Bench, Outcome};

/// `produce`: raises `flags[1]`; asks for the next kernel to begin; waits until that has
/// raised `flags[0]`, for `patience` rounds at most; then adds 1 to each element.
/// `consume`: raises `flags[0]`, waits for the grid before, and replaces each element x
/// by 3 x. `meet`: each block adds 1 to `flags[0]`, waits until all blocks have, and
/// writes what it then reads to its element.
const KERNELS: &str = r"
.visible .entry produce(.param .u64 data, .param .u64 flags, .param .u32 patience) {
    .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<5>;
    LAUNCH_DEPENDENTS
    ld.param.u64 %rd1, [data];
    ld.param.u64 %rd2, [flags];
    ld.param.u32 %r1, [patience];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    mul.wide.u32 %rd3, %r5, 4;
    add.s64 %rd4, %rd1, %rd3;
$ROUND:
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra $WORK;
    sub.u32 %r1, %r1, 1;
    nanosleep.u32 1000;
    ld.relaxed.gpu.global.u32 %r6, [%rd2];
    setp.eq.u32 %p1, %r6, 0;
    @%p1 bra $ROUND;
    red.relaxed.gpu.global.add.u32 [%rd2+4], 1;
$WORK:
    ld.global.u32 %r7, [%rd4];
    add.u32 %r7, %r7, 1;
    st.global.u32 [%rd4], %r7;
    ret;
}
.visible .entry consume(.param .u64 data, .param .u64 flags) {
    .reg .b32 %r<6>; .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [data];
    ld.param.u64 %rd2, [flags];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    mul.wide.u32 %rd3, %r4, 4;
    add.s64 %rd4, %rd1, %rd3;
    st.relaxed.gpu.global.u32 [%rd2], 1;
    WAIT
    ld.global.u32 %r5, [%rd4];
    mul.lo.u32 %r5, %r5, 3;
    st.global.u32 [%rd4], %r5;
    ret;
}
.visible .entry meet(.param .u64 data, .param .u64 flags) {
    .reg .pred %p<2>; .reg .b32 %r<5>; .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [data];
    ld.param.u64 %rd2, [flags];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %nctaid.x;
    mul.wide.u32 %rd3, %r2, 4;
    add.s64 %rd4, %rd1, %rd3;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra $OUT;
    red.release.gpu.global.add.u32 [%rd2], 1;
$ROUND:
    ld.acquire.gpu.global.u32 %r4, [%rd2];
    setp.lt.u32 %p1, %r4, %r3;
    @%p1 bra $ROUND;
    st.global.u32 [%rd4], %r4;
$OUT:
    ret;
}
";

/// Blocks and threads of `produce` and `consume`: fewer than any GPU holds twice over.
const BLOCKS: u32 = 2;
const THREADS: u32 = 64;
const ELEMENTS: usize = (BLOCKS * THREADS) as usize;

/// Rounds of a microsecond in which a kernel behind has to begin, where it can.
const PATIENCE: u32 = 200_000;

/// The kernels, with the instructions of sm_90 where the device has it: on an older one
/// every launch is an ordinary one, and has nothing to wait for.
fn load(device: &Device) -> Result<Module> {
    let is_new = device.properties().compute_capability >= (9, 0);
    let (head, dependents, wait) = match is_new {
        true => (
            ".version 7.8\n.target sm_90\n.address_size 64\n",
            "griddepcontrol.launch_dependents;",
            "griddepcontrol.wait;",
        ),
        false => (".version 6.4\n.target sm_75\n.address_size 64\n", "", ""),
    };
    let kernels = KERNELS.replace("LAUNCH_DEPENDENTS", dependents);
    device.load_ptx(&format!("{head}{}", kernels.replace("WAIT", wait)))
}

fn programmatic(config: impl Into<LaunchConfig>) -> LaunchConfig {
    // SAFETY: `consume` waits before it touches the data; what comes before is one
    // relaxed store, which races with nothing.
    unsafe { config.into().programmatic() }
}

fn launch(
    module: &Module,
    kernel: &str,
    config: impl Into<LaunchConfig>,
    arguments: &[Actual<'_>],
) -> Result<()> {
    // SAFETY: the arguments of this file are those of the kernels above: memory of as
    // many elements as there are threads or blocks, two flags, a number.
    unsafe { module.launch_raw(kernel, config, arguments) }
}

pub(crate) fn a_programmatic_launch_reads_what_the_kernel_before_wrote(bench: &Bench) -> Outcome {
    let shape = LaunchShape::new(BLOCKS, THREADS);
    programmatic_launches(
        bench,
        programmatic(shape),
        bench.device.properties().has_programmatic_launch,
    )
}

pub(crate) fn a_programmatic_launch_may_be_cooperative_too(bench: &Bench) -> Outcome {
    let shape = LaunchShape::new(BLOCKS, THREADS);
    // In a stream it does not begin early: seen on an H200 with driver 580, 2026-11-22.
    let cooperative = LaunchConfig::new(shape).cooperative();
    programmatic_launches(bench, programmatic(cooperative), false)
}

/// `must_overlap`: the second launch begins before the first is done.
fn programmatic_launches(bench: &Bench, behind: LaunchConfig, must_overlap: bool) -> Outcome {
    let device = &bench.device;
    let module = load(device)?;
    let patience = if must_overlap { PATIENCE } else { 3 };
    let patience = Actual {
        bytes: bytes_of(&patience),
        elements: None,
    };
    let data = device.alloc_zeroed::<u32>(ELEMENTS)?;
    let mut flags = device.alloc_zeroed::<u32>(2)?;
    let shape = LaunchShape::new(BLOCKS, THREADS);
    // Loads the code, so that the launch behind is not late for that.
    launch(&module, "consume", shape, &[data.actual(), flags.actual()])?;
    flags.fill_bytes(0)?;
    let address = flags.address();
    let flagged = Actual {
        bytes: bytes_of(&address),
        elements: None,
    };
    let work = || {
        launch(
            &module,
            "produce",
            shape,
            &[data.actual(), flagged, patience],
        )?;
        launch(&module, "consume", behind, &[data.actual(), flagged])
    };
    work()?;
    let mut x = 3;
    assert_eq!(data.to_vec()?, [x; ELEMENTS], "in a stream");
    expect_early(&flags.to_vec()?, must_overlap, "in a stream");
    let graph = device.capture(work)?;
    for _ in 0..3 {
        flags.fill_bytes(0)?;
        graph.launch()?;
        x = 3 * (x + 1);
        assert_eq!(data.to_vec()?, [x; ELEMENTS], "in a graph");
        expect_early(&flags.to_vec()?, must_overlap, "in a graph");
    }
    Ok(())
}

/// `consume` has begun, and where it must have begun early, all threads of `produce` saw it.
fn expect_early(flags: &[u32], must_overlap: bool, place: &str) {
    assert_eq!(flags[0], 1, "{place}");
    if must_overlap {
        assert_eq!(flags[1], ELEMENTS as u32, "{place}");
    }
}

pub(crate) fn the_blocks_of_a_cooperative_launch_can_wait_for_each_other(bench: &Bench) -> Outcome {
    let device = &bench.device;
    let properties = device.properties();
    let module = load(device)?;
    let most = properties.max_shared_per_block_optin;
    // As many threads as fit; and all of a block's shared memory, of which a
    // SM has no two.
    for (threads, shared) in [(1024, 0), (32, most)] {
        let blocks = module.resident_blocks("meet", threads, shared)?;
        let each = match shared {
            0 => properties.max_threads_per_sm / threads,
            _ => 1,
        };
        assert_eq!(blocks, each * properties.sm_count);
        let data = device.alloc_zeroed::<u32>(blocks as usize + 1)?;
        let mut count = device.alloc_zeroed::<u32>(1)?;
        let address = count.address();
        let arguments = [
            data.actual(),
            Actual {
                bytes: bytes_of(&address),
                elements: None,
            },
        ];
        let together = |blocks| {
            let shape = LaunchShape::new(blocks, threads).with_shared(shared);
            LaunchConfig::new(shape).cooperative()
        };
        let mut expected = vec![blocks; blocks as usize];
        expected.push(0);
        launch(&module, "meet", together(blocks), &arguments)?;
        assert_eq!(data.to_vec()?, expected, "in a stream");
        count.fill_bytes(0)?;
        let graph = device.capture(|| launch(&module, "meet", together(blocks), &arguments))?;
        graph.launch()?;
        assert_eq!(data.to_vec()?, expected, "in a graph");
        assert_eq!(count.to_vec()?, [blocks]);
        let refused = launch(&module, "meet", together(blocks + 1), &arguments);
        assert!(
            matches!(refused, Err(Error::OutOfRange { highest, .. }) if highest == u64::from(blocks)),
            "{refused:?}"
        );
        assert_eq!(count.to_vec()?, [blocks], "refused before it began");
    }
    Ok(())
}
