//! How far a run is, and how long the rest may take.
//!
//! Cells differ by orders of magnitude: a kernel of one thread takes a second, one
//! of 2^18 threads 20 us, and each cell has a part that does not depend on it (the
//! host's loop, warming up). The time of a cell is therefore taken to be
//! a + b * weight, where the weight is what a thread of it has to do, and a and b
//! follow from the cells that are measured already, by least squares. That is a
//! guess, it is called "about", and none is made before two cells are known.

use std::path::Path;
use std::time::{Duration, Instant};

/// The shortest time between two lines where there is no terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// What is said when a run is interrupted before a cell is measured.
pub const NOTHING_YET: &str = "interrupted: no cell is measured yet";

/// The state of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress<'a> {
    /// Cells that are done.
    pub done: usize,
    /// Cells of the run.
    pub total: usize,
    /// The cell that is next.
    pub cell: &'a str,
    /// How long the rest may take.
    pub left: Option<Duration>,
}

impl Progress<'_> {
    /// For a bar: what stands beside the numbers.
    pub fn message(&self) -> String {
        match self.left {
            Some(left) => format!("about {} left, {}", seconds(left), self.cell),
            None => self.cell.to_owned(),
        }
    }

    /// What stays when the run is interrupted now, and how it goes on; `folder` has the records.
    pub fn farewell(&self, folder: &Path) -> String {
        let (done, total, folder) = (self.done, self.total, folder.display());
        match done {
            0 => NOTHING_YET.to_owned(),
            _ => format!(
                "interrupted: {done} of {total} cells are kept in {folder}; the same command goes \
                 on with the others"
            ),
        }
    }

    /// For a log: all of it on one line.
    pub fn line(&self) -> String {
        format!("{} of {} cells: {}", self.done, self.total, self.message())
    }
}

/// `0s`, `2m 5s`: whole seconds.
fn seconds(duration: Duration) -> String {
    humantime::format_duration(Duration::from_secs(duration.as_secs())).to_string()
}

/// `1 cell`, `2 cells`.
fn cells(count: usize) -> String {
    match count {
        1 => "1 cell".to_owned(),
        n => format!("{n} cells"),
    }
}

/// How a table begins.
pub(super) fn begins(table: &str, count: usize) -> String {
    format!("{table}: {} to measure", cells(count))
}

/// How a table ends: how many of its cells an earlier run has measured, and how
/// many failed.
pub(super) fn ends(
    table: &str,
    count: usize,
    resumed: usize,
    failed: usize,
    took: Duration,
) -> String {
    let mut text = format!("{table}: {} in {}", cells(count), seconds(took));
    if resumed > 0 {
        text.push_str(&format!(", {resumed} of them before the interruption"));
    }
    if failed > 0 {
        text.push_str(&format!(", {failed} failed"));
    }
    text
}

/// When the next line of a log is due: not for every cell.
#[derive(Debug)]
pub struct Pace {
    last: Instant,
}

impl Pace {
    /// The first line is due some time after `now`.
    pub fn new(now: Instant) -> Self {
        Pace { last: now }
    }

    /// Something has been said at `now`.
    pub fn spoken(&mut self, now: Instant) {
        self.last = now;
    }

    /// Whether a line is due at `now`; if so, it counts as said.
    pub fn is_due(&mut self, now: Instant) -> bool {
        let is_due = now.saturating_duration_since(self.last) >= BETWEEN_LINES;
        if is_due {
            self.spoken(now);
        }
        is_due
    }
}

/// What is known of the cells' times.
#[derive(Debug, Default)]
pub(super) struct Estimate {
    /// Of each cell of the run.
    weights: Vec<Option<f64>>,
    /// Weight and seconds of measured cells.
    measured: Vec<(f64, f64)>,
}

impl Estimate {
    /// Of a run over cells of these weights, in order; `None` is a cell that has
    /// its row already and takes no time.
    pub(super) fn new(weights: Vec<Option<f64>>) -> Self {
        Estimate {
            weights,
            measured: Vec::new(),
        }
    }

    /// The cell with this index took so long.
    pub(super) fn measured(&mut self, index: usize, took: Duration) {
        if let Some(Some(weight)) = self.weights.get(index) {
            self.measured.push((*weight, took.as_secs_f64()));
        }
    }

    /// a and b of a + b * weight; neither is negative.
    fn line(&self) -> Option<(f64, f64)> {
        if self.measured.len() < 2 {
            return None;
        }
        let count = self.measured.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| self.measured.iter().map(of).sum::<f64>() / count;
        let (weight, time) = (mean(|point| point.0), mean(|point| point.1));
        let (mut both, mut square) = (0.0, 0.0);
        for (w, t) in &self.measured {
            both += (w - weight) * (t - time);
            square += (w - weight) * (w - weight);
        }
        let slope = if square > 0.0 { both / square } else { 0.0 };
        Some(match (slope, time - slope * weight) {
            (slope, _) if slope <= 0.0 => (time, 0.0),
            (_, fixed) if fixed < 0.0 => (0.0, time / weight),
            (slope, fixed) => (fixed, slope),
        })
    }

    /// How long the cells from this index on may take.
    pub(super) fn left(&self, index: usize) -> Option<Duration> {
        let (fixed, slope) = self.line()?;
        let rest = self.weights.iter().skip(index).flatten();
        let seconds: f64 = rest.map(|weight| fixed + slope * weight).sum();
        Duration::try_from_secs_f64(seconds).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left_after(times: &[f64], weights: &[f64], index: usize) -> Option<f64> {
        let mut estimate = Estimate::new(weights.iter().copied().map(Some).collect());
        for (index, &seconds) in times.iter().enumerate() {
            estimate.measured(index, Duration::from_secs_f64(seconds));
        }
        estimate.left(index).map(|left| left.as_secs_f64())
    }

    #[test]
    fn the_time_left_weighs_cells_by_what_a_thread_has_to_do() {
        // Each takes 0.5 s and 2 s a unit of weight.
        let left = left_after(&[20.5, 2.5], &[10.0, 1.0, 4.0, 0.0], 2);
        assert!(left.is_some_and(|s| (s - 9.0).abs() < 1e-6), "{left:?}");
    }

    #[test]
    fn nothing_is_guessed_from_one_cell() {
        assert_eq!(left_after(&[5.0], &[1.0, 1.0], 1), None);
    }

    #[test]
    fn no_cell_is_thought_to_take_less_than_nothing() {
        // The heavier one was faster; and a line through both would go below 0.
        assert_eq!(left_after(&[3.0, 1.0], &[1.0, 9.0, 99.0], 2), Some(2.0));
        assert_eq!(left_after(&[1.0, 9.0], &[2.0, 3.0, 1.0], 2), Some(2.0));
    }

    #[test]
    fn rows_of_an_interrupted_run_take_no_time_and_teach_nothing() {
        let mut estimate = Estimate::new(vec![None, Some(1.0), Some(1.0), None, Some(1.0)]);
        for index in 0..3 {
            estimate.measured(index, Duration::from_secs(index as u64 * 2));
        }
        assert_eq!(estimate.left(3), Some(Duration::from_secs(3)));
    }

    #[test]
    fn a_log_gets_a_line_every_ten_seconds() {
        let begin = Instant::now();
        let mut pace = Pace::new(begin);
        let due: Vec<u64> = (1..40)
            .filter(|&s| pace.is_due(begin + Duration::from_secs(s)))
            .collect();
        assert_eq!(due, [10, 20, 30]);
    }

    #[test]
    fn words_are_short() {
        let progress = Progress {
            done: 3,
            total: 10,
            cell: "t n=4",
            left: Some(Duration::from_millis(125_900)),
        };
        assert_eq!(progress.line(), "3 of 10 cells: about 2m 5s left, t n=4");
        let farewell = "interrupted: 3 of 10 cells are kept in out; the same command goes on with \
                        the others";
        assert_eq!(progress.farewell(Path::new("out")), farewell);
        let early = Progress {
            done: 0,
            left: None,
            ..progress
        };
        assert_eq!(early.farewell(Path::new("out")), NOTHING_YET);
        assert_eq!(early.message(), "t n=4");
        assert_eq!(begins("t", 1), "t: 1 cell to measure");
        let took = Duration::from_millis(61_500);
        assert_eq!(ends("t", 9, 0, 0, took), "t: 9 cells in 1m 1s");
        assert_eq!(
            ends("t", 9, 4, 1, took),
            "t: 9 cells in 1m 1s, 4 of them before the interruption, 1 failed"
        );
    }
}
