//! Times: samples, when to stop taking them, and what they say.
//!
//! A measurement is a closure that does the thing once and returns its time in
//! ms; [`sample`] repeats it until the median is known well enough. Nothing here
//! prints, and nothing here knows a table. The idea of stopping by noise is
//! nvbench's; the statistics are quantiles, which one interrupted sample does
//! not move.

pub mod beside;
pub mod comparison;
pub mod device;
pub mod host;
mod method;
pub mod remarks;
mod statistics;

pub use device::Measured;
pub use method::Method;
pub use statistics::Timing;

use std::time::{Duration, Instant};

/// What all times of a cell may take together, but for the fewest samples of each.
const CELL: Duration = Duration::from_secs(2);

/// When enough samples have been taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// At least this many, whatever the time.
    pub min_samples: usize,
    /// At most this many.
    pub max_samples: usize,
    /// Enough when the standard error of the median falls below this part of it.
    pub target_error: f64,
    /// No new sample once this much time has been spent and `min_samples` are
    /// there.
    pub budget: Duration,
}

impl Rule {
    /// The rule of the tables: five samples (the published f32 sweep has five), up
    /// to 50 where they scatter, about one second. `repeat` asks for an exact
    /// number instead.
    pub fn new(repeat: Option<u32>) -> Self {
        match repeat {
            Some(repeat) => Rule {
                min_samples: repeat as usize,
                max_samples: repeat as usize,
                target_error: 0.0,
                budget: Duration::ZERO,
            },
            None => Rule {
                min_samples: 5,
                max_samples: 50,
                target_error: 0.005,
                budget: Duration::from_secs(1),
            },
        }
    }

    /// The same rule for the next time of a cell that has taken `spent` already: all
    /// times of a cell together have two seconds, beyond which the fewest samples
    /// are taken of those that are left.
    pub fn after(&self, spent: Duration) -> Self {
        Rule {
            budget: self.budget.min(CELL.saturating_sub(spent)),
            ..*self
        }
    }

    /// The same rule with more samples at the fewest, unless it asks for an exact
    /// number.
    fn with_at_least(&self, samples: usize) -> Self {
        if self.min_samples == self.max_samples {
            return *self;
        }
        Rule {
            min_samples: self.min_samples.max(samples),
            max_samples: self.max_samples.max(samples),
            ..*self
        }
    }

    fn is_met(&self, samples: &[f64], spent: Duration) -> bool {
        if samples.len() < self.min_samples {
            return false;
        }
        samples.len() >= self.max_samples
            || spent >= self.budget
            || Timing::from_samples(samples.to_vec())
                .is_some_and(|timing| timing.standard_error() <= self.target_error)
    }
}

/// Repeats `once` (which returns ms) by `rule`; stops at its first error. `None`
/// when the rule asks for no sample.
pub fn sample<E>(
    rule: &Rule,
    mut once: impl FnMut() -> Result<f64, E>,
) -> Result<Option<Timing>, E> {
    let start = Instant::now();
    let mut samples = Vec::with_capacity(rule.min_samples);
    while !rule.is_met(&samples, start.elapsed()) {
        samples.push(once()?);
    }
    Ok(Timing::from_samples(samples))
}

/// A duration in ms.
pub fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn samples_of(rule: &Rule, mut next: impl FnMut(usize) -> f64) -> Vec<f64> {
        let mut count = 0;
        let timing = sample(rule, || {
            count += 1;
            Ok::<f64, Infallible>(next(count))
        });
        match timing {
            Ok(Some(timing)) => timing.samples_ms,
            Ok(None) => Vec::new(),
            Err(never) => match never {},
        }
    }

    #[test]
    fn equal_samples_stop_at_the_fewest() {
        assert_eq!(samples_of(&Rule::new(None), |_| 2.0), [2.0; 5]);
    }

    #[test]
    fn scattered_samples_go_on_to_the_most() {
        let samples = samples_of(&Rule::new(None), |i| if i % 2 == 0 { 1.0 } else { 3.0 });
        assert_eq!(samples.len(), 50);
    }

    #[test]
    fn repeat_is_taken_at_its_word() {
        assert_eq!(
            samples_of(&Rule::new(Some(3)), |i| i as f64),
            [1.0, 2.0, 3.0]
        );
    }

    #[test]
    fn the_budget_ends_a_noisy_measurement_after_the_fewest_samples() {
        let rule = Rule {
            budget: Duration::ZERO,
            ..Rule::new(None)
        };
        assert_eq!(samples_of(&rule, |i| i as f64).len(), 5);
    }

    #[test]
    fn a_cell_that_has_used_up_its_time_takes_the_fewest_samples_of_the_rest() {
        let rule = Rule::new(None);
        let spent = |seconds| rule.after(Duration::from_secs_f64(seconds)).budget;
        assert_eq!(spent(0.5), rule.budget);
        assert_eq!(spent(1.75), Duration::from_millis(250));
        let late = rule.after(Duration::from_secs(60));
        assert_eq!(samples_of(&late, |i| i as f64).len(), 5);
        let asked = Rule::new(Some(7)).after(Duration::from_secs(60));
        assert_eq!(samples_of(&asked, |i| i as f64).len(), 7);
    }

    #[test]
    fn an_error_ends_the_measurement() {
        let result = sample(&Rule::new(None), || Err::<f64, &str>("lost"));
        assert_eq!(result, Err("lost"));
    }
}
