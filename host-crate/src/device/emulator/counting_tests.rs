//! Counts of kernels whose work is known by hand.

use super::*;
use crate::device::emulator::{Emulator, Settings};
use crate::device::{Actual, Buffer, Device, LaunchShape, Module};
use ptx_emulator::Model;

/// `odd`: the odd threads alone store to data[8 * thread]. `meet`: two steps, each
/// thread loads word 2 * thread and stores it back. `wild`: a store to nowhere.
const PTX: &str = r#".version 8.0
.target sm_75
.address_size 64
.visible .entry odd(.param .u64 data) {
    .reg .b32 %r<3>; .reg .b64 %rd<4>; .reg .pred %p<2>;
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 1;
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra $END;
    ld.param.u64 %rd1, [data];
    mul.wide.u32 %rd2, %r1, 32;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r1;
$END:
    ret;
}
.visible .entry meet() {
    .reg .b32 %r<4>; .shared .align 4 .b8 words[256];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, words;
    mad.lo.u32 %r2, %r1, 8, %r2;
    st.shared.u32 [%r2], %r1;
    bar.sync 0;
    ld.shared.u32 %r3, [%r2];
    ret;
}
.visible .entry wild() {
    .reg .b32 %r<2>; .reg .b64 %rd<2>;
    mov.u64 %rd1, 64;
    st.global.u32 [%rd1], 1;
    ret;
}
"#;

fn opened() -> crate::Result<(Device, LastSteps, Module)> {
    let counting = Counting::default();
    let steps = counting.steps();
    let settings = Settings {
        model: Model {
            memory: 1 << 20,
            ..Model::h200()
        },
        ..Settings::default()
    };
    let device = Device::from_backend(Box::new(Emulator::observed(settings, Box::new(counting))));
    let module = device.load_ptx(PTX)?;
    Ok((device, steps, module))
}

fn launch(module: &Module, kernel: &str, data: Option<&Buffer<u32>>) -> crate::Result<()> {
    let address = data.map(|data| data.address().to_le_bytes());
    let actuals: Vec<Actual<'_>> = address
        .iter()
        .map(|bytes| Actual {
            bytes,
            elements: None,
        })
        .collect();
    // SAFETY: nothing is unsound on the emulator: it checks every access.
    unsafe { module.launch_raw(kernel, LaunchShape::new(1, 32), &actuals) }
}

#[test]
fn lanes_branches_and_sectors_of_all_launches_add_up_and_are_given_once() -> crate::Result<()> {
    let (device, _, module) = opened()?;
    let data = device.alloc_zeroed::<u32>(8 * 32)?;
    let one = Counts {
        // Three and the branch by the warp, four by the odd lanes, the end by both.
        warp_instructions: 9,
        // The branch has the even lanes alone, which take it.
        lane_instructions: Some(3 * 32 + 16 + 4 * 16 + 32),
        divergent_branches: Some(1),
        shared_wavefronts: Some(0),
        ideal_shared_wavefronts: Some(0),
        // A sector a lane; 64 bytes would fit into two.
        global_sectors: Some(16),
        ideal_global_sectors: Some(2),
    };
    launch(&module, "odd", Some(&data))?;
    assert_eq!(device.take_counts(), Some(one));
    assert_eq!(device.take_counts(), Some(Counts::default()));
    launch(&module, "odd", Some(&data))?;
    launch(&module, "odd", Some(&data))?;
    let mut two = one;
    two += one;
    assert_eq!(two.global_sectors, Some(32));
    assert_eq!(two.warp_instructions, 18);
    assert_eq!(device.take_counts(), Some(two));
    Ok(())
}

#[test]
fn the_steps_are_those_of_the_last_launch_and_its_conflicts_are_counted() -> crate::Result<()> {
    let (device, steps, module) = opened()?;
    launch(&module, "meet", None)?;
    // Two lanes meet in every even bank, at the store and at the load.
    let counts = device.take_counts().unwrap_or_default();
    let wavefronts = (counts.shared_wavefronts, counts.ideal_shared_wavefronts);
    assert_eq!(wavefronts, (Some(4), Some(2)));
    let seen = steps.take();
    let loads: Vec<u64> = seen
        .iter()
        .map(|step| step.shared.loads.wavefronts)
        .collect();
    assert_eq!(loads, [0, 2]);
    assert_eq!(steps.take(), []);

    // A launch that fails leaves neither steps nor counts.
    launch(&module, "meet", None)?;
    device.take_counts();
    assert!(launch(&module, "wild", None).is_err());
    assert_eq!(steps.take(), []);
    assert_eq!(device.take_counts(), Some(Counts::default()));
    Ok(())
}

#[test]
fn an_unwatched_emulator_counts_warp_instructions_alone() -> crate::Result<()> {
    let device = Device::from_backend(Box::new(Emulator::new(Settings::default())));
    let module = device.load_ptx(PTX)?;
    launch(&module, "meet", None)?;
    let expected = Counts {
        warp_instructions: 7,
        ..Counts::default()
    };
    assert_eq!(device.take_counts(), Some(expected));
    Ok(())
}
