//! The command `ptx-emulator`: runs a kernel of a PTX file on arrays, lists
//! what a file holds, lists what is emulated.
//!
//! Results and reports go to stdout; one sentence about a request that cannot
//! be carried out goes to stderr.
//!
//! Its layers, each of which uses those above it in this list alone:
//!
//! - `element`: the types of arguments. `help`: a command line whose help fits the terminal.
//!   `sentence`: what is wrong with one. `npy`: headers of `.npy` files.
//! - `argument`: what `--arg` says.
//! - `array`: arrays in files.
//! - `transfer`: between a file and the modelled GPU.
//! - `run`, `list`: the commands.

mod argument;
mod array;
mod element;
#[allow(unreachable_pub, reason = "other programs include it")]
mod help;
mod list;
mod npy;
mod run;
#[allow(unreachable_pub, reason = "other programs include it")]
mod sentence;
mod transfer;

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

/// Runs PTX on the CPU, warp by warp.
#[derive(Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs one kernel on arrays from files, and writes what it computed.
    Run(run::Run),
    /// Lists the kernels of a file, and what of it is not supported.
    List {
        /// PTX text.
        file: PathBuf,
    },
    /// Lists the instructions that are emulated, with their modifiers.
    Coverage,
}

/// What a command found, for stdout.
struct Outcome {
    text: String,
    /// Nothing was wrong.
    good: bool,
}

/// A request that cannot be carried out, in one sentence.
struct Refused(String);

fn main() -> ExitCode {
    let line: Vec<_> = std::env::args_os().collect();
    let outcome = match help::parsed(&line) {
        Ok(Cli { command }) => match command {
            Command::Run(run) => run.execute(),
            Command::List { file } => list::list(&file),
            Command::Coverage => Ok(list::coverage()),
        },
        Err(error) if error.use_stderr() => {
            Err(Refused(sentence::of(error, Cli::command(), &line)))
        }
        // Help and version are no errors.
        Err(answer) => Ok(Outcome {
            text: answer.to_string(),
            good: true,
        }),
    };
    match outcome {
        Ok(Outcome { text, good }) => match std::io::stdout().write_all(text.as_bytes()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                eprintln!("error: stdout: {error}");
                ExitCode::from(2)
            }
            _ if good => ExitCode::SUCCESS,
            _ => ExitCode::from(1),
        },
        Err(Refused(why)) => {
            eprintln!("error: {}", sentence::legible(&why));
            ExitCode::from(2)
        }
    }
}

/// The PTX text of the file that an argument names.
fn read_text(argument: &str, file: &Path) -> Result<String, Refused> {
    std::fs::read_to_string(file).map_err(|error| {
        let why = match error.kind() {
            ErrorKind::InvalidData => "it is not text; PTX text is needed, no cubin".into(),
            _ => error.to_string(),
        };
        Refused(format!(
            "{argument} `{}` cannot be read: {why}",
            file.display()
        ))
    })
}

#[cfg(test)]
#[path = "../../../tests/cli/matrix.rs"]
mod matrix;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_argument_refuses_bad_values_in_one_sentence_that_names_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let saxpy = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/saxpy.ptx");
        let usual = |command: &str| match command {
            "run" => vec![
                ("FILE", saxpy),
                ("--kernel", "saxpy"),
                ("--grid", "1"),
                ("--block", "1"),
            ],
            _ => Vec::new(),
        };
        let cases = matrix::cases(&Cli::command(), &usual);
        let program = assert_cmd::cargo::cargo_bin("ptx-emulator");
        let objections: Vec<String> = cases
            .iter()
            .filter_map(|case| {
                let mut program = std::process::Command::new(&program);
                matrix::objection(case, &mut program, folder.path())
            })
            .collect();
        assert!(objections.is_empty(), "{}", objections.join("\n"));
        assert!(cases.len() > 60, "{}", cases.len());
    }
}
