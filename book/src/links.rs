//! Links between the pages of a book.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use scraper::{Html, Selector};

use crate::prepare;

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
fn files(folder: &Path, below: &Path, found: &mut BTreeSet<PathBuf>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder.join(below))? {
        let path = below.join(entry?.file_name());
        match folder.join(&path).is_dir() {
            true => files(folder, &path, found)?,
            false => _ = found.insert(path),
        }
    }
    Ok(())
}

/// Links of the pages of a book that lead nowhere, down to the heading.
pub(crate) fn dead(html: &Path) -> anyhow::Result<Vec<String>> {
    let mut there = BTreeSet::new();
    files(html, Path::new(""), &mut there)?;
    let is_page = |path: &&PathBuf| path.extension().is_some_and(|end| end == "html");
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(html.join(path))?;
        Ok((path.clone(), names_and_links(&text)))
    };
    let pages = there.iter().filter(is_page).map(read);
    let pages: BTreeMap<_, _> = pages.collect::<anyhow::Result<_>>()?;
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
    Ok(found)
}
