//! Every kernel with a known bug is caught, at its lines, and every right sibling passes.
//!
//! Beside its tests: `check [NAME] [--schedules N]` prints what is found, `launch ENTRY` launches
//! a kernel on a GPU, `sanitize` has compute-sanitizer watch all of them there and prints what it
//! says, and `ptx` prints the folder of their PTX.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use clap::Parser;
use libtest_mimic::{Arguments, Failed, Trial};
use quadscan::device::emulator::ptx_emulator::FindingKind;
use quadscan_tests::kernels;
use quadscan_tests::known_bugs::page::page;
use quadscan_tests::known_bugs::pairs::{PAIRS, Pair, Words};
use quadscan_tests::known_bugs::report::{self, Outcome, SCHEDULES};
use quadscan_tests::known_bugs::run::{self, Sibling};
use quadscan_tests::known_bugs::sanitizer::Verdicts;
use quadscan_tests::known_bugs::source::{self, Source};

/// What is asked for, where it is not the tests.
#[derive(Parser, Debug)]
#[command(name = "known_bugs")]
enum Command {
    /// Run kernels with known bugs under the emulator's checks
    Check {
        /// The pair [default: all]
        name: Option<String>,
        /// Interleavings of warps, blocks and divergent paths to run
        #[arg(long, default_value_t = SCHEDULES, value_parser = clap::value_parser!(u64).range(1..=1000))]
        schedules: u64,
    },
    /// Launch a kernel on a GPU
    Launch {
        /// The name of a pair, with `_broken` or `_right`
        entry: String,
    },
    /// Have compute-sanitizer watch every kernel on a GPU
    Sanitize,
    /// Print the folder of the PTX
    Ptx,
}

fn main() -> ExitCode {
    let commands = ["check", "launch", "sanitize", "ptx"];
    let first = std::env::args().nth(1);
    let outcome = match first {
        Some(first) if commands.contains(&&*first) => match Command::parse() {
            Command::Check { name, schedules } => check(name.as_deref(), schedules),
            Command::Launch { entry } => launch(&entry),
            Command::Sanitize => sanitize(),
            Command::Ptx => return kernels::print_folder(run::folder()),
        },
        _ => return libtest_mimic::run(&Arguments::from_args(), trials()).exit_code(),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}

/// The pair of this name.
fn named(name: &str) -> Result<Pair, String> {
    let pair = PAIRS.iter().find(|pair| pair.name == name);
    pair.copied().ok_or_else(|| {
        let names: Vec<&str> = PAIRS.iter().map(|pair| pair.name).collect();
        format!("`{name}` is no known bug: allowed are {}", names.join(", "))
    })
}

fn check(name: Option<&str>, schedules: u64) -> Result<ExitCode, String> {
    let pairs = match name {
        Some(name) => vec![named(name)?],
        None => PAIRS.to_vec(),
    };
    let outcomes = report::run(&pairs, schedules)?;
    let (text, is_right) = report::report(&outcomes, schedules, name.is_some());
    print!("{text}");
    Ok(ExitCode::from(u8::from(!is_right)))
}

fn launch(entry: &str) -> Result<ExitCode, String> {
    let (name, sibling) = match entry.rsplit_once('_') {
        Some((name, "broken")) => (name, Sibling::Broken),
        Some((name, "right")) => (name, Sibling::Right),
        _ => return Err(format!("`{entry}` ends neither in _broken nor in _right")),
    };
    let pair = named(name)?;
    if pair.devices > 1 {
        return Err(format!(
            "`{name}` is of {} devices: allowed are those of one",
            pair.devices
        ));
    }
    let result = run::launch_on_gpu(&pair, sibling).map_err(|error| error.to_string())?;
    let is_right = result == (pair.result)();
    println!(
        "{entry}: its result is {}",
        if is_right { "right" } else { "wrong" }
    );
    Ok(ExitCode::SUCCESS)
}

fn sanitize() -> Result<ExitCode, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    // It is built before several processes ask for it.
    run::folder().map_err(|error| error.to_string())?;
    let verdicts = Verdicts::record(&program)
        .map_err(|error| format!("compute-sanitizer could not be started: {error}"))?;
    let text = serde_json::to_string_pretty(&verdicts).map_err(|error| error.to_string())?;
    println!("{text}");
    Ok(ExitCode::SUCCESS)
}

type Test = fn() -> Result<(), Failed>;

/// The tests, by their names.
macro_rules! tests {
    ($($name:ident),* $(,)?) => {
        [$((stringify!($name), $name as Test)),*]
    };
}

fn trials() -> Vec<Trial> {
    let tests = tests![
        every_broken_kernel_is_caught_and_every_right_one_passes,
        messages_without_an_order_have_a_wrong_result,
        there_are_twenty_of_six_projects_at_least,
        every_kernel_is_in_a_pair,
        the_page_is_that_of_the_kernels,
        a_kernel_without_the_bug_is_not_caught,
        a_finding_elsewhere_or_of_another_kind_is_not_the_one,
        a_wrong_result_fails_a_right_kernel,
        a_file_without_a_report_or_a_marked_line_is_refused,
    ];
    let trial = |(name, test): (&str, Test)| Trial::test(name, test);
    tests.map(trial).into()
}

/// All pairs under the default schedules, which are run once.
fn outcomes() -> Result<&'static [Outcome], Failed> {
    static OUTCOMES: OnceLock<(Duration, Result<Vec<Outcome>, String>)> = OnceLock::new();
    let (took, outcomes) = OUTCOMES.get_or_init(|| {
        let outcomes = run::folder().map_err(|error| error.to_string());
        let start = Instant::now();
        let outcomes = outcomes.and_then(|_| report::run(PAIRS, SCHEDULES));
        (start.elapsed(), outcomes)
    });
    if *took > Duration::from_secs(60) {
        return Err(format!("they took {took:?}").into());
    }
    outcomes.as_deref().map_err(Failed::from)
}

fn every_broken_kernel_is_caught_and_every_right_one_passes() -> Result<(), Failed> {
    let (text, is_right) = report::report(outcomes()?, SCHEDULES, false);
    is_right.then_some(()).ok_or_else(|| text.into())
}

/// With weak memory: by a read of an old value, and not only by the rule of races.
fn messages_without_an_order_have_a_wrong_result() -> Result<(), Failed> {
    for name in [
        "lookback_relaxed_flag",
        "lookback_one_lane_acquires",
        "lookback_without_fence",
        "fence_of_one_device",
    ] {
        let outcome = outcomes()?.iter().find(|outcome| outcome.pair.name == name);
        let read = outcome.and_then(Outcome::stale_read).ok_or(name)?;
        assert_eq!(read.kind, FindingKind::StaleRead);
    }
    Ok(())
}

fn there_are_twenty_of_six_projects_at_least() -> Result<(), Failed> {
    let mut projects = BTreeSet::new();
    for pair in PAIRS {
        let reported = Source::read(pair)?.reported;
        let links = reported.split("](https://github.com/").skip(1);
        projects.extend(links.map(|link| link.split("/").take(2).collect::<Vec<_>>().join("/")));
    }
    assert!(PAIRS.len() >= 20, "{}", PAIRS.len());
    assert!(projects.len() >= 6, "{projects:?}");
    Ok(())
}

fn every_kernel_is_in_a_pair() -> Result<(), Failed> {
    let artifact = run::artifact()?;
    let module = artifact.manifest().modules.last();
    let there = module.into_iter().flat_map(|module| module.kernels());
    let there: BTreeSet<String> = there.map(|kernel| kernel.entry.clone()).collect();
    let siblings = [Sibling::Broken, Sibling::Right];
    let known = PAIRS
        .iter()
        .flat_map(|pair| siblings.map(|sibling| sibling.entry(pair)));
    assert_eq!(there, known.collect());
    Ok(())
}

fn the_page_is_that_of_the_kernels() -> Result<(), Failed> {
    let path = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../docs/known-bugs.md"
    ));
    let page = page(outcomes()?, &Verdicts::read()?);
    if std::env::var_os("UPDATE_KNOWN_BUGS").is_some() {
        fs::write(path, &page)?;
    }
    let there = fs::read_to_string(path).unwrap_or_default();
    assert!(
        there == page,
        "docs/known-bugs.md is out of date: write it anew with UPDATE_KNOWN_BUGS=1"
    );
    Ok(())
}

/// The canary: of a pair whose broken kernel is the right one nothing is caught.
fn a_kernel_without_the_bug_is_not_caught() -> Result<(), Failed> {
    let pair = named("lookback_relaxed_flag")?;
    let checked = run::check(&run::artifact()?, &pair, Sibling::Right, SCHEDULES)?;
    assert!(checked.expected(&pair, &Source::read(&pair)?).is_none());
    Ok(())
}

fn a_finding_elsewhere_or_of_another_kind_is_not_the_one() -> Result<(), Failed> {
    let pair = named("tile_not_filled")?;
    let source = Source::read(&pair)?;
    let checked = run::check(&run::artifact()?, &pair, Sibling::Broken, 1)?;
    assert!(checked.expected(&pair, &source).is_some());
    let kind = FindingKind::Race;
    assert!(checked.expected(&Pair { kind, ..pair }, &source).is_none());
    let mut elsewhere = source.clone();
    elsewhere.lines = source.lines.iter().map(|line| line + 1).collect();
    assert!(checked.expected(&pair, &elsewhere).is_none());
    Ok(())
}

fn a_wrong_result_fails_a_right_kernel() -> Result<(), Failed> {
    let pair = Pair {
        result: || vec![1],
        arguments: &[Words::Ramp(50), Words::Zeros(1)],
        ..named("tile_not_filled")?
    };
    let checked = run::check(&run::artifact()?, &pair, Sibling::Right, 1)?;
    assert_eq!(checked.findings, []);
    assert!(!checked.is_clean());
    Ok(())
}

fn a_file_without_a_report_or_a_marked_line_is_refused() -> Result<(), Failed> {
    let name = PAIRS[0].name;
    let path = source::folder().join("src").join(name).with_extension("rs");
    let text = fs::read_to_string(path)?;
    assert!(Source::of(&text).is_ok());
    for (there, instead) in [("https://", ""), ("// caught", ""), ("//!\n", "//! .\n")] {
        assert!(
            Source::of(&text.replace(there, instead)).is_err(),
            "{there}"
        );
    }
    Ok(())
}
