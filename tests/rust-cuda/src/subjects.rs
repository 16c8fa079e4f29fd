//! The list of rust-cuda's subjects and features, and the page that is made of it.
//!
//! `subjects.toml` says what stands for each; whether it does is for the tests.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::conformance;

/// The list.
const LIST: &str = include_str!("../subjects.toml");

/// What rust-cuda compiles, and what stands for it here.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// The files of its compile tests.
    #[serde(rename = "subject")]
    pub subjects: Vec<Subject>,
    /// What its guide and its compile tests say that it has or has not.
    #[serde(rename = "feature")]
    pub features: Vec<Feature>,
}

/// A compile test of rust-cuda's.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// Its file, without the extension.
    pub name: String,
    /// The conformance test, or another, that runs the same subject here.
    #[serde(default)]
    pub here: String,
    /// Why there is none.
    #[serde(default)]
    pub missing: String,
}

/// Something that a user of rust-cuda asks for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feature {
    /// The table that it is in.
    pub area: String,
    /// What it is.
    pub name: String,
    /// Whether rust-cuda has it.
    pub rust_cuda: String,
    /// Where that is said, by its name in `SOURCES`; of what is not named nowhere.
    #[serde(default)]
    pub source: String,
    /// Whether it is here.
    pub here: String,
    /// The conformance test, or another, that shows it.
    #[serde(default)]
    pub by: String,
    /// What is different.
    #[serde(default)]
    pub note: String,
}

impl List {
    /// The list of this package.
    ///
    /// # Errors
    ///
    /// What is wrong with the file.
    pub fn read() -> Result<Self, String> {
        Self::parse(LIST)
    }

    /// A list.
    ///
    /// # Errors
    ///
    /// What is wrong with it: each subject has a counterpart or a reason, not both.
    pub fn parse(text: &str) -> Result<Self, String> {
        let list: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        for subject in &list.subjects {
            if subject.here.is_empty() == subject.missing.is_empty() {
                return Err(format!(
                    "{}: write either `here` or `missing`",
                    subject.name
                ));
            }
        }
        for feature in &list.features {
            let is_source = SOURCES.iter().any(|(name, _)| *name == feature.source);
            let is_named = feature.rust_cuda != "not named";
            if is_named != is_source {
                return Err(format!(
                    "{}: `source` is one of those in subjects.rs, and of what is not named none",
                    feature.name
                ));
            }
        }
        Ok(list)
    }

    /// Counterparts that are named and not there, in the repository at `root`.
    pub fn nowhere(&self, root: &Path) -> Vec<String> {
        let tests: BTreeSet<_> = conformance::all().iter().map(|case| case.name).collect();
        let subjects = self.subjects.iter().map(|subject| &subject.here);
        let named = subjects.chain(self.features.iter().map(|feature| &feature.by));
        let named = named.filter(|name| !name.is_empty() && !tests.contains(name.as_str()));
        named.filter(|name| !is_test(root, name)).cloned().collect()
    }

    /// Subjects with a counterpart, and all of them.
    pub fn counted(&self) -> (usize, usize) {
        let here = self
            .subjects
            .iter()
            .filter(|subject| !subject.here.is_empty());
        (here.count(), self.subjects.len())
    }

    /// The page.
    pub fn page(&self) -> String {
        let mut sources = String::new();
        for (name, page) in SOURCES {
            let _ = writeln!(sources, "- {name}: {page}");
        }
        let mut page = HEAD.replace("SOURCES\n", &sources);
        let mut areas: Vec<&str> = self
            .features
            .iter()
            .map(|feature| feature.area.as_str())
            .collect();
        areas.dedup();
        for area in areas {
            let _ = writeln!(
                page,
                "\n### {area}\n\n| feature | rust-cuda | here | shown by | note |\n| --- | --- | --- | --- | --- |"
            );
            for feature in self.features.iter().filter(|feature| feature.area == area) {
                let Feature {
                    name,
                    rust_cuda,
                    source,
                    here,
                    by,
                    note,
                    ..
                } = feature;
                let said = match source.as_str() {
                    "" => rust_cuda.clone(),
                    source => format!("{rust_cuda} ({source})"),
                };
                let _ = writeln!(page, "| {name} | {said} | {here} | {} | {note} |", link(by));
            }
        }
        let (here, all) = self.counted();
        let _ = write!(
            page,
            "\n{}",
            SUBJECTS
                .replace("HERE", &here.to_string())
                .replace("ALL", &all.to_string())
        );
        for Subject {
            name,
            here,
            missing,
        } in &self.subjects
        {
            let counterpart = if here.is_empty() {
                format!("none: {missing}")
            } else {
                link(here)
            };
            let _ = writeln!(page, "| {name} | {counterpart} |");
        }
        page
    }
}

/// A conformance test by its name, another with a link from `docs/`.
fn link(name: &str) -> String {
    if name.is_empty() {
        return String::new();
    }
    match name.split_once(".rs") {
        None => format!("`{name}`"),
        Some((path, _)) => {
            let file = path.rsplit('/').next().unwrap_or(path);
            format!("[{file}.rs](../{path}.rs)")
        }
    }
}

/// Whether `path` or `path::function` is in the repository.
fn is_test(root: &Path, name: &str) -> bool {
    let (path, function) = match name.split_once("::") {
        Some((path, function)) => (path, Some(function)),
        None => (name, None),
    };
    let Ok(text) = fs::read_to_string(root.join(path)) else {
        return false;
    };
    function.is_none_or(|function| text.contains(&format!("fn {function}(")))
}

/// Where rust-cuda says of itself what it has; all read on 2026-11-22.
const SOURCES: &[(&str, &str)] = &[
    (
        "guide",
        "[Supported features](https://rust-gpu.github.io/Rust-CUDA/features.html)",
    ),
    (
        "getting started",
        "[Getting started](https://rust-gpu.github.io/Rust-CUDA/guide/getting_started.html)",
    ),
    (
        "compile tests",
        "the names in [tests/compiletests/ui](https://github.com/Rust-GPU/Rust-CUDA/tree/main/tests/compiletests/ui), also where the guide has not caught up",
    ),
    (
        "examples",
        "the names in [examples](https://github.com/Rust-GPU/Rust-CUDA/tree/main/examples)",
    ),
    (
        "cuda_std",
        "the documentation of [cuda_std](https://docs.rs/cuda_std)",
    ),
    (
        "cuda_builder",
        "the documentation of [cuda_builder](https://docs.rs/cuda_builder)",
    ),
];

const HEAD: &str = "\
# Supported features of rust-cuda

`cuda_std` and `cuda_builder` have the interface of
[rust-cuda](https://github.com/Rust-GPU/rust-cuda), and rustc's own backend compiles it. This page
lists the features that rust-cuda's guide and compile tests name, and says which are supported here.
`UPDATE_RUST_CUDA=1 cargo test -p rust-cuda-tests --test page` makes it from
[subjects.toml](../tests/rust-cuda/subjects.toml). A test fails if the page is out of date or names a
test that does not exist.

The second column is what rust-cuda itself says, read on 2026-11-22, with its source. *Not named* means
that these sources do not mention the feature:

SOURCES

*Shown by* names a conformance test of `tests/rust-cuda`, which runs on the emulator and on a GPU
(`cargo test -p rust-cuda-tests --test subjects NAME`), or another test. If a kernel computes a function
of each element, its test compares the device's bits with those of the same function on the host. The
other tests compare with values that follow from the launch.

To port your own code, read [From CUDA C++ or rust-cuda to here](moving-over.md).

## Features
";

const SUBJECTS: &str = "\
## Subjects of the compile tests

HERE of rust-cuda's ALL compile tests have a counterpart, written from the documentation of what
they are about, that has the right result.

| rust-cuda's test | here |
| --- | --- |
";

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "feature = []\n[[subject]]\nname = \"a\"\n";

    #[test]
    fn a_subject_has_a_counterpart_or_a_reason() {
        assert!(List::parse(ONE).is_err());
        assert!(List::parse(&format!("{ONE}here = \"x\"\nmissing = \"y\"\n")).is_err());
        assert!(List::parse(&format!("{ONE}missing = \"y\"\n")).is_ok());
    }

    #[test]
    fn what_is_said_of_rust_cuda_has_a_source_and_what_is_not_named_has_none() {
        let of = |rest: &str| {
            let feature = "[[feature]]\narea = \"a\"\nname = \"b\"\nhere = \"yes\"\n";
            List::parse(&format!("subject = []\n{feature}{rest}"))
        };
        assert!(of("rust_cuda = \"partly\"\n").is_err());
        assert!(of("rust_cuda = \"partly\"\nsource = \"hearsay\"\n").is_err());
        assert!(of("rust_cuda = \"not named\"\nsource = \"guide\"\n").is_err());
        assert!(of("rust_cuda = \"not named\"\n").is_ok());
        let list = of("rust_cuda = \"partly\"\nsource = \"guide\"\n").expect("a list");
        assert!(list.page().contains("| b | partly (guide) | yes |"));
    }

    #[test]
    fn a_counterpart_that_is_not_there_is_found() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for name in [
            "loops::while_for_ever",
            "tests/no_such_file.rs",
            "tests/rust-cuda/src/subjects.rs::no_such_function",
        ] {
            let list = List::parse(&format!("{ONE}here = \"{name}\"\n")).expect("a list");
            assert_eq!(list.nowhere(&root), [name]);
        }
        let there = List::parse(&format!("{ONE}here = \"loops::while_alone\"\n")).expect("a list");
        assert_eq!(there.nowhere(&root), [""; 0]);
    }
}
