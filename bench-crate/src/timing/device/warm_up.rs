//! When a device has warmed up: its clock rises with the work that it is given, and
//! a time that is measured before that is too long.

use std::time::{Duration, Instant};

use super::VERY_LONG_MS;
use quadscan::device::Device;

use crate::clocks;
use crate::timing::milliseconds;
use quadscan::Result;

/// Nothing warms up longer, whatever its times say.
const LIMIT: Duration = Duration::from_millis(50);

/// Times that are looked at together.
const WINDOW: usize = 3;

/// Medians of two windows agree when they differ by less than this part.
const AGREEMENT: f64 = 0.005;

/// What the last window said.
#[derive(Default)]
struct WarmUp {
    last: Option<(f64, Option<u32>)>,
}

impl WarmUp {
    /// Whether the device is warm: this window's median is the last one's, and
    /// the clock, where it is known, has not risen since.
    fn is_over(&mut self, mut window: [f64; WINDOW], clock: Option<u32>) -> bool {
        window.sort_by(f64::total_cmp);
        let median = window[WINDOW / 2];
        let Some((last, last_clock)) = self.last.replace((median, clock)) else {
            return false;
        };
        let agree = (median - last).abs() <= AGREEMENT * last;
        let rises = matches!((last_clock, clock), (Some(last), Some(now)) if now > last);
        agree && !rises
    }
}

/// A rough time of `once`, which returns ms. The first one pays for what the driver
/// sets up lazily, so that it is the second unless the first was very long.
pub(super) fn first_look(mut once: impl FnMut() -> Result<f64>) -> Result<f64> {
    let first = once()?;
    if first > VERY_LONG_MS {
        return Ok(first);
    }
    once()
}

/// Repeats `once`, which returns ms, until the device is warm or the limit is
/// reached. What takes longer than the limit by itself, `rough_ms`, has warmed the
/// device up already.
pub(super) fn warm_up(
    device: &Device,
    rough_ms: f64,
    mut once: impl FnMut() -> Result<f64>,
) -> Result<()> {
    if rough_ms >= milliseconds(LIMIT) {
        return Ok(());
    }
    let begin = Instant::now();
    let mut warm_up = WarmUp::default();
    loop {
        let mut window = [0.0; WINDOW];
        for ms in &mut window {
            if begin.elapsed() >= LIMIT {
                return Ok(());
            }
            *ms = once()?;
        }
        if warm_up.is_over(window, clocks::sm_mhz(device)) {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_window_says_nothing_and_a_second_alike_ends_the_warm_up() {
        let mut warm_up = WarmUp::default();
        assert!(!warm_up.is_over([1.0, 1.0, 1.0], None));
        assert!(warm_up.is_over([1.0, 1.004, 9.0], None));
    }

    #[test]
    fn a_kernel_that_still_gets_faster_is_not_warm() {
        let mut warm_up = WarmUp::default();
        for ms in [4.0, 3.0, 2.0, 1.98] {
            assert!(!warm_up.is_over([ms; 3], None), "{ms}");
        }
        assert!(warm_up.is_over([1.98; 3], None));
    }

    #[test]
    fn a_clock_that_still_rises_is_not_warm() {
        let mut warm_up = WarmUp::default();
        assert!(!warm_up.is_over([1.0; 3], Some(345)));
        assert!(!warm_up.is_over([1.0; 3], Some(1980)));
        assert!(warm_up.is_over([1.0; 3], Some(1980)));
        assert!(warm_up.is_over([1.0; 3], Some(1965)), "it falls");
    }
}
