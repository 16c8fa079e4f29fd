//! The README's commands that measure do so as they are printed there. (`cargo xtask bench` and
//! `report` hand their arguments on to this program.)

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::common::{folder, quadscan};

/// The lines of the block of commands below this heading of the README, without remarks.
fn commands(heading: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let Ok(readme) = fs::read_to_string(root.join("README.md")) else {
        panic!("there is no README");
    };
    let block = readme
        .split(heading)
        .nth(1)
        .and_then(|rest| rest.split("```").nth(1));
    let lines = block.unwrap_or_default().lines().skip(1);
    let command = |line: &str| line.split('#').next().unwrap_or_default().trim().to_owned();
    lines.map(command).collect()
}

#[test]
fn what_the_readme_shows_to_reproduce_runs() {
    let folder = folder();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    if let Err(error) = symlink(docs, folder.path().join("docs")) {
        panic!("{error}");
    }
    let commands = commands("### Reproduce\n");
    assert!(commands.len() >= 3, "{commands:?}");
    for command in commands {
        let arguments = command.strip_prefix("cargo xtask ").unwrap_or_default();
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let outcome = quadscan(folder.path(), &arguments);
        assert_eq!(outcome.code, 0, "{command}: {outcome:?}");
        assert!(!outcome.output.is_empty(), "{command}: {outcome:?}");
    }
    assert!(folder.path().join("h200.html").exists());
}
