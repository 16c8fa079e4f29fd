//! `cargo xtask dev KERNEL`: [`check`] again at every save, and where a GPU is there, the
//! kernel's times.
//!
//! Files are looked at ten times a second, a few hundred of them, in milliseconds: that works on
//! every file system, and however an editor saves.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread;
use std::time::{Duration, Instant, SystemTime};
use std::{fs, io};

use anyhow::Context;
use signal_hook::consts::SIGINT;
use signal_hook::iterator::Signals;

use crate::error::exit_code;
use crate::{bench, cargo, check, setup, terminal};

/// What is watched, from the root.
const WATCHED: [&str; 6] = [
    "kernels-crate",
    "host-crate/src",
    "bench-crate/src/kernels",
    "rust-cuda/cuda_std",
    "rust-cuda/cuda_std_macros",
    "tests/tests/conformance",
];

/// How often files are looked at.
const INTERVAL: Duration = Duration::from_millis(100);

/// How `cargo xtask dev` goes about it.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// The kernel, as `cargo xtask check` takes it
    #[arg(value_name = "KERNEL")]
    kernel: String,

    /// Do one round, and exit with its exit code, that of `check`
    #[arg(long)]
    once: bool,

    /// On a GPU, keep the times of this round as the new baseline
    #[arg(long)]
    new_baseline: bool,
}

/// Ends the program, in order, at Ctrl-C.
fn end_at_interrupt() -> std::io::Result<()> {
    let mut signals = Signals::new([SIGINT])?;
    thread::spawn(move || {
        if signals.forever().next().is_some() {
            println!();
            std::process::exit(0);
        }
    });
    Ok(())
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    check::can_be(&options.kernel)?;
    setup::ensure()?;
    if options.once {
        return round(options, options.new_baseline).map(ExitCode::from);
    }
    end_at_interrupt().context("Ctrl-C cannot be waited for")?;
    let mut anew = options.new_baseline;
    loop {
        let before = stamps(cargo::root());
        clear();
        if let Err(error) = round(options, anew) {
            terminal::error(&error);
            // No save can mend the request.
            if exit_code(&error) == ExitCode::from(2) {
                return Ok(ExitCode::from(2));
            }
        }
        anew = false;
        terminal::note("waiting for the next save; Ctrl-C ends");
        wait(&before);
    }
}

/// One round; its exit code.
fn round(options: &Options, anew: bool) -> anyhow::Result<u8> {
    let start = Instant::now();
    let kernel = &options.kernel;
    let checked = check::checked(&check::Options {
        kernel: Some(kernel.clone()),
        schedules: 4,
        ..check::Options::default()
    })?;
    let verdict = if checked.code == 0 {
        "all right"
    } else {
        "WRONG"
    };
    println!(
        "{kernel}: {verdict}, {}",
        terminal::duration(start.elapsed())
    );
    if checked.code == 0 && libcuda_lazy::status().is_ok() {
        return timed(kernel, &checked.artifact, anew);
    }
    Ok(checked.code)
}

/// Times the kernel in the tables' rows that launch it, against the first times that were kept.
fn timed(kernel: &str, artifact: &Path, anew: bool) -> anyhow::Result<u8> {
    let quadscan = bench::built(&["--release"])?;
    let mut time = Command::new(&quadscan.path);
    time.args(["time", kernel, "--artifact"]).arg(artifact);
    time.arg("--out").arg(check::folder()?.join("times"));
    time.args(anew.then_some("--new-baseline"));
    let status = time.status().context("quadscan could not be started")?;
    // That no table has it is no mistake of the kernel's, and it has said so.
    Ok(u8::from(!matches!(status.code(), Some(0 | 2))))
}

fn clear() {
    if io::stdout().is_terminal() {
        // Clear what is seen and what was, and begin above. That nobody reads is no error.
        let _ = write!(io::stdout(), "\x1b[2J\x1b[3J\x1b[H");
    }
}

/// When each file was written, and its length.
type Stamps = BTreeMap<PathBuf, (SystemTime, u64)>;

/// Until something is not as it was `before`, and whatever saves it has written it all.
fn wait(before: &Stamps) {
    let mut last = stamps(cargo::root());
    loop {
        thread::sleep(INTERVAL);
        let now = stamps(cargo::root());
        if now != *before && now == last {
            return;
        }
        last = now;
    }
}

/// All files that are watched below `root`.
fn stamps(root: &Path) -> Stamps {
    let mut found = Stamps::new();
    for watched in WATCHED {
        // What is gone meanwhile is not there.
        let _ = collect(&root.join(watched), &mut found);
    }
    found
}

fn collect(path: &Path, found: &mut Stamps) -> io::Result<()> {
    let metadata = fs::metadata(path)?;
    if metadata.is_file() {
        found.insert(path.to_owned(), (metadata.modified()?, metadata.len()));
        return Ok(());
    }
    for entry in fs::read_dir(path)?.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        // Editors keep their own files beside those that they save.
        if !name.starts_with(['.', '#']) && !name.ends_with(['~', '#']) {
            let _ = collect(&entry.path(), found);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_save_of_what_a_check_is_built_from_is_seen_and_an_editors_own_file_is_not() {
        let here = tempfile::tempdir().expect("a temporary folder");
        let write = |path: &str, text: &str| {
            let path = here.path().join(path);
            fs::create_dir_all(path.parent().expect("has one")).expect("made");
            fs::write(path, text).expect("written");
        };
        let kernel = "kernels-crate/src/mine.rs";
        write(kernel, "//! Mine.\n");
        let before = stamps(here.path());
        write("kernels-crate/src/.mine.rs.swp", "");
        write("docs/mine.md", "");
        assert_eq!(stamps(here.path()), before);
        for path in [kernel, "tests/tests/conformance/mine.rs"] {
            write(path, "//! Mine, and more.\n");
            assert_ne!(stamps(here.path()), before, "{path}");
        }
    }

    #[test]
    fn what_is_watched_is_there() {
        for watched in WATCHED {
            assert!(cargo::root().join(watched).is_dir(), "{watched}");
        }
    }
}
