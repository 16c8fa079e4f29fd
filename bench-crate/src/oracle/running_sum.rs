//! A model of the rounding of a running f32 sum of the quarter circle, in closed
//! form piece by piece: what answers why more strips make pi worse.
//!
//! A sum in [2^k, 2^(k+1)) is a multiple of its unit in the last place u, and
//! stays one when a term t is added: t counts as round(t / u) units. Neighbouring
//! terms are nearly equal, so round(t / u) is the same for a whole run of them and
//! their rounding errors have the same sign: they add up instead of cancelling (the
//! error of recursive summation is bounded in Higham, Accuracy and Stability of
//! Numerical Algorithms, 2nd edition 2002, section 4.2; this is its size and sign
//! for slowly varying terms). A run ends where f(x) / (n u) passes the next half, or
//! where the sum reaches 2^(k+1), and both places are known without adding a term:
//! a run of any length is one product.
//!
//! Where runs are shorter than a term, and after many of them, their errors are
//! taken to cancel. The loops themselves are in `quarter_circle`.

use super::quarter_circle::{Precision, rule_error, trapezoid_limit};

/// Bits of an f32 behind its first.
const FRACTION_BITS: i32 = 23;

/// Runs that are followed in one binade; after as many their errors cancel.
const MOST_RUNS: u32 = 512;

/// The height of the quarter circle.
fn height(x: f64) -> f64 {
    (1.0 - x * x).max(0.0).sqrt()
}

/// The area below the quarter circle from `a` to `b`.
fn area(a: f64, b: f64) -> f64 {
    let primitive = |x: f64| 0.5 * (x * height(x) + x.clamp(-1.0, 1.0).asin());
    primitive(b) - primitive(a)
}

/// Where the area from `a` is `wanted`; at most `b`. Newton's method: the area is
/// concave, so that it comes from the left and does not pass the place.
fn end_of_area(a: f64, b: f64, wanted: f64) -> f64 {
    let mut x = a;
    for _ in 0..20 {
        let step = (wanted - area(a, x)) / height(x);
        x += step;
        if x >= b {
            return b;
        }
        if step.abs() <= 1e-12 {
            break;
        }
    }
    x
}

/// 2^exponent for exponents of normal numbers.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// The exponent of a positive normal number.
fn exponent(x: f64) -> i32 {
    ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

/// The running sum of the terms `first .. first + count` of `n`.
fn running_sum(n: f64, first: f64, count: f64) -> f64 {
    let end = first + count;
    // The first term is exact: a sum that small has its unit.
    let mut sum = height(first / n) / n;
    let mut i = first + 1.0;
    while i < end && sum > 0.0 {
        (i, sum) = within_binade(n, i, end, sum);
    }
    sum
}

/// Follows the sum from term `i` to the end of its binade, or to the term `end`: the
/// next term and the sum.
fn within_binade(n: f64, mut i: f64, end: f64, mut sum: f64) -> (f64, f64) {
    let top = power_of_two(exponent(sum) + 1);
    let unit = power_of_two(exponent(sum) - FRACTION_BITS);
    for _ in 0..MOST_RUNS {
        if steepness(i / n) > n * n * unit {
            // A term has more than one unit less than the one before.
            break;
        }
        let term = height(i / n) / n;
        let counted = (term / unit).round() * unit;
        let turn = first_below(n, n * (counted - 0.5 * unit))
            .max(i + 1.0)
            .min(end);
        let reached = sum + counted * (turn - i);
        if reached >= top {
            // The term that goes over the top is rounded to the unit beyond it.
            let terms = ((top - sum) / counted).ceil();
            let before = sum + counted * (terms - 1.0);
            let over = (before + term) / (2.0 * unit);
            return (i + terms, (over.round() * 2.0 * unit).max(top));
        }
        (i, sum) = (turn, reached);
        if i >= end {
            return (i, sum);
        }
    }
    // Each term stands for the strip around its abscissa.
    let middle = |i: f64| (i - 0.5) / n;
    let rest = area(middle(i), middle(end));
    if sum + rest < top {
        return (end, sum + rest);
    }
    let over = (n * end_of_area(middle(i), middle(end), top - sum) + 0.5).ceil();
    (over, (sum + area(middle(i), middle(over))).max(top))
}

/// How fast the height falls: -f'(x).
fn steepness(x: f64) -> f64 {
    x / height(x)
}

/// The first term whose height is below `limit`.
fn first_below(n: f64, limit: f64) -> f64 {
    if limit <= 0.0 {
        f64::INFINITY
    } else {
        (n * height(limit)).ceil()
    }
}

/// The error that the single loop over `strips` strips should have, the rule's
/// included: for the plain sums in f32 by the model, for sums that lose next to
/// nothing that of the nearest f32, and for those that end in more than an f32 the
/// rule's alone.
pub fn error_of_one_loop(precision: Precision, strips: u64) -> f64 {
    match precision {
        Precision::F32 | Precision::F32Pure if strips > 1 => {
            let n = strips as f64;
            let sum = running_sum(n, 1.0, n - 1.0);
            nearest_f32(strips, sum - area(0.5 / n, 1.0 - 0.5 / n))
        }
        _ => error_without_loss(precision, strips),
    }
}

/// The error of partial sums of `parts` sub-ranges, each summed and all added up in
/// the manner of the precision; otherwise as [`error_of_one_loop`].
pub fn error_of_partials(precision: Precision, strips: u64, parts: u64) -> f64 {
    match precision {
        Precision::F32 | Precision::F32Pure => {
            let n = strips as f64;
            let count = (strips / parts) as f64;
            let mut total = 0.0_f32;
            for part in 0..parts {
                total += running_sum(n, part as f64 * count, count) as f32;
            }
            nearest_f32(strips, f64::from(total) - area(-0.5 / n, 1.0 - 0.5 / n))
        }
        _ => error_without_loss(precision, strips),
    }
}

fn error_without_loss(precision: Precision, strips: u64) -> f64 {
    match precision {
        Precision::F64 | Precision::F32DoubleFloat => rule_error(strips),
        _ => nearest_f32(strips, 0.0),
    }
}

/// Pi less the true one, from the exact sum and the rounding of the computed one,
/// rounded to f32 as the result is.
fn nearest_f32(strips: u64, rounding: f64) -> f64 {
    let pi = trapezoid_limit(strips) + 4.0 * rounding;
    f64::from(pi as f32) - std::f64::consts::PI
}

#[cfg(test)]
mod tests {
    use super::super::quarter_circle::{partials, pi, plain};
    use super::*;

    /// One unit in the last place of pi in f32.
    const UNIT: f64 = 1.0 / (1 << 22) as f64;

    fn measured_one_loop(strips: u64) -> f64 {
        plain(Precision::F32, strips) - std::f64::consts::PI
    }

    #[test]
    fn one_loop_is_predicted_to_two_units_in_the_last_place_of_pi() {
        for strips in [
            1 << 17,
            3 << 16,
            1 << 18,
            1 << 19,
            5 << 18,
            1 << 21,
            3 << 20,
        ] {
            let off = error_of_one_loop(Precision::F32, strips) - measured_one_loop(strips);
            assert!(off.abs() <= 2.0 * UNIT, "{strips}: off by {off:e}");
        }
    }

    #[test]
    fn below_2_to_the_15_what_runs_do_not_explain_is_a_random_walk() {
        // A term's rounding lies anywhere within half a unit of the sum, and a unit
        // of pi is four times the sum's last one: two deviations.
        let walk = |strips: u64| 2.0 * (strips as f64 / 12.0).sqrt();
        for exponent in 6..15 {
            for strips in [1_u64 << exponent, 3 << (exponent - 1)] {
                let off = error_of_one_loop(Precision::F32, strips) - measured_one_loop(strips);
                assert!(off.abs() <= walk(strips) * UNIT, "{strips}: off by {off:e}");
            }
        }
    }

    #[test]
    fn the_closed_form_at_the_published_size_is_twice_the_root_of_three() {
        let predicted = std::f64::consts::PI + error_of_one_loop(Precision::F32, 1 << 24);
        assert!(
            (predicted - 2.0 * 3.0_f64.sqrt()).abs() <= UNIT,
            "{predicted}"
        );
    }

    #[test]
    fn a_sum_stops_where_a_term_is_less_than_half_its_unit() {
        // 2^26 strips: at 1/4 the unit is 2^-25, and a term at most 2^-26.
        for (exponent, stop) in [(26, 0.25), (28, 0.0625), (30, 0.015_625)] {
            let pi = std::f64::consts::PI + error_of_one_loop(Precision::F32, 1 << exponent);
            assert!((pi - 4.0 * stop).abs() < 1e-6, "{exponent}: {pi}");
        }
    }

    #[test]
    fn partial_sums_are_predicted_with_each_threads_own_sum() {
        for (strips, parts) in [
            (1_u64 << 20, 1_u64),
            (1 << 20, 64),
            (3 << 18, 1024),
            (1 << 18, 1024),
        ] {
            let total = partials(Precision::F32, strips, parts).sum();
            let measured = pi(Precision::F32, total, strips) - std::f64::consts::PI;
            let off = error_of_partials(Precision::F32, strips, parts) - measured;
            assert!(
                off.abs() <= 2.0 * UNIT,
                "{strips} in {parts}: off by {off:e}"
            );
        }
    }

    #[test]
    fn sums_that_lose_nothing_are_off_by_the_rule_and_by_the_nearest_f32() {
        let strips = 1 << 20;
        let limit = trapezoid_limit(strips);
        for precision in [Precision::F32Kahan, Precision::F32Pairwise] {
            let pi = std::f64::consts::PI + error_of_one_loop(precision, strips);
            assert!((pi - limit).abs() <= UNIT / 2.0, "{precision}: {pi}");
            assert_eq!(pi, f64::from(pi as f32), "{precision}");
        }
        for precision in [Precision::F64, Precision::F32DoubleFloat] {
            // -1.176 n^-1.5 at n = 2^20 is -1.176 * 2^-30.
            let error = error_of_partials(precision, strips, 64);
            assert!(
                (error / -1.095_2e-9 - 1.0).abs() < 1e-3,
                "{precision}: {error:e}"
            );
        }
    }
}
