//! What the host decides: means of iterations, and the generating vector.

use super::lattice::{GENERATOR, LatticeOptions, estimated};
use super::statistics::{Iteration, least_sigma, together};
use super::{Estimate, SamplingStatus};

#[test]
fn a_mean_of_iterations_is_as_wide_as_theirs() {
    let of = |value, sigma| Iteration { value, sigma };
    let equal = together(&[of(1.0, 1.0), of(3.0, 1.0)]);
    assert_eq!((equal.value, equal.chi_square), (2.0, 2.0));
    assert!((equal.sigma - 0.5_f64.sqrt()).abs() < 1e-15 && equal.agree);
    // Whose squares are no numbers.
    let small = together(&[of(1e-200, 3e-200), of(3e-200, 4e-200)]);
    assert!(
        (small.value / 2e-200 - 1.0).abs() < 1e-15 && (small.sigma / 2.5e-200 - 1.0).abs() < 1e-15
    );
    assert!((small.chi_square - (1.0 / 9.0 + 1.0 / 16.0)).abs() < 1e-15 && small.agree);
    let nothing = together(&[of(0.0, 0.0); 3]);
    assert_eq!(
        (nothing.value, nothing.sigma, nothing.agree),
        (0.0, 0.0, true)
    );
    // One that saw nothing says that the others saw what is not everywhere.
    assert!(!together(&[of(1.0, 0.1), of(0.0, 0.0), of(1.0, 0.1)]).agree);
}

/// The quantile of chi square is from a table: 21.666 for 9 degrees of freedom.
#[test]
fn one_of_a_hundred_agreeing_integrals_is_told_not_to_agree() {
    for (chi_square, agree) in [(21.6, true), (21.75, false)] {
        let off = (chi_square / 10.0_f64).sqrt();
        let iterations: Vec<_> = (0..10)
            .map(|index| Iteration {
                value: if index % 2 == 0 { off } else { -off },
                sigma: 1.0,
            })
            .collect();
        let together = together(&iterations);
        assert!((together.chi_square - chi_square / 9.0).abs() < 1e-12);
        assert_eq!(together.agree, agree, "{chi_square}");
    }
}

/// On lattices of so few points every odd number is tried.
#[test]
fn the_generating_vector_is_nearly_the_best_component_by_component() {
    let kernel = |x: f64| 2.0 * std::f64::consts::PI.powi(2) * (x * (x - 1.0) + 1.0 / 6.0);
    for bits in 8..=10 {
        let points = 1_u32 << bits;
        let kernels: Vec<f64> = (0..points)
            .map(|index| kernel(f64::from(index) / f64::from(points)))
            .collect();
        let mut products = vec![1.0; points as usize];
        for (axis, &chosen) in (1_u32..).zip(&GENERATOR) {
            let weight = 1.0 / f64::from(axis * axis);
            let factor = |component: u32, index: usize| {
                let place = (index as u32).wrapping_mul(component) % points;
                1.0 + weight * kernels[place as usize]
            };
            let error = |component: u32| {
                let of = |(index, product)| product * factor(component, index);
                let sum: f64 = products.iter().enumerate().map(of).sum();
                sum / f64::from(points) - 1.0
            };
            let least = (1..points)
                .step_by(2)
                .map(error)
                .fold(f64::INFINITY, f64::min);
            let ratio = error(chosen) / least;
            assert!(ratio < 2.85, "2^{bits} points, component {axis}: {ratio}");
            for (index, product) in products.iter_mut().enumerate() {
                *product *= factor(chosen, index);
            }
        }
    }
}

#[test]
fn lattices_of_what_overflows_or_underflows_do_not_say_that_they_converged() {
    let of = |each: f64, square: f64, volume: f64| -> Estimate {
        // 256 points and four replicates, of values that are all the same.
        let squares = 1024.0 * square;
        estimated(
            &[256.0 * each; 4],
            squares,
            volume,
            256,
            &LatticeOptions::default(),
        )
    };
    let flat = of(3.0, 9.0, 2.0);
    assert_eq!((flat.value, flat.status), (6.0, SamplingStatus::Converged));
    assert_eq!(flat.sigma, 6.0 * 8.0 * f64::EPSILON);
    for (each, square, volume) in [(1e10, 1e20, 1e300), (1e200, f64::INFINITY, 1.0)] {
        let status = of(each, square, volume).status;
        assert_eq!(status, SamplingStatus::NotFinite, "{each}");
    }
    // Whose squares are 0.
    let small = of(1e-200, 0.0, 1.0);
    assert_eq!(
        (small.value, small.status),
        (1e-200, SamplingStatus::OutOfRoom)
    );
    let smaller = of(1e-200, 0.0, 1e-300);
    assert_eq!(
        (smaller.value, smaller.status),
        (0.0, SamplingStatus::OutOfRoom)
    );
    assert_eq!(of(0.0, 0.0, 1.0).status, SamplingStatus::Unseen);
    let options = LatticeOptions::default();
    // Whose squares are numbers, and those of the differences are not.
    let sums = [-1e-164, 1e-164, -1e-164, 1e-164].map(|off| 5.12e-152 + off);
    let apart = estimated(&sums, 1024.0 * 4e-308, 1.0, 256, &options);
    assert!((apart.sigma / (1e-164 / 256.0 / 3.0_f64.sqrt()) - 1.0).abs() < 1e-2);
}

#[test]
fn a_standard_error_is_no_less_than_rounding_and_than_squares_that_underflow() {
    assert_eq!(least_sigma(1.0, 4.0), 16.0 * f64::EPSILON);
    assert_eq!(least_sigma(0.0, 0.0), 0.0);
    for (mean, square) in [(1e-200, 0.0), (0.0, 5e-324)] {
        assert_eq!(least_sigma(mean, square), f64::MIN_POSITIVE.sqrt());
    }
}
