//! Formulas over boxes: they have the bits of the same functions in Rust, and infinite boxes have
//! their integrals.
//!
//! Expected values: the integrands of `tests/kernels`, and closed forms.

use std::f64::consts::{FRAC_PI_4, PI};

use libtest_mimic::Failed;
use quadscan::Error;
use quadscan::device::EMULATOR;
use quadscan::integrate::{
    Adaptive, Cubature, CubatureOptions, Cubed, CubedRegion, Formula, Options, Status,
};
use quadscan_bench::workload::boxes::Boxed;
use quadscan_kernels::cubature::integrand::Parameters;
use quadscan_tests::suite::{Bench, Outcome};
use test_kernels::cubature::CATALOGUE;

fn options(relative: f64) -> CubatureOptions {
    CubatureOptions {
        relative,
        ..CubatureOptions::default()
    }
}

/// One of the seven as a formula, over the unit cube.
fn cube(bench: &Bench, of: &Boxed, dimensions: usize, relative: f64) -> Result<Cubed, Failed> {
    let names = Boxed::variables(dimensions);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let formula = Formula::of_variables(&of.formula(dimensions), &names)?;
    let mut plan = Cubature::of_formula(&bench.module, &formula, options(relative))?;
    Ok(plan.integrate(&vec![(0.0, 1.0); dimensions], &Parameters::default())?)
}

/// In two dimensions, whose terms may be added in either order.
pub(crate) fn formulas_over_boxes_have_the_bits_of_the_same_functions_in_rust(
    bench: &Bench,
) -> Outcome {
    for of in Boxed::ALL {
        let [a, u] = of.axes(2);
        let mut parameters = Parameters::default();
        parameters[0][..2].copy_from_slice(&a);
        parameters[1][..2].copy_from_slice(&u);
        let kernels = CATALOGUE.iter().find(|kernels| kernels.name == of.name);
        let kernels = *kernels.expect("one of the catalogue");
        let mut plan = Cubature::new(&bench.test_kernels()?, kernels, options(1e-6))?;
        let expected = plan.integrate(&[(0.0, 1.0); 2], &parameters)?;
        assert_eq!(cube(bench, of, 2, 1e-6)?, expected, "{}", of.name);
    }
    Ok(())
}

/// In up to ten dimensions where they are not emulated.
pub(crate) fn formulas_over_boxes_have_claims_that_hold(bench: &Bench) -> Outcome {
    let is_emulated = bench.device.properties().kind == EMULATOR;
    for of in Boxed::ALL {
        let shapes = match is_emulated {
            true => vec![(3, 1e-3)],
            false => vec![(3, 1e-9), (of.dimensions, 1e-4)],
        };
        // Ten dimensions of what is smooth and no narrow peak are a second's work.
        let is_smooth = matches!(of.name, "corner_peak" | "power_of_squares");
        let ten = (!is_emulated && is_smooth).then_some((10, 1e-2));
        // Regions of several chunks.
        let four = (is_emulated && of.name == "corner_peak").then_some((4, 1e-3));
        for (dimensions, relative) in shapes.into_iter().chain(ten).chain(four) {
            let found = cube(bench, of, dimensions, relative)?;
            let exact = of.exact(dimensions).expect("a closed form");
            let error = (found.value - exact).abs();
            let what = format!("{}, {dimensions}-D: {found:?}", of.name);
            assert_eq!(found.status, Status::Converged, "{what}");
            assert!(error <= found.error, "{what}, off by {error:e}");
        }
    }
    Ok(())
}

/// A corner that lies across the axes, which the line through the largest point does not see.
pub(crate) fn a_corner_across_the_axes_has_a_claim_that_holds(bench: &Bench) -> Outcome {
    let formula = Formula::of_variables("abs(x - y)", &["x", "y"])?;
    let mut plan = Cubature::of_formula(&bench.module, &formula, options(1e-3))?;
    let found = plan.integrate(&[(0.0, 1.0); 2], &Parameters::default())?;
    assert_eq!(found.status, Status::Converged, "{found:?}");
    assert!((found.value - 1.0 / 3.0).abs() <= found.error, "{found:?}");
    Ok(())
}

/// An integral of a formula of x and y, to 1e-6, with these parameters.
fn integral(
    bench: &Bench,
    text: &str,
    limits: [(f64, f64); 2],
    parameters: &[(&str, f64)],
) -> Result<Cubed, Failed> {
    let formula = Formula::of_variables(text, &["x", "y"])?;
    let (formula, limits) = formula.over_finite_box(&limits)?;
    let parameters = formula.parameters_by_name(parameters)?;
    let mut plan = Cubature::of_formula(&bench.module, &formula, options(1e-6))?;
    Ok(plan.integrate(&limits, &parameters)?)
}

pub(crate) fn infinite_boxes_have_their_integrals(bench: &Bench) -> Outcome {
    let (all, up, down) = (
        (-f64::INFINITY, f64::INFINITY),
        (2.0, f64::INFINITY),
        (-f64::INFINITY, -1.0),
    );
    let bell = "exp(-k*(x^2 + y^2))";
    for (text, limits, exact) in [
        (bell, [all, all], PI / 2.0),
        (bell, [all, (f64::INFINITY, 0.0)], -FRAC_PI_4),
        // e^-k(x - 2) from 2 on is 1 / k, and e^(y + 1) to -1 is 1.
        ("exp(-k*(x - 2) + y + 1)", [up, down], 0.5),
        // 1 / x^2 from 2 on is 1 / 2, and y from 0 to k is k^2 / 2.
        ("y/x^2 + 0*k", [up, (0.0, 2.0)], 1.0),
    ] {
        let found = integral(bench, text, limits, &[("k", 2.0)])?;
        assert_eq!(found.status, Status::Converged, "{text}: {found:?}");
        let error = (found.value - exact).abs();
        assert!(error <= found.error, "{text}: {found:?}, not {exact}");
    }
    Ok(())
}

/// Members that end after different numbers of rounds, more than have places at a time: one of them without a value,
/// and one with a corner across the axes, which is left to the host.
pub(crate) fn a_batch_over_a_box_has_the_bits_of_its_members_alone(bench: &Bench) -> Outcome {
    let formula = Formula::of_variables("abs(x - k - t*y)*exp(-k*y) + ln(j)", &["x", "y"])?;
    let plan = Cubature::of_formula(&bench.module, &formula, options(1e-3))?;
    let mut plan = plan.with_places(2, u64::MAX);
    let cube = [(0.0, 1.0); 2];
    let members = [
        (0.5, 1.0, 0.0),
        (30.0, 2.0, 0.0),
        (0.3, -1.0, 0.0),
        (0.75, 3.0, 0.0),
        (0.2, 1.0, 0.5),
        (0.25, 2.0, 0.0),
        (0.6, 1.0, 0.0),
    ];
    let members =
        members.map(|(k, j, t)| formula.parameters_by_name(&[("k", k), ("j", j), ("t", t)]));
    let members = members
        .into_iter()
        .collect::<quadscan::Result<Vec<Parameters>>>()?;
    let found = plan.integrate_each(&cube, &members)?;
    for (member, found) in members.iter().zip(&found) {
        let (alone, regions) = plan.integrate_with_regions(&cube, member)?;
        if found.status == Status::NotFinite {
            assert_eq!(
                (found.status, found.evaluations),
                (alone.status, alone.evaluations)
            );
            continue;
        }
        assert_eq!(alone, *found);
        let area = |of: &CubedRegion| {
            of.limits
                .iter()
                .map(|(from, to)| to - from)
                .product::<f64>()
        };
        assert_eq!(regions.len(), alone.regions);
        assert!((regions.iter().map(area).sum::<f64>() - 1.0).abs() < 1e-15);
        let value: f64 = regions.iter().map(|of| of.value).sum();
        assert!((value - alone.value).abs() < 1e-14);
    }
    let not_finite: Vec<bool> = found
        .iter()
        .map(|of| of.status == Status::NotFinite)
        .collect();
    assert_eq!(not_finite, [false, false, true, false, false, false, false]);
    assert_eq!(plan.integrate_each(&cube, &[])?, []);
    Ok(())
}

/// A cone that no node sees, and no line of a first look.
pub(crate) fn a_narrow_cone_on_a_background_is_seen(bench: &Bench) -> Outcome {
    let text = "1 + 100*max(0, 0.05 - sqrt((x - 0.59)^2 + (y - 0.31)^2))";
    let formula = Formula::of_variables(text, &["x", "y"])?;
    let mut plan = Cubature::of_formula(&bench.module, &formula, options(1e-2))?;
    let found = plan.integrate(&[(0.0, 1.0); 2], &Parameters::default())?;
    let exact = 1.0 + 100.0 * PI * 0.05_f64.powi(3) / 3.0;
    assert_eq!(found.status, Status::Converged, "{found:?}");
    assert!(
        (found.value - exact).abs() <= found.error,
        "{found:?}, not {exact}"
    );
    Ok(())
}

/// Eight parameters, each with a weight of its own, and variables in their own order.
pub(crate) fn variables_and_parameters_are_known_by_their_names(bench: &Bench) -> Outcome {
    let text = "x + 10*y + a + 2*b + 4*c + 8*d + 16*f + 32*g + 64*h + 128*i";
    let names = ["i", "h", "g", "f", "d", "c", "b", "a"];
    let given = names.map(|name| (name, 1.0));
    let found = integral(bench, text, [(0.0, 1.0), (0.0, 2.0)], &given)?;
    // Of x 1, of y 20, and the parameters' 255 on an area of 2.
    assert!((found.value - 531.0).abs() <= found.error, "{found:?}");
    Ok(())
}

pub(crate) fn formulas_of_boxes_and_of_intervals_are_not_taken_for_each_other(
    bench: &Bench,
) -> Outcome {
    let refused = |error: Error, sentence: &str| {
        let said = error.to_string();
        assert_eq!(said, sentence);
    };
    let (of_x, of_box) = (
        Formula::parse("x")?,
        Formula::of_variables("x*y", &["x", "y"])?,
    );
    refused(
        Cubature::of_formula(&bench.module, &of_x, options(1e-3)).unwrap_err(),
        "formula has no variables of a box, allowed are those of Formula::of_variables",
    );
    refused(
        Adaptive::<f64>::of_formula(&bench.module, &of_box, Options::default()).unwrap_err(),
        "formula has variables of a box, allowed are those of Formula::parse",
    );
    let mut plan = Cubature::of_formula(&bench.module, &of_box, options(1e-3))?;
    refused(
        plan.integrate(&[(0.0, 1.0); 3], &Parameters::default())
            .unwrap_err(),
        "limits are 3, the formula has 2 variables",
    );
    Ok(())
}
