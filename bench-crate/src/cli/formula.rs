//! The command line of `quadscan formula`.

use clap::Args;

/// `quadscan formula`.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = super::examples::FORMULA)]
pub struct FormulaArguments {
    /// The formula, such as 'exp(-x^2) * cos(k*x)'
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    pub text: String,

    /// Points, such as 0.5,1 or x=0.5,1
    #[arg(long, allow_hyphen_values = true, value_name = "LIST")]
    pub at: Option<String>,

    /// The formula's parameters, such as k=1.5
    #[arg(long, allow_hyphen_values = true, value_name = "LIST")]
    pub parameters: Option<String>,

    /// Precision: f64, f32
    #[arg(long, default_value = "f64", value_name = "PRECISION")]
    pub precision: String,

    /// Print how many instructions of each kind it takes, and the PTX of a kernel that computes it
    #[arg(long, conflicts_with_all = ["at", "parameters"])]
    pub ptx: bool,

    /// Form of the values: table, csv, markdown, json
    #[arg(
        short,
        long,
        default_value = "table",
        value_name = "FORMAT",
        conflicts_with = "ptx"
    )]
    pub format: String,

    /// Take the PTX from this folder instead of the one inside the program
    #[arg(long, value_name = "DIR")]
    pub artifact: Option<std::path::PathBuf>,
}
