//! What a region's sums tell of its error along an axis.

use cuda_std::GpuFloat;

use crate::cubature::region::MAX_NODES;

/// How much of the halvings of degree up to twice the rule's is believed: the error of a rule of n
/// nodes is that of degree 2 n, n + 1 degrees beyond the last coefficient, and a pair of degrees
/// shrinks it by the decay; half of them would be all.
const BELIEVED: f64 = 0.4;
/// What a line is off is multiplied by this: the region's other lines may be worse.
const OTHER_LINES: f64 = 2.0;
/// A line tells how coefficients shrink where its own last ones are no less than this of the
/// region's; what it tells is multiplied by
const ALIKE: f64 = 0.25;
/// this.
const SHRINK: f64 = 2.0;
/// A line that is off by more than this of its magnitude does not resolve the function.
const BLIND: f64 = 0.1;
/// What the lines beside it are off, on the mean, is multiplied by this: they are some of many.
const SOME: f64 = 1.0;
/// Where more than this of it is of rough lines, more nodes are of no use.
const MOSTLY: f64 = 0.5;
const COMPARABLE: f64 = 1.0 / 16.0;
/// Other lines refute an error of less than one in so many of theirs.
const REFUTED: f64 = 4.0;

/// An axis of a region: the larger one of its last two coefficients, and what becomes of it with
/// two degrees more.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Axis {
    pub(super) decay: f64,
    /// What the rule errs by, as the coefficients tell,
    coefficients: f64,
    /// as the line does,
    line: f64,
    /// and as those beside it do;
    beside: f64,
    /// these with their signs,
    lacks: f64,
    /// and whether they are rough.
    is_rough: bool,
}

/// A power, once in the code of a kernel.
#[inline(never)]
fn power(x: f64, to: f64) -> f64 {
    GpuFloat::powf(x, to)
}

impl Axis {
    /// Of coefficients, the highest degree first, each in the norm of a unit of its degree.
    ///
    /// The decay is that of the last pairs, but no faster than twice that from the magnitude's
    /// integral on: coefficients that are small by chance are not believed. Where the line's
    /// coefficients are as large as the region's, it tells how much smaller those are that the rule
    /// errs by.
    /// `line` is what the axis' line is off, in units of its magnitude, or, where that is 0, minus
    /// that between -1 and 1; the last two coefficients that the rule tells there, and those that it
    /// errs by.
    pub(super) fn new(
        nodes: usize,
        coefficients: &[f64],
        magnitude: f64,
        line: &[f64],
        volume: f64,
    ) -> Self {
        let norm = |m: usize| coefficients[m].abs() / GpuFloat::sqrt((2 * (nodes - m) - 1) as f64);
        let (last, before) = (norm(0).max(norm(1)), norm(2).max(norm(3)));
        let [off, told, beyond] = [line[0], line[1], line[2]];
        let [others, rough, lacks] = [line[3], line[4], line[5]];
        if off.is_nan() || others.is_nan() {
            return Self::not_finite();
        }
        let seen = if off < 0.0 {
            -0.5 * off * volume
        } else {
            off * magnitude
        };
        let line = OTHER_LINES * seen;
        let (mut decay, mut coefficients) = (0.0, 0.0);
        if last > 0.0 {
            let pairs = (nodes as f64 + 1.0) / 2.0;
            let overall = power(last / magnitude, 4.0 / (nodes as f64 - 1.0));
            decay = (last / before).max(overall).min(1.0);
            let mut shrink = power(decay, 2.0 * BELIEVED * pairs);
            if off.abs() > BLIND {
                (decay, shrink) = (1.0, 1.0);
            } else if off >= 0.0 && told * magnitude >= ALIKE * last {
                // Rougher than the line at these degrees, the region is more so at twice the degrees.
                let rougher = (last / (told * magnitude)).max(1.0);
                let of_line = (rougher * rougher * beyond.max(off) / told).min(1.0);
                // The line may be even or odd where the region is not: a degree less is believed.
                let of_line = power(of_line, 1.0 - 0.5 / pairs);
                decay = power(of_line, 1.0 / pairs).max(overall);
                shrink = shrink.min(SHRINK * of_line);
            }
            coefficients = last * shrink;
        }
        let mut axis = Self {
            decay,
            coefficients,
            line,
            ..Self::default()
        };
        axis.see([others, rough, lacks], volume);
        axis
    }

    /// Where the function is infinite or no number.
    fn not_finite() -> Self {
        Self {
            line: f64::INFINITY,
            ..Self::default()
        }
    }

    /// What lines beside it tell.
    fn see(&mut self, [others, rough, lacks]: [f64; 3], volume: f64) {
        self.beside = SOME * 0.5 * others * volume;
        self.lacks = SOME * 0.5 * lacks * volume;
        let comparable = COMPARABLE * self.line.max(self.coefficients);
        self.is_rough = rough > MOSTLY * others && self.beside > comparable;
        if self.is_rough {
            self.decay = 1.0;
        }
    }

    /// What other lines beside it tell, where that refutes the error.
    pub(super) fn see_again(&mut self, line: &[f64], volume: f64) {
        if line[3].is_nan() {
            *self = Self::not_finite();
        } else if SOME * 0.5 * line[3] * volume > REFUTED * self.error() {
            self.see(
                [line[3], line[4], line[5]].map(|of| OTHER_LINES * of),
                volume,
            );
            self.decay = 1.0;
        }
    }

    /// The error of the region's rule.
    pub(super) fn error(&self) -> f64 {
        self.coefficients.max(self.line).max(self.beside)
    }

    /// Where its errors are those of rough lines: what the rule lacks.
    pub(super) fn lacks(&self) -> Option<f64> {
        self.is_rough.then_some(self.lacks)
    }

    /// The fewest nodes in place of `of`, up to twice the most, that err by no more than `goal`.
    pub(super) fn nodes(&self, of: usize, goal: f64) -> usize {
        let step = power(self.decay, 0.5 + BELIEVED);
        let error = |nodes: usize| self.error() * GpuFloat::powi(step, (nodes - of) as i32);
        let (mut least, mut most) = (of, 2 * MAX_NODES);
        while least < most {
            let middle = least + (most - least) / 2;
            if error(middle) <= goal {
                most = middle;
            } else {
                least = middle + 1;
            }
        }
        least
    }
}
