//! How integrals end, and the words for it.

use quadscan::integrate::{CONVERGED, NO_LIMITS, NOT_FINITE, OUT_OF_INTERVALS, OVERFLOW, ROUNDOFF};

const OUT_OF_INTERVALS_MEANS: &str = "--intervals, or --levels, were too few for the tolerance";

const OUT_OF_ROOM_MEANS: &str = "regions or --evaluations were too few for the tolerance, or \
                                 regions too small to be divided, as where the integral diverges";

/// Bytes of a status in an array.
pub(super) const STATUS: usize = 16;

/// How an item ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// The error is within the tolerance.
    Converged,
    /// Of random points: the standard error is.
    Sampled,
    /// By a rule of equal strips, which estimates no error.
    Computed,
    /// The intervals were too few, or the levels.
    OutOfIntervals,
    /// Over a box the regions or the evaluations were too few.
    OutOfRoom,
    /// Of random points the evaluations were too few.
    OutOfSamples,
    /// Their iterations differ by more than chance.
    Disagree,
    /// The function was 0 at each of them.
    Unseen,
    /// The function is not finite somewhere.
    NotFinite,
    /// The tolerance is less than rounding leaves.
    Roundoff,
    /// The same over a box.
    RoundoffOfBox,
    /// The same of the formula itself.
    RoundoffOfFormula,
    /// A limit is NaN.
    NoLimits,
    /// Sums are more than a number can be.
    Overflow,
    /// The device wrote nothing.
    Missing,
}

impl Status {
    /// All that are no success, in the order in which they are told.
    pub(super) const FAILURES: [Status; 12] = [
        Status::OutOfIntervals,
        Status::OutOfRoom,
        Status::OutOfSamples,
        Status::Disagree,
        Status::Unseen,
        Status::NotFinite,
        Status::Roundoff,
        Status::RoundoffOfBox,
        Status::RoundoffOfFormula,
        Status::NoLimits,
        Status::Overflow,
        Status::Missing,
    ];

    /// All others.
    const OTHERS: [Status; 3] = [Status::Converged, Status::Sampled, Status::Computed];

    pub(super) fn all() -> impl Iterator<Item = Status> {
        Self::OTHERS.into_iter().chain(Self::FAILURES)
    }

    pub(super) fn of(code: u32) -> Self {
        match code {
            CONVERGED => Status::Converged,
            OUT_OF_INTERVALS => Status::OutOfIntervals,
            NOT_FINITE => Status::NotFinite,
            ROUNDOFF => Status::Roundoff,
            NO_LIMITS => Status::NoLimits,
            OVERFLOW => Status::Overflow,
            _ => Status::Missing,
        }
    }

    /// As files have it, at most 16 bytes, and what it means.
    pub(super) fn told(self) -> (&'static str, &'static str) {
        match self {
            Status::Converged => ("converged", "the error is within the tolerance"),
            Status::Sampled => ("converged", "the standard error is within the tolerance"),
            Status::Computed => (
                "computed",
                "as its nodes have it; equal strips give no error estimate",
            ),
            Status::OutOfIntervals => ("out_of_intervals", OUT_OF_INTERVALS_MEANS),
            Status::OutOfRoom => ("out_of_room", OUT_OF_ROOM_MEANS),
            Status::OutOfSamples => (
                "out_of_room",
                "--evaluations were too few for the tolerance",
            ),
            Status::Disagree => (
                "disagree",
                "the iterations differ by more than chance: the error is not to be believed, and \
                 more --evaluations help",
            ),
            Status::Unseen => (
                "unseen",
                "the function was 0 at every point: either it is 0, or no point met what there is \
                 of it",
            ),
            Status::NotFinite => ("not_finite", "the function is not finite"),
            Status::Roundoff => (
                "roundoff",
                "the tolerance is smaller than the rounding error, or the integral diverges, or the integrand needs `at:` next to a limit where it is singular",
            ),
            Status::RoundoffOfBox => (
                "roundoff",
                "the tolerance is smaller than the rounding error of the sums over the box",
            ),
            Status::RoundoffOfFormula => (
                "roundoff",
                "the tolerance is smaller than what --rounding adds for the formula's own operations",
            ),
            Status::NoLimits => ("no_limits", "a limit is NaN"),
            Status::Overflow => ("overflow", "sums of its values overflow"),
            Status::Missing => ("missing", "the device wrote no result"),
        }
    }

    /// That of an output whose error is within the tolerance of another one.
    pub(super) fn within(self) -> Self {
        match self {
            Status::OutOfIntervals | Status::OutOfRoom => Status::Converged,
            Status::Roundoff | Status::RoundoffOfBox | Status::RoundoffOfFormula => {
                Status::Converged
            }
            Status::OutOfSamples => Status::Sampled,
            other => other,
        }
    }

    /// That of a rule's claim which is more than the tolerance with the rounding of the function.
    pub(super) fn with_rounding(self) -> Self {
        match self {
            Status::Converged => Status::RoundoffOfFormula,
            other => other,
        }
    }

    /// As files have it.
    pub(super) fn name(self) -> &'static str {
        self.told().0
    }

    /// What it means.
    pub(super) fn words(self) -> &'static str {
        self.told().1
    }
}
