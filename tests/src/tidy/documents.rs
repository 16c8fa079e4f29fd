//! Rules about what is written for people.

use std::path::Path;

use super::{File, Finding};

/// A relative link of a Markdown file to something that is not in the
/// repository at `root`.
pub fn broken_link(root: &Path, file: &File) -> Vec<Finding> {
    if !file.has_extension("md") {
        return Vec::new();
    }
    let folder = root.join(&file.path);
    let folder = folder.parent().unwrap_or(root);
    let lines = file.text.lines().enumerate();
    lines
        .flat_map(|(number, line)| links(line).map(move |link| (number + 1, link)))
        .filter(|(_, link)| !link.contains("://") && !link.starts_with(['#', '/']))
        .filter(|(_, link)| !folder.join(link.split('#').next().unwrap_or(link)).exists())
        .map(|(number, link)| file.finding(number, format!("the link `{link}` leads nowhere")))
        .collect()
}

/// Targets of `[text](target)` in a line.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("](").filter_map(|(at, mark)| {
        let rest = &line[at + mark.len()..];
        rest.split_once(')').map(|(target, _)| target.trim())
    })
}

/// A path of one person's machine.
pub fn home_folder(file: &File) -> Vec<Finding> {
    // In two halves, so that this file is no finding.
    const HOMES: &[&str] = &[
        concat!("/ho", "me/"),
        concat!("/Us", "ers/"),
        concat!("/ro", "ot/"),
    ];
    let lines = file.text.lines().enumerate();
    lines
        .filter(|(_, line)| HOMES.iter().any(|home| line.contains(home)))
        .map(|(number, _)| file.finding(number + 1, "a path of one machine: name it relatively"))
        .collect()
}
