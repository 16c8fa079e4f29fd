//! Rules about Rust files, and about who may say and do what.

use cuda_builder::toolchain;

use super::{File, Finding};

/// A file of more lines is more than fits in a head.
pub const MAX_LINES: usize = 400;

/// Tests are read one by one, and need not fit as a whole.
pub const MAX_LINES_OF_TESTS: usize = 500;

/// A Rust file that does not open with what lives in it.
pub fn missing_module_docs(file: &File) -> Vec<Finding> {
    if !file.has_extension("rs") || file.is_sample() || file.text.starts_with("//!") {
        return Vec::new();
    }
    vec![file.finding(
        1,
        "open the file with `//!`: what lives here, and what does not",
    )]
}

/// A Rust file of more than [`MAX_LINES`] lines, or [`MAX_LINES_OF_TESTS`].
pub fn too_long(file: &File) -> Vec<Finding> {
    let lines = file.text.lines().count();
    let most = match file.is_of_tests() {
        true => MAX_LINES_OF_TESTS,
        false => MAX_LINES,
    };
    if !file.has_extension("rs") || lines <= most {
        return Vec::new();
    }
    let message = format!("{lines} lines, and {most} is the most: divide it");
    vec![file.finding(0, message)]
}

/// Code that is not there yet, and tests that do not run.
pub fn stub(file: &File) -> Vec<Finding> {
    // In two halves, so that this file is no finding.
    const MARKS: &[&str] = &[
        concat!("todo", "!("),
        concat!("unimplemented", "!("),
        concat!("#[ign", "ore"),
    ];
    forbidden(file, MARKS, "finish it or leave it out")
}

/// The pinned nightly, named anywhere but in the file that decides it.
pub fn pinned_nightly(file: &File) -> Vec<Finding> {
    let may = file.path == "rust-cuda/cuda_builder/src/toolchain.rs"
        || file.path == "CHANGELOG.md"
        || file.path.starts_with("docs/records/");
    if may {
        return Vec::new();
    }
    let lines = file.text.lines().enumerate();
    lines
        .filter(|(_, line)| line.contains(toolchain::PINNED))
        .map(|(number, _)| {
            let message = "only rust-cuda/cuda_builder/src/toolchain.rs names the nightly";
            file.finding(number + 1, message)
        })
        .collect()
}

/// quadscan, named in what can be lifted out of its workspace.
pub fn quadscan_in_the_toolchain(file: &File) -> Vec<Finding> {
    if !file.path.starts_with("rust-cuda/") && !file.path.starts_with("ptx-emulator/") {
        return Vec::new();
    }
    let lines = file.text.lines().enumerate();
    lines
        .filter(|(_, line)| line.to_lowercase().contains("quadscan"))
        .map(|(number, _)| file.finding(number + 1, "this package knows nothing of quadscan"))
        .collect()
}

/// The library talking to the terminal: only `main.rs` does.
pub fn terminal_in_the_library(file: &File) -> Vec<Finding> {
    const MARKS: &[&str] = &["println!(", "eprintln!(", "print!(", "eprint!("];
    let of_a_library = ["host-crate/src/", "bench-crate/src/"];
    if !of_a_library.iter().any(|path| file.path.starts_with(path))
        || file.path == "bench-crate/src/main.rs"
    {
        return Vec::new();
    }
    forbidden(file, MARKS, "only main.rs and xtask talk to the terminal")
}

/// The export measuring: it makes tables of records, and nothing else.
pub fn clock_in_export(file: &File) -> Vec<Finding> {
    if !file.path.starts_with("bench-crate/src/export/") {
        return Vec::new();
    }
    forbidden(
        file,
        &["Instant", "SystemTime", "Event"],
        "export never measures",
    )
}

fn forbidden(file: &File, marks: &[&str], message: &str) -> Vec<Finding> {
    if !file.has_extension("rs") {
        return Vec::new();
    }
    file.code()
        .flat_map(|(number, line)| {
            let found = marks.iter().find(|mark| has_word(line, mark));
            found.map(|mark| file.finding(number, format!("`{mark}`: {message}")))
        })
        .collect()
}

/// Whether `mark` stands in `line` and is not the end of a longer name.
fn has_word(line: &str, mark: &str) -> bool {
    line.match_indices(mark).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}
