//! The program `quadscan`: results to standard output, everything else to standard
//! error, and the exit code. All work is the library's.

use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use quadscan_bench::bench::progress::{Pace, Progress};
use quadscan_bench::bench::timed::time;
use quadscan_bench::bench::{Outcome, bench, console::Console};
use quadscan_bench::cli::{
    ArtifactArguments, Cli, Command, ReportArguments, TuneArguments, WorkerArguments, one_sentence,
};
use quadscan_bench::columns::{Done, Watch};
use quadscan_bench::{combine, integral, parts, report, tune, worker};

/// The request could not be understood or carried out.
const REFUSED: u8 = 2;

/// A result was wrong, a cell failed, or a baseline was missed.
const WRONG: u8 = 1;

/// Standard output and standard error.
struct Terminal {
    bar: Option<ProgressBar>,
    /// When the next line of progress is due, where a bar would be seen by nobody.
    pace: Option<Pace>,
    /// Why the results cannot be read by anybody, once they cannot.
    lost: Option<io::Error>,
}

/// To standard error. A sentence that cannot be written ends nothing.
fn say(sentence: &str) {
    let _ = writeln!(io::stderr(), "{sentence}");
}

/// To standard output.
fn print(text: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush())
}

/// Why what was written is lost, when it is: a reader that has seen enough
/// (`| head`) has lost nothing.
fn loss(written: io::Result<()>) -> Option<io::Error> {
    written
        .err()
        .filter(|error| error.kind() != io::ErrorKind::BrokenPipe)
}

impl Terminal {
    fn new() -> Self {
        Terminal {
            bar: None,
            pace: (!io::stderr().is_terminal()).then(|| Pace::new(Instant::now())),
            lost: None,
        }
    }

    /// How far a file is: on a bar, or as a line where it is due.
    fn rows(&mut self, done: u64, total: u64, line: &str) {
        if let Some(pace) = &mut self.pace {
            if pace.is_due(Instant::now()) {
                say(line);
            }
            return;
        }
        let bar = self.bar.get_or_insert_with(bar);
        bar.set_length(total);
        bar.set_position(done);
        bar.set_message(match total {
            0 => "rows checked".to_owned(),
            _ => format!("rows, about {} left", HumanDuration(bar.eta())),
        });
    }
}

impl Watch for Terminal {
    fn say(&mut self, sentence: &str) {
        self.notice(sentence);
    }

    fn checked(&mut self, rows: u64) {
        self.rows(rows, 0, &format!("{rows} rows checked"));
    }

    fn progress(&mut self, done: u64, total: u64) {
        self.rows(done, total, &format!("{done} of {total} rows"));
    }
}

impl Console for Terminal {
    fn result(&mut self, text: &str) {
        let written = match &self.bar {
            Some(bar) => bar.suspend(|| print(text)),
            None => print(text),
        };
        self.lost = self.lost.take().or(loss(written));
    }

    fn is_lost(&self) -> bool {
        self.lost.is_some()
    }

    fn notice(&mut self, sentence: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| say(sentence)),
            None => say(sentence),
        }
    }

    fn milestone(&mut self, sentence: &str) {
        if let Some(pace) = &mut self.pace {
            say(sentence);
            pace.spoken(Instant::now());
        }
    }

    fn progress(&mut self, progress: &Progress<'_>) {
        if let Some(pace) = &mut self.pace {
            if pace.is_due(Instant::now()) {
                say(&progress.line());
            }
            return;
        }
        let bar = self.bar.get_or_insert_with(bar);
        bar.set_length(progress.total as u64);
        bar.set_position(progress.done as u64);
        bar.set_message(progress.message());
    }

    fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// A bar on standard error whose clock goes on during a long cell.
fn bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    bar.enable_steady_tick(Duration::from_secs(1));
    match ProgressStyle::with_template("[{bar:20}] {pos}/{len} {elapsed} {wide_msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn refuse(sentence: &str) -> ExitCode {
    say(&format!("error: {sentence}"));
    ExitCode::from(REFUSED)
}

fn unprinted(error: &io::Error) -> ExitCode {
    refuse(&format!("cannot write to standard output: {error}"))
}

/// `quadscan worker`.
fn serve(arguments: &WorkerArguments) -> ExitCode {
    let artifact = arguments.artifact.as_deref();
    let served = worker::serve::claim_standard_output().and_then(|mut output| {
        let (device, input) = (arguments.device(), worker::serve::standard_input());
        worker::device::serve(
            device,
            artifact,
            &arguments.modules,
            arguments.no_pdl,
            input,
            &mut output,
        )
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => refuse(&format!("the measuring process cannot go on: {e}")),
    }
}

/// `quadscan bench`.
fn measure(run: impl FnOnce(&mut Terminal) -> quadscan_bench::Result<Outcome>) -> ExitCode {
    let mut terminal = Terminal::new();
    let result = run(&mut terminal);
    terminal.finish();
    match (result, &terminal.lost) {
        (Err(error), _) => failed(&error),
        (Ok(_), Some(error)) => unprinted(error),
        (Ok(Outcome::Fine), None) => ExitCode::SUCCESS,
        (Ok(Outcome::Wrong), None) => ExitCode::from(WRONG),
    }
}

/// How a command ends whose results were `written`, and are right or not.
fn ended(written: io::Result<()>, is_right: bool) -> ExitCode {
    match loss(written) {
        Some(error) => unprinted(&error),
        None if is_right => ExitCode::SUCCESS,
        None => ExitCode::from(WRONG),
    }
}

/// Says why, with the exit code that it has.
fn failed(error: &quadscan_bench::Error) -> ExitCode {
    say(&format!("error: {error}"));
    ExitCode::from(error.exit_code())
}

/// `quadscan report`: the file's name is the result.
fn rebuild(arguments: &ReportArguments) -> ExitCode {
    match report::report(arguments) {
        Err(error) => refuse(&error.to_string()),
        Ok(written) => {
            written
                .warnings
                .iter()
                .for_each(|warning| say(&format!("warning: {warning}")));
            let line = format!("{}\n", written.path.display());
            ended(print(&line), true)
        }
    }
}

/// `quadscan artifact`.
fn list(arguments: &ArtifactArguments) -> ExitCode {
    match parts::list(arguments) {
        Err(error) => failed(&error),
        Ok(listing) => {
            say(&listing.notice);
            ended(print(&listing.text), true)
        }
    }
}

/// `quadscan integrate`, `scan` and `reduce`, of results in a file or not.
fn on_file(
    has_file: bool,
    command: impl FnOnce(&mut dyn Read, &mut dyn Write, &mut dyn Watch) -> quadscan_bench::Result<Done>,
) -> ExitCode {
    let mut output = BufWriter::new(io::stdout().lock());
    let mut input = io::stdin().lock();
    let mut terminal = Terminal::new();
    if !has_file && io::stdout().is_terminal() {
        // Rows that are printed show how far it is.
        terminal.bar = Some(ProgressBar::hidden());
    }
    let done = command(&mut input, &mut output, &mut terminal);
    terminal.finish();
    match done {
        Err(error) => failed(&error),
        Ok(done) => ended(done.written, done.is_fine),
    }
}

/// `quadscan tune`: the file's name is the result, or the text that was asked for.
fn sweep(arguments: &TuneArguments) -> ExitCode {
    let swept = match (tune::text(arguments), &arguments.artifact, &arguments.out) {
        (Err(error), ..) => Err(error),
        (Ok(None), Some(artifact), Some(out)) => {
            let swept = tune::tune(artifact, out, arguments, &mut |sentence| say(sentence));
            swept.map(|is_right| (is_right, format!("{}\n", out.display())))
        }
        (Ok(text), ..) => Ok((true, text.unwrap_or_default())),
    };
    match swept {
        Err(error) => failed(&error),
        Ok((is_right, text)) => ended(print(&text), is_right),
    }
}

fn main() -> ExitCode {
    let command = match Cli::try_parse() {
        Ok(Cli { command }) => command,
        // Help and version are no errors.
        Err(error) if !error.use_stderr() => {
            return ended(error.print(), true);
        }
        Err(error) => return refuse(&one_sentence(&error)),
    };
    match command {
        Command::Worker(arguments) => serve(&arguments),
        Command::Bench(arguments) => measure(|terminal| bench(&arguments, terminal)),
        Command::Time(arguments) => measure(|terminal| time(&arguments, terminal)),
        Command::Integrate(arguments) => {
            on_file(arguments.out.is_some(), |input, output, watch| {
                integral::integrate(&arguments, input, output, watch)
            })
        }
        Command::Scan(arguments) => on_file(arguments.of.out.is_some(), |input, output, watch| {
            combine::scan(&arguments, input, output, watch)
        }),
        Command::Reduce(arguments) => on_file(true, |input, output, watch| {
            combine::reduce(&arguments, input, output, watch)
        }),
        Command::Report(arguments) => rebuild(&arguments),
        Command::Artifact(arguments) => list(&arguments),
        Command::Tune(arguments) => sweep(&arguments),
    }
}
