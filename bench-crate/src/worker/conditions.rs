//! The conditions of a measurement: the device's clocks before and after it.

use std::time::Instant;

use quadscan::device::Device;

use crate::clocks::{self, ClockState};
use crate::record::Clocks;

/// What holds a clock down for a smaller part of the time than this does not matter.
const SMALLEST_PART: f64 = 0.01;

/// The clocks before a job.
pub(super) struct Conditions {
    begin: Instant,
    before: Option<ClockState>,
}

impl Conditions {
    pub(super) fn now(device: &Device) -> Self {
        Conditions {
            before: clocks::read(device).ok(),
            begin: Instant::now(),
        }
    }

    /// What became of them by now; `None` where nobody tells the clocks.
    pub(super) fn until_now(self, device: &Device) -> Option<Clocks> {
        let seconds = self.begin.elapsed().as_secs_f64();
        let after = clocks::read(device).ok()?;
        Some(between(&self.before?, &after, seconds))
    }
}

/// The clocks before and after a job that took so many seconds. What held them down
/// is what NVML counted the time of, or says at the end.
fn between(before: &ClockState, after: &ClockState, seconds: f64) -> Clocks {
    let mut throttled: Vec<String> = after.held_by.iter().map(|&name| name.to_owned()).collect();
    for &(name, ns) in &after.held_ns {
        let earlier = before.held_ns.iter().find(|held| held.0 == name);
        let held = earlier.map_or(0, |&(_, earlier)| ns.saturating_sub(earlier));
        let matters = held as f64 >= SMALLEST_PART * seconds * 1e9 && held > 0;
        if matters && !throttled.iter().any(|known| known == name) {
            throttled.push(name.to_owned());
        }
    }
    Clocks {
        sm_before_mhz: before.sm_mhz,
        sm_after_mhz: after.sm_mhz,
        sm_most_mhz: after.sm_most_mhz,
        memory_mhz: after.memory_mhz,
        temperature: after.temperature,
        watts: after.watts,
        throttled,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(sm_mhz: u32, held_by: &[&'static str], held_ns: &[(&'static str, u64)]) -> ClockState {
        ClockState {
            sm_mhz: Some(sm_mhz),
            sm_most_mhz: Some(1980),
            watts: Some(300.5),
            held_by: held_by.to_vec(),
            held_ns: held_ns.to_vec(),
            ..ClockState::default()
        }
    }

    #[test]
    fn the_clock_is_known_before_and_after_and_the_rest_after() {
        let clocks = between(&state(1980, &[], &[]), &state(1755, &[], &[]), 1.0);
        assert_eq!(
            clocks,
            Clocks {
                sm_before_mhz: Some(1980),
                sm_after_mhz: Some(1755),
                sm_most_mhz: Some(1980),
                watts: Some(300.5),
                ..Clocks::default()
            }
        );
    }

    #[test]
    fn what_held_the_clock_down_during_the_job_is_named_once() {
        let before = state(
            1980,
            &["heat"],
            &[("power limit", 5_000_000_000), ("heat", 7)],
        );
        let after = |ns: u64| {
            state(
                1980,
                &[],
                &[("power limit", 5_000_000_000 + ns), ("heat", 7)],
            )
        };
        let throttled = |after: &ClockState| between(&before, after, 1.0).throttled;
        assert_eq!(throttled(&after(10_000_000)), ["power limit"]);
        assert_eq!(
            throttled(&after(9_000_000)),
            [""; 0],
            "less than a hundredth"
        );
        let still = ClockState {
            held_by: vec!["power limit"],
            ..after(500_000_000)
        };
        assert_eq!(throttled(&still), ["power limit"]);
        let unknown_before = between(&state(1980, &[], &[]), &after(0), 1.0);
        assert_eq!(
            unknown_before.throttled, [""; 0],
            "since the driver's start"
        );
    }
}
