//! `docs/known-bugs.md`, made of the kernels' files and of what was found in them.

use std::fmt::Write;

use quadscan::device::emulator::ptx_emulator::check::Place;

use super::report::Outcome;
use super::run::Sibling;
use super::sanitizer::Verdicts;

const HEAD: &str = "\
# Known bugs

Bugs of GPU kernels that others reported, each rebuilt as a small kernel in Rust
([tests/known-bugs](../tests/known-bugs/src/lib.rs)), beside the same kernel without the bug. The
emulator's checks catch every broken one and pass every right one, which a test proves. Some of the
schedules explore [weak memory](memory-orders.md#weak-memory-on-the-emulator), so that a missing order is
also seen by a wrong result:

```sh
cargo xtask check --known-bugs                          # all of them
cargo xtask check --known-bugs lookback_relaxed_flag    # one, with all that is found
```

Each bug is told below, with the report that it is after; the kernel is our own. A race is named by both
of its accesses. A thread that leaves is named by the line of the kernel, where the compiler has the one
`ret`.

On a machine with a GPU and [compute-sanitizer](https://docs.nvidia.com/compute-sanitizer/), these run a
kernel, and all of them under each of its tools, in a few minutes:

```sh
cargo test -p quadscan-tests --test known_bugs -- launch lookback_relaxed_flag_broken
cargo test -p quadscan-tests --test known_bugs -- sanitize > tests/known-bugs/compute-sanitizer.json
```

Where cargo is not, take the test program and the folder that its argument `ptx` prints, and name the
folder in `QUADSCAN_KNOWN_BUGS`. This page is made by
`UPDATE_KNOWN_BUGS=1 cargo test -p quadscan-tests --test known_bugs`.

";

/// The page.
pub fn page(outcomes: &[Outcome], verdicts: &Verdicts) -> String {
    let mut text = HEAD.to_owned();
    // Writing to a string cannot fail.
    if !verdicts.with.is_empty() {
        let _ = writeln!(text, "compute-sanitizer ran with: {}.\n", verdicts.with);
    }
    text += "| bug | reported | the checks find | compute-sanitizer: broken | right |\n";
    text += "| --- | --- | --- | --- | --- |\n";
    for outcome in outcomes {
        let name = outcome.pair.name;
        let found = match outcome.caught() {
            Some(found) => format!("{} at {}", found.kind, lines(outcome)),
            None => "nothing".to_owned(),
        };
        let [broken, right] = [Sibling::Broken, Sibling::Right]
            .map(|sibling| verdicts.of(&sibling.entry(&outcome.pair), outcome.pair.devices));
        let _ = writeln!(
            text,
            "| [{name}](#{name}) | {} | {found} | {broken} | {right} |",
            reports(&outcome.source.reported)
        );
    }
    for outcome in outcomes {
        let (name, source) = (outcome.pair.name, &outcome.source);
        let _ = write!(
            text,
            "\n## {name}\n\n**{}** {}\n\n{}\n\n[{name}.rs](../tests/known-bugs/src/{name}.rs)",
            source.title, source.reported, source.story
        );
        let _ = match outcome.caught() {
            Some(found) => writeln!(
                text,
                ", {}: {}: {}.",
                lines(outcome),
                found.kind,
                found.message
            ),
            None => writeln!(text, ": not caught."),
        };
        if let Some(read) = outcome.stale_read() {
            let line =
                |place: &Place| Some(place.source.as_deref()?.rsplit(':').next()?.to_owned());
            let line = |place: Option<&Place>| place.and_then(line).unwrap_or_default();
            let (old, new) = (line(Some(&read.at)), line(read.other.as_ref()));
            let _ = writeln!(
                text,
                "With weak memory its result is wrong: the read at line {old} gave an old value, although \
                 line {new} had written a newer one."
            );
        }
    }
    text
}

/// The lines of the broken kernel that are named.
fn lines(outcome: &Outcome) -> String {
    let lines = outcome.source.lines.iter().map(usize::to_string);
    let lines: Vec<String> = lines.collect();
    match &lines[..] {
        [line] => format!("line {line}"),
        lines => format!("lines {}", lines.join(" and ")),
    }
}

/// The links of a report, without their dates.
fn reports(reported: &str) -> String {
    let links = reported.split('[').skip(1);
    let links = links.filter_map(|link| Some(format!("[{})", link.split_once(')')?.0)));
    links.collect::<Vec<_>>().join(", ")
}
