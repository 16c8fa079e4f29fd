//! `fixtures random [--seed N] [--count N] [--jobs N] [--out DIR]`: random launches on the GPU of the
//! machine and on the emulator. Each seed that differs is told with the least program that does,
//! and what both devices wrote.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs, thread};

use clap::Parser;
use quadscan::device::{Device, DeviceChoice};

use super::limit;
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
    /// Programs of a module
    #[arg(long, value_name = "N", default_value_t = AT_ONCE)]
    at_once: usize,
    /// Leave out a seed, one whose launch does not end
    #[arg(long, value_name = "N")]
    except: Vec<u64>,
    /// Write a file of each difference to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs the command; exit code 1 when something differs, 2 when there is no GPU or a folder cannot
/// be written to, 3 when a launch of a single process does not end.
pub fn main(arguments: &[String]) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    let folder = arguments.out.as_deref().map_or(Ok(()), |folder| {
        fs::create_dir_all(folder)
            .map_err(|error| format!("{} cannot be made: {error}", folder.display()))
    });
    let done = folder.and_then(|()| match arguments.jobs {
        1 => compare_seeds(&arguments),
        _ => share(&arguments),
    });
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
    limit::watch();
    let mut seeds: Vec<u64> = (arguments.seed..arguments.seed + arguments.count).collect();
    seeds.retain(|seed| !arguments.except.contains(seed));
    for seeds in seeds.chunks(arguments.at_once.max(1)) {
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
    let (agreed, count) = (seeds.len() as u64 - differences, seeds.len());
    println!("{agreed} of {count} launches have the same bits");
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
/// each. How many of the seeds differ or do not end.
fn share(arguments: &Arguments) -> Result<u64, String> {
    let each = arguments.count.div_ceil(arguments.jobs).max(1);
    let end = arguments.seed + arguments.count;
    let shares: Vec<_> = (arguments.seed..end)
        .step_by(each as usize)
        .map(|seed| {
            let (count, out) = (each.min(end - seed), arguments.out.clone());
            let except = arguments.except.clone();
            thread::spawn(move || run_share(seed, count, except, out.as_deref()))
        })
        .collect();
    let mut agreed = 0;
    let mut failed = None;
    for share in shares {
        match share.join().map_err(|_| "a thread ended early")? {
            Ok(count) => agreed += count,
            Err(reason) => failed = Some(reason),
        }
    }
    let count = arguments.count;
    println!("{agreed} of {count} launches have the same bits");
    failed.map_or(Ok(count - agreed), Err)
}

/// Runs some seeds in a process of their own, and says how many agree. Where one does not end, the
/// process did: the seeds are run again without it.
fn run_share(
    seed: u64,
    count: u64,
    mut except: Vec<u64>,
    out: Option<&Path>,
) -> Result<u64, String> {
    let said = |error: std::io::Error| format!("this program cannot be started again: {error}");
    let mut at_once = AT_ONCE;
    loop {
        let mut command = Command::new(env::current_exe().map_err(said)?);
        command.args(["random", "--seed", &seed.to_string()]);
        command.args(["--count", &count.to_string()]);
        command.args(["--at-once", &at_once.to_string()]);
        for seed in &except {
            command.args(["--except", &seed.to_string()]);
        }
        if let Some(folder) = out {
            command.arg("--out").arg(folder);
        }
        let output = command.stderr(std::process::Stdio::inherit()).output();
        let output = output.map_err(said)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let text = text.trim_end();
        let (report, last) = text.rsplit_once('\n').unwrap_or(("", text));
        match limit::stuck(last) {
            // Which of them is it?
            Some(_) if output.status.code() == Some(limit::STUCK) && at_once > 1 => {
                at_once = 1;
                continue;
            }
            Some(stuck) if !except.contains(&stuck) => {
                println!("{last}");
                except.push(stuck);
                continue;
            }
            _ => (),
        }
        if !report.is_empty() {
            println!("{report}");
        }
        let agreed = last.strip_suffix("launches have the same bits");
        let agreed = agreed.and_then(|counts| counts.split(' ').next()?.parse().ok());
        return agreed.ok_or_else(|| format!("the process of seed {seed} on ended with: {last}"));
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
