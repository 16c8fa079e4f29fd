//! What a graph hands to the driver, what it keeps alive, and what it refuses to
//! record; and the clocks of a device that the management library does not know.

use cuda_std::launch::LaunchShape;
use quadscan::device::{Device, Module};
use quadscan::{Error, Result};

use crate::fake_cuda::{BOTH, FakeCuda, Settings, artifact};
use crate::{kernels, sentence};

fn loaded(fake: &FakeCuda) -> (Device, Module) {
    let device = fake.open();
    let module = device.load(&artifact(BOTH)).expect("it loads");
    (device, module)
}

#[test]
fn recorded_launches_happen_in_order_whenever_the_graph_is_launched_and_not_before() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (device, module) = loaded(&fake);
    let mut a = device.upload(&[1.0f32, 2.0])?;
    let mut b = device.alloc_zeroed::<f32>(2)?;
    let shape = LaunchShape::new(1, 2);
    let graph = device.capture(|| {
        module.launch(kernels::scale, shape, (&a, &mut b, 2.0))?;
        module.launch(kernels::scale, shape, (&b, &mut a, 3.0))
    })?;
    assert_eq!(fake.log(&["launch", "capture"]), ["capture mode=1"]);
    assert_eq!(a.to_vec()?, [1.0, 2.0]);
    graph.launch()?;
    assert_eq!(
        (a.to_vec()?, b.to_vec()?),
        (vec![6.0, 12.0], vec![2.0, 4.0])
    );
    graph.launch()?;
    assert_eq!(
        (a.to_vec()?, b.to_vec()?),
        (vec![36.0, 72.0], vec![12.0, 24.0])
    );
    assert_eq!(fake.log(&["graph"]), ["graph stream=0x2000"; 2]);
    assert_eq!(fake.log(&["launch"]).len(), 4);
    drop(graph);
    assert_eq!(fake.log(&["destroy graph"]).len(), 1);
    Ok(())
}

#[test]
fn what_a_graph_may_use_is_given_back_with_the_devices_last_graph() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (device, module) = loaded(&fake);
    let shape = LaunchShape::new(1, 1);
    let input = device.upload(&[1.0f32])?;
    let mut out = device.alloc_zeroed::<f32>(1)?;
    let record =
        |out: &mut _| device.capture(|| module.launch(kernels::scale, shape, (&input, out, 2.0)));
    let (first, second) = (record(&mut out)?, record(&mut out)?);
    drop((out, input, module));
    assert_eq!(fake.live_allocations(), 2);
    drop(first);
    second.launch()?;
    assert_eq!(fake.live_allocations(), 2);
    assert_eq!(fake.log(&["unload"]).len(), 0);
    drop(second);
    assert_eq!(fake.live_allocations(), 0);
    assert_eq!(
        fake.log(&["destroy graph", "unload"])[1..],
        ["destroy graph", "unload"]
    );
    Ok(())
}

#[test]
fn a_copy_to_the_host_cannot_be_recorded_and_the_device_goes_on() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (device, module) = loaded(&fake);
    let input = device.upload(&[1.0f32])?;
    let mut out = device.alloc_zeroed::<f32>(1)?;
    let shape = LaunchShape::new(1, 1);
    let refused = device.capture(|| {
        module.launch(kernels::scale, shape, (&input, &mut out, 2.0))?;
        out.to_vec().map(|_| ())
    });
    let refused = sentence(refused);
    assert!(
        refused.contains("CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED (900)"),
        "{refused}"
    );
    // Even where the error is not passed on.
    let invalid = sentence(device.capture(|| {
        let _ = device.synchronize();
        Ok(())
    }));
    assert!(
        invalid.contains("CUDA_ERROR_STREAM_CAPTURE_INVALIDATED (901)"),
        "{invalid}"
    );
    module.launch(kernels::scale, shape, (&input, &mut out, 2.0))?;
    assert_eq!(out.to_vec()?, [2.0]);
    drop((input, out));
    assert_eq!(
        fake.live_allocations(),
        0,
        "no graph is left that holds them"
    );
    Ok(())
}

#[test]
fn a_panic_while_work_is_recorded_ends_the_recording() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (device, _module) = loaded(&fake);
    let work = || device.capture(|| panic!("on purpose"));
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    assert!(caught.is_err());
    device.synchronize()
}

/// What `work` gives on another thread.
fn elsewhere<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(work).join().expect("no panic"))
}

#[test]
fn what_another_thread_asks_while_one_records_is_refused_and_not_recorded() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (device, module) = loaded(&fake);
    let input = device.upload(&[1.0f32])?;
    let mut out = device.alloc_zeroed::<f32>(1)?;
    let mut other = device.alloc_zeroed::<f32>(1)?;
    let spare = device.alloc_zeroed::<f32>(1)?;
    let shape = LaunchShape::new(1, 1);
    let earlier = device.capture(|| Ok(()))?;
    let before = fake.log(&["copy", "launch", "graph"]);
    let graph = device.capture(|| {
        let refusals = elsewhere(|| {
            drop(spare);
            [
                other.copy_from(&[5.0]),
                other.to_vec().map(drop),
                other.fill_bytes(1),
                other.copy_from_buffer(&input),
                module.launch(kernels::scale, shape, (&input, &mut other, 7.0)),
                device.synchronize(),
                device.event().map(drop),
                device.alloc::<f32>(1).map(drop),
                device.load(&artifact(BOTH)).map(drop),
                device.capture(|| Ok(())).map(drop),
                earlier.launch(),
            ]
        });
        for (index, refusal) in refusals.into_iter().enumerate() {
            assert_eq!(
                sentence(refusal),
                "Fake GPU is being recorded into a graph by another thread",
                "{index}"
            );
        }
        module.launch(kernels::scale, shape, (&input, &mut out, 2.0))
    })?;
    assert_eq!(fake.log(&["copy", "launch", "graph"]), before);
    graph.launch()?;
    assert_eq!((out.to_vec()?, other.to_vec()?), (vec![2.0], vec![0.0]));
    elsewhere(|| graph.launch())?;
    assert_eq!(elsewhere(|| out.to_vec())?, [2.0]);
    drop((graph, earlier, input, out, other));
    assert_eq!(fake.live_allocations(), 0);
    Ok(())
}

#[test]
fn threads_that_copy_while_others_record_never_spoil_a_recording() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (device, module) = loaded(&fake);
    let input = device.upload(&[1.0f32])?;
    let mut out = device.alloc_zeroed::<f32>(1)?;
    let shape = LaunchShape::new(1, 1);
    module.launch(kernels::scale, shape, (&input, &mut out, 2.0))?;
    let is_refused_or_done = |result: Result<()>| match result {
        Ok(()) | Err(Error::Recording { .. }) => {}
        Err(error) => panic!("{error}"),
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..300 {
                is_refused_or_done(device.upload(&[3.0f32]).map(drop));
                is_refused_or_done(input.to_vec().map(drop));
            }
        });
        for _ in 0..300 {
            let graph =
                device.capture(|| module.launch(kernels::scale, shape, (&input, &mut out, 2.0)));
            is_refused_or_done(graph.map(drop));
        }
    });
    drop((input, out));
    assert_eq!(fake.live_allocations(), 0);
    Ok(())
}
