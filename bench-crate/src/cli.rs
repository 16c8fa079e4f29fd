//! The command line, as clap sees it. `bench::request` and `integral::request` check the values,
//! and refuse a wrong one in one sentence.
//!
//! It depends on clap, on anstream for colours, and on [`axes`](super::axes) alone: `cargo xtask`
//! includes these files, and answers `--help` and what cannot be understood without building the
//! program.

// Paths, because `cargo xtask` has this file by its path, too.
#[path = "cli/cells.rs"]
mod cells;
#[path = "cli/combine.rs"]
mod combine;
#[path = "cli/compute.rs"]
mod compute;
#[path = "cli/examples.rs"]
mod examples;
#[path = "cli/formula.rs"]
mod formula;
#[path = "../../ptx-emulator/src/bin/ptx-emulator/help.rs"]
pub mod help;
#[path = "cli/integrate.rs"]
mod integrate;
#[path = "cli/internal.rs"]
mod internal;
#[path = "cli/manners.rs"]
mod manners;
#[path = "cli/plan.rs"]
mod plan;
#[path = "../../ptx-emulator/src/bin/ptx-emulator/sentence.rs"]
pub mod sentence;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand};

pub use cells::AxisArguments;
pub use combine::{CombineArguments, ScanArguments};
pub use compute::ComputeArguments;
pub use formula::FormulaArguments;
pub use integrate::IntegrateArguments;
pub use internal::{TuneArguments, WorkerArguments};
pub use manners::{Manners, choose_color};
pub use plan::PlanArguments;

/// Quadrature and prefix scan on the GPU: measured tables beside the published
/// ones.
#[derive(Debug, Parser)]
#[command(name = "quadscan", version, propagate_version = true)]
#[command(after_help = "`quadscan COMMAND --help` has the options of a command, and examples.")]
pub struct Cli {
    /// How the program talks.
    #[command(flatten)]
    pub manners: Manners,

    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure tables and print them beside the published ones
    Bench(Box<BenchArguments>),
    /// Time a kernel and compare it with its first times, which are kept
    Time(TimeArguments),
    /// Integrate a formula or a function of the catalogue: between limits, or for each row of a file
    Integrate(Box<IntegrateArguments>),
    /// Print a formula's values and derivatives at points, or its PTX
    Formula(FormulaArguments),
    /// Scan a column of a file: each number, combined with those before it
    Scan(Box<ScanArguments>),
    /// Reduce a column of a file: all numbers, combined to one
    Reduce(Box<CombineArguments>),
    /// Predict the times of scans and reductions on several GPUs, by a model of measured figures
    Plan(PlanArguments),
    /// Write report.html from the records of one machine, or of several side by side
    Report(ReportArguments),
    /// List the parts of the PTX: kernels, size, and how long the device takes to load each
    Artifact(ArtifactArguments),
    /// Print a file that completes this program's command lines in a shell
    Completions(CompletionsArguments),
    /// Measure cells for a run: jobs on standard input, answers on standard output
    #[command(hide = true)]
    Worker(WorkerArguments),
    /// Time the candidates of `cargo xtask tune`, each checked, and write the record
    #[command(hide = true)]
    Tune(TuneArguments),
}

/// `quadscan bench`.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = examples::BENCH)]
pub struct BenchArguments {
    /// Tables: activity, sweep-f64, sweep-f32, accuracy, mapping, limits [default: these],
    /// scan, reduce, select, integral, integrals, cubature, kernels, functions, integrate
    /// (integral and integrals)
    ///
    /// One more, `faults`, runs kernels that fault and hang on purpose.
    #[arg(value_name = "TABLE")]
    pub tables: Vec<String>,

    /// Device: auto, cuda, cuda:N, emulator
    ///
    /// auto is the first CUDA device, or the emulator if there is none. The emulator runs the
    /// same PTX on the CPU: it gives results and counts, and no times.
    #[arg(
        short = 'd',
        long,
        default_value = "auto",
        value_name = "DEVICE",
        help_heading = "Device"
    )]
    pub device: String,

    /// With --device emulator, interleave warps and blocks at random from SEED [default: always
    /// the same order]
    #[arg(
        long,
        allow_negative_numbers = true,
        value_name = "SEED",
        help_heading = "Device"
    )]
    pub schedule: Option<String>,

    /// Sizes up to 2^20
    #[arg(long, conflicts_with = "full", help_heading = "Cells")]
    pub quick: bool,

    /// Sizes up to 2^30
    #[arg(long, help_heading = "Cells")]
    pub full: bool,

    /// Only the published columns and rows
    #[arg(long, help_heading = "Cells")]
    pub published: bool,

    /// What is asked of the tables' cells.
    #[command(flatten)]
    pub axes: AxisArguments,

    /// Exactly N samples of each time in each process [default: as many as the noise
    /// requires; 3 in each process if there are several]
    #[arg(
        long,
        allow_negative_numbers = true,
        value_name = "N",
        help_heading = "Times"
    )]
    pub repeat: Option<String>,

    /// Also time kernels with a cold L2 cache: kernel_cold_ms
    #[arg(long, help_heading = "Times")]
    pub cold: bool,

    /// In scan, reduce, integral and integrals, turn programmatic dependent launch off: each of our
    /// launches waits until the one before has ended [default: it begins while that one ends]
    #[arg(long, help_heading = "Times")]
    pub no_pdl: bool,

    /// The former name of --no-pdl
    #[arg(long, hide = true)]
    pub one_by_one: bool,

    /// Of processes that mpirun has started, measure each cell by the first one alone, and by all at the
    /// same time: mpirun -n 4 quadscan bench scan integrals --ranks
    #[arg(long, help_heading = "Times")]
    pub ranks: bool,

    /// Print all rows and columns on a terminal [default: where no table is named, what fits 80
    /// columns and 100 lines, as it was published]
    #[arg(long, help_heading = "Output")]
    pub full_tables: bool,

    /// Form of the results: table, csv, markdown, json
    #[arg(
        short = 'f',
        long,
        default_value = "table",
        value_name = "FORMAT",
        help_heading = "Output"
    )]
    pub format: String,

    /// Folder for the records
    #[arg(
        short = 'o',
        long,
        default_value = "results",
        value_name = "DIR",
        help_heading = "Output"
    )]
    pub out: PathBuf,

    /// Keep this run as a baseline under NAME
    #[arg(long, value_name = "NAME", help_heading = "Baselines")]
    pub save: Option<String>,

    /// Compare with the baseline NAME; exit code 1 when a cell is slower
    #[arg(long, value_name = "NAME", help_heading = "Baselines")]
    pub baseline: Option<String>,

    /// Ignore changes of up to PERCENT [default: 2]
    #[arg(
        long,
        allow_negative_numbers = true,
        value_name = "PERCENT",
        help_heading = "Baselines"
    )]
    pub margin: Option<String>,

    /// Measure each cell in N processes; a comparison needs the differences between them
    /// [default: 16 with --save and --baseline, else 1]
    #[arg(
        long,
        allow_negative_numbers = true,
        value_name = "N",
        help_heading = "Times"
    )]
    pub processes: Option<String>,

    /// List the tables, or the cells and columns of the named ones; measure nothing
    #[arg(short = 'l', long, help_heading = "Output")]
    pub list: bool,

    /// Print the JSON schema of the records; measure nothing
    #[arg(long, help_heading = "Output")]
    pub schema: bool,

    /// Print the cells and check the results of host and device, without measuring times
    #[arg(short = 'n', long, help_heading = "Output")]
    pub dry_run: bool,

    /// Take the PTX from this folder instead of the one inside the program
    #[arg(long, value_name = "DIR", help_heading = "Device")]
    pub artifact: Option<PathBuf>,

    /// Time peers beside our kernels, or say why that is not possible; DIR has their source
    /// [default: peers]
    ///
    /// The quarter circle in CUDA C++ is timed wherever its source and nvcc are found. CUB
    /// (scan and reduce) and the rules in CUDA C++ (integral) need this option: nvcc compiles
    /// them once, in half a minute.
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = "peers", help_heading = "Peers")]
    pub peers: Option<PathBuf>,

    /// In scan and reduce, the folder of another CUB to time beside the toolkit's; it has
    /// cub/version.cuh
    #[arg(long, value_name = "DIR", help_heading = "Peers")]
    pub cub: Option<PathBuf>,

    /// A Python whose CuPy and PyTorch (scan and reduce) or SciPy (integrals, cubature) are timed, in
    /// a process of their own
    #[arg(long, value_name = "PROGRAM", help_heading = "Peers")]
    pub python: Option<PathBuf>,

    /// Seconds that a cell may take [default: 60, more where one thread has many
    /// strips]
    #[arg(
        long,
        allow_negative_numbers = true,
        value_name = "SECONDS",
        help_heading = "Device"
    )]
    pub cell_timeout: Option<String>,

    /// Measure by this program instead of a child of this one
    #[arg(long, value_name = "PROGRAM", hide = true)]
    pub worker: Option<PathBuf>,
}

/// `quadscan time`.
#[derive(Clone, Debug, Args)]
#[command(after_help = examples::TIME)]
pub struct TimeArguments {
    /// The kernel, by its entry
    #[arg(value_name = "KERNEL")]
    pub kernel: String,

    /// Keep the times of this run as the new baseline
    #[arg(long)]
    pub new_baseline: bool,

    /// Take the PTX from this folder instead of the one inside the program
    #[arg(long, value_name = "DIR")]
    pub artifact: Option<PathBuf>,

    /// Folder for the records and the baseline
    #[arg(short, long, default_value = "results/times", value_name = "DIR")]
    pub out: PathBuf,

    /// Device: cuda, cuda:N
    #[arg(short, long, default_value = "cuda", value_name = "DEVICE")]
    pub device: String,

    /// Measure by this program instead of a child of this one
    #[arg(long, value_name = "PROGRAM", hide = true)]
    pub worker: Option<PathBuf>,
}

/// `quadscan report`.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = examples::REPORT)]
pub struct ReportArguments {
    /// Folders that `bench --out` wrote to, or files of records
    ///
    /// The page shows the newest run of each table on each machine.
    #[arg(value_name = "DIR", required = true)]
    pub sources: Vec<PathBuf>,

    /// The file to write [default: report.html in the first folder]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Also write the first figures as files of their own, such as scan-throughput.svg
    #[arg(long, value_name = "DIR")]
    pub pictures: Option<PathBuf>,

    /// Only runs whose name starts with NAME; the report and the records have the names
    #[arg(long, value_name = "NAME")]
    pub run: Option<String>,
}

/// `quadscan artifact`.
#[derive(Clone, Debug, Default, Args)]
pub struct ArtifactArguments {
    /// The device, as for `bench`
    ///
    /// load_ms is the time until all kernels of a part can be launched, load_again_ms the time
    /// of a second load. A driver keeps compiled code on disk. With CUDA_CACHE_DISABLE=1 in the
    /// environment, both times include the compilation.
    #[arg(short, long, default_value = "auto", value_name = "DEVICE")]
    pub device: String,

    /// List this folder instead of the PTX inside the program
    #[arg(long, value_name = "DIR")]
    pub artifact: Option<PathBuf>,

    /// Write the PTX and its manifest to this folder and print its path; load nothing
    #[arg(long, value_name = "DIR")]
    pub write: Option<PathBuf>,
}

/// `quadscan completions`.
#[derive(Clone, Debug, Args)]
#[command(after_help = examples::COMPLETIONS)]
pub struct CompletionsArguments {
    /// The shell: bash, elvish, fish, powershell, zsh
    #[arg(value_name = "SHELL", value_parser = ["bash", "elvish", "fish", "powershell", "zsh"], hide_possible_values = true)]
    pub shell: String,
}

/// What clap objects to on a command line, as one sentence.
pub fn one_sentence(error: clap::Error, line: &[OsString]) -> String {
    match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            "no command is given: try `quadscan bench`".to_owned()
        }
        _ => sentence::of(error, Cli::command(), line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn an_objection_is_one_line() {
        for arguments in [
            &["quadscan", "bench", "--frmat", "csv"][..],
            &["quadscan", "bench", "--quick", "--full"],
            &["quadscan", "bench", "--out"],
            &["quadscan", "tune", "folder"],
            &["quadscan"],
        ] {
            let Err(error) = Cli::try_parse_from(arguments) else {
                panic!("{arguments:?}")
            };
            let line: Vec<OsString> = arguments.iter().map(OsString::from).collect();
            let sentence = one_sentence(error, &line);
            assert_eq!(sentence.lines().count(), 1, "{sentence}");
        }
    }
}
