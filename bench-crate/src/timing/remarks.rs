//! What has to be said about a measurement: outliers, drift, a clock that fell or
//! was held down. A sentence each; the part before the colon is the same wherever
//! the same was noticed. No sample is ever dropped for it.

use super::Timing;
use super::statistics::quantile;

/// The fewest samples whose quartiles mean something.
const FEWEST: usize = 5;

/// Beyond this many ranges between the quartiles a sample is far out (Tukey,
/// Exploratory Data Analysis, 1977).
const FAR_OUT: f64 = 3.0;

/// An outlier is at least this part off the median.
const OUTLIER: f64 = 0.05;

/// The halves of the samples drift apart when they differ by at least this part...
const DRIFT: f64 = 0.01;

/// ...and by this many standard deviations of the rank sum: one in 370 measurements
/// without drift reaches it.
const DRIFT_DEVIATIONS: f64 = 3.0;

/// A clock that is lower than before by more than this part has fallen.
const FALL: f64 = 0.02;

/// What the samples of a time say about it; `name` is the time's column.
pub fn of_samples(name: &str, timing: &Timing) -> Vec<String> {
    [outliers(name, timing), drift(name, timing)]
        .into_iter()
        .flatten()
        .collect()
}

fn outliers(name: &str, timing: &Timing) -> Option<String> {
    let samples = &timing.samples_ms;
    if samples.len() < FEWEST {
        return None;
    }
    let mut sorted = samples.clone();
    sorted.sort_by(f64::total_cmp);
    let [lower, upper] = [0.25, 0.75].map(|part| quantile(&sorted, part));
    let room = FAR_OUT * (upper - lower);
    let off = |ms: &f64| ms / timing.median_ms - 1.0;
    let is_far = |ms: &&f64| **ms < lower - room || **ms > upper + room;
    let far = samples.iter().filter(is_far).map(off);
    let far: Vec<f64> = far.filter(|off| off.abs() >= OUTLIER).collect();
    let farthest = far.iter().max_by(|a, b| a.abs().total_cmp(&b.abs()))?;
    let (count, all, percent) = (far.len(), samples.len(), 100.0 * farthest);
    Some(format!(
        "{name} has outliers: {count} of {all} samples, the farthest {percent:+.0} % off the median"
    ))
}

fn drift(name: &str, timing: &Timing) -> Option<String> {
    let (first, second) = timing.samples_ms.split_at(timing.samples_ms.len() / 2);
    let earlier = Timing::from_samples(first.to_vec())?.median_ms;
    let later = Timing::from_samples(second.to_vec())?.median_ms;
    let change = later / earlier - 1.0;
    let percent = 100.0 * change;
    let drifts = change.abs() >= DRIFT && rank_deviations(first, second).abs() >= DRIFT_DEVIATIONS;
    drifts.then(|| {
        format!(
            "{name} drifts: the median of its second half is {percent:+.1} % off that of its first"
        )
    })
}

/// How far the number of pairs in which the second sample is larger is from half of
/// them, in standard deviations (Mann and Whitney 1947); a tie counts half. Fewer
/// than seven samples on each side do not reach three.
fn rank_deviations(first: &[f64], second: &[f64]) -> f64 {
    let (m, n) = (first.len() as f64, second.len() as f64);
    let pairs = first
        .iter()
        .flat_map(|a| second.iter().map(move |b| b.total_cmp(a)));
    let larger: f64 = pairs
        .map(|order| (f64::from(order as i8) + 1.0) / 2.0)
        .sum();
    let deviation = (m * n * (m + n + 1.0) / 12.0).sqrt();
    match deviation > 0.0 {
        true => (larger - m * n / 2.0) / deviation,
        false => 0.0,
    }
}

/// What a device's clocks say: MHz before and after, and what held them down.
pub fn of_clocks(before: Option<u32>, after: Option<u32>, held_by: &[String]) -> Vec<String> {
    let mut remarks = Vec::new();
    if let (Some(before), Some(after)) = (before, after)
        && f64::from(after) < (1.0 - FALL) * f64::from(before)
    {
        remarks.push(format!("the clock fell: from {before} to {after} MHz"));
    }
    if !held_by.is_empty() {
        remarks.push(format!("the clock was held down: {}", held_by.join(", ")));
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(samples: &[f64]) -> Vec<String> {
        match Timing::from_samples(samples.to_vec()) {
            Some(timing) => of_samples("kernel_ms", &timing),
            None => panic!("no samples"),
        }
    }

    #[test]
    fn a_sample_far_out_is_said_and_stays_among_the_samples() {
        let samples = [1.00, 1.01, 0.99, 1.31, 1.00];
        assert_eq!(
            said(&samples),
            ["kernel_ms has outliers: 1 of 5 samples, the farthest +31 % off the median"]
        );
        let kept = Timing::from_samples(samples.to_vec()).map(|timing| timing.samples_ms);
        assert_eq!(kept.as_deref(), Some(&samples[..]));
    }

    #[test]
    fn a_sample_that_is_far_out_by_less_than_five_percent_is_no_outlier() {
        assert_eq!(said(&[1.0, 1.0, 1.0, 1.049, 1.0, 1.0]), [""; 0]);
        assert_eq!(said(&[1.0, 1.0, 1.0, 1.051, 1.0, 1.0]).len(), 1);
    }

    #[test]
    fn samples_that_scatter_widely_have_no_outliers() {
        assert_eq!(said(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), [""; 0]);
        assert_eq!(said(&[1.0, 9.0, 1.0, 1.0]), [""; 0], "too few to say");
    }

    #[test]
    fn a_time_that_rises_by_two_percent_drifts() {
        let rising: Vec<f64> = (0..20).map(|i| 1.0 + 0.002 * f64::from(i)).collect();
        assert_eq!(
            said(&rising),
            ["kernel_ms drifts: the median of its second half is +2.0 % off that of its first"]
        );
        let falling: Vec<f64> = rising.iter().rev().copied().collect();
        assert_eq!(said(&falling).len(), 1);
        let slowly: Vec<f64> = (0..20).map(|i| 1.0 + 0.0005 * f64::from(i)).collect();
        assert_eq!(said(&slowly), [""; 0], "half a percent");
        let alternating: Vec<f64> = (0..20).map(|i| 1.0 + 0.04 * f64::from(i % 2)).collect();
        assert_eq!(said(&alternating), [""; 0]);
    }

    #[test]
    fn noise_without_drift_is_called_drift_less_than_once_in_a_hundred_times() {
        // Numerical Recipes' quick generator; twelve of its numbers are nearly
        // normal.
        let mut state = 1_u32;
        let mut uniform = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 8) / f64::from(1 << 24)
        };
        let mut alarms = 0;
        for _ in 0..1000 {
            let samples: Vec<f64> = (0..20)
                .map(|_| 1.0 + 0.05 * ((0..12).map(|_| uniform()).sum::<f64>() - 6.0))
                .collect();
            alarms += said(&samples)
                .iter()
                .filter(|remark| remark.contains("drifts"))
                .count();
        }
        assert!(alarms < 10, "{alarms}");
    }

    #[test]
    fn a_clock_that_falls_by_more_than_two_percent_and_what_holds_it_down_are_said() {
        let none: [String; 0] = [];
        assert_eq!(of_clocks(Some(1980), Some(1945), &none), none);
        assert_eq!(of_clocks(Some(345), Some(1980), &none), none, "it rose");
        assert_eq!(of_clocks(None, Some(1980), &none), none);
        assert_eq!(
            of_clocks(
                Some(1980),
                Some(1755),
                &["power limit".into(), "heat".into()]
            ),
            [
                "the clock fell: from 1980 to 1755 MHz",
                "the clock was held down: power limit, heat"
            ]
        );
    }
}
