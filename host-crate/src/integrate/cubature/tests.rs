//! The decisions, with sums that the host computes: of real parts of products of functions of one
//! variable each, whose sums over a region are such products too.

use std::borrow::Cow;

use quadscan_kernels::cubature::adapt::part::Part;
use quadscan_kernels::cubature::adapt::rounds::Ask;
use quadscan_kernels::cubature::region::{
    COEFFICIENTS, FINE, FIRST, LINE, LINES, MAX_DIMENSIONS, MAX_NODES, MIN_NODES, NODE, SUMS,
    nodes_before,
};

use super::batch::integrate_one;
use super::points::{line, plan, rule};
use super::rounds::{Evaluate, Next};
use super::table::nodes;
use super::{CubatureOptions, Cubed, Status};

/// A function of an axis, into the complex plane; the integrand is the real part of their product.
type Axis = Box<dyn Fn(f64) -> [f64; 2]>;

fn times([a, b]: [f64; 2], [c, d]: [f64; 2]) -> [f64; 2] {
    [a * c - b * d, a * d + b * c]
}

/// The real part of a product of functions of an axis each, which are real and not negative, or of magnitude 1.
struct Product {
    axes: Vec<Axis>,
    table: Vec<f64>,
    /// Where the functions are to be cut whatever a plan says.
    sharp: Vec<Option<f64>>,
    /// The looks that were asked for.
    looks: Vec<(Part, u32)>,
}

impl Product {
    fn new(axes: Vec<Axis>, sharp: Vec<Option<f64>>) -> Self {
        Self {
            axes,
            table: nodes(),
            sharp,
            looks: Vec::new(),
        }
    }

    /// The nodes of an axis, where the function is largest.
    fn largest(&self, part: &Part, k: usize) -> f64 {
        let (half, count) = (
            0.5 * (part.to[k] - part.from[k]),
            usize::from(part.nodes[k]),
        );
        let first = nodes_before(count as u32) as usize * NODE;
        let places = self.table[first..][..count * NODE]
            .chunks(NODE)
            .map(|node| part.from[k] + half + half * node[0]);
        let size = |x: f64| {
            let [a, b] = self.axes[k](x);
            a.hypot(b)
        };
        let mut places: Vec<f64> = places.collect();
        places.rotate_left(count / 2);
        places.into_iter().fold(f64::NAN, |best, x| {
            if best.is_nan() || size(x) > size(best) {
                x
            } else {
                best
            }
        })
    }

    /// The function along an axis through the largest point, up to a factor.
    fn along<'a>(&'a self, part: &Part, k: usize) -> impl Fn(f64) -> f64 + 'a {
        let [a, b] = self.axes[k](self.largest(part, k));
        move |x| {
            if b == 0.0 {
                self.axes[k](x)[0]
            } else {
                times(self.axes[k](x), [a, -b])[0]
            }
        }
    }

    /// Sums of an axis: the integral and the coefficients; and what the line tells.
    fn axis(&self, part: &Part, k: usize) -> ([[f64; 2]; 2 + COEFFICIENTS], [f64; LINE]) {
        let half = 0.5 * (part.to[k] - part.from[k]);
        let at = |x: f64| self.axes[k](part.from[k] + half + half * x).map(|of| of * half);
        let count = usize::from(part.nodes[k]);
        let (re, im) = (
            rule(&self.table, count, |x| at(x)[0]),
            rule(&self.table, count, |x| at(x)[1]),
        );
        let mut sums: [[f64; 2]; 2 + COEFFICIENTS] = std::array::from_fn(|m| [re[m], im[m]]);
        sums[1] = [
            rule(&self.table, count, |x| at(x)[0].hypot(at(x)[1]))[0],
            0.0,
        ];
        let along = self.along(part, k);
        let of = line(&self.table, count, |x| {
            along(part.from[k] + half + half * x)
        });
        let of = if of[0] < 0.0 {
            [of[0] / half, of[1], of[2], 0.0, 0.0, 0.0]
        } else {
            of
        };
        (sums, of)
    }
}

impl Evaluate for Product {
    fn sums(&mut self, parts: &[Part], _: Next) -> crate::Result<Cow<'_, [f64]>> {
        let of = |part: &Part| {
            let dimensions = self.axes.len();
            let axes: Vec<_> = (0..dimensions).map(|k| self.axis(part, k)).collect();
            let mut sums = vec![0.0; SUMS];
            sums[0] = axes.iter().map(|(of, _)| of[0]).fold([1.0, 0.0], times)[0];
            sums[1] = axes.iter().map(|(of, _)| of[1]).fold([1.0, 0.0], times)[0];
            for (k, (own, line)) in axes.iter().enumerate() {
                let others = axes.iter().enumerate().filter(|&(other, _)| other != k);
                let others = others.map(|(_, (of, _))| of[0]).fold([1.0, 0.0], times);
                for (m, coefficient) in own[2..].iter().enumerate() {
                    sums[FIRST + k * COEFFICIENTS + m] = times(*coefficient, others)[0];
                }
                sums[LINES + k * LINE..][..LINE].copy_from_slice(line);
            }
            sums
        };
        Ok(Cow::Owned(parts.iter().flat_map(of).collect()))
    }

    /// Lines beside it tell nothing new of a product.
    fn looks(&mut self, asked: &[(Part, u32)]) -> crate::Result<Vec<f64>> {
        self.looks.extend_from_slice(asked);
        Ok(vec![0.0; asked.len() * self.axes.len() * LINE])
    }

    fn plans(&mut self, asked: &[Ask]) -> crate::Result<Vec<f64>> {
        let of = |ask: &Ask| {
            let axes = (0..self.axes.len()).flat_map(|k| {
                let ends = [ask.part.from[k], ask.part.to[k]];
                let is_inside = |at: &f64| ends[0] < *at && *at < ends[1];
                plan(
                    &self.table,
                    ends,
                    ask.goal,
                    self.sharp[k].filter(is_inside),
                    self.along(&ask.part, k),
                )
            });
            axes.collect::<Vec<_>>()
        };
        Ok(asked.iter().flat_map(of).collect())
    }
}

/// The integral over 0..1, divided where the function is sharp, to the last digits.
fn exact(of: &dyn Fn(f64) -> f64, sharp: f64) -> f64 {
    let mut ends = vec![0.0, sharp, 1.0];
    for power in 1..60 {
        let step = 0.7_f64.powi(power);
        ends.extend(
            [sharp - step, sharp + step]
                .iter()
                .filter(|x| (0.0..=1.0).contains(*x)),
        );
    }
    ends.sort_by(f64::total_cmp);
    let table = nodes();
    let rule = &table[FINE..];
    let parts = ends.windows(2).map(|ends| {
        let half = 0.5 * (ends[1] - ends[0]);
        let points = rule
            .chunks(NODE)
            .map(|node| half * node[1] * of(ends[0] + half + half * node[0]));
        points.sum::<f64>()
    });
    parts.sum()
}

/// Integrals of each kind, number of dimensions and tolerance.
const MEMBERS: usize = 3;

fn over_the_cube(mut on: Product, relative: f64) -> Cubed {
    let options = CubatureOptions {
        relative,
        regions: 1 << 17,
        ..CubatureOptions::default()
    };
    let limits = vec![(0.0, 1.0); on.axes.len()];
    integrate_one(&limits, &options, &mut on)
}

#[test]
fn rules_are_exact_up_to_their_degree() {
    let table = nodes();
    for n in MIN_NODES..=MAX_NODES {
        let rule = &table[nodes_before(n as u32) as usize * NODE..][..n * NODE];
        for degree in 0..2 * n {
            let sum: f64 = rule
                .chunks(NODE)
                .map(|node| node[0].powi(degree as i32) * node[1])
                .sum();
            let integral = if degree % 2 == 0 {
                2.0 / (degree + 1) as f64
            } else {
                0.0
            };
            assert!((sum - integral).abs() < 2e-15, "{n} {degree}: {sum}");
        }
        // The highest coefficient of its own polynomial is 2: 2 / (2 m + 1) times 2 m + 1.
        let own = rule
            .chunks(NODE)
            .map(|node| node[2] * node[2] * node[1])
            .sum::<f64>();
        let m = n - 1;
        assert!(
            (own / (2 * (2 * m + 1)) as f64 - 1.0).abs() < 1e-13,
            "{n}: {own}"
        );
    }
}

#[test]
fn random_peaks_corners_and_jumps_have_claims_that_hold() {
    let mut random = fastrand::Rng::with_seed(20);
    let (mut all, mut off) = (0, 0);
    for kind in 0..4 {
        for dimensions in [2, 3] {
            for relative in [1e-3, 1e-6, 1e-9] {
                for _ in 0..MEMBERS {
                    let (mut axes, mut sharp, mut value) = (Vec::new(), Vec::new(), 1.0);
                    for _ in 0..dimensions {
                        let u = 0.06 + 0.94 * random.f64();
                        let a = 1.0 + [59.0, 49.0, 39.0, 7.0][kind] * random.f64();
                        let axis: Box<dyn Fn(f64) -> f64> = match kind {
                            0 => Box::new(move |x| 1.0 / (1.0 / (a * a) + (x - u) * (x - u))),
                            1 => Box::new(move |x| (-a * a * (x - u) * (x - u)).exp()),
                            2 => Box::new(move |x| (-a * (x - u).abs()).exp()),
                            _ => Box::new(move |x| if x < u { (a * x).exp() } else { 0.0 }),
                        };
                        value *= exact(&axis, u);
                        axes.push(Box::new(move |x| [axis(x), 0.0]) as Axis);
                        sharp.push((kind > 1).then_some(u));
                    }
                    let of = over_the_cube(Product::new(axes, sharp), relative);
                    assert_eq!(of.status, Status::Converged, "{kind} {relative:e}: {of:?}");
                    assert!(of.error <= relative * of.value);
                    all += 1;
                    off += usize::from((of.value - value).abs() > of.error);
                }
            }
        }
    }
    assert_eq!(off, 0, "of {all}");
}

#[test]
fn what_no_node_sees_is_looked_for_in_halves() {
    let axis = || -> Axis { Box::new(|x| [if x < 0.01 { 1.0 } else { 0.0 }, 0.0]) };
    let on = Product::new(vec![axis(), axis()], vec![Some(0.01); 2]);
    let of = over_the_cube(on, 1e-6);
    assert!((of.value - 1e-4).abs() <= of.error, "{of:?}");
    assert_eq!(of.status, Status::Converged);
}

#[test]
fn nodes_grow_where_the_function_is_smooth_and_nothing_is_cut() {
    let axis = || -> Axis { Box::new(|x| [(3.0 * x).exp(), 0.0]) };
    let on = Product::new(
        (0..MAX_DIMENSIONS).map(|_| axis()).collect(),
        vec![None; 10],
    );
    let of = over_the_cube(on, 1e-9);
    let value = (3.0_f64.exp_m1() / 3.0).powi(MAX_DIMENSIONS as i32);
    assert!((of.value - value).abs() <= of.error, "{of:?}");
    assert_eq!((of.status, of.regions), (Status::Converged, 1));
}

#[test]
fn waves_get_their_nodes_at_once_and_claims_hold() {
    for phase in [0.0, 1.0, 2.0] {
        let axis = |k: usize| -> Axis {
            let (a, first) = ((k + 1) as f64, if k == 0 { phase } else { 0.0 });
            Box::new(move |x| [(a * x + first).cos(), (a * x + first).sin()])
        };
        let of = over_the_cube(
            Product::new((0..6).map(axis).collect(), vec![None; 6]),
            1e-7,
        );
        let sinc = |k: usize| (0.5 * (k + 1) as f64).sin() / (0.5 * (k + 1) as f64);
        let value = (phase + 10.5).cos() * (0..6).map(sinc).product::<f64>();
        assert!((of.value - value).abs() <= of.error, "{phase}: {of:?}");
        assert_eq!(
            (of.status, of.regions, of.rounds),
            (Status::Converged, 1, 1),
            "{phase}"
        );
    }
}

#[test]
fn a_peak_is_cut_where_few_nodes_are_enough() {
    // 1 / (1 / 2500 + (x - 1/2)^2): halves alone would need five on each side.
    let axis = || -> Axis { Box::new(|x| [1.0 / (4e-4 + (x - 0.5) * (x - 0.5)), 0.0]) };
    let of = over_the_cube(
        Product::new(vec![axis(), axis(), axis()], vec![None; 3]),
        1e-7,
    );
    let value = (100.0 * 25.0_f64.atan()).powi(3);
    assert!((of.value - value).abs() <= of.error, "{of:?}");
    assert_eq!(
        (of.status, of.regions, of.rounds),
        (Status::Converged, 64, 3)
    );
    assert!(of.evaluations < 60 * 60 * 60, "{of:?}");
}

#[test]
fn a_region_is_looked_at_as_often_as_its_share_of_the_box_tells() {
    // Twice as wide as the unit cube, and cut far from the middle.
    let axis = || -> Axis { Box::new(|x| [(-4.0 * (x - 0.3).abs()).exp(), 0.0]) };
    for (dimensions, looks) in [(2, 4), (3, 16), (4, 128), (5, 128)] {
        let axes = (0..dimensions).map(|_| axis()).collect();
        let mut on = Product::new(axes, vec![Some(0.3); dimensions]);
        let limits = vec![(0.0, 2.0); dimensions];
        let of = integrate_one(&limits, &CubatureOptions::default(), &mut on);
        assert_eq!(of.status, Status::Converged, "{of:?}");
        assert!(of.regions > 1, "{of:?}");
        assert_eq!(on.looks.len(), of.regions, "{of:?}");
        for (part, count) in on.looks {
            let widths = (0..dimensions).map(|k| (part.to[k] - part.from[k]) / 2.0);
            let share = widths.product::<f64>();
            let exact = share * f64::from(looks);
            let is_rounding = (f64::from(count) - exact).abs() < 1e-9;
            assert!(
                is_rounding || count == exact.ceil() as u32,
                "{count} of {share}"
            );
        }
    }
}

#[test]
fn what_is_allowed_is_kept_to_and_the_claim_holds() {
    let corner = |a: f64| (-(-0.3 * a).exp_m1() - (-0.7 * a).exp_m1()) / a;
    for (regions, evaluations) in [(1, 1 << 30), (3, 1 << 30), (1 << 20, 100)] {
        let axis = || -> Axis { Box::new(|x| [(-3.0 * (x - 0.3).abs()).exp(), 0.0]) };
        let mut on = Product::new(vec![axis(), axis()], vec![Some(0.3); 2]);
        let options = CubatureOptions {
            regions,
            evaluations,
            ..CubatureOptions::default()
        };
        let of = integrate_one(&[(0.0, 1.0); 2], &options, &mut on);
        assert_eq!(of.status, Status::OutOfRoom, "{of:?}");
        assert!(
            of.regions <= regions && of.evaluations <= evaluations,
            "{of:?}"
        );
        assert!((of.value - corner(3.0).powi(2)).abs() <= of.error, "{of:?}");
    }
}

#[test]
fn a_narrow_peak_is_cut_one_axis_after_the_other_where_there_is_little_room() {
    let axis = || -> Axis { Box::new(|x| [(-625.0 * (x - 0.5) * (x - 0.5)).exp(), 0.0]) };
    let mut on = Product::new((0..6).map(|_| axis()).collect(), vec![None; 6]);
    let options = CubatureOptions {
        relative: 1e-2,
        evaluations: 1 << 26,
        ..CubatureOptions::default()
    };
    let of = integrate_one(&[(0.0, 1.0); 6], &options, &mut on);
    let value = (std::f64::consts::PI.sqrt() / 25.0).powi(6);
    assert_eq!(of.status, Status::Converged, "{of:?}");
    assert!((of.value - value).abs() <= of.error, "{of:?}");
}
