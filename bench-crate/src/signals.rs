//! Signals. What ends the program lets it say what is kept, and remove its drafts; a file that would
//! outgrow the system's limit is an error of whoever writes it.

use std::fs;
use std::io;
use std::process;
use std::sync::atomic::AtomicBool;
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use signal_hook::iterator::Signals;

use crate::files;

/// What ends a program that does not handle it: Ctrl-C, `kill`, and a terminal that is closed.
const ENDING: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// The exit code of a program that a signal has ended is this and the signal's number, as shells
/// have it.
const ENDED_BY: i32 = 128;

/// What becomes true with a signal of which nothing is to become.
static RECEIVED: AtomicBool = AtomicBool::new(false);

/// Makes a write beyond the limit of a file's size fail. The system would end the program, which
/// could not take its draft back.
///
/// # Errors
///
/// The system's.
pub fn outlive_large_files() -> io::Result<()> {
    flag::register(SIGXFSZ, &RECEIVED).map(drop)
}

/// Calls `farewell` at a signal that ends the program, removes drafts, and ends it with 128 and the
/// signal's number: 130 after Ctrl-C.
///
/// # Errors
///
/// The system's.
pub fn at_interrupt(farewell: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let ending = ENDING.into_iter();
    let mut signals =
        Signals::new(ending.filter(|signal| *signal != SIGHUP || !is_ignored(SIGHUP)))?;
    thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            farewell();
            files::remove_drafts();
            process::exit(ENDED_BY + signal);
        }
    });
    Ok(())
}

/// Whether whoever started the program wants it to outlive a signal, as `nohup` does.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let ignored = lines.find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Leaves these signals to the process that has started this one, with which it ends.
///
/// # Errors
///
/// The system's.
pub fn leave_interrupts_to_parent() -> io::Result<()> {
    ENDING
        .iter()
        .try_for_each(|signal| flag::register(*signal, &RECEIVED).map(drop))
}
