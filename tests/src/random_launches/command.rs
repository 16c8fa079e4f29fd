//! `fixtures random [--seed N] [--count N] [--jobs N] [--out DIR]`: random launches on the GPU of the
//! machine and on the emulator. Each seed that differs is told with the least program that does,
//! and what both devices wrote.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs, thread};

use clap::Parser;
use quadscan::device::{Device, DeviceChoice};

use super::program::{OUTPUTS, Program};
use super::run::{AT_ONCE, name, run_all};
use super::shrink::shrink;
use super::{Generator, Launch};

/// Seeds of one process whose programs are shrunk; of others there are the names alone.
const SHRUNK: usize = 24;

/// Words that a report shows.
const SHOWN: usize = 8;

/// Run random launches on a GPU and on the emulator, and compare all bits
#[derive(Parser, Debug)]
#[command(name = "random", bin_name = "fixtures random", no_binary_name = true)]
struct Arguments {
    /// The first seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Seeds to run
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    count: u64,
    /// Processes that share them
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    jobs: u64,
    /// Write a file of each difference to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs the command; exit code 1 when something differs, 2 when there is no GPU or a folder cannot
/// be written to.
pub fn main(arguments: &[String]) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    let done = match arguments.jobs {
        1 => compare_seeds(&arguments),
        _ => share(&arguments),
    };
    match done {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::from(2)
        }
    }
}

/// How many seeds differ.
fn compare_seeds(arguments: &Arguments) -> Result<u64, String> {
    let said = |error: quadscan::Error| error.to_string();
    let gpu = Device::open(DeviceChoice::Cuda(None)).map_err(said)?;
    let generator = Generator::default();
    let mut differences = 0;
    let seeds: Vec<u64> = (arguments.seed..arguments.seed + arguments.count).collect();
    for seeds in seeds.chunks(AT_ONCE) {
        let launches: Vec<Launch> = seeds.iter().map(|&seed| generator.launch(seed)).collect();
        for (launch, difference) in launches.iter().zip(differing(&gpu, &launches)?) {
            let Some(difference) = difference else {
                continue;
            };
            differences += 1;
            let mut report = format!("seed {}: {difference}\n", launch.seed);
            if differences <= SHRUNK as u64 {
                report = least(&gpu, launch)?;
            }
            println!("{report}");
            if let Some(folder) = &arguments.out {
                write(folder, launch.seed, &report)?;
            }
        }
    }
    let agreed = arguments.count - differences;
    println!(
        "{agreed} of {} launches have the same bits",
        arguments.count
    );
    Ok(differences)
}

/// What differs of each launch.
fn differing(gpu: &Device, launches: &[Launch]) -> Result<Vec<Option<String>>, String> {
    let emulator = Device::open(DeviceChoice::Emulator { schedule: None });
    let emulator = emulator.map_err(|error| error.to_string())?;
    let pairs = run_all(gpu, launches)
        .into_iter()
        .zip(run_all(&emulator, launches));
    Ok(pairs
        .map(|(theirs, ours)| difference(&theirs, &ours))
        .collect())
}

/// What differs between a GPU and the emulator.
fn difference(
    theirs: &Result<Vec<u64>, String>,
    ours: &Result<Vec<u64>, String>,
) -> Option<String> {
    let (theirs, ours) = match (theirs, ours) {
        (Ok(theirs), Ok(ours)) => (theirs, ours),
        (Err(theirs), Ok(_)) => return Some(format!("the GPU: {theirs}")),
        (_, Err(ours)) => return Some(format!("the emulator: {ours}")),
    };
    let pairs = theirs.iter().zip(ours).enumerate();
    let differing: Vec<_> = pairs.filter(|(_, (theirs, ours))| theirs != ours).collect();
    let mut text = match differing.len() {
        0 => return None,
        count => format!("{count} words differ"),
    };
    for (place, (theirs, ours)) in differing.iter().take(SHOWN) {
        let (thread, word) = (place / OUTPUTS, place % OUTPUTS);
        let _ = write!(
            text,
            "\n  thread {thread} word {word}: the GPU {theirs:#018x}, the emulator {ours:#018x}"
        );
    }
    Some(text)
}

/// The least program of a launch that still differs, and what of it does.
fn least(gpu: &Device, launch: &Launch) -> Result<String, String> {
    let with = |program: &Program| Launch {
        program: program.clone(),
        ..launch.clone()
    };
    let mut failed = None;
    let program = shrink(&launch.program, |program| {
        match differing(gpu, &[with(program)]) {
            Ok(differences) => differences[0].is_some(),
            Err(error) => {
                failed = Some(error);
                false
            }
        }
    });
    if let Some(error) = failed {
        return Err(error);
    }
    let difference = differing(gpu, &[with(&program)])?.remove(0);
    let (seed, (blocks, threads)) = (launch.seed, launch.shape);
    Ok(format!(
        "// seed {seed}, {blocks} blocks of {threads} threads, flags {:#x}\n// {}\n{}",
        launch.flags,
        difference.unwrap_or_default().replace('\n', "\n// "),
        program.text(&name(launch))
    ))
}

fn write(folder: &Path, seed: u64, report: &str) -> Result<(), String> {
    let path = folder.join(format!("difference-{seed}.ptx"));
    fs::write(&path, report)
        .map_err(|error| format!("{} cannot be written: {error}", path.display()))
}

/// Shares the seeds among processes of this program: a driver compiles one module at a time in
/// each. How many of them say that something differs.
fn share(arguments: &Arguments) -> Result<u64, String> {
    let said = |error: std::io::Error| format!("this program cannot be started again: {error}");
    let program = env::current_exe().map_err(said)?;
    let each = arguments.count.div_ceil(arguments.jobs);
    let mut children = Vec::new();
    for job in 0..arguments.jobs.min(arguments.count.div_ceil(each.max(1))) {
        let first = job * each;
        let mut command = Command::new(&program);
        command.arg("random");
        command.args(["--seed", &(arguments.seed + first).to_string()]);
        command.args(["--count", &each.min(arguments.count - first).to_string()]);
        if let Some(folder) = &arguments.out {
            command.arg("--out").arg(folder);
        }
        let child = command.stdout(Stdio::piped()).spawn().map_err(said)?;
        children.push(thread::spawn(move || child.wait_with_output()));
    }
    let (mut agreed, mut failed) = (0, 0);
    for child in children {
        let output = child
            .join()
            .map_err(|_| "a thread ended early")?
            .map_err(said)?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let (report, last) = text
            .trim_end()
            .rsplit_once('\n')
            .unwrap_or(("", text.trim_end()));
        let count = last
            .split(' ')
            .next()
            .and_then(|word| word.parse::<u64>().ok());
        match count.filter(|_| last.ends_with("same bits")) {
            Some(count) => agreed += count,
            None => {
                failed += 1;
                println!("{last}");
            }
        }
        if !report.is_empty() {
            println!("{report}");
        }
    }
    println!(
        "{agreed} of {} launches have the same bits",
        arguments.count
    );
    match failed {
        0 => Ok(arguments.count - agreed),
        _ => Err(format!("{failed} processes did not end as they should")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_differ_and_launches_that_do_not_end_are_told() {
        let same = Ok(vec![1, 2, 3]);
        assert_eq!(difference(&same, &same), None);
        let mut other = vec![0; 2 * OUTPUTS];
        other[OUTPUTS + 4] = 7;
        let told = difference(&Ok(vec![0; 2 * OUTPUTS]), &Ok(other)).unwrap_or_default();
        assert!(told.starts_with("1 words differ"), "{told}");
        assert!(
            told.contains("thread 1 word 4: the GPU 0x0000000000000000"),
            "{told}"
        );
        let refused = Err("refused".to_owned());
        assert_eq!(
            difference(&refused, &same).as_deref(),
            Some("the GPU: refused")
        );
        assert_eq!(
            difference(&same, &refused).as_deref(),
            Some("the emulator: refused")
        );
    }

    #[test]
    fn a_word_that_is_no_number_is_refused() {
        assert!(main(&["--seed".to_owned(), "many".to_owned()]) == ExitCode::from(2));
    }
}
