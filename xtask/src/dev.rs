//! `cargo xtask dev KERNEL`: on every save, what is wrong with a kernel, the first thing
//! first, on one screen.
//!
//! - `among`: a kernel whose statements launch others too, which nearly all of ours are.
//! - `interface`: what a program of the host takes from a file of kernels. Pure.
//! - `sources`: the files, and what a change of them is worth.
//! - `round`: build, lint, check, statements.
//! - `timing`: where a GPU is there, the kernel's row beside its baseline.
//!
//! This file has the loop and the screen. A compiler's words pass through as they come.

mod among;
mod interface;
mod round;
mod sources;
mod timing;

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::Context;

use crate::{alone, cargo, exit_code, setup, subject, terminal};
use cuda_inspect::ptxas::Usage;
use round::{Early, Outcome, Rounds};
use sources::{Change, Sources, stamps};

/// How often files are looked at.
const INTERVAL: Duration = Duration::from_millis(100);

/// Lines of a finding that fit on a screen.
const SHOWN: usize = 40;

/// Kernels whose registers are told.
const NAMED: usize = 12;

/// How `cargo xtask dev` goes about it.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// A kernel's entry, a part of the PTX, an integrand, what names of entries begin with, or a
    /// module of kernels
    #[arg(value_name = "KERNEL")]
    kernel: String,

    /// One round, and its exit code: 0 when all is right, 1, 2 or 101 as of `check`
    #[arg(long)]
    once: bool,

    /// On a GPU, compare with the times of now from now on
    #[arg(long)]
    new_baseline: bool,

    /// Another checkout, for tests
    #[arg(long, hide = true)]
    root: Option<PathBuf>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let kernel = &options.kernel;
    if let Some(root) = &options.root {
        cargo::set_root(root)?;
    }
    if !alone::has_statements(kernel) {
        subject::can_be(kernel)?;
    }
    setup::ensure()?;
    let sources = Sources::read(cargo::root(), &Sources::default());
    let mut rounds = Rounds::new(kernel, &sources)?;
    if options.once {
        return Ok(once(&mut rounds, options, sources));
    }
    ctrlc::set_handler(|| {
        println!();
        std::process::exit(0);
    })
    .context("Ctrl-C cannot be waited for")?;
    let mut sources = sources;
    let mut is_first = true;
    loop {
        clear();
        let anew = is_first && options.new_baseline;
        round(&mut rounds, options, &sources, anew);
        say("waiting for the next save; Ctrl-C ends");
        if is_first {
            rounds.prepare();
            is_first = false;
        }
        wait(&sources);
        sources = Sources::read(cargo::root(), &sources);
    }
}

/// One round; another one where something was saved meanwhile, which it may have seen or not.
fn once(rounds: &mut Rounds, options: &Options, mut sources: Sources) -> ExitCode {
    loop {
        let code = round(rounds, options, &sources, options.new_baseline);
        if stamps(cargo::root()) == sources.stamps {
            return code;
        }
        say("saved again meanwhile");
        sources = Sources::read(cargo::root(), &sources);
    }
}

/// One round on the screen, and its exit code.
fn round(rounds: &mut Rounds, options: &Options, sources: &Sources, anew: bool) -> ExitCode {
    let start = Instant::now();
    let kernel = &options.kernel;
    say(&head(kernel, sources, rounds.change(sources)));
    let mut early = |early: Early| match early {
        Early::Provisional(said) => {
            say("provisional, by the statements as they were built before this save:");
            say(&indented(&shown(&said.text, SHOWN / 4)));
            say("building the statements, whose verdict counts");
        }
        Early::SoFar(said) => {
            let took = terminal::duration(start.elapsed());
            say(&format!("right so far, after {took}:"));
            say(&indented(&shown(&said.text, SHOWN / 4)));
        }
    };
    let outcome = rounds.run(sources, &mut early);
    let timed = outcome.and_then(|outcome| {
        say(&verdict(kernel, &outcome, start.elapsed()));
        match outcome.said.code {
            0 if timing::is_possible() => {
                let folder = rounds.folder().join("times");
                let times = timing::times(rounds.timed(), &outcome.artifact, &folder, anew)?;
                say(&format!("\n{}", times.text));
                Ok(times.code)
            }
            code => Ok(code),
        }
    });
    match timed {
        Ok(0) => ExitCode::SUCCESS,
        // Something was saved, and there is another round.
        Ok(alone::MORE) => ExitCode::SUCCESS,
        Ok(2 | alone::OTHERS_NEEDED) => ExitCode::from(2),
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            terminal::error(&error);
            exit_code(&error)
        }
    }
}

/// `mine, saved 16:45:03 UTC`, and what has changed.
fn head(kernel: &str, sources: &Sources, change: Option<Change>) -> String {
    let saved = sources.saved().map(time_of_day).unwrap_or_default();
    let change = match change {
        None | Some(Change::Nothing) => String::new(),
        Some(Change::Device(path)) => format!(": what a device runs of {}", path.display()),
        Some(Change::Host(path)) => format!(": {}, which the host uses too", path.display()),
    };
    format!("{kernel}, saved {saved}{change}\n")
}

/// `16:45:03 UTC`.
fn time_of_day(time: SystemTime) -> String {
    let seconds = time
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs() % 86_400);
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    format!("{hours:02}:{minutes:02}:{:02} UTC", seconds % 60)
}

/// What is wrong, or that nothing is; what the kernel takes up, and where the time went.
fn verdict(kernel: &str, outcome: &Outcome, took: Duration) -> String {
    let mut text = match outcome.said.code {
        0 => format!("all right\n{}\n", shown(&outcome.said.text, SHOWN / 2)),
        _ => format!("{}\n", shown(&wrong(&outcome.said.text), SHOWN)),
    };
    if outcome.said.code == alone::OTHERS_NEEDED {
        text.push_str(&format!(
            "no verdict: cargo xtask check {kernel} builds all of them\n"
        ));
    }
    if outcome.said.code == 0 {
        for usage in outcome.usages.iter().take(NAMED) {
            text.push_str(&takes(usage));
        }
    }
    let stages = outcome.stages.iter();
    let stages: Vec<String> = stages
        .map(|(stage, took)| format!("{stage} {}", terminal::duration(*took)))
        .collect();
    let took = terminal::duration(took);
    text.push_str(&format!("{took}: {}", stages.join(", ")));
    text
}

/// Without the lines of kernels that nothing was found in.
fn wrong(text: &str) -> String {
    let is_told = |line: &&str| !line.contains(": nothing found in ");
    let lines: Vec<&str> = text.lines().filter(is_told).collect();
    lines.join("\n").trim().to_owned()
}

/// `mine on sm_90: 16 registers, no spills`.
fn takes(usage: &Usage) -> String {
    let spills = match (usage.spill_stores, usage.spill_loads) {
        (0, 0) => "no spills".to_owned(),
        (stores, loads) => format!("spills: {stores} bytes stored, {loads} loaded"),
    };
    let shared = match usage.shared {
        0 => String::new(),
        bytes => format!(", {bytes} bytes of shared memory"),
    };
    let Usage {
        entry,
        arch,
        registers,
        ..
    } = usage;
    format!("{entry} on {arch}: {registers} registers, {spills}{shared}\n")
}

/// The first lines of a text, and how many there are more.
fn shown(text: &str, lines: usize) -> String {
    let all: Vec<&str> = text.lines().collect();
    match all.len().saturating_sub(lines) {
        0 => text.to_owned(),
        more => format!(
            "{}\n({})",
            all[..lines].join("\n"),
            terminal::count(more, "more line")
        ),
    }
}

fn indented(text: &str) -> String {
    let lines = text.lines().map(|line| format!("    {line}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Results go to stdout; that nobody reads them is no reason to stop.
fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

fn clear() {
    if std::io::stdout().is_terminal() {
        // Clear what is seen and what was, and begin above.
        let _ = write!(std::io::stdout(), "\x1b[2J\x1b[3J\x1b[H");
    }
}

/// Until something has been saved, and whatever saves it has written it all.
fn wait(sources: &Sources) {
    let mut before = sources.stamps.clone();
    loop {
        let now = stamps(cargo::root());
        if now != sources.stamps && now == before {
            return;
        }
        before = now;
        thread::sleep(INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use super::round::Said;
    use super::*;

    fn outcome(code: u8, text: &str) -> Outcome {
        Outcome {
            said: Said {
                code,
                text: text.into(),
            },
            artifact: PathBuf::new(),
            usages: vec![Usage {
                entry: "mine".into(),
                arch: "sm_90".into(),
                registers: 10,
                spill_stores: 8,
                spill_loads: 4,
                ..Usage::default()
            }],
            stages: vec![("PTX", Duration::from_millis(2100))],
        }
    }

    #[test]
    fn a_verdict_says_all_right_where_the_suite_does_and_nowhere_else() {
        let took = Duration::from_millis(2500);
        let right = "\
all right
4 statements: nothing found
mine on sm_90: 10 registers, spills: 8 bytes stored, 4 loaded
2.5 s: PTX 2.1 s";
        let said = verdict("mine", &outcome(0, "4 statements: nothing found"), took);
        assert_eq!(said, right);
        for code in [1, 2, alone::OTHERS_NEEDED] {
            let said = verdict("mine", &outcome(code, "found"), took);
            assert!(said.starts_with("found\n"), "{said}");
            assert!(!said.contains("right"), "{said}");
        }
    }

    #[test]
    fn what_is_wrong_comes_first() {
        let text =
            "mine: nothing found in 4 launches, 9 warp instructions\n\nmine::a does not hold";
        let said = verdict("mine", &outcome(1, text), Duration::ZERO);
        assert!(said.starts_with("mine::a does not hold\n"), "{said}");
    }

    #[test]
    fn what_does_not_fit_on_a_screen_is_counted() {
        assert_eq!(shown("a\nb", 2), "a\nb");
        assert_eq!(shown("a\nb\nc", 2), "a\nb\n(1 more line)");
    }

    #[test]
    fn the_head_says_when_and_what() {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(3 * 86_400 + 3_723);
        assert_eq!(time_of_day(time), "01:02:03 UTC");
        let said = head(
            "mine",
            &Sources::default(),
            Some(Change::Device("a.rs".into())),
        );
        assert_eq!(said, "mine, saved : what a device runs of a.rs\n");
    }
}
