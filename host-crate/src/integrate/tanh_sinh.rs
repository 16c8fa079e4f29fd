//! Many integrals by tanh-sinh rules.

use std::f64::consts::FRAC_PI_2;

use cuda_std::launch::Actual;
use quadscan_kernels::integrate::sizes::{MAX_LEVELS, MIN_LEVELS, STEP};

use super::batch::{Batch, Goal, Method, default_tolerance};
use super::subject::Subject;
use super::{Real, refuse};
use crate::Result;
use crate::device::{Buffer, Device, arguments};

/// What is asked of tanh-sinh rules.
#[derive(Clone, Debug)]
pub struct TanhSinhOptions<R> {
    /// The absolute tolerance; 0 or more.
    pub absolute: R,
    /// The tolerance relative to the integral's magnitude; 0 or more. The larger of the two
    /// counts.
    pub relative: R,
    /// The last level, 2 to 10. An interval has about 25 2^level nodes in f64, 16 2^level in
    /// f32, and about half of that where nothing is singular at its ends.
    pub levels: u32,
    /// Points where the function jumps, has a corner or is singular, beside those that it is
    /// known to have; a point that is not between an item's limits is none of it.
    pub breaks: Vec<R>,
}

impl<R: Real> Default for TanhSinhOptions<R> {
    /// A relative tolerance of 10^-10 (10^-4 in f32), 8 levels.
    fn default() -> Self {
        Self {
            absolute: R::ZERO,
            relative: default_tolerance(),
            levels: 8,
            breaks: Vec::new(),
        }
    }
}

/// Integrals by tanh-sinh rules of ever more nodes until two of them agree. The function may be
/// infinite at the limits, or at breaks.
///
/// An outcome that is [`OUT_OF_INTERVALS`](super::OUT_OF_INTERVALS) has reached the last level.
///
/// A function that is steep next to a limit which is not 0 needs the distance from it
/// ([`Integrand::eval_at`](super::Integrand::eval_at)); where it has but `x`, what `x` cannot
/// tell apart counts as an error.
///
/// Sources: Takahasi and Mori, Double exponential formulas for numerical integration, 1974;
/// Bailey, Jeyabalan and Li, A comparison of three high-precision quadrature schemes, 2005.
pub type TanhSinh<R> = Batch<R, TanhSinhTable<R>>;

/// The table of the nodes of all levels.
#[derive(Debug)]
pub struct TanhSinhTable<R: Real> {
    last: u32,
    nodes: Buffer<R>,
    begins: Buffer<u32>,
}

// SAFETY: the kernel takes the table, which has all levels, and the last one.
unsafe impl<R: Real> Method<R> for TanhSinhTable<R> {
    type Options = TanhSinhOptions<R>;

    fn goal(options: &TanhSinhOptions<R>) -> Goal<'_, R> {
        Goal {
            absolute: options.absolute,
            relative: options.relative,
            breaks: &options.breaks,
        }
    }

    fn new(device: &Device, options: &TanhSinhOptions<R>) -> Result<Self> {
        refuse::within("levels", options.levels, MIN_LEVELS..=MAX_LEVELS)?;
        let (nodes, begins) = table::<R>(options.levels);
        Ok(Self {
            last: options.levels,
            nodes: device.upload(&nodes)?,
            begins: device.upload(&begins)?,
        })
    }

    fn entry(subject: &Subject) -> &'static str {
        subject.tanh_sinh
    }

    fn with_parameters<T>(&self, launch: impl FnOnce(&[Actual<'_>]) -> T) -> T {
        let (nodes, begins) = (self.nodes.address(), self.begins.address());
        launch(&arguments![nodes, begins, self.last])
    }
}

/// Delta and weight of the nodes from level 0 to the `last`, and where the levels begin.
///
/// A level ends where delta is less than a normal number.
fn table<R: Real>(last: u32) -> (Vec<R>, Vec<u32>) {
    let (mut nodes, mut begins) = (Vec::new(), vec![0]);
    for level in 0..=last {
        let step = STEP * 0.5_f64.powi(level as i32);
        let t = |k: u32| match level {
            0 => f64::from(k) * step,
            _ => f64::from(2 * k + 1) * step,
        };
        let of_level = (0..).map(|k| node(t(k)));
        let least = R::MIN_POSITIVE.to_f64();
        for (delta, weight) in of_level.take_while(|&(delta, _)| delta >= least) {
            nodes.extend([R::from_f64(delta), R::from_f64(weight)]);
        }
        begins.push((nodes.len() / 2) as u32);
    }
    (nodes, begins)
}

/// A node's distance from the end, 1 - tanh(pi / 2 sinh t), and its weight, tanh's
/// derivative: of t, from 0 on. Both halves of an interval have the one at 0.
fn node(t: f64) -> (f64, f64) {
    let power = (-2.0 * FRAC_PI_2 * t.sinh()).exp();
    let delta = 2.0 * power / (1.0 + power);
    let weight = FRAC_PI_2 * t.cosh() * delta * (2.0 - delta);
    (delta, if t == 0.0 { 0.5 * weight } else { weight })
}

#[cfg(test)]
mod tests {
    use super::{node, table};

    /// Expected: the definition in decimal arithmetic of 40 digits.
    #[test]
    fn nodes_are_those_of_the_definition() {
        assert_eq!(node(0.0), (1.0, std::f64::consts::FRAC_PI_4));
        for (t, delta, weight, error) in [
            (
                0.5,
                0.325_728_507_751_564_17,
                0.965_976_579_412_301_1,
                1e-15,
            ),
            (
                3.0,
                4.294_161_055_878_241e-14,
                1.358_178_427_453_909e-12,
                2e-14,
            ),
            (
                6.0,
                1.225_653_813_658_486_5e-275,
                7.767_070_688_633_406e-273,
                4e-13,
            ),
        ] {
            let found = node(t);
            assert!((found.0 - delta).abs() <= error * delta, "{t}: {found:?}");
            assert!((found.1 - weight).abs() <= error * weight, "{t}: {found:?}");
        }
    }

    #[test]
    fn weights_add_up_to_the_length_and_nodes_reach_the_least_number() {
        for (level, error) in [(2, 1e-14), (4, 3e-15)] {
            let (nodes, begins) = table::<f64>(level);
            assert_eq!(begins.len(), level as usize + 2);
            let step = 0.5_f64.powi(level as i32 + 1);
            let sum: f64 = nodes.chunks(2).map(|node| node[1]).sum();
            // Two ends, on an interval of length 2.
            assert!((2.0 * step * sum - 2.0).abs() <= error, "{level}: {sum}");
            let least = nodes.chunks(2).map(|node| node[0]).fold(1.0, f64::min);
            assert!((f64::MIN_POSITIVE..1e-270).contains(&least));
        }
        let (single, _) = table::<f32>(2);
        assert!(single.chunks(2).all(|node| node[0] >= f32::MIN_POSITIVE));
    }
}
