//! Many integrals by an adaptive rule.

use cuda_std::launch::Actual;
use quadscan_kernels::integrate::rules::GaussKronrod;
use quadscan_kernels::integrate::sizes::{MAX_INTERVALS, numbers_of_team, teams};

use super::batch::{Batch, Goal, Method, default_tolerance};
use super::subject::Subject;
use super::{Real, refuse};
use crate::device::{Device, arguments};
use crate::{Error, Result};

/// What is asked of an adaptive rule.
#[derive(Clone, Debug)]
pub struct Options<R> {
    /// The rule of an interval.
    pub rule: GaussKronrod,
    /// The absolute tolerance; 0 or more.
    pub absolute: R,
    /// The tolerance relative to the integral's magnitude; 0 or more. The larger of the two
    /// counts.
    pub relative: R,
    /// The most intervals of an item, 1 to 1024. More of them need more shared memory, and
    /// fewer items are worked on at a time.
    pub intervals: u32,
    /// Points where the function jumps, has a corner or peaks, beside those that it is known
    /// to have; a point that is not between an item's limits is none of it.
    pub breaks: Vec<R>,
}

impl<R: Real> Default for Options<R> {
    /// 10 nodes among 21, a relative tolerance of 10^-10 (10^-4 in f32), 64 intervals.
    fn default() -> Self {
        Self {
            rule: GaussKronrod::G10K21,
            absolute: R::ZERO,
            relative: default_tolerance(),
            intervals: 64,
            breaks: Vec::new(),
        }
    }
}

/// Integrals by halving the interval with the largest error until the sum of the errors is within
/// the tolerance.
///
/// Source: QUADPACK's QAGE, QAGI and QAGP.
pub type Adaptive<R> = Batch<R, AdaptiveRule>;

/// A rule of Gauss and Kronrod, and the most intervals of an item.
#[derive(Debug)]
pub struct AdaptiveRule {
    nodes: u32,
    intervals: u32,
}

// SAFETY: the kernel takes the nodes and the most intervals, for which every team has room.
unsafe impl<R: Real> Method<R> for AdaptiveRule {
    type Options = Options<R>;

    fn goal(options: &Options<R>) -> Goal<'_, R> {
        Goal {
            absolute: options.absolute,
            relative: options.relative,
            breaks: &options.breaks,
        }
    }

    fn new(_: &Device, options: &Options<R>) -> Result<Self> {
        refuse::within("intervals", options.intervals, 1..=MAX_INTERVALS)?;
        Ok(Self {
            nodes: options.rule as u32,
            intervals: options.intervals,
        })
    }

    fn entry(subject: &Subject) -> &'static str {
        subject.adaptive
    }

    fn shared_bytes(&self, warps: u32) -> u32 {
        shared_bytes::<R>(warps, self.intervals)
    }

    fn refused(&self, error: Error) -> Error {
        in_intervals::<R>(error, self.intervals)
    }

    fn with_parameters<T>(&self, launch: impl FnOnce(&[Actual<'_>]) -> T) -> T {
        launch(&arguments![self.nodes, self.intervals])
    }
}

/// Bytes of dynamic shared memory of a block of so many warps.
fn shared_bytes<R>(warps: u32, intervals: u32) -> u32 {
    let numbers = numbers_of_team(intervals) * teams(warps) as usize;
    (numbers * size_of::<R>()) as u32
}

/// A refusal of shared memory, as one of the intervals that it was for.
fn in_intervals<R>(error: Error, intervals: u32) -> Error {
    let Error::OutOfRange { value, highest, .. } = error else {
        return error;
    };
    let is_shared = value == u64::from(shared_bytes::<R>(1, intervals));
    let fits = |intervals: &u32| u64::from(shared_bytes::<R>(1, *intervals)) <= highest;
    match (1..intervals).rev().find(fits) {
        Some(most) if is_shared => {
            let problem = format!("is {intervals}, allowed on this device are 1 to {most}");
            Error::argument("intervals", problem)
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::{in_intervals, shared_bytes};
    use crate::Error;

    #[test]
    fn intervals_that_a_device_has_no_room_for_are_refused_by_their_name() {
        let refused = |highest| Error::OutOfRange {
            what: "dynamic shared memory (bytes per block)",
            value: shared_bytes::<f64>(1, 1024).into(),
            lowest: 0,
            highest,
            scope: String::new(),
        };
        // 99 KiB less the kernel's own 768 bytes: 32 bytes an interval and lane group.
        let said = in_intervals::<f64>(refused(99 * 1024 - 768), 1024).to_string();
        assert_eq!(
            said,
            "intervals is 1024, allowed on this device are 1 to 776"
        );
        assert!(u64::from(shared_bytes::<f64>(1, 776)) <= 99 * 1024 - 768);
        assert!(u64::from(shared_bytes::<f64>(1, 777)) > 99 * 1024 - 768);
    }
}
