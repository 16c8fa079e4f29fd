//! What `cargo xtask dev` asks for of kernels that it has built anew, beside all others: the
//! statements that launch one of them, the quick ones first.

use std::path::Path;

use cuda_builder::manifest::Kernel;
use quadscan::device::Artifact;

use super::launches::Launches;
use super::{Arguments, Findings, Report, ended, kernels, run_all, run_jobs};
use crate::suite::Case;

/// Runs statements about kernels that were built anew, by what is known of their launches.
pub(super) fn watched(
    cases: &[Case],
    arguments: &Arguments,
    file: &Path,
    artifact: &Artifact,
) -> Result<Report, String> {
    let entries: Vec<&str> = arguments.entries.iter().map(String::as_str).collect();
    let name = arguments.kernel.as_deref().unwrap_or_default();
    let written = |launches: &Launches| {
        let cannot = |error| format!("{} could not be written: {error}", file.display());
        launches.write(file).map_err(cannot)
    };
    let mut launches = Launches::read(file);
    find_out(cases, arguments.rest, artifact, &mut launches);
    let chosen = launches.choose(cases, &entries, arguments.schedules);
    let concerned: Vec<usize> = chosen.quick.iter().chain(&chosen.rest).copied().collect();
    let (places, left) = match arguments.rest {
        true => (launches.unanswered(name, cases, concerned), 0),
        false => (chosen.quick, chosen.rest.len()),
    };
    let runs = run_all(cases, &places, arguments, Some(&entries), artifact);
    for run in runs.iter().filter(|run| run.is_first) {
        launches.add(cases[run.case].name, run.known.clone());
    }
    launches.answer(name, places.iter().map(|&place| cases[place].name));
    written(&launches)?;
    let findings = Findings::of(runs);
    let mut report = Report {
        clean: findings.is_none(),
        more: left > 0,
        ..Report::default()
    };
    // One that is launched by statements that are left is no matter of these.
    let is_told = |kernel: &&Kernel| {
        let entry = kernel.entry.as_str();
        entries.contains(&entry) && (findings.verdicts.contains_key(entry) || !launches.has(entry))
    };
    let asked: Vec<&Kernel> = kernels(artifact).filter(is_told).collect();
    findings.lines(&asked, true, &mut report);
    findings.details(cases, &mut report.text);
    let more = match left {
        0 => String::new(),
        left => format!(
            "; {left} more take about {:.0} s",
            chosen.rest_seconds.ceil()
        ),
    };
    ended(&mut report, places.len(), arguments.schedules, &more);
    Ok(report)
}

/// Runs statements of which nothing is known, without checks, for what they launch; nearly all
/// of them where `anew` and another program knew them.
fn find_out(cases: &[Case], anew: bool, artifact: &Artifact, launches: &mut Launches) {
    let program = program();
    let is_outdated = anew && !launches.is_of(&program);
    let unknown = match is_outdated {
        true => launches.unknown_or_quick(cases),
        false => launches.unknown(cases),
    };
    if unknown.is_empty() {
        return;
    }
    eprintln!("finding out what {} statements launch", unknown.len());
    let jobs: Vec<_> = unknown.iter().map(|&case| (case, None)).collect();
    for run in run_jobs(cases, &jobs, Some(&[]), artifact) {
        launches.add(cases[run.case].name, run.known);
    }
    if is_outdated || unknown.len() == cases.len() {
        launches.found_out_by(&program, cases);
    }
}

/// What tells this program from one that was built of other sources.
fn program() -> String {
    let metadata = std::env::current_exe().and_then(std::fs::metadata);
    let of = |metadata: std::fs::Metadata| {
        let written = metadata.modified().ok()?;
        let since = written.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some(format!("{} {}", metadata.len(), since.as_nanos()))
    };
    metadata.ok().and_then(of).unwrap_or_default()
}
