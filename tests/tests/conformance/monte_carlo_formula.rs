//! Formulas as integrands of random points and lattices.
//!
//! Expected values: the integrands of `tests/kernels`, and closed forms.

use quadscan::device::EMULATOR;
use quadscan::integrate::{
    Cubature, CubatureOptions, Formula, Lattice, LatticeOptions, SamplingStatus, Sobol, Vegas,
    VegasOptions,
};
use quadscan_kernels::monte_carlo::integrand::Parameters;
use quadscan_tests::suite::{Bench, Outcome};
use test_kernels::cubature::GaussianPeak;

/// Of so few evaluations that they can be emulated.
const FEW: VegasOptions = VegasOptions {
    absolute: 0.0,
    relative: 1e-30,
    evaluations: 1 << 9,
    training: 2,
    iterations: 3,
    alpha: 1.0,
    beta: 0.75,
    seed: 5,
};
const FEW_POINTS: LatticeOptions = LatticeOptions {
    absolute: 0.0,
    relative: 1e-3,
    points: 1 << 9,
    replicates: 4,
    seed: 5,
};

pub(crate) fn formulas_have_the_estimates_of_the_same_functions_in_rust(bench: &Bench) -> Outcome {
    let text = "exp(-((a*(x - u))^2 + (b*(y - v))^2))";
    let formula = Formula::of_variables(text, &["x", "y"])?;
    let given = [("a", 5.0), ("b", 2.0), ("u", 0.5), ("v", 0.25)];
    let typed = formula.parameters_by_name(&given)?;
    let mut compiled: Parameters = [[0.0; 32]; 2];
    compiled[0][..2].copy_from_slice(&[5.0, 2.0]);
    compiled[1][..2].copy_from_slice(&[0.5, 0.25]);
    let limits = [(-1.0, 1.0), (2.0, 0.0)];
    let (module, kernels) = (&bench.module, &bench.test_kernels()?);
    let found = Vegas::of_formula(module, &formula, FEW)?.integrate(&limits, &typed)?;
    let expected = Vegas::of::<GaussianPeak>(kernels, FEW)?.integrate(&limits, &compiled)?;
    assert_eq!(found, expected);
    let mut lattice = Lattice::of_formula(module, &formula, FEW_POINTS)?;
    let found = lattice.integrate(&limits, &typed)?;
    let mut lattice = Lattice::of::<GaussianPeak>(kernels, FEW_POINTS)?;
    assert_eq!(found, lattice.integrate(&limits, &compiled)?);
    let mut sobol = Sobol::of_formula(module, &formula, FEW_POINTS)?;
    let found = sobol.integrate(&limits, &typed)?;
    let mut sobol = Sobol::of::<GaussianPeak>(kernels, FEW_POINTS)?;
    assert_eq!(found, sobol.integrate(&limits, &compiled)?);
    Ok(())
}

pub(crate) fn formulas_of_many_variables_have_their_integrals(bench: &Bench) -> Outcome {
    let is_emulated = bench.device.properties().kind == EMULATOR;
    for dimensions in [1, 12, 32] {
        let names: Vec<String> = (0..dimensions).map(|k| format!("r{k}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let sum = names.join(" + ");
        let formula = Formula::of_variables(&format!("exp(-({sum})/{dimensions})"), &names)?;
        let n = f64::from(dimensions);
        let exact = (-n * (-1.0 / n).exp_m1()).powi(dimensions);
        let limits = vec![(0.0, 1.0); names.len()];
        for of in [
            Lattice::of_formula(&bench.module, &formula, FEW_POINTS)?
                .integrate(&limits, &[[0.0; 32]; 2])?,
            Sobol::of_formula(&bench.module, &formula, FEW_POINTS)?
                .integrate(&limits, &[[0.0; 32]; 2])?,
        ] {
            let what = format!("{dimensions}: {of:?}, {exact}");
            assert_eq!(of.status, SamplingStatus::Converged, "{what}");
            assert!((of.value - exact).abs() <= 5.0 * of.sigma, "{what}");
        }
        // The emulator takes seconds for samples of so many axes.
        if is_emulated && dimensions == 32 {
            continue;
        }
        let mut plan = Vegas::of_formula(&bench.module, &formula, FEW)?;
        let of = plan.integrate(&limits, &[[0.0; 32]; 2])?;
        let what = format!("{dimensions}: {of:?}, {exact}");
        assert!((of.value - exact).abs() <= 5.0 * of.sigma, "{what}");
        assert!(of.sigma <= 0.05 * exact, "{what}");
    }
    Ok(())
}

pub(crate) fn formulas_of_random_points_have_the_box_of_their_variables(bench: &Bench) -> Outcome {
    let names: Vec<String> = (0..11).map(|k| format!("r{k}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let formula = Formula::of_variables("r0*r10", &names)?;
    let mut plan = Lattice::of_formula(&bench.module, &formula, FEW_POINTS)?;
    let error = plan.integrate(&[(0.0, 1.0); 10], &[[0.0; 32]; 2]);
    let sentence = "limits are 10, allowed for formula are 11";
    assert_eq!(error.unwrap_err().to_string(), sentence);
    let error = Cubature::of_formula(&bench.module, &formula, CubatureOptions::default());
    let sentence =
        "formula has 11 variables, allowed are up to 10; of up to 32 are Vegas, Lattice and Sobol";
    assert_eq!(
        error.err().map(|error| error.to_string()).as_deref(),
        Some(sentence)
    );
    let of_x = Formula::parse("x")?;
    let error = Vegas::of_formula(&bench.module, &of_x, FEW).err();
    let sentence = "formula has no variables of a box, allowed are those of Formula::of_variables";
    assert_eq!(
        error.map(|error| error.to_string()).as_deref(),
        Some(sentence)
    );
    Ok(())
}
