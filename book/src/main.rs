//! `cargo xtask book`: the pages in `docs` as a book.
//!
//! mdbook, as a library, makes HTML of what [`prepare`] writes; nobody needs an mdbook of
//! their own. It is a program of its own because what it depends on takes half a minute to
//! compile, and nothing else here needs that.
//!
//! Its layers, each of which uses those above it in this list alone:
//!
//! - `prepare`: the pages as mdbook reads them.
//! - `links`: links that lead nowhere.

mod links;
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

/// Makes the book of a repository below `target`; its first page. An error where a link leads
/// nowhere.
fn make(root: &Path, target: &Path) -> anyhow::Result<PathBuf> {
    let (source, html) = (target.join("source"), target.join("html"));
    prepare::prepare(root, &source)?;
    let mut book = MDBook::load(&source)?;
    book.config.build.build_dir = std::path::absolute(&html)?;
    book.build()?;
    let dead = links::dead(&html)?;
    anyhow::ensure!(dead.is_empty(), "links lead nowhere: {}", dead.join(", "));
    Ok(html.join("index.html"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

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

        let page = html.join("dev.html");
        let text = fs::read_to_string(&page).expect("text");
        let wrong = "<a href=\"none.html\">a</a> <a href=\"inspect.html#none\">b</a></main>";
        fs::write(&page, text.replacen("</main>", wrong, 1)).expect("written");
        assert_eq!(
            links::dead(html).expect("it is read"),
            ["dev.html: none.html", "dev.html: inspect.html#none"]
        );
    }
}
