//! All pairs under all checks, and what came of it: `cargo xtask check --known-bugs`.

use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use quadscan::device::Artifact;
use quadscan::device::emulator::ptx_emulator::Finding;

use super::pairs::Pair;
use super::run::{Checked, Sibling, artifact, check};
use super::source::Source;

/// Interleavings that a kernel is run under, as `cargo xtask check` does by default.
pub const SCHEDULES: u64 = 4;

/// What came of one pair.
#[derive(Debug)]
pub struct Outcome {
    /// The pair.
    pub pair: Pair,
    /// What its file says.
    pub source: Source,
    /// What the checks said of the broken kernel.
    pub broken: Checked,
    /// What they said of the right one.
    pub right: Checked,
}

impl Outcome {
    /// Runs both kernels of a pair.
    ///
    /// # Errors
    ///
    /// What the file lacks, or a device refuses before the launch.
    pub fn of(artifact: &Artifact, pair: &Pair, schedules: u64) -> Result<Self, String> {
        let run = |sibling| {
            check(artifact, pair, sibling, schedules)
                .map_err(|error| format!("{}: {error}", sibling.entry(pair)))
        };
        Ok(Outcome {
            pair: *pair,
            source: Source::read(pair)?,
            broken: run(Sibling::Broken)?,
            right: run(Sibling::Right)?,
        })
    }

    /// The finding that was expected of the broken kernel, if it is there.
    pub fn caught(&self) -> Option<&Finding> {
        self.broken.expected(&self.pair, &self.source)
    }

    /// The read that gave an old value and made the broken kernel's result wrong, if it did.
    pub fn stale_read(&self) -> Option<&Finding> {
        self.broken.stale_read(&self.pair, &self.source)
    }

    /// A line for each kernel; with `details`, all that was found.
    fn lines(&self, details: bool) -> String {
        let (broken, right) = (&self.broken, &self.right);
        let mut text = match self.caught() {
            Some(found) => format!(
                "{}: caught, {} at {}\n",
                Sibling::Broken.entry(&self.pair),
                found.kind,
                places(found)
            ),
            None => format!(
                "{}: NOT CAUGHT, a {} at lines {:?} was expected\n",
                Sibling::Broken.entry(&self.pair),
                self.pair.kind,
                self.source.lines
            ),
        };
        if let Some(read) = self.stale_read() {
            text += &format!(
                "  its result is wrong, by a {} at {}\n",
                read.kind,
                places(read)
            );
        }
        if details || self.caught().is_none() {
            text += &all(broken);
        }
        // Writing to a string cannot fail.
        let entry = Sibling::Right.entry(&self.pair);
        let _ = match right.is_clean() {
            true => writeln!(text, "{entry}: nothing found, and its result is right"),
            false => write!(text, "{entry}: FAILED\n{}", all(right)),
        };
        text
    }
}

/// Where a finding is.
pub fn places(finding: &Finding) -> String {
    let parties = [Some(&finding.at), finding.other.as_ref()];
    let parties = parties.into_iter().flatten();
    let mut places: Vec<&str> = parties
        .filter_map(|place| place.source.as_deref())
        .collect();
    places.dedup();
    places.join(" and ")
}

fn all(checked: &Checked) -> String {
    let findings = checked
        .findings
        .iter()
        .chain(&checked.stale_reads)
        .map(|one| format!("{one}\n"));
    let failure = checked.failure.iter().map(|failure| format!("{failure}\n"));
    findings.chain(failure).collect()
}

/// Runs these pairs on all cores; what came of each, in their order.
///
/// # Errors
///
/// Those of [`artifact`] and [`Outcome::of`].
pub fn run(pairs: &[Pair], schedules: u64) -> Result<Vec<Outcome>, String> {
    let artifact = artifact().map_err(|error| error.to_string())?;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let outcomes = in_parallel(pairs, cores, |pair| Outcome::of(&artifact, pair, schedules));
    outcomes.into_iter().collect()
}

/// Does work for each, so many at a time; the results in the order of the items.
pub(super) fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let some = || {
        let mut done = Vec::new();
        while let index = next.fetch_add(1, Ordering::Relaxed)
            && let Some(item) = items.get(index)
        {
            done.push((index, work(item)));
        }
        done
    };
    let mut done = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(some)).collect();
        let all = threads.into_iter().flat_map(|thread| match thread.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        all.collect::<Vec<_>>()
    });
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

/// What came of them, in words, and whether all is as it has to be.
pub fn report(outcomes: &[Outcome], schedules: u64, details: bool) -> (String, bool) {
    let mut text: String = outcomes.iter().map(|one| one.lines(details)).collect();
    let (all, caught, pass) = (
        outcomes.len(),
        outcomes.iter().filter(|one| one.caught().is_some()).count(),
        outcomes.iter().filter(|one| one.right.is_clean()).count(),
    );
    let s = if schedules == 1 { "" } else { "s" };
    let _ = writeln!(
        text,
        "\n{caught} of {all} broken kernels caught, {pass} of {all} right ones pass, under {schedules} schedule{s}"
    );
    (text, caught == all && pass == all)
}
