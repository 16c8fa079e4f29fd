//! The algorithms beside each other: each is asked for by its name, and each combines in
//! the order that it states. That all of them scan right at every size, address and kind
//! of scan is said in `scan`, which goes through all that the module has.

mod association;

use quadscan::scan::{Algorithm, Compose, Identity, Options, Plan, ScanKernels, Sum};
use quadscan_kernels::scan::scratch::GROUP;
use quadscan_kernels::scan::sizes::BLELLOCH_TILE;
use quadscan_tests::oracle::scan as oracle;
use quadscan_tests::probes::operands::Random;
use quadscan_tests::suite::{Bench, Outcome};
use std::fmt::Debug;

use crate::scan::sample::{Same, Sample, compare, samples};
use crate::scan::{by, check, kernels};

pub(crate) use association::{
    groups_of_tiles_are_combined_in_the_stated_order,
    results_have_the_bits_of_the_stated_association, the_naive_scan_has_the_bits_of_its_passes,
};

/// A plan for `n` elements by the algorithm of this name.
fn named<O: ScanKernels>(bench: &Bench, name: &str, n: u64) -> quadscan::Result<Plan<O>> {
    let algorithm = name.parse().ok();
    assert!(algorithm.is_some(), "{name}");
    let options = Options {
        algorithm,
        ..Options::default()
    };
    Plan::with(&bench.module, n, options)
}

/// The part `textbook` and those of these operators have kernels of all algorithms.
pub(crate) fn every_algorithm_is_asked_for_by_its_name(bench: &Bench) -> Outcome {
    fn of<O: ScanKernels>(bench: &Bench, name: &str) -> quadscan::Result<Option<Algorithm>> {
        Ok(named::<O>(bench, name, 1)?.algorithm_for(1))
    }
    let can_look_ahead = bench.device.properties().compute_capability >= (9, 0);
    for algorithm in Algorithm::ALL {
        let name = algorithm.name();
        if algorithm == Algorithm::LookAhead && !can_look_ahead {
            continue;
        }
        let found = [
            of::<Sum<u32>>(bench, name)?,
            of::<Compose>(bench, name)?,
            // The bits of sums of signed integers are those of unsigned ones.
            of::<Sum<i32>>(bench, name)?,
        ];
        assert_eq!(found, [Some(algorithm); 3], "{name}");
    }
    Ok(())
}

pub(crate) fn an_algorithm_that_an_operator_lacks_is_refused_with_those_it_has(
    bench: &Bench,
) -> Outcome {
    let Err(error) = named::<Sum<u8>>(bench, "blelloch", 1) else {
        panic!("it was not refused");
    };
    let kernels = kernels::<Sum<u8>>(&bench.module).map(|kernel| kernel.algorithm.name());
    let there: Vec<&str> = kernels.collect();
    assert!(there.starts_with(&["one_block", "one_wave_small", "one_wave"]));
    let expected = format!(
        "algorithm is blelloch, allowed are {} for sum_u8 on {}",
        there.join(", "),
        bench.device.properties().name
    );
    assert_eq!(error.to_string(), expected);
    Ok(())
}

/// The host has to know how often these are launched.
pub(crate) fn a_number_on_the_device_is_refused_where_launches_depend_on_it(
    bench: &Bench,
) -> Outcome {
    let mut data = bench.device.upload(&[1u32; 4])?;
    let count = bench.device.upload(&[3u64])?;
    for name in ["hillis_steele", "blelloch"] {
        let mut plan = named::<Sum<u32>>(bench, name, 4)?;
        let refused = plan.counted(&count).inclusive_in_place(&mut data);
        let expected = format!(
            "count is on the device, and the launches of {name} depend on it: allowed are other algorithms"
        );
        assert_eq!(refused.map_err(|error| error.to_string()), Err(expected));
    }
    assert_eq!(data.to_vec()?, [1; 4]);
    Ok(())
}

/// Three levels: the second has more elements than a tile.
pub(crate) fn trees_of_several_levels_are_scanned(bench: &Bench) -> Outcome {
    fn of<O>(bench: &Bench) -> Outcome
    where
        O: ScanKernels + Identity,
        O::Input: Sample,
        O::Output: Same + Debug,
    {
        let n = BLELLOCH_TILE * (BLELLOCH_TILE + 2) + 5;
        let mut plan = named::<O>(bench, "blelloch", n)?;
        check(&mut plan, &bench.device, n as usize)
    }
    of::<Sum<u32>>(bench)?;
    of::<Compose>(bench)
}

/// More tiles than a warp looks back at in one go, and than two groups have.
pub(crate) fn many_tiles_keep_the_order_of_elements_that_do_not_commute(bench: &Bench) -> Outcome {
    for kernel in kernels::<Compose>(&bench.module) {
        // The trees' levels are above, and passes are the same at every distance.
        if matches!(
            kernel.algorithm,
            Algorithm::OneBlock | Algorithm::HillisSteele | Algorithm::Blelloch
        ) {
            continue;
        }
        // As many blocks as are there at once in any case.
        let tiles = match kernel.algorithm.is_one_wave() {
            true => u64::from(bench.device.properties().sm_count),
            false => 2 * GROUP + 4,
        };
        let n = (tiles - 1) * kernel.tile + 1;
        let mut plan = Plan::<Compose>::with(&bench.module, n, by(kernel.algorithm))?;
        let elements: Vec<_> = samples(n as usize, &mut Random::new(n));
        let input = bench.device.upload(&elements)?;
        let mut output = bench.device.alloc_zeroed(n as usize)?;
        let initial = Sample::sample(&mut Random::new(1));
        plan.exclusive_with(initial, &input, &mut output)?;
        let expected = oracle::exclusive::<Compose>(initial, &elements);
        compare(&output.to_vec()?, &expected, kernel.entry);
    }
    Ok(())
}
