//! Which kernels each test launches and how long it takes, kept in a file from run to run:
//! that is how `check KERNEL` knows its tests. Nobody writes it by hand. A test that is new is
//! run once to find out, and every run of a test says it anew.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fs, io, thread};

use serde::{Deserialize, Serialize};

use super::Job;
use crate::suite::Case;

/// What one test launched when it was run last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Known {
    pub(super) kernels: BTreeSet<String>,
    /// What one run of it took.
    pub(super) seconds: f64,
}

/// What is known of tests, by their names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Launches(pub(super) BTreeMap<String, Known>);

impl Launches {
    /// What a file says; nothing where there is none, or one that cannot be read.
    pub(super) fn read(path: &Path) -> Self {
        let text = fs::read(path).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Writes the file, whole or not at all.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let new = path.with_extension("new");
        fs::write(&new, serde_json::to_vec(self)?)?;
        fs::rename(new, path)
    }

    /// The tests of which nothing is known.
    pub(super) fn unknown(&self, cases: &[Case]) -> Vec<usize> {
        let is_unknown = |&place: &usize| !self.0.contains_key(cases[place].name);
        (0..cases.len()).filter(is_unknown).collect()
    }

    /// The tests that launch one of these kernels.
    pub(super) fn launching(&self, cases: &[Case], entries: &[&str]) -> Vec<usize> {
        let launches = |place: &usize| {
            let known = self.0.get(cases[*place].name);
            known.is_some_and(|known| entries.iter().any(|entry| known.kernels.contains(*entry)))
        };
        (0..cases.len()).filter(launches).collect()
    }

    /// Those that take least time come first.
    pub(super) fn sort(&self, cases: &[Case], places: &mut [usize]) {
        places.sort_by(|a, b| self.seconds(cases, *a).total_cmp(&self.seconds(cases, *b)));
    }

    /// The jobs so that no core waits for a long one at the end.
    pub(super) fn longest_first(&self, cases: &[Case], mut jobs: Vec<Job>) -> Vec<Job> {
        let seconds = |(place, _): &Job| self.seconds(cases, *place);
        jobs.sort_by(|a, b| seconds(b).total_cmp(&seconds(a)));
        jobs
    }

    /// Of sorted tests those that take no more than `patience` seconds together, under so many
    /// schedules and on this machine's cores; others only where a kernel would not be launched
    /// without them, and the first one in any case.
    pub(super) fn quick(
        &self,
        cases: &[Case],
        places: &[usize],
        entries: &[&str],
        schedules: u64,
        patience: f64,
    ) -> Vec<usize> {
        let turns = turns(schedules);
        let mut left: BTreeSet<&str> = entries.iter().copied().collect();
        let mut together = 0.0;
        let mut is_quick = |place: &usize| {
            let seconds = self.seconds(cases, *place) * turns;
            let known = self.0.get(cases[*place].name);
            let launches = |entry: &&str| known.is_some_and(|known| known.kernels.contains(*entry));
            let is_needed = places.first() == Some(place) || left.iter().any(launches);
            if together + seconds > patience && !is_needed {
                return false;
            }
            together += seconds;
            left.retain(|entry| !launches(entry));
            true
        };
        places.iter().copied().filter(&mut is_quick).collect()
    }

    /// What these take under so many schedules, on this machine's cores.
    pub(super) fn seconds_of(&self, cases: &[Case], places: &[usize], schedules: u64) -> f64 {
        let seconds = places.iter().map(|&place| self.seconds(cases, place));
        seconds.sum::<f64>() * turns(schedules)
    }

    fn seconds(&self, cases: &[Case], place: usize) -> f64 {
        let known = self.0.get(cases[place].name);
        known.map_or(0.0, |known| known.seconds)
    }
}

/// Times that a test is waited for, where every core runs some.
fn turns(schedules: u64) -> f64 {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    schedules as f64 / cores as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: [Case; 4] = [
        case("a::slow"),
        case("a::quick"),
        case("b::other"),
        case("b::new"),
    ];

    const fn case(name: &'static str) -> Case {
        Case {
            name,
            run: |_| Ok(()),
        }
    }

    fn launches() -> Launches {
        let known = |kernels: &[&str], seconds| Known {
            kernels: kernels.iter().map(|&name| name.to_owned()).collect(),
            seconds,
        };
        let all = [
            ("a::slow", known(&["scan", "segment_flags"], 100.0)),
            ("a::quick", known(&["scan"], 0.001)),
            ("b::other", known(&["reduce"], 0.001)),
        ];
        Launches(all.map(|(name, known)| (name.to_owned(), known)).into())
    }

    #[test]
    fn tests_of_a_kernel_are_those_that_launch_it_and_the_quick_ones_come_first() {
        let launches = launches();
        assert_eq!(launches.unknown(&CASES), [3]);
        let mut found = launches.launching(&CASES, &["scan"]);
        assert_eq!(found, [0, 1]);
        launches.sort(&CASES, &mut found);
        assert_eq!(found, [1, 0]);
        assert_eq!(launches.launching(&CASES, &["reduce", "scan"]), [0, 1, 2]);
        assert_eq!(launches.launching(&CASES, &["sort"]), [0; 0]);
    }

    #[test]
    fn a_slow_test_is_quick_enough_where_no_other_launches_a_kernel() {
        let launches = launches();
        assert_eq!(launches.quick(&CASES, &[1, 0], &["scan"], 4, 2.0), [1]);
        assert_eq!(
            launches.quick(&CASES, &[1, 0], &["scan", "segment_flags"], 4, 2.0),
            [1, 0]
        );
        assert_eq!(launches.quick(&CASES, &[0], &[], 4, 2.0), [0]);
        assert!(launches.seconds_of(&CASES, &[0, 1], 1 << 20) > 100.0);
        let jobs = vec![(1, None), (0, None), (1, Some(1))];
        let sorted = [(0, None), (1, None), (1, Some(1))];
        assert_eq!(launches.longest_first(&CASES, jobs), sorted);
    }

    #[test]
    fn what_was_found_out_is_kept_and_what_is_damaged_is_nothing() {
        let here = tempfile::tempdir().expect("a temporary folder");
        let path = here.path().join("launches.json");
        assert_eq!(Launches::read(&path), Launches::default());
        launches().write(&path).expect("written");
        assert_eq!(Launches::read(&path), launches());
        fs::write(&path, "{").expect("written");
        assert_eq!(Launches::read(&path), Launches::default());
    }
}
