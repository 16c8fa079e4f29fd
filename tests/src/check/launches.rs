//! Which kernels each statement launches, and how long it takes: found out by running it, and
//! kept in a file for whoever checks one kernel again and again (`cargo xtask dev`).
//!
//! No list of it is written by hand: a statement that is new is run once, and every run of a
//! statement says anew what it launched. What a file says of a program of before is used for
//! the first answer and found out again for the last one ([`Launches::is_of`]).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fs, io};

use serde::{Deserialize, Serialize};

use crate::suite::Case;

/// What the quick statements of a kernel may take together, in seconds.
const QUICK: f64 = 1.5;

/// A statement that takes more seconds is not run anew only to see what it launches.
const SLOW: f64 = 2.0;

/// What one statement launched when it was run last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Known {
    pub(super) kernels: BTreeSet<String>,
    /// What one run of it took.
    pub(super) seconds: f64,
}

/// What is known of statements, by their names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Launches {
    /// The program that all of them were run by.
    program: String,
    statements: BTreeMap<String, Known>,
    /// Of each name that was asked for, the statements that its last quick answer was of.
    answered: BTreeMap<String, BTreeSet<String>>,
}

/// The statements about a kernel, by their places, those that take least time first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Chosen {
    pub(super) quick: Vec<usize>,
    pub(super) rest: Vec<usize>,
    /// How long the rest takes, in seconds.
    pub(super) rest_seconds: f64,
}

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

    /// Whether all of it was found out by this program.
    pub(super) fn is_of(&self, program: &str) -> bool {
        self.program == program
    }

    /// The statements of which nothing is known.
    pub(super) fn unknown(&self, cases: &[Case]) -> Vec<usize> {
        let is_unknown = |&place: &usize| !self.statements.contains_key(cases[place].name);
        (0..cases.len()).filter(is_unknown).collect()
    }

    /// Those, and whatever takes no time worth saving: what the others launch, the minutes of
    /// integrals, was seen once.
    pub(super) fn unknown_or_quick(&self, cases: &[Case]) -> Vec<usize> {
        let is_slow = |&place: &usize| {
            let known = self.statements.get(cases[place].name);
            known.is_some_and(|known| known.seconds > SLOW)
        };
        (0..cases.len()).filter(|place| !is_slow(place)).collect()
    }

    /// Adds what a run of a statement gave.
    pub(super) fn add(&mut self, name: &str, known: Known) {
        self.statements.insert(name.to_owned(), known);
    }

    /// Whether a statement launches this kernel.
    pub(super) fn has(&self, entry: &str) -> bool {
        let mut all = self.statements.values();
        all.any(|known| known.kernels.contains(entry))
    }

    /// Keeps the statements that an answer was of.
    pub(super) fn answer<'n>(&mut self, asked: &str, names: impl Iterator<Item = &'n str>) {
        let names = names.map(str::to_owned).collect();
        self.answered.insert(asked.to_owned(), names);
    }

    /// Those that the last answer was not of.
    pub(super) fn unanswered(&self, asked: &str, cases: &[Case], mut of: Vec<usize>) -> Vec<usize> {
        if let Some(answered) = self.answered.get(asked) {
            of.retain(|&place| !answered.contains(cases[place].name));
        }
        of
    }

    /// From now on all of it is what this program found out.
    pub(super) fn found_out_by(&mut self, program: &str, cases: &[Case]) {
        program.clone_into(&mut self.program);
        let is_there = |name: &String| cases.iter().any(|case| case.name == *name);
        self.statements.retain(|name, _| is_there(name));
    }

    /// The statements that launch one of these kernels. Those are quick that take so little
    /// time together, under so many schedules and on so many cores, that somebody waits for
    /// them.
    pub(super) fn choose(&self, cases: &[Case], entries: &[&str], schedules: u64) -> Chosen {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let turns = schedules as f64 / cores as f64;
        let launches = |known: &Known| entries.iter().any(|entry| known.kernels.contains(*entry));
        let of = |place: usize| {
            let known = self.statements.get(cases[place].name)?;
            launches(known).then_some((place, known.seconds * turns))
        };
        let mut found: Vec<(usize, f64)> = (0..cases.len()).filter_map(of).collect();
        found.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut chosen = Chosen::default();
        let mut together = 0.0;
        for (place, seconds) in found {
            together += seconds;
            if together <= QUICK {
                chosen.quick.push(place);
            } else {
                chosen.rest.push(place);
                chosen.rest_seconds += seconds;
            }
        }
        chosen
    }
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

    fn known(kernels: &[&str], seconds: f64) -> Known {
        Known {
            kernels: kernels.iter().map(|&name| name.to_owned()).collect(),
            seconds,
        }
    }

    fn launches() -> Launches {
        let mut launches = Launches::default();
        launches.add("a::slow", known(&["scan", "heads"], 100.0));
        launches.add("a::quick", known(&["scan"], 0.001));
        launches.add("b::other", known(&["reduce"], 0.001));
        launches
    }

    #[test]
    fn statements_about_a_kernel_are_those_that_launch_it_and_the_quick_ones_come_first() {
        let launches = launches();
        assert_eq!(launches.unknown(&CASES), [3]);
        assert_eq!(launches.unknown_or_quick(&CASES), [1, 2, 3]);
        let chosen = launches.choose(&CASES, &["scan"], 4);
        assert_eq!((&chosen.quick[..], &chosen.rest[..]), (&[1][..], &[0][..]));
        assert!(chosen.rest_seconds > 1.0);
        let chosen = launches.choose(&CASES, &["heads", "reduce"], 4);
        assert_eq!((&chosen.quick[..], &chosen.rest[..]), (&[2][..], &[0][..]));
        assert_eq!(launches.choose(&CASES, &["sort"], 4), Chosen::default());
    }

    #[test]
    fn the_rest_is_what_the_answer_before_was_not_of() {
        let mut launches = launches();
        assert_eq!(launches.unanswered("scan", &CASES, vec![0, 1]), [0, 1]);
        launches.answer("scan", ["a::quick"].into_iter());
        assert_eq!(launches.unanswered("scan", &CASES, vec![0, 1]), [0]);
        assert_eq!(launches.unanswered("other", &CASES, vec![0, 1]), [0, 1]);
        assert!(launches.has("heads") && !launches.has("sort"));
    }

    #[test]
    fn what_was_found_out_is_kept_and_what_is_damaged_is_nothing() {
        let here = tempfile::tempdir().expect("a temporary folder");
        let path = here.path().join("statements.json");
        assert_eq!(Launches::read(&path), Launches::default());
        let mut launches = launches();
        launches.found_out_by("this", &CASES[1..]);
        launches.write(&path).expect("written");
        let read = Launches::read(&path);
        assert_eq!(read, launches);
        assert!(read.is_of("this") && !read.is_of("another"));
        // A statement that is gone is forgotten.
        assert_eq!(read.unknown(&CASES), [0, 3]);
        fs::write(&path, "{").expect("written");
        assert_eq!(Launches::read(&path), Launches::default());
    }
}
