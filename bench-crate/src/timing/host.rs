//! The host's time: the page's loop, on one thread, by the monotonic clock,
//! around exactly that loop.

use std::convert::Infallible;
use std::hint::black_box;
use std::time::Instant;

use super::{Rule, Timing, milliseconds, sample};

/// Repeats `work` by `rule`: its last result, and its times. The first run is
/// measured like the others; the median does not mind a cold one.
pub fn time<T>(rule: &Rule, mut work: impl FnMut() -> T) -> (Option<T>, Option<Timing>) {
    let mut last = None;
    let timing = sample(rule, || {
        let start = Instant::now();
        let result = black_box(work());
        let elapsed = start.elapsed();
        last = Some(result);
        Ok::<f64, Infallible>(milliseconds(elapsed))
    });
    match timing {
        Ok(timing) => (last, timing),
        Err(never) => match never {},
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_comes_back_with_as_many_times_as_asked_for() {
        let mut calls = 0;
        let (result, timing) = time(&Rule::new(Some(4)), || {
            calls += 1;
            calls
        });
        assert_eq!(result, Some(4));
        assert_eq!(timing.map(|timing| timing.samples_ms.len()), Some(4));
    }
}
