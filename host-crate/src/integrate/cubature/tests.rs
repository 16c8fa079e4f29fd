//! The decisions, with sums that the host computes: of products of functions of one variable each,
//! whose sums over a region are products too.

use quadscan_kernels::LANES;
use quadscan_kernels::cubature::region::{
    BEST, COEFFICIENTS, FINE, FIRST, LINES, MAX_DIMENSIONS, MAX_NODES, MIN_NODES, NODE, SUMS,
    nodes_before,
};

use super::rounds::{Cut, Evaluate, Part, integrate};
use super::table::nodes;
use super::{CubatureOptions, Cubed, Status};

type Axis = Box<dyn Fn(f64) -> f64>;

/// A product of functions of an axis each, none of them below 0.
struct Product {
    axes: Vec<Axis>,
    table: Vec<f64>,
    /// Where the functions are to be cut, if it is not in the middle.
    sharp: Vec<Option<f64>>,
}

impl Product {
    fn new(axes: Vec<Axis>, sharp: Vec<Option<f64>>) -> Self {
        let table = nodes();
        Self { axes, table, sharp }
    }

    /// Sums of an axis: the integral and the coefficients; and what the line is off.
    fn axis(&self, part: &Part, k: usize) -> ([f64; 1 + COEFFICIENTS], f64) {
        let half = 0.5 * (part.to[k] - part.from[k]);
        let at = |x: f64| (self.axes[k])(part.from[k] + half + half * x);
        let count = u32::from(part.nodes[k]);
        let first = nodes_before(count) as usize * NODE;
        let mut sums = [0.0; 1 + COEFFICIENTS];
        for node in self.table[first..][..count as usize * NODE].chunks(NODE) {
            let value = at(node[0]) * node[1] * half;
            sums[0] += value;
            for (sum, factor) in sums[1..].iter_mut().zip(&node[2..]) {
                *sum += value * factor;
            }
        }
        let fine = self.table[FINE..]
            .chunks(2)
            .map(|node| at(node[0]) * node[1] * half);
        let fine: f64 = fine.sum();
        let off = (fine - sums[0]).abs() - 4.0 * f64::EPSILON * (fine + sums[0]);
        let off = match sums[0] {
            _ if off <= 0.0 => 0.0,
            0.0 => -off / half,
            seen => off / seen,
        };
        (sums, off)
    }
}

impl Evaluate for Product {
    fn sums(&mut self, parts: &[Part]) -> crate::Result<Vec<f64>> {
        let of = |part: &Part| {
            let dimensions = self.axes.len();
            let axes: Vec<_> = (0..dimensions).map(|k| self.axis(part, k)).collect();
            let mut sums = vec![0.0; SUMS];
            sums[0] = axes.iter().map(|(of, _)| of[0]).product();
            sums[1] = sums[0];
            for (k, (own, off)) in axes.iter().enumerate() {
                let others = axes.iter().enumerate().filter(|&(other, _)| other != k);
                let others: f64 = others.map(|(_, (of, _))| of[0]).product();
                for (m, coefficient) in own[1..].iter().enumerate() {
                    sums[FIRST + k * COEFFICIENTS + m] = coefficient * others;
                }
                sums[LINES + k] = *off;
            }
            assert_eq!(sums[BEST], 0.0);
            sums
        };
        Ok(parts.iter().flat_map(of).collect())
    }

    fn cuts(&mut self, asked: &[Cut]) -> crate::Result<Vec<f64>> {
        let of = |cut: &Cut| {
            let (from, to) = (cut.part.from[cut.axis], cut.part.to[cut.axis]);
            let is_inside = |at: &f64| from < *at && *at < to;
            let sharp = self.sharp[cut.axis].filter(is_inside);
            sharp.unwrap_or(from + 0.5 * (to - from))
        };
        Ok(asked.iter().map(of).collect())
    }
}

/// The integral over 0..1, divided where the function is sharp, to the last digits.
fn exact(of: &Axis, sharp: f64) -> f64 {
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
    let rule = &table[FINE..][..2 * LANES as usize];
    let parts = ends.windows(2).map(|ends| {
        let half = 0.5 * (ends[1] - ends[0]);
        let points = rule
            .chunks(2)
            .map(|node| half * node[1] * of(ends[0] + half + half * node[0]));
        points.sum::<f64>()
    });
    parts.sum()
}

fn over_the_cube(mut on: Product, relative: f64) -> Cubed {
    let options = CubatureOptions {
        relative,
        regions: 1 << 17,
        ..CubatureOptions::default()
    };
    let limits = vec![(0.0, 1.0); on.axes.len()];
    integrate(&limits, &options, &mut on).expect("the host does not fail")
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
                for _ in 0..20 {
                    let (mut axes, mut sharp, mut value) = (Vec::new(), Vec::new(), 1.0);
                    for _ in 0..dimensions {
                        let u = 0.06 + 0.94 * random.f64();
                        let a = 1.0 + [59.0, 49.0, 39.0, 7.0][kind] * random.f64();
                        let axis: Axis = match kind {
                            0 => Box::new(move |x| 1.0 / (1.0 / (a * a) + (x - u) * (x - u))),
                            1 => Box::new(move |x| (-a * a * (x - u) * (x - u)).exp()),
                            2 => Box::new(move |x| (-a * (x - u).abs()).exp()),
                            _ => Box::new(move |x| if x < u { (a * x).exp() } else { 0.0 }),
                        };
                        value *= exact(&axis, u);
                        axes.push(axis);
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
    let axis = || -> Axis { Box::new(|x| if x < 0.01 { 1.0 } else { 0.0 }) };
    let on = Product::new(vec![axis(), axis()], vec![Some(0.01); 2]);
    let of = over_the_cube(on, 1e-6);
    assert!((of.value - 1e-4).abs() <= of.error, "{of:?}");
    assert_eq!(of.status, Status::Converged);
}

#[test]
fn nodes_grow_where_the_function_is_smooth_and_nothing_is_cut() {
    let axis = || -> Axis { Box::new(|x| (3.0 * x).exp()) };
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
fn what_is_allowed_is_kept_to_and_the_claim_holds() {
    let corner = |a: f64| (-(-0.3 * a).exp_m1() - (-0.7 * a).exp_m1()) / a;
    for (regions, evaluations) in [(1, 1 << 30), (3, 1 << 30), (1 << 20, 100)] {
        let axis = || -> Axis { Box::new(|x| (-3.0 * (x - 0.3).abs()).exp()) };
        let mut on = Product::new(vec![axis(), axis()], vec![Some(0.3); 2]);
        let options = CubatureOptions {
            regions,
            evaluations,
            ..CubatureOptions::default()
        };
        let of = integrate(&[(0.0, 1.0); 2], &options, &mut on).expect("the host does not fail");
        assert_eq!(of.status, Status::OutOfRoom, "{of:?}");
        assert!(
            of.regions <= regions && of.evaluations <= evaluations,
            "{of:?}"
        );
        assert!((of.value - corner(3.0).powi(2)).abs() <= of.error, "{of:?}");
    }
}
