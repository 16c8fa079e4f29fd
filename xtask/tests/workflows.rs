//! The workflows and the Dockerfile, as far as they can be checked without the services that run
//! them: what they are made of, the commands that they run, the files that they copy.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use saphyr::{LoadableYamlNode, Yaml};

fn root() -> &'static Path {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().expect("the workspace")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Programs of the machines that workflows run on.
const PROGRAMS: [&str; 2] = ["gh", "tar"];

/// Why a command would not run, if so.
fn objection(command: &str) -> Option<String> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let is_understood = match words[..] {
        // With `--help` a command says that it exists, and does nothing.
        ["cargo", "xtask", subcommand, ..] => Command::new(env!("CARGO_BIN_EXE_xtask"))
            .args([subcommand, "--help"])
            .output()
            .is_ok_and(|output| output.status.success()),
        [
            "cargo",
            "test",
            "--package",
            package,
            "--features",
            feature,
            "--test",
            test,
        ] => has_test(package, feature, test),
        [program, ..] if program.contains('/') => fs::metadata(root().join(program))
            .is_ok_and(|file| file.permissions().mode() & 0o111 != 0),
        [program, ..] => PROGRAMS.contains(&program),
        [] => false,
    };
    (!is_understood).then(|| format!("`{command}` is no command here"))
}

/// Whether a package of the workspace has such a feature and such a test.
fn has_test(package: &str, feature: &str, test: &str) -> bool {
    let folders = fs::read_dir(root()).into_iter().flatten().flatten();
    folders.map(|folder| folder.path()).any(|folder| {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        let has = |line: String| manifest.lines().any(|of| of.starts_with(&line));
        has(format!("name = \"{package}\""))
            && has(format!("{feature} = ["))
            && folder.join(format!("tests/{test}.rs")).is_file()
    })
}

/// What a workflow does: the machines that it asks for, and the commands of its steps.
#[derive(Default)]
struct Workflow {
    machines: BTreeSet<String>,
    commands: Vec<String>,
}

/// Reads a workflow; why it is none, if so.
fn workflow(text: &str) -> Result<Workflow, String> {
    let documents = Yaml::load_from_str(text).map_err(|error| error.to_string())?;
    let [document] = &documents[..] else {
        return Err(format!("{} documents", documents.len()));
    };
    for key in ["name", "on", "permissions", "jobs"] {
        document.as_mapping_get(key).ok_or(format!("no `{key}`"))?;
    }
    let mut found = Workflow::default();
    let jobs = document.as_mapping_get("jobs").and_then(Yaml::as_mapping);
    for job in jobs.ok_or("`jobs` is no mapping")?.values() {
        let machine = job.as_mapping_get("runs-on").and_then(Yaml::as_str);
        let matrix = job
            .as_mapping_get("strategy")
            .and_then(|strategy| strategy.as_mapping_get("matrix"));
        match (machine, matrix) {
            (Some("${{ matrix.os }}"), Some(matrix)) => found.machines.extend(machines(matrix)),
            (Some(machine), None) => drop(found.machines.insert(machine.to_owned())),
            _ => return Err("a job without a machine".to_owned()),
        }
        let steps = job.as_mapping_get("steps").and_then(Yaml::as_sequence);
        for step in steps.ok_or("a job without steps")? {
            let text = |key| step.as_mapping_get(key).and_then(Yaml::as_str);
            match (text("uses"), text("run")) {
                (Some(action), None) if action.contains('@') => {}
                (None, Some(run)) => found.commands.extend(run.lines().map(str::to_owned)),
                _ => {
                    return Err(format!(
                        "neither an action's version nor a command: {step:?}"
                    ));
                }
            }
        }
    }
    let objections = found.commands.iter().find_map(|command| objection(command));
    objections.map_or(Ok(found), Err)
}

/// The machines of a matrix: the list `os`, or `os` of what it includes.
fn machines(matrix: &Yaml<'_>) -> Vec<String> {
    let list = |key| matrix.as_mapping_get(key).and_then(Yaml::as_sequence);
    let listed = list("os").into_iter().flatten().filter_map(Yaml::as_str);
    let included = list("include").into_iter().flatten();
    let included = included.filter_map(|entry| entry.as_mapping_get("os")?.as_str());
    listed.chain(included).map(str::to_owned).collect()
}

#[test]
fn workflows_run_commands_that_there_are_on_both_processors() {
    for (path, expected) in [
        (
            ".github/workflows/ci.yml",
            vec![".ci/run", "cargo xtask package"],
        ),
        (
            ".github/workflows/release.yml",
            vec!["cargo xtask package", "cargo xtask bundle \"$NAME\""],
        ),
    ] {
        let found = workflow(&read(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        let machines = ["ubuntu-24.04", "ubuntu-24.04-arm"].map(str::to_owned);
        assert_eq!(found.machines, BTreeSet::from(machines), "{path}");
        for command in expected {
            assert!(
                found.commands.iter().any(|known| known == command),
                "{path}: {command}"
            );
        }
    }
}

#[test]
fn a_workflow_that_would_fail_is_found() {
    let good = read(".github/workflows/ci.yml");
    let refused = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        workflow(&good.replace(from, to)).err()
    };
    let said = refused("cargo xtask package", "cargo xtask fly");
    assert_eq!(
        said.as_deref(),
        Some("`cargo xtask fly` is no command here")
    );
    assert!(refused(".ci/run", ".ci/ran").is_some());
    assert!(refused(".ci/run", "Cargo.toml/../README.md").is_some());
    assert!(refused("--features parquet", "--features orc").is_some());
    assert!(refused("--test parquet", "--test orc").is_some());
    assert!(refused("@v4", "").is_some());
    assert!(refused("    runs-on: ${{ matrix.os }}\n", "").is_some());
    assert!(refused("jobs:", "job:").is_some());
    assert!(refused("name: CI", "name: [CI").is_some());
}

/// Why a Dockerfile would not build, as far as can be seen without its images.
fn dockerfile(text: &str) -> Result<(), String> {
    let version = read("Cargo.toml");
    let (_, version) = version
        .split_once("rust-version = \"")
        .ok_or("no version of Rust")?;
    let version = version.split('"').next().unwrap_or_default();
    let mut stages = Vec::new();
    // Folders that commands of a stage write.
    let mut written = Vec::new();
    for line in text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["FROM", image, ..] if image.starts_with("rust:") => {
                let expected = format!("rust:{version}-");
                if !image.starts_with(&expected) {
                    return Err(format!("{image} is not {expected}, the workspace's Rust"));
                }
                stages.extend(words.get(3));
            }
            ["FROM", image] if image.starts_with("debian:") => {}
            ["COPY", from, path, _] if from.starts_with("--from=") => {
                let stage = &from["--from=".len()..];
                if !stages.contains(&stage) || !written.contains(&path) {
                    return Err(format!("{stage} has no {path}"));
                }
            }
            ["COPY", path, _] if root().join(path).exists() => {}
            ["RUN", ..] => {
                if let Some(objection) = objection(line.trim_start_matches("RUN ")) {
                    return Err(objection);
                }
                written.extend(words.last());
            }
            ["WORKDIR", _] | ["ENV", _] => {}
            ["ENTRYPOINT" | "CMD", ..] => {}
            _ => return Err(format!("`{line}` is not known")),
        }
    }
    // The program that `bundle` writes, where the folder is copied to.
    let program = "COPY --from=build /bundle /opt/quadscan\n";
    let is_started = text.contains("ENTRYPOINT [\"/opt/quadscan/quadscan\"]");
    match text.contains(program) && is_started {
        true => Ok(()),
        false => Err("the bundle's program is not what is started".to_owned()),
    }
}

#[test]
fn the_dockerfile_builds_a_bundle_with_the_workspaces_rust() {
    let good = read("Dockerfile");
    assert_eq!(dockerfile(&good), Ok(()));
    for (from, to) in [
        ("rust:1.95", "rust:1.94"),
        ("xtask bundle", "xtask bindle"),
        ("COPY . ", "COPY absent "),
        ("--from=build", "--from=other"),
        ("--from=build /bundle", "--from=build /bindle"),
        ("WORKDIR", "WORKDIRECTORY"),
        ("quadscan/quadscan\"]", "quadscan/program\"]"),
    ] {
        assert!(good.contains(from), "{from}");
        assert!(dockerfile(&good.replace(from, to)).is_err(), "{to}");
    }
}
