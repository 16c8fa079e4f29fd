//! What mdbook reads: a copy of `docs`.
//!
//! mdbook sees `docs` alone, and pages link to sources, to the README and to folders too. So
//! it gets a copy in which such a link leads to a copy of what it is to, as text, and the
//! book can be read and moved without the repository. What a page says is the page's; the
//! order of pages is `docs/SUMMARY.md`'s.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::Context;
use pulldown_cmark::{Event, Options, Parser, Tag};

/// Where copies of what is outside of `docs` are, in the book.
const OUTSIDE: &str = "repository";

/// Writes what mdbook reads to `target`, which is replaced.
pub(crate) fn prepare(root: &Path, target: &Path) -> anyhow::Result<()> {
    if target.exists() {
        fs::remove_dir_all(target)
            .with_context(|| format!("{} could not be removed", target.display()))?;
    }
    let summary = Path::new("docs/SUMMARY.md");
    let text = fs::read_to_string(root.join(summary))
        .with_context(|| format!("{} could not be read", summary.display()))?;
    let mut book = Book {
        root,
        target,
        pages: listed(&text),
        copied: BTreeSet::new(),
    };
    book.folder(Path::new("docs"))
}

/// The pages that a summary lists.
pub(crate) fn listed(summary: &str) -> BTreeSet<PathBuf> {
    let page = |event| match event {
        Event::Start(Tag::Link { dest_url, .. }) => Some(Path::new("docs").join(&*dest_url)),
        _ => None,
    };
    Parser::new(summary).filter_map(page).collect()
}

struct Book<'a> {
    root: &'a Path,
    target: &'a Path,
    /// The pages that mdbook makes HTML of; it would lead a link to any other there, too.
    pages: BTreeSet<PathBuf>,
    /// What is outside of `docs`, and in the book by now.
    copied: BTreeSet<PathBuf>,
}

impl Book<'_> {
    /// Copies a folder of `docs`, its pages with their links led elsewhere.
    fn folder(&mut self, folder: &Path) -> anyhow::Result<()> {
        let read = || format!("{} could not be read", folder.display());
        for entry in fs::read_dir(self.root.join(folder)).with_context(read)? {
            let path = folder.join(entry.with_context(read)?.file_name());
            if self.root.join(&path).is_dir() {
                self.folder(&path)?;
                continue;
            }
            let bytes = fs::read(self.root.join(&path))
                .with_context(|| format!("{} could not be read", path.display()))?;
            let bytes = match is_page(&path) {
                true => self.page(&path, &String::from_utf8_lossy(&bytes))?.into(),
                false => bytes,
            };
            self.write(path.strip_prefix("docs").unwrap_or(&path), &bytes)?;
        }
        Ok(())
    }

    /// A page with its links led to what the book has.
    fn page(&mut self, path: &Path, text: &str) -> anyhow::Result<String> {
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
            let (Event::Start(Tag::Link { dest_url, .. })
            | Event::Start(Tag::Image { dest_url, .. })) = event
            else {
                continue;
            };
            let Some(new) = self.led(path, &dest_url)? else {
                continue;
            };
            let old = format!("]({dest_url})");
            let Some(at) = text[range.clone()].rfind(&old) else {
                continue;
            };
            let at = range.start + at;
            out.push_str(&text[done..at]);
            out.push_str(&format!("]({new})"));
            done = at + old.len();
        }
        out.push_str(&text[done..]);
        Ok(out)
    }

    /// Where a link of a page leads in the book, when not to where it does in the repository.
    fn led(&mut self, page: &Path, link: &str) -> anyhow::Result<Option<String>> {
        if link.contains("://") || link.starts_with('#') {
            return Ok(None);
        }
        let (place, _) = link.split_once('#').unwrap_or((link, ""));
        let folder = page.parent().unwrap_or(Path::new(""));
        let wanted = plain(&folder.join(place));
        let is_other = is_page(&wanted) && !self.pages.contains(&wanted);
        if wanted.starts_with("docs") && !is_other && !self.root.join(&wanted).is_dir() {
            return Ok(None);
        }
        let name = self.outside(&wanted)?;
        let up = "../".repeat(folder.components().count().saturating_sub(1));
        Ok(Some(format!("{up}{OUTSIDE}/{name}")))
    }

    /// Copies a file as text, or lists a folder; what it is called in the book.
    fn outside(&mut self, path: &Path) -> anyhow::Result<String> {
        let full = self.root.join(path);
        let (name, text) = if full.is_dir() {
            let mut names: Vec<String> = fs::read_dir(&full)
                .and_then(|entries| {
                    let name =
                        |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
                    entries.map(|entry| entry.map(name)).collect()
                })
                .with_context(|| format!("{} could not be read", path.display()))?;
            names.sort();
            (path.join("contents"), names.join("\n").into_bytes())
        } else {
            let bytes =
                fs::read(&full).with_context(|| format!("{} could not be read", path.display()))?;
            (path.to_owned(), bytes)
        };
        // mdbook takes every link with `.md` in it for one to a page of its own.
        let name = match is_page(&name) {
            true => name.with_extension("txt").display().to_string(),
            false => format!("{}.txt", name.display()),
        };
        if self.copied.insert(path.to_owned()) {
            self.write(&Path::new(OUTSIDE).join(&name), &text)?;
        }
        Ok(name)
    }

    fn write(&self, name: &Path, bytes: &[u8]) -> anyhow::Result<()> {
        let path = self.target.join(name);
        let write = || {
            fs::create_dir_all(path.parent().unwrap_or(self.target))?;
            fs::write(&path, bytes)
        };
        write().with_context(|| format!("{} cannot be written", path.display()))
    }
}

fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}

/// A path without `.` and `..`.
pub(crate) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_files_and_folders_outside_lead_to_copies() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("has one")).expect("made");
            fs::write(path, text).expect("written");
        };
        write("src/lib.rs", "//! Source.");
        write("README.md", "Read me.");
        write("docs/SUMMARY.md", "[a](page.md), [b](deep/page.md)");
        let page = "[a](../src/lib.rs#L3), [b](../src), [c](page.md#d), <https://e.f>";
        write("docs/page.md", page);
        write(
            "docs/deep/page.md",
            "[a](../../src/lib.rs), [b](../../README.md), [c](other.md)",
        );
        write("docs/deep/other.md", "Not listed.");
        let target = folder.path().join("book");
        prepare(folder.path(), &target).expect("prepared");
        let read = |name: &str| fs::read_to_string(target.join(name)).expect(name);
        assert_eq!(
            read("page.md"),
            "[a](repository/src/lib.rs.txt), [b](repository/src/contents.txt), [c](page.md#d), <https://e.f>"
        );
        assert_eq!(
            read("deep/page.md"),
            "[a](../repository/src/lib.rs.txt), [b](../repository/README.txt), \
             [c](../repository/docs/deep/other.txt)"
        );
        assert_eq!(read("repository/src/lib.rs.txt"), "//! Source.");
        assert_eq!(read("repository/src/contents.txt"), "lib.rs");
        // Again, over what is there.
        prepare(folder.path(), &target).expect("prepared again");
    }
}
