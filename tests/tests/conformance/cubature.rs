//! Integrals over boxes, regions and degrees adapting.
//!
//! Expected values: the closed forms of `quadscan_bench::oracle::cubature`.

use libtest_mimic::Failed;
use quadscan::Error;
use quadscan::device::EMULATOR;
use quadscan::integrate::{Cubature, CubatureOptions, Cubed, Status};
use quadscan_bench::oracle::cubature::exact;
use quadscan_kernels::cubature::integrand::{IntegrandKernels, Kernels, Parameters};
use quadscan_tests::suite::{Bench, Outcome};
use test_kernels::cubature::{CATALOGUE, Continuous, Discontinuous, PowerOfSquares};

/// An integrand's name, dimensions, and the difficulty and the place of the axis of this number, from 1.
type Case = (&'static str, usize, fn(f64) -> f64, fn(f64) -> f64);

/// The seven of the comparison of PAGANI.
const SEVEN: [Case; 7] = [
    ("oscillatory", 8, |i| i, |_| 0.0),
    ("product_peak", 6, |_| 50.0, |_| 0.5),
    ("corner_peak", 8, |i| i, |_| 0.0),
    ("gaussian_peak", 5, |_| 25.0, |_| 0.5),
    ("continuous", 8, |_| 10.0, |_| 0.5),
    ("discontinuous", 6, |i| i + 4.0, |i| (3.0 + i) / 10.0),
    ("power_of_squares", 8, |_| 1.0, |_| 0.0),
];

fn kernels(name: &str) -> Kernels {
    let found = CATALOGUE.iter().find(|kernels| kernels.name == name);
    *found.expect("one of the catalogue")
}

/// What is asked of axes, as kernels take it.
fn parameters(dimensions: usize, a: impl Fn(f64) -> f64, u: impl Fn(f64) -> f64) -> Parameters {
    let of = |k: usize, number: f64| if k < dimensions { number } else { 0.0 };
    [
        std::array::from_fn(|k| of(k, a((k + 1) as f64))),
        std::array::from_fn(|k| of(k, u((k + 1) as f64))),
    ]
}

fn plan(bench: &Bench, kernels: Kernels, relative: f64) -> Result<Cubature, Failed> {
    let options = CubatureOptions {
        relative,
        regions: 1 << 22,
        ..CubatureOptions::default()
    };
    Ok(Cubature::new(&bench.test_kernels()?, kernels, options)?)
}

/// Err where a claim does not hold, or is not within the tolerance.
fn expect(of: &Cubed, exact: f64, relative: f64, what: &str) {
    let error = (of.value - exact).abs();
    assert_eq!(of.status, Status::Converged, "{what}: {of:?}");
    assert!(error <= of.error, "{what}: {of:?}, off by {error:e}");
    assert!(of.error <= relative * of.value.abs(), "{what}: {of:?}");
}

/// In two dimensions and, where it is not emulated, in all that the seven have; there one of them,
/// which is smooth, in three.
pub(crate) fn claims_of_the_seven_integrands_hold(bench: &Bench) -> Outcome {
    let is_emulated = bench.device.properties().kind == EMULATOR;
    for (name, dimensions, a, u) in SEVEN {
        let shapes: &[(usize, &[i32])] = match (is_emulated, name) {
            (true, "oscillatory") => &[(2, &[3, 7]), (3, &[3])],
            (true, _) => &[(2, &[3, 7])],
            (false, _) => &[
                (2, &[3, 7]),
                (3, &[4]),
                (dimensions, &[3, 4, 5, 6, 7, 8, 9]),
            ],
        };
        for &(dimensions, digits) in shapes {
            let parameters = parameters(dimensions, a, u);
            let [a, u] = parameters;
            let exact = exact(name, &a[..dimensions], &u[..dimensions]).expect("a closed form");
            for &digits in digits {
                let relative = 10_f64.powi(-digits);
                let mut plan = plan(bench, kernels(name), relative)?;
                let of = plan.integrate(&vec![(0.0, 1.0); dimensions], &parameters)?;
                expect(
                    &of,
                    exact,
                    relative,
                    &format!("{name}, {dimensions}-D, {relative:e}"),
                );
            }
        }
    }
    Ok(())
}

/// Cuts that halving would never make.
pub(crate) fn a_jump_or_a_corner_anywhere_is_cut_at(bench: &Bench) -> Outcome {
    let parameters = parameters(2, |_| 1.0, |i| 0.1 + 0.2 * i);
    let [a, u] = parameters.map(|of| [of[0], of[1]]);
    for kernels in [Discontinuous::KERNELS, Continuous::KERNELS] {
        let of = plan(bench, kernels, 1e-11)?.integrate(&[(0.0, 1.0); 2], &parameters)?;
        let exact = exact(kernels.name, &a, &u).expect("a closed form");
        expect(&of, exact, 1e-11, kernels.name);
        assert!(of.regions <= 8, "{}: {of:?}", kernels.name);
    }
    Ok(())
}

pub(crate) fn boxes_go_either_way_and_have_the_same_bits_again(bench: &Bench) -> Outcome {
    let parameters = parameters(2, |_| 1.0, |_| 0.0);
    let mut plan = plan(bench, PowerOfSquares::KERNELS, 1e-6)?;
    let forth = plan.integrate(&[(-1.0, 1.0), (-1.0, 1.0)], &parameters)?;
    let quarter = exact("power_of_squares", &[1.0; 2], &[0.0; 2]).expect("a closed form");
    expect(&forth, 4.0 * quarter, 1e-6, "both sides");
    let back = plan.integrate(&[(-1.0, 1.0), (1.0, -1.0)], &parameters)?;
    assert_eq!((back.value, back.error), (-forth.value, forth.error));
    let around = plan.integrate(&[(1.0, -1.0), (1.0, -1.0)], &parameters)?;
    assert_eq!(around, forth);
    let none = plan.integrate(&[(-1.0, 1.0), (0.5, 0.5)], &parameters)?;
    assert_eq!((none.value, none.error, none.evaluations), (0.0, 0.0, 0));
    Ok(())
}

pub(crate) fn a_box_that_cannot_be_integrated_says_why(bench: &Bench) -> Outcome {
    let cube = [(0.0, 1.0); 2];
    let of = parameters(2, |_| 1000.0, |_| 2.0);
    let infinite = plan(bench, Discontinuous::KERNELS, 1e-6)?.integrate(&cube, &of)?;
    assert_eq!(infinite.status, Status::NotFinite);
    assert!(infinite.value.is_nan() && infinite.error == f64::INFINITY);
    // The volume of the box is no number.
    let tiny = plan(bench, Discontinuous::KERNELS, 1e-6)?.integrate(&[(0.0, 1e-200); 2], &of)?;
    assert_eq!((tiny.status, tiny.evaluations), (Status::NotFinite, 0));
    let of = parameters(2, |_| 3.0, |_| 0.3);
    let value = exact("continuous", &[3.0; 2], &[0.3; 2]).expect("a closed form");
    for (regions, evaluations) in [(1, 1 << 30), (1 << 20, 100)] {
        let options = CubatureOptions {
            regions,
            evaluations,
            ..CubatureOptions::default()
        };
        let mut plan = Cubature::of::<Continuous>(&bench.test_kernels()?, options)?;
        let few = plan.integrate(&cube, &of)?;
        assert_eq!(few.status, Status::OutOfRoom, "{few:?}");
        assert!(
            few.regions <= regions && few.evaluations <= evaluations,
            "{few:?}"
        );
        assert!((few.value - value).abs() <= few.error, "{few:?}, {value}");
    }
    let fine = plan(bench, Continuous::KERNELS, 1e-18)?.integrate(&cube, &of)?;
    assert_eq!(fine.status, Status::Roundoff, "{fine:?}");
    assert!(
        (fine.value - value).abs() <= fine.error,
        "{fine:?}, {value}"
    );
    Ok(())
}

/// In seven dimensions the planes of the box are 3,125: several rows of each chunk, which a team of warps sums. There is
/// no room for another rule.
pub(crate) fn what_is_looked_for_ahead_and_by_teams_has_the_same_bits(bench: &Bench) -> Outcome {
    for (kernels, dimensions) in [(Continuous::KERNELS, 2), (PowerOfSquares::KERNELS, 7)] {
        let options = CubatureOptions {
            relative: 1e-3,
            evaluations: 100_000,
            ..CubatureOptions::default()
        };
        let parameters = parameters(dimensions, |i| i, |i| 0.1 + 0.1 * i);
        let cube = vec![(0.0, 1.0); dimensions];
        let module = bench.test_kernels()?;
        let mut ahead = Cubature::new(&module, kernels, options)?;
        let mut plain = Cubature::new(&module, kernels, options)?.plainly();
        let of = ahead.integrate_with_regions(&cube, &parameters)?;
        let found = plain.integrate_with_regions(&cube, &parameters)?;
        assert_eq!(of, found, "{}", kernels.name);
    }
    Ok(())
}

pub(crate) fn boxes_and_options_that_cannot_be_are_refused(bench: &Bench) -> Outcome {
    let of = parameters(2, |_| 1.0, |_| 0.0);
    let mut right = plan(bench, Continuous::KERNELS, 1e-3)?;
    let refused = |result: quadscan::Result<Cubed>, argument: &str| {
        let is_refused =
            matches!(&result, Err(Error::Argument { argument: name, .. }) if name == argument);
        assert!(is_refused, "{argument}: {result:?}");
    };
    refused(right.integrate(&[(0.0, 1.0)], &of), "limits");
    refused(right.integrate(&[(0.0, 1.0); 11], &of), "limits");
    refused(
        right.integrate(&[(0.0, 1.0), (0.0, f64::INFINITY)], &of),
        "limits",
    );
    refused(
        right.integrate(&[(0.0, 1.0), (f64::NAN, 1.0)], &of),
        "limits",
    );
    refused(
        right.integrate(&[(0.0, 1.0); 2], &[[f64::NAN; 10]; 2]),
        "parameters",
    );
    for (name, relative, regions, evaluations) in [
        ("relative", 0.0, 1, 25),
        ("relative", -1.0, 1, 25),
        ("regions", 1e-3, 0, 25),
        ("evaluations", 1e-3, 1, 0),
    ] {
        let options = CubatureOptions {
            relative,
            regions,
            evaluations,
            ..CubatureOptions::default()
        };
        let plan = Cubature::of::<Continuous>(&bench.test_kernels()?, options);
        let is_refused = matches!(&plan, Err(Error::Argument { argument, .. }) if argument == name);
        assert!(is_refused, "{name}: {plan:?}");
    }
    let options = CubatureOptions {
        evaluations: 24,
        ..CubatureOptions::default()
    };
    let mut few = Cubature::of::<Continuous>(&bench.test_kernels()?, options)?;
    refused(few.integrate(&[(0.0, 1.0); 2], &of), "evaluations");
    Ok(())
}
