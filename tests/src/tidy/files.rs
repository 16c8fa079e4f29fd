//! The repository's own text files.

use std::fs;
use std::io;
use std::path::Path;

use super::Finding;

/// A text file of the repository.
#[derive(Clone, Debug)]
pub struct File {
    /// From the root, with `/`.
    pub path: String,
    /// Its contents.
    pub text: String,
}

impl File {
    /// A file as a rule sees it.
    pub fn new(path: &str, text: &str) -> Self {
        File {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    /// Whether the path ends in `.extension`.
    pub fn has_extension(&self, extension: &str) -> bool {
        Path::new(&self.path)
            .extension()
            .is_some_and(|found| found == extension)
    }

    /// Whether it is a sample that a test compiles: what such a file shows may
    /// not be changed by a rule.
    pub(super) fn is_sample(&self) -> bool {
        const FOLDERS: &[&str] = &["/tests/ui/", "/tests/fixtures/", "/tests/rust-cuda-compat/"];
        FOLDERS.iter().any(|folder| self.path.contains(folder))
    }

    /// Whether it is of tests alone.
    pub(super) fn is_of_tests(&self) -> bool {
        let mut folders = self.path.split('/');
        let name = folders.next_back().unwrap_or_default();
        folders.any(|folder| ["tests", "fuzz"].contains(&folder)) || name.ends_with("tests.rs")
    }

    /// Lines of code with their numbers: those that are not comments as a whole.
    pub(super) fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let numbered = self.text.lines().enumerate();
        numbered
            .map(|(number, line)| (number + 1, line))
            .filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    pub(super) fn finding(&self, line: usize, message: impl Into<String>) -> Finding {
        Finding {
            path: self.path.clone(),
            line,
            message: message.into(),
        }
    }
}

/// What cargo, the program and git make, and what is not text.
const FOREIGN: &[&str] = &["target", "results", ".git"];

/// All text files below `root`, in the order of their paths.
///
/// # Errors
///
/// A folder or a file that cannot be read.
pub fn files(root: &Path) -> io::Result<Vec<File>> {
    let mut found = Vec::new();
    collect(root, "", &mut found)?;
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn collect(root: &Path, folder: &str, found: &mut Vec<File>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = match folder {
            "" => name.clone(),
            _ => format!("{folder}/{name}"),
        };
        let kind = entry.file_type()?;
        if kind.is_dir() && !FOREIGN.contains(&name.as_str()) {
            collect(root, &path, found)?;
        } else if kind.is_file()
            && let Ok(text) = String::from_utf8(fs::read(entry.path())?)
        {
            found.push(File { path, text });
        }
    }
    Ok(())
}
