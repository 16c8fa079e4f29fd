//! What is wrong with a command line, in one sentence that a terminal shows as it was meant.
//!
//! It depends on clap alone: other programs of the workspace include this file by its path.

use std::any::TypeId;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, builder::OsStringValueParser};

/// The longest value that is shown whole, in characters.
const WHOLE: usize = 120;

/// Characters that are shown of each end of a longer one.
const END: usize = 30;

/// What clap objects to on a command line, as one sentence: its first line and its tip, without
/// its usage.
pub fn of(error: clap::Error, command: Command, line: &[OsString]) -> String {
    match error.kind() {
        ErrorKind::InvalidUtf8 => return not_utf8(command, line),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            let commands = command.get_subcommands().filter(|of| !of.is_hide_set());
            let names: Vec<&str> = commands.map(Command::get_name).collect();
            return format!("no command is given, allowed are {}", names.join(", "));
        }
        _ => {}
    }
    let text = with_short_values(error).to_string();
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    let first = first.strip_prefix("error: ").unwrap_or(first);
    let mut sentence = first.trim_end_matches(':').to_owned();
    let details: Vec<&str> = lines
        .by_ref()
        .take_while(|line| !line.trim().is_empty())
        .map(str::trim)
        .collect();
    if !details.is_empty() {
        sentence = format!("{sentence}: {}", details.join(" "));
    }
    // Its other tips are of words that happen to begin with a dash.
    let mut tips = lines.filter_map(|line| line.trim().strip_prefix("tip: "));
    if let Some(tip) = tips.find(|tip| tip.contains("similar")) {
        sentence = format!("{sentence}, {tip}");
    }
    legible(&format!("{sentence}, see --help"))
}

/// The error with values whose ends alone are shown where they are long.
fn with_short_values(mut error: clap::Error) -> clap::Error {
    for kind in [
        ContextKind::InvalidValue,
        ContextKind::InvalidArg,
        ContextKind::InvalidSubcommand,
    ] {
        if let Some(ContextValue::String(value)) = error.get(kind) {
            let value = shortened(&escaped(value));
            error.insert(kind, ContextValue::String(value));
        }
    }
    error
}

/// That a value is not UTF-8, and of which argument.
fn not_utf8(command: Command, line: &[OsString]) -> String {
    let of = |(argument, value): (String, OsString)| {
        let value = value.as_encoded_bytes().escape_ascii();
        format!("{argument} `{value}`")
    };
    let what = culprit(command, line).map_or("an argument".to_owned(), of);
    legible(&format!("{what} is not UTF-8, allowed is text"))
}

/// The first value that is not UTF-8 and has to be, behind its argument as it is typed.
fn culprit(command: Command, line: &[OsString]) -> Option<(String, OsString)> {
    let any = with_any_text(command.clone()).ignore_errors(true);
    let matches = any.try_get_matches_from(line).ok()?;
    let (mut command, mut matches) = (&command, &matches);
    while let Some((name, inner)) = matches.subcommand() {
        (command, matches) = (command.find_subcommand(name)?, inner);
    }
    let may_be_any = [TypeId::of::<PathBuf>(), TypeId::of::<OsString>()];
    let has_to_be_text = |arg: &&Arg| {
        let value = arg.get_value_parser().type_id();
        !may_be_any.iter().any(|any| value == *any)
    };
    let mut texts = command.get_arguments().filter(has_to_be_text);
    texts.find_map(|arg| {
        let mut values = matches.try_get_raw(arg.get_id().as_str()).ok()??;
        let value = values.find(|value| value.to_str().is_none())?;
        Some((typed(arg), value.to_owned()))
    })
}

/// The command with values that may be anything.
fn with_any_text(command: Command) -> Command {
    command
        .mut_args(|arg| match arg.get_action().takes_values() {
            true => arg.value_parser(OsStringValueParser::new()),
            false => arg,
        })
        .mut_subcommands(with_any_text)
}

/// `--threads`, or `TABLE` where an argument has no name.
fn typed(arg: &Arg) -> String {
    let names = || arg.get_value_names().unwrap_or_default();
    match arg.get_long() {
        Some(long) => format!("--{long}"),
        None => names().iter().map(|name| name.as_str()).collect(),
    }
}

/// A sentence that a terminal shows as it is: control characters are escaped, and of a long
/// value, which stands in backquotes or has no blanks, the ends are shown.
pub fn legible(sentence: &str) -> String {
    let sentence = escaped(sentence);
    let parts = sentence.split('`').enumerate();
    let parts = parts.map(|(index, part)| match index % 2 {
        0 => part.split(' ').map(shortened).collect::<Vec<_>>().join(" "),
        _ => shortened(part),
    });
    parts.collect::<Vec<_>>().join("`")
}

/// Without characters that move the cursor, colour what follows, or turn the direction.
fn escaped(text: &str) -> String {
    let is_hostile =
        |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match is_hostile(c) {
            true => safe.extend(c.escape_default()),
            false => safe.push(c),
        }
    }
    safe
}

/// A long text by its ends.
fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= WHOLE {
        return text.to_owned();
    }
    let (first, last): (String, String) = (
        text.chars().take(END).collect(),
        text.chars().skip(count - END).collect(),
    );
    format!("{first}...{last} ({count} characters)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_escaped_and_what_is_long_is_cut() {
        assert_eq!(legible("`a\u{1b}[31m\n`"), r"`a\u{1b}[31m\n`");
        assert_eq!(legible("x\u{202e}y"), r"x\u{202e}y");
        assert_eq!(legible("a sentence, `é` in it"), "a sentence, `é` in it");
        let digits = "7".repeat(100_000);
        let ends = format!("{0}...{0} (100000 characters)", "7".repeat(END));
        let said = legible(&format!("--n `{digits}` is out of range"));
        assert_eq!(said, format!("--n `{ends}` is out of range"));
        assert_eq!(legible(&format!("{digits} is")), format!("{ends} is"));
        let words = "7 ".repeat(100_000);
        assert!(legible(&format!("--n `{words}` is")).len() < 200);
    }
}
