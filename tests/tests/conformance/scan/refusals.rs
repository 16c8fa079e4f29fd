//! What is refused, before anything is launched, and in which words.

use quadscan::Error;
use quadscan::device::emulator::Settings;
use quadscan::scan::{Algorithm, Options, Plan, Sum};
use quadscan_tests::suite::{Bench, Outcome};

use super::by;

/// The one sentence of an error.
fn words<T>(result: quadscan::Result<T>) -> String {
    match result {
        Ok(_) => "it was not refused".to_owned(),
        Err(error) => error.to_string(),
    }
}

pub(crate) fn sizes_that_do_not_fit_are_refused_and_nothing_is_written(bench: &Bench) -> Outcome {
    let device = &bench.device;
    let mut plan = Plan::<Sum<u32>>::new(&bench.module, 100)?;
    let input = device.upload(&[1u32; 101])?;
    let mut output = device.alloc_zeroed::<u32>(101)?;
    let short = plan.inclusive(input.slice(..9)?, output.slice_mut(..8)?);
    assert_eq!(
        words(short),
        "output has 8 elements, needed are the input's 9"
    );
    let long = plan.exclusive(&input, &mut output);
    assert_eq!(
        words(long),
        "input has 101 elements, the plan is for up to 100"
    );
    let none = device.alloc::<u64>(0)?;
    let uncounted = plan
        .counted(&none)
        .inclusive(input.slice(..9)?, &mut output);
    assert_eq!(words(uncounted), "count has 0 elements, needed is 1");
    assert_eq!(output.to_vec()?, [0; 101]);
    Ok(())
}

pub(crate) fn plans_that_cannot_be_made_are_refused(bench: &Bench) -> Outcome {
    let module = &bench.module;
    let of = |capacity, options| words(Plan::<Sum<u32>>::with(module, capacity, options));
    let one_block = of(8193, by(Algorithm::OneBlock));
    assert_eq!(
        one_block,
        "capacity is 8193, allowed are up to 8192 elements for this operator, device and algorithm"
    );
    let none = Options {
        max_blocks: Some(0),
        ..Options::default()
    };
    assert_eq!(of(1, none), "max_blocks is 0, allowed are 1 or more");
    let without = bench
        .device
        .load_ptx(".version 6.4\n.target sm_75\n.address_size 64\n")?;
    let plan = Plan::<Sum<u32>>::new(&without, 1);
    assert!(matches!(plan, Err(Error::NoManifest { .. })), "{plan:?}");
    Ok(())
}

pub(crate) fn memory_of_another_device_is_refused(bench: &Bench) -> Outcome {
    let other = bench.emulated(Settings::default())?;
    let mut plan = Plan::<Sum<u32>>::new(&bench.module, 10)?;
    let (mut own, mut foreign) = (
        bench.device.upload(&[1u32; 10])?,
        other.device.upload(&[1u32; 10])?,
    );
    let count = other.device.upload(&[3u64])?;
    let is_foreign = |result: quadscan::Result<()>, name: &str| {
        let Err(Error::ForeignBuffer { argument, .. }) = result else {
            panic!("{name} was not refused: {result:?}");
        };
        assert_eq!(argument, name);
    };
    is_foreign(plan.inclusive(&foreign, &mut own), "input");
    is_foreign(plan.inclusive(&own, &mut foreign), "output");
    is_foreign(plan.inclusive_in_place(&mut foreign), "data");
    is_foreign(plan.counted(&count).inclusive_in_place(&mut own), "count");
    assert_eq!(own.to_vec()?, [1; 10]);
    Ok(())
}
