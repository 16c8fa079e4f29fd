//! The kernels that misbehave on purpose.

use std::time::{Duration, Instant};

use cuda_std::launch::{Kernel, ParameterKind};
use quadscan::device::LaunchShape;
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

/// Launching it would take the device from the tests after it: how a fault
/// becomes a failed row is the command line's to show, in a child process.
pub(crate) fn the_kernel_fault_is_in_the_module(bench: &Bench) -> Outcome {
    fn name_and_kinds<K: Kernel>(_: K) -> (&'static str, Vec<ParameterKind>) {
        (
            K::NAME,
            K::PARAMETERS
                .iter()
                .map(|parameter| parameter.kind)
                .collect(),
        )
    }
    let (name, kinds) = name_and_kinds(fault);
    assert_eq!(kinds, [ParameterKind::Value; 2]);
    bench.module.attributes(name)?;
    Ok(())
}
