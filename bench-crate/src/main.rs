//! The program `quadscan`: results to standard output, everything else to standard
//! error, and the exit code. All work is the library's.

use std::env;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use clap::Parser;
use clap::error::ErrorKind;
use indicatif::{ProgressBar, ProgressStyle};

use quadscan_bench::bench::progress::{NOTHING_YET, Pace, Progress};
use quadscan_bench::bench::timed::time;
use quadscan_bench::bench::{Outcome, bench, console::Console};
use quadscan_bench::cli::{
    ArtifactArguments, Cli, Command, CompletionsArguments, IntegrateArguments, Manners,
    ReportArguments, TuneArguments, WorkerArguments, color, one_sentence, sentence::legible,
};
use quadscan_bench::{about, integral, parts, report, signals, tune, worker};

/// The request could not be understood or carried out.
const REFUSED: u8 = 2;

/// A result was wrong, a cell failed, or a baseline was missed.
const WRONG: u8 = 1;

/// Standard output and standard error.
struct Terminal {
    manners: Manners,
    bar: Option<ProgressBar>,
    /// When the next line of progress is due, where a bar would be seen by nobody.
    pace: Option<Pace>,
    /// The folder of the records.
    folder: PathBuf,
    /// What Ctrl-C says.
    farewell: Farewell,
    /// Why the results cannot be read by anybody, once they cannot.
    lost: Option<io::Error>,
}

/// What is said when Ctrl-C ends a run, and the bar that is in the way.
type Farewell = Arc<Mutex<(String, Option<ProgressBar>)>>;

/// To standard error, what kind of sentence it is in colour. A sentence that cannot be written
/// ends nothing.
fn say(sentence: &str) {
    const KINDS: [(&str, &str); 3] = [("error:", "31"), ("failed:", "31"), ("warning:", "33")];
    let kind = KINDS.iter().find(|(kind, _)| sentence.starts_with(kind));
    let _ = match kind {
        Some((kind, color)) => {
            let rest = &sentence[kind.len()..];
            writeln!(anstream::stderr(), "\x1b[1;{color}m{kind}\x1b[0m{rest}")
        }
        None => writeln!(io::stderr(), "{sentence}"),
    };
}

/// Whether a sentence is more than what somebody who wants quiet wants to hear.
fn is_remark(sentence: &str) -> bool {
    !["warning:", "failed:"]
        .iter()
        .any(|kind| sentence.starts_with(kind))
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
        if self.manners.quiet && is_remark(sentence) {
            return;
        }
        match &self.bar {
            Some(bar) => bar.suspend(|| say(sentence)),
            None => say(sentence),
        }
    }

    fn milestone(&mut self, sentence: &str) {
        if let Some(pace) = self.pace.as_mut().filter(|_| !self.manners.quiet) {
            say(sentence);
            pace.spoken(Instant::now());
        }
    }

    fn progress(&mut self, progress: &Progress<'_>) {
        if let Ok(mut farewell) = self.farewell.lock() {
            *farewell = (progress.farewell(&self.folder), self.bar.clone());
        }
        if self.manners.verbose {
            return self.notice(&progress.line());
        }
        if let Some(pace) = &mut self.pace {
            if !self.manners.quiet && pace.is_due(Instant::now()) {
                say(&progress.line());
            }
            return;
        }
        if self.manners.quiet {
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
    say(&format!("error: {}", legible(sentence)));
    ExitCode::from(REFUSED)
}

fn without_signals(error: &io::Error) -> ExitCode {
    refuse(&format!("signals cannot be handled: {error}"))
}

/// The choice of the command line, as the crate of colours has it.
fn styled(choice: clap::ColorChoice) -> anstream::ColorChoice {
    match choice {
        clap::ColorChoice::Auto => anstream::ColorChoice::Auto,
        clap::ColorChoice::Always => anstream::ColorChoice::Always,
        clap::ColorChoice::Never => anstream::ColorChoice::Never,
    }
}

fn unprinted(error: &io::Error) -> ExitCode {
    refuse(&format!("cannot write to standard output: {error}"))
}

/// `quadscan worker`.
fn serve(arguments: &WorkerArguments) -> ExitCode {
    let artifact = arguments.artifact.as_deref();
    let claimed =
        signals::leave_interrupts_to_parent().and_then(|()| worker::serve::claim_standard_output());
    let served = claimed.and_then(|mut output| {
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

/// Says at Ctrl-C how far the run is.
fn watch_interrupts(farewell: &Farewell) -> io::Result<()> {
    let farewell = Arc::clone(farewell);
    signals::at_interrupt(move || {
        if let Ok(farewell) = farewell.lock() {
            let (sentence, bar) = &*farewell;
            bar.iter().for_each(ProgressBar::finish_and_clear);
            say(sentence);
        }
    })
}

/// `quadscan bench`, whose records go to `folder`.
fn measure(
    manners: Manners,
    folder: &Path,
    run: impl FnOnce(&mut Terminal) -> quadscan_bench::Result<Outcome>,
) -> ExitCode {
    let mut terminal = Terminal {
        manners,
        bar: None,
        pace: (!io::stderr().is_terminal()).then(|| Pace::new(Instant::now())),
        folder: folder.to_owned(),
        farewell: Farewell::new(Mutex::new((NOTHING_YET.to_owned(), None))),
        lost: None,
    };
    if let Err(error) = watch_interrupts(&terminal.farewell) {
        return without_signals(&error);
    }
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
    say(&format!("error: {}", legible(&error.to_string())));
    ExitCode::from(error.exit_code())
}

/// `quadscan completions`.
fn complete(arguments: &CompletionsArguments) -> ExitCode {
    let script = about::completions(arguments);
    ended(print(&String::from_utf8_lossy(&script)), true)
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

/// `quadscan integrate`.
fn integrate(arguments: &IntegrateArguments) -> ExitCode {
    let mut output = BufWriter::new(io::stdout().lock());
    let mut input = io::stdin().lock();
    match integral::integrate(arguments, &mut input, &mut output, &mut |sentence| {
        say(sentence)
    }) {
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
    let line: Vec<_> = env::args_os().collect();
    styled(color(&line)).write_global();
    let Cli { command, manners } = match Cli::try_parse_from(&line) {
        Ok(cli) => cli,
        // `-V`, and that of a command, is one line.
        Err(error) if error.kind() == ErrorKind::DisplayVersion && line[1..] == ["--version"] => {
            return ended(print(&about::version()), true);
        }
        // Help and version are no errors.
        Err(error) if !error.use_stderr() => {
            return ended(error.print(), true);
        }
        Err(error) => return refuse(&one_sentence(error, &line)),
    };
    if let Err(error) = signals::outlive_large_files() {
        return without_signals(&error);
    }
    match command {
        Command::Worker(arguments) => serve(&arguments),
        Command::Bench(arguments) => measure(manners, &arguments.out, |terminal| {
            bench(&arguments, terminal)
        }),
        Command::Time(arguments) => measure(manners, &arguments.out, |terminal| {
            time(&arguments, terminal)
        }),
        Command::Completions(arguments) => complete(&arguments),
        Command::Integrate(arguments) => integrate(&arguments),
        Command::Report(arguments) => rebuild(&arguments),
        Command::Artifact(arguments) => list(&arguments),
        Command::Tune(arguments) => sweep(&arguments),
    }
}
