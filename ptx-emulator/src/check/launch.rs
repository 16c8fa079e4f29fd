//! Checked launches: a run, what the checkers say of it, and several runs as
//! one.

use std::fmt;

use super::barrier::Barriers;
use super::collective::Collectives;
use super::finding::{Finding, Place};
use super::initialised::Initialised;
use super::race::Races;
use super::report::Names;
use super::{Checkers, Checks};
use crate::error::LaunchError;
use crate::gpu::{Gpu, Observed, Report, Shape};
use crate::machine::LaunchOptions;
use crate::observe::Observer;
use crate::program::Program;

/// What a checked launch did, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The kernel.
    pub kernel: String,
    /// What it did; of several runs, all of them together.
    pub report: Report,
    /// What is wrong, the most important first: what stopped the kernel, then
    /// by kind and line.
    pub findings: Vec<Finding>,
    /// With weak memory: loads that gave an older value than the newest, in threads that read
    /// no newer one afterwards. They are no mistakes; where the result is wrong, one of them may
    /// be the cause.
    pub stale_reads: Vec<Finding>,
    /// A fault, a deadlock or a livelock, when it did not end well; it is
    /// among the findings too, unless no thread was left to tell it by: a
    /// budget may be found to be used up after the last one has ended.
    pub outcome: Result<(), LaunchError>,
}

impl Checked {
    /// True when nothing was found.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.outcome.is_ok()
    }

    /// Takes in another run of the same kernel: each mistake is there once,
    /// its occurrences added, shown by the first block and thread.
    pub fn merge(&mut self, other: Checked) {
        self.report.warp_instructions += other.report.warp_instructions;
        self.report.printed.push_str(&other.report.printed);
        self.report.printed_lost += other.report.printed_lost;
        merge(&mut self.findings, other.findings);
        merge(&mut self.stale_reads, other.stale_reads);
        if self.outcome.is_ok() {
            self.outcome = other.outcome;
        }
        self.sort();
    }

    fn sort(&mut self) {
        self.findings.sort_by_key(|finding| {
            let other = finding.other.as_ref().map(|place| place.pc);
            (!finding.stopped, finding.kind, finding.at.pc, other)
        });
    }
}

/// Adds findings to those of other runs.
fn merge(own: &mut Vec<Finding>, other: Vec<Finding>) {
    for finding in other {
        match own.iter_mut().find(|own| own.same_as(&finding)) {
            None => own.push(finding),
            Some(own) => {
                let occurrences = own.occurrences + finding.occurrences;
                if parties(&finding) < parties(own) {
                    *own = finding;
                }
                own.occurrences = occurrences;
            }
        }
    }
}

/// The threads of a finding, in the order of their numbers.
fn parties(finding: &Finding) -> impl PartialOrd + use<> {
    let number = |place: &Place| {
        let ([x, y, z], [i, j, k]) = (place.block, place.thread);
        (place.device, [z, y, x], [k, j, i])
    };
    (number(&finding.at), finding.other.as_ref().map(number))
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut newline = "";
        // A budget that is found to be used up when no warp is left has no
        // place, and so is no finding.
        if let Err(error) = &self.outcome
            && !self.findings.iter().any(|finding| finding.stopped)
        {
            write!(f, "{error} ({})", self.kernel)?;
            newline = "\n";
        }
        for finding in &self.findings {
            write!(f, "{newline}{finding}")?;
            newline = "\n";
        }
        if self.outcome.is_err() {
            for stale in &self.stale_reads {
                write!(f, "{newline}{stale}")?;
            }
        }
        if newline.is_empty() {
            write!(f, "nothing found in {}", self.kernel)?;
        }
        Ok(())
    }
}

impl Gpu {
    /// Runs a kernel under checkers. Parameters as in `launch`. What has been
    /// written of global memory is remembered for the next checked launch.
    ///
    /// # Errors
    ///
    /// A shape or a parameter that does not fit. What goes wrong later is a
    /// finding.
    pub fn check(
        &mut self,
        program: &Program,
        kernel: &str,
        shape: Shape,
        parameters: &[&[u8]],
        options: &LaunchOptions,
        checks: Checks,
    ) -> Result<Checked, LaunchError> {
        self.check_observed(program, kernel, shape, parameters, options, checks, ())
            .map(|(checked, ())| checked)
    }

    /// As `check`, and seen by one more observer, which is given back.
    ///
    /// # Errors
    ///
    /// As `check`.
    #[expect(
        clippy::too_many_arguments,
        reason = "those of a launch, and an observer"
    )]
    pub fn check_observed<O: Observer>(
        &mut self,
        program: &Program,
        kernel: &str,
        shape: Shape,
        parameters: &[&[u8]],
        options: &LaunchOptions,
        checks: Checks,
        observer: O,
    ) -> Result<(Checked, O), LaunchError> {
        if options.weak_memory && !checks.races {
            return Err(LaunchError::WeakMemory);
        }
        let prepared = self.prepare(program, kernel, shape, parameters, options)?;
        let layout = prepared.layout.clone();
        let (report, outcome, checkers, observer) = if checks == Checks::none() {
            self.written.everything();
            let run = self.run(program, prepared, shape, options, observer);
            (run.report, run.outcome, Checkers::default(), run.observer)
        } else {
            let checkers = self.checkers(program, checks, options);
            let Observed {
                report,
                observer: (mut checkers, observer),
                outcome,
            } = self.run(program, prepared, shape, options, (checkers, observer));
            if let ((Some(initialised), _), _) = &mut checkers {
                self.written = std::mem::take(&mut initialised.global);
            }
            (report, outcome, checkers, observer)
        };
        let names = Names {
            code: &program.code,
            kernel,
            grid: shape.grid,
            devices: options.peers.len() + 1,
            block: shape.block,
            global: &self.global,
            layout: &layout,
        };
        let stopped = outcome.as_ref().err();
        let mut findings: Vec<Finding> = stopped
            .and_then(|error| names.stopped(error, &checkers))
            .into_iter()
            .collect();
        let ((initialised, barriers), (collectives, races)) = &checkers;
        let raw = [
            initialised.as_ref().map(Initialised::findings),
            barriers.as_ref().map(Barriers::findings),
            collectives.as_ref().map(Collectives::findings),
            races.as_ref().map(Races::findings),
        ];
        let raw = raw.into_iter().flatten().flatten();
        findings.extend(raw.map(|finding| names.finding(&finding)));
        let stale = races.as_ref().map(Races::stale_reads).unwrap_or_default();
        let mut checked = Checked {
            kernel: kernel.to_owned(),
            report,
            findings,
            stale_reads: stale.iter().map(|read| names.finding(read)).collect(),
            outcome,
        };
        checked.sort();
        Ok((checked, observer))
    }

    fn checkers(&mut self, program: &Program, checks: Checks, options: &LaunchOptions) -> Checkers {
        let initialised = if checks.initialised {
            let written = std::mem::take(&mut self.written);
            Some(Initialised::new(program.code.clone(), written))
        } else {
            self.written.everything();
            None
        };
        let barriers = checks.barriers.then(Barriers::default);
        let collectives = checks.collectives.then(Collectives::default);
        let races = checks.races.then(|| Races::of(options));
        ((initialised, barriers), (collectives, races))
    }
}
