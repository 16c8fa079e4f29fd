//! Fourier integrals: closed forms, the same bits for every launch, and what is none.

use std::f64::consts::{FRAC_PI_2, PI};

use quadscan::Error;
use quadscan::integrate::{
    Adaptive, CONVERGED, Formula, Fourier, FourierOptions, Items, NO_LIMITS, NOT_FINITE,
    OUT_OF_INTERVALS, Options, Outcome as Integral, ROUNDOFF, Wave,
};
use quadscan_kernels::integrate::catalogue::QuarterCircle;
use quadscan_tests::suite::{Bench, Outcome};

/// A plan of a formula and a wave.
fn plan(bench: &Bench, text: &str, names: &[&str], wave: Wave) -> quadscan::Result<Fourier> {
    let formula = Formula::with_parameters(text, names)?.with_wave()?;
    let options = FourierOptions {
        wave,
        ..FourierOptions::default()
    };
    Fourier::of_formula(&bench.module, &formula, options)
}

/// Outcomes of items with these limits and parameters.
fn outcomes(
    bench: &Bench,
    plan: &mut Fourier,
    items: &[(f64, f64, &[f64])],
) -> quadscan::Result<Vec<Integral<f64>>> {
    let column = |of: fn(&(f64, f64, &[f64])) -> f64| items.iter().map(of).collect::<Vec<_>>();
    let (from, to) = (column(|of| of.0), column(|of| of.1));
    let parameters: Vec<f64> = items.iter().flat_map(|of| of.2).copied().collect();
    let [from, to, parameters] = [from, to, parameters].map(|all| bench.device.upload(&all));
    let (from, to, parameters) = (from?, to?, parameters?);
    let items = Items::between(0.0, 0.0)
        .from_each(&from)
        .to_each(&to)
        .with_each(&parameters);
    plan.outcomes(&items)
}

/// The integral is this one to 1e-10, and its error within the claim.
#[track_caller]
fn is_right(of: &Integral<f64>, exact: f64, what: &str) {
    assert_eq!(of.status, CONVERGED, "{what}: {of:?}, not {exact:e}");
    let off = (of.value - exact).abs();
    assert!(
        off <= of.error && of.error <= 1e-10 * of.value.abs(),
        "{what}: {of:?}, not {exact:e}: off by {off:e}"
    );
}

/// x^p exp(-c x): Gradshteyn and Ryzhik, Table of integrals, 3.944.5 and 3.944.6, and of p = -1
/// arctan(omega / c).
pub(crate) fn powers_that_fall_slowly_have_their_closed_forms(bench: &Bench) -> Outcome {
    let infinite = f64::INFINITY;
    for wave in [Wave::Sine, Wave::Cosine] {
        let mut given = Vec::new();
        for omega in [1e-6, 0.5, -2.0, 30.0, -1e4, 1e6] {
            for (p, c) in [
                (-1.0, 0.0),
                (-0.5, 0.0),
                (-0.9, 0.0),
                (0.0, 0.25),
                (-0.5, 1.0),
                (-1.0, 2.0),
            ] {
                // 1 / x has no integral with a cosine.
                if wave == Wave::Sine || p > -1.0 {
                    given.push([p, c, omega, 0.0]);
                }
            }
        }
        let exact = |&[p, c, omega, _]: &[f64; 4]| {
            let angle = omega.abs().atan2(c);
            let gamma = match p {
                // Of 1/10.
                -0.9 => 9.513_507_698_668_732,
                -0.5 => PI.sqrt(),
                _ => 1.0,
            };
            let size = gamma / c.hypot(omega).powf(p + 1.0);
            match wave {
                Wave::Sine if p == -1.0 => angle * omega.signum(),
                Wave::Sine => size * ((p + 1.0) * angle).sin() * omega.signum(),
                Wave::Cosine => size * ((p + 1.0) * angle).cos(),
            }
        };
        let items: Vec<_> = given.iter().map(|of| (0.0, infinite, &of[..])).collect();
        let mut plan = plan(bench, "pow(x, p)*exp(-c*x)", &["p", "c"], wave)?;
        let all = outcomes(bench, &mut plan, &items)?;
        for (of, given) in all.iter().zip(&given) {
            // Of a fast cosine nearly all cancels.
            let [_, c, omega, _] = *given;
            if wave == Wave::Cosine && c > 0.0 && omega.abs() > 1e3 {
                assert!(
                    (of.value - exact(given)).abs() <= of.error,
                    "{given:?}: {of:?}"
                );
                continue;
            }
            is_right(of, exact(given), &format!("{wave:?} {given:?}"));
        }
    }
    Ok(())
}

/// Of 1 / sqrt(x^2 - 1) from 1 on: pi/2 times J0(omega), and -Y0(omega) (Abramowitz and Stegun, 9.1.24).
pub(crate) fn a_limit_may_be_singular_and_far_from_0(bench: &Bench) -> Outcome {
    let text = "1/sqrt(from_lower*(from_lower + 2))";
    let omegas = [0.5, 1.0, 10.0];
    for (wave, exact) in [
        (
            Wave::Sine,
            [
                0.938_469_807_240_813,
                0.765_197_686_557_966_5,
                -0.245_935_764_451_348_35,
            ],
        ),
        (
            Wave::Cosine,
            [
                0.444_518_733_506_707_07,
                -0.088_256_964_215_676_96,
                -0.055_671_167_283_599_395,
            ],
        ),
    ] {
        // k moves the limit from 1 to 1 + k, and the phase moves the wave with it.
        let mut given = Vec::new();
        for k in [0.0, 1e6] {
            given.extend(omegas.map(|omega| [k, omega, -omega * k]));
        }
        let mut plan = plan(bench, text, &["k"], wave)?;
        let items: Vec<_> = given
            .iter()
            .map(|of| (1.0 + of[0], f64::INFINITY, &of[..]))
            .collect();
        let found = outcomes(bench, &mut plan, &items)?;
        for (of, (given, exact)) in found.iter().zip(given.iter().zip(exact.iter().cycle())) {
            is_right(of, FRAC_PI_2 * exact, &format!("{wave:?} {given:?}"));
        }
    }
    // Of sin y / y from 1 on, y = x - k, which rounding of x moves: pi/2 - Si(1).
    let given = [1e3, 1e8].map(|k| [k, 1.0, -k]);
    let items = [0, 1].map(|k| (1.0 + given[k][0], f64::INFINITY, &given[k][..]));
    let mut plan = plan(bench, "1/(x - k)", &["k"], Wave::Sine)?;
    for of in outcomes(bench, &mut plan, &items)? {
        let off = (of.value - 0.624_713_256_427_713_6).abs();
        assert!(off <= of.error && of.error < 1e-6, "{of:?}: {off:e}");
    }
    // Next to 1 the x alone does not tell how near it is: most of it may be wrong, and is said to be.
    let mut lost = self::plan(bench, "pow(x - 1, -0.9)", &[], Wave::Cosine)?;
    let of = outcomes(bench, &mut lost, &[(1.0, f64::INFINITY, &[1.0, -1.0])])?[0];
    let exact = 9.513_507_698_668_732 * (0.05 * PI).cos();
    assert!(
        (of.value - exact).abs() <= of.error && of.status == ROUNDOFF,
        "{of:?}"
    );
    Ok(())
}

/// Of cos(omega x + p) / (c^2 + x^2): over all x pi/c exp(-c |omega|) cos p. A half has, of a sine
/// without a phase, what the other half has with the other sign.
pub(crate) fn waves_go_to_either_infinity_and_to_both(bench: &Bench) -> Outcome {
    let (all, infinite) = ([0.5, -3.0, 0.7], f64::INFINITY);
    let mut cosine = plan(bench, "1/(c^2 + x^2)", &["c"], Wave::Cosine)?;
    let of = [
        (-infinite, infinite, &all[..]),
        (infinite, -infinite, &all[..]),
        (-infinite, 0.0, &[2.0, 1.0, 0.0][..]),
        (0.0, infinite, &[2.0, -1.0, 0.0][..]),
        (infinite, 0.0, &[2.0, 1.0, 0.0][..]),
        (3.0, 3.0, &all[..]),
    ];
    let found = outcomes(bench, &mut cosine, &of)?;
    let (whole, half) = (
        2.0 * PI * (-1.5_f64).exp() * 0.7_f64.cos(),
        PI / 4.0 * (-2.0_f64).exp(),
    );
    for (of, exact) in found.iter().zip([whole, -whole, half, half, -half]) {
        is_right(of, exact, "cosine");
    }
    assert_eq!(
        (found[5].value, found[5].status, found[5].evaluations),
        (0.0, CONVERGED, 0)
    );
    // From a limit above 0 and from its mirror image: sin(-y) = -sin(y).
    let mut sine = plan(bench, "1/(c^2 + x^2)", &["c"], Wave::Sine)?;
    let of = [
        (0.25, infinite, &[2.0, 3.0, 0.5][..]),
        (-infinite, -0.25, &[2.0, -3.0, 0.5][..]),
        (-infinite, -0.25, &[2.0, 3.0, -0.5][..]),
        (-infinite, infinite, &[2.0, 3.0, FRAC_PI_2][..]),
    ];
    let found = outcomes(bench, &mut sine, &of)?;
    assert_eq!(found[0].value, found[1].value);
    assert_eq!(found[0].value, -found[2].value);
    is_right(&found[3], FRAC_PI_2 * (-6.0_f64).exp(), "sine");
    Ok(())
}

pub(crate) fn a_fourier_integral_does_not_depend_on_the_batch_or_the_launch(
    bench: &Bench,
) -> Outcome {
    let given: Vec<[f64; 3]> = (0..61)
        .map(|k| {
            let k = f64::from(k);
            [
                0.1 + k / 7.0,
                1.3_f64.powf(k - 30.0),
                if k % 3.0 == 0.0 { 0.0 } else { k },
            ]
        })
        .collect();
    let items: Vec<_> = given
        .iter()
        .map(|of| (0.0, f64::INFINITY, &of[..]))
        .collect();
    let mut of = plan(bench, "1/(c + x)", &["c"], Wave::Sine)?;
    let all = outcomes(bench, &mut of, &items)?;
    let evaluations = all.iter().map(|of| of.evaluations);
    assert!(
        evaluations.clone().max() > evaluations.min(),
        "all are alike"
    );
    for (blocks, warps) in [(1, 1), (2, 3)] {
        let mut other = plan(bench, "1/(c + x)", &["c"], Wave::Sine)?.with_shape(blocks, warps)?;
        assert_eq!(
            outcomes(bench, &mut other, &items)?,
            all,
            "{blocks}x{warps}"
        );
    }
    for k in [0, 30, 60] {
        assert_eq!(
            outcomes(bench, &mut of, &items[k..=k])?,
            [all[k]],
            "item {k}"
        );
    }
    Ok(())
}

/// What is off by more than the claim, or by more than 1e-10 and converged, is claimed too well.
#[track_caller]
fn is_claimed(of: &Integral<f64>, exact: f64, what: &str) {
    let off = (of.value - exact).abs();
    let is_near = off <= 1e-10 * exact.abs() || of.status != CONVERGED;
    assert!(
        off <= of.error && is_near,
        "{what}: {of:?}, not {exact:e}: off by {off:e}"
    );
}

/// Of powers next to 1/x, and of waves so fast that their nodes end next to the first zero. Gamma of 1/100
/// to 1/20: mpmath.
pub(crate) fn what_numbers_do_not_reach_is_in_the_claim(bench: &Bench) -> Outcome {
    let infinite = f64::INFINITY;
    let powers = [
        (-0.99, 99.432_585_119_150_52),
        (-0.98, 49.442_210_163_195_62),
        (-0.97, 32.784_998_351_794_11),
    ];
    let given = powers.map(|(p, _)| [p, 1.0, 0.0]);
    let items = [0, 1, 2].map(|k| (0.0, infinite, &given[k][..]));
    let mut of = plan(bench, "pow(x, p)", &["p"], Wave::Cosine)?;
    let found = outcomes(bench, &mut of, &items)?;
    for (of, (p, gamma)) in found.iter().zip(powers) {
        is_claimed(of, gamma * ((p + 1.0) * FRAC_PI_2).cos(), &p.to_string());
        // Not by much: most of what is claimed is off.
        assert!(of.error < 0.02 * of.value, "{p}: {of:?}");
    }
    let mut of = plan(bench, "pow(from_lower, -0.97)", &[], Wave::Cosine)?;
    let found = outcomes(bench, &mut of, &[(5.0, infinite, &[1.0, -5.0])])?[0];
    is_claimed(&found, powers[2].1 * (0.015 * PI).cos(), "from 5");

    let given = [1e290, 1e300, 1e305, 1.7e308].map(|omega| [omega, 0.0]);
    let items = [0, 1, 2, 3].map(|k| (0.0, infinite, &given[k][..]));
    let mut of = plan(bench, "1/x", &[], Wave::Sine)?;
    let found = outcomes(bench, &mut of, &items)?;
    for (of, [omega, _]) in found.iter().zip(given) {
        is_claimed(of, FRAC_PI_2, &omega.to_string());
    }
    assert_eq!(found[0].status, CONVERGED, "{:?}", found[0]);
    let slow = outcomes(bench, &mut of, &[(0.0, infinite, &[1e-308, 0.0])])?[0];
    assert_eq!((slow.status, slow.at), (NOT_FINITE, infinite), "{slow:?}");

    // The function over x is infinite next to 0, and what is slow beside the wave does not converge.
    let mut of = plan(bench, "pow(x, -0.95)*cos(0.99*x)", &[], Wave::Cosine)?;
    let found = outcomes(bench, &mut of, &[(0.0, infinite, &[1.0, 0.0])])?[0];
    let sum = 0.01_f64.powf(-0.05) + 1.99_f64.powf(-0.05);
    let exact = 0.5 * 19.470_085_311_255_5 * (0.025 * PI).cos() * sum;
    is_claimed(&found, exact, "a slow beat");

    // f(x) + f(-x) loses what is large and odd.
    let mut of = plan(bench, "(a*x + 1)/(b*b + x*x)", &["a", "b"], Wave::Cosine)?;
    for (a, omega) in [(1e5, 2.3), (1e3, 1.1), (1e7, 0.3)] {
        let wave = &[a, 0.41, omega, 0.0][..];
        let found = outcomes(bench, &mut of, &[(-infinite, infinite, wave)])?[0];
        let exact = PI / 0.41 * (-0.41 * omega).exp();
        is_claimed(&found, exact, &format!("{a}, {omega}"));
        assert!(found.error < 1e-11 * a, "{found:?}");
    }
    let mut of = plan(bench, "sqrt(x + 0.5)", &[], Wave::Sine)?;
    let found = outcomes(bench, &mut of, &[(-infinite, infinite, &[1.0, 0.0])])?[0];
    assert!(found.status == NOT_FINITE && found.at < -0.5, "{found:?}");
    Ok(())
}

pub(crate) fn what_is_no_fourier_integral_says_why(bench: &Bench) -> Outcome {
    let (nan, infinite) = (f64::NAN, f64::INFINITY);
    let mut of = plan(bench, "sqrt(x + k)", &["k"], Wave::Sine)?;
    let wave = &[0.0, 1.0, 0.0][..];
    let none = [
        (0.0, 1.0, wave),
        (nan, infinite, wave),
        (0.0, infinite, &[0.0, 0.0, 0.0][..]),
        (0.0, infinite, &[0.0, infinite, 0.0][..]),
        (0.0, infinite, &[0.0, 1.0, nan][..]),
    ];
    for of in outcomes(bench, &mut of, &none)? {
        assert_eq!((of.status, of.evaluations), (NO_LIMITS, 0), "{of:?}");
        assert!(of.value.is_nan() && of.error == infinite, "{of:?}");
    }
    let bad = outcomes(bench, &mut of, &[(-1.0, infinite, wave)])?[0];
    assert!(
        bad.status == NOT_FINITE && (-1.0..0.0).contains(&bad.at),
        "{bad:?}"
    );
    // A wave of its own that is faster, next to nothing, and levels that are too few.
    let mut fast = plan(bench, "cos(k*x)/x", &["k"], Wave::Sine)?;
    let found = outcomes(bench, &mut fast, &[(0.0, infinite, &[3.0, 1.0, 0.0])])?[0];
    assert!(
        found.status == OUT_OF_INTERVALS && found.value.abs() <= found.error,
        "{found:?}"
    );
    let mut small = plan(bench, "1/(1 + x^2)", &[], Wave::Cosine)?;
    let found = outcomes(bench, &mut small, &[(0.0, infinite, &[40.0, 0.0])])?[0];
    let exact = FRAC_PI_2 * (-40.0_f64).exp();
    assert!(
        found.status == ROUNDOFF && (found.value - exact).abs() <= found.error,
        "{found:?}"
    );
    let refused = Fourier::of::<QuarterCircle>(&bench.module, FourierOptions::default());
    assert!(
        matches!(refused, Err(Error::UnknownKernel { .. })),
        "{refused:?}"
    );
    let many = Formula::parse("a + b + c + d + g + h + k")?
        .with_wave()
        .unwrap_err();
    assert_eq!(
        many.to_string(),
        "formula has 7 parameters, allowed with a wave are 6"
    );
    let bare = Formula::parse("1/x")?;
    let refused = Fourier::of_formula(&bench.module, &bare, FourierOptions::default());
    assert_eq!(
        refused.unwrap_err().to_string(),
        "formula has no wave, a Fourier integral allows those of Formula::with_wave"
    );
    let waved = bare.with_wave()?;
    let told = "formula has a wave, which only a Fourier integral has";
    let adaptive = Adaptive::<f64>::of_formula(&bench.module, &waved, Options::default());
    assert_eq!(adaptive.unwrap_err().to_string(), told);
    for refused in [waved.with_wave(), waved.around_pole()] {
        assert_eq!(refused.unwrap_err().to_string(), told);
    }
    let by_omega = waved.derivative("omega").unwrap_err();
    assert!(
        by_omega.to_string().ends_with("allowed are x"),
        "{by_omega}"
    );
    let levels = FourierOptions {
        levels: 11,
        ..FourierOptions::default()
    };
    let refused = Fourier::of_formula(&bench.module, &waved, levels).unwrap_err();
    assert_eq!(refused.to_string(), "levels is 11, allowed are 2 to 10");
    Ok(())
}
