//! Launches that ask for more than their shape: what reaches the driver, and what an
//! older one or a smaller GPU gets instead.

use cuda_std::launch::LaunchShape;
use quadscan::Result;
use quadscan::device::{Buffer, Device, LaunchConfig, Module};

use crate::fake_cuda::{self, BOTH, FakeCuda, Settings, artifact};
use crate::{kernels, sentence};

fn loaded(fake: &FakeCuda) -> (Device, Module) {
    let device = fake.open();
    let module = device.load(&artifact(BOTH)).expect("it loads");
    (device, module)
}

fn cooperative(shape: LaunchShape) -> LaunchConfig {
    LaunchConfig::new(shape).cooperative()
}

fn programmatic(config: impl Into<LaunchConfig>) -> LaunchConfig {
    // SAFETY: the fake's kernels run one after the other.
    unsafe { config.into().programmatic() }
}

/// Launches `scale` each way that there is, and checks what it computes.
fn launch_each_way(module: &Module, input: &Buffer<f32>, out: &mut Buffer<f32>) -> Result<()> {
    let shape = LaunchShape::new((2, 3), 64);
    module.launch(kernels::scale, shape, (input, &mut *out, 2.0))?;
    let together = cooperative(shape);
    module.launch(kernels::scale, together, (input, &mut *out, 2.0))?;
    // SAFETY: the contract of `scale` holds.
    unsafe {
        let early = programmatic(shape);
        module.launch_unchecked(kernels::scale, early, (input, &mut *out, 2.0))?;
    }
    let both = programmatic(together);
    module.launch(kernels::scale, both, (input, &mut *out, 2.0))
}

/// The logged launches, without what they have in common.
fn attributes(fake: &FakeCuda) -> Vec<String> {
    let common = "launch scale grid=2,3,1 block=64,1,1 shared=0 stream=0x2000";
    let lines = fake.log(&["launch"]);
    let rest = lines.iter().map(|line| line.strip_prefix(common));
    rest.map(|rest| rest.expect("the shape").to_owned())
        .collect()
}

/// `CU_LAUNCH_ATTRIBUTE_COOPERATIVE` is 2,
/// `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION` is 6.
#[test]
fn a_launch_passes_the_attributes_that_it_asks_for_and_computes() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (device, module) = loaded(&fake);
    assert!(device.properties().has_cooperative_launch);
    assert!(device.properties().has_programmatic_launch);
    let input = device.upload(&[1.0f32, 2.0, 3.0])?;
    let mut out = device.alloc_zeroed::<f32>(3)?;
    launch_each_way(&module, &input, &mut out)?;
    assert_eq!(out.to_vec()?, [2.0, 4.0, 6.0]);
    assert_eq!(attributes(&fake), ["", " 2=1", " 6=1", " 2=1 6=1"]);
    Ok(())
}

#[test]
fn recorded_launches_keep_their_attributes() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (device, module) = loaded(&fake);
    let input = device.upload(&[5.0f32])?;
    let mut out = device.alloc_zeroed::<f32>(1)?;
    let graph = device.capture(|| launch_each_way(&module, &input, &mut out))?;
    assert!(attributes(&fake).is_empty());
    graph.launch()?;
    assert_eq!(out.to_vec()?, [10.0]);
    assert_eq!(attributes(&fake), ["", " 2=1", " 6=1", " 2=1 6=1"]);
    Ok(())
}

#[test]
fn an_older_driver_or_gpu_makes_a_programmatic_launch_an_ordinary_one() -> Result<()> {
    // Programmatic launches came with compute capability 9.0, and into graphs with
    // CUDA 12.3; launches with attributes at all with CUDA 11.8.
    for (cuda, capability, expected) in [
        (13_000, [8, 9], ["", " 2=1", "", " 2=1"]),
        (12_020, [9, 0], ["", " 2=1", "", " 2=1"]),
        (11_070, [9, 0], ["", " cooperatively", "", " cooperatively"]),
    ] {
        let fake = FakeCuda::new(Settings {
            cuda,
            capability,
            ..Settings::default()
        });
        let (device, module) = loaded(&fake);
        assert!(!device.properties().has_programmatic_launch);
        let input = device.upload(&[1.5f32])?;
        let mut out = device.alloc_zeroed::<f32>(1)?;
        launch_each_way(&module, &input, &mut out)?;
        assert_eq!(out.to_vec()?, [3.0]);
        assert_eq!(attributes(&fake), expected);
    }
    Ok(())
}

#[test]
fn ptx_that_cannot_wait_for_the_kernel_before_begins_behind_it() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let device = fake.open();
    assert!(device.properties().has_programmatic_launch);
    let module = device.load(&artifact(&[("sm_75", "6.4")]))?;
    let input = device.upload(&[1.5f32])?;
    let mut out = device.alloc_zeroed::<f32>(1)?;
    launch_each_way(&module, &input, &mut out)?;
    assert_eq!(attributes(&fake), ["", " 2=1", "", " 2=1"]);
    Ok(())
}

#[test]
fn a_cooperative_grid_that_is_not_resident_at_once_is_refused_before_the_launch() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (_device, module) = loaded(&fake);
    // 2048 threads on each of 132 SMs.
    assert_eq!(module.resident_blocks("fault", 1024, 0)?, 264);
    assert_eq!(module.resident_blocks("fault", 1024, 100)?, 264);
    assert_eq!(
        fake.log(&["fit"]),
        [
            "fit fault threads=1024 shared=0",
            "fit fault threads=1024 shared=100"
        ]
    );
    let shape = LaunchShape::new((5, 53), 1024).with_shared(16);
    let expected = "blocks that wait for each other is 265, allowed are 1 to 264 each of 1024 \
                    threads and 16 bytes of dynamic shared memory for kernel `fault` on Fake GPU";
    let refused = module.launch(kernels::fault, cooperative(shape), ());
    assert_eq!(sentence(refused), expected);
    // SAFETY: refused before the launch.
    let refused = unsafe { module.launch_raw("fault", cooperative(shape), &[]) };
    assert_eq!(sentence(refused), expected);
    assert!(fake.log(&["launch"]).is_empty());
    module.launch(kernels::fault, cooperative(LaunchShape::new(264, 1024)), ())?;
    assert_eq!(fake.log(&["launch"]).len(), 1);
    Ok(())
}

#[test]
fn shared_memory_above_48_kib_is_asked_for_before_resident_blocks_are_counted() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (_device, module) = loaded(&fake);
    module.resident_blocks("fault", 32, 65_536)?;
    assert_eq!(
        fake.log(&["set", "fit"]),
        ["set fault 8=65536", "fit fault threads=32 shared=65536"]
    );
    Ok(())
}

#[test]
fn resident_blocks_of_what_is_no_block_are_refused() {
    let fake = FakeCuda::new(Settings::default());
    let (_device, module) = loaded(&fake);
    assert_eq!(
        sentence(module.resident_blocks("bounded", 257, 0)),
        "threads per block is 257, allowed are 1 to 256 for kernel `bounded` on Fake GPU"
    );
    assert_eq!(
        sentence(module.resident_blocks("fault", 0, 0)),
        "threads per block is 0, allowed are 1 to 1024 on Fake GPU"
    );
    assert_eq!(
        sentence(module.resident_blocks("absent", 32, 0)),
        "the module has no kernel `absent`: build the artifact again, or load that of the crate \
         which defines the kernel; quadscan's own kernels need its feature `scan`, `reduce`, `select` or \
         `integrate`, and `kernels` is all four"
    );
    // Its clusters are of two blocks, of which there is no half.
    assert!(module.resident_blocks("bounded", 256, 0).is_ok());
}

#[test]
fn a_gpu_without_cooperative_launches_refuses_them() -> Result<()> {
    let fake = FakeCuda::new(Settings {
        capability: [5, 2],
        ..Settings::default()
    });
    let device = fake.open();
    let module = device.load_ptx(&fake_cuda::ptx("sm_52", "6.4"))?;
    assert!(!device.properties().has_cooperative_launch);
    let together = cooperative(LaunchShape::new(1, 32));
    // SAFETY: refused before the launch.
    let refused = unsafe { module.launch_raw("fault", together, &[]) };
    assert_eq!(sentence(refused), "Fake GPU has no cooperative launches");
    assert!(fake.log(&["launch"]).is_empty());
    Ok(())
}
