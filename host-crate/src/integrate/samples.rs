//! Integrals of tabulated functions: what each step adds. Its running sums, by
//! [`scan`](crate::scan), are the cumulative integral, and its sum, by [`reduce`](crate::reduce), is
//! the integral.
//!
//! Sources: Cartwright, Simpson's rule cumulative integration with MS Excel and irregularly-spaced
//! data, 2017 (formulas 4 and 8); Hildebrand, Introduction to numerical analysis, 1974, section 5.9
//! (Gregory's formula).

use crate::{Error, Result};

/// A rule for samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleRule {
    /// A line through two neighbours; exact for degree 1.
    Trapezoid,
    /// A parabola through three samples for each two steps, and for the last one of an odd number;
    /// exact for degree 2, and 3 for an even number of even steps.
    Simpson,
    /// Even steps: the trapezoid rule with Gregory's corrections up to second differences at both
    /// ends. Each step has the cubic through four samples, the first and the last one a parabola.
    Gregory,
}

/// Where samples are.
#[derive(Clone, Copy, Debug)]
pub enum Spacing<'a> {
    /// At the same distance, which is no 0; negative where x falls.
    Even(f64),
    /// At these x, which rise with each sample, or fall.
    At(&'a [f64]),
}

/// What each step adds to the integral of samples: the integral from the sample before, and 0 for the
/// first one.
///
/// # Errors
///
/// [`Error::Argument`] for fewer than two samples, for as many x as there are not samples, for x that
/// are no numbers or neither rise nor fall, for a distance that is 0 or no number, and for x where
/// Gregory's formula needs a distance.
///
/// ```
/// use quadscan::integrate::samples::{SampleRule, Spacing, increments};
///
/// let x = [0.0, 0.5, 2.0];
/// let steps = increments(&x.map(|x| x * x), Spacing::At(&x), SampleRule::Simpson)?;
/// assert!((steps.iter().sum::<f64>() - 8.0 / 3.0).abs() < 1e-15);
/// # Ok::<(), quadscan::Error>(())
/// ```
pub fn increments(y: &[f64], spacing: Spacing<'_>, rule: SampleRule) -> Result<Vec<f64>> {
    check(y, spacing, rule)?;
    let last = y.len() - 1;
    let width = |k: usize| match spacing {
        Spacing::Even(width) => width,
        Spacing::At(x) => x[k] - x[k - 1],
    };
    let step = |k: usize| match rule {
        _ if k == 0 => 0.0,
        _ if rule == SampleRule::Trapezoid || last == 1 => 0.5 * width(k) * (y[k - 1] + y[k]),
        SampleRule::Gregory if k > 1 && k < last => {
            let inner = y[k - 1] + y[k];
            let outer = y[k - 2] + y[k + 1];
            width(k) / 24.0 * (13.0 * inner - outer)
        }
        // The first step of a pair, and the second one or the last of all.
        _ if k % 2 == 1 && k < last => {
            parabola([width(k), width(k + 1)], [y[k - 1], y[k], y[k + 1]])
        }
        _ => parabola([width(k), width(k - 1)], [y[k], y[k - 1], y[k - 2]]),
    };
    Ok((0..=last).map(step).collect())
}

/// The integral over the first of two steps of the parabola through three samples.
fn parabola([own, other]: [f64; 2], [a, b, c]: [f64; 3]) -> f64 {
    let (of_both, of_other) = (own / (own + other), own / other);
    let bend = of_both * of_other;
    own / 6.0 * ((3.0 - of_both) * a + (3.0 + bend + of_both) * b - bend * c)
}

fn check(y: &[f64], spacing: Spacing<'_>, rule: SampleRule) -> Result<()> {
    if y.len() < 2 {
        let problem = format!("has {} samples, allowed are 2 and more", y.len());
        return Err(Error::argument("y", problem));
    }
    let x = match spacing {
        Spacing::Even(width) if width.is_finite() && width != 0.0 => return Ok(()),
        Spacing::Even(width) => {
            let problem = format!("is {width:?}, allowed are numbers other than 0");
            return Err(Error::argument("dx", problem));
        }
        Spacing::At(x) => x,
    };
    if x.len() != y.len() {
        let problem = format!(
            "has {} elements, allowed are as many as y has: {}",
            x.len(),
            y.len()
        );
        return Err(Error::argument("x", problem));
    }
    if rule == SampleRule::Gregory {
        let problem = "is given, Gregory's formula allows a distance, dx, alone";
        return Err(Error::argument("x", problem));
    }
    let rises = x[0] < x[1];
    let follows = |pair: &[f64]| match rises {
        true => pair[0] < pair[1] && pair[1].is_finite(),
        false => pair[0] > pair[1] && pair[1].is_finite(),
    };
    let bad = x.windows(2).position(|pair| !follows(pair));
    match bad.or((!x[0].is_finite()).then_some(0)) {
        None => Ok(()),
        Some(k) => {
            let (one, next) = (x[k], x[k + 1]);
            let allowed = "allowed are numbers that rise with each sample, or fall";
            let problem = format!("has {one:?} at {k} and {next:?} behind it, {allowed}");
            Err(Error::argument("x", problem))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use SampleRule::{Gregory, Simpson, Trapezoid};

    fn sum(y: &[f64], spacing: Spacing<'_>, rule: SampleRule) -> Result<f64> {
        Ok(increments(y, spacing, rule)?.iter().sum())
    }

    /// Each running sum, not the last one alone.
    #[test]
    fn rules_are_exact_for_their_degree_at_every_sample() -> Result<()> {
        let x: [f64; 6] = [-1.0, -0.75, 0.25, 0.5, 1.75, 2.0];
        for (rule, degree) in [(Trapezoid, 1), (Simpson, 2)] {
            for count in degree + 1..=x.len() {
                let x = &x[..count];
                let y: Vec<f64> = x.iter().map(|x| x.powi(degree as i32)).collect();
                let mut total = 0.0;
                for (step, x) in increments(&y, Spacing::At(x), rule)?.iter().zip(x) {
                    total += step;
                    let power = degree as i32 + 1;
                    let exact = (x.powi(power) - (-1.0_f64).powi(power)) / f64::from(power);
                    assert!((total - exact).abs() < 1e-14, "{rule:?} {count} to {x}");
                }
            }
        }
        Ok(())
    }

    #[test]
    fn gregorys_weights_and_simpsons_are_those_of_the_books() -> Result<()> {
        let weights = |count: usize, rule| -> Result<Vec<f64>> {
            let one = |k| {
                let mut y = vec![0.0; count];
                y[k] = 24.0;
                sum(&y, Spacing::Even(1.0), rule)
            };
            (0..count).map(one).collect()
        };
        let close = |found: Vec<f64>, expected: &[f64]| {
            assert_eq!(found.len(), expected.len());
            let off = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
            assert!(off.fold(0.0, f64::max) < 1e-13, "{found:?}");
        };
        let ends = [9.0, 28.0, 23.0, 24.0, 24.0, 23.0, 28.0, 9.0];
        close(weights(8, Gregory)?, &ends);
        close(weights(3, Gregory)?, &[8.0, 32.0, 8.0]);
        close(weights(5, Simpson)?, &[8.0, 32.0, 16.0, 32.0, 8.0]);
        // Cartwright's correction of the last step: 5/12, 2/3, -1/12.
        close(weights(4, Simpson)?, &[8.0, 30.0, 24.0, 10.0]);
        Ok(())
    }

    #[test]
    fn what_is_no_table_is_refused_by_the_argument() {
        let refused = |y: &[f64], spacing, rule| {
            let error = sum(y, spacing, rule).err();
            error.map(|error| error.to_string()).unwrap_or_default()
        };
        let y = [1.0; 3];
        for (spacing, rule, told) in [
            (
                Spacing::Even(0.0),
                Trapezoid,
                "dx is 0.0, allowed are numbers other than 0",
            ),
            (
                Spacing::At(&[0.0, 1.0]),
                Simpson,
                "x has 2 elements, allowed are as many as y has: 3",
            ),
            (
                Spacing::At(&[0.0, 1.0, 1.0]),
                Trapezoid,
                "x has 1.0 at 1 and 1.0 behind it, allowed are numbers that rise with each sample, or fall",
            ),
            (
                Spacing::At(&[f64::NEG_INFINITY, 1.0, 2.0]),
                Trapezoid,
                "x has -inf at 0 and 1.0 behind it, allowed are numbers that rise with each sample, or fall",
            ),
            (
                Spacing::At(&[0.0, 1.0, 2.0]),
                Gregory,
                "x is given, Gregory's formula allows a distance, dx, alone",
            ),
        ] {
            assert_eq!(refused(&y, spacing, rule), told);
        }
        let told = "y has 1 samples, allowed are 2 and more";
        assert_eq!(refused(&y[..1], Spacing::Even(1.0), Simpson), told);
    }
}
