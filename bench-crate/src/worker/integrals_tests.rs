//! Batches on the emulator, which has no times: what is compared, and what is wrong.

use super::*;
use quadscan::device::{Device, DeviceChoice};
use quadscan::integrate::OUT_OF_INTERVALS;

fn module() -> Module {
    let emulator = DeviceChoice::Emulator { schedule: None };
    let loaded = Device::open(emulator)
        .and_then(|device| Ok((device, crate::modules::ours()?)))
        .and_then(|(device, artifact)| device.load(&artifact));
    loaded.unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn every_kind_converges_by_its_methods_in_both_types() {
    let module = module();
    for kind in Kind::ALL {
        for method in kind.methods {
            for (element, tolerance) in [(Element::F64, 1e-10), (Element::F32, 1e-5)] {
                let task = Task::Integrals {
                    kind: kind.name.to_owned(),
                    rule: method.name().to_owned(),
                    element,
                    items: 67,
                    tolerance,
                };
                let job = Job {
                    id: 1,
                    task,
                    repeat: None,
                    peer: None,
                    checked: false,
                    untimed: false,
                    cold: false,
                };
                let reading = measure(&module, &job).unwrap_or_else(|e| panic!("{e}"));
                assert_eq!(reading.wrong, None);
                let batch = reading.integrals.unwrap_or_default();
                assert_eq!(
                    (batch.converged, batch.unconverged),
                    (67, 0),
                    "{}",
                    kind.name
                );
                assert!(batch.evaluations >= 15.0 && batch.largest_error.is_some());
                assert!(reading.kernel.is_none());
            }
        }
    }
}

#[test]
fn an_item_that_converged_and_is_off_is_wrong_and_one_that_says_so_is_not() {
    let asked = Asked {
        kind: &Kind::ALL[0],
        method: Method::G7K15,
        items: 3,
        tolerance: 1e-3,
    };
    let outcome = |value: f64, status| Outcome {
        value,
        evaluations: 20,
        status,
        ..Outcome::zeroed()
    };
    // With a = 1 the integral is 1/2, and a tolerance 1/2000.
    let right = outcome(0.5 + 2.5e-3, CONVERGED);
    let given_up = outcome(0.7, OUT_OF_INTERVALS);
    let judge = |third: Outcome<f64>| {
        let outcomes = [right, given_up, third];
        judged(&asked, [1.0, 1.0, 1.0].into_iter().zip(&outcomes))
    };
    let (batch, wrong) = judge(given_up);
    assert_eq!((batch.converged, batch.unconverged, wrong), (1, 2, None));
    assert_eq!(batch.evaluations, 20.0);
    assert!(
        batch
            .largest_error
            .is_some_and(|error| (error - 5.0).abs() < 1e-9)
    );

    let (_, wrong) = judge(outcome(0.5 + 6e-3, CONVERGED));
    let sentence = "smooth by g7k15: 5.06e-1 for a = 1, where 5e-1 is right: 12.0 tolerances, \
                    and 10 are allowed";
    assert_eq!(wrong.as_deref(), Some(sentence));
    let outcomes = [given_up, given_up];
    let (_, wrong) = judged(&asked, [1.0, 1.0].into_iter().zip(&outcomes));
    let sentence = "smooth by g7k15: none of 2 items converged";
    assert_eq!(wrong.as_deref(), Some(sentence));

    let (batch, wrong) = judge(outcome(f64::NAN, CONVERGED));
    assert!(wrong.is_some() && batch.largest_error.is_none());
}
