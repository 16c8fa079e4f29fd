//! What samples say: median, minimum, noise. What two measurements say of each
//! other is in `comparison`.

use serde::{Deserialize, Serialize};

/// The range between the quartiles of a normal distribution in units of its
/// standard deviation.
const QUARTILES_PER_SIGMA: f64 = 1.349;

/// The standard error of a median in units of the mean's: sqrt(pi / 2).
const MEDIAN_ERROR: f64 = 1.2533;

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
    /// Samples of each measuring process, in order, where there were several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<usize>,
}

impl Timing {
    /// `None` without samples: a missing time is missing, not zero.
    pub fn from_samples(samples_ms: Vec<f64>) -> Option<Self> {
        let mut sorted = samples_ms.clone();
        sorted.sort_by(f64::total_cmp);
        let min_ms = *sorted.first()?;
        let median_ms = quantile(&sorted, 0.5);
        let deviation = (quantile(&sorted, 0.75) - quantile(&sorted, 0.25)) / QUARTILES_PER_SIGMA;
        let noise = if deviation > 0.0 && median_ms > 0.0 {
            deviation / median_ms
        } else {
            0.0
        };
        Some(Timing {
            samples_ms,
            median_ms,
            min_ms,
            noise,
            processes: Vec::new(),
        })
    }

    /// The samples of several processes as one time; `None` without any.
    pub fn of_processes(timings: &[Timing]) -> Option<Self> {
        let samples = |timing: &Timing| timing.samples_ms.clone();
        let all = Self::from_samples(timings.iter().flat_map(samples).collect())?;
        Some(Timing {
            processes: timings.iter().map(|one| one.samples_ms.len()).collect(),
            ..all
        })
    }

    /// The median of each measuring process, ms: what another run is compared
    /// with.
    pub fn draws(&self) -> Vec<f64> {
        let mut samples = self.samples_ms.as_slice();
        let mut draws = Vec::new();
        for &count in &self.processes {
            let (ours, rest) = samples.split_at(count.min(samples.len()));
            draws.extend(Self::from_samples(ours.to_vec()).map(|timing| timing.median_ms));
            samples = rest;
        }
        // One process, or what is left where the counts do not add up.
        draws.extend(Self::from_samples(samples.to_vec()).map(|timing| timing.median_ms));
        draws
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
pub(super) fn quantile(sorted: &[f64], part: f64) -> f64 {
    let place = part * (sorted.len() - 1) as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
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
    fn every_process_is_one_draw() {
        let several = Timing::of_processes(&[timing(&[1.0, 9.0, 2.0]), timing(&[4.0])]);
        let several = several.unwrap_or_else(|| timing(&[0.0]));
        assert_eq!(several.samples_ms, [1.0, 9.0, 2.0, 4.0]);
        assert_eq!(several.draws(), [2.0, 4.0]);
        assert_eq!(several.median_ms, 3.0, "of all samples");
        assert_eq!(timing(&[1.0, 9.0, 2.0]).draws(), [2.0]);
        assert_eq!(Timing::of_processes(&[]), None);
    }

    #[test]
    fn times_of_earlier_versions_are_of_one_process() {
        let text = r#"{"samples_ms":[1.0,2.0],"median_ms":1.5,"min_ms":1.0,"noise":0.0}"#;
        let timing: Timing = match serde_json::from_str(text) {
            Ok(timing) => timing,
            Err(e) => panic!("{e}"),
        };
        assert_eq!(timing.draws(), [1.5]);
        assert_eq!(serde_json::to_string(&timing).ok().as_deref(), Some(text));
    }
}
