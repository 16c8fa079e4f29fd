//! Signals. Ctrl-C says what is kept before the program ends; a file that would outgrow the
//! system's limit is an error of whoever writes it.

use std::io;
use std::process;
use std::sync::atomic::AtomicBool;
use std::thread;

use signal_hook::consts::{SIGINT, SIGXFSZ};
use signal_hook::flag;
use signal_hook::iterator::Signals;

use crate::files;

/// The exit code of a program that Ctrl-C has ended.
pub const INTERRUPTED: i32 = 130;

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

/// Calls `farewell` at Ctrl-C, and ends the program with [`INTERRUPTED`].
///
/// # Errors
///
/// The system's.
pub fn at_interrupt(farewell: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT])?;
    thread::spawn(move || {
        if signals.forever().next().is_some() {
            farewell();
            files::remove_drafts();
            process::exit(INTERRUPTED);
        }
    });
    Ok(())
}

/// Leaves Ctrl-C to the process that has started this one, with which it ends.
///
/// # Errors
///
/// The system's.
pub fn leave_interrupts_to_parent() -> io::Result<()> {
    flag::register(SIGINT, &RECEIVED).map(drop)
}
