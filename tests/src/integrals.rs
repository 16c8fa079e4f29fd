//! The integrals of the functions of the catalogue and of `tests/kernels` in closed form, and
//! the parameters that the tests give them.
//!
//! Each value follows from the function's antiderivative or a named special value; none is
//! taken from a table. Sources of the lists: `quadscan_kernels::integrate::catalogue` and
//! `test_kernels`.

use std::f64::consts::{FRAC_PI_2, LN_2, PI, SQRT_2, TAU};

use crate::probes::operands::Random;

/// The integral of the function of this name between its own limits; none for a name that is
/// not in the list.
pub fn exact(name: &str, parameters: &[f64]) -> Option<f64> {
    let p = |index: usize| parameters.get(index).copied().unwrap_or(f64::NAN);
    Some(match name {
        "quarter_circle" => PI / 4.0,
        "runge" => FRAC_PI_2,
        "quartic" => (PI + 2.0 * SQRT_2.ln_1p()) / (4.0 * SQRT_2),
        "x_log" => 0.25,
        "square_arctangent" => (PI - 2.0 + 2.0 * LN_2) / 12.0,
        "exponential_cosine" => FRAC_PI_2.exp_m1() / 2.0,
        "arctangent_root" => 5.0 * PI * PI / 96.0,
        "root_log" => -4.0 / 9.0,
        "square_log" => 2.0,
        "log_cosine" => -FRAC_PI_2 * LN_2,
        "root_tangent" => PI / SQRT_2,
        "exponential_root" => PI.sqrt(),
        "damped_cosine" => 0.5,
        "gaussian" => TAU.sqrt(),
        "power_log" => (1.0 + p(0)).powi(-2),
        "bessel" => PI * libm::j0(p(0).exp2()),
        "periodic" => 2.0 / 3.0_f64.sqrt(),
        "root_of_distance" => (SQRT_2 + 3.0 * 6.0_f64.sqrt()) / 6.0,
        "exponential_of_cosine" => TAU * i0(1.0),
        "damped_sine" => 50.0 * -(-TAU).exp_m1() / 2501.0,
        "peaks" => {
            // Of sech^2, sech^4 and sech^6, as polynomials of tanh.
            let part = |steep: f64, at: f64, of: fn(f64) -> f64| {
                (of((steep * (1.0 - at)).tanh()) + of((steep * at).tanh())) / steep
            };
            part(10.0, 0.2, |t| t)
                + part(100.0, 0.4, |t| t - t.powi(3) / 3.0)
                + part(1000.0, 0.6, |t| t - 2.0 * t.powi(3) / 3.0 + t.powi(5) / 5.0)
        }
        "genz_oscillatory" => {
            // sin(b + a) - sin b, without cancellation.
            let (a, u) = (p(0), p(1));
            2.0 * (a / 2.0).sin() * (TAU * u + a / 2.0).cos() / a
        }
        "genz_product_peak" => {
            let (a, u) = (p(0), p(1));
            a * ((a * (1.0 - u)).atan() + (a * u).atan())
        }
        "genz_corner_peak" => 1.0 / (1.0 + p(0)),
        "genz_gaussian" => {
            let (a, u) = (p(0), p(1));
            PI.sqrt() / (2.0 * a) * (libm::erf(a * (1.0 - u)) + libm::erf(a * u))
        }
        "genz_continuous" => {
            let (a, u) = (p(0), p(1));
            -((-a * u).exp_m1() + (-a * (1.0 - u)).exp_m1()) / a
        }
        "genz_discontinuous" => (p(0) * p(1)).exp_m1() / p(0),
        "planck" => (PI * p(0)).powi(4) / 15.0,
        _ => return None,
    })
}

/// The modified Bessel function I0 of a small argument, by its power series (Watson, A
/// treatise on the theory of Bessel functions, 1922, section 3.7).
fn i0(x: f64) -> f64 {
    let mut term = 1.0;
    let mut sum = 0.0;
    for k in 1..=20 {
        sum += term;
        term *= (x / 2.0) * (x / 2.0) / f64::from(k * k);
    }
    sum
}

/// The integral of the magnitude of a function that changes its sign, where it is known to
/// be so large at least; else none: the magnitude of the integral.
pub fn magnitude(name: &str, parameters: &[f64]) -> Option<f64> {
    match name {
        // |cos| is 2 / pi on average; a quarter of that for less than a period.
        "genz_oscillatory" => Some(if parameters[0] > PI { 0.3 } else { 0.15 }),
        "bessel" => Some(1.0),
        "damped_sine" => Some(0.5),
        "damped_cosine" => Some(0.5),
        _ => None,
    }
}

/// Parameters of the function of this name, at random in stated ranges: `a` of the Genz
/// families in 1..50, of the discontinuous one in -5..5, `u` in 0..1, QUADPACK's `a` in
/// -0.5..3 and 0..6, k T in 0.01..100, its logarithm evenly.
pub fn parameters(name: &str, count: usize, random: &mut Random) -> Vec<f64> {
    let mut between = |low, high| between(random, low, high);
    (0..count)
        .map(|index| match (name, index) {
            ("power_log", _) => between(-0.5, 3.0),
            ("bessel", _) => between(0.0, 6.0),
            ("planck", _) => 10.0_f64.powf(between(-2.0, 2.0)),
            ("genz_discontinuous", 0) => between(-5.0, 5.0),
            (_, 0) => between(1.0, 50.0),
            _ => between(0.0, 1.0),
        })
        .collect()
}

/// Parameters as steep and fast as a rule is to see by itself, and peaks as narrow as 1 /
/// `narrowest`, which is a parameter of two of Genz's families: the logarithm of `a` of the others
/// evenly in 0.1..10^6, of the oscillatory one up to 1000, of the discontinuous one `a` in
/// -600..600, `u` in 0..1, QUADPACK's `a` in -0.9..30 and 0..9, k T in 10^-6..10^6, its logarithm
/// evenly.
pub fn wide_parameters(name: &str, count: usize, random: &mut Random, narrowest: f64) -> Vec<f64> {
    let mut between = |low, high| between(random, low, high);
    (0..count)
        .map(|index| match (name, index) {
            ("power_log", _) => between(-0.9, 30.0),
            ("bessel", _) => between(0.0, 9.0),
            ("planck", _) => 10.0_f64.powf(between(-6.0, 6.0)),
            ("genz_discontinuous", 0) => between(-600.0, 600.0),
            ("genz_oscillatory", 0) => 10.0_f64.powf(between(-1.0, 3.0)),
            ("genz_gaussian" | "genz_product_peak", 0) => {
                10.0_f64.powf(between(-1.0, narrowest.log10()))
            }
            (_, 0) => 10.0_f64.powf(between(-1.0, 6.0)),
            _ => between(0.0, 1.0),
        })
        .collect()
}

/// A number in a range, evenly.
pub fn between(random: &mut Random, low: f64, high: f64) -> f64 {
    let unit = random.below(1 << 53) as f64 / (1_u64 << 53) as f64;
    low + (high - low) * unit
}

#[cfg(test)]
mod tests {
    use super::{exact, parameters};
    use crate::probes::operands::Random;
    use quadscan::integrate::formula::Number;
    use quadscan::integrate::{Formula, Kernels, Point};
    use quadscan_kernels::integrate::catalogue::CATALOGUE;

    #[test]
    fn every_integrand_has_a_closed_form() {
        let mut random = Random::named(3, "closed forms");
        for entry in CATALOGUE.iter().chain(test_kernels::CATALOGUE) {
            let given = parameters(entry.f64.name, entry.f64.parameters.len(), &mut random);
            let value = exact(entry.f64.name, &given);
            assert!(value.is_some_and(f64::is_finite), "{}", entry.f64.name);
        }
        assert_eq!(exact("nothing", &[]), None);
    }

    /// The catalogue's functions in Rust have the bits of its formulas, which the rules without kernels
    /// of their own take.
    #[test]
    fn the_catalogues_formulas_have_the_bits_of_its_functions() {
        fn check<R: Number>(of: &Kernels<R>) {
            let Some(text) = of.text() else { return };
            let formula = Formula::with_parameters(text, of.parameters);
            let formula = formula.unwrap_or_else(|error| panic!("{}: {error}", of.name));
            let parameters = [2.75, 0.375, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0].map(R::from_f64);
            for k in 0..2000_u32 {
                let x = f64::from(k) / 1999.0;
                let [x, to_upper] = [x, 1.0 - x].map(R::from_f64);
                let from_lower = x;
                let at = Point {
                    x,
                    from_lower,
                    to_upper,
                };
                let values = [formula.eval(at, &parameters), (of.eval_at)(at, &parameters)];
                let [found, expected] = values.map(|value| value.to_f64().to_bits());
                assert_eq!(found, expected, "{} at {x:?}: {values:?}", of.name);
            }
        }
        let with_text = CATALOGUE.iter().filter(|entry| entry.f64.text().is_some());
        assert_eq!(with_text.clone().count(), 5);
        for entry in with_text {
            check(&entry.f64);
            check(&entry.f32);
        }
    }

    #[test]
    fn special_values_are_the_known_ones() {
        // Abramowitz and Stegun, tables 9.1 and 9.8: J0(2), I0(1).
        assert!(
            (exact("bessel", &[1.0]).unwrap() / std::f64::consts::PI - 0.223_890_779_141_236).abs()
                < 1e-15
        );
        assert!((super::i0(1.0) - 1.266_065_877_752_008).abs() < 1e-15);
        assert!((exact("peaks", &[]).unwrap() - 0.210_802_735_500_549_3).abs() < 1e-16);
    }
}
