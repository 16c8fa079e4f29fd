//! The minimum of a smooth function of a few variables: Nelder and Mead, "A simplex
//! method for function minimization", The Computer Journal 7 (1965), with their
//! coefficients. Here because libraries that offer it bring a dozen crates for
//! these lines.

/// The simplex is set up anew at most this many times, since it may collapse, and not after one
/// that found nothing that is worth a step.
const STARTS: usize = 4;

/// Steps after each.
const STEPS: usize = 1500;

/// The side of a new simplex.
const SIDE: f64 = 0.3;

/// The smallest spread of values that is worth a step.
const SPREAD: f64 = 1e-12;

/// Where `value` is smallest, near `start`. Deterministic.
pub(super) fn minimum(start: &[f64], value: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    let mut best = (value(start), start.to_vec());
    for _ in 0..STARTS {
        let before = best.0;
        best = descend(best, &value);
        if before - best.0 < SPREAD {
            break;
        }
    }
    best.1
}

fn descend(start: (f64, Vec<f64>), value: &impl Fn(&[f64]) -> f64) -> (f64, Vec<f64>) {
    let axes = start.1.len();
    let mut corners = vec![start];
    for axis in 0..axes {
        let mut corner = corners[0].1.clone();
        corner[axis] += SIDE;
        corners.push((value(&corner), corner));
    }
    let last = corners.len() - 1;
    for _ in 0..STEPS {
        corners.sort_by(|a, b| a.0.total_cmp(&b.0));
        if last == 0 || corners[last].0 - corners[0].0 < SPREAD {
            break;
        }
        step(&mut corners, value);
    }
    corners.sort_by(|a, b| a.0.total_cmp(&b.0));
    corners.swap_remove(0)
}

/// Moves the worst corner through the middle of the others, or shrinks the simplex.
fn step(corners: &mut [(f64, Vec<f64>)], value: &impl Fn(&[f64]) -> f64) {
    let last = corners.len() - 1;
    let mean = |axis| corners[..last].iter().map(|c| c.1[axis]).sum::<f64>() / last as f64;
    let middle: Vec<f64> = (0..corners[0].1.len()).map(mean).collect();
    let (worst, furthest) = (corners[last].0, corners[last].1.clone());
    let at = |factor: f64| {
        let pairs = middle.iter().zip(&furthest);
        let corner: Vec<f64> = pairs.map(|(m, f)| m + factor * (f - m)).collect();
        (value(&corner), corner)
    };
    let reflected = at(-1.0);
    if reflected.0 < corners[0].0 {
        let expanded = at(-2.0);
        corners[last] = match expanded.0 < reflected.0 {
            true => expanded,
            false => reflected,
        };
    } else if reflected.0 < corners[last - 1].0 {
        corners[last] = reflected;
    } else {
        let contracted = at(if reflected.0 < worst { -0.5 } else { 0.5 });
        if contracted.0 < worst.min(reflected.0) {
            corners[last] = contracted;
        } else {
            let nearest = corners[0].1.clone();
            for corner in &mut corners[1..] {
                for (x, n) in corner.1.iter_mut().zip(&nearest) {
                    *x = (*x + n) / 2.0;
                }
                corner.0 = value(&corner.1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rosenbrocks_valley_is_followed_to_its_end() {
        let valley = |x: &[f64]| (1.0 - x[0]).powi(2) + 100.0 * (x[1] - x[0] * x[0]).powi(2);
        let found = minimum(&[-1.2, 1.0], valley);
        assert!(
            (found[0] - 1.0).abs() < 1e-4 && (found[1] - 1.0).abs() < 1e-4,
            "{found:?}"
        );
    }

    #[test]
    fn a_function_of_nothing_has_its_minimum_at_nothing() {
        assert_eq!(minimum(&[], |_| 1.0), Vec::<f64>::new());
    }
}
