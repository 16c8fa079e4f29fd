//! The command `ptx-emulator`: runs a kernel of a PTX file on arrays, lists
//! what a file holds, lists what is emulated.
//!
//! Results and reports go to stdout; one sentence about a request that cannot
//! be carried out goes to stderr.
//!
//! Its layers, each of which uses those above it in this list alone:
//!
//! - `element`: the types of arguments.
//! - `argument`: what `--arg` says.
//! - `array`: arrays in files.
//! - `transfer`: between a file and the modelled GPU.
//! - `run`, `list`: the commands.

mod argument;
mod array;
mod element;
mod list;
mod run;
mod transfer;

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

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
    let outcome = match Cli::parse().command {
        Command::Run(run) => run.execute(),
        Command::List { file } => list::list(&file),
        Command::Coverage => Ok(list::coverage()),
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
        Err(Refused(sentence)) => {
            eprintln!("error: {sentence}");
            ExitCode::from(2)
        }
    }
}

/// The PTX text of a file.
fn read_text(file: &Path) -> Result<String, Refused> {
    std::fs::read_to_string(file).map_err(|error| {
        let why = match error.kind() {
            ErrorKind::InvalidData => "it is not text; PTX text is needed, no cubin".into(),
            _ => error.to_string(),
        };
        Refused(format!("FILE `{}` cannot be read: {why}", file.display()))
    })
}
