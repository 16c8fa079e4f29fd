//! Rules about what is written for people.

use super::{File, Finding};

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
