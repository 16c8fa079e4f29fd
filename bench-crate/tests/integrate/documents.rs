//! The sessions in `docs/integrate.md`, `docs/formulas.md` and `docs/scan-files.md` are what the
//! program says.

use std::fs;
use std::path::Path;

use crate::common::{folder, quadscan};

/// The blocks of a Markdown text of this language, without their fences.
fn blocks<'a>(markdown: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("```{language}\n");
    let parts = markdown.split(&fence).skip(1);
    parts
        .filter_map(|part| part.split_once("```").map(|(block, _)| block))
        .collect()
}

/// Commands and what they print: a command begins with `$ `.
fn session(block: &str) -> Vec<(&str, String)> {
    let mut steps: Vec<(&str, String)> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => steps.push((command, String::new())),
            (None, Some((_, output))) => *output += &format!("{line}\n"),
            (None, None) => panic!("`{line}` is no command"),
        }
    }
    steps
}

#[test]
fn the_documented_sessions_are_what_the_program_says() {
    said_as_in("integrate.md");
    said_as_in("formulas.md");
    said_as_in("scan-files.md");
}

#[track_caller]
fn said_as_in(page: &str) {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let document = document.join(page);
    let text = fs::read_to_string(document).unwrap_or_default();
    let folder = folder();
    let mut commands = 0;
    for (command, expected) in blocks(&text, "console").into_iter().flat_map(session) {
        if let Some(file) = command.strip_prefix("cat ") {
            // A file that is there came of a command.
            match fs::read_to_string(folder.path().join(file)) {
                Ok(text) => assert_eq!(text, expected, "{command}"),
                Err(_) => assert!(fs::write(folder.path().join(file), expected).is_ok()),
            }
            continue;
        }
        let Some(arguments) = command.strip_prefix("quadscan ") else {
            panic!("`{command}` is none of a session")
        };
        let Some(words) = shlex::split(arguments) else {
            panic!("`{command}` has a quote without an end")
        };
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        // The host computes values of formulas.
        let device = match words.first() {
            Some(&"formula") => &[][..],
            _ => &["--device", "emulator"],
        };
        let outcome = quadscan(folder.path(), &[&words[..], device].concat());
        // The device is the reader's own.
        let notices = outcome
            .errors
            .lines()
            .filter(|line| !line.starts_with("device: "));
        let said: String = notices.map(|line| format!("{line}\n")).collect();
        assert_eq!(outcome.output + &said, expected, "{command}");
        commands += 1;
    }
    assert!(commands >= 4, "only {commands} commands");
}
