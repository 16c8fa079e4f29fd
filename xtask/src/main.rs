//! `cargo xtask COMMAND`: builds, tests, measures and bundles quadscan.
//!
//! A command is a file. This one only parses the command line and turns an error into a
//! sentence and an exit code. Nothing is measured here: `quadscan bench` does that.
//!
//! Its layers, each of which uses those above it in this list alone:
//!
//! - `error`: failures and their exit codes. `terminal`: progress and errors on stderr.
//! - `cargo`: a build, what it made, the workspace's folders.
//! - `setup`: the toolchain. `runners`: test programs, several at a time.
//! - `ptx`: PTX of our kernels. `quadscan`: what that program can answer without being built.
//! - `bench`: builds that program and becomes it. `check`: kernels under the emulator's checks.
//!   `cost`: the budget of sizes and build times.
//! - `python`: the package for Python.
//! - `bundle`, `dev`, `inspect`, `test`: commands that use these four.
//! - `book`, `doctor`, `fixtures`, `new_app`, `new_kernel`, `package`, `tune`: commands.

mod bench;
mod book;
mod bundle;
mod cargo;
mod check;
mod cost;
mod dev;
mod doctor;
mod error;
mod fixtures;
mod inspect;
mod new_app;
mod new_kernel;
mod package;
mod ptx;
mod python;
mod quadscan;
mod runners;
mod setup;
mod terminal;
mod test;
mod tune;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
// For their features: see Cargo.toml.
use cuda_std_macros as _;
use rustix as _;
use serde_core as _;

use error::{Refused, exit_code, path};
use quadscan::{Manners, choose_color, formulas, help, integrands, sentence};
use terminal::Talk;

/// Builds, tests, measures and bundles quadscan.
#[derive(Parser, Debug)]
#[command(
    name = "xtask",
    bin_name = "cargo xtask",
    disable_help_subcommand = true
)]
struct CommandLine {
    #[command(flatten)]
    manners: Manners,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Install the device toolchain and fetch every dependency
    ///
    /// Installs the pinned nightly with rust-src when it is missing and
    /// fetches what building core and the workspace needs. Later builds work
    /// offline. If everything is installed, it ends at once.
    Setup,
    /// Measure the published tables, and print both side by side
    ///
    /// Builds the program `quadscan`. Everything after `bench` goes to `quadscan bench`, `--help`
    /// included, and its exit code comes back. A build that fails exits 101.
    #[command(disable_help_flag = true)]
    Bench(bench::Arguments),
    /// Integrate a formula or a function of the catalogue, or one for each row of a file
    ///
    /// Everything after `integrate` goes to `quadscan integrate`, `--help` included, and
    /// its exit code comes back.
    #[command(disable_help_flag = true)]
    Integrate(bench::Arguments),
    /// Print a formula's values and derivatives at points, or its PTX
    ///
    /// Everything after `formula` goes to `quadscan formula`, `--help` included, and its exit code
    /// comes back.
    #[command(disable_help_flag = true)]
    Formula(bench::Arguments),
    /// Scan a column of a file: each number, combined with those before it
    ///
    /// Everything after `scan` goes to `quadscan scan`, `--help` included, and its exit code
    /// comes back.
    #[command(disable_help_flag = true)]
    Scan(bench::Arguments),
    /// Reduce a column of a file: all numbers, combined to one
    ///
    /// Everything after `reduce` goes to `quadscan reduce`, `--help` included, and its exit code
    /// comes back.
    #[command(disable_help_flag = true)]
    Reduce(bench::Arguments),
    /// Predict the times of scans and reductions on several GPUs
    ///
    /// Everything after `plan` goes to `quadscan plan`, `--help` included.
    #[command(disable_help_flag = true)]
    Plan(bench::Arguments),
    /// Write report.html from the records of one or several machines
    ///
    /// Everything after `report` goes to `quadscan report`, `--help` included:
    /// folders that `bench` wrote to, or files of records.
    #[command(disable_help_flag = true)]
    Report(bench::Arguments),
    /// Check kernels on the emulator for races, bad accesses and barriers
    ///
    /// Reports races, accesses out of bounds, reads of memory that nobody has written,
    /// barriers that not all threads reach, and deadlocks, each with the line of
    /// the source. Exits 1 when something was found.
    Check(check::Options),
    /// Write a new kernel: its file, launch, conformance tests and bench row
    ///
    /// It compiles, passes `check` and appears in `bench kernels --list` at once. Then change what
    /// it computes. Exits 2 when a kernel cannot have this NAME.
    NewKernel(new_kernel::Options),
    /// Check a kernel again on every save
    ///
    /// Does what `check` does. If there is a GPU, the kernel is timed too. Ctrl-C ends it, with
    /// exit code 0.
    Dev(dev::Options),
    /// Write a new application outside of the workspace, with kernels of its own
    ///
    /// It builds, runs and has tests, without a CUDA toolkit and without a GPU. Exits 2
    /// when DIR is not empty.
    NewApp {
        /// The folder, which has to be empty or new
        #[arg(value_name = "DIR", value_parser = path())]
        directory: PathBuf,
    },
    /// Show a kernel's registers, memory, instructions and occupancy
    ///
    /// Needs no GPU. Registers, spills and machine code need `ptxas`, which is looked for in
    /// a CUDA toolkit and among the packages of python3; without it, everything else is shown.
    Inspect(inspect::Options),
    /// Build modules of our PTX, and print their folder
    ///
    /// Other commands build the modules that they need themselves.
    Ptx(ptx::Options),
    /// Make a book of the pages in docs, in target/book/html
    ///
    /// Uses mdbook as a library, which is compiled the first time.
    Book,
    /// Build a wheel of the package for Python, and print its path
    ///
    /// Needs python3, 3.9 or newer. Uses maturin, which pip installs in a virtual environment in
    /// the target folder. Exits 1 when a test of `--test` failed, and 2 without python3.
    Python(python::Options),
    /// Run everything that CI checks: format, lints, tests, doc tests, Python, budget
    Test(test::Options),
    /// Compare crates, kernels, bytes, lines and build times with the budget
    ///
    /// Exits 1 when something exceeds it.
    Cost(cost::Options),
    /// Check what building and a GPU run need, and say what to do about it
    ///
    /// Exits 0 when tables can be measured on this machine without a GPU.
    Doctor,
    /// Make a folder that runs on a GPU machine that has only a driver
    Bundle {
        /// The folder: new, empty, or an earlier bundle, which is replaced [default: bundle in
        /// the target folder]
        #[arg(value_name = "DIR", value_parser = path())]
        directory: Option<PathBuf>,
    },
    /// Pack the crates that can be published, and check them as a registry would
    ///
    /// Builds each crate from its package, and uploads nothing. Prints the packages' paths.
    Package(package::Options),
    /// Record the results of this machine's GPU, which the emulator has to reproduce
    ///
    /// Writes tests/fixtures/h200/*.jsonl, each file whole or not at all:
    /// seeded launches of every kernel, probes of instructions, and kernels
    /// that nvcc compiled. Exits 2 on a machine without a GPU.
    Fixtures,
    /// Sweep the constants of scans on this machine's GPU and write their table
    ///
    /// Times several shapes of every kernel, checks each result, and writes
    /// kernels-crate/src/scan/tuned.rs. Exits 1 when a result was wrong, and 2 on a machine
    /// without a GPU.
    Tune(tune::Options),
}

fn main() -> ExitCode {
    let line: Vec<_> = std::env::args_os().collect();
    choose_color(&line);
    let outcome = match help::parsed(&line) {
        Ok(CommandLine { manners, command }) => carry_out(command, manners),
        // Help is no error.
        Err(error) if !error.use_stderr() => error.exit(),
        Err(error) => Err(Refused(sentence::of(error, CommandLine::command(), &line)).into()),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            match error.is::<Refused>() {
                true => terminal::refusal(&sentence::legible(&format!("{error:#}"))),
                false => terminal::error(&error),
            }
            exit_code(&error)
        }
    }
}

fn carry_out(command: Command, manners: Manners) -> anyhow::Result<ExitCode> {
    Talk::from(manners).begin();
    match command {
        Command::Setup => setup::run(),
        Command::Bench(arguments) => arguments.hand_on("bench", manners),
        Command::Integrate(arguments) => arguments.hand_on("integrate", manners),
        Command::Formula(arguments) => arguments.hand_on("formula", manners),
        Command::Scan(arguments) => arguments.hand_on("scan", manners),
        Command::Reduce(arguments) => arguments.hand_on("reduce", manners),
        Command::Plan(arguments) => arguments.hand_on("plan", manners),
        Command::Report(arguments) => arguments.hand_on("report", manners),
        Command::Check(options) => check::run(&options),
        Command::NewKernel(options) => new_kernel::run(&options),
        Command::Dev(options) => dev::run(&options),
        Command::NewApp { directory } => new_app::run(&directory),
        Command::Inspect(options) => inspect::run(&options),
        Command::Ptx(options) => ptx::run(&options),
        Command::Book => book::run(),
        Command::Python(options) => python::run(&options),
        Command::Test(options) => test::run(&options),
        Command::Cost(options) => cost::run(&options),
        Command::Doctor => doctor::run(),
        Command::Bundle { directory } => bundle::run(directory),
        Command::Package(options) => package::run(&options),
        Command::Fixtures => fixtures::run(),
        Command::Tune(options) => tune::run(&options),
    }
}

#[cfg(test)]
#[path = "../../ptx-emulator/tests/cli/matrix.rs"]
mod matrix;

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn bench_hands_every_argument_on_even_help_and_options() {
        let line = CommandLine::try_parse_from(["xtask", "bench", "--help", "activity", "--quick"]);
        let Ok(CommandLine {
            command: Command::Bench(arguments),
            ..
        }) = line
        else {
            panic!("not parsed as bench: {line:?}");
        };
        assert_eq!(arguments.all, ["--help", "activity", "--quick"]);
    }

    /// No build can begin here: what is wrong is known before.
    #[test]
    fn every_argument_refuses_bad_values_in_one_sentence_that_names_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let usual = |command: &str| match command {
            "inspect" | "dev" => vec![("KERNEL", "limit_copy")],
            "tune" => vec![("KERNELS", "scan")],
            "new-kernel" => vec![("NAME", "mine")],
            _ => Vec::new(),
        };
        // What follows these is `quadscan`'s, which has a test of its own.
        let handed_on = [
            "bench",
            "formula",
            "integrate",
            "scan",
            "reduce",
            "plan",
            "report",
        ];
        let line = handed_on.iter().fold(CommandLine::command(), |line, name| {
            line.mut_subcommand(name, |command| command.hide(true))
        });
        let cases = matrix::cases(&line, &usual);
        let program = assert_cmd::cargo::cargo_bin("xtask");
        let objections: Vec<String> = cases
            .iter()
            .filter_map(|case| {
                let mut program = std::process::Command::new(&program);
                program.env("CARGO", "/nonexistent");
                matrix::objection(case, &mut program, folder.path())
            })
            .collect();
        assert!(objections.is_empty(), "{}", objections.join("\n"));
        assert!(cases.len() > 60, "{}", cases.len());
    }

    #[test]
    fn tune_takes_a_folder_or_a_record_or_sweeps_here() {
        for allowed in [
            &["xtask", "tune", "scan"][..],
            &["xtask", "tune", "scan", "--quick"],
            &["xtask", "tune", "scan", "--bundle", "folder"],
            &["xtask", "tune", "scan", "--from", "record.json"],
        ] {
            let parsed = CommandLine::try_parse_from(allowed);
            assert!(parsed.is_ok(), "{allowed:?}: {parsed:?}");
        }
        for refused in [
            &["xtask", "tune"][..],
            &["xtask", "tune", "sort"],
            &["xtask", "tune", "scan", "--bundle", "a", "--from", "b"],
            &["xtask", "tune", "scan", "--quick", "--from", "b"],
        ] {
            assert!(CommandLine::try_parse_from(refused).is_err(), "{refused:?}");
        }
    }

    /// Lines of the fenced blocks of a Markdown text that start with `cargo xtask`.
    fn documented_commands(markdown: &str) -> Vec<Vec<&str>> {
        let mut fenced = false;
        let mut commands = Vec::new();
        for line in markdown.lines() {
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
            } else if fenced && line.starts_with("cargo xtask") {
                let command = line.split(['#', '|', '>']).next().unwrap_or(line);
                commands.push(command.split_whitespace().skip(1).collect());
            }
        }
        commands
    }

    /// What is wrong with the name that a command gives a kernel, if anything is.
    fn objection(command: &[&str]) -> Option<String> {
        match *command {
            [_, "new-kernel", name, ..] => new_kernel::names::check(cargo::root(), name).err(),
            _ => None,
        }
    }

    #[test]
    fn every_command_in_the_readme_and_the_docs_is_understood() {
        let root = cargo::root();
        let docs = fs::read_dir(root.join("docs")).expect("there are docs");
        let docs = docs.map(|entry| entry.expect("it is read").path());
        let docs = docs.filter(|path| path.extension().is_some_and(|end| end == "md"));
        let own = ["README.md", "CONTRIBUTING.md"].map(|name| root.join(name));
        let mut with_commands = 0;
        for path in docs.chain(own) {
            let (name, text) = (path.display(), fs::read_to_string(&path).expect("text"));
            let commands = documented_commands(&text);
            with_commands += usize::from(!commands.is_empty());
            for command in commands {
                if let Err(error) = CommandLine::try_parse_from(&command) {
                    panic!("{name} shows `cargo {}`: {error}", command.join(" "));
                }
                assert_eq!(objection(&command), None, "{name}: {}", command.join(" "));
            }
        }
        assert!(with_commands >= 13, "{with_commands} pages show commands");
    }

    #[test]
    fn a_command_that_does_not_exist_is_found_in_a_document() {
        let commands = documented_commands("```sh\ncargo xtask fly   # up\n```\ncargo xtask none");
        assert_eq!(commands, [["xtask", "fly"]]);
        assert!(CommandLine::try_parse_from(&commands[0]).is_err());
        assert!(objection(&["xtask", "new-kernel", "input"]).is_some());
    }
}
