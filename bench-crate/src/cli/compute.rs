//! What commands have in common that compute on rows of files.

use std::path::PathBuf;

use clap::Args;

/// Where is computed, and where the results go.
#[derive(Clone, Debug, Default, Args)]
pub struct ComputeArguments {
    /// Write the results to FILE.csv, FILE.tsv or FILE.npy, whole or not at all
    #[arg(short, long, value_name = "FILE", conflicts_with = "format")]
    pub out: Option<PathBuf>,

    /// Take the PTX from this folder instead of the one inside the program
    #[arg(long, value_name = "DIR")]
    pub artifact: Option<PathBuf>,

    /// Device: auto, cuda, cuda:N, emulator; rows of a file also on several: cuda:0,1, cuda:all, emulator:4
    #[arg(short, long, default_value = "auto", value_name = "DEVICE")]
    pub device: String,
}
