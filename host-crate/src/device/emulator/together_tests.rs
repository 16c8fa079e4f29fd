//! Blocks that wait for each other, kernels that begin early, and parts of buffers, on
//! the emulated device.

use ptx_emulator::Model;

use super::*;
use crate::device::{Actual, Buffer, Device, LaunchShape, Module};

/// `meet`: each block adds 1 to `count` and waits until all have; then writes what it
/// read. It declares 1000 bytes of shared memory. `next`: data[i] = 2 * data[i] + 1 by
/// one warp, after the grid before. `shift`: out[i] = in[i] + 1 by one warp.
const PTX: &str = r#".version 8.0
.target sm_90
.address_size 64
.visible .entry meet(.param .u64 count, .param .u64 out) {
    .shared .align 4 .b8 tile[1000];
    .reg .pred %p<2>; .reg .b32 %r<5>; .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [count];
    ld.param.u64 %rd2, [out];
    mov.u32 %r1, %tid.x;
    st.shared.u32 [tile], %r1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra $OUT;
    mov.u32 %r2, %nctaid.x;
    mov.u32 %r3, %ctaid.x;
    red.release.gpu.global.add.u32 [%rd1], 1;
$WAIT:
    ld.acquire.gpu.global.u32 %r4, [%rd1];
    setp.lt.u32 %p1, %r4, %r2;
    @%p1 bra $WAIT;
    mul.wide.u32 %rd3, %r3, 4;
    add.s64 %rd4, %rd2, %rd3;
    st.global.u32 [%rd4], %r4;
$OUT:
    ret;
}
.visible .entry next(.param .u64 data) {
    .reg .b32 %r<3>; .reg .b64 %rd<4>;
    griddepcontrol.launch_dependents;
    ld.param.u64 %rd1, [data];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    griddepcontrol.wait;
    ld.global.u32 %r2, [%rd3];
    mad.lo.u32 %r2, %r2, 2, 1;
    st.global.u32 [%rd3], %r2;
    ret;
}
.visible .entry shift(.param .u64 in, .param .u64 out) {
    .reg .b32 %r<3>; .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.u32 %r2, [%rd4];
    add.u32 %r2, %r2, 1;
    st.global.u32 [%rd5], %r2;
    ret;
}
"#;

/// An H200 with few SMs, so that few blocks fill it.
fn device(schedule: Option<u64>) -> Device {
    let model = Model {
        sms: 3,
        memory: 1 << 20,
        ..Model::h200()
    };
    Device::from_backend(Box::new(Emulator::new(Settings {
        model,
        schedule,
        budget: 1 << 24,
        cores: 2,
        weak_memory: false,
    })))
}

fn launch(
    module: &Module,
    kernel: &str,
    config: impl Into<LaunchConfig>,
    arguments: &[Actual<'_>],
) -> Result<()> {
    // SAFETY: nothing is unsound on the emulator: it checks every access.
    unsafe { module.launch_raw(kernel, config, arguments) }
}

fn programmatic(shape: LaunchShape) -> LaunchConfig {
    // SAFETY: as above.
    unsafe { LaunchConfig::new(shape).programmatic() }
}

#[test]
fn blocks_that_are_resident_at_once_are_those_that_can_wait_for_each_other() -> Result<()> {
    for schedule in [None, Some(3), Some(4)] {
        let device = device(schedule);
        assert!(device.properties().has_cooperative_launch);
        let module = device.load_ptx(PTX)?;
        // 2048 threads, 32 blocks and 233472 bytes of shared memory an SM,
        // of which a block takes 1024 more than it asks for.
        for (threads, shared, resident) in [
            (1024, 0, 3 * 2),
            (96, 0, 3 * 21),
            (33, 0, 3 * 32),
            (32, 8000, 3 * 23),
            (32, 231_448, 3),
        ] {
            assert_eq!(module.resident_blocks("meet", threads, shared)?, resident);
            let mut count = device.alloc_zeroed::<u32>(1)?;
            let out = device.alloc_zeroed::<u32>(resident as usize + 1)?;
            let arguments = [count.actual(), out.actual()];
            let shape = |blocks| LaunchShape::new(blocks, threads).with_shared(shared);
            let together = LaunchConfig::new(shape(resident)).cooperative();
            launch(&module, "meet", together, &arguments)?;
            let mut expected = vec![resident; resident as usize];
            expected.push(0);
            assert_eq!(out.to_vec()?, expected);
            let more = LaunchConfig::new(shape(resident + 1)).cooperative();
            let refused = launch(&module, "meet", more, &arguments);
            let Err(Error::OutOfRange { value, highest, .. }) = refused else {
                panic!("{refused:?}")
            };
            assert_eq!(
                (value, highest),
                (u64::from(resident) + 1, u64::from(resident))
            );
            count.fill_bytes(0)?;
        }
    }
    Ok(())
}

#[test]
fn one_block_more_than_are_resident_waits_for_ever() -> Result<()> {
    let device = device(None);
    let module = device.load_ptx(PTX)?;
    let blocks = module.resident_blocks("meet", 1024, 0)? + 1;
    let count = device.alloc_zeroed::<u32>(1)?;
    let out = device.alloc_zeroed::<u32>(blocks as usize)?;
    let arguments = [count.actual(), out.actual()];
    let hangs = launch(&module, "meet", LaunchShape::new(blocks, 1024), &arguments);
    assert!(
        matches!(&hangs, Err(error) if error.is_context_lost()),
        "{hangs:?}"
    );
    Ok(())
}

#[test]
fn programmatic_launches_follow_each_other_in_a_stream_and_in_a_graph() -> Result<()> {
    let device = device(None);
    assert!(!device.properties().has_programmatic_launch);
    let module = device.load_ptx(PTX)?;
    let mut data = device.alloc_zeroed::<u32>(32)?;
    let arguments = [data.actual()];
    let early = programmatic(LaunchShape::new(1, 32));
    let work = || {
        launch(&module, "next", LaunchShape::new(1, 32), &arguments)?;
        launch(&module, "next", early, &arguments)?;
        launch(&module, "next", early.cooperative(), &arguments)
    };
    work()?;
    let graph = device.capture(work)?;
    graph.launch()?;
    // x -> 2 x + 1 six times from 0.
    assert_eq!(data.to_vec()?, [63; 32]);
    graph.launch()?;
    assert_eq!(data.to_vec()?, [511; 32]);
    data.fill_bytes(0)
}

#[test]
fn a_kernel_works_on_parts_that_begin_at_any_element() -> Result<()> {
    let device = device(None);
    let module = device.load_ptx(PTX)?;
    let numbers: Vec<u32> = (0..40).collect();
    let input = device.upload(&numbers)?;
    for (from, to) in [(0, 1), (1, 0), (3, 5)] {
        let mut out = device.upload(&[99_u32; 40])?;
        let part = input.slice(from..from + 32)?;
        let target = out.slice_mut(to..to + 32)?;
        launch(
            &module,
            "shift",
            LaunchShape::new(1, 32),
            &[part.actual(), target.actual()],
        )?;
        let mut expected = [99; 40];
        for (at, number) in expected[to..to + 32].iter_mut().zip(&numbers[from..]) {
            *at = number + 1;
        }
        assert_eq!(out.to_vec()?, expected);
    }
    Ok(())
}

#[test]
fn devices_begin_together_only_where_all_of_them_can() -> Result<()> {
    let unobserved = (0..2).map(|_| Box::new(Unobserved) as Box<dyn Observation>);
    let family = Emulator::family(Settings::default(), unobserved).into_iter();
    let devices: Vec<Device> = family
        .map(|one| Device::from_backend(Box::new(one)))
        .collect();
    let load = |device: &Device| device.load_ptx(PTX);
    let modules: Vec<Module> = devices.iter().map(load).collect::<Result<_>>()?;
    let alloc = |device: &Device| device.alloc_zeroed::<u32>(32);
    let data: Vec<Buffer<u32>> = devices.iter().map(alloc).collect::<Result<_>>()?;
    let shape = LaunchShape::new(1, 32);
    let both = || {
        let arguments: Vec<_> = data.iter().map(|data| vec![data.actual()]).collect();
        let modules: Vec<&Module> = modules.iter().collect();
        // SAFETY: as above.
        unsafe { Module::launch_among(&modules, "next", shape.into(), &arguments) }
    };
    both()?;
    let nowhere = Actual {
        bytes: &[0; 8],
        elements: None,
    };
    assert!(launch(&modules[1], "next", shape, &[nowhere]).is_err());
    let refused = both();
    assert!(
        matches!(&refused, Err(error) if error.is_context_lost()),
        "{refused:?}"
    );
    assert_eq!(data[0].to_vec()?, [1; 32]);
    Ok(())
}
