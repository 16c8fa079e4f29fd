//! How the program talks: how wide its help and its lists are, and which version it says.

use crate::common::{command, folder, quadscan};

#[test]
fn help_and_lists_fit_80_columns_where_there_is_no_terminal() {
    let folder = folder();
    let tables = [
        "activity",
        "sweep-f64",
        "accuracy",
        "mapping",
        "limits",
        "scan",
        "integral",
    ];
    let lists = tables.map(|table| ["bench", table, "--list"]);
    let commands = [
        "bench",
        "time",
        "integrate",
        "scan",
        "reduce",
        "report",
        "completions",
    ];
    let helps = commands.map(|command| [command, "--help"]);
    let lines = [
        &["--help"][..],
        &["bench", "--list"],
        &["integrate", "--list"],
    ];
    let lines = lines.into_iter().chain(lists.iter().map(|line| &line[..]));
    for line in lines.chain(helps.iter().map(|line| &line[..])) {
        let outcome = quadscan(folder.path(), line);
        assert_eq!(outcome.code, 0, "{line:?}: {outcome:?}");
        let longer = outcome
            .output
            .lines()
            .find(|text| text.chars().count() > 80);
        assert_eq!(longer, None, "{line:?}");
    }
    let mut narrow = command(folder.path(), &["bench", "--help"]);
    let narrow = narrow.env("COLUMNS", "60").output().expect("it starts");
    let text = String::from_utf8_lossy(&narrow.stdout);
    let options = text.split("Examples:").next().unwrap_or_default();
    assert!(options.lines().all(|line| line.len() <= 60), "{text}");
}

#[test]
fn the_long_version_is_that_of_the_program_whatever_stands_before() {
    let folder = folder();
    let lines = |arguments: &[&str]| quadscan(folder.path(), arguments).output.lines().count();
    for arguments in [
        &["--version"][..],
        &["-q", "--version"],
        &["--color=never", "--version"],
    ] {
        assert!(lines(arguments) > 1, "{arguments:?}");
    }
    for arguments in [
        &["-V"][..],
        &["-qV"],
        &["bench", "--version"],
        &["bench", "-V"],
    ] {
        assert_eq!(lines(arguments), 1, "{arguments:?}");
    }
}
