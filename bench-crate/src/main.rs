//! The program `quadscan`: results to standard output, everything else to standard
//! error, and the exit code. All work is the library's.

mod terminal;

use std::env;
use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use clap::error::ErrorKind;

use quadscan_bench::bench::timed::time;
use quadscan_bench::bench::{Outcome, bench_of, console::Console};
use quadscan_bench::cli::{
    ArtifactArguments, Cli, Command, CompletionsArguments, Manners, ReportArguments, TuneArguments,
    WorkerArguments, choose_color, help, one_sentence, sentence::legible,
};
use quadscan_bench::columns::{Done, Watch};
use quadscan_bench::ranks::{self, Ranks};
use quadscan_bench::{about, combine, integral, parts, plan, report, signals, tune, worker};

use terminal::{Terminal, loss, print, say};

/// The request could not be understood or carried out.
const REFUSED: u8 = 2;

/// A result was wrong, a cell failed, or a baseline was missed.
const WRONG: u8 = 1;

fn refuse(sentence: &str) -> ExitCode {
    say(&format!("error: {}", legible(sentence)));
    ExitCode::from(REFUSED)
}

fn without_signals(error: &io::Error) -> ExitCode {
    refuse(&format!("signals cannot be handled: {error}"))
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

/// `quadscan bench`, whose records go to `folder`, by this process or, with the others, by all of them.
fn measure(
    manners: Manners,
    folder: &Path,
    ranks: &Ranks,
    run: impl FnOnce(&mut Terminal) -> quadscan_bench::Result<Outcome>,
) -> ExitCode {
    let mut terminal = Terminal::new(heard(manners, ranks), folder);
    // Whoever started the others ends them.
    if ranks.is_first()
        && let Err(error) = terminal.watch_interrupts()
    {
        return without_signals(&error);
    }
    let result = run(&mut terminal);
    terminal.finish();
    match (result, &terminal.lost) {
        (Err(error), _) => failed_among(error, ranks),
        (Ok(outcome), lost) => {
            ranks.end(true, REFUSED);
            match (lost, outcome) {
                (Some(error), _) => unprinted(error),
                (None, Outcome::Fine) => ExitCode::SUCCESS,
                (None, Outcome::Wrong) => ExitCode::from(WRONG),
            }
        }
    }
}

/// Of several processes the first one talks.
fn heard(manners: Manners, ranks: &Ranks) -> Manners {
    let quiet = manners.quiet || !ranks.is_first();
    Manners { quiet, ..manners }
}

/// Says why, unless another process does, and ends the work with the others.
fn failed_among(error: quadscan_bench::Error, ranks: &Ranks) -> ExitCode {
    let code = error.exit_code();
    // Whoever ends with another code than 0 has the others killed.
    let said = ranks.says(error);
    let ended = said.map_or(ExitCode::SUCCESS, |error| failed(&error));
    ranks.end(false, code);
    ended
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
    let sentence = error.to_string();
    let sentence = match error {
        // The text and the place in it stand below.
        quadscan_bench::Error::Formula { .. } => {
            let lines: Vec<_> = sentence.lines().map(legible).collect();
            lines.join("\n")
        }
        _ => legible(&sentence).to_string(),
    };
    say(&format!("error: {sentence}"));
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

/// `quadscan integrate`, `scan` and `reduce`, of results in a file or not, by all processes that MPI has
/// started. Of these the first one talks, and whoever has an error that the others do not learn of.
fn on_file(
    manners: Manners,
    has_file: bool,
    command: impl FnOnce(
        &Ranks,
        &mut dyn Read,
        &mut dyn Write,
        &mut dyn Watch,
    ) -> quadscan_bench::Result<Done>,
) -> ExitCode {
    let ranks = match Ranks::start() {
        Ok(ranks) => ranks,
        Err(error) => return failed(&error),
    };
    let mut output = BufWriter::new(io::stdout().lock());
    let mut input = io::stdin().lock();
    let mut terminal = Terminal::new(heard(manners, &ranks), Path::new(""));
    // Whoever started the others ends them.
    if ranks.is_first()
        && let Err(error) = terminal.watch_interrupts()
    {
        return without_signals(&error);
    }
    terminal.will_have_no_result();
    if !has_file && io::stdout().is_terminal() {
        // Rows that are printed show how far it is.
        terminal.hide_bar();
    }
    let done = command(&ranks, &mut input, &mut output, &mut terminal);
    terminal.finish();
    match done {
        Err(error) => failed_among(error, &ranks),
        Ok(done) => {
            let is_whole = done.written.is_ok();
            let ended = ended(done.written, done.is_fine);
            ranks.end(is_whole, REFUSED);
            ended
        }
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

/// Whether several processes carry out this command line together.
fn is_shared(line: &[OsString]) -> bool {
    let of_all = ["scan", "reduce", "integrate", "--ranks"];
    line.iter().any(|word| of_all.iter().any(|of| word == of))
}

fn main() -> ExitCode {
    let line: Vec<_> = env::args_os().collect();
    choose_color(&line);
    let Cli { command, manners } = match help::parsed(&line) {
        Ok(cli) => cli,
        // Whoever ends with another code than 0 has the first process killed, which says it.
        Err(_) if is_shared(&line) && ranks::is_beside() => return ExitCode::SUCCESS,
        // `-V`, and that of a command, is one line.
        Err(error)
            if error.kind() == ErrorKind::DisplayVersion
                && line.iter().any(|word| word == "--version")
                && error.to_string().starts_with("quadscan ") =>
        {
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
        Command::Bench(arguments) => {
            let ranks = match arguments.ranks {
                true => Ranks::start(),
                false => Ok(Ranks::alone()),
            };
            match ranks.map(Arc::new) {
                Err(error) => failed(&error),
                Ok(ranks) => measure(manners, &arguments.out, &ranks, |terminal| {
                    bench_of(&arguments, Arc::clone(&ranks), terminal)
                }),
            }
        }
        Command::Time(arguments) => {
            let run = |terminal: &mut Terminal| time(&arguments, terminal);
            measure(manners, &arguments.out, &Ranks::alone(), run)
        }
        Command::Completions(arguments) => complete(&arguments),
        Command::Integrate(arguments) => on_file(
            manners,
            arguments.place.out.is_some(),
            |ranks, input, output, watch| {
                integral::integrate(&arguments, ranks, input, output, watch)
            },
        ),
        Command::Formula(arguments) => {
            match integral::formula::formula(&arguments, &mut |sentence| say(sentence)) {
                Err(error) => failed(&error),
                Ok(text) => ended(print(&text), true),
            }
        }
        Command::Scan(arguments) => on_file(
            manners,
            arguments.of.place.out.is_some(),
            |ranks, input, output, watch| combine::scan(&arguments, ranks, input, output, watch),
        ),
        Command::Reduce(arguments) => on_file(manners, true, |ranks, input, output, watch| {
            combine::reduce(&arguments, ranks, input, output, watch)
        }),
        Command::Plan(arguments) => match plan::plan(&arguments) {
            Err(error) => failed(&error),
            Ok(text) => ended(print(&text), true),
        },
        Command::Report(arguments) => rebuild(&arguments),
        Command::Artifact(arguments) => list(&arguments),
        Command::Tune(arguments) => sweep(&arguments),
    }
}
