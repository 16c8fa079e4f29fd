//! `cargo xtask book`: the pages in `docs` as a book.
//!
//! mdbook, as a library, makes HTML of what [`prepare`] writes; nobody needs an mdbook of
//! their own. It is a program of its own because what it depends on takes half a minute to
//! compile, and nothing else here needs that.

mod prepare;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use mdbook_driver::MDBook;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(root), Some(target), None) = (arguments.next(), arguments.next(), arguments.next())
    else {
        eprintln!("error: two folders are needed: the repository and where the book goes to");
        return ExitCode::from(2);
    };
    match make(&root, &target) {
        Ok(index) => {
            println!("{}", index.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Makes the book of a repository below `target`; its first page.
fn make(root: &Path, target: &Path) -> anyhow::Result<PathBuf> {
    let (source, html) = (target.join("source"), target.join("html"));
    prepare::prepare(root, &source)?;
    let mut book = MDBook::load(&source)?;
    book.config.build.build_dir = std::path::absolute(&html)?;
    book.build()?;
    Ok(html.join("index.html"))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;

    use scraper::{Html, Selector};

    use super::*;

    /// Names and links of a page of HTML.
    fn names_and_links(text: &str) -> (BTreeSet<String>, Vec<String>) {
        let page = Html::parse_document(text);
        let select = |selector: &str, attribute: &str| -> Vec<String> {
            let selector = Selector::parse(selector).expect("a selector");
            let found = page.select(&selector);
            found
                .filter_map(|element| element.attr(attribute).map(str::to_owned))
                .collect()
        };
        let names = select("[id]", "id").into_iter().collect();
        (names, select("a[href]", "href"))
    }

    /// Files of a folder and below, from there.
    fn files(folder: &Path, below: &Path, found: &mut BTreeSet<PathBuf>) {
        for entry in fs::read_dir(folder.join(below)).expect("a folder") {
            let path = below.join(entry.expect("can be listed").file_name());
            match folder.join(&path).is_dir() {
                true => files(folder, &path, found),
                false => _ = found.insert(path),
            }
        }
    }

    /// Links of the pages of a book that lead nowhere, down to the heading.
    fn dead(html: &Path) -> Vec<String> {
        let mut there = BTreeSet::new();
        files(html, Path::new(""), &mut there);
        let is_page = |path: &&PathBuf| path.extension().is_some_and(|end| end == "html");
        let read = |path: &PathBuf| {
            let text = fs::read_to_string(html.join(path)).expect("text");
            (path.clone(), names_and_links(&text))
        };
        let pages: BTreeMap<_, _> = there.iter().filter(is_page).map(read).collect();
        let mut found = Vec::new();
        for (path, (_, links)) in &pages {
            // What stands for a page that is not there is read at any place.
            let is_own = path.as_path() != Path::new("404.html");
            for link in links.iter().filter(|link| is_own && !link.contains("://")) {
                let (place, name) = link.split_once('#').unwrap_or((link, ""));
                let folder = path.parent().unwrap_or(Path::new(""));
                let target = match place {
                    "" => path.clone(),
                    place => prepare::plain(&folder.join(place)),
                };
                let leads = match pages.get(&target) {
                    Some((names, _)) => name.is_empty() || names.contains(name),
                    None => there.contains(&target),
                };
                if !leads {
                    found.push(format!("{}: {link}", path.display()));
                }
            }
        }
        found
    }

    fn root() -> &'static Path {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        here.parent().expect("the workspace")
    }

    #[test]
    fn the_book_is_made_and_no_link_of_it_leads_nowhere() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let index = make(root(), folder.path()).expect("it is made");
        assert!(index.is_file());
        let html = index.parent().expect("a folder");
        let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).expect("a summary");
        for page in prepare::listed(&summary) {
            let page = page.strip_prefix("docs").expect("in docs");
            let page = match page == Path::new("README.md") {
                true => PathBuf::from("index.html"),
                false => page.with_extension("html"),
            };
            assert!(html.join(&page).is_file(), "{}", page.display());
        }
        assert_eq!(dead(html), [""; 0]);

        let page = html.join("dev.html");
        let text = fs::read_to_string(&page).expect("text");
        let wrong = "<a href=\"none.html\">a</a> <a href=\"inspect.html#none\">b</a></main>";
        fs::write(&page, text.replacen("</main>", wrong, 1)).expect("written");
        assert_eq!(
            dead(html),
            ["dev.html: none.html", "dev.html: inspect.html#none"]
        );
    }
}
