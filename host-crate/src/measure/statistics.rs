//! What samples say: median, minimum, noise, and whether two medians differ.

use serde::{Deserialize, Serialize};

/// The range between the quartiles of a normal distribution in units of its
/// standard deviation.
const QUARTILES_PER_SIGMA: f64 = 1.349;

/// The standard error of a median in units of the mean's: sqrt(pi / 2).
const MEDIAN_ERROR: f64 = 1.2533;

/// A change below this part is never called one.
const SMALLEST_CHANGE: f64 = 0.02;

/// A measured time: every sample, and what they say. At least one sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// In the order in which they were taken, ms.
    pub samples_ms: Vec<f64>,
    /// ms; with an even number the mean of the middle two.
    pub median_ms: f64,
    /// ms.
    pub min_ms: f64,
    /// Spread of the samples as a part of the median: the standard deviation,
    /// estimated from the range between the quartiles.
    pub noise: f64,
}

impl Timing {
    /// `None` without samples: a missing time is missing, not zero.
    pub fn from_samples(samples_ms: Vec<f64>) -> Option<Self> {
        let mut sorted = samples_ms.clone();
        sorted.sort_by(f64::total_cmp);
        let min_ms = *sorted.first()?;
        let median_ms = quantile(&sorted, 0.5);
        let deviation = (quantile(&sorted, 0.75) - quantile(&sorted, 0.25)) / QUARTILES_PER_SIGMA;
        let noise = if deviation > 0.0 {
            deviation / median_ms
        } else {
            0.0
        };
        Some(Timing {
            samples_ms,
            median_ms,
            min_ms,
            noise,
        })
    }

    /// The standard error of the median as a part of the median. One or two
    /// samples say nothing about it: infinite.
    pub fn standard_error(&self) -> f64 {
        if self.samples_ms.len() < 3 {
            return f64::INFINITY;
        }
        MEDIAN_ERROR * self.noise / (self.samples_ms.len() as f64).sqrt()
    }
}

/// A quantile of sorted samples (at least one), linear between them.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let place = part * (sorted.len() - 1) as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
}

/// How a time compares with its baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Less time than the noise of both explains.
    Faster,
    /// More time than the noise of both explains.
    Slower,
    /// The noise explains the difference, or it is below two percent.
    NotDistinguishable,
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Verdict::Faster => "faster",
            Verdict::Slower => "slower",
            Verdict::NotDistinguishable => "not distinguishable",
        })
    }
}

/// The ratio now / then of the medians, and what it means: a change is one when
/// it exceeds two percent and twice the spread of both measurements.
pub fn compare(then: &Timing, now: &Timing) -> (f64, Verdict) {
    let ratio = now.median_ms / then.median_ms;
    let spread = 2.0 * (then.noise.powi(2) + now.noise.powi(2)).sqrt();
    let threshold = spread.max(SMALLEST_CHANGE);
    let verdict = if ratio > 1.0 + threshold {
        Verdict::Slower
    } else if ratio < 1.0 / (1.0 + threshold) {
        Verdict::Faster
    } else {
        Verdict::NotDistinguishable
    };
    (ratio, verdict)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timing(samples: &[f64]) -> Timing {
        match Timing::from_samples(samples.to_vec()) {
            Some(timing) => timing,
            None => panic!("no samples"),
        }
    }

    #[test]
    fn the_median_ignores_an_outlier() {
        let timing = timing(&[1.0, 1.1, 50.0, 0.9, 1.0]);
        assert_eq!((timing.median_ms, timing.min_ms), (1.0, 0.9));
        assert!(
            (timing.noise - 0.1 / 1.349).abs() < 1e-12,
            "{}",
            timing.noise
        );
    }

    #[test]
    fn no_sample_is_no_timing() {
        assert_eq!(Timing::from_samples(Vec::new()), None);
    }

    #[test]
    fn an_even_number_of_samples_has_the_mean_of_the_middle_two() {
        assert_eq!(timing(&[4.0, 1.0, 2.0, 8.0]).median_ms, 3.0);
    }

    #[test]
    fn a_slower_median_beyond_the_noise_is_slower_and_within_it_is_not() {
        let then = timing(&[1.00, 1.00, 1.00]);
        assert_eq!(
            compare(&then, &timing(&[1.10, 1.10, 1.10])).1,
            Verdict::Slower
        );
        assert_eq!(
            compare(&then, &timing(&[0.90, 0.90, 0.90])).1,
            Verdict::Faster
        );
        assert_eq!(
            compare(&then, &timing(&[1.01, 1.01, 1.01])).1,
            Verdict::NotDistinguishable
        );
        let noisy = timing(&[0.9, 1.1, 1.3]);
        assert_eq!(compare(&then, &noisy).1, Verdict::NotDistinguishable);
        assert!((compare(&then, &noisy).0 - 1.1).abs() < 1e-12);
    }
}
