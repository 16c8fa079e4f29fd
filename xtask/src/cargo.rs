//! Cargo as a child process: the workspace's folders, a build, and the
//! executables that a build made.
//!
//! Cargo's diagnostics go to stderr as they come; only its machine-readable
//! messages are read, so `CARGO_TARGET_DIR`, profiles and configuration are
//! cargo's business.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::BuildFailed;
use crate::terminal::Talk;

/// The root of the workspace that this xtask was built from.
pub(crate) fn root() -> &'static Path {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    own.unwrap_or(Path::new("."))
}

/// The cargo that started us, or the one on the path.
pub(crate) fn program() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Cargo, run in the caller's folder, on the workspace's manifest.
pub(crate) fn command(subcommand: &str) -> Command {
    let mut command = Command::new(program());
    command
        .envs(Talk::of_cargo())
        .arg(subcommand)
        .arg("--manifest-path")
        .arg(root().join("Cargo.toml"));
    command
}

/// The target folder, as cargo decides it.
pub(crate) fn target_directory() -> anyhow::Result<PathBuf> {
    #[derive(Deserialize)]
    struct Metadata {
        target_directory: PathBuf,
    }
    metadata().map(|metadata: Metadata| metadata.target_directory)
}

/// What cargo says of the workspace, without its dependencies.
pub(crate) fn metadata<T: DeserializeOwned>() -> anyhow::Result<T> {
    let output = command("metadata")
        .args(["--no-deps", "--offline", "--format-version=1"])
        .stderr(Stdio::inherit())
        .output()
        .context("cargo could not be started")?;
    if !output.status.success() {
        return Err(BuildFailed("cargo metadata failed".into()).into());
    }
    serde_json::from_slice(&output.stdout)
        .context("cargo metadata printed something that is not its JSON")
}

/// An executable that a build made.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Executable {
    /// The target's name: `quadscan`, `conformance`.
    pub(crate) name: String,
    /// A test harness, not a program.
    pub(crate) is_test: bool,
    pub(crate) path: PathBuf,
    /// The manifest of its package,
    pub(crate) manifest: PathBuf,
    /// and the package's name.
    pub(crate) package: String,
}

/// What cargo says of something that a build made or found fresh.
#[derive(Debug, Deserialize)]
pub(crate) struct Made {
    pub(crate) target: Target,
    pub(crate) executable: Option<PathBuf>,
    pub(crate) filenames: Vec<PathBuf>,
    manifest_path: PathBuf,
    package_id: String,
    profile: Profile,
}

/// What was built.
#[derive(Debug, Deserialize)]
pub(crate) struct Target {
    pub(crate) name: String,
}

#[derive(Debug, Deserialize)]
struct Profile {
    test: bool,
}

/// Runs `build` (a `cargo build` or `cargo test --no-run`) and returns what it made or found
/// fresh; [`BuildFailed`] naming `what` if it failed.
pub(crate) fn made(build: Command, what: &str) -> anyhow::Result<Vec<Made>> {
    let mut made = Vec::new();
    let format = "json-render-diagnostics";
    listen(build, format, what, |line| {
        // Lines of other kinds (build scripts, the final one) have other fields.
        made.extend(serde_json::from_str::<Made>(line));
    })?;
    Ok(made)
}

/// As [`made`], with the number of warnings about the workspace's own code.
pub(crate) fn judged(build: Command, what: &str) -> anyhow::Result<(Vec<Made>, usize)> {
    let (mut made, mut warnings) = (Vec::new(), BTreeSet::new());
    listen(build, "json", what, |line| {
        made.extend(serde_json::from_str::<Made>(line));
        // Of a library there is one for itself and one for its tests.
        if let Some(text) = told(line).filter(|text| warnings.insert(text.clone())) {
            eprint!("{text}");
        }
    })?;
    Ok((made, warnings.len()))
}

/// What a compiler says in a line of cargo's; none where it adds up its warnings.
fn told(line: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Told {
        message: Message,
    }
    #[derive(Deserialize)]
    struct Message {
        level: String,
        rendered: String,
        code: Option<serde_json::Value>,
        spans: Vec<serde_json::Value>,
    }
    let Told { message } = serde_json::from_str(line).ok()?;
    let is_sum = message.level == "warning" && message.code.is_none() && message.spans.is_empty();
    (!is_sum).then_some(message.rendered)
}

/// Runs cargo and hears its messages; [`BuildFailed`] naming `what` if it failed.
fn listen(
    mut build: Command,
    format: &str,
    what: &str,
    mut heard: impl FnMut(&str),
) -> anyhow::Result<()> {
    let mut child = build
        .arg(format!("--message-format={format}"))
        .stdout(Stdio::piped())
        .spawn()
        .context("cargo could not be started")?;
    let messages = child
        .stdout
        .take()
        .context("cargo's messages could not be read")?;
    for line in BufReader::new(messages).lines() {
        heard(&line.context("cargo's messages could not be read")?);
    }
    let status = child.wait().context("cargo could not be waited for")?;
    match status.success() {
        true => Ok(()),
        false => Err(BuildFailed(format!("{what} does not build ({status})")).into()),
    }
}

/// Of what [`made`] returns the executables.
pub(crate) fn build(build: Command, what: &str) -> anyhow::Result<Vec<Executable>> {
    made(build, what).map(|made| executables(&made))
}

pub(crate) fn executables(made: &[Made]) -> Vec<Executable> {
    made.iter().filter_map(executable).collect()
}

fn executable(made: &Made) -> Option<Executable> {
    Some(Executable {
        name: made.target.name.clone(),
        is_test: made.profile.test,
        path: made.executable.clone()?,
        manifest: made.manifest_path.clone(),
        package: package_name(&made.package_id).to_owned(),
    })
}

/// The name in a package's identifier: `path+file:///folder/name#0.1.0`, or
/// `path+file:///folder#name@0.1.0` where the folder has another name.
fn package_name(id: &str) -> &str {
    let (source, rest) = id.rsplit_once('#').unwrap_or(("", id));
    match rest.split_once('@') {
        Some((name, _)) => name,
        None => source.rsplit('/').next().unwrap_or(source),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a build says whose cargo prints one message.
    fn said(level: &str, code: &str, spans: &str) -> (usize, bool) {
        let message = format!(
            r#"{{"reason":"compiler-message","message":{{"level":"{level}","rendered":"text","code":{code},"spans":{spans}}}}}"#
        );
        let mut build = Command::new("sh");
        build.args(["-c", &format!("echo '{message}'; echo '{message}'")]);
        let (made, warnings) = judged(build, "it").expect("sh starts");
        (warnings, made.is_empty())
    }

    #[test]
    fn each_warning_counts_once_and_a_sum_of_them_does_not() {
        assert_eq!(said("warning", r#"{"code":"unused"}"#, "[{}]"), (1, true));
        assert_eq!(said("warning", r#"{"code":"linker"}"#, "[]"), (1, true));
        assert_eq!(said("warning", "null", "[]"), (0, true));
        // What fails to link has neither code nor place, and is told too.
        assert_eq!(said("error", "null", "[]"), (1, true));
        assert_eq!(told(r#"{"reason":"build-finished","success":true}"#), None);
    }

    #[test]
    fn the_root_is_the_workspace() {
        assert!(root().join("Cargo.lock").is_file());
        assert!(root().join("kernels-crate").is_dir());
    }

    #[test]
    fn packages_are_named_by_their_folder_or_beside_their_version() {
        assert_eq!(package_name("path+file:///q/xtask#0.1.0"), "xtask");
        assert_eq!(
            package_name("path+file:///q/tests#quadscan-tests@0.1.0"),
            "quadscan-tests"
        );
    }

    #[test]
    fn executables_are_read_from_cargos_messages_and_libraries_are_not() {
        let test = r#"{"reason":"compiler-artifact","target":{"kind":["test"],"name":"conformance"},
            "profile":{"test":true},"executable":"/t/conformance-1","filenames":[],
            "manifest_path":"/q/tests/Cargo.toml","package_id":"path+file:///q/tests#quadscan-tests@0.1.0"}"#;
        let executable = |text: &str| executable(&serde_json::from_str(text).ok()?);
        assert_eq!(
            executable(test),
            Some(Executable {
                name: "conformance".into(),
                is_test: true,
                path: "/t/conformance-1".into(),
                manifest: "/q/tests/Cargo.toml".into(),
                package: "quadscan-tests".into(),
            })
        );
        let library = r#"{"reason":"compiler-artifact","target":{"kind":["lib"],"name":"quadscan"},
            "profile":{"test":false},"executable":null,"filenames":["/t/quadscan.rlib"],
            "manifest_path":"/q/host-crate/Cargo.toml","package_id":"path+file:///q/host-crate#quadscan@0.1.0"}"#;
        assert_eq!(executable(library), None);
        assert_eq!(
            executable(r#"{"reason":"build-finished","success":true}"#),
            None
        );
    }
}
