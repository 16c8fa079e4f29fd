//! Integrates them, and prints the values.

use kernels::{Arcsine, Sinc};
use quadscan::Result;
use quadscan::device::{Artifact, Device, DeviceChoice};
use quadscan::integrate::{Adaptive, CONVERGED, Items, Options, TanhSinh, TanhSinhOptions};

fn main() -> Result<()> {
    let device = Device::open(DeviceChoice::Auto)?;
    // SAFETY: build.rs made the folder of the crate that `kernels` is.
    let artifact = unsafe { Artifact::read(env!("KERNELS")) }?;
    let module = device.load(&artifact)?;

    let ends = device.upload(&[1.0, 2.0, 10.0])?;
    let items = Items::between(0.0, 0.0).to_each(&ends);
    for outcome in Adaptive::of::<Sinc>(&module, Options::default())?.outcomes(&items)? {
        println!("{:.12} within {:.0e}", outcome.value, outcome.error);
    }

    let one = device.upload(&[1.0])?;
    let items = Items::between(0.0, 1.0).to_each(&one);
    let mut plan = TanhSinh::of::<Arcsine>(&module, TanhSinhOptions::default())?;
    for outcome in plan.outcomes(&items)? {
        assert_eq!(outcome.status, CONVERGED, "{outcome:?}");
        println!("{:.12}", outcome.value);
    }
    Ok(())
}
