//! What all runs of tests together found, in words.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::panic;

use cuda_builder::manifest::Kernel;
use quadscan::device::Artifact;
use quadscan::device::emulator::Verdict;
use quadscan::device::emulator::ptx_emulator::Finding;

use super::leading::leading;
use super::{Report, Run};
use crate::suite::Case;

/// The module of the kernels that misbehave on purpose.
const DIAGNOSTICS: &str = "diagnostics";

/// Findings of which is told what led to them: for each a test runs once more.
const EXPLAINED: usize = 8;

/// Kernels that have a line each; of more, those with findings have one.
const LINES: usize = 12;

/// The last line, with what is `left`.
pub(super) fn ended(report: &mut Report, count: usize, schedules: u64, left: &str) {
    let verdict = match report.clean {
        true => "nothing found",
        false => "FAILED",
    };
    let plural = |count: u64| if count == 1 { "" } else { "s" };
    // Writing to a string cannot fail.
    let _ = writeln!(
        report.text,
        "\n{count} test{} under {schedules} schedule{}: {verdict}{left}",
        plural(count as u64),
        plural(schedules)
    );
}

/// What all runs together found.
pub(super) struct Findings {
    pub(super) verdicts: BTreeMap<String, Verdict>,
    /// Each finding, with the test that showed it and its schedule.
    shown: Vec<(usize, Option<u64>, Finding)>,
    /// The first message of each test that fails.
    pub(super) failures: BTreeMap<usize, String>,
}

impl Findings {
    pub(super) fn of(runs: Vec<Run>) -> Self {
        let mut verdicts: BTreeMap<String, Verdict> = BTreeMap::new();
        let mut failures: BTreeMap<usize, String> = BTreeMap::new();
        let mut shown = Vec::new();
        for run in runs {
            if let Some(failure) = run.failure {
                failures.entry(run.case).or_insert(failure);
            }
            for (kernel, verdict) in run.verdicts {
                let findings = verdict.checked.findings.iter().cloned();
                shown.extend(findings.map(|finding| (run.case, run.schedule, finding)));
                match verdicts.get_mut(&kernel) {
                    Some(all) => {
                        all.launches += verdict.launches;
                        all.checked.merge(verdict.checked);
                    }
                    None => {
                        verdicts.insert(kernel, verdict);
                    }
                }
            }
        }
        Findings {
            verdicts,
            shown,
            failures,
        }
    }

    /// A line a kernel; of many that were `named` together, one for those that are right.
    pub(super) fn lines(&self, asked: &[&Kernel], named: bool, report: &mut Report) {
        let is_short = named && asked.len() > LINES;
        let (mut right, mut all_launches, mut all_ran) = (0, 0, 0);
        for kernel in asked {
            let line = match self.verdicts.get(&kernel.entry) {
                Some(Verdict { launches, checked }) => {
                    report.clean &= checked.is_clean();
                    let ran = checked.report.warp_instructions;
                    let found = match checked.findings.len() {
                        0 => "nothing found".to_owned(),
                        1 => "1 finding".to_owned(),
                        count => format!("{count} findings"),
                    };
                    if is_short && checked.is_clean() {
                        (right, all_launches, all_ran) =
                            (right + 1, all_launches + launches, all_ran + ran);
                        continue;
                    }
                    format!("{found} in {launches} launches, {ran} warp instructions")
                }
                None if kernel.module.ends_with(DIAGNOSTICS) => {
                    // Asked for by name, it is no pass.
                    report.clean &= !named;
                    "not launched: it misbehaves on purpose".to_owned()
                }
                None => {
                    report.clean = false;
                    "not launched by any test".to_owned()
                }
            };
            let _ = writeln!(report.text, "{}: {line}", kernel.entry);
        }
        if right > 0 {
            let _ = writeln!(
                report.text,
                "{right} kernels: nothing found in {all_launches} launches, {all_ran} warp instructions"
            );
        }
    }

    /// What was found, what led to the first findings, and which tests fail.
    pub(super) fn details(&self, cases: &[Case], artifact: &Artifact, text: &mut String) {
        let mut explained = 0;
        // A test that fails once more says nothing new.
        let hook = panic::take_hook();
        panic::set_hook(Box::new(|_| {}));
        for Verdict { checked, .. } in self.verdicts.values().filter(|v| !v.checked.is_clean()) {
            let mut told = checked.to_string();
            for finding in checked.findings.iter().take(EXPLAINED - explained) {
                let of_it = |shown: &&(usize, _, Finding)| {
                    shown.2.at == finding.at && shown.2.same_as(finding)
                };
                let Some((case, schedule, shown)) = self.shown.iter().find(of_it) else {
                    continue;
                };
                let led = leading(&cases[*case], *schedule, shown, artifact);
                let finding = finding.to_string();
                told = told.replacen(&finding, &format!("{finding}{led}"), 1);
                explained += 1;
            }
            let _ = writeln!(text, "\n{told}");
        }
        panic::set_hook(hook);
        if !self.failures.is_empty() {
            let kernels = self.verdicts.values();
            let stale = kernels.flat_map(|verdict| &verdict.checked.stale_reads);
            stale.for_each(|read| *text += &format!("\n{read}\n"));
        }
        for (case, failure) in &self.failures {
            let _ = writeln!(text, "\n{} fails: {failure}", cases[*case].name);
        }
    }
}
