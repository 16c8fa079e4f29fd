//! What came of each item, whatever the rule, and the sentence about those that did not
//! converge.

use super::number::Number;
use super::status::Status;
use crate::columns::Place;
use quadscan::integrate::{self, Cubed, Estimate, Outcome, SamplingStatus, Status as BoxStatus};

/// The columns of results of so many outputs, behind those of items; integrals over boxes have all but
/// the last.
pub(super) fn names(outputs: usize, is_box: bool) -> Vec<String> {
    let of_output = ["value", "error"].map(str::to_owned);
    let values: Vec<String> = match outputs {
        1 => of_output.to_vec(),
        _ => (1..=outputs)
            .flat_map(|k| of_output.clone().map(|name| format!("{name}_{k}")))
            .collect(),
    };
    let rest = ["evaluations", "status", "at"];
    let rest = &rest[..rest.len() - usize::from(is_box)];
    values
        .into_iter()
        .chain(rest.iter().map(|&name| name.to_owned()))
        .collect()
}

/// Bytes that what came of an item is kept in.
pub(super) const BYTES: usize = 5 * 8;

/// What came of an item.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<R> {
    /// The integral.
    pub(super) value: R,
    /// The estimate of its error, of a rule that has one.
    pub(super) error: Option<R>,
    /// Evaluations of the function.
    pub(super) evaluations: u64,
    /// How it ended.
    pub(super) status: Status,
    /// An x where the function is not finite, where one is known.
    pub(super) at: Option<R>,
}

impl<R: Number> Row<R> {
    /// An outcome of a rule with a tolerance.
    pub(super) fn of(outcome: &Outcome<R>) -> Self {
        let status = Status::of(outcome.status);
        Self {
            value: outcome.value,
            error: Some(outcome.error),
            evaluations: outcome.evaluations.into(),
            status,
            at: (status == Status::NotFinite).then_some(outcome.at),
        }
    }

    /// Adds to the claim a bound on the rounding of the integrand, which is an integral of its own;
    /// infinity where that is no number.
    pub(super) fn add_rounding(&mut self, bound: &Self, (absolute, relative): (R, R)) {
        let Some(error) = self.error else { return };
        let magnitude = |value: R| value.larger(-value);
        let bound = magnitude(bound.value) + bound.error.unwrap_or(R::ZERO);
        let claim = match (error + bound).is_nan() {
            true => R::from_f64(f64::INFINITY),
            false => error + bound,
        };
        self.error = Some(claim);
        if claim > absolute.larger(relative * magnitude(self.value)) {
            self.status = self.status.with_rounding();
        }
    }

    /// A row of f64 in this precision.
    pub(super) fn rounded(of: &Row<f64>) -> Self {
        let number = R::from_f64;
        Self {
            value: number(of.value),
            error: of.error.map(number),
            evaluations: of.evaluations,
            status: of.status,
            at: of.at.map(number),
        }
    }

    /// An integral over a box.
    pub(super) fn cubed(of: &Cubed) -> Self {
        let status = match of.status {
            BoxStatus::Converged => Status::Converged,
            BoxStatus::OutOfRoom => Status::OutOfRoom,
            BoxStatus::Roundoff => Status::RoundoffOfBox,
            BoxStatus::NotFinite => Status::NotFinite,
        };
        let number = R::from_f64;
        Self::new(
            number(of.value),
            Some(number(of.error)),
            of.evaluations,
            status,
        )
    }

    /// An integral by random points, lattices or Sobol points, whose error is the standard error.
    pub(super) fn sampled(of: &Estimate) -> Self {
        let status = match of.status {
            SamplingStatus::Converged => Status::Sampled,
            SamplingStatus::OutOfRoom => Status::OutOfSamples,
            SamplingStatus::Disagree => Status::Disagree,
            SamplingStatus::Unseen => Status::Unseen,
            SamplingStatus::NotFinite => Status::NotFinite,
        };
        let number = R::from_f64;
        Self::new(
            number(of.value),
            Some(number(of.sigma)),
            of.evaluations,
            status,
        )
    }

    /// An item of which no place is known where the function is not finite.
    fn new(value: R, error: Option<R>, evaluations: u64, status: Status) -> Self {
        Self {
            value,
            error,
            evaluations,
            status,
            at: None,
        }
    }

    /// To be kept. The bits of numbers stay, but for those of a NaN.
    pub(super) fn to_bytes(self) -> Vec<u8> {
        let bits = |number: Option<R>| number.map_or(0, |number| number.to_f64().to_bits());
        let status = Status::all().position(|of| of == self.status);
        // The status, and which numbers there are.
        let there = [self.error.is_some(), self.at.is_some()].map(u64::from);
        let words = [
            bits(Some(self.value)),
            bits(self.error),
            bits(self.at),
            self.evaluations,
            status.unwrap_or_default() as u64 * 4 + there[0] * 2 + there[1],
        ];
        words.into_iter().flat_map(u64::to_le_bytes).collect()
    }

    /// What was kept.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let word = |k: usize| bytes.get(8 * k..).and_then(|bytes| bytes.first_chunk());
        let word = |k: usize| word(k).map_or(u64::MAX, |word| u64::from_le_bytes(*word));
        let number = |k: usize| R::from_f64(f64::from_bits(word(k)));
        let status = Status::all().nth((word(4) / 4) as usize);
        Self {
            value: number(0),
            error: (word(4) & 2 != 0).then(|| number(1)),
            at: (word(4) & 1 != 0).then(|| number(2)),
            evaluations: word(3),
            status: status.unwrap_or(Status::Missing),
        }
    }

    /// An integral over equal strips.
    pub(super) fn computed(value: R, evaluations: u64) -> Self {
        let status = match value.is_number() {
            true => Status::Computed,
            false => Status::NotFinite,
        };
        Self::new(value, None, evaluations, status)
    }

    /// An item with a limit that is NaN.
    pub(super) fn without_limits() -> Self {
        Self::new(R::from_f64(f64::NAN), None, 0, Status::NoLimits)
    }
}

/// What came of items: of each output a row an item.
pub(super) struct Outputs<R> {
    pub(super) rows: Vec<Vec<Row<R>>>,
}

impl<R: Number> Outputs<R> {
    /// Of at least one output. By tolerances, the absolute and the relative one, what is small beside
    /// the largest output of its item converges.
    pub(super) fn new(mut rows: Vec<Vec<Row<R>>>, tolerances: Option<(R, R)>) -> Self {
        if let (Some((absolute, relative)), 2..) = (tolerances, rows.len()) {
            for item in 0..rows[0].len() {
                let claims = rows.iter().map(|rows| {
                    let row = &rows[item];
                    (row.value, row.error.unwrap_or(R::ZERO))
                });
                let tolerance = absolute.larger(relative * integrate::norm(claims));
                for row in rows.iter_mut().map(|rows| &mut rows[item]) {
                    if row.error.is_some_and(|error| error <= tolerance) {
                        row.status = row.status.within();
                    }
                }
            }
        }
        Self { rows }
    }

    /// How each item ended: as the first output that has no success, with the evaluations of all.
    pub(super) fn items(&self) -> Vec<Row<R>> {
        let item = |k: usize| {
            let mut all = self.rows.iter().map(|rows| rows[k]);
            let evaluations = all.clone().map(|row| row.evaluations).sum();
            let failed = all.find(|row| Status::FAILURES.contains(&row.status));
            Row {
                evaluations,
                ..failed.unwrap_or(self.rows[0][k])
            }
        };
        (0..self.rows[0].len()).map(item).collect()
    }
}

/// Items that did not converge: how many of which status, and the first of each.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// All items.
    total: u64,
    failed: [Failed; Status::FAILURES.len()],
}

/// Items of one status.
#[derive(Debug, Default)]
struct Failed {
    count: u64,
    /// Where the first is, and its x.
    first: Option<(Place, String)>,
}

impl Tally {
    /// Adds items, and the derivatives of their integrals, each at its place.
    pub(super) fn add<R: Number>(
        &mut self,
        outputs: &Outputs<R>,
        slopes: Option<&Outputs<R>>,
        place: impl Fn(usize) -> Place,
    ) {
        for outputs in [outputs].into_iter().chain(slopes) {
            self.add_each(&outputs.items(), &place);
        }
    }

    fn add_each<R: Number>(&mut self, rows: &[Row<R>], place: impl Fn(usize) -> Place) {
        self.total += rows.len() as u64;
        for (k, row) in rows.iter().enumerate() {
            let status = Status::FAILURES.iter().position(|of| *of == row.status);
            let Some(status) = status else { continue };
            let failed = &mut self.failed[status];
            failed.count += 1;
            failed.first.get_or_insert_with(|| {
                let at = row.at.map(|at| format!(" at x = {at:?}"));
                (place(k), at.unwrap_or_default())
            });
        }
    }

    /// One sentence where items did not converge.
    pub(super) fn objection(&self) -> Option<String> {
        let failed: u64 = self.failed.iter().map(|failed| failed.count).sum();
        let of_status = |(status, failed): (Status, &Failed)| {
            let (place, at) = failed.first.as_ref()?;
            let ((name, words), count) = (status.told(), failed.count);
            Some(match self.total {
                1 => format!("{name}: {words}{at}"),
                _ => format!("{count} {name}, first in {place}: {words}{at}"),
            })
        };
        let all = Status::FAILURES.into_iter().zip(&self.failed);
        let all = all.filter_map(of_status).collect::<Vec<_>>().join("; ");
        match (failed, self.total) {
            (0, _) => None,
            (_, 1) => Some(format!("the integral did not converge: {all}")),
            (_, n) => Some(format!("{failed} of {n} integrals did not converge: {all}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use quadscan::integrate::{
        CONVERGED, NO_LIMITS, NOT_FINITE, OUT_OF_INTERVALS, OVERFLOW, ROUNDOFF,
    };

    use super::super::status::STATUS;
    use super::*;

    #[test]
    fn every_code_of_an_outcome_has_a_name_of_its_own_that_fits_into_an_array() {
        let codes = [
            CONVERGED,
            OUT_OF_INTERVALS,
            NOT_FINITE,
            ROUNDOFF,
            NO_LIMITS,
            OVERFLOW,
        ];
        let mut names = codes.map(|code| Status::of(code).name()).to_vec();
        names.extend([Status::Computed, Status::of(u32::MAX)].map(Status::name));
        assert!(names.iter().all(|name| name.len() <= STATUS), "{names:?}");
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), codes.len() + 2);
        let failed = codes.map(|code| Status::FAILURES.contains(&Status::of(code)));
        assert_eq!(failed, [false, true, true, true, true, true]);
        let others = [Status::Computed, Status::Missing];
        assert_eq!(
            others.map(|of| Status::FAILURES.contains(&of)),
            [false, true]
        );
    }

    #[test]
    fn a_row_is_kept_as_it_is() {
        for (k, status) in Status::all().enumerate() {
            let row = Row::<f32> {
                value: -0.1,
                error: (k % 2 == 0).then_some(1e-40),
                evaluations: u64::MAX - 7,
                status,
                at: (k % 3 == 0).then_some(f32::INFINITY),
            };
            let kept = Row::<f32>::from_bytes(&row.to_bytes());
            assert_eq!(format!("{kept:?}"), format!("{row:?}"));
        }
        assert_eq!(Status::all().count(), 15);
    }

    #[test]
    fn over_a_box_roundoff_has_the_name_and_words_of_its_own() {
        let row = Row::<f64>::cubed(&Cubed {
            value: 1.0,
            error: 1e-12,
            evaluations: 9,
            regions: 1,
            rounds: 1,
            status: BoxStatus::Roundoff,
        });
        assert_eq!(row.status.name(), Status::Roundoff.name());
        assert!(!row.status.words().contains("at:"));
        assert!(Status::FAILURES.contains(&row.status));
    }
}
