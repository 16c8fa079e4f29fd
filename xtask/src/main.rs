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
//! - `ptx`: PTX of our kernels. `quadscan`: what that program can say without being built.
//! - `bench`: builds that program and becomes it. `check`: kernels under the emulator's checks.
//!   `cost`: what the project weighs.
//! - `bundle`, `dev`, `inspect`, `test`: commands that are built on these three.
//! - `book`, `doctor`, `fixtures`, `new_app`, `new_kernel`, `tune`: commands.

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
mod ptx;
mod quadscan;
mod runners;
mod setup;
mod terminal;
mod test;
mod tune;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use error::exit_code;
use quadscan::integrands;

/// Builds, tests, measures and bundles quadscan.
#[derive(Parser, Debug)]
#[command(
    name = "xtask",
    bin_name = "cargo xtask",
    disable_help_subcommand = true
)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Install the device toolchain and fetch every dependency
    ///
    /// Installs the pinned nightly with rust-src when it is missing and
    /// fetches what building core and the workspace needs. Every build after
    /// it works offline. Does nothing, quickly, when everything is there.
    Setup,
    /// Build quadscan and print the tables: measured beside published
    ///
    /// Everything after `bench` goes to `quadscan bench`, `--help` included,
    /// and its exit code comes back. A build that fails exits 101.
    #[command(disable_help_flag = true)]
    Bench(bench::Arguments),
    /// Integrate a function of the catalogue, or one for each row of a file
    ///
    /// Everything after `integrate` goes to `quadscan integrate`, `--help` included, and
    /// its exit code comes back.
    #[command(disable_help_flag = true)]
    Integrate(bench::Arguments),
    /// Write report.html from kept records, of several machines side by side
    ///
    /// Everything after `report` goes to `quadscan report`, `--help` included:
    /// folders that `bench` wrote to, or files of records.
    #[command(disable_help_flag = true)]
    Report(bench::Arguments),
    /// Run every kernel on the emulator under all of its checks
    ///
    /// Races, accesses out of bounds, reads of memory that nobody has written,
    /// barriers that not all threads reach, deadlocks: each with the line of
    /// the source. Exits 1 when something was found.
    Check(check::Options),
    /// Write a kernel of one's own: its file, launch, conformance tests and bench row
    ///
    /// It compiles, passes `check` and appears in `bench kernels --list` at once; what it computes is
    /// the author's to change. Exits 2 when NAME is none that a kernel can have.
    NewKernel(new_kernel::Options),
    /// Check a kernel again on every save
    ///
    /// As `check`, and where a GPU is there, the kernel is timed. Ctrl-C ends it, with exit
    /// code 0.
    Dev(dev::Options),
    /// Write an application outside of the workspace, with kernels of its own
    ///
    /// It builds, runs and is tested at once, without a toolkit and without a GPU. Exits 2
    /// when DIR holds something.
    NewApp {
        /// Where to: a folder that is empty or new
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
    /// What a kernel takes up: registers, memory, instructions, occupancy
    ///
    /// Needs no GPU. Registers, spills and machine code need `ptxas`, which is looked for in
    /// a CUDA toolkit and among the packages of python3; without it, everything else is shown.
    Inspect(inspect::Options),
    /// Build modules of our PTX, and print the folder that has them
    ///
    /// Other commands do it themselves for what they need.
    Ptx(ptx::Options),
    /// The pages in docs as a book, target/book/html
    ///
    /// By mdbook as a library, which is compiled the first time.
    Book,
    /// Everything that CI checks: format, lints, tests, docs, budget
    Test(test::Options),
    /// What the project weighs, beside what it may weigh: crates, kernels, bytes, lines, builds
    ///
    /// Exits 1 where something is over.
    Cost(cost::Options),
    /// What a build and a GPU run need: found or not, and what to do about it
    ///
    /// Exits 0 when tables can be measured on this machine without a GPU.
    Doctor,
    /// A folder that runs on a GPU machine with a driver and nothing else
    Bundle {
        /// Where to; replaced when it holds an earlier bundle, refused when
        /// it holds anything else [default: bundle in the target folder]
        #[arg(value_name = "DIR")]
        directory: Option<PathBuf>,
    },
    /// Record on this machine's GPU what the emulator is held to
    ///
    /// Writes tests/fixtures/h200/*.jsonl, each file whole or not at all:
    /// seeded launches of every kernel, probes of instructions, and kernels
    /// that nvcc compiled. Exits 2 on a machine without a GPU.
    Fixtures,
    /// Sweep the constants of scans on this machine's GPU and write their table
    ///
    /// Times shapes of every kernel beside each other, checks each result, and writes
    /// kernels-crate/src/scan/tuned.rs. Exits 1 when a result was wrong, and 2 on a machine
    /// without a GPU.
    Tune(tune::Options),
}

fn main() -> ExitCode {
    let outcome = match CommandLine::parse().command {
        Command::Setup => setup::run(),
        Command::Bench(arguments) => arguments.hand_on("bench"),
        Command::Integrate(arguments) => arguments.hand_on("integrate"),
        Command::Report(arguments) => arguments.hand_on("report"),
        Command::Check(options) => check::run(&options),
        Command::NewKernel(options) => new_kernel::run(&options),
        Command::Dev(options) => dev::run(&options),
        Command::NewApp { directory } => new_app::run(&directory),
        Command::Inspect(options) => inspect::run(&options),
        Command::Ptx(options) => ptx::run(&options),
        Command::Book => book::run(),
        Command::Test(options) => test::run(&options),
        Command::Cost(options) => cost::run(&options),
        Command::Doctor => doctor::run(),
        Command::Bundle { directory } => bundle::run(directory),
        Command::Fixtures => fixtures::run(),
        Command::Tune(options) => tune::run(&options),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            terminal::error(&error);
            exit_code(&error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn bench_hands_every_argument_on_even_help_and_options() {
        let line = CommandLine::try_parse_from(["xtask", "bench", "--help", "activity", "--quick"]);
        let Ok(CommandLine {
            command: Command::Bench(arguments),
        }) = line
        else {
            panic!("not parsed as bench: {line:?}");
        };
        assert_eq!(arguments.all, ["--help", "activity", "--quick"]);
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
        for (name, text) in [
            ("README.md", include_str!("../../README.md")),
            ("CONTRIBUTING.md", include_str!("../../CONTRIBUTING.md")),
            ("docs/tables.md", include_str!("../../docs/tables.md")),
            ("docs/report.md", include_str!("../../docs/report.md")),
            ("docs/integrate.md", include_str!("../../docs/integrate.md")),
            (
                "docs/first-kernel.md",
                include_str!("../../docs/first-kernel.md"),
            ),
            ("docs/inspect.md", include_str!("../../docs/inspect.md")),
            ("docs/dev.md", include_str!("../../docs/dev.md")),
            ("docs/README.md", include_str!("../../docs/README.md")),
            ("docs/gpu-box.md", include_str!("../../docs/gpu-box.md")),
            (
                "docs/measurement.md",
                include_str!("../../docs/measurement.md"),
            ),
            (
                "docs/from-naive-to-look-back.md",
                include_str!("../../docs/from-naive-to-look-back.md"),
            ),
            (
                "docs/shared-memory.md",
                include_str!("../../docs/shared-memory.md"),
            ),
        ] {
            let commands = documented_commands(text);
            assert!(
                !commands.is_empty(),
                "{name} shows no `cargo xtask` command"
            );
            for command in commands {
                if let Err(error) = CommandLine::try_parse_from(&command) {
                    panic!("{name} shows `cargo {}`: {error}", command.join(" "));
                }
                assert_eq!(objection(&command), None, "{name}: {}", command.join(" "));
            }
        }
    }

    #[test]
    fn a_command_that_does_not_exist_is_found_in_a_document() {
        let commands = documented_commands("```sh\ncargo xtask fly   # up\n```\ncargo xtask none");
        assert_eq!(commands, [["xtask", "fly"]]);
        assert!(CommandLine::try_parse_from(&commands[0]).is_err());
        assert!(objection(&["xtask", "new-kernel", "input"]).is_some());
    }
}
