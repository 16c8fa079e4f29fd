//! What is asked of the cells of tables, as options that the axes make.

use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches};

use super::super::axes::{FLAGS, OPTIONS, Values};

/// What is asked of the tables' cells: lists of values of axes, an option each, made of
/// [`OPTIONS`], and `--axis`; rows beside the usual ones, made of [`FLAGS`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AxisArguments {
    /// By options, without dashes.
    pub lists: Vec<(String, String)>,
    /// By names of axes, as they were typed: `NAME=LIST`.
    pub named: Vec<String>,
    /// Options without a value, without dashes.
    pub flags: Vec<String>,
}

/// What these options stand under in the help.
const HEADING: &str = "Cells";

/// The option that names its axis.
const AXIS: &str = "axis";

impl Args for AxisArguments {
    fn augment_args(mut command: clap::Command) -> clap::Command {
        for axis in OPTIONS {
            let option = Arg::new(axis.option)
                .long(axis.option)
                .value_name(axis.placeholder)
                .allow_negative_numbers(axis.values != Values::Names)
                .help_heading(HEADING)
                .help(axis.help);
            command = command.arg(option);
        }
        let axis = Arg::new(AXIS)
            .long(AXIS)
            .value_name("NAME=LIST")
            .help_heading(HEADING)
            .action(ArgAction::Append)
            .help("Values of an axis by its name, such as n=1000,2^20 [those of a table: --list]");
        let flags = FLAGS.iter().map(|flag| {
            let option = Arg::new(flag.option)
                .long(flag.option)
                .help_heading(HEADING);
            option.action(ArgAction::SetTrue).help(flag.help)
        });
        command.arg(axis).args(flags)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for AxisArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let list = |option: &'static str| {
            let text = matches.get_one::<String>(option)?;
            Some((option.to_owned(), text.clone()))
        };
        let named = matches.get_many::<String>(AXIS);
        let flags = FLAGS.iter().map(|flag| flag.option);
        let given = flags.filter(|option| matches.get_flag(option));
        Ok(AxisArguments {
            lists: OPTIONS
                .iter()
                .filter_map(|axis| list(axis.option))
                .collect(),
            named: named.into_iter().flatten().cloned().collect(),
            flags: given.map(str::to_owned).collect(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
