//! Random functions whose corners, jumps, ridges and peaks lie across the axes, over the unit cube, and
//! their integrals: by closed forms, and of functions of one direction by integrals over that.

use std::f64::consts::{PI, TAU};

use quadscan_kernels::cubature::region::{FINE, MAX_DIMENSIONS, NODE};

type Point = [f64; MAX_DIMENSIONS];

/// A function over the unit cube.
pub(super) struct Member {
    pub(super) name: &'static str,
    pub(super) dimensions: usize,
    pub(super) at: Box<dyn Fn(&Point) -> f64>,
    pub(super) exact: f64,
}

/// Kinds of members.
pub(super) const KINDS: usize = 13;

/// The integral over pieces between ends.
fn along(table: &[f64], ends: &[f64], of: impl Fn(f64) -> f64) -> f64 {
    let pieces = ends.windows(2).map(|ends| {
        let half = 0.5 * (ends[1] - ends[0]);
        let nodes = table[FINE..].chunks(NODE);
        let parts = nodes.map(|node| half * node[1] * of(ends[0] + half + half * node[0]));
        parts.sum::<f64>()
    });
    pieces.sum()
}

/// The density of the sum of `a_k x_k` over the unit cube, the `a_k` being positive: a spline
/// (Curry and Schoenberg, 1966).
fn density(a: &[f64], s: f64) -> f64 {
    let d = a.len();
    let terms = (0..1_usize << d).map(|set| {
        let of = |k: &usize| set >> k & 1 == 1;
        let sum: f64 = (0..d).filter(of).map(|k| a[k]).sum();
        let sign = if set.count_ones() % 2 == 0 { 1.0 } else { -1.0 };
        sign * (s - sum).max(0.0).powi(d as i32 - 1)
    });
    let factorial: f64 = (1..d).map(|k| k as f64).product();
    terms.sum::<f64>() / (factorial * a.iter().product::<f64>())
}

/// The integral of `of(sum a_k x_k)`, which is smooth but at `b`, where it is narrow at most.
fn ridge(table: &[f64], a: &[f64], b: f64, of: impl Fn(f64) -> f64) -> f64 {
    let all: f64 = a.iter().sum();
    let mut ends: Vec<f64> = (0..1_usize << a.len())
        .map(|set| {
            (0..a.len())
                .filter(|k| set >> k & 1 == 1)
                .map(|k| a[k])
                .sum()
        })
        .collect();
    ends.push(b);
    for power in 0..45 {
        let step = 0.6_f64.powi(power);
        ends.extend([b - step, b + step]);
    }
    ends.retain(|end| (0.0..=all).contains(end));
    ends.sort_by(f64::total_cmp);
    along(table, &ends, |s| of(s) * density(a, s))
}

/// The volume of the ball of radius 1.
fn ball(dimensions: usize) -> f64 {
    match dimensions {
        0 => 1.0,
        1 => 2.0,
        d => ball(d - 2) * TAU / d as f64,
    }
}

/// A random rotation: Gram and Schmidt's of random numbers.
fn rotation(random: &mut fastrand::Rng, dimensions: usize) -> Vec<Vec<f64>> {
    let mut rows: Vec<Vec<f64>> = Vec::new();
    while rows.len() < dimensions {
        let normal = |random: &mut fastrand::Rng| {
            (-2.0 * (1.0 - random.f64()).ln()).sqrt() * (TAU * random.f64()).cos()
        };
        let mut row: Vec<f64> = (0..dimensions).map(|_| normal(random)).collect();
        for other in &rows {
            let dot: f64 = row.iter().zip(other).map(|(a, b)| a * b).sum();
            row.iter_mut().zip(other).for_each(|(a, b)| *a -= dot * b);
        }
        let norm = row.iter().map(|a| a * a).sum::<f64>().sqrt();
        if norm > 0.1 {
            rows.push(row.iter().map(|a| a / norm).collect());
        }
    }
    rows
}

/// The composite rule of so many equal pieces an axis, of `nodes` nodes each.
fn grid(
    table: &[f64],
    dimensions: usize,
    pieces: usize,
    nodes: usize,
    of: &dyn Fn(&Point) -> f64,
) -> f64 {
    let first = quadscan_kernels::cubature::region::nodes_before(nodes as u32) as usize * NODE;
    let rule: Vec<(f64, f64)> = (0..pieces)
        .flat_map(|piece| {
            let nodes = table[first..][..nodes * NODE].chunks(NODE);
            nodes.map(move |node| {
                let half = 0.5 / pieces as f64;
                (
                    (2 * piece + 1) as f64 * half + half * node[0],
                    half * node[1],
                )
            })
        })
        .collect();
    fn go(rule: &[(f64, f64)], k: usize, x: &mut Point, of: &dyn Fn(&Point) -> f64) -> f64 {
        if k == 0 {
            return of(x);
        }
        let parts = rule.iter().map(|&(at, weight)| {
            x[k - 1] = at;
            weight * go(rule, k - 1, x, of)
        });
        parts.sum()
    }
    go(&rule, dimensions, &mut [0.0; MAX_DIMENSIONS], of)
}

/// A member of a kind, drawn.
pub(super) fn member(
    random: &mut fastrand::Rng,
    table: &[f64],
    kind: usize,
    dimensions: usize,
) -> Member {
    let d = dimensions;
    let a: Vec<f64> = (0..d).map(|_| 0.2 + 0.8 * random.f64()).collect();
    let all: f64 = a.iter().sum();
    let b = all * (0.15 + 0.7 * random.f64());
    // Half of the axes go backwards.
    let flips: Vec<bool> = (0..d).map(|_| random.bool()).collect();
    let flipped = flips.clone();
    let weights = a.clone();
    let direction = move |x: &Point| -> f64 {
        let of = |k: usize| weights[k] * if flipped[k] { 1.0 - x[k] } else { x[k] };
        (0..weights.len()).map(of).sum()
    };
    let of_ridge = |name, of: Box<dyn Fn(f64) -> f64>| Member {
        name,
        dimensions,
        exact: ridge(table, &a, b, &of),
        at: Box::new(move |x| of(direction(x))),
    };
    let radius = 0.1 + 0.35 * random.f64();
    let centre: Vec<f64> = (0..d)
        .map(|_| radius + (1.0 - 2.0 * radius) * random.f64())
        .collect();
    let middle = centre.clone();
    let distance = move |x: &Point| -> f64 {
        let squares = (0..middle.len()).map(|k| (x[k] - middle[k]) * (x[k] - middle[k]));
        squares.sum::<f64>().sqrt()
    };
    let turn = rotation(random, d);
    let turned =
        move |x: &Point, k: usize| -> f64 { (0..d).map(|j| turn[k][j] * (x[j] - centre[j])).sum() };
    let volume = ball(d) * radius.powi(d as i32);
    match kind {
        0 => of_ridge("abs(a.x - b)", Box::new(move |s| (s - b).abs())),
        1 => of_ridge("max(0, b - a.x)", Box::new(move |s| (b - s).max(0.0))),
        2 => of_ridge(
            "if(a.x < b, 1, 0)",
            Box::new(move |s| if s < b { 1.0 } else { 0.0 }),
        ),
        3 => {
            let c = 1.0 + 20.0 * random.f64();
            of_ridge(
                "exp(-c abs(a.x - b))",
                Box::new(move |s| (-c * (s - b).abs()).exp()),
            )
        }
        4 => {
            let e = 10_f64.powf(-0.5 - 1.5 * random.f64());
            of_ridge(
                "1/(e^2 + (a.x - b)^2)",
                Box::new(move |s| 1.0 / (e * e + (s - b) * (s - b))),
            )
        }
        5 => {
            let c = 2.0 + 8.0 * random.f64();
            let of = move |s: f64| if s < b { (c * (s - b)).exp() } else { 0.0 };
            of_ridge("if(a.x < b, exp(c a.x), 0)", Box::new(of))
        }
        6 => Member {
            name: "a ball",
            dimensions,
            exact: volume,
            at: Box::new(move |x| if distance(x) < radius { 1.0 } else { 0.0 }),
        },
        7 => Member {
            name: "a cone over a ball",
            dimensions,
            exact: volume * radius / (d + 1) as f64,
            at: Box::new(move |x| (radius - distance(x)).max(0.0)),
        },
        8 => Member {
            name: "half a ball above one",
            dimensions,
            exact: 0.5 * ball(d + 1) * radius.powi(d as i32 + 1),
            at: Box::new(move |x| {
                let of = distance(x);
                (radius * radius - of * of).max(0.0).sqrt()
            }),
        },
        9 => {
            // Turned: half widths of an ellipsoid in the ball.
            let shares: Vec<f64> = (0..d)
                .map(|_| radius * (0.3 + 0.7 * random.f64()))
                .collect();
            let exact = ball(d) * shares.iter().product::<f64>();
            let at = move |x: &Point| {
                let of = |k: usize| (turned(x, k) / shares[k]).powi(2);
                if (0..d).map(of).sum::<f64>() < 1.0 {
                    1.0
                } else {
                    0.0
                }
            };
            Member {
                name: "an ellipsoid",
                dimensions,
                exact,
                at: Box::new(at),
            }
        }
        10 => {
            // Turned, and nothing at the faces.
            let rates: Vec<f64> = (0..d)
                .map(|_| 6.2 / radius * (1.0 + 2.0 * random.f64()))
                .collect();
            let exact = rates.iter().map(|rate| PI.sqrt() / rate).product();
            let at = move |x: &Point| {
                let of = |k: usize| (rates[k] * turned(x, k)).powi(2);
                (-(0..d).map(of).sum::<f64>()).exp()
            };
            Member {
                name: "a turned Gaussian peak",
                dimensions,
                exact,
                at: Box::new(at),
            }
        }
        11 => {
            let most = [0.0, 0.0, 40.0, 12.0, 5.0][d];
            let rates: Vec<f64> = (0..d).map(|_| 2.0 + (most - 2.0) * random.f64()).collect();
            let at = move |x: &Point| {
                let of = |k: usize| 1.0 / (1.0 + (rates[k] * turned(x, k)).powi(2));
                (0..d).map(of).product()
            };
            let (pieces, nodes) = [(0, 0), (0, 0), (40, 12), (10, 12), (3, 12)][d];
            let exact = grid(table, d, pieces, nodes, &at);
            Member {
                name: "a turned product of peaks",
                dimensions,
                exact,
                at: Box::new(at),
            }
        }
        _ => {
            // Of a radius of 0.05 to 0.225.
            let (radius, high) = (0.5 * radius, 100.0);
            Member {
                name: "a cone on a background",
                dimensions,
                exact: 1.0 + high * ball(d) * radius.powi(d as i32 + 1) / (d + 1) as f64,
                at: Box::new(move |x| 1.0 + high * (radius - distance(x)).max(0.0)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrate::cubature::batch::integrate_one;
    use crate::integrate::cubature::points::Points;
    use crate::integrate::cubature::table::nodes;
    use crate::integrate::cubature::{CubatureOptions, Cubed, Status};

    /// What a closed form and a sum may be off.
    const ROUNDING: f64 = 1e-11;

    fn over_the_cube(member: &Member, relative: f64, regions: usize) -> Cubed {
        let options = CubatureOptions {
            relative,
            regions,
            evaluations: 100_000_000,
            ..CubatureOptions::default()
        };
        let limits = vec![(0.0, 1.0); member.dimensions];
        integrate_one(&limits, &options, &mut Points::new(&member.at))
    }

    /// `CUBATURE_MEMBERS=N` draws N of each kind, in up to four dimensions.
    #[test]
    fn what_lies_across_the_axes_has_claims_that_hold() {
        let members: Option<usize> = std::env::var("CUBATURE_MEMBERS")
            .ok()
            .map(|text| text.parse().expect("a number"));
        let (most, digits, regions): (usize, &[i32], usize) = match members {
            Some(_) => (4, &[3, 5], 1024),
            None => (2, &[3], 100),
        };
        let (table, mut random) = (nodes(), fastrand::Rng::with_seed(7));
        let (mut all, mut converged, mut off) = (0, 0, Vec::new());
        for kind in 0..KINDS {
            for dimensions in 2..=most {
                for _ in 0..members.unwrap_or(1) {
                    let member = member(&mut random, &table, kind, dimensions);
                    for &digits in digits {
                        let of = over_the_cube(&member, 10_f64.powi(-digits), regions);
                        let error = (of.value - member.exact).abs();
                        all += 1;
                        converged += usize::from(of.status == Status::Converged);
                        if error > of.error + ROUNDING * member.exact {
                            off.push((member.name, dimensions, digits, of, error));
                        }
                    }
                }
            }
        }
        assert!(off.is_empty(), "{} of {all}: {off:#?}", off.len());
        let are_few = members.is_none() && 3 * converged < all;
        assert!(!are_few, "{converged} of {all} converged");
    }
}
