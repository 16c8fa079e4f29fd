//! What the source of a pair says: its story, and the lines that a finding has to name.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::pairs::Pair;

/// Ends a line that a finding has to name.
const MARK: &str = "// caught";

/// The folder of the kernels.
pub fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/known-bugs"))
}

/// The source of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What the bug is, in a sentence.
    pub title: String,
    /// Where it was reported, and when.
    pub reported: String,
    /// How it goes, in a paragraph.
    pub story: String,
    /// The lines of the broken kernel that a finding names, counted from 1.
    pub lines: BTreeSet<usize>,
}

impl Source {
    /// Reads the file of a pair.
    ///
    /// # Errors
    ///
    /// What is missing in it.
    pub fn read(pair: &Pair) -> Result<Self, String> {
        let path = folder().join("src").join(pair.name).with_extension("rs");
        let text = fs::read_to_string(&path);
        Self::of(&text.map_err(|error| format!("{}: {error}", path.display()))?)
            .map_err(|missing| format!("{}: {missing}", path.display()))
    }

    /// What a text says: three paragraphs of documentation, and marked lines.
    ///
    /// # Errors
    ///
    /// What is missing in it.
    pub fn of(text: &str) -> Result<Self, String> {
        let docs = text.lines().map_while(|line| line.strip_prefix("//!"));
        let docs: Vec<&str> = docs.map(str::trim).collect();
        let paragraphs: Vec<String> = docs
            .split(|line| line.is_empty())
            .map(|lines| lines.join(" "))
            .collect();
        let [title, reported, story] = &paragraphs[..] else {
            return Err("its documentation is a title, the reports and the story".into());
        };
        if !reported.contains("](https://") {
            return Err("it links no report".into());
        }
        let lines = text.lines().enumerate();
        let lines = lines.filter(|(_, line)| line.ends_with(MARK));
        let lines: BTreeSet<usize> = lines.map(|(index, _)| index + 1).collect();
        if lines.is_empty() {
            return Err(format!("no line ends in `{MARK}`"));
        }
        Ok(Source {
            title: title.clone(),
            reported: reported.clone(),
            story: story.clone(),
            lines,
        })
    }
}
