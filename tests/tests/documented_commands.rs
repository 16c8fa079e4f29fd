//! Every `quadscan bench` that a document shows is understood, whether by way of
//! `cargo xtask bench` or of the program itself. (The other commands of `cargo xtask` are
//! checked in `xtask`.)

use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser;
use quadscan::bench::request::Request;
use quadscan::cli::{Cli, Command};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The ways to begin a `quadscan bench`.
const BENCH: &[&str] = &["cargo xtask bench", "./quadscan bench", "quadscan bench"];

/// Words after a `quadscan bench` in the commands of a Markdown text: lines of fenced
/// blocks, and code within a line.
fn arguments_of(markdown: &str) -> Vec<Vec<String>> {
    let mut fenced = false;
    let mut found = Vec::new();
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        let pieces: Vec<&str> = if fenced {
            vec![line]
        } else {
            line.split('`').skip(1).step_by(2).collect()
        };
        for piece in pieces {
            let rest = BENCH.iter().find_map(|start| piece.strip_prefix(start));
            let command = rest.map(|rest| rest.split(['#', '|', '>']).next().unwrap_or(rest));
            found.extend(command.map(|command| {
                command
                    .split_whitespace()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            }));
        }
    }
    found
}

/// The arguments where `DIR` is a folder of CUB's headers, which is looked for.
fn with_folder(arguments: &[String], folder: &Path) -> Vec<String> {
    let folder = folder.display().to_string();
    let put = |argument: &String| match argument.as_str() {
        "DIR" => folder.clone(),
        _ => argument.clone(),
    };
    arguments.iter().map(put).collect()
}

/// What is wrong with these arguments, if anything is.
fn objection(arguments: &[String]) -> Option<String> {
    if arguments.iter().any(|argument| argument == "--help") {
        return None;
    }
    let line = ["quadscan", "bench"].into_iter();
    match Cli::try_parse_from(line.chain(arguments.iter().map(String::as_str))) {
        Err(error) => Some(error.to_string()),
        Ok(cli) => match cli.command {
            Command::Bench(bench) => Request::new(&bench).err().map(|error| error.to_string()),
            _ => Some("it is no bench".into()),
        },
    }
}

#[test]
fn every_bench_command_in_the_documents_is_understood() {
    let documents = [
        "README.md",
        "docs/measurement.md",
        "docs/performance-integrate.md",
        "docs/tables.md",
        "docs/report.md",
        "peers/README.md",
        "xtask/src/bundle/README.md",
    ];
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(folder.path().join("cub")).expect("made");
    fs::write(folder.path().join("cub/version.cuh"), "").expect("written");
    for name in documents {
        let text = fs::read_to_string(root().join(name)).expect(name);
        let commands = arguments_of(&text);
        assert!(!commands.is_empty(), "{name} shows no bench");
        for arguments in commands {
            assert_eq!(
                objection(&with_folder(&arguments, folder.path())),
                None,
                "{name}: bench {}",
                arguments.join(" ")
            );
        }
    }
}

#[test]
fn a_table_that_does_not_exist_is_found_in_a_document() {
    let text = "```sh\ncargo xtask bench flights   # up\n```\nor `quadscan bench --fly`, `none`";
    let commands = arguments_of(text);
    assert_eq!(commands, [["flights"], ["--fly"]]);
    assert!(
        commands
            .iter()
            .all(|arguments| objection(arguments).is_some())
    );
}
