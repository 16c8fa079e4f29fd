//! Scans, reductions and integrals of an application's own, with none of quadscan's kernels.

use kernels::{Decay, Spread};
use quadscan::Result;
use quadscan::device::{Artifact, Device, DeviceChoice, Module};
use quadscan::integrate::{Adaptive, CONVERGED, Composite, Items, Options, Rule};
use quadscan::reduce;
use quadscan::scan::{Plan, SegmentedPlan};

/// Readings of two stations.
const READINGS: [i32; 8] = [3, 5, -1, 4, 20, 18, 25, 19];

fn main() -> Result<()> {
    let device = Device::open(DeviceChoice::Emulator { schedule: None })?;
    // SAFETY: build.rs made the folder of the crate that `kernels` is.
    let artifact = unsafe { Artifact::read(env!("KERNELS")) }?;
    let module = device.load(&artifact)?;
    arrays(&module)?;
    integrals(&module)?;
    println!("all of it without quadscan's kernels");
    Ok(())
}

/// How far readings lie apart: so far, so far at each station, and in all.
fn arrays(module: &Module) -> Result<()> {
    let device = module.device();
    let readings = device.upload(&READINGS)?;
    let mut spreads = device.alloc::<u32>(READINGS.len())?;
    let mut plan = Plan::<Spread>::new(module, READINGS.len() as u64)?;
    plan.inclusive(&readings, &mut spreads)?;
    assert_eq!(spreads.to_vec()?, [0, 2, 6, 6, 21, 21, 26, 26]);

    let of_stations = [0, 2, 6, 6, 0, 2, 7, 7];
    let mut plan = SegmentedPlan::<Spread>::new(module, READINGS.len() as u64)?;
    let stations = device.upload(b"AAAABBBB")?;
    plan.by_key(&stations).inclusive(&readings, &mut spreads)?;
    assert_eq!(spreads.to_vec()?, of_stations);
    let begins = device.upload(&[1u8, 0, 0, 0, 1, 0, 0, 0])?;
    plan.by_flags(&begins).inclusive(&readings, &mut spreads)?;
    assert_eq!(spreads.to_vec()?, of_stations);
    let offsets = device.upload(&[0u32, 4, 8])?;
    plan.by_offsets(&offsets)
        .inclusive(&readings, &mut spreads)?;
    assert_eq!(spreads.to_vec()?, of_stations);

    let mut spread = device.alloc::<u32>(1)?;
    let mut plan = reduce::Plan::<Spread>::new(module, READINGS.len())?;
    plan.reduce(&readings, &mut spread)?;
    assert_eq!(spread.to_vec()?, [26]);
    let mut spreads = device.alloc::<u32>(2)?;
    let mut plan = reduce::SegmentedPlan::<Spread>::new(module)?;
    plan.reduce(&readings, &offsets, &mut spreads)?;
    assert_eq!(spreads.to_vec()?, [6, 7]);
    Ok(())
}

/// What decays from 0 to 1 at rate 1, and what from 0 on at each of some rates.
fn integrals(module: &Module) -> Result<()> {
    let mut plan = Composite::<f64>::of::<Decay>(module, 1 << 10)?;
    let part = plan.value(Rule::Simpson, 1 << 10, (0.0, 1.0), &[1.0])?;
    assert!((part - (1.0 - (-1.0f64).exp())).abs() < 1e-12, "{part}");

    let rates = [0.5, 1.0, 2.0, 8.0];
    let each = module.device().upload(&rates)?;
    let items = Items::between(0.0, f64::INFINITY).with_each(&each);
    let outcomes = Adaptive::of::<Decay>(module, Options::default())?.outcomes(&items)?;
    assert_eq!(outcomes.len(), rates.len());
    for (outcome, rate) in outcomes.iter().zip(rates) {
        assert_eq!(outcome.status, CONVERGED, "{outcome:?}");
        assert!((outcome.value * rate - 1.0).abs() < 1e-10, "{outcome:?}");
    }
    Ok(())
}
