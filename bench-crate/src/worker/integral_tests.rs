//! One integral on the emulator, which has no times: what is compared, and what is wrong.

use super::*;
use quadscan::device::{Device, DeviceChoice};
use quadscan::integrate::names::rules;

fn module() -> Module {
    let emulator = DeviceChoice::Emulator { schedule: None };
    let loaded = Device::open(emulator)
        .and_then(|device| Ok((device, crate::modules::ours()?)))
        .and_then(|(device, artifact)| device.load(&artifact));
    loaded.unwrap_or_else(|e| panic!("{e}"))
}

fn job(integrand: &str, rule: &str, element: Element, strips: u64) -> Job {
    Job {
        id: 1,
        task: Task::Integral {
            integrand: integrand.to_owned(),
            rule: rule.to_owned(),
            element,
            strips,
        },
        repeat: None,
        peer: None,
        checked: false,
        untimed: false,
        cold: false,
    }
}

#[test]
fn every_integrand_is_right_by_every_rule_in_both_types() {
    let module = module();
    let mut libraries = Libraries::default();
    for single in Single::ALL {
        for rule in rules() {
            for element in [Element::F64, Element::F32] {
                let job = job(single.name, &name_of(rule), element, 1001);
                let reading = measure(&module, &mut libraries, &job);
                let reading = reading.unwrap_or_else(|e| panic!("{e}"));
                assert_eq!(reading.wrong, None);
                let integral = reading.integral.unwrap_or_default();
                assert_eq!(integral.evaluations, evaluations(rule));
                assert!(integral.ulps.is_some_and(|ulps| ulps <= 8), "{integral:?}");
                assert!(reading.kernel.is_none() && reading.peers.is_empty());
            }
        }
    }
}

#[test]
fn a_result_is_wrong_beyond_what_is_promised() {
    let asked = Asked {
        single: &Single::ALL[0],
        rule: Rule::Trapezoid,
        strips: 1 << 20,
    };
    let judge = |found: f64, expected: f64, is_double: bool| {
        if is_double {
            wrong::<f64>(&asked, &compared::<f64>(&asked, found, expected), found)
        } else {
            wrong::<f32>(&asked, &compared::<f32>(&asked, found, expected), found)
        }
    };
    assert_eq!(judge(0.75 + 6e-16, 0.75, true), None);
    assert_eq!(
        judge(0.75 + 8e-16, 0.75, true).as_deref(),
        Some(
            "quarter_circle by trapezoid: 7.500000000000008e-1, where the rule gives 7.5e-1, and \
             1e-15 of it is allowed"
        )
    );
    // An ulp of f32 there is 2^-24.
    let ulp = 2.0_f64.powi(-24);
    assert_eq!(judge(0.75 + ulp, 0.75, false), None);
    let wrong = judge(0.75 + 2.0 * ulp, 0.75, false).unwrap_or_default();
    assert!(wrong.ends_with("and 1 ulp is allowed"), "{wrong}");
    for nothing in [f64::NAN, f64::INFINITY, -0.75] {
        assert!(judge(nothing, 0.75, false).is_some() && judge(nothing, 0.75, true).is_some());
    }
    // Of what is no number a record has none.
    let none = compared::<f64>(&asked, f64::NAN, 0.75);
    assert_eq!(
        (none.value, none.relative_error, none.ulps),
        (None, None, None)
    );
}

#[test]
fn what_the_process_does_not_know_is_an_error_that_names_it() {
    let module = module();
    let mut libraries = Libraries::default();
    let mut said = |job: &Job| {
        let measured = measure(&module, &mut libraries, job);
        measured.map(|_| ()).map_err(|error| error.to_string())
    };
    let sentence = |what: &str| Err(format!("{what} is unknown to the measuring process"));
    let of = |integrand, rule, element| job(integrand, rule, element, 8);
    assert_eq!(
        said(&of("runges", "simpson", Element::F64)),
        sentence("integrand `runges`")
    );
    assert_eq!(
        said(&of("runge", "boole", Element::F64)),
        sentence("rule `boole`")
    );
    assert_eq!(
        said(&of("runge", "simpson", Element::F16)),
        sentence("type `f16`")
    );
}
