//! The kernels that misbehave on purpose.

use std::time::{Duration, Instant};

use quadscan::device::LaunchShape;
use quadscan::device::emulator::Settings;
use quadscan_kernels::diagnostics::{fault, hang};
use quadscan_tests::suite::{Bench, Outcome};

pub(crate) fn hang_spins_as_long_as_it_was_told(bench: &Bench) -> Outcome {
    let told = Duration::from_millis(20);
    let nanoseconds = told.as_nanos() as u64;
    let mut spent = bench.device.alloc_zeroed::<u64>(1)?;
    let start = Instant::now();
    bench
        .module
        .launch(hang, LaunchShape::new(1, 1), (nanoseconds, &mut spent))?;
    let spent = spent.to_vec()?[0];
    assert!(spent >= nanoseconds, "spun {spent} ns");
    // The device's own clock may tick in steps of a microsecond or so.
    assert!(
        start.elapsed() + Duration::from_millis(2) >= told,
        "it came back early"
    );
    Ok(())
}

/// On an emulated device of its own: it would take another one from the tests after it. How a
/// fault becomes a failed row is the command line's to show, in a child process.
pub(crate) fn the_kernel_fault_ends_its_device(bench: &Bench) -> Outcome {
    bench.module.attributes("fault")?;
    let Bench { device, module, .. } = bench.emulated(Settings::default())?;
    let shape = LaunchShape::new(1, 1);
    // SAFETY: the device refuses the store, and is used no more.
    let launched = unsafe { module.launch_unchecked(fault, shape, (0x40_u64, 1_u32)) };
    let said = launched.and_then(|()| device.synchronize());
    let said = said.expect_err("no allocation has the address").to_string();
    assert!(said.contains("`fault`") && said.contains("0x40"), "{said}");
    assert!(device.alloc::<u32>(1).is_err(), "the device goes on");
    Ok(())
}

/// An instruction that no GPU has, as inline assembly could bring it.
const UNKNOWN: &str = "\
.version 7.0
.target sm_75
.address_size 64
.visible .entry k()
{
\t.reg .b32 %r<3>;
\t.loc\t1 7 9
\twibble.u32 %r1, 2;
\tret;
}
.file\t1 \"src/kernels.rs\"
";

/// Too much of what a block has, which the driver's compiler alone counts.
const TOO_LARGE: &str = "\
.version 7.0
.target sm_75
.address_size 64
.shared .align 4 .b8 tile[262144];
.visible .entry k()
{
\t.reg .b32 %r<3>;
\tld.shared.u32 %r1, [tile];
\tret;
}
";

pub(crate) fn ptx_that_cannot_run_is_refused_in_one_sentence_and_the_device_goes_on(
    bench: &Bench,
) -> Outcome {
    // A driver compiles what it loads; the emulator, what is looked up.
    let refused = |text| {
        let loaded = bench.device.load_ptx(text);
        let known = loaded.and_then(|module| module.attributes("k"));
        let error = known.expect_err("it can run");
        assert!(!error.is_context_lost());
        error.to_string()
    };
    let said = refused(UNKNOWN);
    assert!(said.contains("wibble"), "{said}");
    assert!(said.contains("src/kernels.rs:7"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    let said = refused(TOO_LARGE);
    assert!(said.contains("shared"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert_eq!(bench.device.upload(&[7_u32])?.to_vec()?, [7]);
    Ok(())
}
