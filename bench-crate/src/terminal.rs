//! Standard output and standard error: results to the one, progress, warnings and errors to the
//! other. Of all files of this program this one and `main.rs` alone talk to a terminal.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use quadscan_bench::bench::console::Console;
use quadscan_bench::bench::progress::{NOTHING_YET, Pace, Progress};
use quadscan_bench::cli::{Manners, help};
use quadscan_bench::columns::Watch;
use quadscan_bench::signals;

/// Standard output and standard error.
pub(crate) struct Terminal {
    manners: Manners,
    bar: Option<ProgressBar>,
    /// When the next line of progress is due, where a bar would be seen by nobody.
    pace: Option<Pace>,
    /// The folder of the records.
    folder: PathBuf,
    /// What Ctrl-C says,
    farewell: Farewell,
    /// and what of the results it says to be kept.
    kept: Option<String>,
    /// Why the results cannot be read by anybody, once they cannot.
    pub(crate) lost: Option<io::Error>,
}

/// What is said when Ctrl-C ends what writes a file whole or not at all.
const NO_RESULT: &str = "interrupted: no result is written; the same command begins again";

/// What is said when Ctrl-C ends a run, and the bar that is in the way.
type Farewell = Arc<Mutex<(String, Option<ProgressBar>)>>;

/// To standard error, what kind of sentence it is in colour. A sentence that cannot be written
/// ends nothing.
pub(crate) fn say(sentence: &str) {
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
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush())
}

/// Why what was written is lost, when it is: a reader that has seen enough
/// (`| head`) has lost nothing.
pub(crate) fn loss(written: io::Result<()>) -> Option<io::Error> {
    written
        .err()
        .filter(|error| error.kind() != io::ErrorKind::BrokenPipe)
}

impl Terminal {
    /// For a command that writes to this folder.
    pub(crate) fn new(manners: Manners, folder: &Path) -> Self {
        Terminal {
            manners,
            bar: None,
            pace: (!io::stderr().is_terminal()).then(|| Pace::new(Instant::now())),
            folder: folder.to_owned(),
            farewell: Farewell::new(Mutex::new((NOTHING_YET.to_owned(), None))),
            kept: None,
            lost: None,
        }
    }

    /// Says at Ctrl-C what is kept, and ends the program.
    pub(crate) fn watch_interrupts(&self) -> io::Result<()> {
        let farewell = Arc::clone(&self.farewell);
        signals::at_interrupt(move || {
            if let Ok(farewell) = farewell.lock() {
                let (sentence, bar) = &*farewell;
                bar.iter().for_each(ProgressBar::finish_and_clear);
                say(sentence);
            }
        })
    }

    /// No bar from now on.
    pub(crate) fn hide_bar(&mut self) {
        self.bar = Some(ProgressBar::hidden());
    }

    /// How far a file is: on a bar, or as a line where it is due.
    fn rows(&mut self, done: u64, total: u64, line: &str) {
        self.will_have_no_result();
        if self.manners.quiet {
            return;
        }
        if let Some(pace) = &mut self.pace {
            if pace.is_due(Instant::now()) {
                say(line);
            }
            return;
        }
        let bar = self.bar.get_or_insert_with(bar);
        set_layout(bar, layout(total));
        bar.set_length(total);
        bar.set_position(done);
        bar.set_message(match total {
            0 => "rows checked".to_owned(),
            _ => format!("rows, about {} left", HumanDuration(bar.eta())),
        });
    }

    /// To standard error, above the bar.
    fn tell(&self, sentence: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| say(sentence)),
            None => say(sentence),
        }
    }

    /// Ctrl-C says from now on that there is no result, or what is kept of it.
    pub(crate) fn will_have_no_result(&self) {
        let kept = self.kept.as_deref();
        self.will_say(kept.unwrap_or(NO_RESULT).to_owned());
    }

    /// What Ctrl-C says from now on.
    fn will_say(&self, sentence: String) {
        if let Ok(mut farewell) = self.farewell.lock() {
            *farewell = (sentence, self.bar.clone());
        }
    }
}

impl Watch for Terminal {
    fn say(&mut self, sentence: &str) {
        self.notice(sentence);
    }

    fn object(&mut self, sentence: &str) {
        self.tell(sentence);
    }

    fn keeps(&mut self, sentence: String) {
        self.kept = Some(format!("interrupted: {sentence}"));
        self.will_have_no_result();
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

    fn width(&self) -> Option<usize> {
        width()
    }

    fn is_lost(&self) -> bool {
        self.lost.is_some()
    }

    fn notice(&mut self, sentence: &str) {
        if !(self.manners.quiet && is_remark(sentence)) {
            self.tell(sentence);
        }
    }

    fn milestone(&mut self, sentence: &str) {
        if let Some(pace) = self.pace.as_mut().filter(|_| !self.manners.quiet) {
            say(sentence);
            pace.spoken(Instant::now());
        }
    }

    fn progress(&mut self, progress: &Progress<'_>) {
        self.will_say(progress.farewell(&self.folder));
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

/// What `COLUMNS` says, else the columns of the terminal that standard output is.
fn width() -> Option<usize> {
    let terminal = || rustix::termios::tcgetwinsize(io::stdout()).ok();
    let columns = || terminal().map(|size| size.ws_col.into());
    help::said().or_else(|| columns().filter(|&width| width > 0))
}

/// A bar on standard error whose clock goes on during a long cell.
fn bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    bar.enable_steady_tick(Duration::from_secs(1));
    set_layout(&bar, OF_ALL);
    bar
}

/// How far it is of all.
const OF_ALL: &str = "[{bar:20}] {pos}/{len} {elapsed} {wide_msg}";

/// How far it is of nobody knows how much.
const SO_FAR: &str = "{pos} {elapsed} {wide_msg}";

/// What a bar shows of this total, which is 0 where it is not known.
fn layout(total: u64) -> &'static str {
    if total == 0 { SO_FAR } else { OF_ALL }
}

fn set_layout(bar: &ProgressBar, layout: &str) {
    if let Ok(style) = ProgressStyle::with_template(layout) {
        bar.set_style(style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_shows_no_total_that_is_not_known() {
        assert!(!layout(0).contains("{len}") && layout(9).contains("{pos}/{len}"));
        for layout in [OF_ALL, SO_FAR] {
            assert!(ProgressStyle::with_template(layout).is_ok(), "{layout}");
        }
    }
}
