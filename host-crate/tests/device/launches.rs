//! What a launch hands to the driver, and what is refused before it.

use cuda_std::launch::{Actual, LaunchShape};
use quadscan::device::{Device, DeviceChoice, Event, Module};
use quadscan::{Error, Result};

use crate::fake_cuda::{self, BOTH, FakeCuda, Settings, artifact};
use crate::{kernels, sentence};

fn loaded(fake: &FakeCuda) -> (Device, Module) {
    let device = fake.open();
    let module = device.load(&artifact(BOTH)).expect("it loads");
    (device, module)
}

#[test]
fn a_launch_passes_slices_as_address_and_length_and_computes() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (device, module) = loaded(&fake);
    let input = device.upload(&[1.0f32, 2.0, 3.0])?;
    let mut out = device.alloc_zeroed::<f32>(3)?;
    let shape = LaunchShape::new((2, 3), 64);
    module.launch(kernels::scale, shape, (&input, &mut out, 2.5))?;
    assert_eq!(out.to_vec()?, [2.5, 5.0, 7.5]);
    assert_eq!(
        fake.log(&["launch"]),
        ["launch scale grid=2,3,1 block=64,1,1 shared=0 stream=0x2000"]
    );
    Ok(())
}

#[test]
fn a_raw_launch_passes_one_parameter_an_argument() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (device, module) = loaded(&fake);
    let input = device.upload(&[4.0f32])?;
    let out = device.alloc_zeroed::<f32>(1)?;
    let value = |bytes| Actual {
        bytes,
        elements: None,
    };
    let (length, factor) = (1u64.to_ne_bytes(), 0.5f32.to_ne_bytes());
    let arguments = [input.actual(), value(&length), out.actual(), value(&factor)];
    let shape = LaunchShape::new(1, 1);
    // SAFETY: the arguments are those of `scale`.
    unsafe { module.launch_raw("scale", shape, &arguments)? };
    assert_eq!(out.to_vec()?, [2.0]);
    // SAFETY: refused before the launch.
    let refused = unsafe { module.launch_raw("scale", shape, &arguments[..3]) };
    assert_eq!(
        sentence(refused),
        "kernel `scale` takes 4 parameters, 3 were given"
    );
    Ok(())
}

#[test]
fn sizes_beyond_the_device_are_refused_before_the_launch() {
    let fake = FakeCuda::new(Settings::default());
    let (_device, module) = loaded(&fake);
    let cases: [(LaunchShape, &str); 8] = [
        (
            LaunchShape::new(1, 1025),
            "threads per block is 1025, allowed are 1 to 1024 on Fake GPU",
        ),
        (
            LaunchShape::new(1, 0),
            "threads per block is 0, allowed are 1 to 1024 on Fake GPU",
        ),
        (
            LaunchShape::new(1, (32, 33)),
            "threads per block is 1056, allowed are 1 to 1024 on Fake GPU",
        ),
        (
            LaunchShape::new(1, (1, 1, 65)),
            "threads per block in z is 65, allowed are 1 to 64 on Fake GPU",
        ),
        (
            LaunchShape::new(0, 1),
            "blocks in x is 0, allowed are 1 to 2147483647 on Fake GPU",
        ),
        (
            LaunchShape::new(u32::MAX, 1),
            "blocks in x is 4294967295, allowed are 1 to 2147483647 on Fake GPU",
        ),
        (
            LaunchShape::new((1, 65_536), 1),
            "blocks in y is 65536, allowed are 1 to 65535 on Fake GPU",
        ),
        (
            LaunchShape::new(1, 1).with_shared(232_449),
            "dynamic shared memory (bytes per block) is 232449, allowed are 0 to 232448 on Fake GPU",
        ),
    ];
    for (shape, expected) in cases {
        let refused = module.launch(kernels::fault, shape, ());
        assert_eq!(sentence(refused), expected);
    }
    assert!(fake.log(&["launch"]).is_empty());
}

#[test]
fn threads_that_cannot_be_counted_are_refused_before_the_launch() {
    let fake = FakeCuda::new(Settings::default());
    let (_device, module) = loaded(&fake);
    // 2^60 blocks of 2^4 threads: every axis is allowed, the product is 2^64.
    let shape = LaunchShape::new((1 << 30, 1 << 15, 1 << 15), 16);
    let expected = "a grid of 1073741824 x 32768 x 32768 blocks of 16 x 1 x 1 threads is too \
                    large, allowed are 1 to 18446744073709551615 threads in all on Fake GPU";
    let refused = module.launch(kernels::fault, shape, ());
    assert_eq!(sentence(refused), expected);
    // SAFETY: refused before the launch.
    let unchecked = unsafe { module.launch_unchecked(kernels::fault, shape, ()) };
    assert_eq!(sentence(unchecked), expected);
    assert!(fake.log(&["launch"]).is_empty());
}

#[test]
fn sizes_beyond_the_kernel_are_refused_before_the_launch() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (_device, module) = loaded(&fake);
    let launch = |shape| module.launch(kernels::bounded, shape, ());
    assert_eq!(
        sentence(launch(LaunchShape::new(2, 257))),
        "threads per block is 257, allowed are 1 to 256 for kernel `bounded` on Fake GPU"
    );
    assert_eq!(
        sentence(launch(LaunchShape::new(2, 32).with_shared(231_425))),
        "dynamic shared memory (bytes per block) is 231425, allowed are 0 to 231424 for kernel `bounded` on Fake GPU"
    );
    assert_eq!(
        sentence(launch(LaunchShape::new(3, 32))),
        "blocks in x is 3, allowed are multiples of 2 for kernel `bounded`, whose clusters need them"
    );
    launch(LaunchShape::new(2, 256))?;
    assert_eq!(fake.log(&["launch"]).len(), 1);
    let attributes = module.attributes("bounded")?;
    assert_eq!(attributes.max_threads_per_block, 256);
    assert_eq!(attributes.static_shared_bytes, 1024);
    assert_eq!(
        (attributes.registers, attributes.local_bytes),
        (Some(40), 0)
    );
    Ok(())
}

#[test]
fn shared_memory_above_48_kib_is_asked_for_once_before_the_launch() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (_device, module) = loaded(&fake);
    for bytes in [49_152, 49_153, 65_536, 65_536, 50_000] {
        let shape = LaunchShape::new(1, 1).with_shared(bytes);
        module.launch(kernels::fault, shape, ()).or_else(|error| {
            // The fake's kernel faults: only the first launch goes through.
            if error.is_context_lost() {
                Ok(())
            } else {
                Err(error)
            }
        })?;
    }
    assert_eq!(
        fake.log(&["set"]),
        ["set fault 8=49153", "set fault 8=65536"]
    );
    Ok(())
}

#[test]
fn an_authors_condition_that_does_not_hold_is_told() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (device, module) = loaded(&fake);
    let input = device.upload(&[1.0f32; 4])?;
    let mut short = device.alloc_zeroed::<f32>(3)?;
    let shape = LaunchShape::new(1, 1);
    let refused = sentence(module.launch(kernels::scale, shape, (&input, &mut short, 1.0)));
    assert!(
        refused.starts_with("kernel `scale` refuses this launch: `out.len() >= input.len()"),
        "{refused}"
    );
    let mut out = device.alloc_zeroed::<f32>(4)?;
    let refused = sentence(module.launch(kernels::scale, shape, (&input, &mut out, 0.0)));
    assert!(refused.contains("`factor != 0.0"), "{refused}");
    assert!(refused.ends_with("` does not hold"), "{refused}");
    assert!(fake.log(&["launch"]).is_empty());
    Ok(())
}

#[test]
fn a_buffer_of_another_device_is_refused_by_the_arguments_name() -> Result<()> {
    let fake = FakeCuda::new(Settings {
        devices: 2,
        ..Settings::default()
    });
    let (device, module) = loaded(&fake);
    let other = Device::open(DeviceChoice::Cuda(Some(1)))?;
    let input = device.upload(&[1.0f32])?;
    let mut foreign = other.alloc_zeroed::<f32>(1)?;
    let shape = LaunchShape::new(1, 1);
    let refused = module.launch(kernels::scale, shape, (&input, &mut foreign, 1.0));
    assert!(
        matches!(&refused, Err(Error::ForeignBuffer { argument, .. }) if argument == "out"),
        "{refused:?}"
    );
    // SAFETY: refused before the launch.
    let refused = unsafe {
        module.launch_unchecked(
            kernels::scale,
            shape,
            (&foreign, &mut device.alloc(1)?, 1.0),
        )
    };
    let said = sentence(refused);
    let start = "argument `input` of kernel `scale` is a buffer of another device (Fake GPU, opened as number ";
    assert!(said.starts_with(start), "{said}");
    assert!(said.contains("), the kernel runs on Fake GPU"), "{said}");
    assert!(foreign.copy_from_buffer(&input).is_err());
    assert!(fake.log(&["launch"]).is_empty());
    Ok(())
}

#[test]
fn a_launcher_built_from_another_source_is_refused() {
    let fake = FakeCuda::new(Settings::default());
    let (_device, module) = loaded(&fake);
    let shape = LaunchShape::new(1, 1);
    assert_eq!(
        sentence(module.launch(kernels::changed, shape, (1u32,))),
        "kernel `changed` of the artifact has the parameters (n: u64), this program was built \
         for (n: u32); build both from the same source"
    );
    let resized = sentence(module.launch(kernels::resized, shape, (kernels::Pair(1, 2),)));
    assert!(
        resized.contains("bytes: [16]") && resized.contains("bytes: [8]"),
        "{resized}"
    );
    assert_eq!(
        sentence(module.launch(kernels::absent, shape, ())),
        "the module has no kernel `absent`: build the artifact again, or load that of the crate \
         which defines the kernel; quadscan's own kernels need its feature `scan`, `reduce`, `select` or \
         `integrate`, and `kernels` is all four"
    );
}

#[test]
fn ptx_without_a_manifest_has_unchecked_launches_only() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let module = fake.open().load_ptx(&fake_cuda::ptx("sm_90", "8.0"))?;
    let shape = LaunchShape::new(1, 1);
    let refused = sentence(module.launch(kernels::fault, shape, ()));
    assert_eq!(
        refused,
        "kernel `fault` was loaded without a manifest, so its parameters cannot be checked; \
         use `launch_unchecked`"
    );
    // SAFETY: the fake's kernel takes no parameters.
    unsafe { module.launch_unchecked(kernels::fault, shape, ()) }
}

#[test]
fn a_kernel_that_faults_loses_the_context_with_the_drivers_code() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (device, module) = loaded(&fake);
    let buffer = device.upload(&[1u8])?;
    module.launch(kernels::fault, LaunchShape::new(1, 1), ())?;
    let error = device.synchronize().expect_err("the kernel faulted");
    assert!(error.is_context_lost());
    assert!(error.is_context_lost());
    assert_eq!(
        error.to_string(),
        "cuStreamSynchronize failed with CUDA_ERROR_ILLEGAL_ADDRESS (700): \
         an illegal memory access was encountered"
    );
    assert!(buffer.to_vec().is_err_and(|error| error.is_context_lost()));
    drop(buffer);
    assert_eq!(fake.live_allocations(), 0);
    Ok(())
}

#[test]
fn launches_that_were_refused_are_not_among_those_that_were_made() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (device, module) = loaded(&fake);
    let input = device.upload(&[1.0f32; 4])?;
    let mut out = device.alloc_zeroed::<f32>(4)?;
    let shape = LaunchShape::new(1, 1);
    let scale = |out: &mut _| module.launch(kernels::scale, shape, (&input, out, 1.0));
    // Refused before the driver is asked: by the author's condition.
    let refused = module.launch(kernels::scale, shape, (&input, &mut out, 0.0));
    assert!(refused.is_err() && module.take_launched().is_empty());
    scale(&mut out)?;
    assert_eq!(module.take_launched(), ["scale"]);
    // Refused by the driver, which lost the context.
    module.launch(kernels::fault, shape, ())?;
    assert!(scale(&mut out).is_err());
    // SAFETY: the driver refuses every launch by now.
    assert!(unsafe { module.launch_raw("absent", shape, &[]) }.is_err());
    assert_eq!(module.take_launched(), ["fault"]);
    Ok(())
}

#[test]
fn events_measure_the_work_between_them() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (device, module) = loaded(&fake);
    let (start, end) = (device.event()?, device.event()?);
    assert!(Event::elapsed_ms(&start, &end).is_err(), "not recorded yet");
    start.record()?;
    for _ in 0..3 {
        module.launch(kernels::bounded, LaunchShape::new(2, 1), ())?;
    }
    end.record()?;
    assert_eq!(Event::elapsed_ms(&start, &end)?, 0.75);
    let foreign = fake.open().event()?;
    assert!(matches!(
        Event::elapsed_ms(&start, &foreign),
        Err(Error::ForeignEvent)
    ));
    Ok(())
}

#[test]
fn another_stream_is_on_the_same_clock_and_has_buffers_of_its_own() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (device, module) = loaded(&fake);
    let second = device.another_stream()?;
    // Two streams, and no work on the legacy default one, which would wait for both.
    assert_eq!(fake.log(&["stream"]), ["stream flags=0", "stream flags=0"]);
    let (start, end) = (device.event()?, second.event()?);
    start.record()?;
    module.launch(kernels::bounded, LaunchShape::new(2, 1), ())?;
    end.record()?;
    assert_eq!(Event::elapsed_ms(&start, &end)?, 0.25);
    assert_ne!(device, second);
    let input = second.upload(&[1.0f32])?;
    let mut out = device.alloc::<f32>(1)?;
    let mixed = module.launch(
        kernels::scale,
        LaunchShape::new(1, 1),
        (&input, &mut out, 2.0),
    );
    assert!(mixed.is_err(), "{mixed:?}");
    Ok(())
}

#[test]
fn a_module_is_unloaded_with_its_last_clone() {
    let fake = FakeCuda::new(Settings::default());
    let (_device, module) = loaded(&fake);
    let clone = module.clone();
    drop(module);
    assert!(fake.log(&["unload"]).is_empty());
    drop(clone);
    assert_eq!(fake.log(&["unload"]).len(), 1);
}
