//! Two measurements of the same thing: the ratio of their times, an interval for
//! it, and what that means.
//!
//! **What is drawn.** Samples of one process repeat far better than two processes
//! agree: on an H200 the samples of a kernel scatter by 0.01 to 0.1 %, while its
//! median moves by 0.1 to 0.6 % from one process to the next (14 runs of the same
//! code, driver 580.159.04, 2026-11-21; `tests/fixtures/h200-processes.json`).
//! What differs between processes (where the memory lies, which core of the host
//! launches, the clock) is drawn once a process, so samples of one process are not
//! independent draws of it, and a test on them finds differences that mean
//! nothing. A run that is to be compared therefore measures every cell in several
//! processes, and the test sees **one value a process**, the median of its samples
//! ([`Timing::draws`]). A time from one process has one draw, and no verdict.
//!
//! **The test** is Mann and Whitney's (Annals of Mathematical Statistics 18, 1947)
//! on those values: its distribution is exact for every number of values and needs
//! no shape of the noise, which is often in two heaps here. The interval is the one
//! that belongs to it (Hodges and Lehmann, same Annals 34, 1963): of all ratios of a
//! value now to a value then, the k smallest and the k largest are cut off, and the
//! median of the ratios is the estimate. Equal values make the interval wider,
//! never narrower.
//!
//! **One process alone.** Of n values then and n now, one odd value is in n of the
//! ratios. Where fewer than that are cut off (k < n), that one value is an end of the
//! interval, and makes it wide enough to hide a slow-down of any size. Such an interval
//! still holds, so that what lies beyond the margin is told; but that nothing is told
//! means nothing, and the row is said to be measured by too few processes. Twelve
//! processes a side have k = 9 with a hundred rows; sixteen have k = 30, and 25 with
//! three hundred.
//!
//! **Many rows.** Each interval errs with the probability [`CHANCE`] / rows, so that
//! all intervals of a comparison hold together with at least 99 %, however the rows
//! depend on each other (Bonferroni). Holm's procedure rejects a few rows more; but
//! then the intervals that are printed would not be those that were judged by.
//!
//! **The margin.** A row is slower when its whole interval lies above 1 + margin.
//! The margin covers what differs between two runs and not between the processes
//! of one: the temperature, the host's state. It is also the smallest change that
//! anybody wants to hear of. What a launch costs varies by a tenth of a microsecond
//! from process to process and from hour to hour, whatever the kernel does, so a
//! change below [`LEAST_MS`] is none either.

use super::statistics::Timing;

/// The probability that any verdict of a comparison is false.
pub const CHANCE: f64 = 0.01;

/// The margin where none is given, as a part.
pub const MARGIN: f64 = 0.02;

/// Changes below this say something about launches and nothing about kernels, ms.
pub const LEAST_MS: f64 = 0.0002;

/// More draws than this are not looked at.
const MOST_DRAWS: usize = 64;

/// The ratio now / then of two times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The median of the ratios of all pairs.
    pub estimate: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
    /// Whether a single process can set an end of the interval.
    pub by_one: bool,
}

/// How a time compares with its baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The interval lies below 1 / (1 + margin).
    Faster,
    /// The interval lies above 1 + margin.
    Slower,
    /// Neither, and the estimate lies beyond the margin.
    Undecided,
    /// Neither, and the estimate lies within the margin.
    NotDistinguishable,
    /// With so few draws no difference, however large, could be told, or a single
    /// process can hide it.
    TooFew,
    /// One of the times is zero, negative or no number.
    NoTime,
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Verdict::Faster => "faster",
            Verdict::Slower => "slower",
            Verdict::Undecided => "undecided",
            Verdict::NotDistinguishable => "not distinguishable",
            Verdict::TooFew => "measured by too few processes",
            Verdict::NoTime => "no time",
        })
    }
}

/// The probabilities of Mann and Whitney's statistic for `n` and `m` values of one
/// distribution: of the n * m pairs, u are in the wrong order.
fn probabilities(n: usize, m: usize) -> Vec<f64> {
    // The largest of all values is one of the n with probability n / (n + m), and
    // is then in the wrong order with all m of the others.
    let mut of_fewer: Vec<Vec<f64>> = vec![vec![1.0]; m + 1];
    for a in 1..=n {
        let mut row: Vec<Vec<f64>> = vec![vec![1.0]];
        for b in 1..=m {
            let total = (a + b) as f64;
            let mut sum = vec![0.0; a * b + 1];
            for (u, p) in of_fewer[b].iter().enumerate() {
                sum[u + b] += p * a as f64 / total;
            }
            for (u, p) in row[b - 1].iter().enumerate() {
                sum[u] += p * b as f64 / total;
            }
            row.push(sum);
        }
        of_fewer = row;
    }
    of_fewer.pop().unwrap_or_default()
}

/// The largest k for which at most k pairs are in the wrong order with a
/// probability of at most `chance`; `None` when there is none.
fn largest_tail(n: usize, m: usize, chance: f64) -> Option<usize> {
    let mut sum = 0.0;
    let within = probabilities(n, m).into_iter().take_while(|p| {
        sum += p;
        sum <= chance
    });
    within.count().checked_sub(1)
}

/// Judges the rows of one comparison.
#[derive(Debug)]
pub struct Judge {
    margin: f64,
    chance: f64,
    tails: Vec<((usize, usize), Option<usize>)>,
}

impl Judge {
    /// A judge of `rows` rows, to whom changes within `margin` (a part) are none.
    pub fn new(margin: f64, rows: usize) -> Self {
        Judge {
            margin,
            chance: CHANCE / rows.max(1) as f64,
            tails: Vec::new(),
        }
    }

    fn tail(&mut self, n: usize, m: usize) -> Option<usize> {
        if let Some((_, tail)) = self.tails.iter().find(|known| known.0 == (n, m)) {
            return *tail;
        }
        let tail = largest_tail(n, m, self.chance / 2.0);
        self.tails.push(((n, m), tail));
        tail
    }

    /// The ratio of two times with its interval.
    ///
    /// # Errors
    ///
    /// Why there is none: [`Verdict::TooFew`] or [`Verdict::NoTime`].
    pub fn ratio(&mut self, then: &Timing, now: &Timing) -> Result<Ratio, Verdict> {
        let (then, now) = (some(then.draws()), some(now.draws()));
        if !then.iter().chain(&now).copied().all(is_time) {
            return Err(Verdict::NoTime);
        }
        let cut = self.tail(then.len(), now.len()).ok_or(Verdict::TooFew)?;
        let mut ratios: Vec<f64> = now
            .iter()
            .flat_map(|now| then.iter().map(move |then| now / then))
            .collect();
        ratios.sort_by(f64::total_cmp);
        let (last, middle) = (ratios.len() - 1, ratios.len() / 2);
        Ok(Ratio {
            estimate: (ratios[last - middle] + ratios[middle]) / 2.0,
            low: ratios[cut],
            high: ratios[last - cut],
            by_one: cut < then.len().max(now.len()),
        })
    }

    /// The margin of a row, as a part of its time then.
    fn margin_of(&self, then: &Timing) -> f64 {
        self.margin.max(LEAST_MS / then.median_ms)
    }

    /// What a ratio means.
    pub fn verdict(&self, then: &Timing, ratio: Result<Ratio, Verdict>) -> Verdict {
        let margin = 1.0 + self.margin_of(then);
        match ratio {
            Err(without) => without,
            Ok(ratio) if ratio.low > margin => Verdict::Slower,
            Ok(ratio) if ratio.high < 1.0 / margin => Verdict::Faster,
            Ok(ratio) if ratio.estimate > margin || ratio.estimate < 1.0 / margin => {
                Verdict::Undecided
            }
            Ok(ratio) if ratio.by_one => Verdict::TooFew,
            Ok(_) => Verdict::NotDistinguishable,
        }
    }

    /// The smallest slow-down, as a part, that would have been called one where the
    /// values scatter as they do.
    pub fn resolution(&self, then: &Timing, ratio: Ratio) -> f64 {
        (1.0 + self.margin_of(then)) * ratio.estimate / ratio.low - 1.0
    }
}

/// Whether a number is a time that another can be divided by.
pub fn is_time(ms: f64) -> bool {
    ms.is_finite() && ms > 0.0
}

fn some(mut draws: Vec<f64>) -> Vec<f64> {
    draws.truncate(MOST_DRAWS);
    draws
}

#[cfg(test)]
#[path = "comparison_tests.rs"]
mod tests;
