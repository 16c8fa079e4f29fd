//! The command line of `quadscan plan`.

use clap::Args;

/// `quadscan plan`.
#[derive(Clone, Debug, Args)]
#[command(after_help = super::examples::PLAN)]
pub struct PlanArguments {
    /// Elements of 4 bytes, such as 2^32, or several numbers
    #[arg(
        short,
        long,
        allow_negative_numbers = true,
        default_value = "2^32",
        value_name = "LIST"
    )]
    pub elements: String,

    /// Devices, 1 to 1024, or several numbers; more than 8 are on several machines
    #[arg(
        short,
        long,
        allow_negative_numbers = true,
        default_value = "1,2,4,8",
        value_name = "LIST"
    )]
    pub devices: String,

    /// The devices: h200, h100
    #[arg(long, default_value = "h200", value_name = "NAME")]
    pub gpu: String,

    /// What connects those of a machine: nvlink4, or none where they do not reach each other's memory
    #[arg(long, default_value = "nvlink4", value_name = "NAME")]
    pub link: String,

    /// Microseconds that a message from a machine to the next takes, for more than 8 devices
    #[arg(
        long,
        allow_negative_numbers = true,
        default_value = "5",
        value_name = "US"
    )]
    pub latency: String,

    /// Form of the results: table, csv, markdown, json
    #[arg(short, long, default_value = "table", value_name = "FORMAT")]
    pub format: String,
}
