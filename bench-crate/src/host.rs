//! The oracle's results and times for the tables, each computed once: the time of
//! the host's loop does not depend on how the strips are divided among threads,
//! and the total depends on the number of sub-ranges alone.

use std::collections::HashMap;
use std::hint::black_box;
use std::time::Duration;

use crate::fastest;
use crate::oracle::{Precision, quarter_circle};
use crate::timing::{Rule, Timing, host};

/// Remembers what it computed; by default it gives answers and measures no times.
#[derive(Default)]
pub struct HostOracle {
    rule: Option<Rule>,
    totals: HashMap<(Precision, u64, u64), f64>,
    range_times: HashMap<(Precision, u64), Option<Timing>>,
    /// By whether heights are in f64, and strips.
    best: HashMap<(bool, u64), Result<Option<Timing>, String>>,
}

impl HostOracle {
    /// An oracle that measures its time: with `repeat` samples, or as many as the
    /// noise asks for.
    pub fn measuring(repeat: Option<u32>) -> Self {
        HostOracle {
            rule: Some(Rule::new(repeat)),
            ..Self::default()
        }
    }

    /// Pi by the single loop, and its time. Fewer samples than elsewhere where
    /// one takes long.
    pub fn plain(&mut self, precision: Precision, strips: u64) -> (f64, Option<Timing>) {
        let work = || quarter_circle::plain(precision, black_box(strips));
        match self.rule {
            None => (work(), None),
            Some(rule) => {
                let (pi, timing) = host::time(&shorter(rule), work);
                (
                    pi.unwrap_or_else(|| quarter_circle::plain(precision, strips)),
                    timing,
                )
            }
        }
    }

    /// The time of the fastest loop of this host; the sums in f32 share one. Err in
    /// one sentence when its result is not the rule's.
    pub fn best(&mut self, precision: Precision, strips: u64) -> Result<Option<Timing>, String> {
        let Some(rule) = self.rule else {
            return Ok(None);
        };
        self.best
            .entry((precision == Precision::F64, strips))
            .or_insert_with(|| {
                let work = || fastest::pi(precision, black_box(strips));
                let (pi, timing) = host::time(&shorter(rule), work);
                match pi.and_then(|pi| fastest::problem(precision, strips, pi)) {
                    Some(problem) => Err(problem),
                    None => Ok(timing),
                }
            })
            .clone()
    }

    /// The partial sums of `parts` sub-ranges, added in order.
    pub fn total(&mut self, precision: Precision, strips: u64, parts: u64) -> f64 {
        *self
            .totals
            .entry((precision, strips, parts))
            .or_insert_with(|| quarter_circle::partials(precision, strips, parts).sum())
    }

    /// The time of the page's host loop over sub-ranges.
    pub fn range_loop_time(&mut self, precision: Precision, strips: u64) -> Option<Timing> {
        let rule = self.rule?;
        self.range_times
            .entry((precision, strips))
            .or_insert_with(|| {
                host::time(&rule, || {
                    quarter_circle::partials(precision, black_box(strips), 1)
                })
                .1
            })
            .clone()
    }
}

/// Fewer samples where one takes long; as many as were asked for.
fn shorter(rule: Rule) -> Rule {
    if rule.min_samples == rule.max_samples {
        return rule;
    }
    Rule {
        min_samples: 1,
        budget: Duration::from_millis(250),
        ..rule
    }
}
