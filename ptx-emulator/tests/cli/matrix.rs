//! Every option of a program by bad values: each is refused in one sentence that names it. The
//! options are those that the command line declares, so that a new one is tested by itself.
//!
//! It depends on clap alone: other programs of the workspace include this file by its path.

use std::any::TypeId;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use clap::Arg;

/// One command line that has to be refused.
#[derive(Debug)]
pub(crate) struct Case {
    /// What is typed behind the program's name.
    pub(crate) line: Vec<OsString>,
    /// The argument that is wrong, as it is typed.
    pub(crate) argument: String,
}

/// Those of all commands that are offered. `usual` says what a command cannot do without, an argument's name and value each.
pub(crate) fn cases(
    command: &clap::Command,
    usual: &dyn Fn(&str) -> Vec<(&'static str, &'static str)>,
) -> Vec<Case> {
    let mut command = command.clone();
    command.build();
    let mut cases = Vec::new();
    let offered = |of: &&clap::Command| !of.is_hide_set() && of.get_name() != "help";
    for of in command.get_subcommands().filter(offered) {
        for arg in of.get_arguments().filter(|arg| !is_of_clap(arg)) {
            let usual = usual(of.get_name()).into_iter();
            let usual = usual.filter(|(name, _)| *name != typed(arg));
            let words = usual.flat_map(|(name, value)| {
                let name = Some(name).filter(|name| name.starts_with('-'));
                name.into_iter().chain([value])
            });
            let words: Vec<OsString> = [of.get_name()]
                .into_iter()
                .chain(words)
                .map(OsString::from)
                .collect();
            let case = |bad: Vec<OsString>| Case {
                line: words.iter().cloned().chain(bad).collect(),
                argument: typed(arg),
            };
            cases.extend(bad(arg).into_iter().map(case));
        }
    }
    cases
}

/// Help and version.
fn is_of_clap(arg: &Arg) -> bool {
    matches!(arg.get_id().as_str(), "help" | "version")
}

/// `--threads`, or `TABLE` where an argument has no name.
fn typed(arg: &Arg) -> String {
    match (arg.get_long(), arg.get_value_names()) {
        (Some(long), _) => format!("--{long}"),
        (None, names) => names.unwrap_or_default().concat(),
    }
}

/// Ways to give an argument badly.
fn bad(arg: &Arg) -> Vec<Vec<OsString>> {
    let with = |value: OsString| match arg.get_long() {
        Some(long) => {
            let mut word = OsString::from(format!("--{long}="));
            word.push(value);
            vec![word]
        }
        None => vec!["--".into(), value],
    };
    if !arg.get_action().takes_values() {
        return vec![with("1".into())];
    }
    let mut lines = Vec::new();
    let may_be_missing = arg
        .get_num_args()
        .is_some_and(|count| count.min_values() == 0);
    if let (Some(long), false) = (arg.get_long(), may_be_missing) {
        lines.push(vec![format!("--{long}").into()]);
    }
    let kind = arg.get_value_parser().type_id();
    let values: Vec<OsString> = match kind == TypeId::of::<PathBuf>() {
        true => vec!["".into(), "x".repeat(5_000).into()],
        false => vec![
            "".into(),
            " ".into(),
            "\u{1b}[31m\n".into(),
            "7".repeat(100_000).into(),
            OsString::from_vec(vec![b'x', 0xff]),
        ],
    };
    lines.extend(values.into_iter().map(with));
    lines
}

/// What is wrong with how the program answers, where something is: it has to end with exit code 2
/// and a sentence that names the argument, and to write nothing. It runs in `folder`.
pub(crate) fn objection(case: &Case, program: &mut Command, folder: &Path) -> Option<String> {
    let before = names(folder);
    program
        .args(&case.line)
        .current_dir(folder)
        .stdin(Stdio::null());
    let output = match ended(program.stdout(Stdio::piped()).stderr(Stdio::piped())) {
        Ok(output) => output,
        Err(error) => return Some(format!("{:?}: {error}", case.line)),
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    let is_named = errors.contains(&case.argument);
    let is_one_line = errors.starts_with("error: ") && errors.lines().count() == 1;
    let is_plain = !errors.contains('\u{1b}') && errors.len() < 8_000;
    let is_right = output.status.code() == Some(2)
        && output.stdout.is_empty()
        && is_named
        && is_one_line
        && is_plain
        && names(folder) == before;
    (!is_right).then(|| {
        let mut line = format!("{:?}", case.line);
        line.truncate(300);
        let mut errors = errors.into_owned();
        errors.truncate(600);
        format!("{line}: {}: {errors}", output.status)
    })
}

/// How a program ends, which prints little; it is ended where it goes on.
fn ended(program: &mut Command) -> std::io::Result<Output> {
    let mut process = program.spawn()?;
    let begin = Instant::now();
    while process.try_wait()?.is_none() {
        if begin.elapsed() > Duration::from_secs(60) {
            process.kill()?;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    process.wait_with_output()
}

/// What a folder holds.
fn names(folder: &Path) -> Vec<OsString> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<OsString> = entries.map(|entry| entry.file_name()).collect();
    names.sort();
    names
}
