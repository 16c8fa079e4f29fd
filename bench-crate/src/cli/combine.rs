//! The command lines of `quadscan scan` and `quadscan reduce`.

use std::path::PathBuf;

use clap::Args;

use super::ComputeArguments;

/// `quadscan scan`.
#[derive(Clone, Debug, Args)]
#[command(after_help = super::examples::SCAN)]
pub struct ScanArguments {
    /// Leave each row's own number out: the first result is the identity, such as 0
    #[arg(long)]
    pub exclusive: bool,

    /// Scan every column of the file: 0 down the rows, 1 along each row
    #[arg(long, value_name = "K", conflicts_with_all = ["column", "by_key", "name"])]
    pub axis: Option<usize>,

    /// What it has in common with `reduce`.
    #[command(flatten)]
    pub of: CombineArguments,
}

/// `quadscan reduce`.
#[derive(Clone, Debug, Args)]
#[command(after_help = super::examples::REDUCE)]
pub struct CombineArguments {
    /// FILE.csv, FILE.tsv or FILE.npy, or CSV on standard input (-)
    ///
    /// CSV has a header. Cells are divided by commas, semicolons or tabs; lines that begin with #
    /// are comments. The columns of an array without names are called 0, 1 and so on.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// The column of numbers [default: the only one, but for that of --by-key]
    #[arg(long, value_name = "NAME")]
    pub column: Option<String>,

    /// Operation: sum, min, max, and of scans product
    #[arg(long, default_value = "sum", value_name = "OPERATION")]
    pub op: String,

    /// Combine only neighbours with equal cells in this column
    #[arg(long, value_name = "COLUMN")]
    pub by_key: Option<String>,

    /// Type to compute in: u8, u16, u32, u64, i8, i16, i32, i64, f32, f64 [default: the array's;
    /// f64 for CSV]
    #[arg(long = "type", value_name = "TYPE")]
    pub element_type: Option<String>,

    /// Name of the column of results [default: the operation's]
    #[arg(long = "as", value_name = "NAME")]
    pub name: Option<String>,

    /// Form of the results: table, csv, markdown, json [default: csv; a single number alone]
    #[arg(short, long, value_name = "FORMAT")]
    pub format: Option<String>,

    /// Where is computed, and where the results go.
    #[command(flatten)]
    pub place: ComputeArguments,
}
