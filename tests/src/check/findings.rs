//! What all runs of tests together found, in words.

use std::collections::BTreeMap;
use std::fmt::Write;

use cuda_builder::manifest::Kernel;
use quadscan::device::emulator::Verdict;

use super::{Report, Run};
use crate::suite::Case;

/// The module of the kernels that misbehave on purpose.
const DIAGNOSTICS: &str = "diagnostics";

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
    /// The first message of each test that fails.
    pub(super) failures: BTreeMap<usize, String>,
}

impl Findings {
    pub(super) fn of(runs: Vec<Run>) -> Self {
        let mut verdicts: BTreeMap<String, Verdict> = BTreeMap::new();
        let mut failures: BTreeMap<usize, String> = BTreeMap::new();
        for run in runs {
            if let Some(failure) = run.failure {
                failures.entry(run.case).or_insert(failure);
            }
            for (kernel, verdict) in run.verdicts {
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
        Findings { verdicts, failures }
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

    /// What was found, and which tests fail.
    pub(super) fn details(&self, cases: &[Case], text: &mut String) {
        for Verdict { checked, .. } in self.verdicts.values().filter(|v| !v.checked.is_clean()) {
            let _ = writeln!(text, "\n{checked}");
        }
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
