//! Sums of any function of a point, as kernels compute them, but for the order of additions.

use std::borrow::Cow;

use quadscan_kernels::LANES;
use quadscan_kernels::cubature::adapt::part::Part;
use quadscan_kernels::cubature::adapt::rounds::Ask;
use quadscan_kernels::cubature::beside;
use quadscan_kernels::cubature::decay::{FEW_NODES, Piece, STEP, is_worth, off_centre, share};
use quadscan_kernels::cubature::region::{
    BEST, BEYOND, COEFFICIENTS, FINE, FINE_NODES, FIRST, LINE, LINES, LOOK, LOOK_NODES,
    MAX_DIMENSIONS, MAX_NODES, NODE, PLAN, ROUGH, ROUGH_NOISE, Region, SUMS, nodes_before, tails,
};

use super::rounds::{Evaluate, Next};
use super::table::{legendre, nodes};

type Point = [f64; MAX_DIMENSIONS];

/// A function of a point.
pub(super) struct Points<F> {
    pub(super) at: F,
    pub(super) table: Vec<f64>,
}

/// Sums of a rule along a function of -1..1.
pub(super) fn rule(
    table: &[f64],
    nodes: usize,
    mut of: impl FnMut(f64) -> f64,
) -> [f64; 2 + COEFFICIENTS] {
    let first = match nodes {
        FINE_RULE => FINE,
        LOOK_RULE => LOOK,
        _ => nodes_before(nodes as u32) as usize * NODE,
    };
    let mut sums = [0.0; 2 + COEFFICIENTS];
    for node in table[first..][..nodes * NODE].chunks(NODE) {
        let value = of(node[0]) * node[1];
        sums[0] += value;
        sums[1] += value.abs();
        for (sum, factor) in sums[2..].iter_mut().zip(&node[2..]) {
            *sum += value * factor;
        }
    }
    sums
}

const FINE_RULE: usize = FINE_NODES as usize;
const LOOK_RULE: usize = LOOK_NODES as usize;

/// The larger one of two neighbouring coefficients, in the norm of a unit of their degrees.
pub(super) fn larger(sums: &[f64], degree: usize) -> f64 {
    let norm = |m: usize| sums[m].abs() / ((2 * (degree - m) + 1) as f64).sqrt();
    norm(0).max(norm(1))
}

/// As the kernel of lines sees a line of -1..1.
pub(super) fn line(table: &[f64], nodes: usize, of: impl Fn(f64) -> f64) -> [f64; LINE] {
    let coarse = rule(table, nodes, &of);
    let fine: Vec<_> = table[FINE..]
        .chunks(NODE)
        .map(|node| (node[0], of(node[0]) * node[1]))
        .collect();
    let (mut value, mut seen, mut sums) = (0.0, 0.0, [0.0; FINE_NODES as usize]);
    for (x, part) in fine {
        value += part;
        seen += part.abs();
        for (m, p) in legendre(FINE_NODES as usize - 1, x).iter().enumerate() {
            sums[m] += part * p * ((2 * m + 1) as f64).sqrt();
        }
    }
    let off = (value - coarse[0]).abs() - 4.0 * f64::EPSILON * (seen + coarse[1]);
    let off = match coarse[1] {
        _ if off <= 0.0 => 0.0,
        0.0 => -off,
        seen => off / seen,
    };
    let largest = |degrees: std::ops::Range<usize>| {
        sums[degrees]
            .iter()
            .fold(0.0, |most: f64, of| most.max(of.abs()))
    };
    [
        off,
        largest(nodes - 2..nodes) / seen,
        largest(2 * nodes..2 * nodes + BEYOND as usize) / seen,
        0.0,
        0.0,
        0.0,
    ]
}

/// What the rule lacks on a line beside it, and whether it is rough.
fn beside_it(
    table: &[f64],
    [nodes, fine_nodes]: [usize; 2],
    mut of: impl FnMut(f64) -> f64,
) -> (f64, bool) {
    let (fine, coarse) = (
        rule(table, fine_nodes, &mut of),
        rule(table, nodes, &mut of),
    );
    let tails = tails(fine_nodes as u32).map(|degree| degree as usize);
    let off = fine[0] - coarse[0];
    let is_off = off.abs() > 16.0 * f64::EPSILON * (fine[1] + coarse[1]);
    let (last, half) = (larger(&fine[2..], tails[0]), larger(&fine[4..], tails[2]));
    (
        if is_off { off } else { 0.0 },
        last > ROUGH * half && last > ROUGH_NOISE * fine[1],
    )
}

/// Where a function of a line jumps or has a corner.
fn divide(of: &impl Fn(f64) -> f64, from: f64, to: f64) -> Option<f64> {
    let lanes = LANES as usize;
    let (first, last) = (from, to);
    let (mut from, mut to) = (from, to);
    let (mut bends, mut cut, mut jump, mut look) = ([0.0_f64; 3], from, from, 0);
    loop {
        let x: Vec<f64> = (0..lanes)
            .map(|lane| (to - from).mul_add(lane as f64 / (lanes - 1) as f64, from))
            .collect();
        let f: Vec<f64> = x.iter().map(|&x| of(x)).collect();
        let bend = |k: &usize| (f[k - 1] - 2.0 * f[*k] + f[k + 1]).abs();
        let best = (1..lanes - 1).fold(1, |best, k| if bend(&k) > bend(&best) { k } else { best });
        let size = f.iter().fold(0.0_f64, |most, f| most.max(f.abs()));
        let are_apart = x.windows(2).all(|x| x[0] < x[1]);
        if !are_apart || bend(&best) <= 64.0 * f64::EPSILON * size {
            break;
        }
        let step = |k: usize| (f[k] - f[k - 1]).abs();
        let behind = (1..lanes).fold(1, |best, k| if step(k) > step(best) { k } else { best });
        (jump, cut) = (x[behind], x[best]);
        (from, to) = (x[best - 1], x[best + 1]);
        bends = [bend(&best), bends[0], bends[1]];
        look += 1;
        if look == 6 && bends[0] < bends[2] / 4096.0 {
            break;
        }
    }
    let is_sharp = look > 2 && bends[0] > bends[2] / 4096.0;
    let cut = if bends[0] > 0.5 * bends[2] { jump } else { cut };
    let margin = 1e-9 * 0.5 * (last - first);
    (is_sharp && cut > first + margin && cut < last - margin).then_some(cut)
}

/// As the kernel of lines plans an axis.
pub(super) fn plan(
    table: &[f64],
    [from, to]: [f64; 2],
    goal: f64,
    sharp: Option<f64>,
    of: impl Fn(f64) -> f64,
) -> [f64; PLAN] {
    let piece = |a: f64, b: f64| {
        let half = 0.5 * (b - a);
        let of = |nodes: u32| {
            let sums = rule(table, nodes as usize, |x| half * of(a + half + half * x));
            let larger = |first: usize| larger(&sums[2 + first..], nodes as usize - 1 - first);
            Piece::new(nodes, sums[1], larger(0), larger(2))
        };
        let mut nodes = MAX_NODES as u32;
        let mut piece = of(nodes);
        while piece.is_rounding(nodes) && nodes > FEW_NODES {
            nodes -= STEP;
            piece = piece.or(of(nodes));
        }
        piece
    };
    let all: Vec<_> = (0..LANES)
        .map(|lane| {
            let cut = from + share(lane) * (to - from);
            let right = if lane == LANES - 1 {
                Piece {
                    magnitude: 0.0,
                    rate: 1.0,
                }
            } else {
                piece(cut, to)
            };
            (cut, piece(from, cut), right, off_centre(share(lane)))
        })
        .collect();
    let magnitude = all
        .iter()
        .map(|(_, left, right, _)| left.magnitude + right.magnitude)
        .fold(0.0, f64::max);
    let goal = goal * magnitude;
    let whole = all[LANES as usize - 1].1;
    if let Some(sharp) = sharp {
        return [sharp, -whole.rate];
    }
    let sides = |at: &(f64, Piece, Piece, f64)| at.1.nodes(goal) + at.2.nodes(goal) + at.3;
    let best = all[..LANES as usize - 1]
        .iter()
        .min_by(|a, b| sides(a).total_cmp(&sides(b)))
        .unwrap();
    let rate = whole.rate;
    [
        best.0,
        if is_worth(whole.nodes(goal), sides(best)) {
            -rate
        } else {
            rate
        },
    ]
}

/// A part as kernels take it.
fn region(part: &Part) -> Region {
    part.launched(0, 0, 0.0)
}

impl<F: Fn(&Point) -> f64> Points<F> {
    pub(super) fn new(at: F) -> Self {
        Self { at, table: nodes() }
    }

    /// A node of an axis.
    fn node(&self, part: &Part, k: usize, index: usize) -> &[f64] {
        let first = nodes_before(u32::from(part.nodes[k])) as usize + index;
        &self.table[first * NODE..][..NODE]
    }

    fn dimensions(part: &Part) -> usize {
        part.nodes.iter().filter(|&&nodes| nodes > 0).count()
    }

    /// The point of a plane where the function is largest.
    fn start(&self, part: &Part, plane: u32) -> Point {
        let (region, mut x) = (region(part), [0.0; MAX_DIMENSIONS]);
        let place = |k: usize, index: usize| {
            region.half[k].mul_add(self.node(part, k, index)[0], region.centre[k])
        };
        let mut left = plane as usize;
        let dimensions = Self::dimensions(part);
        for (k, x) in x.iter_mut().enumerate().take(dimensions).skip(2) {
            *x = place(k, left % usize::from(part.nodes[k]));
            left /= usize::from(part.nodes[k]);
        }
        let [along, across] = [usize::from(part.nodes[0]), usize::from(part.nodes[1])];
        let (mut best, mut most) = (x, -1.0);
        for point in 0..along * across {
            (x[0], x[1]) = (place(0, point % along), place(1, point / along));
            let size = (self.at)(&x).abs();
            if size > most || point == 0 {
                (best, most) = (x, size);
            }
        }
        best
    }

    /// What lines beside an axis tell.
    fn beside(&self, part: &Part, k: usize, look: u32) -> [f64; 3] {
        let (region, dimensions) = (region(part), Self::dimensions(part));
        let (edges, fine, mut of) = match look {
            0 => (beside::edges(dimensions), FINE_RULE, [0.0; 3]),
            _ => (0, LOOK_RULE, [0.0; 3]),
        };
        for lane in 0..LANES {
            let node = |nodes: u32, index: u32| {
                let first = (nodes_before(nodes) + index) as usize * NODE;
                [self.table[first], self.table[first + 1]]
            };
            let mut x = [0.0; MAX_DIMENSIONS];
            let weight = if look > 0 {
                let line = (look - 1) * LANES + lane;
                beside::anywhere(&region, dimensions, k, line, &mut x);
                1.0
            } else {
                beside::place(&region, dimensions, k, lane, node, &mut x)
            };
            let nodes = [part.nodes[k].into(), fine];
            let (lacks, is_rough) = beside_it(&self.table, nodes, |share| {
                x[k] = region.half[k].mul_add(share, region.centre[k]);
                (self.at)(&x)
            });
            let (lacks, is_edge) = (weight * lacks, lane < edges);
            let off = lacks.abs() / f64::from(LANES);
            of[0] += if is_rough || !is_edge { off } else { 0.0 };
            of[1] += if is_rough { off } else { 0.0 };
            of[2] += if is_edge {
                0.0
            } else {
                lacks / f64::from(LANES - edges)
            };
        }
        of
    }

    fn sums_of(&self, part: &Part) -> Vec<f64> {
        let dimensions = Self::dimensions(part);
        let region = region(part);
        let mut sums = vec![0.0; SUMS];
        sums[BEST] = -1.0;
        let counts: Vec<usize> = part.nodes[..dimensions]
            .iter()
            .map(|&n| usize::from(n))
            .collect();
        let mut index = vec![0_usize; dimensions];
        let mut of_plane = 0.0;
        let (mut plane, size) = (0_u32, counts[0] * counts[1]);
        for point in 0..counts.iter().product::<usize>() {
            let (mut x, mut weight) = ([0.0; MAX_DIMENSIONS], 1.0);
            for k in 0..dimensions {
                let node = self.node(part, k, index[k]);
                x[k] = region.half[k].mul_add(node[0], region.centre[k]);
                weight *= node[1] * region.half[k];
            }
            let value = (self.at)(&x) * weight;
            sums[0] += value;
            sums[1] += value.abs();
            of_plane += value.abs();
            for k in 0..dimensions {
                let node = self.node(part, k, index[k]);
                for m in 0..COEFFICIENTS {
                    sums[FIRST + k * COEFFICIENTS + m] += value * node[2 + m];
                }
            }
            if (point + 1) % size == 0 {
                if of_plane > sums[BEST] {
                    (sums[BEST], sums[BEST + 1]) = (of_plane, f64::from(plane));
                }
                plane += 1;
                of_plane = 0.0;
            }
            for (index, count) in index.iter_mut().zip(&counts) {
                *index += 1;
                if *index < *count {
                    break;
                }
                *index = 0;
            }
        }
        let start = self.start(part, sums[BEST + 1] as u32);
        for k in 0..dimensions {
            let along = |start: Point| {
                move |share: f64| {
                    let mut x = start;
                    x[k] = region.half[k].mul_add(share, region.centre[k]);
                    (self.at)(&x)
                }
            };
            let mut of = line(&self.table, counts[k], along(start));
            of[3..].copy_from_slice(&self.beside(part, k, 0));
            sums[LINES + k * LINE..][..LINE].copy_from_slice(&of);
        }
        sums
    }
}

impl<F: Fn(&Point) -> f64> Evaluate for Points<F> {
    fn sums(&mut self, parts: &[Part], _: Next) -> crate::Result<Cow<'_, [f64]>> {
        let sums = parts.iter().flat_map(|part| self.sums_of(part));
        Ok(Cow::Owned(sums.collect()))
    }

    fn looks(&mut self, asked: &[(Part, u32)]) -> crate::Result<Vec<f64>> {
        let of_axis = |part: &Part, looks: u32, k: usize| {
            let all = (1..=looks).map(|look| self.beside(part, k, look));
            let most = all.reduce(|most, of| if of[0] > most[0] { of } else { most });
            let [others, rough, lacks] = most.unwrap_or_default();
            [0.0, 0.0, 0.0, others, rough, lacks]
        };
        let mut lines = Vec::new();
        for (part, looks) in asked {
            lines.extend((0..Self::dimensions(part)).flat_map(|k| of_axis(part, *looks, k)));
        }
        Ok(lines)
    }

    fn plans(&mut self, asked: &[Ask]) -> crate::Result<Vec<f64>> {
        let of = |ask: &Ask| {
            let start = self.start(&ask.part, ask.plane);
            let axes = (0..Self::dimensions(&ask.part)).flat_map(|k| {
                let ends = [ask.part.from[k], ask.part.to[k]];
                let along = |place: f64| {
                    let mut x = start;
                    x[k] = place;
                    (self.at)(&x)
                };
                let sharp = divide(&along, ends[0], ends[1]);
                plan(&self.table, ends, ask.goal, sharp, along)
            });
            axes.collect::<Vec<_>>()
        };
        Ok(asked.iter().flat_map(of).collect())
    }
}
