//! When each part of an artifact is loaded, and what becomes of one that cannot be.

use cuda_std::launch::LaunchShape;
use quadscan::device::{Artifact, Device, DeviceChoice, Module};
use quadscan::{Error, Result};

use crate::fake_cuda::{
    BOTH, FakeCuda, Settings, artifact, kernel, read, write_artifact, write_manifest, write_module,
};
use crate::{kernels, sentence};

fn one() -> LaunchShape {
    LaunchShape::new(1, 1)
}

fn loaded(fake: &FakeCuda) -> (Device, Module) {
    let device = fake.open();
    let module = device.load(&artifact(BOTH)).expect("it loads");
    (device, module)
}

#[test]
fn a_part_is_loaded_when_a_kernel_of_it_is_first_used_and_once() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (device, module) = loaded(&fake);
    assert_eq!(fake.log(&["load"]), ["load // sm_90"]);
    module.launch(kernels::in_extra, one(), ())?;
    module.launch(kernels::in_extra, one(), ())?;
    assert_eq!(module.attributes("in_extra")?.max_threads_per_block, 1024);
    assert_eq!(
        fake.log(&["load"]),
        ["load // sm_90", "load // sm_90 extra"]
    );
    drop((module, device));
    assert_eq!(fake.log(&["unload"]).len(), 2);
    Ok(())
}

#[test]
fn threads_that_use_a_part_at_once_load_it_once() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (_device, module) = loaded(&fake);
    let start = std::sync::Barrier::new(8);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                start.wait();
                module
                    .launch(kernels::in_extra, one(), ())
                    .expect("a launch");
            });
        }
    });
    assert_eq!(fake.log(&["load // sm_90 extra"]).len(), 1);
    assert_eq!(fake.log(&["launch in_extra"]).len(), 8);
    Ok(())
}

#[test]
fn a_part_that_does_not_load_is_the_launchs_error_and_the_others_go_on() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (_device, module) = loaded(&fake);
    for _ in 0..2 {
        assert_eq!(
            sentence(module.launch(kernels::in_broken, one(), ())),
            "the driver cannot load fake.broken.sm_90.ptx: CUDA_ERROR_INVALID_PTX (218): \
             ptxas fatal   : Unexpected symbol; ptxas fatal   : Ptx assembly aborted"
        );
    }
    module.launch(kernels::in_extra, one(), ())
}

#[test]
fn a_part_has_to_be_loaded_before_a_recording() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (device, module) = loaded(&fake);
    let record = || device.capture(|| module.launch(kernels::in_extra, one(), ()));
    let refused = record();
    assert!(matches!(&refused, Err(Error::NotPrepared { part, .. }) if part == "extra"));
    assert_eq!(
        sentence(refused),
        "kernel `in_extra` is in the part `extra`, which is not loaded yet and cannot be while \
         a graph is recorded; call `Module::prepare(&[\"in_extra\"])` before"
    );
    assert_eq!(fake.log(&["load"]).len(), 1);
    module.prepare(&["scale", "in_extra"])?;
    assert_eq!(fake.log(&["load"]).len(), 2);
    record()?.launch()?;
    assert_eq!(fake.log(&["launch in_extra"]).len(), 1);
    Ok(())
}

#[test]
fn preparing_an_unknown_kernel_names_it() {
    let fake = FakeCuda::new(Settings::default());
    let (_device, module) = loaded(&fake);
    let refused = sentence(module.prepare(&["in_extra", "nothing"]));
    assert!(
        refused.starts_with("the module has no kernel `nothing`: "),
        "{refused}"
    );
}

#[test]
fn another_threads_recording_refuses_the_load_and_leaves_it_for_later() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (device, module) = loaded(&fake);
    device.capture(|| {
        let elsewhere = std::thread::scope(|scope| {
            let launch = || module.launch(kernels::in_extra, one(), ());
            scope.spawn(launch).join().expect("no panic")
        });
        assert!(matches!(elsewhere, Err(Error::Recording { .. })));
        Ok(())
    })?;
    module.launch(kernels::in_extra, one(), ())
}

#[test]
fn the_emulator_reads_the_parts_that_are_used() -> Result<()> {
    let text = |entry: &str, rest: &str| {
        format!(
            ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry {entry}()\n{{\n{rest}\tret;\n}}\n"
        )
    };
    let folder = tempfile::tempdir().expect("a folder");
    let parts = [
        ("main", text("absent", ""), [kernel("absent")].into()),
        ("extra", text("in_extra", ""), [kernel("in_extra")].into()),
        (
            "broken",
            text("in_broken", "\tfancy.b32 %r1;\n"),
            [kernel("in_broken")].into(),
        ),
    ];
    write_manifest(
        folder.path(),
        &[write_module(folder.path(), ("sm_75", "8.0"), &parts)],
    );
    let device = Device::open(DeviceChoice::Emulator { schedule: None })?;
    let module = device.load(&read(folder.path())?)?;
    let unprepared = device.capture(|| module.launch(kernels::in_extra, one(), ()));
    assert!(matches!(unprepared, Err(Error::NotPrepared { .. })));
    module.launch(kernels::absent, one(), ())?;
    module.launch(kernels::in_extra, one(), ())?;
    let refused = sentence(module.launch(kernels::in_broken, one(), ()));
    assert!(
        refused.starts_with("the emulator cannot load fake.broken.sm_75.ptx: "),
        "{refused}"
    );
    device
        .capture(|| module.launch(kernels::in_extra, one(), ()))?
        .launch()
}

#[test]
fn of_parts_that_are_not_asked_for_nothing_is_read() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder");
    write_artifact(folder.path(), BOTH);
    let damage = |file: &str| std::fs::write(folder.path().join(file), "damaged").expect("written");
    // SAFETY: the kernels are the fake driver's.
    let some = || unsafe { Artifact::read_parts(folder.path(), &["extra"]) };
    damage("fake.broken.sm_90.ptx");
    let names: Vec<String> = some()?.parts().map(|part| part.part.name.clone()).collect();
    assert_eq!(names, ["main", "extra", "main", "extra"]);
    assert!(sentence(read(folder.path())).contains("fake.broken.sm_90.ptx is corrupt"));
    damage("fake.extra.sm_90.ptx");
    assert!(sentence(some()).contains("fake.extra.sm_90.ptx is corrupt"));
    Ok(())
}
