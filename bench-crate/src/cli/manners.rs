//! What all commands take: how much the program says, and in which colours.

use std::ffi::OsString;

use clap::{Args, ColorChoice, ValueEnum};

/// How the program talks.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct Manners {
    /// Say nothing but results, warnings and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Say more, such as when each cell begins
    #[arg(short, long, global = true)]
    pub verbose: bool,

    /// Colours; auto is on a terminal, unless NO_COLOR is set
    #[arg(
        long,
        value_enum,
        global = true,
        default_value = "auto",
        value_name = "WHEN"
    )]
    pub color: ColorChoice,
}

/// Has all output coloured as `--color` says, wherever it stands: help and errors have colours too.
pub fn choose_color(line: &[OsString]) {
    let choice = match color(line) {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
}

/// What `--color` says.
fn color(line: &[OsString]) -> ColorChoice {
    let mut words = line.iter().filter_map(|word| word.to_str());
    let said = words.find_map(|word| word.strip_prefix("--color"));
    let said = said.and_then(|rest| rest.strip_prefix('=').or_else(|| words.next()));
    let choice = said.and_then(|said| ColorChoice::from_str(said, false).ok());
    choice.unwrap_or(ColorChoice::Auto)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_known_before_the_line_is_understood() {
        let of = |line: &[&str]| color(&line.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(
            of(&["quadscan", "bench", "--color", "never", "--x"]),
            ColorChoice::Never
        );
        assert_eq!(of(&["quadscan", "--color=always"]), ColorChoice::Always);
        assert_eq!(of(&["quadscan", "--color", "--help"]), ColorChoice::Auto);
        assert_eq!(of(&["quadscan"]), ColorChoice::Auto);
    }
}
