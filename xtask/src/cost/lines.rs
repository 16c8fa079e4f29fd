//! Lines of Rust that are not tests: what is neither empty nor a comment, in files that are
//! none of tests and no examples, up to the module of tests at a file's end.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};

/// Those of the files that git knows.
pub(super) fn of_programs(root: &Path) -> anyhow::Result<usize> {
    let output = Command::new("git")
        .args(["ls-files", "--", "*.rs"])
        .current_dir(root)
        .output()
        .context("git could not be started")?;
    if !output.status.success() {
        bail!(
            "git ls-files failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let listed = String::from_utf8_lossy(&output.stdout);
    let mut lines = 0;
    for file in listed.lines().filter(|file| !is_of_tests(file)) {
        // One that is deleted and not committed has none.
        let text = std::fs::read_to_string(root.join(file)).unwrap_or_default();
        lines += of_program(&text);
    }
    Ok(lines)
}

fn is_of_tests(file: &str) -> bool {
    let mut folders = file.split('/');
    let name = folders.next_back().unwrap_or_default();
    let in_tests = folders.any(|folder| ["tests", "fuzz", "examples"].contains(&folder));
    in_tests || name == "tests.rs" || name.ends_with("_tests.rs")
}

fn of_program(text: &str) -> usize {
    // With an attribute before it, whatever the tests need.
    let tests = text.lines().position(|line| line.ends_with("mod tests {"));
    let program = text
        .lines()
        .take(tests.map_or(usize::MAX, |line| line.saturating_sub(1)));
    program
        .map(str::trim_start)
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_empty_lines_and_the_module_of_tests_do_not_count() {
        for [attribute, module] in [["test", ""], ["all(test, unix)", "pub(super) "]] {
            let text = format!(
                "//! A file.\n\nuse a::b;\n\n    // why\n    c();\n\n#[cfg({attribute})]\n{module}mod tests {{\n    d();\n}}\n"
            );
            assert_eq!(of_program(&text), 2);
        }
    }

    #[test]
    fn files_of_tests_are_told_by_their_folder_and_their_name() {
        assert!(
            [
                "tests/src/lib.rs",
                "a/tests/b.rs",
                "a/src/tests.rs",
                "a/src/b_tests.rs"
            ]
            .iter()
            .all(|file| is_of_tests(file))
        );
        assert!(!is_of_tests("a/src/test.rs") && !is_of_tests("a/src/contests.rs"));
    }
}
