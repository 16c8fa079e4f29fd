//! Output of the commands: progress and errors, on stderr.
//!
//! Results (the summary of `test`, the list of `doctor`) are printed to
//! stdout by the commands themselves.

use std::sync::RwLock;
use std::time::{Duration, Instant};

use clap::ColorChoice;

/// How this program and its cargo talk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Talk {
    pub(crate) is_quiet: bool,
    pub(crate) is_verbose: bool,
    pub(crate) color: ColorChoice,
}

static TALK: RwLock<Talk> = RwLock::new(Talk::USUAL);

impl Talk {
    const USUAL: Talk = Talk {
        is_quiet: false,
        is_verbose: false,
        color: ColorChoice::Auto,
    };

    fn now() -> Self {
        TALK.read().map_or(Self::USUAL, |talk| *talk)
    }

    /// Talks so from now on.
    pub(crate) fn begin(self) {
        if let Ok(mut talk) = TALK.write() {
            *talk = self;
        }
    }

    /// The same for cargo, as variables.
    pub(crate) fn of_cargo() -> impl Iterator<Item = (&'static str, String)> {
        let talk = Self::now();
        let color = (talk.color != ColorChoice::Auto).then_some(talk.color);
        let variables = [
            (QUIET, talk.is_quiet.then(|| true.to_string())),
            (
                "CARGO_TERM_VERBOSE",
                talk.is_verbose.then(|| true.to_string()),
            ),
            ("CARGO_TERM_COLOR", color.map(|color| color.to_string())),
        ];
        let set = |(name, value): (_, Option<String>)| Some((name, value?));
        variables.into_iter().filter_map(set)
    }
}

/// The variable by which cargo is quiet, and this program where `quadscan` has it build.
const QUIET: &str = "CARGO_TERM_QUIET";

fn is_quiet() -> bool {
    Talk::now().is_quiet || std::env::var(QUIET).is_ok_and(|value| value == "true")
}

/// `==> what`: a step begins.
pub(crate) fn begin(what: &str) {
    if !is_quiet() {
        eprintln!("==> {what}");
    }
}

/// `    what`: something worth knowing inside a step.
pub(crate) fn note(what: &str) {
    if !is_quiet() {
        eprintln!("    {what}");
    }
}

/// `    warning: what`, also to those who want quiet.
pub(crate) fn warning(what: &str) {
    anstream::eprintln!("    \x1b[1;33mwarning:\x1b[0m {what}");
}

/// `    what in 41.2 s`: something that began at `start` has ended.
pub(crate) fn took(what: &str, start: Instant) {
    note(&format!("{what} in {}", duration(start.elapsed())));
}

/// `error: ...`, one sentence.
pub(crate) fn refusal(sentence: &str) {
    anstream::eprintln!("\x1b[1;31merror:\x1b[0m {sentence}");
}

/// `error: ...`, the whole chain of causes in one sentence.
pub(crate) fn error(error: &anyhow::Error) {
    refusal(&format!("{error:#}"));
}

/// `0.3 s`, `41.2 s`, `3 min 05 s`.
pub(crate) fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 99.95 {
        format!("{seconds:.1} s")
    } else {
        let whole = seconds.round() as u64;
        format!("{} min {:02} s", whole / 60, whole % 60)
    }
}

/// `1 test`, `2 tests`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_seconds_and_then_as_minutes() {
        assert_eq!(duration(Duration::from_millis(250)), "0.2 s");
        assert_eq!(duration(Duration::from_millis(41_230)), "41.2 s");
        assert_eq!(duration(Duration::from_secs(185)), "3 min 05 s");
        assert_eq!(duration(Duration::from_millis(119_600)), "2 min 00 s");
    }

    #[test]
    fn one_is_singular() {
        assert_eq!(count(1, "test"), "1 test");
        assert_eq!(count(0, "test"), "0 tests");
    }
}
