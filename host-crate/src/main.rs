//! The program `quadscan`: results to standard output, everything else to standard
//! error, and the exit code. All work is the library's.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};

use quadscan::bench::{Outcome, bench, console::Console};
use quadscan::cli::{Cli, Command, WorkerArguments, one_sentence};
use quadscan::worker;

/// The request could not be understood or carried out.
const REFUSED: u8 = 2;

/// A result was wrong, a cell failed, or a baseline was missed.
const WRONG: u8 = 1;

/// Standard output and standard error.
struct Terminal {
    bar: Option<ProgressBar>,
}

impl Console for Terminal {
    fn result(&mut self, text: &str) {
        let write = || {
            let mut output = io::stdout().lock();
            // A reader that has seen enough (`| head`) is no failure of the run.
            let _ = output
                .write_all(text.as_bytes())
                .and_then(|()| output.flush());
        };
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    fn notice(&mut self, sentence: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{sentence}")),
            None => eprintln!("{sentence}"),
        }
    }

    fn progress(&mut self, done: usize, total: usize, cell: &str) {
        let bar = self.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{pos}/{len} {elapsed} {wide_msg}");
            let bar = ProgressBar::new(0);
            match style {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            }
        });
        bar.set_length(total as u64);
        bar.set_position(done as u64);
        bar.set_message(cell.to_owned());
    }

    fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

fn refuse(sentence: &str) -> ExitCode {
    eprintln!("error: {sentence}");
    ExitCode::from(REFUSED)
}

/// `quadscan worker`.
fn serve(arguments: &WorkerArguments) -> ExitCode {
    let input = worker::serve::standard_input();
    let artifact = arguments.artifact.as_deref();
    match worker::device::serve(&arguments.device, artifact, input, &mut io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => refuse(&format!("the measuring process cannot go on: {e}")),
    }
}

fn main() -> ExitCode {
    let command = match Cli::try_parse() {
        Ok(Cli { command }) => command,
        // Help and version are no errors, and clap prints them.
        Err(error) if !error.use_stderr() => error.exit(),
        Err(error) => return refuse(&one_sentence(&error)),
    };
    match command {
        Command::Worker(arguments) => serve(&arguments),
        Command::Bench(arguments) => {
            let mut terminal = Terminal { bar: None };
            let result = bench(&arguments, &mut terminal);
            terminal.finish();
            match result {
                Ok(Outcome::Fine) => ExitCode::SUCCESS,
                Ok(Outcome::Wrong) => ExitCode::from(WRONG),
                Err(error) => refuse(&error.to_string()),
            }
        }
    }
}
