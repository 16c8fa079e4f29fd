//! The decisions: which regions are refined in a round, by more nodes or by a cut, and when the
//! claim is within the tolerance.

use quadscan_kernels::cubature::region::{
    BEST, COEFFICIENTS, FIRST, LINES, MAX_DIMENSIONS, MAX_NODES, MAX_PLANES, MIN_NODES, SUMS,
};

use super::table::Axis;
use super::{CubatureOptions, Cubed, Status};
use crate::Result;

/// What a launch computes.
pub(super) trait Evaluate {
    /// [`SUMS`] of each region.
    fn sums(&mut self, boxes: &[Part]) -> Result<Vec<f64>>;

    /// Where to cut each region along an axis, looked for in one of its planes.
    fn cuts(&mut self, asked: &[Cut]) -> Result<Vec<f64>>;
}

/// A box and its rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Part {
    pub(super) from: [f64; MAX_DIMENSIONS],
    pub(super) to: [f64; MAX_DIMENSIONS],
    pub(super) nodes: [u8; MAX_DIMENSIONS],
}

impl Part {
    /// Points of the rule in the axes from `first` on.
    pub(super) fn points(&self, first: usize) -> u64 {
        let counts = self.nodes[first..]
            .iter()
            .map(|&nodes| u64::from(nodes.max(1)));
        counts.product()
    }
}

/// A question for a cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub(super) part: Part,
    pub(super) axis: usize,
    pub(super) plane: u32,
}

/// The decay beyond which more nodes are not worth it,
const SLOW: f64 = 0.5;
/// and that with which they always are.
const FAST: f64 = 0.25;
/// An axis with less of a region's error than this is left as it is.
const LITTLE: f64 = 0.01;
/// The part of the tolerance that is left to regions which are not refined.
const SHARE: f64 = 0.5;
/// The most that an estimate which was refuted is multiplied by.
const MOST_DOUBT: f64 = 1e6;
/// Rounds in which all regions are halved where the function is 0 at all nodes.
const BLANK_ROUNDS: u32 = 12;
/// Bins of errors: one a power of two.
const BINS: usize = 2048;

/// A part that was summed.
#[derive(Clone, Debug)]
struct Region {
    part: Part,
    value: f64,
    magnitude: f64,
    axes: [Axis; MAX_DIMENSIONS],
    /// What the estimate is multiplied by: more than 1 where one before was refuted.
    doubt: f64,
    error: f64,
    plane: u32,
}

impl Region {
    fn new(part: Part, sums: &[f64], dimensions: usize) -> Self {
        let mut axes = [Axis::default(); MAX_DIMENSIONS];
        let coefficients = sums[FIRST..BEST].chunks(COEFFICIENTS);
        let widths = part.to.iter().zip(&part.from).take(dimensions);
        let volume = widths.map(|(to, from)| to - from).product();
        for (k, (axis, of)) in axes[..dimensions].iter_mut().zip(coefficients).enumerate() {
            let nodes = usize::from(part.nodes[k]);
            *axis = Axis::new(nodes, of, sums[1], sums[LINES + k], volume);
        }
        let mut region = Self {
            part,
            value: sums[0],
            magnitude: sums[1],
            axes,
            doubt: 1.0,
            error: 0.0,
            plane: sums[BEST + 1] as u32,
        };
        region.doubt(1.0, dimensions);
        region
    }

    fn nodes(&self, axis: usize) -> usize {
        usize::from(self.part.nodes[axis])
    }

    /// The error along an axis.
    fn error(&self, axis: usize) -> f64 {
        self.doubt * self.axes[axis].found(self.nodes(axis))
    }

    fn doubt(&mut self, doubt: f64, dimensions: usize) {
        self.doubt = doubt;
        self.error = (0..dimensions).map(|axis| self.error(axis)).sum();
    }

    fn bin(&self) -> usize {
        (self.error.to_bits() >> 52) as usize % BINS
    }

    /// The axis to cut, or else the part with more nodes, so that the error is no more than `goal`.
    fn refined(&self, goal: f64, dimensions: usize, is_first: bool) -> (Option<usize>, Part) {
        let goal = goal / dimensions as f64 / self.doubt;
        let step = if dimensions > 5 { 2 } else { 4 };
        let (mut cut, mut part) = (None, self.part);
        for k in 0..dimensions {
            let (error, nodes, axis) = (self.error(k), self.nodes(k), &self.axes[k]);
            if !is_first && (error <= goal * self.doubt || error < LITTLE * self.error) {
                continue;
            }
            let wanted = axis.nodes(nodes, goal).max(nodes + 1);
            let is_slow = axis.decay > SLOW || wanted > MAX_NODES && axis.decay > FAST;
            let is_worse = cut.is_none_or(|cut| error > self.error(cut));
            if (is_slow || nodes == MAX_NODES) && is_worse {
                cut = Some(k);
            }
            part.nodes[k] = wanted.min(MAX_NODES).min(nodes + step) as u8;
        }
        if part.points(2) > MAX_PLANES && cut.is_none() {
            let worst = |&a: &usize, &b: &usize| self.error(a).total_cmp(&self.error(b));
            cut = (0..dimensions).max_by(worst);
        }
        (cut, part)
    }

    /// The two parts on either side of a cut.
    fn divided(&self, axis: usize, at: f64) -> [Part; 2] {
        let (mut left, mut right) = (self.part, self.part);
        (left.to[axis], right.from[axis]) = (at, at);
        let nodes = self.nodes(axis).saturating_sub(2).max(MIN_NODES) as u8;
        (left.nodes[axis], right.nodes[axis]) = (nodes, nodes);
        [left, right]
    }

    /// Whether a cut in two would leave a box without an inside.
    fn is_thin(&self, axis: usize, at: f64) -> bool {
        !(self.part.from[axis] < at && at < self.part.to[axis])
    }
}

/// A sum of many numbers, with what rounding lost (Neumaier, 1974).
fn sum(of: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0);
    for x in of {
        let next = sum + x;
        lost += if sum.abs() >= x.abs() {
            (sum - next) + x
        } else {
            (x - next) + sum
        };
        sum = next;
    }
    sum + lost
}

/// What all regions give together.
struct Totals {
    value: f64,
    error: f64,
    /// What rounding may be.
    noise: f64,
}

/// All regions of an integral.
struct Rounds<'a> {
    options: &'a CubatureOptions,
    dimensions: usize,
    regions: Vec<Region>,
    evaluations: u64,
    rounds: u32,
}

/// Integrates over a box with finite limits, each lower one below the upper one.
pub(super) fn integrate(
    limits: &[(f64, f64)],
    options: &CubatureOptions,
    on: &mut impl Evaluate,
) -> Result<Cubed> {
    let dimensions = limits.len();
    let mut part = Part {
        from: [0.0; MAX_DIMENSIONS],
        to: [0.0; MAX_DIMENSIONS],
        nodes: [0; MAX_DIMENSIONS],
    };
    for (k, &(from, to)) in limits.iter().enumerate() {
        (part.from[k], part.to[k], part.nodes[k]) = (from, to, MIN_NODES as u8);
    }
    let mut all = Rounds {
        options,
        dimensions,
        regions: Vec::new(),
        evaluations: 0,
        rounds: 0,
    };
    all.regions = all.summed(&[part], on)?;
    let status = loop {
        let totals = all.totals();
        if !(totals.value.is_finite() && totals.noise.is_finite() && totals.error.is_finite()) {
            break Status::NotFinite;
        }
        let tolerance = options.absolute.max(options.relative * totals.value.abs());
        // What was seen once is looked at again.
        let is_blank = totals.noise == 0.0 && all.rounds < BLANK_ROUNDS;
        if is_blank {
            if !all.halve(on)? {
                break Status::OutOfRoom;
            }
            continue;
        }
        if all.rounds > 0 {
            if totals.error + totals.noise <= tolerance {
                break Status::Converged;
            }
            if totals.error <= totals.noise {
                break Status::Roundoff;
            }
        }
        if !all.round(tolerance.max(2.0 * totals.noise), on)? {
            break Status::OutOfRoom;
        }
    };
    let totals = all.totals();
    let is_none = status == Status::NotFinite;
    Ok(Cubed {
        value: if is_none { f64::NAN } else { totals.value },
        error: if is_none {
            f64::INFINITY
        } else {
            totals.error + totals.noise
        },
        evaluations: all.evaluations,
        regions: all.regions.len(),
        rounds: all.rounds,
        status,
    })
}

impl Rounds<'_> {
    fn totals(&self) -> Totals {
        let noise = (8 + 2 * self.dimensions) as f64 * f64::EPSILON;
        Totals {
            value: sum(self.regions.iter().map(|region| region.value)),
            error: sum(self.regions.iter().map(|region| region.error)),
            noise: noise * sum(self.regions.iter().map(|region| region.magnitude)),
        }
    }

    fn summed(&mut self, parts: &[Part], on: &mut impl Evaluate) -> Result<Vec<Region>> {
        let sums = on.sums(parts)?;
        let points = parts.iter().map(|part| part.points(0));
        self.evaluations += points.sum::<u64>();
        let regions = parts.iter().zip(sums.chunks(SUMS));
        Ok(regions
            .map(|(&part, sums)| Region::new(part, sums, self.dimensions))
            .collect())
    }

    /// The least bin of those that are refined: what is below has no more than its share of the
    /// goal, and the cuts have room.
    fn least_bin(&self, goal: f64) -> usize {
        let mut counts = [0_u64; BINS];
        for region in &self.regions {
            counts[region.bin()] += 1;
        }
        let (mut left, mut bin) = (0.0, 0);
        while bin < BINS - 2 {
            let most = f64::from_bits(((bin + 1) as u64) << 52);
            left += counts[bin] as f64 * most;
            if left > SHARE * goal {
                break;
            }
            bin += 1;
        }
        let mut room = (self.options.regions.saturating_sub(self.regions.len())) as u64;
        let mut first = BINS;
        while first > bin && counts[first - 1] <= room {
            first -= 1;
            room -= counts[first];
        }
        first
    }

    /// Halves all regions along the next axis; false where there is no room.
    fn halve(&mut self, on: &mut impl Evaluate) -> Result<bool> {
        let axis = self.rounds as usize % self.dimensions;
        let halves = self.regions.iter().flat_map(|region| {
            let (from, to) = (region.part.from[axis], region.part.to[axis]);
            region.divided(axis, from + 0.5 * (to - from))
        });
        let halves: Vec<Part> = halves.collect();
        let points = halves.iter().map(|part| part.points(0)).sum();
        if halves.len() > self.options.regions || !self.has_room(points) {
            return Ok(false);
        }
        self.regions = self.summed(&halves, on)?;
        self.rounds += 1;
        Ok(true)
    }

    fn has_room(&self, points: u64) -> bool {
        self.evaluations.saturating_add(points) <= self.options.evaluations
    }

    /// Refines the regions with the largest errors; false where there is no room.
    fn round(&mut self, goal: f64, on: &mut impl Evaluate) -> Result<bool> {
        let (dimensions, is_first) = (self.dimensions, self.rounds == 0);
        let bin = if is_first { 0 } else { self.least_bin(goal) };
        let aim = SHARE * goal / 2.0 / self.regions.len() as f64;
        let chosen = |&index: &usize| self.regions[index].bin() >= bin;
        let chosen: Vec<usize> = (0..self.regions.len()).filter(chosen).collect();
        let refined = chosen
            .iter()
            .map(|&index| self.regions[index].refined(aim, dimensions, is_first));
        let refined: Vec<(Option<usize>, Part)> = refined.collect();
        let asked = chosen
            .iter()
            .zip(&refined)
            .filter_map(|(&index, &(axis, _))| {
                let Region { part, plane, .. } = self.regions[index];
                axis.map(|axis| Cut { part, axis, plane })
            });
        let asked: Vec<Cut> = asked.collect();
        let mut cuts = on.cuts(&asked)?.into_iter();
        let (mut parts, mut parents, mut more) = (Vec::new(), Vec::new(), 0);
        for (&index, &(axis, part)) in chosen.iter().zip(&refined) {
            let region = &self.regions[index];
            match axis {
                None => parts.push(part),
                Some(axis) => {
                    let at = cuts.next().unwrap_or(f64::NAN);
                    let is_full = self.regions.len() + more == self.options.regions;
                    if is_full || region.is_thin(axis, at) {
                        continue;
                    }
                    more += 1;
                    parts.extend(region.divided(axis, at));
                }
            }
            parents.push((index, axis.is_some()));
        }
        let points = parts
            .iter()
            .map(|part| part.points(0))
            .fold(0, u64::saturating_add);
        if parts.is_empty() || !self.has_room(points) {
            return Ok(false);
        }
        let mut made = self.summed(&parts, on)?.into_iter();
        for (index, is_cut) in parents {
            let mut children = [made.next(), is_cut.then(|| made.next()).flatten()];
            self.judge(index, &mut children);
            let [first, second] = children;
            if let Some(first) = first {
                self.regions[index] = first;
            }
            self.regions.extend(second);
        }
        self.rounds += 1;
        Ok(true)
    }

    /// Doubts the children of a region whose claim they refute, or came close to.
    fn judge(&self, index: usize, children: &mut [Option<Region>; 2]) {
        let parent = &self.regions[index];
        let value: f64 = children.iter().flatten().map(|child| child.value).sum();
        let rounding = 8.0 * f64::EPSILON * parent.magnitude;
        let off = ((value - parent.value).abs() - rounding).max(0.0);
        let refuted = if off == 0.0 {
            1.0
        } else {
            (4.0 * off / parent.error).clamp(1.0, MOST_DOUBT)
        };
        for child in children.iter_mut().flatten() {
            child.doubt(refuted * parent.doubt.sqrt(), self.dimensions);
        }
    }
}
