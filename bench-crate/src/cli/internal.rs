//! Commands that other programs start: `quadscan worker` and `quadscan tune`.

use std::path::PathBuf;

use clap::Args;

/// `quadscan worker`.
#[derive(Clone, Debug, Args)]
pub struct WorkerArguments {
    /// The device, as for `bench`
    #[arg(long, default_value = "auto")]
    pub device: String,

    /// The seed, as for `bench`
    #[arg(long)]
    pub schedule: Option<u64>,

    /// The PTX, as for `bench`
    #[arg(long)]
    pub artifact: Option<PathBuf>,

    /// The modules of PTX that the run uses; all where none is named
    #[arg(long, value_delimiter = ',')]
    pub modules: Vec<String>,

    /// Whether launches wait for each other, as for `bench`
    #[arg(long)]
    pub no_pdl: bool,
}

/// `quadscan tune`.
#[derive(Clone, Debug, Args)]
pub struct TuneArguments {
    /// The folder with the candidates' PTX
    #[arg(value_name = "ARTIFACT", required_unless_present_any = ["kernels", "table"], requires = "out")]
    pub artifact: Option<PathBuf>,

    /// The file to write
    #[arg(long, value_name = "RECORD", requires = "artifact")]
    pub out: Option<PathBuf>,

    /// Print the source of the candidates' kernels
    #[arg(long, conflicts_with_all = ["artifact", "table"])]
    pub kernels: bool,

    /// Print the table that a record gives
    #[arg(long, value_name = "RECORD", conflicts_with = "artifact")]
    pub table: Option<PathBuf>,

    /// Time only a few sizes, of three classes
    #[arg(long)]
    pub quick: bool,

    /// The device: cuda, cuda:N, or emulator, which only checks results
    #[arg(long, default_value = "cuda", value_name = "DEVICE")]
    pub device: String,
}
