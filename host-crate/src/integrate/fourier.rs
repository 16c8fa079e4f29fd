//! Many Fourier integrals: half-infinite ranges, and a wave that the formula is multiplied by.

use std::f64::consts::PI;

use cuda_std::launch::Actual;
use quadscan_kernels::integrate::sizes::{MAX_LEVELS, MIN_LEVELS, STEP};

use super::batch::{Batch, Goal, Method, default_tolerance};
use super::refuse;
use super::subject::Subject;
use crate::Result;
use crate::device::{Buffer, Device, arguments};

/// What a formula is multiplied by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wave {
    /// sin(omega x + phase).
    #[default]
    Sine,
    /// cos(omega x + phase).
    Cosine,
}

/// What is asked of Fourier integrals.
#[derive(Clone, Debug)]
pub struct FourierOptions {
    /// Sine or cosine.
    pub wave: Wave,
    /// The absolute tolerance; 0 or more.
    pub absolute: f64,
    /// The tolerance relative to the integral's magnitude; 0 or more. The larger of the two
    /// counts.
    pub relative: f64,
    /// The last level, 2 to 10. A level has up to 80 2^level nodes, of which about a half is needed where
    /// nothing is singular at the limit.
    pub levels: u32,
}

impl Default for FourierOptions {
    /// A sine, a relative tolerance of 10^-10, 8 levels.
    fn default() -> Self {
        Self {
            wave: Wave::Sine,
            absolute: 0.0,
            relative: default_tolerance::<f64>(),
            levels: 8,
        }
    }
}

/// Integrals of f(x) sin(omega x + phase), or of the cosine, from a limit to infinity, from minus infinity
/// to a limit, or over the whole line, of an f that falls as slowly as 1 / x or more slowly, and may be
/// infinite at the limit.
///
/// It is a plan of [`Formula::with_wave`](super::Formula::with_wave) by
/// [`of_formula`](Batch::of_formula): the formula's last two parameters are omega and the phase. Integrands
/// in Rust have no kernel of it ([`Error::UnknownKernel`](crate::Error::UnknownKernel)). An outcome is
/// [`NO_LIMITS`](super::NO_LIMITS) where no limit is infinite, or omega is 0, infinite or NaN, and
/// [`OUT_OF_INTERVALS`](super::OUT_OF_INTERVALS) where the last level was reached.
///
/// f is taken to go on smoothly where it is not looked at, which is from some 100 / omega on. An integral
/// that has a sum of Abel's alone, as that of sin x from 0 on, is given it; and one that has none, since f
/// grows as a slow exponential, may be given what its closed form goes on to: whether f falls is not
/// checked. What lies nearer to the limit than 2.2e-308 is in the claimed error, which is infinite where
/// that bounds nothing. Nodes beyond the largest number are [`NOT_FINITE`](super::NOT_FINITE), at an infinite x.
///
/// Sources: Ooura and Mori, The double exponential formula for oscillatory functions over the half
/// infinite interval, 1991, and A robust double exponential formula for Fourier-type integrals, 1999.
///
/// ```
/// use quadscan::device::{Artifact, Device, DeviceChoice};
/// use quadscan::integrate::{Formula, Fourier, FourierOptions, Items};
///
/// # fn main() -> quadscan::Result<()> {
/// let device = Device::open(DeviceChoice::Auto)?;
/// # /*
/// let module = device.load(&Artifact::embedded()?)?;
/// # */ let folder = std::env::var("QUADSCAN_ARTIFACT").expect("`cargo xtask test` sets it");
/// # let module = device.load(&unsafe { Artifact::read(folder) }?)?;
/// let formula = Formula::parse("x/(1 + x^2)")?.with_wave()?;
/// let mut plan = Fourier::of_formula(&module, &formula, FourierOptions::default())?;
/// // omega is 2, and the phase 0: pi / 2 exp(-2).
/// let found = plan.outcomes(&Items::between(0.0, f64::INFINITY).with(&[2.0, 0.0]))?[0];
/// assert!((found.value - std::f64::consts::FRAC_PI_2 * (-2.0_f64).exp()).abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
pub type Fourier = Batch<f64, FourierTable>;

/// The table of the nodes of all levels, and which wave it is.
#[derive(Debug)]
pub struct FourierTable {
    last: u32,
    is_cosine: u32,
    nodes: Buffer<f64>,
    begins: Buffer<u32>,
}

// SAFETY: the kernel takes the table, which has all lists of all levels, and the last one.
unsafe impl Method<f64> for FourierTable {
    type Options = FourierOptions;

    fn goal(options: &FourierOptions) -> Goal<'_, f64> {
        Goal {
            absolute: options.absolute,
            relative: options.relative,
            breaks: &[],
        }
    }

    fn new(device: &Device, options: &FourierOptions) -> Result<Self> {
        refuse::within("levels", options.levels, MIN_LEVELS..=MAX_LEVELS)?;
        let (nodes, begins) = table(options.levels);
        Ok(Self {
            last: options.levels,
            is_cosine: (options.wave == Wave::Cosine).into(),
            nodes: device.upload(&nodes)?,
            begins: device.upload(&begins)?,
        })
    }

    fn entry(subject: &Subject) -> &'static str {
        subject.fourier
    }

    fn with_parameters<T>(&self, launch: impl FnOnce(&[Actual<'_>]) -> T) -> T {
        let (nodes, begins) = (self.nodes.address(), self.begins.address());
        launch(&arguments![nodes, begins, self.last, self.is_cosine])
    }
}

/// Distances and weights of the nodes from level 0 to the `last`, and where the lists begin: of the sine
/// outwards and to the limit, and of the cosine.
///
/// A list ends where a distance or a weight is less than a normal number.
fn table(last: u32) -> (Vec<f64>, Vec<u32>) {
    let (mut nodes, mut begins) = (Vec::new(), vec![0]);
    for level in 0..=last {
        let formula = DoubleExponential::of_step(STEP * 0.5_f64.powi(level as i32));
        for is_cosine in [false, true] {
            // A node at t = 0 is the sine's first one outwards; those of the cosine lie between.
            let outwards = i32::from(is_cosine)..;
            let inwards = (0..).map(|k: i32| -k - i32::from(!is_cosine));
            let has_both = |&[distance, weight]: &[f64; 2]| {
                distance >= f64::MIN_POSITIVE && weight.abs() >= f64::MIN_POSITIVE
            };
            let node = |n| formula.node(n, is_cosine);
            nodes.extend(outwards.map(node).take_while(has_both).flatten());
            begins.push((nodes.len() / 2) as u32);
            nodes.extend(inwards.map(node).take_while(has_both).flatten());
            begins.push((nodes.len() / 2) as u32);
        }
    }
    (nodes, begins)
}

/// Ooura and Mori's formula of 1999: phi(t) = t / (1 - exp(-g(t))), where
/// g(t) = 2 t + alpha (1 - exp(-t)) + beta (exp(t) - 1).
struct DoubleExponential {
    step: f64,
    /// pi / step.
    scale: f64,
    alpha: f64,
}

const BETA: f64 = 0.25;

impl DoubleExponential {
    fn of_step(step: f64) -> Self {
        let scale = PI / step;
        let alpha = BETA / (1.0 + scale * scale.ln_1p() / (4.0 * PI)).sqrt();
        Self { step, scale, alpha }
    }

    /// How far node `n` is from the limit, and its weight: step M phi'(t) sin(M phi(t)), or cos, at
    /// t = n step or, of a cosine, (n - 1/2) step.
    fn node(&self, n: i32, is_cosine: bool) -> [f64; 2] {
        let turns = f64::from(n) - if is_cosine { 0.5 } else { 0.0 };
        let t = turns * self.step;
        let (exponent, slope) = (
            -2.0 * t + self.alpha * (-t).exp_m1() - BETA * t.exp_m1(),
            -2.0 - self.alpha * (-t).exp() - BETA * t.exp(),
        );
        // 1 - exp(-g), and exp(-g) over it.
        let below = -exponent.exp_m1();
        let over = exponent.exp() / below;
        let (phi, derivative) = if t.abs() < 1.0 / 16.0 {
            self.near_0(t, slope)
        } else {
            (t / below, (1.0 + t * slope * over) / below)
        };
        let distance = self.scale * phi;
        let wave = if t > 0.25 {
            // M phi(t) is whole half turns and this, which is exact where it is next to nothing.
            let rest = (PI * turns * over).sin();
            if n % 2 == 0 { rest } else { -rest }
        } else if is_cosine {
            distance.cos()
        } else {
            distance.sin()
        };
        [distance, self.step * self.scale * derivative * wave]
    }

    /// phi and its derivative by power series: B(-g) / r, where r = g / t and B(u) = u / (exp(u) - 1).
    fn near_0(&self, t: f64, slope: f64) -> (f64, f64) {
        let mut rate = 2.0 + self.alpha + BETA;
        let (mut rate_slope, mut power, mut factorial) = (0.0, 1.0, 1.0);
        for k in 1..9 {
            factorial *= f64::from(k + 1);
            let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
            let coefficient = (BETA + sign * self.alpha) / factorial;
            rate_slope += f64::from(k) * coefficient * power;
            power *= t;
            rate += coefficient * power;
        }
        let u = -rate * t;
        let v = u * u;
        // Bernoulli's numbers over factorials.
        let even = [
            1.0 / 12.0,
            -1.0 / 720.0,
            1.0 / 30_240.0,
            -1.0 / 1_209_600.0,
            1.0 / 47_900_160.0,
        ];
        let sum = even.iter().rev().fold(0.0, |sum, of| sum * v + of);
        let slopes = even.iter().zip([2.0, 4.0, 6.0, 8.0, 10.0]);
        let slopes = slopes
            .rev()
            .fold(0.0, |sum, (of, power)| sum * v + of * power);
        let (quotient, derivative) = (1.0 - 0.5 * u + v * sum, -0.5 + u * slopes);
        (
            quotient / rate,
            derivative * slope / rate - quotient * rate_slope / (rate * rate),
        )
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI};

    use super::{DoubleExponential, table};
    use quadscan_kernels::integrate::sizes::LISTS;

    /// Expected: the definition in decimal arithmetic of 50 digits.
    #[test]
    fn nodes_are_those_of_the_definition() {
        let formula = DoubleExponential::of_step(0.125);
        for (n, is_cosine, distance, weight) in [
            (0, false, 10.735_317_392_399_185, -1.473_899_038_869_980_2),
            (1, true, 11.516_164_863_308_044, 0.794_922_940_389_260_8),
            (3, false, 15.967_033_081_235_508, -0.502_300_334_776_744_1),
            (20, false, 62.855_644_508_257_754, 0.074_406_620_781_126_64),
            (
                41,
                true,
                127.234_502_470_386_63,
                -1.320_594_432_414_199_9e-19,
            ),
            (-6, false, 4.043_626_564_490_179, -0.584_324_703_277_303_8),
            (
                -50,
                true,
                6.693_200_490_103_85e-26,
                4.358_230_761_382_672e-25,
            ),
        ] {
            let found = formula.node(n, is_cosine);
            let errors = [
                (found[0] - distance) / distance,
                (found[1] - weight) / weight,
            ];
            // The wave loses what its turns have; next to the limit phi has the digits of an exponent.
            assert!(
                errors.iter().all(|error| error.abs() < 2e-13),
                "{n}: {found:?}"
            );
        }
    }

    /// Of sin x / x and of cos x / sqrt(x), by each level alone.
    #[test]
    fn levels_integrate_waves_that_fall_slowly() {
        let last = 6;
        let (nodes, begins) = table(last);
        assert_eq!(begins.len() as u32, (last + 1) * LISTS + 1);
        for level in 2..=last {
            let integral = |list: usize, f: fn(f64) -> f64| {
                let first = (level * LISTS) as usize + list;
                let range = 2 * begins[first] as usize..2 * begins[first + 2] as usize;
                let terms = nodes[range].chunks(2).map(|node| node[1] * f(node[0]));
                terms.sum::<f64>()
            };
            let sine = integral(0, |x| 1.0 / x);
            let cosine = integral(2, |x| 1.0 / x.sqrt());
            assert!((sine - FRAC_PI_2).abs() < 4e-15, "{level}: {sine}");
            assert!(
                (cosine - (PI / 2.0).sqrt()).abs() < 4e-14,
                "{level}: {cosine}"
            );
        }
    }
}
