//! The summary of `cargo xtask test`: its last lines.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use crate::terminal::{self, count};

/// What came out of a step.
pub(super) struct Report {
    pub(super) name: &'static str,
    pub(super) duration: Duration,
    /// Why the step failed.
    pub(super) failure: Option<String>,
    pub(super) tests: Option<Tally>,
}

/// What the closing lines of the test runners add up to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    runners: usize,
    passed: usize,
    failed: usize,
    ignored: usize,
    /// Reasons of the ignored tests that gave one, with their number.
    reasons: BTreeMap<String, usize>,
}

impl Tally {
    /// Reads `test result: ok. 3 passed; 0 failed; 1 ignored; ...` and the
    /// lines of ignored tests; other lines say nothing.
    pub(super) fn read(&mut self, line: &str) {
        if let Some(reason) = line.strip_prefix("test ").and_then(reason) {
            *self.reasons.entry(reason.to_owned()).or_default() += 1;
        }
        let Some((_, counts)) = line
            .strip_prefix("test result: ")
            .and_then(|rest| rest.split_once(". "))
        else {
            return;
        };
        self.runners += 1;
        for part in counts.split(';') {
            let mut words = part.split_whitespace();
            let number = words.next().and_then(|word| word.parse::<usize>().ok());
            match (number, words.next()) {
                (Some(number), Some("passed")) => self.passed += number,
                (Some(number), Some("failed")) => self.failed += number,
                (Some(number), Some("ignored")) => self.ignored += number,
                _ => {}
            }
        }
    }

    /// Why a step that exited 0 has not passed all the same.
    pub(super) fn complaint(&self) -> Option<String> {
        if self.passed == 0 {
            Some("no test ran".into())
        } else if self.failed > 0 {
            Some(format!("{} failed", count(self.failed, "test")))
        } else {
            None
        }
    }
}

/// The reason in `name ... ignored, reason` (the built-in harness) and in
/// `name ... ignored (reason)` (libtest-mimic).
fn reason(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once(" ... ignored")?;
    let rest = rest.trim_end();
    rest.strip_prefix(", ")
        .or_else(|| rest.strip_prefix(" (")?.strip_suffix(')'))
}

impl std::fmt::Display for Tally {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "{} passed, {} failed, {} ignored in {}",
            self.passed,
            self.failed,
            self.ignored,
            count(self.runners, "runner")
        )
    }
}

pub(super) fn print_summary(reports: &[Report], total: Duration) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\nsummary")?;
    for report in reports {
        let verdict = if report.failure.is_none() {
            "passed"
        } else {
            "FAILED"
        };
        write!(
            out,
            "  {:<10} {verdict}  {:>12}",
            report.name,
            terminal::duration(report.duration)
        )?;
        if let Some(tally) = &report.tests {
            write!(out, "  {tally}")?;
        }
        if let Some(failure) = &report.failure {
            write!(out, "  ({failure})")?;
        }
        writeln!(out)?;
        for (reason, number) in report.tests.iter().flat_map(|tally| &tally.reasons) {
            writeln!(out, "  {:<10} {number} ignored: {reason}", "")?;
        }
    }
    let failed = reports
        .iter()
        .filter(|report| report.failure.is_some())
        .count();
    let total = terminal::duration(total);
    match failed {
        0 => writeln!(
            out,
            "all {} passed in {total}",
            count(reports.len(), "step")
        ),
        _ => writeln!(
            out,
            "{failed} of {} FAILED in {total}",
            count(reports.len(), "step")
        ),
    }?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(lines: &[&str]) -> Tally {
        let mut tally = Tally::default();
        lines.iter().for_each(|line| tally.read(line));
        tally
    }

    #[test]
    fn closing_lines_of_several_runners_add_up() {
        let tally = tally(&[
            "running 3 tests",
            "test naive ... ok",
            "test cuda::trapezoid ... ignored, no device: no driver",
            "test cuda::scan      ... ignored (no device: no driver)",
            "test result: ok. 3 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out",
            "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out",
        ]);
        assert_eq!(
            (tally.runners, tally.passed, tally.failed, tally.ignored),
            (2, 4, 2, 2)
        );
        assert_eq!(tally.reasons["no device: no driver"], 2);
        assert_eq!(
            tally.to_string(),
            "4 passed, 2 failed, 2 ignored in 2 runners"
        );
    }

    #[test]
    fn a_step_in_which_no_test_ran_has_not_passed() {
        assert_eq!(tally(&[]).complaint().as_deref(), Some("no test ran"));
        let failed = tally(&["test result: ok. 1 passed; 1 failed; 0 ignored"]);
        assert_eq!(failed.complaint().as_deref(), Some("1 test failed"));
        assert_eq!(
            tally(&["test result: ok. 1 passed; 0 failed; 0 ignored"]).complaint(),
            None
        );
    }
}
