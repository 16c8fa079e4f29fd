//! Every `quadscan bench`, `integrate`, `scan`, `reduce` and `time` that a document shows is understood,
//! whether by way of `cargo xtask` or of the program itself. (The other commands of `cargo xtask` are
//! checked in `xtask`.)

use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser;
use quadscan_bench::bench::request::Request;
use quadscan_bench::bench::timed;
use quadscan_bench::cli::{Cli, Command};
use quadscan_bench::{combine, integral, plan};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The ways to begin a `quadscan bench`.
const BENCH: &[&str] = &["cargo xtask bench", "./quadscan bench", "quadscan bench"];

/// The ways to begin a `quadscan integrate`.
const INTEGRATE: &[&str] = &[
    "cargo xtask integrate",
    "./quadscan integrate",
    "quadscan integrate",
    "$ quadscan integrate",
];

/// The words of a command as a shell divides it, up to a comment or to what becomes of its output.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut is_quoted, mut is_word) = (Vec::<String>::new(), false, false);
    for c in command.chars() {
        match c {
            '\'' => {
                is_quoted = !is_quoted;
                continue;
            }
            '#' | '|' | '>' if !is_quoted => break,
            c if c.is_whitespace() && !is_quoted => {
                is_word = false;
                continue;
            }
            _ => {}
        }
        if !std::mem::replace(&mut is_word, true) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(c);
        }
    }
    words
}

/// Words after one of the `starts` in the commands of a Markdown text: lines of fenced
/// blocks, and code within a line.
fn arguments_of(markdown: &str, starts: &[&str]) -> Vec<Vec<String>> {
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
            let rest = starts.iter().find_map(|start| piece.strip_prefix(start));
            found.extend(rest.map(words));
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

/// What is wrong with these arguments of a command, if anything is.
fn objection(command: &str, arguments: &[String]) -> Option<String> {
    if arguments.iter().any(|argument| argument == "--help") {
        return None;
    }
    let line = ["quadscan", command].into_iter();
    let parsed = Cli::try_parse_from(line.chain(arguments.iter().map(String::as_str)));
    let checked = match parsed {
        Err(error) => return Some(error.to_string()),
        Ok(cli) => match cli.command {
            Command::Bench(bench) => Request::new(&bench).map(drop),
            Command::Integrate(integrate) => integral::check(&integrate),
            Command::Formula(formula) => integral::formula::check(&formula),
            Command::Report(_) => Ok(()),
            Command::Plan(arguments) => plan::plan(&arguments).map(drop),
            Command::Scan(scan) => combine::check_scan(&scan),
            Command::Reduce(reduce) => combine::check_reduce(&reduce),
            Command::Time(time) if timed::rows(&time.kernel).is_none() => {
                return Some(format!("no table times {}", time.kernel));
            }
            Command::Time(_) => Ok(()),
            _ => return Some("it is another command".into()),
        },
    };
    checked.err().map(|error| error.to_string())
}

/// The ways to begin a `quadscan report`.
const REPORT: &[&str] = &["cargo xtask report", "quadscan report"];

#[test]
fn every_report_command_in_the_documents_is_understood() {
    let name = "docs/report.md";
    let text = fs::read_to_string(root().join(name)).expect(name);
    let commands = arguments_of(&text, REPORT);
    assert!(
        commands.len() >= 5,
        "{name} shows {} commands",
        commands.len()
    );
    for arguments in commands.iter().filter(|arguments| !arguments.is_empty()) {
        let command = arguments.join(" ");
        assert_eq!(
            objection("report", arguments),
            None,
            "{name}: report {command}"
        );
    }
}

#[test]
fn every_bench_command_in_the_documents_is_understood() {
    let documents = [
        "README.md",
        "docs/bench.md",
        "docs/claims.md",
        "docs/from-naive-to-look-back.md",
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
        let commands = arguments_of(&text, BENCH);
        assert!(!commands.is_empty(), "{name} shows no bench");
        for arguments in commands {
            assert_eq!(
                objection("bench", &with_folder(&arguments, folder.path())),
                None,
                "{name}: bench {}",
                arguments.join(" ")
            );
        }
    }
}

#[test]
fn every_integrate_command_in_the_documents_is_understood() {
    for (name, least) in [
        ("docs/integrate.md", 6),
        ("docs/formulas.md", 4),
        ("README.md", 1),
    ] {
        let text = fs::read_to_string(root().join(name)).expect(name);
        // Without arguments it is the command's name.
        let commands = arguments_of(&text, INTEGRATE).into_iter();
        let is_whole = |arguments: &Vec<String>| arguments.len() > 1;
        let commands: Vec<_> = commands.filter(is_whole).collect();
        assert!(commands.len() >= least, "{name} shows {commands:?}");
        for arguments in commands {
            assert_eq!(objection("integrate", &arguments), None, "{arguments:?}");
        }
    }
}

#[test]
fn every_formula_command_in_the_documents_is_understood() {
    let name = "docs/formulas.md";
    let text = fs::read_to_string(root().join(name)).expect(name);
    let starts = ["cargo xtask", "quadscan", "$ quadscan"].map(|of| format!("{of} formula"));
    let starts: Vec<&str> = starts.iter().map(String::as_str).collect();
    let commands = arguments_of(&text, &starts).into_iter();
    let commands: Vec<_> = commands
        .filter(|arguments| arguments.first().is_some_and(|text| text != "TEXT"))
        .collect();
    assert!(commands.len() >= 2, "{name} shows {commands:?}");
    for arguments in commands {
        assert_eq!(objection("formula", &arguments), None, "{arguments:?}");
    }
    let unknown = ["sqr(x)", "--at", "1"].map(str::to_owned);
    assert!(objection("formula", &unknown).is_some());
}

#[test]
fn every_scan_and_reduce_command_in_the_documents_is_understood() {
    let name = "docs/scan-files.md";
    let text = fs::read_to_string(root().join(name)).expect(name);
    for command in ["scan", "reduce"] {
        let starts = ["cargo xtask", "quadscan", "$ quadscan"].map(|of| format!("{of} {command}"));
        let starts: Vec<&str> = starts.iter().map(String::as_str).collect();
        let commands = arguments_of(&text, &starts).into_iter();
        let commands: Vec<_> = commands.filter(|arguments| !arguments.is_empty()).collect();
        assert!(commands.len() > 1, "{name} shows {commands:?}");
        for arguments in commands {
            assert_eq!(objection(command, &arguments), None, "{arguments:?}");
        }
    }
    let unknown = ["items.csv", "--op", "mean"].map(str::to_owned);
    assert!(objection("scan", &unknown).is_some() && objection("reduce", &unknown).is_some());
}

#[test]
fn every_command_of_several_processes_in_the_documents_is_understood() {
    let name = "docs/clusters.md";
    let text = fs::read_to_string(root().join(name)).expect(name);
    let starts = ["$ mpirun -n 4 quadscan", "$ mpirun -n 8 quadscan"];
    let commands = arguments_of(&text, &starts);
    assert!(commands.len() >= 4, "{name} shows {commands:?}");
    for arguments in commands {
        assert_eq!(
            objection(&arguments[0], &arguments[1..]),
            None,
            "{arguments:?}"
        );
    }
}

#[test]
fn every_plan_command_in_the_documents_is_understood() {
    let name = "docs/scaling.md";
    let text = fs::read_to_string(root().join(name)).expect(name);
    let commands = arguments_of(&text, &["$ quadscan plan"]);
    assert!(commands.len() >= 2, "{name} shows {commands:?}");
    for arguments in commands {
        assert_eq!(objection("plan", &arguments), None, "{arguments:?}");
    }
    assert!(objection("plan", &["--gpu", "x"].map(str::to_owned)).is_some());
}

#[test]
fn every_time_command_in_the_documents_is_understood() {
    for name in ["docs/dev.md", "xtask/src/bundle/README.md"] {
        let text = fs::read_to_string(root().join(name)).expect(name);
        let commands = arguments_of(&text, &["./quadscan time", "quadscan time"]);
        assert!(!commands.is_empty(), "{name} shows none");
        for arguments in commands {
            assert_eq!(objection("time", &arguments), None, "{arguments:?}");
        }
    }
    let unknown = ["fly".to_owned()];
    assert!(objection("time", &unknown).is_some());
}

#[test]
fn a_function_that_does_not_exist_is_found_in_a_document() {
    let text = "```console\n$ quadscan integrate --integrand flight\n```";
    let commands = arguments_of(text, INTEGRATE);
    assert_eq!(commands, [["--integrand", "flight"]]);
    assert!(objection("integrate", &commands[0]).is_some());
}

#[test]
fn a_table_that_does_not_exist_is_found_in_a_document() {
    let text = "```sh\ncargo xtask bench flights   # up\n```\nor `quadscan bench --fly`, `none`";
    let commands = arguments_of(text, BENCH);
    assert_eq!(commands, [["flights"], ["--fly"]]);
    assert!(
        commands
            .iter()
            .all(|arguments| objection("bench", arguments).is_some())
    );
}
