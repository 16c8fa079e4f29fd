//! Output of the commands: progress and errors, on stderr.
//!
//! Results (the summary of `test`, the list of `doctor`) are printed to
//! stdout by the commands themselves.

use std::time::{Duration, Instant};

/// `==> what`: a step begins.
pub(crate) fn begin(what: &str) {
    eprintln!("==> {what}");
}

/// `    what`: something worth knowing inside a step.
pub(crate) fn note(what: &str) {
    eprintln!("    {what}");
}

/// `    what in 41.2 s`: something that began at `start` has ended.
pub(crate) fn took(what: &str, start: Instant) {
    note(&format!("{what} in {}", duration(start.elapsed())));
}

/// `error: ...`, one sentence.
pub(crate) fn refusal(sentence: &str) {
    eprintln!("error: {sentence}");
}

/// `error: ...`, the whole chain of causes in one sentence.
pub(crate) fn error(error: &anyhow::Error) {
    eprintln!("error: {error:#}");
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
